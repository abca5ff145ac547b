/* SPDX-License-Identifier: MIT */
/* Facts as they are now, their decay, and saving (facts.h).  Their past is in fact_past.c. */
#include <assert.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/facts/fact_read.h"
#include "store/policy/policy.h"

/* Others may append to a list without end; views that cannot follow would try for ever. */
enum { MOST_TRIES = 1000 };

static const char *const domain_names[] = { [FACT_WORK] = "work",
	[FACT_PREFERENCES] = "preferences", [FACT_DECISIONS] = "decisions",
	[FACT_PERSONAL] = "personal", [FACT_PROJECTS] = "projects" };
static const char *const confidence_names[] = { [CONFIDENCE_LOW] = "low",
	[CONFIDENCE_MEDIUM] = "medium", [CONFIDENCE_HIGH] = "high" };

const char *store_fact_domain_name(int domain)
{
	return domain >= FACT_WORK && domain <= FACT_PROJECTS ? domain_names[domain] : NULL;
}

int store_fact_domain(const char *name)
{
	for (int d = FACT_WORK; d <= FACT_PROJECTS; d++)
		if (strcmp(name, domain_names[d]) == 0)
			return d;
	return 0;
}

enum life store_fact_life(const struct fact *f, int64_t now_us)
{
	const struct policy_thing t = { .is_fact = true, .retracted = f->retracted_us != 0,
		.replaced = f->superseded_by != 0, .confidence = f->confidence,
		.confirmed_us = f->confirmed_us };
	return policy_life(&t, now_us);
}

enum fact_state store_fact_state(const struct fact *f, int64_t now_us)
{
	enum life life = store_fact_life(f, now_us);
	return life == LIFE_LIVE ? FACT_INJECTED : life == LIFE_AGED ? FACT_RETRIEVAL : FACT_STALE;
}

int fact_head(struct reader *r, int domain, struct fact_head *out)
{
	sqlite3_stmt *q = reader_stmt(r, READ_FACT_LIST);
	*out = (struct fact_head){ 0 };
	sqlite3_bind_int64(q, 1, domain);
	int rc = q ? sqlite3_step(q) : SQLITE_DONE;
	if (rc == SQLITE_ROW) {
		out->saves = sqlite3_column_int64(q, 0);
		out->entries = sqlite3_column_int64(q, 1);
		out->last_us = sqlite3_column_int64(q, 2);
		out->last_seq = sqlite3_column_int64(q, 3);
	}
	sqlite3_reset(q);
	return db_error(rc);
}

/* A row of FACT_COLUMNS (fact_sql.c). */
static void read_fact(sqlite3_stmt *q, struct fact *f)
{
	*f = (struct fact){ .id = sqlite3_column_int64(q, 0), .domain = sqlite3_column_int(q, 1),
		.text = (const char *)sqlite3_column_text(q, 2),
		.len = (size_t)sqlite3_column_bytes(q, 2),
		.confidence = (enum confidence)sqlite3_column_int(q, 3),
		.explicit_ = sqlite3_column_int(q, 4) != 0, .entry = sqlite3_column_int64(q, 5),
		.supersedes = sqlite3_column_int64(q, 6), .superseded_by = sqlite3_column_int64(q, 7),
		.added_us = sqlite3_column_int64(q, 8), .confirmed_us = sqlite3_column_int64(q, 9),
		.retracted_us = sqlite3_column_int64(q, 10),
		.confirmations = sqlite3_column_int64(q, 11) };
	(void)snprintf(f->author, sizeof f->author, "%s", db_text(q, 12));
	db_talk(q, 13, &f->talk);
}

int fact_each(sqlite3_stmt *q, fact_fn *fn, void *ctx)
{
	int rc = SQLITE_DONE;
	while (q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct fact f;
		read_fact(q, &f);
		if (!f.text)
			return STORE_ENOMEM;
		fn(ctx, &f);
	}
	return db_error(rc);
}

/* All rows of a statement whose first parameter, if it has one, is this. */
static int each_of(struct store *s, int which, int64_t key, fact_fn *fn, void *ctx)
{
	struct reader *r;
	int err = views_reader(s, &r);
	if (err)
		return err;
	if (which != READ_FACT_ALL)
		sqlite3_bind_int64(reader_stmt(r, which), 1, key);
	err = fact_each(reader_stmt(r, which), fn, ctx);
	reader_put(s, r);
	return err;
}

int store_fact_live(struct store *s, int domain, fact_fn *fn, void *ctx)
{
	return each_of(s, READ_FACT_LIVE, domain, fn, ctx);
}

int store_fact_all(struct store *s, fact_fn *fn, void *ctx)
{
	return each_of(s, READ_FACT_ALL, 0, fn, ctx);
}

struct one_fact {
	fact_fn *fn;
	void *ctx;
	bool found;
};

static void hand_on(void *ctx, const struct fact *f)
{
	struct one_fact *one = ctx;
	one->found = true;
	one->fn(one->ctx, f);
}

int store_fact_by_id(struct store *s, int64_t id, fact_fn *fn, void *ctx)
{
	struct one_fact one = { fn, ctx, false };
	int err = each_of(s, READ_FACT_ID, id, hand_on, &one);
	return err ? err : one.found ? 0 : STORE_ENOENT;
}

static int head_of(struct store *s, int domain, struct fact_head *out)
{
	struct reader *r;
	int err = views_reader(s, &r);
	*out = (struct fact_head){ 0 };
	if (err)
		return err;
	err = fact_head(r, domain, out);
	reader_put(s, r);
	return err;
}

int store_fact_saves(struct store *s, int domain, int64_t *count, int64_t *last_us)
{
	struct fact_head head;
	int err = head_of(s, domain, &head);
	*count = head.saves;
	*last_us = head.last_us;
	return err;
}

int store_fact_list(struct store *s, int domain, int64_t *saves, int64_t *entries)
{
	struct fact_head head;
	int err = head_of(s, domain, &head);
	*saves = head.saves;
	*entries = head.entries;
	return err;
}

/* ---- saving ---------------------------------------------------------- */

/* STORE_ENOENT if a change names a fact, and it is none of the live ones here. */
static int check_named(struct reader *r, int domain, const struct fact_change *c)
{
	sqlite3_stmt *q = reader_stmt(r, READ_FACT_ID);
	if (c->verb == FACT_ADD || c->verb == FACT_TEXT)
		return 0;
	sqlite3_bind_int64(q, 1, c->fact);
	int rc = q ? sqlite3_step(q) : SQLITE_DONE;
	bool live = rc == SQLITE_ROW && sqlite3_column_int(q, 1) == domain &&
		sqlite3_column_int64(q, 10) == 0;
	sqlite3_reset(q);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? (live ? 0 : STORE_ENOENT) : db_error(rc);
}

static int check_save(struct store *s, int domain, const struct fact_change *changes, size_t count,
                      int64_t expect_saves, struct fact_head *head)
{
	struct reader *r;
	int err = views_snapshot(s, &r);
	if (err)
		return err;
	err = fact_head(r, domain, head);
	if (!err && expect_saves >= 0 && head->saves != expect_saves)
		err = STORE_EMOVED;
	for (size_t i = 0; !err && i < count; i++)
		err = check_named(r, domain, &changes[i]);
	reader_put(s, r);
	return err;
}

static void set_number(json_t *body, const char *name, int64_t value)
{
	if (value > 0)
		json_object_set_new(body, name, json_integer(value));
}

static bool set_talk(json_t *body, const struct talk *talk)
{
	json_t *from = talk && (*talk->agent || *talk->session) ? json_object() : NULL;
	if (from && *talk->agent)
		json_object_set_new(from, "agent", json_string(talk->agent));
	if (from && *talk->session)
		json_object_set_new(from, "session", json_string(talk->session));
	return !from || json_object_set_new(body, "from", from) == 0;
}

/* The body of an entry; the caller frees.  NULL: a text that is none, or no memory. */
static char *body_of(const struct fact_change *c, int64_t save, const struct talk *talk)
{
	json_t *body = json_object();
	bool texts = c->verb == FACT_ADD || c->verb == FACT_TEXT, bad = !body;
	set_number(body, "save", save);
	if (texts) /* json_stringn() refuses what is not UTF-8 */
		bad |= json_object_set_new(body, "text", json_stringn(c->text, c->len)) != 0;
	else
		set_number(body, "fact", c->fact);
	if (c->verb == FACT_ADD || c->verb == FACT_WEIGH)
		bad |= json_object_set_new(body, "confidence",
		                           json_string(confidence_names[c->confidence])) != 0;
	if (c->verb == FACT_ADD)
		json_object_set_new(body, "source", json_string(c->inferred ? "inferred" : "explicit"));
	if (c->verb == FACT_ADD || c->verb == FACT_CONFIRM)
		set_number(body, "entry", c->entry);
	if (c->verb == FACT_ADD)
		set_number(body, "supersedes", c->supersedes);
	if (c->verb == FACT_RETRACT)
		set_number(body, "by", c->by);
	bad |= !set_talk(body, talk);
	char *text = bad ? NULL : json_dumps(body, JSON_COMPACT);
	json_decref(body);
	return text;
}

static int check_texts(const struct fact_change *changes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct fact_change *c = &changes[i];
		assert(c->verb >= FACT_ADD && c->verb <= FACT_TEXT);
		if (c->verb == FACT_ADD && c->len == 0)
			return STORE_EINVAL;
		if ((c->verb == FACT_ADD || c->verb == FACT_TEXT) && c->len > 0 &&
		    memchr(c->text, '\0', c->len))
			return STORE_EINVAL;
	}
	return 0;
}

/* Of one save: `n` is its number. */
struct save {
	const struct fact_change *changes;
	const struct talk *talk;
	int64_t n;
};

static char *body_of_change(const void *ctx, size_t i)
{
	const struct save *save = ctx;
	return body_of(&save->changes[i], save->n, save->talk);
}

int store_fact_commit(struct store *s, int domain, const struct fact_change *changes, size_t count,
                      const char *author, const struct talk *talk, int64_t expect_saves,
                      int64_t *save)
{
	static const char *const kinds[] = { [FACT_ADD] = "fact.add", [FACT_RETRACT] = "fact.retract",
		[FACT_CONFIRM] = "fact.confirm", [FACT_WEIGH] = "fact.weigh", [FACT_TEXT] = "fact.text" };
	struct fact_head head = { 0 };
	char stream[24];
	assert(store_fact_domain_name(domain));
	(void)snprintf(stream, sizeof stream, "f%d", domain);
	struct draft *d = calloc(count + 1, sizeof *d);
	int err = d ? check_texts(changes, count) : STORE_ENOMEM;
	for (size_t i = 0; !err && i < count; i++)
		d[i] = (struct draft){ .stream = stream, .kind = kinds[changes[i].verb],
			.author = author };
	for (int tries = 0; !err && tries < MOST_TRIES; tries++) {
		err = check_save(s, domain, changes, count, expect_saves, &head);
		if (err || count == 0)
			break;
		/* EMOVED: an entry came in between; whether that was a save is seen next time. */
		struct append a = { .count = count, .expect = head.entries };
		const struct save it = { changes, talk, head.saves + 1 };
		err = tape_append_made(s, &a, d, body_of_change, &it);
		if (err != STORE_EMOVED || tries + 1 == MOST_TRIES)
			break;
		err = 0;
	}
	free(d);
	if (!err && save)
		*save = head.saves + (count > 0);
	return err;
}

/* SPDX-License-Identifier: MIT */
/*
 * Choosing memories (memories.h).  Without words it is the best by score, which ranking.c knows; of
 * some alone, the newest or one owner's, these are read, each finds who stands for it, and those
 * that can be chosen are ordered by score.  With words only those are read that a search
 * finds, which knows who is live and who stands for whom: so a question costs the same in a memory
 * of thousands.
 *
 * Only those that stand for themselves (store/life/life.h) are handed out, each at most once.
 */
#include <stdlib.h>
#include <string.h>

#include "store/documents/documents.h"
#include "store/internal.h"
#include "store/life/life.h"
#include "store/memories/memories.h"
#include "store/memories.h"
#include "store/policy/policy.h"

#define DAY_US 86400e6

struct row {
	int64_t id, made_us, saved_us, tokens, uses, used_us;
	enum memory_type type;
	enum life life; /* its own, whoever stands for it */
	bool mine;
	int64_t heir;
	double importance, days;
	char *name, *summary;
	struct memory_score score;
};

struct memories {
	struct row *row; /* by id, or as the search found them */
	struct kin *kin; /* of each row */
	size_t count, room, kin_room;
	struct access *used; /* how often, by document */
	size_t used_count;
	const char *owner;
	int64_t now, most; /* most uses of one that can be chosen */
	int64_t newest;    /* that so many are read, the last made; 0: all */
	struct scoring by;
	size_t *pick; /* what is chosen, in the order in which it is handed out */
	size_t picks;
	double least; /* relevance needed */
};

/* What a search found, best first. */
struct answers {
	struct answer {
		int64_t id;
		double score;
	} *items;
	size_t count, room;
	int err;
};

static void release(struct memories *m)
{
	for (size_t i = 0; i < m->count; i++) {
		free(m->row[i].name);
		free(m->row[i].summary);
	}
	free(m->row);
	free(m->kin);
	free(m->used);
	free(m->pick);
}

/* ---- reading ------------------------------------------------------------ */

/* By its hash, or by the code in its path "components/ply/CODE.md". */
static bool is_owner(const char *owner, const char *hash, const char *label)
{
	if (!owner || !*owner || strcmp(owner, hash) == 0)
		return true;
	const char *code = strrchr(label, '/');
	code = code ? code + 1 : label;
	size_t len = strlen(code), ending = len > 3 && strcmp(code + len - 3, ".md") == 0 ? 3 : 0;
	return strlen(owner) == len - ending && memcmp(owner, code, len - ending) == 0;
}

static int memory_take(struct memories *m, const struct doc_memory *d)
{
	enum memory_type type = memory_type_of(d->type);
	if (type == MEMORY_TYPES)
		return 0;
	if (!ARRAY_ROOM(m->row, m->room, m->count) || !ARRAY_ROOM(m->kin, m->kin_room, m->count))
		return STORE_ENOMEM;
	const struct policy_thing t = { .status = d->status, .expires_us = d->expires_us };
	m->kin[m->count] = (struct kin){ .id = d->id, .link = d->link, .saved_us = d->saved_us };
	struct row *r = &m->row[m->count++];
	*r = (struct row){ .id = d->id, .made_us = d->made_us, .saved_us = d->saved_us,
		.tokens = d->tokens, .type = type, .importance = d->importance,
		.life = policy_life(&t, m->now),
		.mine = is_owner(m->owner, d->owner_hash, d->owner_label),
		.name = strdup(d->name), .summary = strdup(d->summary) };
	return r->name && r->summary ? 0 : STORE_ENOMEM;
}

/* What `q` selects. */
static int take_rows(struct memories *m, sqlite3_stmt *q)
{
	int rc = SQLITE_DONE, err = 0;
	while (!err && q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct doc_memory d;
		doc_memory_of(q, &d);
		err = memory_take(m, &d);
	}
	return err ? err : db_error(rc);
}

static int read_all(struct store *s, struct memories *m)
{
	struct reader *r;
	int err = views_reader(s, &r);
	if (err)
		return err;
	err = take_rows(m, doc_memories(r, m->newest));
	reader_put(s, r);
	return err;
}

/* STORE_ENOENT: it is no memory. */
static int read_one(struct store *s, struct memories *m, int64_t id)
{
	struct reader *r;
	size_t before = m->count;
	int err = views_reader(s, &r);
	if (err)
		return err;
	sqlite3_stmt *q = doc_memory(r);
	sqlite3_bind_int64(q, 1, id);
	err = take_rows(m, q);
	reader_put(s, r);
	return err ? err : m->count > before ? 0 : STORE_ENOENT;
}

static int by_doc(const void *a, const void *b)
{
	const struct access *x = a, *y = b;
	return (x->doc > y->doc) - (x->doc < y->doc);
}

static void set_uses(const struct memories *m, struct row *r)
{
	const struct access key = { .doc = r->id };
	const struct access *a = m->used_count == 0 ? NULL :
		bsearch(&key, m->used, m->used_count, sizeof key, by_doc);
	if (a) {
		r->uses = a->uses;
		r->used_us = access_last(a->last_us, m->now);
	}
}

/* ---- choosing ------------------------------------------------------------ */

static bool can_be_chosen(const struct memories *m, size_t i)
{
	const struct row *r = &m->row[i];
	return m->kin[i].heir == i && r->life == LIFE_LIVE && r->mine;
}

static void follow_all(struct memories *m)
{
	kin_follow(m->kin, m->count);
	for (size_t i = 0; i < m->count; i++) {
		set_uses(m, &m->row[i]);
		if (can_be_chosen(m, i) && m->row[i].uses > m->most)
			m->most = m->row[i].uses;
	}
}

static void choose(struct memories *m, size_t i, double relevance)
{
	struct row *r = &m->row[i];
	r->days = (double)(m->now - (r->used_us ? r->used_us : r->made_us)) / DAY_US;
	const struct memory_state state = { .type = r->type, .importance = r->importance,
		.days = r->days, .relevance = relevance, .uses = r->uses, .most = m->most };
	r->score = memory_score(&m->by, &state);
	m->pick[m->picks++] = i;
}

static int by_score(const void *a, const void *b, void *ctx)
{
	const struct memories *m = ctx;
	const struct row *x = &m->row[*(const size_t *)a], *y = &m->row[*(const size_t *)b];
	if (x->score.total < y->score.total || x->score.total > y->score.total)
		return x->score.total < y->score.total ? 1 : -1;
	return (x->id > y->id) - (x->id < y->id);
}

static void sort(struct memories *m, size_t first)
{
	if (m->picks > 1)
		qsort_r(m->pick, m->picks < first ? m->picks : first, sizeof *m->pick, by_score, m);
}

static int choose_all(struct store *s, struct memories *m)
{
	int err = read_all(s, m);
	m->pick = err ? NULL : calloc(m->count + 1, sizeof *m->pick);
	if (!m->pick)
		return err ? err : STORE_ENOMEM;
	follow_all(m);
	for (size_t i = 0; i < m->count; i++)
		if (can_be_chosen(m, i))
			choose(m, i, 0);
	sort(m, m->picks);
	return 0;
}

/* ---- the best of all --------------------------------------------------------- */

static int take_ranked(struct reader *r, struct memories *m, const struct best *best)
{
	size_t before = m->count;
	sqlite3_stmt *q = doc_memory(r);
	sqlite3_bind_int64(q, 1, best->id);
	int err = take_rows(m, q);
	sqlite3_reset(q);
	if (err || m->count == before)
		return err ? err : STORE_EIO; /* it is of the same moment */
	m->row[before].uses = best->uses;
	m->row[before].used_us = best->used_us;
	choose(m, before, 0);
	return 0;
}

/* As choose_all() and the first `limit` of it, without reading or scoring the others. */
static int choose_best(struct store *s, struct memories *m, size_t limit)
{
	struct best *best = calloc(limit, sizeof *best);
	struct reader *r;
	size_t count = 0;
	m->pick = calloc(limit, sizeof *m->pick);
	int err = best && m->pick ? views_snapshot(s, &r) : STORE_ENOMEM;
	if (err) {
		free(best);
		return err;
	}
	err = ranking_best(s, r, &m->by, m->now, limit, best, &count, &m->most);
	for (size_t i = 0; !err && i < count; i++)
		err = take_ranked(r, m, &best[i]);
	reader_put(s, r);
	free(best);
	return err;
}

/* ---- those for some words -------------------------------------------------- */

static int take_hit(void *ctx, const struct search_hit *h)
{
	struct answers *a = ctx;
	if (!ARRAY_ROOM(a->items, a->room, a->count)) {
		a->err = STORE_ENOMEM;
		return 1;
	}
	a->items[a->count++] = (struct answer){ h->id, h->score };
	return 0;
}

static int by_uses(const void *a, const void *b)
{
	const struct access *x = a, *y = b;
	return x->uses != y->uses ? (x->uses < y->uses) - (x->uses > y->uses) : by_doc(a, b);
}

/* The one used most often that can be chosen; other documents are counted, too. */
static int find_most(struct store *s, struct memories *m)
{
	int err = 0;
	if (m->used_count == 0)
		return 0;
	qsort(m->used, m->used_count, sizeof *m->used, by_uses);
	for (size_t i = 0; !err && i < m->used_count && m->most == 0; i++) {
		struct life_of of = { .kind = HIT_DOCUMENT, .id = m->used[i].doc };
		struct memories one = { .owner = m->owner, .now = m->now };
		err = store_lives(s, &of, 1, m->now);
		if (!err && of.life == LIFE_LIVE)
			err = read_one(s, &one, of.id);
		if (!err && one.count && one.row[0].mine)
			m->most = m->used[i].uses;
		err = err == STORE_ENOENT ? 0 : err;
		release(&one);
	}
	qsort(m->used, m->used_count, sizeof *m->used, by_doc);
	return err;
}

/* Relevance is the share of the best one's score. */
static int choose_found(struct store *s, struct memories *m, const struct answers *a, size_t enough)
{
	double best = 0;
	int err = 0;
	for (size_t i = 0; !err && i < a->count && m->picks < enough; i++) {
		err = read_one(s, m, a->items[i].id);
		if (err || !m->row[m->count - 1].mine) {
			err = err == STORE_ENOENT ? 0 : err;
			continue;
		}
		best = m->picks == 0 ? a->items[i].score : best;
		double relevance = best > 0 ? a->items[i].score / best : 0;
		if (relevance < m->least)
			break;
		set_uses(m, &m->row[m->count - 1]);
		choose(m, m->count - 1, relevance);
	}
	return err;
}

static int choose_for(struct store *s, struct memories *m, const char *query, size_t limit)
{
	/* Also for a smaller limit: the best five are the best of the twenty. */
	size_t enough = limit > MEMORIES_REORDERED ? limit : MEMORIES_REORDERED;
	/* The search knows no owners, so of one's memories none may be behind its limit. */
	const struct search_query q = { .words = query, .in = SEARCH_DOCUMENTS, .type = "memory",
		.now_us = m->now, .status = 1u << LIFE_LIVE, .unread = true,
		.limit = m->owner ? SEARCH_LIMIT_MOST : (int)enough };
	struct answers a = { .items = NULL };
	int err = store_search(s, &q, take_hit, &a);
	m->pick = calloc(a.count + 1, sizeof *m->pick);
	if (!err)
		err = m->pick ? a.err : STORE_ENOMEM;
	if (!err && a.count > 0)
		err = find_most(s, m);
	if (!err)
		err = choose_found(s, m, &a, enough);
	free(a.items);
	sort(m, MEMORIES_REORDERED);
	return err;
}

/* ---- the door ---------------------------------------------------------------- */

static void hand_out(const struct memories *m, size_t limit, memory_fn *fn, void *ctx)
{
	for (size_t i = 0; i < m->picks && i < limit; i++) {
		const struct row *r = &m->row[m->pick[i]];
		const struct memory_hit hit = { .id = r->id, .type = r->type, .name = r->name,
			.summary = r->summary, .score = r->score, .by = &m->by, .days = r->days,
			.life = r->life, .heir = r->heir, .most = m->most, .uses = r->uses,
			.used_us = r->used_us, .made_us = r->made_us, .saved_us = r->saved_us,
			.tokens = r->tokens };
		if (fn(ctx, &hit))
			return;
	}
}

/* `m` says who asks, when, and by which numbers. */
static int search_memories(struct store *s, struct memories *m, const char *query, size_t limit,
                           memory_fn *fn, void *ctx)
{
	bool asked = query && query[strspn(query, " \t\r\n")];
	bool some = m->newest || (m->owner && *m->owner);
	int err = asked || some ? access_load(s, &m->used, &m->used_count) : 0;
	if (!err && asked)
		err = choose_for(s, m, query, limit);
	else if (!err)
		err = some ? choose_all(s, m) : choose_best(s, m, limit);
	if (!err)
		hand_out(m, limit, fn, ctx);
	release(m);
	return err;
}

int store_search_memories(struct store *s, const char *query, const char *owner, int limit,
                          double min_similarity, int64_t now, memory_fn *fn, void *ctx)
{
	struct memories m = { .owner = owner, .now = now, .least = min_similarity };
	if (limit < 0 || limit > SEARCH_LIMIT_MOST || !(min_similarity >= 0 && min_similarity <= 1))
		return STORE_EINVAL;
	int err = store_scoring(s, &m.by);
	return err ? err : search_memories(s, &m, query, (size_t)(limit ? limit : SEARCH_LIMIT), fn,
	                                   ctx);
}

int store_newest_memories(struct store *s, int64_t newest, int limit, int64_t now, memory_fn *fn,
                          void *ctx)
{
	struct memories m = { .now = now, .newest = newest };
	if (newest < 1 || limit < 1 || limit > SEARCH_LIMIT_MOST)
		return STORE_EINVAL;
	int err = store_scoring(s, &m.by);
	return err ? err : search_memories(s, &m, NULL, (size_t)limit, fn, ctx);
}

int store_rank_memories(struct store *s, const struct scoring *by, const char *query, int64_t now,
                        memory_fn *fn, void *ctx)
{
	struct memories m = { .by = *by, .now = now };
	return search_memories(s, &m, query, MEMORIES_REORDERED, fn, ctx);
}

static int score_one(struct store *s, struct memories *m, int64_t id)
{
	struct life_of of = { .kind = HIT_DOCUMENT, .id = id };
	int err = store_scoring(s, &m->by);
	if (!err)
		err = access_load(s, &m->used, &m->used_count);
	if (!err)
		err = read_one(s, m, id);
	if (!err)
		err = store_lives(s, &of, 1, m->now);
	if (!err)
		err = find_most(s, m);
	m->pick = err ? NULL : calloc(1, sizeof *m->pick);
	if (!m->pick)
		return err ? err : STORE_ENOMEM;
	m->row[0].life = of.life;
	m->row[0].heir = of.heir;
	set_uses(m, &m->row[0]);
	choose(m, 0, 0);
	return 0;
}

int store_memory_score(struct store *s, int64_t id, int64_t now, memory_fn *fn, void *ctx)
{
	struct memories m = { .now = now };
	int err = score_one(s, &m, id);
	if (!err)
		hand_out(&m, 1, fn, ctx);
	release(&m);
	return err;
}

int store_memory_heirs(struct store *s, int64_t *ids, size_t n, int64_t now)
{
	struct life_of *of = calloc(n + 1, sizeof *of);
	if (!of)
		return STORE_ENOMEM;
	for (size_t i = 0; i < n; i++)
		of[i] = (struct life_of){ .kind = HIT_DOCUMENT, .id = ids[i] };
	int err = store_lives(s, of, n, now);
	for (size_t i = 0; !err && i < n; i++)
		ids[i] = of[i].life == LIFE_LIVE ? of[i].id : of[i].heir;
	free(of);
	return err;
}

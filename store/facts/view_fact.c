/* SPDX-License-Identifier: MIT */
/*
 * The view of facts: what is believed, since when, and what became of it.
 *
 *          fact.add                    fact.retract
 *   ─────────────────────► live ────────────────────► retracted, for good
 *                          │  ▲ fact.confirm, fact.weigh
 *                          └──┘
 *
 * Invariants
 *   1. Saves of a list are numbered from 1 without gaps.  An entry belongs to the
 *      newest save when it follows it on the tape at once, with the same time, author
 *      and number; any other begins the next save, whatever number it claims.
 *   2. Only kind and place of an entry decide about saves, so that a redacted body
 *      moves no number.
 *   3. An entry that makes no sense changes nothing but those counts.
 */
#include <jansson.h>
#include <string.h>

#include "store/facts/facts.h"

enum {
	VIEW_FACT_LIST = SQL_FIRST(SQL_FACTS), VIEW_PUT_FACT_LIST, VIEW_PUT_FACT_SAVE, VIEW_ADD_FACT,
	VIEW_FACT_LIVE, VIEW_FACT_HEIR, VIEW_FACT_RETRACT, VIEW_FACT_CONFIRM, VIEW_FACT_WEIGH,
	VIEW_FACT_EVENT, VIEW_FACT_TEXT
};

static const char *const view_sql[] = {
	[SQL_N(VIEW_FACT_LIST)] =
		"SELECT l.entries, l.saves, s.seq, s.time_us, s.added, s.retracted, s.confirmed, s.weighed,"
		" s.texts, s.author, s.agent, s.talk FROM v_fact_list l LEFT JOIN v_fact_save s"
		" ON s.domain = l.domain AND s.n = l.saves WHERE l.domain = ?1",
	[SQL_N(VIEW_PUT_FACT_LIST)] = "INSERT OR REPLACE INTO v_fact_list VALUES(?1, ?2, ?3)",
	[SQL_N(VIEW_PUT_FACT_SAVE)] =
		"INSERT OR REPLACE INTO v_fact_save VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,"
		" nullif(?12, ''), nullif(?13, ''))",
	[SQL_N(VIEW_ADD_FACT)] =
		"INSERT INTO v_fact VALUES(?1, ?2, coalesce((SELECT place FROM v_fact WHERE id = ?7"
		" AND domain = ?2), ?1), ?3, ?4, ?4, ?5, ?6, ?7, 0, ?8, ?8, 0, ?9, ?10, ?11,"
		" nullif(?12, ''), nullif(?13, ''))",
	[SQL_N(VIEW_FACT_LIVE)] =
		"SELECT 1 FROM v_fact WHERE id = ?1 AND domain = ?2 AND retracted_seq = 0",
	[SQL_N(VIEW_FACT_HEIR)] =
		"UPDATE v_fact SET superseded_by = ?2 WHERE id = ?1 AND superseded_by = 0"
		" AND EXISTS (SELECT 1 FROM v_fact WHERE id = ?2)",
	[SQL_N(VIEW_FACT_RETRACT)] =
		"UPDATE v_fact SET retracted_seq = ?2, retracted_us = ?3 WHERE id = ?1",
	[SQL_N(VIEW_FACT_CONFIRM)] =
		"UPDATE v_fact SET confirmed_us = max(confirmed_us, ?2), confirmations = confirmations + 1"
		" WHERE id = ?1",
	[SQL_N(VIEW_FACT_WEIGH)] = "UPDATE v_fact SET confidence = ?2 WHERE id = ?1",
	[SQL_N(VIEW_FACT_EVENT)] = "INSERT INTO v_fact_event VALUES(?1, ?2, ?3, ?4, ?5)",
	[SQL_N(VIEW_FACT_TEXT)] = "INSERT INTO v_fact_text VALUES(?1, ?2, ?3)",
};

/* A list and its newest save. */
struct view_list {
	int64_t entries, saves, seq, time_us, added, retracted, confirmed, weighed, texts;
	char author[FIELD_MAX + 1];
	struct talk talk; /* of its first entry: all were written by one program */
};

static int get(struct view *v, int domain, struct view_list *l)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_FACT_LIST);
	memset(l, 0, sizeof *l);
	sqlite3_bind_int64(q, 1, domain);
	int rc = sqlite3_step(q);
	if (rc == SQLITE_ROW) {
		int64_t *const number[] = { &l->entries, &l->saves, &l->seq, &l->time_us, &l->added,
			&l->retracted, &l->confirmed, &l->weighed, &l->texts };
		for (int i = 0; i < 9; i++)
			*number[i] = sqlite3_column_int64(q, i);
		(void)snprintf(l->author, sizeof l->author, "%s", db_text(q, 9));
		db_talk(q, 10, &l->talk);
	}
	sqlite3_reset(q);
	return db_error(rc);
}

static int put_list(struct view *v, int domain, const struct view_list *l)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_PUT_FACT_LIST);
	sqlite3_bind_int64(q, 1, domain);
	sqlite3_bind_int64(q, 2, l->entries);
	sqlite3_bind_int64(q, 3, l->saves);
	return view_run(v, VIEW_PUT_FACT_LIST);
}

static int put_save(struct view *v, int domain, const struct view_list *l, const struct entry *e)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_PUT_FACT_SAVE);
	const int64_t number[] = { domain, l->saves, l->seq, l->time_us, l->added, l->retracted,
		l->confirmed, l->weighed, l->texts };
	for (int i = 0; i < 9; i++)
		sqlite3_bind_int64(q, 1 + i, number[i]);
	sqlite3_bind_text(q, 10, l->author, -1, SQLITE_STATIC);
	sqlite3_bind_blob(q, 11, e->leaf_hash, HASH_SIZE, SQLITE_STATIC);
	sqlite3_bind_text(q, 12, l->talk.agent, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 13, l->talk.session, -1, SQLITE_STATIC);
	return view_run(v, VIEW_PUT_FACT_SAVE);
}

/* Invariant 1: the entry's save is the newest, or a new one. */
static void find_save(struct view_list *l, const struct entry *e, const json_t *body)
{
	bool goes_on = l->saves > 0 && e->seq == l->seq + 1 && e->time_us == l->time_us &&
		strcmp(e->author, l->author) == 0;
	if (goes_on && e->salt && doc_body_number(json_object_get(body, "save")) != l->saves)
		goes_on = false;
	if (!goes_on) {
		int64_t saves = l->saves + 1, entries = l->entries;
		*l = (struct view_list){ .entries = entries, .saves = saves, .time_us = e->time_us };
		(void)snprintf(l->author, sizeof l->author, "%s", e->author);
		(void)log_talk(body, &l->talk);
	}
	l->seq = e->seq;
}

/* -1: neither absent nor one of the words. */
static int confidence_of(const json_t *body, int absent)
{
	static const char *const words[] = { [CONFIDENCE_LOW] = "low", [CONFIDENCE_MEDIUM] = "medium",
		[CONFIDENCE_HIGH] = "high" };
	const json_t *value = json_object_get(body, "confidence");
	const char *word = json_string_value(value);
	for (int i = 0; word && i < 3; i++)
		if (strcmp(word, words[i]) == 0)
			return i;
	return value ? -1 : absent;
}

/* The first that stands for a fact does so; others came too late. */
static int set_heir(struct view *v, int64_t fact, int64_t heir)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_FACT_HEIR);
	if (fact == 0 || heir == 0 || fact == heir)
		return 0;
	sqlite3_bind_int64(q, 1, fact);
	sqlite3_bind_int64(q, 2, heir);
	return view_run(v, VIEW_FACT_HEIR);
}

/* When the message an entry names was said; without one, when the entry was written. */
static int said_at(struct view *v, const struct entry *e, const json_t *body, int64_t *said_us)
{
	int64_t seq = doc_body_number(json_object_get(body, "entry")), said = 0;
	int err = seq > 0 && seq < e->seq ? view_said(v, seq, &said) : 0;
	*said_us = said > 0 && said < e->time_us ? said : e->time_us;
	return err;
}

/* What is redacted was a fact, but nobody knows which: it is there, and never live. */
static int add(struct view *v, const struct entry *e, int domain, const json_t *body,
               struct view_list *l)
{
	const json_t *text = json_object_get(body, "text");
	const char *source = json_string_value(json_object_get(body, "source"));
	int64_t old = doc_body_number(json_object_get(body, "supersedes"));
	int confidence = confidence_of(body, CONFIDENCE_HIGH);
	bool gone = !e->salt;
	int64_t said_us;
	int err = said_at(v, e, body, &said_us);
	if (err)
		return err;
	if (!gone && (json_string_length(text) == 0 || confidence < 0))
		return 0;
	sqlite3_stmt *q = view_stmt(v, VIEW_ADD_FACT);
	sqlite3_bind_int64(q, 1, e->seq);
	sqlite3_bind_int64(q, 2, domain);
	sqlite3_bind_text(q, 3, json_is_string(text) ? json_string_value(text) : "", -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 4, confidence < 0 ? CONFIDENCE_HIGH : confidence);
	sqlite3_bind_int64(q, 5, !source || strcmp(source, "inferred") != 0);
	sqlite3_bind_int64(q, 6, doc_body_number(json_object_get(body, "entry")));
	sqlite3_bind_int64(q, 7, old < e->seq ? old : 0);
	sqlite3_bind_int64(q, 8, said_us);
	sqlite3_bind_int64(q, 9, gone ? e->seq : 0);
	sqlite3_bind_int64(q, 10, gone ? e->time_us : 0);
	sqlite3_bind_text(q, 11, e->author, -1, SQLITE_STATIC);
	struct talk talk;
	(void)log_talk(body, &talk);
	sqlite3_bind_text(q, 12, talk.agent, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 13, talk.session, -1, SQLITE_STATIC);
	err = view_run(v, VIEW_ADD_FACT);
	l->added++;
	err = err ? err : view_day(v, said_us, DAY_FACTS, 1);
	err = err || !gone ? err : view_day(v, e->time_us, DAY_RETRACTED, 1);
	return err ? err : set_heir(v, old, e->seq);
}

/* One of the statements that take a fact's id, and one or two numbers. */
static int update(struct view *v, int which, int64_t fact, int64_t a, int64_t b)
{
	sqlite3_bind_int64(view_stmt(v, which), 1, fact);
	sqlite3_bind_int64(view_stmt(v, which), 2, a);
	if (which == VIEW_FACT_RETRACT)
		sqlite3_bind_int64(view_stmt(v, which), 3, b);
	return view_run(v, which);
}

static int add_event(struct view *v, const struct entry *e, int64_t fact, int confidence,
                     int64_t entry, int64_t time_us)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_FACT_EVENT);
	sqlite3_bind_int64(q, 1, fact);
	sqlite3_bind_int64(q, 2, e->seq);
	sqlite3_bind_int64(q, 3, time_us);
	sqlite3_bind_int64(q, 4, confidence);
	sqlite3_bind_int64(q, 5, entry);
	return view_run(v, VIEW_FACT_EVENT);
}

/* The live fact of this list that the body names; 0: none. */
static int named(struct view *v, int domain, const json_t *body, int64_t *fact)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_FACT_LIVE);
	int64_t id = doc_body_number(json_object_get(body, "fact"));
	*fact = 0;
	sqlite3_bind_int64(q, 1, id);
	sqlite3_bind_int64(q, 2, domain);
	int rc = sqlite3_step(q);
	if (rc == SQLITE_ROW)
		*fact = id;
	sqlite3_reset(q);
	return db_error(rc);
}

static int change(struct view *v, const struct entry *e, int domain, enum fact_verb verb,
                  const json_t *body, struct view_list *l)
{
	int64_t fact, said_us;
	int confidence = confidence_of(body, -1);
	int err = named(v, domain, body, &fact);
	if (err || fact == 0 || (verb == FACT_WEIGH && confidence < 0))
		return err;
	if (verb == FACT_RETRACT) {
		l->retracted++;
		err = update(v, VIEW_FACT_RETRACT, fact, e->seq, e->time_us);
		err = err ? err : view_day(v, e->time_us, DAY_RETRACTED, 1);
		return err ? err : set_heir(v, fact, doc_body_number(json_object_get(body, "by")));
	}
	if (verb == FACT_CONFIRM) {
		l->confirmed++;
		err = said_at(v, e, body, &said_us);
		err = err ? err : update(v, VIEW_FACT_CONFIRM, fact, said_us, 0);
		return err ? err : add_event(v, e, fact, -1,
		                             doc_body_number(json_object_get(body, "entry")), said_us);
	}
	l->weighed++;
	err = update(v, VIEW_FACT_WEIGH, fact, confidence, 0);
	return err ? err : add_event(v, e, fact, confidence, 0, e->time_us);
}

static int see_text(struct view *v, const struct entry *e, int domain, const json_t *body,
                    struct view_list *l)
{
	const char *text = json_string_value(json_object_get(body, "text"));
	if (e->salt && !text)
		return 0;
	sqlite3_stmt *q = view_stmt(v, VIEW_FACT_TEXT);
	sqlite3_bind_int64(q, 1, domain);
	sqlite3_bind_int64(q, 2, e->seq);
	sqlite3_bind_text(q, 3, text ? text : "", -1, SQLITE_STATIC);
	l->texts++;
	return view_run(v, VIEW_FACT_TEXT);
}

static int see_entry(struct view *v, const struct entry *e, int64_t number)
{
	static const char *const kinds[] = { [FACT_ADD] = "fact.add", [FACT_RETRACT] = "fact.retract",
		[FACT_CONFIRM] = "fact.confirm", [FACT_WEIGH] = "fact.weigh", [FACT_TEXT] = "fact.text" };
	struct view_list l;
	int verb = 0, domain = (int)number;
	int err = get(v, domain, &l);
	while (verb <= FACT_TEXT && strcmp(e->kind, kinds[verb]) != 0)
		verb++;
	l.entries = e->stream_seq + 1;
	if (err || verb > FACT_TEXT)
		return err ? err : put_list(v, domain, &l);
	json_t *body = e->body ? json_loadb(e->body, e->body_len, JSON_DECODE_INT_AS_REAL, NULL) : NULL;
	find_save(&l, e, body);
	if (verb == FACT_ADD)
		err = add(v, e, domain, body, &l);
	else if (verb == FACT_TEXT)
		err = see_text(v, e, domain, body, &l);
	else
		err = change(v, e, domain, (enum fact_verb)verb, body, &l);
	json_decref(body);
	if (!err)
		err = put_save(v, domain, &l, e);
	return err ? err : put_list(v, domain, &l);
}

static const struct view_kind kinds[] = {
	{ .letter = 'f', .most = FACT_PROJECTS, .see = see_entry, .at_once = true, .whole = true },
};
const struct view_room fact_views = { .sql = SQL_OF(view_sql), .kinds = kinds, .kind_count = 1 };

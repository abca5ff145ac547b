/* SPDX-License-Identifier: MIT */
/*
 * Catching up: each entry goes to the view of its kind; groups and names are cached between.
 * Long because the texts of all the views' statements stand here.
 */
#include "store/view_internal.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/internal.h"
#include "store/line.h"
#include "store/schema.h"

enum { MARK_EVERY = 64 };

static const char *const view_sql[VIEW_STMTS] = {
	[VIEW_STATE] = "SELECT upto, tape_bytes FROM v_state",
	[VIEW_SET_STATE] = "UPDATE v_state SET upto = ?1, tape_bytes = ?2",
	[VIEW_TAPE] =
		"SELECT " ENTRY_COLUMNS " FROM tape t WHERE t.seq >= ?1 AND t.seq < ?2 ORDER BY t.seq",
	[VIEW_MARK] = "INSERT INTO v_mark VALUES(?1, ?2)",
	[VIEW_LINE] = "INSERT INTO v_line VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
	[VIEW_MESSAGE] = "INSERT INTO v_message VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
	[VIEW_TAG] = "INSERT INTO v_tag VALUES(?1, ?2, ?3, ?4)",
	[VIEW_REF] = "INSERT OR IGNORE INTO v_ref(seq, type, hash, position, thread)"
				 " VALUES(?1, ?2, ?3, ?4, ?5)",
	[VIEW_NAME] = "SELECT id FROM v_name WHERE hash = ?1",
	[VIEW_ADD_NAME] = "INSERT INTO v_name(hash, label) VALUES(?1, ?2)",
	[VIEW_GROUP] =
		"SELECT kind, id, hash, name, made_us, author, messages, tokens, bytes, text_bytes,"
		" first_us, last_us, last_seq FROM v_group WHERE kind = ?1 AND id = ?2",
	[VIEW_GROUP_BY_NAME] = "SELECT id FROM v_group WHERE kind = ?1 AND name = ?2",
	[VIEW_NEXT_GROUP] = "SELECT coalesce(max(id), 0) + 1 FROM v_group WHERE kind = ?1",
	[VIEW_PUT_GROUP] =
		"INSERT OR REPLACE INTO v_group(kind, id, hash, name, made_us, author, messages,"
		" tokens, bytes, text_bytes, first_us, last_us, last_seq)"
		" VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
	[VIEW_LEAF] = "SELECT leaf_hash FROM tape WHERE stream = ?1 AND stream_seq = ?2",
	[VIEW_DOC] = "SELECT id, heir, hash, owner, session, versions, entries, size, made_us,"
				 " saved_us, newest, folder, here, parent, name FROM v_doc WHERE id = ?1",
	[VIEW_PUT_DOC] =
		"INSERT INTO v_doc(id, heir, hash, owner, session, versions, entries, size, made_us,"
		" saved_us, newest, folder, here, parent, name, fields) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7,"
		" ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, iif(json_valid(?16), ?16, '{}'))"
		" ON CONFLICT (id) DO UPDATE SET heir = ?2, hash = ?3, owner = ?4, session = ?5,"
		" versions = ?6, entries = ?7, size = ?8, saved_us = ?10, newest = ?11, here = ?13,"
		" parent = ?14, name = ?15,"
		" fields = CASE WHEN ?16 IS NULL THEN fields WHEN json_valid(?16) THEN ?16 ELSE '{}' END",
	[VIEW_SAVE_DOC] =
		"UPDATE v_doc SET owner = ?2, session = ?3, versions = ?4, entries = ?5, size = ?6,"
		" saved_us = ?7, newest = ?8,"
		" fields = CASE WHEN ?9 IS NULL THEN fields WHEN json_valid(?9) THEN ?9 ELSE '{}' END"
		" WHERE id = ?1",
	[VIEW_DOC_TAKEN] =
		"SELECT 1 FROM v_doc WHERE parent = ?1 AND name = ?2 AND here = 1 AND id <> ?3",
	[VIEW_VERSION] = "INSERT INTO v_version VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
	[VIEW_DOC_MAKER] = "SELECT author FROM v_version WHERE doc = ?1 AND n = 1",
	[VIEW_PLACE] = "INSERT INTO v_place VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
	[VIEW_DIR] = "INSERT INTO v_dir VALUES(?1, ?2) ON CONFLICT (parent) DO UPDATE"
				 " SET changed_us = max(changed_us, excluded.changed_us)",
	[VIEW_FACT_LIST] =
		"SELECT l.entries, l.saves, s.seq, s.time_us, s.added, s.retracted, s.confirmed, s.weighed,"
		" s.texts, s.author FROM v_fact_list l LEFT JOIN v_fact_save s"
		" ON s.domain = l.domain AND s.n = l.saves WHERE l.domain = ?1",
	[VIEW_PUT_FACT_LIST] = "INSERT OR REPLACE INTO v_fact_list VALUES(?1, ?2, ?3)",
	[VIEW_PUT_FACT_SAVE] =
		"INSERT OR REPLACE INTO v_fact_save VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
	[VIEW_ADD_FACT] =
		"INSERT INTO v_fact VALUES(?1, ?2, coalesce((SELECT place FROM v_fact WHERE id = ?7"
		" AND domain = ?2), ?1), ?3, ?4, ?4, ?5, ?6, ?7, 0, ?8, ?8, 0, ?9, ?10, ?11)",
	[VIEW_FACT_LIVE] = "SELECT 1 FROM v_fact WHERE id = ?1 AND domain = ?2 AND retracted_seq = 0",
	[VIEW_FACT_HEIR] = "UPDATE v_fact SET superseded_by = ?2 WHERE id = ?1 AND superseded_by = 0"
					   " AND EXISTS (SELECT 1 FROM v_fact WHERE id = ?2)",
	[VIEW_FACT_RETRACT] = "UPDATE v_fact SET retracted_seq = ?2, retracted_us = ?3 WHERE id = ?1",
	[VIEW_FACT_CONFIRM] = "UPDATE v_fact SET confirmed_us = ?2, confirmations = confirmations + 1"
						  " WHERE id = ?1",
	[VIEW_FACT_WEIGH] = "UPDATE v_fact SET confidence = ?2 WHERE id = ?1",
	[VIEW_FACT_EVENT] = "INSERT INTO v_fact_event VALUES(?1, ?2, ?3, ?4, ?5)",
	[VIEW_FACT_TEXT] = "INSERT INTO v_fact_text VALUES(?1, ?2, ?3)",
#define STILL " until = 9223372036854775807"
	[VIEW_CONTEXT] = "SELECT entries, size, pruned, pinned, summaries, summarized, last_seq,"
					 " last_us FROM v_context WHERE session = ?1",
	[VIEW_PUT_CONTEXT] =
		"INSERT OR REPLACE INTO v_context VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
	[VIEW_CONTEXT_MESSAGE] =
		"SELECT (SELECT coalesce(sum(mark), 0) FROM v_context_mark WHERE session = ?1"
		" AND message = ?2 AND" STILL "),"
		" (SELECT last >= ?2 FROM v_context_summary WHERE session = ?1 AND" STILL
		" AND first <= ?2 ORDER BY first DESC LIMIT 1)",
	[VIEW_CONTEXT_HELD] = "SELECT 1 FROM v_context_mark INDEXED BY v_context_held"
						  " WHERE session = ?1 AND mark = ?2 AND message BETWEEN ?3 AND ?4 AND"
						  STILL " LIMIT 1",
	[VIEW_CONTEXT_MARK] = "INSERT INTO v_context_mark VALUES(?1, ?2, ?3, ?4, 9223372036854775807)",
	[VIEW_CONTEXT_UNMARK] = "UPDATE v_context_mark SET until = ?4 WHERE session = ?1"
							" AND message = ?2 AND mark = ?3 AND" STILL,
	[VIEW_CONTEXT_UNMARK_RANGE] = "UPDATE v_context_mark SET until = ?4 WHERE session = ?1"
								  " AND mark = 1 AND message BETWEEN ?2 AND ?3 AND" STILL,
	[VIEW_CONTEXT_UNMARK_ALL] = "UPDATE v_context_mark SET until = ?2 WHERE session = ?1"
								" AND mark IN (1, 4) AND" STILL,
	[VIEW_CONTEXT_OVER] =
		"SELECT last >= ?2 FROM v_context_summary WHERE session = ?1 AND" STILL
		" AND first <= ?3 ORDER BY first DESC LIMIT 1",
	[VIEW_CONTEXT_SUMMARY] =
		"INSERT INTO v_context_summary VALUES(?1, ?2, ?3, ?4, 9223372036854775807, ?5, ?6, ?7)",
	[VIEW_CONTEXT_DISSOLVE] =
		"UPDATE v_context_summary SET until = ?2 WHERE session = ?1 AND" STILL,
	[VIEW_CONTEXT_WINDOW] =
		"INSERT INTO v_context_window VALUES(?1, ?2, 9223372036854775807, ?3)",
	[VIEW_CONTEXT_UNFIX] = "UPDATE v_context_window SET until = ?2 WHERE session = ?1 AND" STILL,
	[VIEW_CONTEXT_DIGEST] =
		"INSERT OR IGNORE INTO v_context_digest VALUES(?2, ?3, ?4, ?1, ?5, ?6, ?7)",
	/* Redactions with what they name; ?1 0: of all the tape. */
	[VIEW_REDACTIONS] =
		"SELECT t.seq, t.leaf_hash, t.kind, t.stream, t.stream_seq, c.seq, c.body FROM tape c"
		" JOIN tape t ON t.seq = CAST(substr(c.body, 8, 19) AS INTEGER)"
		" WHERE c.stream = 'tape' AND c.kind = 'tape.redact' AND c.seq >= ?1 AND c.seq < ?2"
		" AND t.seq < c.seq AND t.stream <> 'tape' ORDER BY c.stream_seq",
	[VIEW_REDACTED] = "SELECT 1 FROM v_redacted WHERE seq = ?1",
	[VIEW_ADD_REDACTED] = "INSERT OR IGNORE INTO v_redacted VALUES(?1, ?2, ?3)",
	[VIEW_GENESIS] = "SELECT CASE WHEN json_valid(body) THEN json_extract(body, '$.vkey') END"
					 " FROM tape WHERE seq = 0",
};

int view_open(sqlite3 *db, size_t (*text_size)(const struct entry *e), struct view **out)
{
	struct view *v = calloc(1, sizeof *v);
	if (!v)
		return STORE_ENOMEM;
	v->db = db;
	v->text_size = text_size;
	v->upto = -1; /* nothing is cached yet */
	v->redactions_below = INT64_MAX;
	v->names = calloc(NAME_BUCKETS, sizeof *v->names);
	int err = v->names ? hasher_init(&v->hasher) : STORE_ENOMEM;
	for (int i = 0; !err && i < VIEW_STMTS; i++) {
		v->stmt[i] = db_prepare(db, view_sql[i]);
		if (!v->stmt[i])
			err = STORE_EFORMAT;
	}
	if (err) {
		view_close(v);
		return err;
	}
	*out = v;
	return 0;
}

void view_keep_lately(struct view *v, struct doc_lately *lately)
{
	v->lately = lately;
}

static void forget(struct view *v)
{
	if (v->lately)
		lately_forget(v->lately);
	for (int i = 0; i < GROUP_BUCKETS; i++) {
		for (struct view_group *g = v->groups[i], *next; g; g = next) {
			next = g->chain;
			free(g);
		}
		v->groups[i] = NULL;
	}
	v->group_count = 0;
	memset(v->names, 0, NAME_BUCKETS * sizeof *v->names);
	memset(v->codes, 0, sizeof v->codes);
	v->upto = -1;
}

void view_close(struct view *v)
{
	if (!v)
		return;
	for (int i = 0; i < VIEW_STMTS; i++)
		sqlite3_finalize(v->stmt[i]);
	if (v->names)
		forget(v);
	free(v->names);
	hasher_release(&v->hasher);
	free(v);
}

int view_run(struct view *v, enum view_stmt which)
{
	int rc = sqlite3_step(v->stmt[which]);
	sqlite3_reset(v->stmt[which]);
	return db_error(rc);
}

int view_hash_id(struct view *v, const char *hash, const char *label, int64_t *id)
{
	unsigned slot;
	if (sscanf(hash, "%4x", &slot) != 1)
		return STORE_EINVAL;
	struct view_name *cached = &v->names[slot % NAME_BUCKETS];
	if (memcmp(cached->hash, hash, HEX_SIZE) == 0) {
		*id = cached->id;
		return 0;
	}
	sqlite3_stmt *q = v->stmt[VIEW_NAME];
	sqlite3_bind_text(q, 1, hash, -1, SQLITE_STATIC);
	int rc = sqlite3_step(q);
	if (rc == SQLITE_ROW)
		*id = sqlite3_column_int64(q, 0);
	sqlite3_reset(q);
	int err = db_error(rc);
	if (!err && rc == SQLITE_DONE) {
		q = v->stmt[VIEW_ADD_NAME];
		sqlite3_bind_text(q, 1, hash, -1, SQLITE_STATIC);
		sqlite3_bind_text(q, 2, label, -1, SQLITE_STATIC);
		err = view_run(v, VIEW_ADD_NAME);
		*id = sqlite3_last_insert_rowid(v->db);
	}
	if (!err) {
		memcpy(cached->hash, hash, HEX_SIZE);
		cached->id = *id;
	}
	return err;
}

int view_name_id(struct view *v, const char *label, int64_t *id)
{
	uint8_t hash[HASH_SIZE];
	char hex[HEX_SIZE];
	hasher_sha256(&v->hasher, label, strlen(label), hash);
	hex_of(hash, HASH_SIZE, hex);
	return view_hash_id(v, hex, label, id);
}

static struct view_group **bucket(struct view *v, int64_t kind, int64_t id)
{
	return &v->groups[(uint64_t)(id * 2 + kind) % GROUP_BUCKETS];
}

static struct view_group *group_of_row(sqlite3_stmt *q)
{
	struct view_group *g = calloc(1, sizeof *g);
	if (!g)
		return NULL;
	g->kind = sqlite3_column_int64(q, 0);
	g->id = sqlite3_column_int64(q, 1);
	g->hash = sqlite3_column_int64(q, 2);
	(void)snprintf(g->name, sizeof g->name, "%s", (const char *)sqlite3_column_text(q, 3));
	g->made_us = sqlite3_column_int64(q, 4);
	(void)snprintf(g->author, sizeof g->author, "%s", (const char *)sqlite3_column_text(q, 5));
	int64_t *const number[] = { &g->messages, &g->tokens, &g->bytes, &g->text_bytes, &g->first_us,
		&g->last_us, &g->last_seq };
	for (int i = 0; i < 7; i++)
		*number[i] = sqlite3_column_int64(q, 6 + i);
	return g;
}

static void remember(struct view *v, struct view_group *g)
{
	struct view_group **b = bucket(v, g->kind, g->id);
	g->chain = *b;
	*b = g;
	v->group_count++;
}

int view_group_get(struct view *v, int64_t kind, int64_t id, struct view_group **out)
{
	for (struct view_group *g = *bucket(v, kind, id); g; g = g->chain)
		if (g->kind == kind && g->id == id) {
			*out = g;
			return 0;
		}
	sqlite3_stmt *q = v->stmt[VIEW_GROUP];
	sqlite3_bind_int64(q, 1, kind);
	sqlite3_bind_int64(q, 2, id);
	int rc = sqlite3_step(q);
	struct view_group *g = rc == SQLITE_ROW ? group_of_row(q) : NULL;
	sqlite3_reset(q);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? STORE_ENOENT : db_error(rc);
	if (!g)
		return STORE_ENOMEM;
	remember(v, g);
	*out = g;
	return 0;
}

int view_group_named(struct view *v, int64_t kind, const char *name, struct view_group **out)
{
	sqlite3_stmt *q = v->stmt[VIEW_GROUP_BY_NAME];
	sqlite3_bind_int64(q, 1, kind);
	sqlite3_bind_text(q, 2, name, -1, SQLITE_STATIC);
	int rc = sqlite3_step(q);
	int64_t id = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
	sqlite3_reset(q);
	if (rc == SQLITE_DONE)
		return STORE_ENOENT;
	return rc == SQLITE_ROW ? view_group_get(v, kind, id, out) : db_error(rc);
}

static int put_group(struct view *v, const struct view_group *g)
{
	sqlite3_stmt *q = v->stmt[VIEW_PUT_GROUP];
	const int64_t number[] = { g->messages, g->tokens, g->bytes, g->text_bytes, g->first_us,
		g->last_us, g->last_seq };
	sqlite3_bind_int64(q, 1, g->kind);
	sqlite3_bind_int64(q, 2, g->id);
	sqlite3_bind_int64(q, 3, g->hash);
	sqlite3_bind_text(q, 4, g->name, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 5, g->made_us);
	sqlite3_bind_text(q, 6, g->author, -1, SQLITE_STATIC);
	for (int i = 0; i < 7; i++)
		sqlite3_bind_int64(q, 7 + i, number[i]);
	return view_run(v, VIEW_PUT_GROUP);
}

/* Our own sessions have names of their own; rows by other programs may not. */
static int free_name(struct view *v, int64_t kind, const char *name, int64_t id,
                     char out[NAME_LIMIT + 1])
{
	struct view_group *other;
	(void)snprintf(out, NAME_LIMIT + 1, "%s", name);
	int err = view_group_named(v, kind, out, &other);
	for (int i = 0; err == 0 && i < 100; i++) {
		(void)snprintf(out, NAME_LIMIT + 1, "%.200s+s%lld+%d", name, (long long)id, i);
		err = view_group_named(v, kind, out, &other);
	}
	return err == STORE_ENOENT ? 0 : err ? err : STORE_EEXIST;
}

int view_group_add(struct view *v, int64_t kind, int64_t id, const char *name,
                   const struct entry *e, struct view_group **out)
{
	char path[NAME_LIMIT + 16];
	if (id == 0) {
		sqlite3_stmt *q = v->stmt[VIEW_NEXT_GROUP];
		sqlite3_bind_int64(q, 1, kind);
		int rc = sqlite3_step(q);
		id = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
		sqlite3_reset(q);
		if (rc != SQLITE_ROW)
			return db_error(rc);
	}
	struct view_group *g = calloc(1, sizeof *g);
	if (!g)
		return STORE_ENOMEM;
	g->kind = kind;
	g->id = id;
	g->made_us = e->time_us;
	g->last_seq = e->seq;
	(void)snprintf(g->author, sizeof g->author, "%s", e->author);
	int err = free_name(v, kind, name, id, g->name);
	static const char *const word[] = { [KIND_SESSION] = "sessions", [KIND_THREAD] = "threads",
		[KIND_RECORD] = "records" };
	(void)snprintf(path, sizeof path, "%s/%s", word[kind], g->name);
	if (!err)
		err = view_name_id(v, path, &g->hash);
	if (!err)
		err = put_group(v, g); /* at once, so that it is found by name and counted */
	if (err) {
		free(g);
		return err;
	}
	remember(v, g);
	*out = g;
	return 0;
}

/* A `session` entry; a name that is missing or no name gives way to the stream's id. */
static int see_session(struct view *v, const struct entry *e)
{
	char fallback[24];
	struct view_group *g;
	int64_t id = e->stream_seq + 1;
	int err = view_group_get(v, KIND_SESSION, id, &g);
	if (err != STORE_ENOENT)
		return err; /* messages came first: it has a name already */
	json_t *body = e->body ? json_loadb(e->body, e->body_len, 0, NULL) : NULL;
	const char *name = json_string_value(json_object_get(body, "name"));
	store_session_stream(id, fallback);
	if (!name || !*name || strlen(name) > NAME_LIMIT || strchr(name, '/'))
		name = fallback;
	err = view_group_add(v, KIND_SESSION, id, name, e, &g);
	json_decref(body);
	return err;
}

static int see(struct view *v, const struct entry *e)
{
	int err = 0;
	if (v->lately)
		lately_advance(v->lately, e->seq);
	if (e->seq % MARK_EVERY == 0) {
		sqlite3_bind_int64(v->stmt[VIEW_MARK], 1, e->seq / MARK_EVERY);
		sqlite3_bind_int64(v->stmt[VIEW_MARK], 2, v->tape_bytes);
		err = view_run(v, VIEW_MARK);
	}
	v->tape_bytes += (int64_t)tape_line_size(e);
	if (err)
		return err;
	struct log_id log;
	if (store_stream_log(e->stream, &log))
		return log.kind == LOG_SESSION ? view_message(v, e, log.id) : view_record(v, e, log.id);
	if (strcmp(e->stream, "sessions") == 0 && strcmp(e->kind, "session") == 0)
		return see_session(v, e);
	int64_t doc = store_stream_number(e->stream, 'd');
	int64_t list = store_stream_number(e->stream, 'f');
	int64_t window = store_stream_number(e->stream, 'c');
	if (window > 0)
		return view_context_entry(v, e, window);
	if (list >= FACT_WORK && list <= FACT_PROJECTS)
		return view_fact_entry(v, e, (int)list);
	if (doc > 0)
		err = view_doc_entry(v, e, doc);
	else if (strcmp(e->stream, "documents") == 0 && strcmp(e->kind, "document.make") == 0)
		err = view_doc_make(v, e);
	else if (strcmp(e->stream, "tape") == 0 && strcmp(e->kind, "tape.redact") == 0)
		return view_redaction(v, e);
	v->turn++; /* a component may have come or gone */
	return err;
}

/* From nothing; redactions first, because they stand behind what they name. */
static int start(struct view *v)
{
	forget(v);
	v->upto = v->tape_bytes = 0;
	return view_start(v);
}

static int load_state(struct view *v)
{
	sqlite3_stmt *q = v->stmt[VIEW_STATE];
	int rc = sqlite3_step(q);
	int64_t upto = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : -1;
	int64_t bytes = rc == SQLITE_ROW ? sqlite3_column_int64(q, 1) : 0;
	sqlite3_reset(q);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? STORE_EFORMAT : db_error(rc);
	if (upto != v->upto || bytes != v->tape_bytes || v->group_count > MOST_GROUPS)
		forget(v); /* somebody else has moved the views, or the cache is full */
	v->upto = upto;
	v->tape_bytes = bytes;
	return upto == 0 ? start(v) : 0;
}

static int save(struct view *v)
{
	for (int i = 0; i < GROUP_BUCKETS; i++) {
		for (struct view_group *g = v->groups[i]; g; g = g->chain) {
			int err = g->dirty ? put_group(v, g) : 0;
			if (err)
				return err;
			g->dirty = false;
		}
	}
	sqlite3_bind_int64(v->stmt[VIEW_SET_STATE], 1, v->upto);
	sqlite3_bind_int64(v->stmt[VIEW_SET_STATE], 2, v->tape_bytes);
	return view_run(v, VIEW_SET_STATE);
}

/* Entries below `limit`, about `stop` at most.  VIEW_ANEW: see view_redaction(). */
static int see_until(struct view *v, int64_t stop, int64_t limit)
{
	int64_t list = 0, time_us = 0; /* of the entry before, if it is of facts */
	sqlite3_stmt *q = v->stmt[VIEW_TAPE];
	int err = 0, rc;
	sqlite3_bind_int64(q, 1, v->upto);
	sqlite3_bind_int64(q, 2, limit);
	while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct entry e;
		if ((err = entry_of_row(q, &e)))
			break;
		int64_t next = store_stream_number(e.stream, 'f');
		if (e.seq >= stop && (next <= 0 || next != list || e.time_us != time_us))
			break;
		if ((err = see(v, &e)))
			break;
		list = next;
		time_us = e.time_us;
		v->upto = e.seq + 1;
	}
	sqlite3_reset(q);
	return err ? err : db_error(rc);
}

/*
 * Stops within no save of facts: nobody reads half of one.  After a redaction all is made anew
 * at once, in this transaction, so that nobody finds views that are empty.
 */
static int see_some(struct view *v, int64_t most, int64_t limit)
{
	int err = load_state(v);
	if (!err)
		err = see_until(v, v->upto + most, limit);
	if (err == VIEW_ANEW) {
		err = start(v);
		err = err ? err : see_until(v, limit, limit);
	}
	return err == VIEW_ANEW ? STORE_EFORMAT : err ? err : save(v);
}

int view_see(struct view *v, int64_t limit)
{
	int err = see_some(v, limit, limit);
	if (err)
		forget(v);
	return err;
}

void view_forget(struct view *v)
{
	forget(v);
}

int view_catch_up(struct view *v, int64_t most, int64_t limit, int64_t *upto)
{
	bool own = sqlite3_get_autocommit(v->db); /* view_compare() has one around it all */
	int err = own ? db_begin(v->db) : 0;
	if (err)
		return err;
	err = see_some(v, most, limit);
	if (!err)
		err = own ? db_commit(v->db) : 0;
	else if (own)
		db_rollback(v->db);
	if (err)
		forget(v);
	else
		*upto = v->upto;
	return err;
}

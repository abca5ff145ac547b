/* SPDX-License-Identifier: MIT */
/* Catching up: each entry goes to the view of its kind; names are cached between. */
#include <stdlib.h>
#include <string.h>

#include "store/views/view_own.h"

static const char *const view_sql[] = {
	[SQL_N(VIEW_STATE)] = "SELECT upto, tape_bytes FROM v_state",
	[SQL_N(VIEW_SET_STATE)] = "UPDATE v_state SET upto = ?1, tape_bytes = ?2",
	[SQL_N(VIEW_TAPE)] =
		"SELECT " ENTRY_COLUMNS " FROM tape t WHERE t.seq >= ?1 AND t.seq < ?2 ORDER BY t.seq",
	[SQL_N(VIEW_MARK)] = "INSERT INTO v_mark VALUES(?1, ?2)",
	[SQL_N(VIEW_NAME)] = "SELECT id FROM v_name WHERE hash = ?1",
	[SQL_N(VIEW_ADD_NAME)] = "INSERT INTO v_name(hash, label) VALUES(?1, ?2)",
	/* Redactions with what they name; ?1 0: of all the tape. */
	[SQL_N(VIEW_REDACTIONS)] =
		"SELECT t.seq, t.leaf_hash, t.kind, t.stream, t.stream_seq, c.seq, c.body FROM tape c"
		" JOIN tape t ON t.seq = CAST(substr(c.body, 8, 19) AS INTEGER)"
		" WHERE c.stream = '" REDACTION_STREAM "' AND c.kind = '" REDACTION_KIND "'"
		" AND c.seq >= ?1 AND c.seq < ?2"
		" AND t.seq < c.seq AND t.stream <> '" REDACTION_STREAM "' ORDER BY c.stream_seq",
	[SQL_N(VIEW_REDACTED)] = "SELECT 1 FROM v_redacted WHERE seq = ?1",
	[SQL_N(VIEW_ADD_REDACTED)] = "INSERT OR IGNORE INTO v_redacted VALUES(?1, ?2, ?3)",
	[SQL_N(VIEW_GENESIS)] =
		("SELECT CASE WHEN json_valid(body) THEN json_extract(body, '$.vkey') END"
		 " FROM tape WHERE seq = 0"),
	[SQL_N(VIEW_HASH)] =
		"INSERT INTO v_hash VALUES(?1, ?2,"
		" (SELECT seq FROM tape WHERE stream = ?3 AND stream_seq = ?4 - 1))",
	[SQL_N(VIEW_DAY)] =
		"INSERT INTO v_day VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT(day) DO UPDATE SET"
		" entries = entries + excluded.entries, bytes = bytes + excluded.bytes,"
		" messages = messages + excluded.messages, tokens = tokens + excluded.tokens,"
		" versions = versions + excluded.versions, facts = facts + excluded.facts,"
		" retracted = retracted + excluded.retracted",
};

static const struct view_kind own_kinds[] = {
	{ .stream = REDACTION_STREAM, .kind = REDACTION_KIND, .see = view_redaction },
};

const struct view_room view_own = { .sql = SQL_OF(view_sql), .kinds = own_kinds,
	.kind_count = sizeof own_kinds / sizeof *own_kinds, .forget = view_days_forget,
	.save = view_days_save };

static int prepare(struct view *v, int room, const struct sql *sql)
{
	v->stmt[room] = calloc((size_t)sql->count, sizeof(sqlite3_stmt *));
	for (int i = 0; v->stmt[room] && i < sql->count; i++)
		if (!(v->stmt[room][i] = db_prepare(v->db, sql->text[i])))
			return STORE_EFORMAT;
	return v->stmt[room] ? 0 : STORE_ENOMEM;
}

int view_open(sqlite3 *db, const struct view_table *table,
              size_t (*text_size)(const struct entry *e), struct view **out)
{
	struct view *v = calloc(1, sizeof *v);
	if (!v)
		return STORE_ENOMEM;
	v->db = db;
	v->table = table;
	v->text_size = text_size;
	v->upto = -1; /* nothing is cached yet */
	v->redactions_below = INT64_MAX;
	v->names = calloc(NAME_BUCKETS, sizeof *v->names);
	int err = v->names ? hasher_init(&v->hasher) : STORE_ENOMEM;
	err = err ? err : row_check_open(&v->check, db, NULL);
	for (int i = 0; !err && i < SQL_ROOMS; i++)
		err = prepare(v, i, &table->room[i]->sql);
	for (int i = 0; !err && i < SQL_ROOMS; i++)
		err = table->room[i]->open ? table->room[i]->open(v) : 0;
	if (err) {
		view_close(v);
		return err;
	}
	*out = v;
	return 0;
}

void view_forget(struct view *v)
{
	for (int i = 0; i < SQL_ROOMS; i++)
		if (v->table->room[i]->forget)
			v->table->room[i]->forget(v);
	memset(v->names, 0, NAME_BUCKETS * sizeof *v->names);
	v->upto = -1;
}

void view_close(struct view *v)
{
	if (!v)
		return;
	if (v->names)
		view_forget(v);
	for (int i = 0; i < SQL_ROOMS; i++) {
		const struct view_room *room = v->table->room[i];
		for (int n = 0; v->stmt[i] && n < room->sql.count; n++)
			sqlite3_finalize(v->stmt[i][n]);
		free(v->stmt[i]);
		if (room->close)
			room->close(v);
	}
	free(v->names);
	hasher_release(&v->hasher);
	row_check_release(&v->check);
	free(v);
}

int view_run(struct view *v, int which)
{
	sqlite3_stmt *q = view_stmt(v, which);
	int rc = sqlite3_step(q);
	sqlite3_reset(q);
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
	sqlite3_stmt *q = view_stmt(v, VIEW_NAME);
	sqlite3_bind_text(q, 1, hash, -1, SQLITE_STATIC);
	int rc = sqlite3_step(q);
	if (rc == SQLITE_ROW)
		*id = sqlite3_column_int64(q, 0);
	sqlite3_reset(q);
	int err = db_error(rc);
	if (!err && rc == SQLITE_DONE) {
		q = view_stmt(v, VIEW_ADD_NAME);
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

static bool is_kind(const struct view_kind *k, const char *stream, const char *kind,
                    int64_t *number)
{
	if (!k->letter)
		return strcmp(stream, k->stream) == 0 && (!kind || !k->kind || strcmp(kind, k->kind) == 0);
	*number = store_stream_number(stream, k->letter);
	return *number > 0 && (k->most == 0 || *number <= k->most);
}

const struct view_kind *view_kind_of(const struct view_table *table, const char *stream,
                                     const char *kind, int64_t *number)
{
	for (int i = 0; i < SQL_ROOMS; i++)
		for (int n = 0; n < table->room[i]->kind_count; n++)
			if (is_kind(&table->room[i]->kinds[n], stream, kind, number))
				return &table->room[i]->kinds[n];
	return NULL;
}

/* `q` is at the row of `e`: the tape's own lines show a row as it is, though it fails its check. */
static int64_t tape_line(sqlite3_stmt *q, const struct entry *e)
{
	struct entry raw;
	bool shown = !e->damaged || entry_of_row(q, &raw) != 0;
	return (int64_t)tape_line_size(shown ? e : &raw);
}

static int add_hash(struct view *v, const struct entry *e)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_HASH);
	char hex[HEX_SIZE];
	hex_of(e->leaf_hash, HASH_SIZE, hex);
	sqlite3_bind_int64(q, 1, e->seq);
	sqlite3_bind_text(q, 2, hex, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 3, e->stream, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 4, e->stream_seq);
	return view_run(v, VIEW_HASH);
}

static int see(struct view *v, sqlite3_stmt *q, const struct entry *e, const struct view_kind *k,
               int64_t number)
{
	int err = 0;
	for (int i = 0; i < SQL_ROOMS; i++)
		if (v->table->room[i]->each)
			v->table->room[i]->each(v, e);
	if (e->seq % MARK_EVERY == 0) {
		sqlite3_bind_int64(view_stmt(v, VIEW_MARK), 1, e->seq / MARK_EVERY);
		sqlite3_bind_int64(view_stmt(v, VIEW_MARK), 2, v->tape_bytes);
		err = view_run(v, VIEW_MARK);
	}
	int64_t line = tape_line(q, e);
	v->tape_bytes += line;
	err = err ? err : add_hash(v, e);
	err = err ? err : view_day(v, e->time_us, DAY_ENTRIES, 1);
	err = err ? err : view_day(v, e->time_us, DAY_BYTES, line);
	return err || !k ? err : k->see(v, e, number);
}

/* From nothing; redactions first, because they stand behind what they name. */
static int start(struct view *v)
{
	view_forget(v);
	v->upto = v->tape_bytes = 0;
	return view_start(v);
}

static int load_state(struct view *v)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_STATE);
	int rc = sqlite3_step(q);
	int64_t upto = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : -1;
	int64_t bytes = rc == SQLITE_ROW ? sqlite3_column_int64(q, 1) : 0;
	sqlite3_reset(q);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? STORE_EFORMAT : db_error(rc);
	if (upto != v->upto || bytes != v->tape_bytes)
		view_forget(v); /* somebody else has moved the views */
	v->upto = upto;
	v->tape_bytes = bytes;
	return upto == 0 ? start(v) : 0;
}

static int save(struct view *v)
{
	int err = 0;
	for (int i = 0; !err && i < SQL_ROOMS; i++)
		err = v->table->room[i]->save ? v->table->room[i]->save(v) : 0;
	sqlite3_bind_int64(view_stmt(v, VIEW_SET_STATE), 1, v->upto);
	sqlite3_bind_int64(view_stmt(v, VIEW_SET_STATE), 2, v->tape_bytes);
	return err ? err : view_run(v, VIEW_SET_STATE);
}

/* What an entry leaves for the next: both may have to be seen in one batch. */
struct before {
	const struct view_kind *kind;
	int64_t number, time_us;
};

static bool goes_on(const struct before *b, const struct view_kind *k, int64_t number,
                    int64_t time_us)
{
	return k && k->whole && k == b->kind && number == b->number && time_us == b->time_us;
}

/* Entries below `limit`, about `stop` at most.  VIEW_ANEW: see view_redaction(). */
static int see_until(struct view *v, int64_t stop, int64_t limit)
{
	struct before before = { .kind = NULL };
	int err = 0, rc;
	sqlite3_stmt *q = view_stmt(v, VIEW_TAPE);
	sqlite3_bind_int64(q, 1, v->upto);
	sqlite3_bind_int64(q, 2, limit);
	while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct entry e;
		int64_t number = 0;
		if ((err = row_entry(&v->check, q, &e)))
			break;
		const struct view_kind *k = view_kind_of(v->table, e.stream, e.kind, &number);
		if (e.seq >= stop && !goes_on(&before, k, number, e.time_us))
			break;
		if ((err = see(v, q, &e, k, number)))
			break;
		before = (struct before){ k, number, e.time_us };
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
		view_forget(v);
	return err;
}

/* What it was made by, malloc'ed by SQLite; NULL: there is no such index. */
static char *take_index(sqlite3 *db, const char *name)
{
	char *sql = NULL, *drop = sqlite3_mprintf("DROP INDEX %w", name);
	sqlite3_stmt *q = db_prepare(db, "SELECT sql FROM sqlite_schema WHERE type = 'index'"
		" AND name = ?1");
	sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
	if (q && sqlite3_step(q) == SQLITE_ROW)
		sql = sqlite3_mprintf("%s", db_text(q, 0));
	sqlite3_finalize(q);
	if (sql && (!drop || db_exec(db, drop))) {
		sqlite3_free(sql);
		sql = NULL;
	}
	sqlite3_free(drop);
	return sql;
}

static int fill(struct view *v, int64_t limit)
{
	int err = db_begin(v->db);
	if (err)
		return err;
	char *index = take_index(v->db, "v_hash_hash");
	err = index ? see_some(v, limit, limit) : STORE_EIO;
	err = err ? err : db_exec(v->db, index);
	sqlite3_free(index);
	if (!err)
		return db_commit(v->db);
	db_rollback(v->db);
	return err;
}

int view_fill(struct view *v, int64_t limit, int64_t *upto)
{
	/* Hashes of any number are sorted in a file. */
	int err = db_exec(v->db, "PRAGMA temp_store=FILE");
	err = err ? err : fill(v, limit);
	(void)db_exec(v->db, "PRAGMA temp_store=MEMORY");
	if (err)
		view_forget(v);
	else
		*upto = v->upto;
	return err;
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
		view_forget(v);
	else
		*upto = v->upto;
	return err;
}

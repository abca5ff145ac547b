/* SPDX-License-Identifier: MIT */
/* Rows of the SQL views to the tables of a server (mirror.h). */
#include "store/mirror/mirror.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/array.h"
#include "store/tape/tape.h"
#include "store/views/views.h"

#define ASK_US INT64_C(10000000)     /* between questions whether this machine is to fill them */
#define READER_US INT64_C(300000000) /* the same, of one that may not, … */
#define GIVE_UP_US INT64_C(40000000) /* … or has failed: longer than the lease (tape.take_lease) */
#define FILL_US INT64_C(1000000)     /* between fillings, and … */
#define TURN_US INT64_C(1000000)     /* … how long one may take */
#define USES_US INT64_C(60000000)    /* between sendings of uses, which bring no entry */
#define SLOW_US INT64_C(500000)      /* what takes longer is not sent at once again; … */
#define QUICK_US INT64_C(100000)     /* … behind what takes less goes more */

enum {
	ENTRIES = 300,       /* whose messages go at once, and … */
	BYTES = 1 << 20,     /* … how long they are at most, but for one that is longer; … */
	BYTES_LEAST = 1 << 15, /* … at least, where the way to the server is slow, and … */
	ROW_BYTES = 1 << 10, /* … so much of each is hashes */
	GIVE_UP = 2,         /* fillings that fail in a row: perhaps another can */
	TELL_AWAY = 3        /* the same, by a line that ends: it is told */
};

/*
 * By what added them: their message, or later an entry of their own.  Ids follow those, so the rows
 * stand between those of the messages before ?1 and from ?2 on that came with references.
 */
static const char refs_sql[] =
	"SELECT r.*, coalesce(v.by, v.seq) AS entry FROM log_message_refs r"
	" JOIN v_ref v ON v.id = r.id"
	" WHERE coalesce(v.by, v.seq) >= ?1 AND coalesce(v.by, v.seq) < ?2"
	" AND v.id > coalesce((SELECT id FROM v_ref WHERE seq < ?1 AND by IS NULL"
		" ORDER BY seq DESC LIMIT 1), 0)"
	" AND v.id < coalesce((SELECT id FROM v_ref WHERE seq >= ?2 AND by IS NULL"
		" ORDER BY seq LIMIT 1), 9223372036854775807)";

/* By the numbers of entries, from ?1 to below ?2. */
static const char *const steps[][2] = {
	{ "log_messages", "SELECT * FROM log_messages WHERE id >= ?1 AND id < ?2" },
	{ "log_message_refs", refs_sql },
};

static json_t *value_of(sqlite3_stmt *q, int column)
{
	switch (sqlite3_column_type(q, column)) {
	case SQLITE_INTEGER:
		return json_integer(sqlite3_column_int64(q, column));
	case SQLITE_FLOAT:
		return json_real(sqlite3_column_double(q, column));
	case SQLITE_TEXT:
		return json_string(db_text(q, column)); /* NULL, as a member: what is no text */
	default:
		return json_null();
	}
}

/* Its columns from that one on. */
static json_t *row_at(sqlite3_stmt *q, int column)
{
	json_t *row = json_object();
	for (int i = column; i < sqlite3_column_count(q); i++)
		json_object_set_new(row, sqlite3_column_name(q, i), value_of(q, i));
	return row;
}

/* How a reading of a view ended.  STORE_EFORMAT: a function of it fails at a row; no other way. */
static int read_end(int rc)
{
	int err = db_error(rc);
	return rc == SQLITE_ERROR ? STORE_EFORMAT : err == STORE_EFORMAT ? STORE_EIO : err;
}

/* Rows go on with the one that the statement is at. */
static int add_row(json_t *rows, sqlite3_stmt *q, int column)
{
	json_t *row = row_at(q, column);
	return row && json_array_append_new(rows, row) == 0 ? 0 : STORE_ENOMEM;
}

/* The rows as a JSON array, malloc'ed; *count of them.  Errors: read_end(). */
static int rows_of(sqlite3 *db, const char *sql, int64_t from, int64_t to, char **rows,
                   size_t *count)
{
	json_t *all = json_array();
	sqlite3_stmt *q = db_prepare(db, sql);
	int rc = SQLITE_IOERR, err = 0;
	sqlite3_bind_int64(q, 1, from);
	sqlite3_bind_int64(q, 2, to);
	while (q && !err && (rc = sqlite3_step(q)) == SQLITE_ROW)
		err = add_row(all, q, 0);
	sqlite3_finalize(q);
	err = err ? err : read_end(rc);
	*count = json_array_size(all);
	*rows = err ? NULL : json_dumps(all, JSON_COMPACT);
	json_decref(all);
	return err || *rows ? err : STORE_ENOMEM;
}

static int64_t bytes_most(const struct mirror *m)
{
	return m->bytes ? m->bytes : BYTES;
}

/* What takes long is not sent at once again: who writes waits for the machine's line meanwhile. */
static int fill_timed(struct store *s, struct mirror *m, const char *what, const char *rows)
{
	int64_t start = clock_since_boot(), most = bytes_most(m);
	int err = far_fill(s, what, m->seen, m->known, rows);
	int64_t took = clock_since_boot() - start;
	if (took > SLOW_US && most > BYTES_LEAST)
		m->bytes = most / 2;
	else if (!err && took < QUICK_US && most < BYTES)
		m->bytes = most * 2;
	return err;
}

static int send(struct store *s, sqlite3 *db, struct mirror *m, const char *const step[2],
                int64_t to)
{
	size_t count;
	char *rows = NULL;
	int err = rows_of(db, step[1], m->upto, to, &rows, &count);
	if (!err && count > 0)
		err = fill_timed(s, m, step[0], rows);
	free(rows);
	return err;
}

/* A row that fits into no table, or that its view cannot make. */
static bool is_odd(int err)
{
	return err == STORE_EFORMAT || err == STORE_EINVAL;
}

/* Behind the last entry from `from` on that goes with it. */
static int64_t batch_end(sqlite3 *db, int64_t from, int64_t to, int64_t most)
{
	sqlite3_stmt *q = db_prepare(db, "SELECT seq, body_len FROM tape WHERE seq >= ?1 AND seq < ?2"
	                             " ORDER BY seq");
	int64_t bytes = 0, end = to;
	sqlite3_bind_int64(q, 1, from);
	sqlite3_bind_int64(q, 2, to);
	while (q && end == to && sqlite3_step(q) == SQLITE_ROW) {
		bytes += sqlite3_column_int64(q, 1) + ROW_BYTES;
		if (bytes > most && sqlite3_column_int64(q, 0) > from)
			end = sqlite3_column_int64(q, 0);
	}
	sqlite3_finalize(q);
	return end;
}

static void tell_left_out(struct store *s, int64_t seq)
{
	char text[96];
	(void)snprintf(text, sizeof text, "entry %lld has no place in the tables on the server",
	               (long long)seq);
	tape_tell(s, "EINVAL", "fill", "/", text, "look what it is: nothing else is left out");
}

/*
 * Messages and what they refer to, until the tick is over; *m says how far.  A writer's own SQL can
 * bring a message that is no JSON, or none that fits: then one by one, and without it.
 */
static int send_messages(struct store *s, sqlite3 *db, struct mirror *m)
{
	int64_t until = clock_since_boot() + TURN_US, some = ENTRIES;
	int err = 0;
	while (!err && m->upto < m->seen && clock_since_boot() < until) {
		int64_t to = batch_end(db, m->upto, m->upto + some < m->seen ? m->upto + some : m->seen,
		                       bytes_most(m));
		for (size_t i = 0; !err && i < sizeof steps / sizeof *steps; i++)
			err = send(s, db, m, steps[i], to);
		bool odd = is_odd(err);
		if (odd && to - m->upto > 1) {
			some = 1;
			err = 0;
			continue;
		}
		if (odd)
			tell_left_out(s, m->upto);
		if (odd || !err)
			m->upto = to;
		err = odd ? 0 : err;
	}
	return err;
}

/* ---- tables of which anything may change -------------------------------------------- */

/*
 * They are sent in parts, and a part again only where it is another than it was: each takes the
 * line from who writes.  A row is of the part that ends at its first column; `entry` has its text.
 */
#define OF_DOC "(SELECT d.newest FROM v_doc d WHERE d.id = t.id) AS entry"
static const char *const tables[MIRROR_TABLES][2] = {
	{ "cto_blocks", "SELECT id | 7, " OF_DOC ", * FROM cto_blocks t ORDER BY id" },
	{ "cto_memory", "SELECT id | 7, " OF_DOC ", * FROM cto_memory t ORDER BY id" },
	{ "cto_algorithms", "SELECT id | 7, " OF_DOC ", * FROM cto_algorithms t ORDER BY id" },
	{ "facts", "SELECT id | 63, id AS entry, * FROM facts ORDER BY id" },
	{ "components", "SELECT substr(id, 1, 2) || 'g', (SELECT d.newest FROM v_doc d"
		" WHERE d.here = 1 AND d.parent = 'components/' || t.table_name"
		" AND d.name = t.code || '.md') AS entry, * FROM components t ORDER BY id" },
};

struct sending {
	struct store *s;
	struct mirror *m;
	const char *table;
	struct hasher *hasher;
	const struct mirror_parts *before;
	struct mirror_parts now;
	json_t *above, *upto;    /* the part that is read: ids behind … and to …; null: no bound */
	json_t *rows;            /* of it; NULL: none has begun */
	json_t *parts;           /* that go next: "above", "upto", "rows" */
	size_t bytes;            /* of those */
};

static int by_hash(const void *a, const void *b)
{
	return memcmp(a, b, HASH_SIZE);
}

static int parts_add(struct mirror_parts *p, const uint8_t hash[HASH_SIZE])
{
	if (!ARRAY_ROOM(p->hashes, p->room, p->count))
		return STORE_ENOMEM;
	memcpy(p->hashes[p->count++], hash, HASH_SIZE);
	return 0;
}

static bool is_sent(const struct mirror_parts *p, const uint8_t hash[HASH_SIZE])
{
	return p->count > 0 && bsearch(hash, p->hashes, p->count, HASH_SIZE, by_hash);
}

static void parts_forget(struct mirror_parts *p)
{
	free(p->hashes);
	*p = (struct mirror_parts){ .told = p->told };
}

static int fill_parts(const struct sending *x, const json_t *parts)
{
	char *text = json_dumps(parts, JSON_COMPACT);
	int err = text ? fill_timed(x->s, x->m, x->table, text) : STORE_ENOMEM;
	free(text);
	return err;
}

static void tell_row(struct store *s, const char *name)
{
	char text[96];
	(void)snprintf(text, sizeof text, "a row of %s has no place in the table on the server", name);
	tape_tell(s, "EINVAL", "fill", "/", text,
	          "look for a number or a time that PostgreSQL has not, or for a table of yours that"
	          " refers to it: all others are there");
}

/* A part of one row, or of none: ids behind … and to …, whose owners are others. */
static int fill_one(const struct sending *x, json_t *above, json_t *upto, json_t *row)
{
	json_t *part = json_pack(row ? "[{s:O, s:O, s:[O]}]" : "[{s:O, s:O, s:[]}]", "above", above,
	                         "upto", upto, "rows", row);
	int err = part ? fill_parts(x, part) : STORE_ENOMEM;
	json_decref(part);
	return err;
}

/* Each row alone, up to the next; without the one that does not fit. */
static int send_alone(const struct sending *x, const json_t *part)
{
	json_t *above = json_object_get(part, "above"), *end = json_object_get(part, "upto");
	json_t *rows = json_object_get(part, "rows");
	size_t count = json_array_size(rows);
	int err = count == 0 ? fill_one(x, above, end, NULL) : 0;
	if (is_odd(err)) {
		tell_row(x->s, x->table);
		err = 0;
	}
	for (size_t i = 0; !err && i < count; i++) {
		json_t *row = json_array_get(rows, i);
		json_t *upto = i + 1 < count ? json_object_get(row, "id") : end;
		err = fill_one(x, above, upto, row);
		if (is_odd(err)) {
			tell_row(x->s, x->table);
			err = fill_one(x, above, upto, NULL);
			err = is_odd(err) ? 0 : err; /* nor can what is there go */
		}
		above = upto;
	}
	return err;
}

/* All that wait; where they do not fit, each part alone. */
static int send_parts(struct sending *x)
{
	size_t count = json_array_size(x->parts);
	int err = count > 0 ? fill_parts(x, x->parts) : 0;
	bool odd = is_odd(err);
	for (size_t i = 0; odd && (i == 0 || !err) && i < count; i++) {
		json_t *part = json_array_get(x->parts, i), *one = json_pack("[O]", part);
		err = one ? fill_parts(x, one) : STORE_ENOMEM;
		json_decref(one);
		err = is_odd(err) ? send_alone(x, part) : err;
	}
	json_array_clear(x->parts);
	x->bytes = 0;
	return err;
}

/* The part that was read goes with others, if it is another than it was. */
static int end_part(struct sending *x)
{
	uint8_t hash[HASH_SIZE];
	json_t *part = json_pack("{s:O, s:O, s:O}", "above", x->above, "upto", x->upto,
	                         "rows", x->rows);
	char *text = part ? json_dumps(part, JSON_COMPACT) : NULL;
	int err = text ? 0 : STORE_ENOMEM;
	if (text) {
		hasher_sha256(x->hasher, text, strlen(text), hash);
		err = parts_add(&x->now, hash);
	}
	if (!err && !is_sent(x->before, hash)) {
		err = json_array_append(x->parts, part) ? STORE_ENOMEM : 0;
		x->bytes += strlen(text);
	}
	free(text);
	json_decref(part);
	return err || x->bytes <= (size_t)bytes_most(x->m) ? err : send_parts(x);
}

/* The part that was read ends, another begins; `upto` is its own. */
static int next_part(struct sending *x, json_t *upto)
{
	int err = x->rows ? end_part(x) : 0;
	json_decref(x->above);
	json_decref(x->rows);
	x->above = x->upto;
	x->upto = upto;
	x->rows = json_array();
	return err;
}

static int read_parts(struct sending *x, sqlite3_stmt *q)
{
	int err = 0, rc = SQLITE_IOERR;
	while (q && !err && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		json_t *upto = value_of(q, 0);
		if (!x->rows || !json_equal(x->upto, upto))
			err = next_part(x, upto);
		else
			json_decref(upto);
		err = err ? err : add_row(x->rows, q, 1);
	}
	err = err ? err : read_end(rc);
	err = err ? err : next_part(x, json_null()); /* behind the last row there is none */
	err = err ? err : next_part(x, json_null());
	return err ? err : send_parts(x);
}

static int send_table(struct sending *x, sqlite3 *db, const char *sql)
{
	x->above = json_null();
	x->upto = json_null();
	x->parts = json_array();
	sqlite3_stmt *q = db_prepare(db, sql);
	int err = read_parts(x, q);
	sqlite3_finalize(q);
	json_decref(x->above);
	json_decref(x->upto);
	json_decref(x->rows);
	json_decref(x->parts);
	return err;
}

/* True if they are as they were sent: only messages came since, which say nothing of them. */
static bool tables_stand(sqlite3 *db, const struct mirror *m)
{
	if (m->sent_seen == 0 || clock_since_boot() >= m->sent_us + USES_US)
		return false;
	sqlite3_stmt *q = db_prepare(db, "SELECT 1 FROM tape WHERE seq >= ?1 AND seq < ?2"
	                             " AND kind <> 'message' LIMIT 1");
	sqlite3_bind_int64(q, 1, m->sent_seen);
	sqlite3_bind_int64(q, 2, m->seen);
	bool stand = q && sqlite3_step(q) == SQLITE_DONE;
	sqlite3_finalize(q);
	return stand;
}

/* Those of which the server has not all, as far as is known.  One that no view can make, once. */
static int send_tables(struct store *s, sqlite3 *db, struct mirror *m)
{
	struct hasher h;
	if (tables_stand(db, m))
		return 0;
	int err = hasher_init(&h);
	for (size_t i = 0; !err && i < MIRROR_TABLES; i++) {
		struct mirror_parts *sent = &m->sent[i];
		struct sending x = { s, m, tables[i][0], &h, sent, .now = { .told = sent->told } };
		err = send_table(&x, db, tables[i][1]);
		if (err == STORE_EFORMAT && !sent->told)
			tell_row(s, tables[i][0]);
		x.now.told = err == STORE_EFORMAT;
		err = x.now.told ? 0 : err;
		if (!err && !x.now.told && x.now.count > 0)
			qsort(x.now.hashes, x.now.count, HASH_SIZE, by_hash);
		else
			parts_forget(&x.now);
		parts_forget(sent);
		*sent = x.now;
	}
	hasher_release(&h);
	m->sent_seen = err ? 0 : m->seen;
	m->sent_us = clock_since_boot();
	return err;
}

/* These SQL views use JSON functions, which hardened connections do not run in views. */
static int fill(struct store *s, struct mirror *m)
{
	sqlite3 *db = NULL;
	char number[24];
	int err = db_error(db_connect(s->path, SQLITE_OPEN_READONLY, &db));
	err = err ? err : send_tables(s, db, m); /* they need not wait for all messages of years */
	err = err ? err : send_messages(s, db, m);
	sqlite3_close(db);
	(void)snprintf(number, sizeof number, "%lld", (long long)m->upto);
	return err ? err : far_fill(s, "upto", m->seen, m->known, number);
}

static void mirror_tell(struct store *s, struct mirror *m, int err)
{
	if (err == STORE_EMOVED || (err == STORE_EAWAY && m->failed < TELL_AWAY))
		return; /* nobody's fault */
	if (err == STORE_EAWAY && !m->told)
		tape_tell(s, "EIO", "fill", "/",
		          "the line to the server ends again and again while its tables are filled",
		          "look what ends it, and how fast it is: the memory goes on");
	else if (err == STORE_EBUSY && !m->told)
		tape_tell(s, "EBUSY", "fill", "/", "somebody has locked a table on the server that is to be"
		          " filled: tried again each second", "end that transaction: see pg_locks");
	else if (err && !m->told)
		tape_tell(s, "EIO", "fill", "/", "the tables on the server cannot be filled",
		          "see the server's log; the memory itself is not touched by that");
	m->told = err != 0;
}

void mirror_forget(struct mirror *m)
{
	for (size_t i = 0; i < MIRROR_TABLES; i++)
		parts_forget(&m->sent[i]);
	m->sent_seen = 0;
}

void mirror_tick(struct store *s, struct mirror *m)
{
	int64_t now = clock_since_boot(), at[2], seen = views_at(s);
	if (!far_has(s) || now < m->next_us || far_away_since(s) || (m->ours && m->upto >= seen &&
	    now < m->next_us + ASK_US))
		return;
	m->next_us = now + ASK_US;
	bool was = m->ours;
	int err = far_tables(s, VIEWS_VERSION, seen, at);
	m->ours = !err && at[0] >= 0;
	if (err == STORE_EROFS) /* a role that only reads, now */
		m->next_us = now + READER_US;
	else if (err && err != STORE_EBUSY) /* as a redaction is: not for long */
		mirror_tell(s, m, err);
	if (!m->ours) {
		m->told = err && m->told;
		return;
	}
	/* Another machine filled them, a redaction emptied them, or somebody changed them by hand. */
	if (!was || at[0] != m->upto || at[1] != m->known)
		mirror_forget(m);
	m->upto = at[0];
	m->known = at[1];
	m->seen = seen;
	err = m->upto < seen ? fill(s, m) : 0;
	if (err)
		m->upto = at[0]; /* the next tick is about the same */
	if (err && err != STORE_EBUSY)
		mirror_forget(m); /* who has answered last may have lost it */
	bool soon = !err || err == STORE_EBUSY || err == STORE_EMOVED;
	m->failed = soon ? 0 : m->failed + 1;
	mirror_tell(s, m, err);
	m->next_us = clock_since_boot() + (soon ? FILL_US : m->failed % GIVE_UP ? ASK_US : GIVE_UP_US);
}

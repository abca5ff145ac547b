/* SPDX-License-Identifier: MIT */
/* Rows of the SQL views to the tables of a server (mirror.h). */
#include "store/mirror/mirror.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/tape/tape.h"
#include "store/views/views.h"

#define ASK_US INT64_C(10000000)  /* between questions whether this machine is to fill them */
#define FILL_US INT64_C(1000000)  /* between fillings, and … */
#define TURN_US INT64_C(1000000)  /* … how long one may take */

enum {
	ENTRIES = 300,                /* whose messages go at once, and … */
	BYTES = 4 << 20               /* … how long their bodies are, but for one that is longer */
};

/*
 * By what added them: their message, or later an entry of their own.  Ids follow those, so the rows
 * stand between those of the messages before ?1 and from ?2 on that came with references.
 */
static const char refs_sql[] =
	"SELECT r.* FROM log_message_refs r JOIN v_ref v ON v.id = r.id"
	" WHERE coalesce(v.by, v.seq) >= ?1 AND coalesce(v.by, v.seq) < ?2"
	" AND v.id > coalesce((SELECT id FROM v_ref WHERE seq < ?1 AND by IS NULL"
		" ORDER BY seq DESC LIMIT 1), 0)"
	" AND v.id < coalesce((SELECT id FROM v_ref WHERE seq >= ?2 AND by IS NULL"
		" ORDER BY seq LIMIT 1), 9223372036854775807)";

/*
 * By the numbers of entries, from ?1 to below ?2; and whole, where anything of them may change: not
 * again while it has not, for each takes the line from who writes.
 */
static const char *const steps[][2] = {
	{ "log_messages", "SELECT * FROM log_messages WHERE id >= ?1 AND id < ?2" },
	{ "log_message_refs", refs_sql },
};
static const char *const wholes[MIRROR_WHOLES][2] = {
	{ "cto_blocks", "SELECT * FROM cto_blocks" },
	{ "cto_memory", "SELECT * FROM cto_memory" },
	{ "cto_algorithms", "SELECT * FROM cto_algorithms" },
	{ "facts", "SELECT * FROM facts" },
	{ "components", "SELECT * FROM components" },
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

/*
 * The rows as a JSON array, malloc'ed; *count of them.  STORE_EFORMAT: a function of the view fails
 * at one of them.
 */
static int rows_of(sqlite3 *db, const char *sql, int64_t from, int64_t to, char **rows,
                   size_t *count)
{
	json_t *all = json_array();
	sqlite3_stmt *q = db_prepare(db, sql);
	int rc = q ? SQLITE_DONE : SQLITE_IOERR;
	if (q && sqlite3_bind_parameter_count(q) == 2) {
		sqlite3_bind_int64(q, 1, from);
		sqlite3_bind_int64(q, 2, to);
	}
	while (q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		json_t *row = json_object();
		for (int i = 0; i < sqlite3_column_count(q); i++)
			json_object_set_new(row, sqlite3_column_name(q, i), value_of(q, i));
		json_array_append_new(all, row);
	}
	sqlite3_finalize(q);
	*count = json_array_size(all);
	*rows = rc == SQLITE_DONE ? json_dumps(all, JSON_COMPACT) : NULL;
	json_decref(all);
	return rc == SQLITE_ERROR ? STORE_EFORMAT : rc != SQLITE_DONE ? db_error(rc) :
	       *rows ? 0 : STORE_ENOMEM;
}

static int send(struct store *s, sqlite3 *db, const struct mirror *m, const char *const step[2],
                int64_t to)
{
	size_t count;
	char *rows = NULL;
	int err = rows_of(db, step[1], m->upto, to, &rows, &count);
	if (!err && count > 0)
		err = far_fill(s, step[0], m->seen, m->known, rows);
	free(rows);
	return err;
}

/* A row that fits into no table, or that its view cannot make. */
static bool is_odd(int err)
{
	return err == STORE_EFORMAT || err == STORE_EINVAL;
}

/* Behind the last entry from `from` on that goes with it. */
static int64_t batch_end(sqlite3 *db, int64_t from, int64_t to)
{
	sqlite3_stmt *q = db_prepare(db, "SELECT seq, body_len FROM tape WHERE seq >= ?1 AND seq < ?2"
	                             " ORDER BY seq");
	int64_t bytes = 0, end = to;
	sqlite3_bind_int64(q, 1, from);
	sqlite3_bind_int64(q, 2, to);
	while (q && end == to && sqlite3_step(q) == SQLITE_ROW) {
		bytes += sqlite3_column_int64(q, 1);
		if (bytes > BYTES && sqlite3_column_int64(q, 0) > from)
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
		int64_t to = batch_end(db, m->upto, m->upto + some < m->seen ? m->upto + some : m->seen);
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

/* One that does not fit, once: the others follow all the same. */
static void tell_table(struct store *s, const char *name)
{
	char text[96];
	(void)snprintf(text, sizeof text, "a row of %s has no place in the table on the server", name);
	tape_tell(s, "EINVAL", "fill", "/", text,
	          "see the server's log: that table stays as it was until the row is another");
}

static int send_whole(struct store *s, sqlite3 *db, struct mirror *m, size_t i, struct hasher *h)
{
	uint8_t hash[HASH_SIZE];
	size_t count;
	char *rows = NULL;
	int err = rows_of(db, wholes[i][1], 0, 0, &rows, &count);
	if (err && err != STORE_EFORMAT)
		return err;
	hasher_sha256(h, rows ? rows : "", rows ? strlen(rows) : 0, hash);
	if (memcmp(hash, m->sent[i], HASH_SIZE) == 0) {
		free(rows);
		return 0;
	}
	err = err ? err : far_fill(s, wholes[i][0], m->seen, m->known, rows);
	free(rows);
	if (is_odd(err)) {
		tell_table(s, wholes[i][0]);
		err = 0;
	}
	if (!err)
		memcpy(m->sent[i], hash, HASH_SIZE);
	return err;
}

static int send_wholes(struct store *s, sqlite3 *db, struct mirror *m)
{
	struct hasher h;
	int err = hasher_init(&h);
	for (size_t i = 0; !err && i < MIRROR_WHOLES; i++)
		err = send_whole(s, db, m, i, &h);
	hasher_release(&h);
	return err;
}

/* These SQL views use JSON functions, which hardened connections do not run in views. */
static int fill(struct store *s, struct mirror *m)
{
	sqlite3 *db = NULL;
	char number[24];
	int err = db_error(db_connect(s->path, SQLITE_OPEN_READONLY, &db));
	err = err ? err : send_messages(s, db, m);
	err = err || m->upto < m->seen ? err : send_wholes(s, db, m);
	sqlite3_close(db);
	(void)snprintf(number, sizeof number, "%lld", (long long)m->upto);
	return err ? err : far_fill(s, "upto", m->seen, m->known, number);
}

static void mirror_tell(struct store *s, struct mirror *m, int err)
{
	if (err == STORE_EAWAY || err == STORE_EMOVED)
		return; /* nobody's fault */
	if (err == STORE_EBUSY && !m->told)
		tape_tell(s, "EBUSY", "fill", "/", "somebody has locked a table on the server that is to be"
		          " filled: tried again each second", "end that transaction: see pg_locks");
	else if (err && !m->told)
		tape_tell(s, "EIO", "fill", "/", "the tables on the server cannot be filled",
		          "see the server's log; the memory itself is not touched by that");
	m->told = err != 0;
}

void mirror_tick(struct store *s, struct mirror *m)
{
	int64_t now = clock_since_boot(), at[2], seen = views_at(s);
	if (!far_has(s) || now < m->next_us || far_away_since(s) || (m->ours && m->upto >= seen &&
	    now < m->next_us + ASK_US))
		return;
	m->next_us = now + ASK_US;
	bool was = m->ours;
	int err = far_tables(s, VIEWS_VERSION, at);
	m->ours = !err && at[0] >= 0;
	if (!m->ours)
		return;
	/* Another machine filled them, a redaction emptied them, or somebody changed them by hand. */
	if (!was || at[0] != m->upto || at[1] != m->known)
		memset(m->sent, 0, sizeof m->sent);
	m->upto = at[0];
	m->known = at[1];
	m->seen = seen;
	if (m->upto < seen) {
		err = fill(s, m);
		if (err)
			m->upto = at[0]; /* the next tick is about the same */
		if (err && err != STORE_EBUSY)
			memset(m->sent, 0, sizeof m->sent); /* who has answered last may have lost it */
		mirror_tell(s, m, err);
	}
	bool soon = !err || err == STORE_EBUSY || err == STORE_EMOVED;
	m->next_us = clock_since_boot() + (soon ? FILL_US : ASK_US);
}

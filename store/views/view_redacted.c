/* SPDX-License-Identifier: MIT */
/*
 * The view of redactions: which bodies their owner has signed away, and what stands in
 * their place.  All other views read rows through it (SHOWN_BODY in db.h).
 *
 * Invariant: v_redacted has every entry that a redaction below `upto` proves, and after
 * view_start() every one that any redaction on the tape proves: the views of an entry are
 * made from what stands in its place, though the redaction comes later.
 */
#include <stdlib.h>
#include <string.h>

#include "store/views/view_own.h"

static const char all_tables[] =
	"SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'v\\_%' ESCAPE '\\'"
	" AND name NOT IN (?1, 'v_made', 'v_state')";

/* Tables stay: a schema that changes would have every reader prepare its statements again. */
static int empty_all(struct view *v)
{
	char *script = sqlite3_mprintf("%s", "UPDATE v_state SET upto = 0, tape_bytes = 0;");
	sqlite3_stmt *list = db_prepare(v->db, all_tables);
	sqlite3_bind_text(list, 1, v->table->beside, -1, SQLITE_STATIC);
	while (list && script && sqlite3_step(list) == SQLITE_ROW) {
		char *more = sqlite3_mprintf("%sDELETE FROM \"%w\";", script, sqlite3_column_text(list, 0));
		sqlite3_free(script);
		script = more;
	}
	sqlite3_finalize(list);
	int err = list && script ? db_exec(v->db, script) : STORE_EIO;
	sqlite3_free(script);
	return err;
}

static int read_key(struct view *v)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_GENESIS);
	if (v->key.name[0])
		return 0;
	int rc = sqlite3_step(q);
	const char *vkey = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : NULL;
	if (!vkey || !note_key_parse(&v->key, vkey))
		v->key.name[0] = '\0';
	sqlite3_reset(q);
	return db_error(rc);
}

/* A row of VIEW_REDACTIONS.  *added: it proves something that no redaction before it does. */
static int redaction_take(struct view *v, sqlite3_stmt *q, bool *added)
{
	int64_t seq = sqlite3_column_int64(q, 0);
	const void *leaf = sqlite3_column_blob(q, 1);
	const char *kind = (const char *)sqlite3_column_text(q, 2);
	const char *stream = (const char *)sqlite3_column_text(q, 3);
	const char *body = (const char *)sqlite3_column_text(q, 6);
	size_t len = (size_t)sqlite3_column_bytes(q, 6);
	sqlite3_bind_int64(view_stmt(v, VIEW_REDACTED), 1, seq);
	int rc = sqlite3_step(view_stmt(v, VIEW_REDACTED));
	sqlite3_reset(view_stmt(v, VIEW_REDACTED));
	*added = false;
	if (rc != SQLITE_DONE || !leaf || sqlite3_column_bytes(q, 1) != HASH_SIZE || !kind || !stream ||
	    redaction_names(body, len) != seq ||
	    !redaction_proves(&v->key, v->key.name, body, len, seq, leaf))
		return db_error(rc);
	char *shown = stand_in_body(kind, stream, sqlite3_column_int64(q, 4), body, len);
	if (!shown)
		return STORE_ENOMEM;
	sqlite3_stmt *add = view_stmt(v, VIEW_ADD_REDACTED);
	sqlite3_bind_int64(add, 1, seq);
	sqlite3_bind_int64(add, 2, sqlite3_column_int64(q, 5));
	sqlite3_bind_text(add, 3, shown, -1, SQLITE_STATIC);
	rc = sqlite3_step(add);
	sqlite3_reset(add);
	int err = db_error(rc);
	free(shown);
	*added = !err;
	return err;
}

static int take_all(struct view *v, int64_t from, int64_t limit, bool *added)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_REDACTIONS);
	int err = read_key(v), rc = SQLITE_DONE;
	*added = false;
	sqlite3_bind_int64(q, 1, from);
	sqlite3_bind_int64(q, 2, limit);
	while (!err && v->key.name[0] && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		bool one;
		err = redaction_take(v, q, &one);
		*added = *added || one;
	}
	sqlite3_reset(q);
	return err ? err : db_error(rc);
}

void view_know_redactions(struct view *v, int64_t below)
{
	v->redactions_below = below;
}

int view_start(struct view *v)
{
	bool added;
	int err = empty_all(v);
	return err ? err : take_all(v, 0, v->redactions_below, &added);
}

int view_redaction(struct view *v, const struct entry *e, int64_t number)
{
	bool added;
	(void)number;
	int err = take_all(v, e->seq, e->seq + 1, &added);
	return err ? err : added ? VIEW_ANEW : 0;
}

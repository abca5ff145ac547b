/* SPDX-License-Identifier: MIT */
/*
 * A row of the table below a program: tables by which it is known, and a statement that makes a
 * line of JSON of each thing that was said, in the order in which it was.  What such a line means
 * is render/import's to know.  Text of others is JSON only if it is.
 */
#include "store/foreign/foreign.h"

#include "store/db/db.h"
#include "store/store.h"

#define JSON_OF(column) "CASE WHEN json_valid(" column ") THEN json(" column ") END"

static const struct foreign {
	const char *knows; /* gives 1 if it is this program's */
	const char *lines;
} foreign[] = {
	/* OpenCode: a line a message with its parts; sessions of subagents have a parent. */
	{ "SELECT count(*) = 3 FROM sqlite_schema WHERE type = 'table'"
	  " AND name IN ('session', 'message', 'part')",
	  "SELECT json_object('opencode', s.id, 'title', s.title, 'directory', s.directory,"
	  " 'began', s.time_created, 'revert', " JSON_OF("s.revert") ", 'id', m.id,"
	  " 'at', m.time_created, 'data', " JSON_OF("m.data") ", 'parts', (SELECT json_group_array("
	  " json_object('id', p.id, 'data', " JSON_OF("p.data") ")) FROM (SELECT id, data FROM part"
	  " WHERE message_id = m.id ORDER BY id) p))"
	  " FROM session s JOIN message m ON m.session_id = s.id WHERE s.parent_id IS NULL"
	  " ORDER BY s.time_created, s.id, m.time_created, m.id" },
	/* OpenAI's Agents SDK: messages as the API has them. */
	{ "SELECT count(*) = 2 FROM sqlite_schema WHERE type = 'table'"
	  " AND name IN ('agent_sessions', 'agent_messages')",
	  "SELECT json_set(message_data, '$.session_id', session_id, '$.id', 'row-' || id,"
	  " '$.timestamp', replace(created_at, ' ', 'T') || 'Z') FROM agent_messages"
	  " WHERE json_valid(message_data) AND json_type(message_data) = 'object'"
	  " ORDER BY session_id, id" },
	/* AgentFS: what an agent did with its tools; times are seconds. */
	{ "SELECT count(*) = 2 FROM sqlite_schema WHERE type = 'table'"
	  " AND name IN ('tool_calls', 'kv_store')",
	  "SELECT json_object('agentfs', id, 'name', name, 'parameters', parameters,"
	  " 'result', result, 'error', error, 'at', started_at, 'ended', completed_at)"
	  " FROM tool_calls ORDER BY id" },
};
enum { PROGRAMS = sizeof foreign / sizeof *foreign };

static bool knows(sqlite3 *db, const struct foreign *f)
{
	return db_int(db, f->knows, 0) == 1;
}

static int foreign_tell(sqlite3 *db, const struct foreign *f, store_foreign_fn *fn, void *ctx)
{
	int rc = SQLITE_DONE, err = 0;
	sqlite3_stmt *q = db_prepare(db, f->lines);
	if (!q)
		return STORE_EFORMAT;
	while (!err && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		const char *line = (const char *)sqlite3_column_text(q, 0);
		size_t len = (size_t)sqlite3_column_bytes(q, 0);
		if (line && !(err = fn(ctx, line, len)))
			err = fn(ctx, "\n", 1);
	}
	sqlite3_finalize(q);
	return err ? err : db_error(rc);
}

int store_foreign(const char *path, store_foreign_fn *fn, void *ctx, struct why *why)
{
	sqlite3 *db = NULL;
	int err = db_error(db_connect(path, SQLITE_OPEN_READONLY, &db));
	err = err ? err : db_harden(db);
	int found = 0;
	while (!err && found < PROGRAMS && !knows(db, &foreign[found]))
		found++;
	if (!err && found == PROGRAMS) {
		why_set(why, "cinta(1) lists them", "it is a database of no program that is known here");
		err = STORE_EFORMAT;
	}
	if (!err && fn)
		err = foreign_tell(db, &foreign[found], fn, ctx);
	if (err == STORE_EFORMAT && db && !*why->text)
		why_set(why, "tell us the program's version", "its tables are others: %s",
		        sqlite3_errmsg(db));
	sqlite3_close(db);
	return err;
}

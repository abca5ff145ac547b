/* SPDX-License-Identifier: MIT */
/* Agents' own conversations, and the sessions that hold them (store.h). */
#include <string.h>

#include "store/logs/log_read.h"

int store_talk_session(struct store *s, const struct talk *t, int64_t *session)
{
	struct reader *r;
	int err = views_reader(s, &r);
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, *t->agent ? READ_TALK : READ_TALK_NAME);
	sqlite3_bind_text(q, 1, t->session, -1, SQLITE_STATIC);
	if (*t->agent)
		sqlite3_bind_text(q, 2, t->agent, -1, SQLITE_STATIC);
	err = db_number(q, session);
	reader_put(s, r);
	return err;
}

int store_talks(struct store *s, int64_t session, talk_fn *fn, void *ctx)
{
	struct reader *r;
	int err = views_reader(s, &r), rc = SQLITE_DONE;
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_TALKS);
	sqlite3_bind_int64(q, 1, session);
	while (q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct talk t;
		db_talk(q, 0, &t);
		fn(ctx, &t);
	}
	reader_put(s, r);
	return db_error(rc);
}

int store_taken(struct store *s, const struct talk *t, int64_t session, taken_fn *fn, void *ctx)
{
	struct reader *r;
	int err = views_reader(s, &r), rc = SQLITE_DONE;
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_TAKEN);
	sqlite3_bind_text(q, 1, t->session, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 2, t->agent, -1, SQLITE_STATIC);
	char stream[24];
	store_session_stream(session, stream);
	sqlite3_bind_text(q, 3, stream, -1, SQLITE_STATIC);
	while (q && (rc = sqlite3_step(q)) == SQLITE_ROW)
		fn(ctx, db_text(q, 0), sqlite3_column_int64(q, 1) + 1);
	reader_put(s, r);
	return db_error(rc);
}

int store_message_known(struct store *s, const struct message_key *k, bool *known)
{
	struct reader *r;
	int64_t seq;
	int err = views_reader(s, &r);
	*known = false;
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_TAKEN_ONE);
	sqlite3_bind_text(q, 1, k->talk->session, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 2, k->talk->agent, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 3, k->id, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 4, k->part);
	err = db_number(q, &seq);
	reader_put(s, r);
	*known = err == 0;
	return err == STORE_ENOENT ? 0 : err;
}

/* SPDX-License-Identifier: MIT */
/*
 * The end of the file's tape, and putting entries there, whoever made them: this process (tape.c),
 * or a server whose tape it follows (take.c).  All here runs under the commit lock.
 */
#include <string.h>

#include "store/tape/tape_state.h"

/* Rows of one stream from one entry on: to size the part the views have not seen. */
static const char tail_sql[] = "SELECT " ENTRY_COLUMNS " FROM tape t"
	" WHERE t.stream = ?1 AND t.stream_seq >= ?2 ORDER BY t.stream_seq";

int put_run(sqlite3_stmt *q)
{
	int rc = sqlite3_step(q);
	sqlite3_reset(q);
	return db_error(rc);
}

void put_wal_back(struct store *s, int limit)
{
	struct tape *t = s->tape;
	lock_assert(&t->commit_lock);
	if (t->wal_pages < limit || durable_mend(s))
		return;
	t->wal_pages = 0;
	int rc = sqlite3_wal_checkpoint_v2(t->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	if ((rc & 0xff) == SQLITE_IOERR)
		durable_failed(s);
}

static int count_rows(struct store *s)
{
	struct tape *t = s->tape;
	int rc = sqlite3_step(t->end_of_tape);
	if (rc == SQLITE_ROW)
		t->next_seq = sqlite3_column_int64(t->end_of_tape, 0);
	sqlite3_reset(t->end_of_tape);
	return db_error(rc);
}

int tape_refresh(struct store *s)
{
	struct tape *t = s->tape;
	lock_assert(&s->tape->commit_lock);
	int64_t before = t->next_seq;
	int err = count_rows(s);
	if (err || t->next_seq == before)
		return err;
	heads_forget(&t->heads);
	if (!atomic_load(&t->mine))
		atomic_store(&t->current, 0);
	atomic_store(&t->foreign_end, t->next_seq);
	atomic_store(&t->entries, t->next_seq);
	if (atomic_load(&t->foreign) < 0)
		atomic_store(&t->foreign, before);
	atomic_fetch_add(&t->others, t->next_seq - before);
	atomic_store(&t->others_last, t->next_seq - 1);
	return 1;
}

/* Bytes of a stream's log: what the views know plus the rows they have not seen; 0: no log. */
static int log_bytes(struct store *s, const char *stream, int64_t *bytes)
{
	struct log_id log;
	*bytes = 0;
	if (!store_stream_log(stream, &log))
		return 0;
	int64_t seen = 0;
	int err = s->hooks->log_seen(s->tape->db, log, &seen, bytes);
	sqlite3_stmt *tail = err ? NULL : db_prepare(s->tape->db, tail_sql);
	if (!tail)
		return err ? err : STORE_EIO;
	sqlite3_bind_text(tail, 1, stream, -1, SQLITE_STATIC);
	sqlite3_bind_int64(tail, 2, seen);
	int rc;
	while ((rc = sqlite3_step(tail)) == SQLITE_ROW) {
		struct entry e;
		if ((err = row_entry(&s->tape->check, tail, &e)))
			goto out;
		*bytes += (int64_t)line_size(&e);
	}
	err = db_error(rc);
out:
	sqlite3_finalize(tail);
	return err;
}

int put_head(struct store *s, const char *stream, struct head **out)
{
	struct tape *t = s->tape;
	struct head *head = heads_find(&t->heads, stream);
	*out = head;
	if (head)
		return 0;
	int64_t bytes = 0, count = 0, last_us = 0;
	uint8_t last[HASH_SIZE] = { 0 };
	sqlite3_bind_text(t->head_of, 1, stream, -1, SQLITE_STATIC);
	int rc = sqlite3_step(t->head_of);
	if (rc == SQLITE_ROW) {
		count = sqlite3_column_int64(t->head_of, 0);
		const void *hash = sqlite3_column_blob(t->head_of, 1);
		if (hash && sqlite3_column_bytes(t->head_of, 1) == HASH_SIZE)
			memcpy(last, hash, HASH_SIZE);
		last_us = sqlite3_column_int64(t->head_of, 2);
	}
	sqlite3_reset(t->head_of);
	int err = db_error(rc);
	if (!err && count > 0)
		err = log_bytes(s, stream, &bytes);
	if (err)
		return err;
	head = heads_add(&t->heads, stream);
	if (!head)
		return STORE_ENOMEM;
	memcpy(head->last, last, HASH_SIZE);
	head->next_count = count;
	head->next_bytes = bytes;
	head->next_us = last_us;
	heads_touch(&t->heads, head);
	*out = head;
	return 0;
}

int put_entry(struct store *s, struct head *head, const struct entry *e)
{
	struct tape *t = s->tape;
	struct log_id log;
	entry_to_row(t->insert, e);
	int err = put_run(t->insert);
	if (err)
		return err;
	t->next_seq++;
	heads_touch(&t->heads, head);
	head->next_count++;
	head->next_us = e->time_us;
	if (store_stream_log(e->stream, &log))
		head->next_bytes += (int64_t)line_size(e);
	memcpy(head->last, e->leaf_hash, HASH_SIZE);
	return 0;
}

/* The authorizer rests. */
int put_bodies_away(struct store *s, const int64_t *seqs, size_t count)
{
	sqlite3 *db = s->tape->db;
	db_guard(db, false);
	int err = gone_take(db, seqs, count);
	db_guard(db, true);
	return err;
}

int put_proved_away(struct store *s, size_t *count)
{
	sqlite3 *db = s->tape->db;
	struct note_key key;
	*count = 0;
	if (!note_key_parse(&key, s->tape->vkey))
		return 0;
	db_guard(db, false);
	int err = gone_take_again(db, &key, count);
	db_guard(db, true);
	return err;
}

int put_finish(struct store *s, bool views, int64_t first, int err)
{
	struct tape *t = s->tape;
	if (!err && views)
		err = s->hooks->see(s, t->next_seq);
	if (!err)
		err = put_run(t->commit);
	if (err) {
		db_rollback(t->db);
		s->hooks->undo(s);
		heads_forget(&t->heads);
		t->next_seq = first;
	} else if (views) {
		s->hooks->seen(s, t->next_seq);
	}
	return err;
}

/* SPDX-License-Identifier: MIT */
/*
 * Appending rows.  All here runs under the commit lock, in the one thread that
 * commits for everybody (writer.c).
 *
 * A transaction:  BEGIN IMMEDIATE — for each request: check `expect`, make
 * header and hashes, INSERT — COMMIT — publish the heads.  Whatever fails rolls
 * back all of it and forgets the heads.
 *
 * The end of the tape and the heads are taken from memory.  When another process
 * has appended meanwhile they are wrong, the first INSERT is refused by the
 * tape_append trigger, and the transaction starts again with fresh ones: a lone
 * writer never pays for looking.
 *
 * Invariants
 *   1. Who holds the commit lock alone uses the connection, the heads and next_seq.
 *   2. Outside of a transaction next_seq is where the tape of this process ends, and equals
 *      `entries`; a rolled-back one puts it back, forgets the heads and has the views undone.
 *   3. `entries` never goes back, and counts rows that are committed.
 *   4. last_us never goes back: entries are dated in the order of the tape.
 */
#include <openssl/rand.h>
#include <string.h>

#include "store/tape/tape_state.h"

enum { BODY_LIMIT = 64 << 20 };

/* Rows of one stream from one entry on: to size the part the views have not seen. */
static const char tail_sql[] = "SELECT " ENTRY_COLUMNS " FROM tape t"
	" WHERE t.stream = ?1 AND t.stream_seq >= ?2 ORDER BY t.stream_seq";

sqlite3 *tape_lock(struct store *s)
{
	struct tape *t = s->tape;
	lock_take(&t->commit_lock);
	return t->db;
}

sqlite3 *tape_try_lock(struct store *s)
{
	struct tape *t = s->tape;
	return lock_try(&t->commit_lock) ? t->db : NULL;
}

void tape_unlock(struct store *s)
{
	lock_give(&s->tape->commit_lock);
}

int64_t tape_next(const struct store *s)
{
	lock_assert(&s->tape->commit_lock);
	return s->tape->next_seq;
}

int64_t tape_entries(const struct store *s)
{
	return atomic_load(&s->tape->entries);
}

int64_t store_entries(const struct store *s)
{
	return tape_entries(s);
}

bool tape_log_stat(struct store *s, const char *stream, int64_t *bytes, int64_t *last_us)
{
	return heads_stat(&s->tape->heads, stream, bytes, last_us);
}

int64_t tape_current(const struct store *s)
{
	return atomic_load(&s->tape->current);
}

bool tape_current_is_mine(const struct store *s)
{
	return atomic_load(&s->tape->mine);
}

void tape_set_current(struct store *s, int64_t session)
{
	atomic_store(&s->tape->current, session);
}

static int run(sqlite3_stmt *q)
{
	int rc = sqlite3_step(q);
	sqlite3_reset(q);
	return db_error(rc);
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

static int load_head(struct store *s, const char *stream, struct head **out)
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

static int check(const struct draft *d)
{
	if (!field_ok(d->stream, strlen(d->stream), FIELD_MAX) ||
	    !field_ok(d->kind, strlen(d->kind), KIND_MAX) ||
	    !field_ok(d->author, strlen(d->author), FIELD_MAX) || d->body_len > BODY_LIMIT)
		return STORE_EINVAL;
	return 0;
}

static int insert_row(struct store *s, const struct entry *e)
{
	sqlite3_stmt *i = s->tape->insert;
	sqlite3_bind_int64(i, 1, e->seq);
	sqlite3_bind_text(i, 2, e->stream, -1, SQLITE_STATIC);
	sqlite3_bind_int64(i, 3, e->stream_seq);
	sqlite3_bind_blob(i, 4, e->prev, HASH_SIZE, SQLITE_STATIC);
	sqlite3_bind_int64(i, 5, e->time_us);
	sqlite3_bind_text(i, 6, e->kind, -1, SQLITE_STATIC);
	sqlite3_bind_text(i, 7, e->author, -1, SQLITE_STATIC);
	sqlite3_bind_int64(i, 8, (int64_t)e->body_len);
	sqlite3_bind_blob(i, 9, e->body_hash, HASH_SIZE, SQLITE_STATIC);
	sqlite3_bind_blob(i, 10, e->leaf_hash, HASH_SIZE, SQLITE_STATIC);
	sqlite3_bind_blob(i, 11, e->salt, SALT_SIZE, SQLITE_STATIC);
	sqlite3_bind_text(i, 12, e->body, (int)e->body_len, SQLITE_STATIC);
	return run(i);
}

/* Random bytes are fetched for many rows at once: a call costs as much as hashing a row. */
static int take_salt(struct store *s, uint8_t salt[SALT_SIZE])
{
	struct tape *t = s->tape;
	if (t->random_left == 0) {
		if (RAND_bytes(t->random, sizeof t->random) != 1)
			return STORE_EIO;
		t->random_left = sizeof t->random;
	}
	t->random_left -= SALT_SIZE;
	memcpy(salt, t->random + t->random_left, SALT_SIZE);
	memset(t->random + t->random_left, 0, SALT_SIZE);
	return 0;
}

static int append_one(struct store *s, const struct draft *d, int64_t time_us)
{
	struct tape *t = s->tape;
	struct log_id log;
	struct head *head;
	int err = load_head(s, d->stream, &head);
	if (err)
		return err;
	uint8_t salt[SALT_SIZE];
	char text[LEAF_TEXT_MAX];
	struct entry e = { .seq = t->next_seq, .stream = d->stream, .stream_seq = head->next_count,
		.time_us = time_us, .kind = d->kind, .author = d->author, .body_len = d->body_len,
		.salt = salt, .body = d->body ? d->body : "" };
	if ((err = take_salt(s, salt)))
		return err;
	memcpy(e.prev, head->last, HASH_SIZE);
	hasher_body(&t->hasher, salt, e.body, e.body_len, e.body_hash);
	hasher_leaf(&t->hasher, text, leaf_text(text, t->origin, &e), e.leaf_hash);
	err = insert_row(s, &e);
	if (err)
		return err;
	t->next_seq++;
	heads_touch(&t->heads, head);
	head->next_count++;
	head->next_us = time_us;
	if (store_stream_log(d->stream, &log))
		head->next_bytes += (int64_t)line_size(&e);
	memcpy(head->last, e.leaf_hash, HASH_SIZE);
	return 0;
}

/* 1: names have changed since the tape had so many entries. */
static int names_moved(struct tape *t, int64_t seen)
{
	if (seen >= t->next_seq)
		return 0;
	sqlite3_bind_int64(t->names_since, 1, seen);
	int rc = sqlite3_step(t->names_since);
	sqlite3_reset(t->names_since);
	return rc == SQLITE_ROW ? 1 : db_error(rc);
}

/* A request that cannot be: its own error, without harm to its neighbours. */
static int admissible(struct store *s, const struct append *a)
{
	for (size_t i = 0; i < a->count; i++)
		if (check(&a->drafts[i]))
			return STORE_EINVAL;
	if (a->count > 0 && a->seen > 0) {
		int moved = names_moved(s->tape, a->seen);
		if (moved)
			return moved < 0 ? moved : STORE_EMOVED;
	}
	if (a->expect < 0 || a->count == 0)
		return 0;
	struct head *head;
	int err = load_head(s, a->drafts[0].stream, &head);
	if (!err && head->next_count != a->expect)
		err = STORE_EMOVED;
	return err;
}

static int64_t tick(struct store *s)
{
	struct tape *t = s->tape;
	t->last_us = clock_date(&t->clock, store_time(s), t->last_us);
	return t->last_us;
}

static bool is_keyed(const struct append *a)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->drafts[i].key)
			return true;
	return false;
}

/* The drafts of a request, but for messages that are here: what was appended before was seen. */
static int append_drafts(struct store *s, struct append *a)
{
	int64_t now = tick(s);
	int err = is_keyed(a) ? s->hooks->see(s, s->tape->next_seq) : 0;
	a->first_seq = s->tape->next_seq;
	for (size_t i = 0; !err && i < a->count; i++) {
		const struct draft *d = &a->drafts[i];
		int known = d->key ? s->hooks->known(s, d->key) : 0;
		if (a->known)
			a->known[i] = known > 0;
		err = known < 0 ? known : known ? 0 : append_one(s, d, now);
	}
	return err;
}

static int append_all(struct store *s, struct append *list)
{
	for (struct append *a = list; a; a = a->next) {
		a->error = admissible(s, a);
		if (a->error == STORE_EMOVED || a->error == STORE_EINVAL)
			continue;
		int err = a->error ? a->error : append_drafts(s, a);
		if (err)
			return err;
	}
	return 0;
}

static void note_current(struct store *s, const struct append *list)
{
	for (const struct append *a = list; a; a = a->next) {
		for (size_t i = 0; !a->error && i < a->count; i++) {
			int64_t id = store_stream_session(a->drafts[i].stream);
			if (id > 0 && !s->hooks->taken(&a->drafts[i])) {
				atomic_store(&s->tape->current, id);
				atomic_store(&s->tape->mine, true);
			}
		}
	}
}

/* True if a request depends on what is on the tape: then memory is not good enough. */
static bool any_expects(const struct append *list)
{
	while (list && list->expect < 0 && list->seen == 0 && !is_keyed(list))
		list = list->next;
	return list != NULL;
}

/*
 * True if what stands above must see a request with it: both are committed, or neither (a disk
 * may be full).
 */
static bool needs_views(const struct store *s, const struct append *list)
{
	for (const struct append *a = list; a; a = a->next)
		for (size_t i = 0; i < a->count; i++)
			if (a->drafts[i].key || s->hooks->at_once(a->drafts[i].stream))
				return true;
	return false;
}

/* `fresh`: look where the tape ends now that nobody else can append. */
static int transaction(struct store *s, struct append *list, bool fresh)
{
	struct tape *t = s->tape;
	int err = run(t->begin);
	if (err)
		return err;
	if ((fresh || any_expects(list)) && (err = tape_refresh(s)) > 0)
		err = 0;
	int64_t first = t->next_seq;
	if (!err)
		err = append_all(s, list);
	bool views = !err && needs_views(s, list);
	if (views)
		err = s->hooks->see(s, t->next_seq);
	if (!err)
		err = run(t->commit);
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

void tape_see_others(struct store *s)
{
	(void)tape_lock(s);
	(void)tape_refresh(s);
	tape_unlock(s);
}

int tape_commit(struct store *s, struct append *list)
{
	struct tape *t = s->tape;
	lock_assert(&t->commit_lock);
	int err = s->read_only ? STORE_EROFS : durable_mend(s);
	if (!err && needs_views(s, list))
		err = s->hooks->before(s);
	err = err ? err : transaction(s, list, false);
	if (err == STORE_EINVAL && tape_refresh(s) == 1)
		err = transaction(s, list, true); /* refused because another process was faster */
	if (err) {
		(void)tape_refresh(s);
		for (struct append *a = list; a; a = a->next)
			if (!a->error)
				a->error = err;
		return err;
	}
	heads_publish(&t->heads);
	atomic_store(&t->entries, t->next_seq);
	note_current(s, list);
	return 0;
}

/* Bodies and salts of these entries, which only the owner's verb may take: the authorizer rests. */
static int take_bodies(struct store *s, const int64_t *seqs, size_t count)
{
	sqlite3 *db = s->tape->db;
	db_guard(db, false);
	sqlite3_stmt *q = db_prepare(db, "UPDATE tape SET salt = NULL, body = NULL WHERE seq = ?1"
	                                 " AND body IS NOT NULL");
	int err = q ? 0 : STORE_EIO;
	for (size_t i = 0; !err && i < count; i++) {
		sqlite3_bind_int64(q, 1, seqs[i]);
		err = run(q);
	}
	sqlite3_finalize(q);
	db_guard(db, true);
	return err;
}

int tape_redact(struct store *s, struct append *list, const int64_t *seqs, size_t count)
{
	struct tape *t = s->tape;
	lock_assert(&t->commit_lock);
	int err = s->read_only ? STORE_EROFS : durable_mend(s);
	err = err ? err : run(t->begin);
	if (err)
		return err;
	if ((err = tape_refresh(s)) > 0)
		err = 0;
	int64_t first = t->next_seq;
	err = err ? err : append_all(s, list);
	err = err ? err : list->error;
	err = err ? err : take_bodies(s, seqs, count);
	err = err ? err : s->hooks->see(s, t->next_seq);
	err = err ? err : run(t->commit);
	if (err) {
		db_rollback(t->db);
		s->hooks->undo(s);
		t->next_seq = first;
	} else {
		s->hooks->seen(s, t->next_seq);
		atomic_store(&t->entries, t->next_seq);
	}
	heads_forget(&t->heads); /* sizes of logs are others now */
	return err;
}

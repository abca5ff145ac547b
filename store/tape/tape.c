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
 */
#include <openssl/rand.h>
#include <string.h>
#include <time.h>

#include "store/internal.h"
#include "store/tape/tape.h"

enum { BODY_LIMIT = 64 << 20 };

static const char insert_sql[] =
	"INSERT INTO tape(seq, stream, stream_seq, prev, time_us, kind, author, body_len, body_hash,"
	" leaf_hash, salt, body) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
static const char head_sql[] = "SELECT stream_seq + 1, leaf_hash, time_us FROM tape"
	" WHERE stream = ?1 ORDER BY stream_seq DESC LIMIT 1";
static const char end_sql[] = "SELECT max(seq) + 1 FROM tape";

/* Rows of one stream from one entry on: to size the part the views have not seen. */
static const char tail_sql[] = "SELECT " ENTRY_COLUMNS " FROM tape t"
	" WHERE t.stream = ?1 AND t.stream_seq >= ?2 ORDER BY t.stream_seq";

static int run(sqlite3_stmt *q)
{
	int rc = sqlite3_step(q);
	sqlite3_reset(q);
	return db_error(rc);
}

static int count_rows(struct store *s)
{
	int rc = sqlite3_step(s->end_of_tape);
	if (rc == SQLITE_ROW)
		s->next_seq = sqlite3_column_int64(s->end_of_tape, 0);
	sqlite3_reset(s->end_of_tape);
	return db_error(rc);
}

int tape_refresh(struct store *s)
{
	int64_t before = s->next_seq;
	int err = count_rows(s);
	if (err || s->next_seq == before)
		return err;
	heads_forget(&s->heads);
	atomic_store(&s->current, 0);
	atomic_store(&s->entries, s->next_seq);
	atomic_store(&s->foreign, true);
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
	int err = s->hooks->log_seen(s->w, log, &seen, bytes);
	sqlite3_stmt *tail = err ? NULL : db_prepare(s->w, tail_sql);
	if (!tail)
		return err ? err : STORE_EIO;
	sqlite3_bind_text(tail, 1, stream, -1, SQLITE_STATIC);
	sqlite3_bind_int64(tail, 2, seen);
	int rc;
	while ((rc = sqlite3_step(tail)) == SQLITE_ROW) {
		struct entry e;
		if ((err = entry_of_row(tail, &e)))
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
	struct head *head = heads_find(&s->heads, stream);
	*out = head;
	if (head)
		return 0;
	int64_t bytes = 0, count = 0, last_us = 0;
	uint8_t last[HASH_SIZE] = { 0 };
	sqlite3_bind_text(s->head_of, 1, stream, -1, SQLITE_STATIC);
	int rc = sqlite3_step(s->head_of);
	if (rc == SQLITE_ROW) {
		count = sqlite3_column_int64(s->head_of, 0);
		const void *hash = sqlite3_column_blob(s->head_of, 1);
		if (hash && sqlite3_column_bytes(s->head_of, 1) == HASH_SIZE)
			memcpy(last, hash, HASH_SIZE);
		last_us = sqlite3_column_int64(s->head_of, 2);
	}
	sqlite3_reset(s->head_of);
	int err = db_error(rc);
	if (!err && count > 0)
		err = log_bytes(s, stream, &bytes);
	if (err)
		return err;
	head = heads_add(&s->heads, stream);
	if (!head)
		return STORE_ENOMEM;
	memcpy(head->last, last, HASH_SIZE);
	head->next_count = count;
	head->next_bytes = bytes;
	head->next_us = last_us;
	heads_touch(&s->heads, head);
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
	sqlite3_stmt *i = s->insert;
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
	if (s->random_left == 0) {
		if (RAND_bytes(s->random, sizeof s->random) != 1)
			return STORE_EIO;
		s->random_left = sizeof s->random;
	}
	s->random_left -= SALT_SIZE;
	memcpy(salt, s->random + s->random_left, SALT_SIZE);
	memset(s->random + s->random_left, 0, SALT_SIZE);
	return 0;
}

static int append_one(struct store *s, const struct draft *d, int64_t time_us)
{
	struct log_id log;
	struct head *head;
	int err = load_head(s, d->stream, &head);
	if (err)
		return err;
	uint8_t salt[SALT_SIZE];
	char text[LEAF_TEXT_MAX];
	struct entry e = { .seq = s->next_seq, .stream = d->stream, .stream_seq = head->next_count,
		.time_us = time_us, .kind = d->kind, .author = d->author, .body_len = d->body_len,
		.salt = salt, .body = d->body ? d->body : "" };
	if ((err = take_salt(s, salt)))
		return err;
	memcpy(e.prev, head->last, HASH_SIZE);
	hasher_body(&s->hasher, salt, e.body, e.body_len, e.body_hash);
	hasher_leaf(&s->hasher, text, leaf_text(text, s->origin, &e), e.leaf_hash);
	err = insert_row(s, &e);
	if (err)
		return err;
	s->next_seq++;
	heads_touch(&s->heads, head);
	head->next_count++;
	head->next_us = time_us;
	if (store_stream_log(d->stream, &log))
		head->next_bytes += (int64_t)line_size(&e);
	memcpy(head->last, e.leaf_hash, HASH_SIZE);
	return 0;
}

/* A request that cannot be: its own error, without harm to its neighbours. */
static int admissible(struct store *s, const struct append *a)
{
	for (size_t i = 0; i < a->count; i++)
		if (check(&a->drafts[i]))
			return STORE_EINVAL;
	if (a->expect < 0 || a->count == 0)
		return 0;
	struct head *head;
	int err = load_head(s, a->drafts[0].stream, &head);
	if (!err && head->next_count != a->expect)
		err = STORE_EMOVED;
	return err;
}

int64_t store_time(const struct store *s)
{
	if (s->config.clock)
		return s->config.clock();
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int64_t tick(struct store *s)
{
	s->last_us = clock_date(&s->clock, store_time(s), s->last_us);
	return s->last_us;
}

static int append_all(struct store *s, struct append *list)
{
	for (struct append *a = list; a; a = a->next) {
		a->error = admissible(s, a);
		if (a->error == STORE_EMOVED || a->error == STORE_EINVAL)
			continue;
		if (a->error)
			return a->error;
		int64_t now = tick(s);
		a->first_seq = s->next_seq;
		for (size_t i = 0; i < a->count; i++) {
			int err = append_one(s, &a->drafts[i], now);
			if (err)
				return err;
		}
	}
	return 0;
}

static void note_current(struct store *s, const struct append *list)
{
	for (const struct append *a = list; a; a = a->next) {
		for (size_t i = 0; !a->error && i < a->count; i++) {
			int64_t id = store_stream_session(a->drafts[i].stream);
			if (id > 0)
				atomic_store(&s->current, id);
			else if (strcmp(a->drafts[i].stream, "sessions") == 0)
				atomic_store(&s->current, 0);
		}
	}
}

/* Does a request depend on where a stream stands?  Then memory is not good enough. */
static bool any_expects(const struct append *list)
{
	while (list && list->expect < 0)
		list = list->next;
	return list != NULL;
}

/*
 * True if what stands above must see a request with it: both are committed, or neither (a disk
 * may be full).
 */
static bool needs_views(const struct store *s, const struct append *list)
{
	for (const struct append *a = list; s->view && a; a = a->next)
		for (size_t i = 0; i < a->count; i++)
			if (s->hooks->at_once(a->drafts[i].stream))
				return true;
	return false;
}

/* `fresh`: look where the tape ends now that nobody else can append. */
static int transaction(struct store *s, struct append *list, bool fresh)
{
	int err = run(s->begin);
	if (err)
		return err;
	if ((fresh || any_expects(list)) && (err = tape_refresh(s)) > 0)
		err = 0;
	int64_t first = s->next_seq;
	if (!err)
		err = append_all(s, list);
	bool views = !err && needs_views(s, list);
	if (views)
		err = s->hooks->see(s, s->next_seq);
	if (!err)
		err = run(s->commit);
	if (err) {
		db_rollback(s->w);
		if (s->view)
			s->hooks->undo(s);
		heads_forget(&s->heads);
		s->next_seq = first;
	} else if (views) {
		s->hooks->seen(s, s->next_seq);
	}
	return err;
}

void tape_see_others(struct store *s)
{
	lock_take(&s->commit_lock);
	(void)tape_refresh(s);
	lock_give(&s->commit_lock);
}

int tape_commit(struct store *s, struct append *list)
{
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
	heads_publish(&s->heads);
	atomic_store(&s->entries, s->next_seq);
	note_current(s, list);
	return 0;
}

/* Bodies and salts of these entries, which only the owner's verb may take: the authorizer rests. */
static int take_bodies(struct store *s, const int64_t *seqs, size_t count)
{
	db_guard(s->w, false);
	sqlite3_stmt *q = db_prepare(s->w, "UPDATE tape SET salt = NULL, body = NULL WHERE seq = ?1"
	                                   " AND body IS NOT NULL");
	int err = q ? 0 : STORE_EIO;
	for (size_t i = 0; !err && i < count; i++) {
		sqlite3_bind_int64(q, 1, seqs[i]);
		err = run(q);
	}
	sqlite3_finalize(q);
	db_guard(s->w, true);
	return err;
}

int tape_redact(struct store *s, struct append *list, const int64_t *seqs, size_t count)
{
	int err = s->read_only || !s->view ? STORE_EROFS : durable_mend(s);
	err = err ? err : run(s->begin);
	if (err)
		return err;
	if ((err = tape_refresh(s)) > 0)
		err = 0;
	int64_t first = s->next_seq;
	err = err ? err : append_all(s, list);
	err = err ? err : list->error;
	err = err ? err : take_bodies(s, seqs, count);
	err = err ? err : s->hooks->see(s, s->next_seq);
	err = err ? err : run(s->commit);
	if (err) {
		db_rollback(s->w);
		s->hooks->undo(s);
		s->next_seq = first;
	} else {
		s->hooks->seen(s, s->next_seq);
		atomic_store(&s->entries, s->next_seq);
	}
	heads_forget(&s->heads); /* sizes of logs are others now */
	return err;
}

int tape_genesis(struct store *s, struct why *why)
{
	char dir[PATH_MAX], body[512];
	int err = 0;
	if (!s->config.key_dir)
		err = key_dir_default(dir, sizeof dir);
	if (!err)
		err = key_create(s->config.key_dir ? s->config.key_dir : dir, s->origin, s->vkey,
		                 sizeof s->vkey, why);
	if (err)
		return err;
	/* Neither field can hold a character that JSON escapes: store_open() checked the origin. */
	int len =
		snprintf(body, sizeof body, "{\"format\":\"tape/1\",\"origin\":\"%s\",\"vkey\":\"%s\"}",
				 s->origin, s->vkey);
	struct draft d = { .stream = "tape", .kind = "tape.genesis", .author = "cinta", .body = body,
		.body_len = (size_t)len };
	struct append a = { .drafts = &d, .count = 1, .expect = 0 };
	lock_take(&s->commit_lock);
	err = tape_commit(s, &a);
	lock_give(&s->commit_lock);
	if (err)
		why_set(why, "check the disk", "cannot write the first entry: %s", store_strerror(err));
	return err;
}

int tape_open(struct store *s, struct why *why)
{
	s->begin = db_prepare(s->w, "BEGIN IMMEDIATE");
	s->commit = db_prepare(s->w, "COMMIT");
	s->insert = db_prepare(s->w, insert_sql);
	s->head_of = db_prepare(s->w, head_sql);
	s->end_of_tape = db_prepare(s->w, end_sql);
	if (!s->begin || !s->commit || !s->insert || !s->head_of || !s->end_of_tape) {
		why_set(why, "run cinta doctor", "the tape's tables: %s", sqlite3_errmsg(s->w));
		return STORE_EFORMAT;
	}
	int err = tape_refresh(s);
	s->last_us = db_int(s->w, "SELECT time_us FROM tape ORDER BY seq DESC LIMIT 1", 0);
	return err < 0 ? err : 0;
}

void tape_close(struct store *s)
{
	sqlite3_finalize(s->begin);
	sqlite3_finalize(s->commit);
	sqlite3_finalize(s->insert);
	sqlite3_finalize(s->head_of);
	sqlite3_finalize(s->end_of_tape);
}

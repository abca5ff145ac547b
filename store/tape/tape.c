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

int tape_check(const struct draft *d)
{
	if (!field_ok(d->stream, strlen(d->stream), FIELD_MAX) ||
	    !field_ok(d->kind, strlen(d->kind), KIND_MAX) ||
	    !field_ok(d->author, strlen(d->author), FIELD_MAX) || d->body_len > BODY_LIMIT)
		return STORE_EINVAL;
	return 0;
}

/* Random bytes are fetched for many rows at once: a call costs as much as hashing a row. */
int tape_salt(struct store *s, uint8_t salt[SALT_SIZE])
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
	struct head *head;
	int err = put_head(s, d->stream, &head);
	if (err)
		return err;
	uint8_t salt[SALT_SIZE];
	char text[LEAF_TEXT_MAX];
	struct entry e = { .seq = t->next_seq, .stream = d->stream, .stream_seq = head->next_count,
		.time_us = time_us, .kind = d->kind, .author = d->author, .body_len = d->body_len,
		.hashed_len = d->body_len, .salt = salt, .body = d->body ? d->body : "" };
	if ((err = tape_salt(s, salt)))
		return err;
	memcpy(e.prev, head->last, HASH_SIZE);
	hasher_body(&t->hasher, salt, e.body, e.body_len, e.body_hash);
	hasher_leaf(&t->hasher, text, leaf_text(text, t->origin, &e), e.leaf_hash);
	return put_entry(s, head, &e);
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
		if (tape_check(&a->drafts[i]))
			return STORE_EINVAL;
	if (a->count > 0 && a->seen > 0) {
		int moved = names_moved(s->tape, a->seen);
		if (moved)
			return moved < 0 ? moved : STORE_EMOVED;
	}
	if (a->expect < 0 || a->count == 0)
		return 0;
	struct head *head;
	int err = put_head(s, a->drafts[0].stream, &head);
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

bool tape_is_keyed(const struct append *a)
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
	int err = tape_is_keyed(a) ? s->hooks->see(s, s->tape->next_seq) : 0;
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

void tape_note_current(struct store *s, const struct append *list)
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
	while (list && list->expect < 0 && list->seen == 0 && !tape_is_keyed(list))
		list = list->next;
	return list != NULL;
}

/*
 * True if what stands above must see a request with it: both are committed, or neither (a disk
 * may be full).
 */
bool tape_needs_views(const struct store *s, const struct append *list)
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
	int err = put_run(t->begin);
	if (err)
		return err;
	if ((fresh || any_expects(list)) && (err = tape_refresh(s)) > 0)
		err = 0;
	int64_t first = t->next_seq;
	if (!err)
		err = append_all(s, list);
	return put_finish(s, !err && tape_needs_views(s, list), first, err);
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
	if (!err && tape_needs_views(s, list))
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
	tape_note_current(s, list);
	return 0;
}

int tape_redact(struct store *s, struct append *list, const int64_t *seqs, size_t count)
{
	struct tape *t = s->tape;
	lock_assert(&t->commit_lock);
	int err = s->read_only ? STORE_EROFS : durable_mend(s);
	err = err ? err : put_run(t->begin);
	if (err)
		return err;
	if ((err = tape_refresh(s)) > 0)
		err = 0;
	int64_t first = t->next_seq;
	err = err ? err : append_all(s, list);
	err = err ? err : list->error;
	err = err ? err : put_bodies_away(s, seqs, count);
	err = err ? err : s->hooks->see(s, t->next_seq);
	err = err ? err : put_run(t->commit);
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

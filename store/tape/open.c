/* SPDX-License-Identifier: MIT */
/* Opening and closing the tape, its first entry, its signed notes. */
#include <jansson.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>

#include "store/tape/tape_state.h"

enum { SIGN_ROWS = 1000 };
#define SIGN_US INT64_C(10000000)      /* sign what is new after ten seconds … */
#define SIGN_PAUSE_US INT64_C(1000000) /* … or SIGN_ROWS rows, but at most once a second */

static const char insert_sql[] =
	"INSERT INTO tape(seq, stream, stream_seq, prev, time_us, kind, author, body_len, body_hash,"
	" leaf_hash, salt, body) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
static const char head_sql[] = "SELECT stream_seq + 1, leaf_hash, time_us FROM tape"
	" WHERE stream = ?1 ORDER BY stream_seq DESC LIMIT 1";
static const char end_sql[] = "SELECT max(seq) + 1, leaf_hash FROM tape";

/* A name has come, moved or gone since. */
static const char names_sql[] = "SELECT 1 FROM tape WHERE seq >= ?1 AND kind IN"
	" ('document.make', 'rename', 'retire', 'session') LIMIT 1";

/* An origin: a field, without '+', and without what JSON would have to escape. */
static bool origin_ok(const char *origin)
{
	return field_ok(origin, strlen(origin), FIELD_MAX) && !strpbrk(origin, "+\"\\");
}

int tape_check_origin(const char *origin, struct why *why)
{
	if (origin_ok(origin))
		return 0;
	why_set(why, "use 1 to 128 visible ASCII characters without + \" \\",
	        "origin \"%.100s\" cannot be used", origin);
	return STORE_EINVAL;
}

static int choose_origin(struct store *s, struct why *why)
{
	struct tape *t = s->tape;
	uint8_t random[8];
	if (s->config.origin) {
		int err = tape_check_origin(s->config.origin, why);
		if (err)
			return err;
		(void)snprintf(t->origin, sizeof t->origin, "%s", s->config.origin);
		return 0;
	}
	if (RAND_bytes(random, sizeof random) != 1)
		return STORE_EIO;
	memcpy(t->origin, "cinta/", 6);
	hex_of(random, sizeof random, t->origin + 6);
	return 0;
}

/* Origin and verifier key, as the first entry says. */
static int read_genesis(struct store *s, struct why *why)
{
	struct tape *t = s->tape;
	sqlite3_stmt *q =
		db_prepare(t->db, "SELECT body FROM tape WHERE seq = 0 AND kind = 'tape.genesis'");
	const char *text = NULL;
	json_t *body = NULL;
	int err = STORE_EFORMAT;
	if (q && sqlite3_step(q) == SQLITE_ROW)
		text = (const char *)sqlite3_column_text(q, 0);
	if (text)
		body = json_loads(text, 0, NULL);
	const char *format = json_string_value(json_object_get(body, "format"));
	const char *origin = json_string_value(json_object_get(body, "origin"));
	const char *vkey = json_string_value(json_object_get(body, "vkey"));
	if (format && strcmp(format, "tape/1") == 0 && origin && origin_ok(origin)) {
		(void)snprintf(t->origin, sizeof t->origin, "%s", origin);
		(void)snprintf(t->vkey, sizeof t->vkey, "%s", vkey ? vkey : "");
		err = 0;
	} else {
		why_set(why, "run cinta verify DB", "%s has no tape/1 genesis entry", s->path);
	}
	json_decref(body);
	sqlite3_finalize(q);
	return err;
}

static int genesis(struct store *s, struct why *why)
{
	struct tape *t = s->tape;
	char dir[PATH_MAX], body[512];
	int err = 0;
	if (!s->config.key_dir)
		err = key_dir_default(dir, sizeof dir);
	if (!err)
		err = key_create(s->config.key_dir ? s->config.key_dir : dir, t->origin, t->vkey,
		                 sizeof t->vkey, why);
	if (err)
		return err;
	/* Neither field can hold a character that JSON escapes: store_open() checked the origin. */
	int len =
		snprintf(body, sizeof body, "{\"format\":\"tape/1\",\"origin\":\"%s\",\"vkey\":\"%s\"}",
				 t->origin, t->vkey);
	struct draft d = { .stream = "tape", .kind = "tape.genesis", .author = "cinta", .body = body,
		.body_len = (size_t)len };
	struct append a = { .drafts = &d, .count = 1, .expect = 0 };
	(void)tape_lock(s);
	err = tape_commit(s, &a);
	tape_unlock(s);
	if (err)
		why_set(why, "check the disk", "cannot write the first entry: %s", store_strerror(err));
	return err;
}

static int prepare(struct store *s, struct why *why)
{
	struct tape *t = s->tape;
	t->begin = db_prepare(t->db, "BEGIN IMMEDIATE");
	t->commit = db_prepare(t->db, "COMMIT");
	t->insert = db_prepare(t->db, insert_sql);
	t->head_of = db_prepare(t->db, head_sql);
	t->end_of_tape = db_prepare(t->db, end_sql);
	t->names_since = db_prepare(t->db, names_sql);
	if (!t->begin || !t->commit || !t->insert || !t->head_of || !t->end_of_tape ||
	    !t->names_since) {
		why_set(why, db_todo(STORE_EFORMAT), "the tape's tables: %s", sqlite3_errmsg(t->db));
		return STORE_EFORMAT;
	}
	(void)tape_lock(s);
	int err = tape_refresh(s);
	tape_unlock(s);
	t->last_us = db_int(t->db, "SELECT time_us FROM tape ORDER BY seq DESC LIMIT 1", 0);
	return err < 0 ? err : 0;
}

/* A second name has no log beside it: who opens the file by that works on another state. */
static int refuse_links(const struct store *s, struct why *why)
{
	nlink_t names = s->config.flags & STORE_OWNER ? file_names(s->path) : 1;
	if (names <= 1)
		return 0;
	why_set(why, "remove the other names, or mount a copy (sqlite3 DB \".backup COPY.db\")",
	        "%s has %lu names (hard links), which do not know of each other's logs", s->path,
	        (unsigned long)names);
	return STORE_EBUSY;
}

/* Asked for when a tape is made; of one that is there it was another. */
static int refuse_origin(const struct store *s, struct why *why)
{
	const char *asked = s->config.origin;
	if (!asked || strcmp(asked, s->tape->origin) == 0)
		return 0;
	why_set(why, "leave origin= out; a new memory takes it",
	        "%s is the tape of %.128s already, and keeps that origin, not %.128s", s->path,
	        s->tape->origin, asked);
	return STORE_EINVAL;
}

/* Of a replica: whose tape it is, before more of it comes; of an empty one the server says. */
static int follow_first(struct store *s, struct why *why)
{
	int err = s->tape->next_seq > 0 ? read_genesis(s, why) : 0;
	return err ? err : far_begin(s, why);
}

static int remember_wal_size(void *ctx, sqlite3 *db, const char *name, int pages)
{
	(void)db, (void)name;
	((struct store *)ctx)->tape->wal_pages = pages;
	return SQLITE_OK;
}

static int open_file(struct store *s, struct why *why)
{
	struct tape *t = s->tape;
	bool reading = s->config.flags & STORE_READONLY;
	int err = refuse_links(s, why);
	if (!err && s->config.flags & STORE_CREATE)
		err = db_create(s->path, why);
	if (err >= 0)
		err = db_open(s->path, reading ? DB_READ : DB_WRITE, &t->db, why);
	if (!err)
		err = prepare(s, why);
	if (!err) {
		sqlite3_wal_hook(t->db, remember_wal_size, s);
		t->wal = db_wal(t->db);
	}
	if (!err && t->far)
		err = follow_first(s, why);
	else if (!err && t->next_seq == 0 && (s->config.flags & STORE_CREATE)) {
		err = choose_origin(s, why);
		err = err ? err : genesis(s, why);
		if (!err)
			(void)mine_set(s->config.key_dir, s->path, t->origin);
		if (err == STORE_EMOVED)
			err = 0; /* another process made it in the same moment */
	}
	atomic_store(&t->foreign, -1);
	atomic_store(&t->others, 0);
	err = err ? err : read_genesis(s, why);
	return err ? err : refuse_origin(s, why);
}

/* Told, not refused: the user may have meant it. */
static void look_whose(struct store *s)
{
	struct tape *t = s->tape;
	char origin[FIELD_MAX + 1], file[PATH_MAX + 32];
	int err = mine_get(s->config.key_dir, s->path, origin, file, sizeof file);
	if (err == STORE_ENOENT && (s->config.flags & STORE_OWNER) && !s->read_only)
		(void)mine_set(s->config.key_dir, s->path, t->origin);
	if (!err && strcmp(origin, t->origin) != 0 && !s->read_only)
		(void)snprintf(s->trouble, sizeof s->trouble,
		               "OTHER: this is the tape %.80s, here was %.80s (see cinta verify)",
		               t->origin, origin);
}

/* What the server has does not go on from what is here: then nothing is signed, either. */
static void stop_split(struct store *s)
{
	char text[256];
	far_split(s, text, sizeof text);
	if (text[0])
		signer_stop(s->tape->signer, text);
}

/* Who has an old copy may put back what was redacted: it goes again, with what was made of it. */
static void put_away_again(struct store *s)
{
	sqlite3 *db = s->tape->db;
	char text[96];
	size_t count = 0;
	int err = db_begin(db);
	err = err ? err : put_proved_away(s, &count);
	err = err || count == 0 ? err : schema_leave_views(db);
	if (err || count == 0) {
		db_rollback(db);
		return;
	}
	(void)store_mark_set(s, REDACTED_MARK, 0); /* to be settled anew (redact.c) */
	if (db_commit(db))
		return;
	(void)snprintf(text, sizeof text, "%zu redacted bodies had been put back, and are"
	               " taken out again", count);
	tape_tell(s, "EUCLEAN", "open", ".cinta/tape.jsonl", text, "see who can write the database");
}

int tape_open(struct store *s, struct engine *engine, struct why *why)
{
	struct tape *t = s->tape = calloc(1, sizeof *t);
	if (!t) {
		if (engine)
			engine->ops->free(engine);
		return STORE_ENOMEM;
	}
	lock_init(&t->queue_lock, RANK_QUEUE);
	lock_init(&t->commit_lock, RANK_COMMIT);
	lock_init(&t->sync_lock, RANK_SYNC);
	t->queue_end = &t->queue;
	int err = far_open(s, engine);
	err = err ? err : hasher_init(&t->hasher);
	err = err ? err : heads_init(&t->heads);
	bool read_only = false;
	err = err ? err : open_file(s, why);
	err = err ? err : row_check_open(&t->check, t->db, &s->damage);
	err = err ? err : signer_open(t->db, s->path, t->origin, t->vkey, s->config.key_dir, &t->signer,
	                              &read_only, s->trouble, sizeof s->trouble);
	if (err)
		return err;
	if (read_only)
		atomic_store(&s->read_only, true);
	else if (t->far && strncmp(s->trouble, "no key for ", 11) == 0)
		s->trouble[0] = '\0'; /* another machine signs, and its notes come here */
	stop_split(s);
	if (t->far && far_away_since(s) == 0)
		(void)far_catch_up(s); /* notes, now that they can be checked */
	look_whose(s);
	if (s->config.flags & STORE_OWNER && !s->read_only)
		put_away_again(s);
	int64_t entries = atomic_load(&t->entries);
	t->found = entries > 1 ? entries - signer_size(t->signer) : 0; /* 1: it is new */
	if (s->config.flags & STORE_OWNER)
		moved_open(s);
	return 0;
}

void tape_close(struct store *s)
{
	struct tape *t = s->tape;
	if (!t)
		return;
	moved_close(s);
	far_close(s);
	signer_close(t->signer);
	sqlite3_finalize(t->begin);
	sqlite3_finalize(t->commit);
	sqlite3_finalize(t->insert);
	sqlite3_finalize(t->head_of);
	sqlite3_finalize(t->end_of_tape);
	sqlite3_finalize(t->names_since);
	sqlite3_close(t->db);
	heads_release(&t->heads);
	hasher_release(&t->hasher);
	row_check_release(&t->check);
	free(t);
}

void tape_status(const struct store *s, struct status *out)
{
	const struct tape *t = s->tape;
	(void)snprintf(out->origin, sizeof out->origin, "%s", t->origin);
	out->entries = tape_entries(s);
	out->signed_upto = t->signer ? signer_size(t->signer) : 0;
	out->signed_us = t->signer ? signer_time(t->signer) : 0;
	out->unsigned_at_start = t->found;
	out->foreign_entries = atomic_load(&t->others);
	out->foreign_last = atomic_load(&t->others_last);
	(void)snprintf(out->server, sizeof out->server, "%s", far_name(s));
	out->away_us = far_behind_since(s);
}

/* Where the last note seems to come from the future, the clock has gone back: ours counts. */
bool tape_sign_due(struct store *s)
{
	struct tape *t = s->tape;
	if (!t->signer || !far_signs(s))
		return false;
	int64_t size = signer_size(t->signer), waiting = atomic_load(&t->entries) - size;
	int64_t since = store_time(s) - signer_time(t->signer);
	if (size != t->signed_upto) {
		t->signed_upto = size;
		t->signed_at = clock_since_boot();
	}
	if (since < 0)
		since = clock_since_boot() - t->signed_at;
	return waiting > 0 && (since >= SIGN_US || (waiting >= SIGN_ROWS && since >= SIGN_PAUSE_US));
}

int store_sign(struct store *s)
{
	struct tape *t = s->tape;
	if (!t->signer || s->read_only)
		return STORE_EROFS;
	sqlite3 *db = tape_lock(s);
	int64_t size = t->next_seq;
	int err = durable_mend(s);
	if (!err && signer_size(t->signer) < size) {
		err = signer_sign(t->signer, db, store_time(s), atomic_load(&t->checked));
		if (err == STORE_EIO) /* perhaps it was the sync */
			durable_failed(s);
	}
	if (!err && atomic_load(&t->synced) < size)
		atomic_store(&t->synced, size);
	tape_unlock(s);
	return err ? err : signer_publish(t->signer);
}

const char *tape_origin(const struct store *s)
{
	return s->tape->origin;
}

const struct note_key *tape_key(const struct store *s)
{
	return s->tape->signer ? signer_trusts(s->tape->signer) : NULL;
}

void tape_newest(const struct store *s, struct checkpoint *out)
{
	signer_newest(s->tape->signer, out);
}

void tape_checked(struct store *s, int64_t rows)
{
	atomic_store(&s->tape->checked, rows);
}

int tape_verified(const struct store *s, const struct checkpoint *c, char text[VERIFIED_SIZE])
{
	EVP_PKEY *pkey = signer_key(s->tape->signer);
	return !pkey ? STORE_ENOENT : verified_make(c, pkey, text) ? 0 : STORE_EIO;
}

void tape_distrust(struct store *s, const char *text)
{
	signer_stop(s->tape->signer, text);
}

/* The sidecar cannot be written. */
static void tell_sidecar(struct store *s)
{
	char text[256];
	sidecar_trouble(s->tape->signer, text, sizeof text);
	tape_tell(s, "SIDECAR", "sign", ".cinta/checkpoint", text,
	          "until then keep .cinta/checkpoint elsewhere yourself");
}

void tape_tick(struct store *s)
{
	clock_look(&s->tape->clock, store_time(s));
	durable_turn(s);
	if (sidecar_turn(&s->tape->sidecar, s->tape->signer))
		tell_sidecar(s);
}

void tape_unsigned(const struct store *s, char *text, size_t size)
{
	text[0] = '\0';
	if (s->tape->signer)
		signer_trouble(s->tape->signer, text, size);
}

int tape_redaction(struct store *s, const struct redaction *r, char **body)
{
	return redaction_make(r, s->tape->origin, signer_key(s->tape->signer), body);
}

bool tape_owned(const struct store *s)
{
	return !s->read_only && s->tape->signer && signer_key(s->tape->signer);
}

void tape_forget(struct store *s)
{
	struct tape *t = s->tape;
	lock_assert(&t->commit_lock);
	heads_forget(&t->heads);
	if (!atomic_load(&t->mine))
		atomic_store(&t->current, 0);
	(void)sqlite3_db_release_memory(t->db);
}

void tape_trouble(const struct store *s, char *text, size_t size)
{
	durable_trouble(s, text, size);
	if (text[0] == '\0')
		far_trouble(s, text, size);
	if (text[0] == '\0')
		sidecar_trouble(s->tape->signer, text, size);
	if (text[0] == '\0')
		clock_trouble(&s->tape->clock, text, size);
}

/* A WAL that cannot be trusted could tear the database; and who only looks changes nothing. */
void tape_settle(struct store *s, bool owner)
{
	sqlite3 *db = tape_lock(s);
	if (atomic_load(&s->tape->moved.how) != MOVED_NOT)
		moved_settle(s);
	else if (durable_mend(s) || (s->config.flags & STORE_READONLY && db_log_waits(s->path)))
		(void)sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	else if (owner)
		(void)sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	tape_unlock(s);
}

bool tape_others_wrote(struct store *s, int64_t *seq)
{
	if (tape_try_lock(s)) { /* else a committer looks */
		(void)tape_refresh(s);
		tape_unlock(s);
	}
	*seq = atomic_exchange(&s->tape->foreign, -1);
	return *seq >= 0;
}

bool tape_others_wait(const struct store *s)
{
	return atomic_load(&s->tape->foreign) >= 0;
}

int store_vkey(struct store *s, char *vkey, size_t size)
{
	const char *own = s->tape->vkey;
	return snprintf(vkey, size, "%s", own) < (int)size && own[0] ? 0 : STORE_ENOENT;
}

int store_checkpoint_note(struct store *s, char *note, size_t size)
{
	struct reader *r = reader_get(s);
	if (!r)
		return STORE_EIO;
	int err = signer_note(r->db, note, size);
	reader_put(s, r);
	return err;
}

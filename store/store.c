/* SPDX-License-Identifier: MIT */
/* Opening and closing: puts the parts of the store together, in order. */
#include "store/store.h"

#include <errno.h>
#include <jansson.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "store/internal.h"
#include "store/mine.h"
#include "store/search_index.h"
#include "store/signer.h"
#include "store/vector_file.h"
#include "store/view.h"

const char *store_strerror(int code)
{
	switch (code) {
	case 0: return "all is well";
	case STORE_ENOENT: return "there is no such thing";
	case STORE_EIO: return "the disk or SQLite failed";
	case STORE_ENOSPC: return "the disk is full";
	case STORE_EROFS: return "the memory cannot be written";
	case STORE_EMOVED: return "somebody else was faster";
	case STORE_EINVAL: return "a field breaks the format";
	case STORE_ENOMEM: return "out of memory";
	case STORE_ENEWER: return "written by a newer cinta";
	case STORE_EFORMAT: return "not a tape, or damaged";
	case STORE_EEXIST: return "it is there already";
	case STORE_EBUSY: return "another process holds it";
	case STORE_EPINNED: return "a message is pinned";
	case STORE_EUNPROVED: return "a body is gone that its owner did not sign away";
	default: return "unknown error";
	}
}

int64_t store_now(const struct store *s)
{
	if (s->config.clock)
		return s->config.clock();
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

bool store_frozen(const struct store *s)
{
	return s->read_only;
}

int64_t store_time(const struct store *s)
{
	return store_now(s);
}

/* An origin: a field, without '+', and without what JSON would have to escape. */
static bool origin_ok(const char *origin)
{
	return field_ok(origin, strlen(origin), FIELD_MAX) && !strpbrk(origin, "+\"\\");
}

static int choose_origin(struct store *s, struct why *why)
{
	uint8_t random[8];
	if (s->config.origin) {
		if (!origin_ok(s->config.origin)) {
			why_set(why, "use 1 to 128 visible ASCII characters without + \" \\",
			        "origin \"%.100s\" cannot be used", s->config.origin);
			return STORE_EINVAL;
		}
		(void)snprintf(s->origin, sizeof s->origin, "%s", s->config.origin);
		return 0;
	}
	if (RAND_bytes(random, sizeof random) != 1)
		return STORE_EIO;
	memcpy(s->origin, "cinta/", 6);
	hex_of(random, sizeof random, s->origin + 6);
	return 0;
}

/* Origin and verifier key, as the first entry says. */
static int read_genesis(struct store *s, struct why *why)
{
	sqlite3_stmt *q =
		db_prepare(s->w, "SELECT body FROM tape WHERE seq = 0 AND kind = 'tape.genesis'");
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
		(void)snprintf(s->origin, sizeof s->origin, "%s", origin);
		(void)snprintf(s->vkey, sizeof s->vkey, "%s", vkey ? vkey : "");
		err = 0;
	} else {
		why_set(why, "run cinta verify", "%s has no tape/1 genesis entry", s->path);
	}
	json_decref(body);
	sqlite3_finalize(q);
	return err;
}

static int open_tape(struct store *s, struct why *why)
{
	bool reading = s->config.flags & STORE_READONLY;
	int err = 0;
	if (s->config.flags & STORE_CREATE)
		err = db_create(s->path, why);
	if (err >= 0)
		err = db_open(s->path, reading ? DB_READ : DB_WRITE, &s->w, why);
	if (!err)
		err = tape_open(s, why);
	if (!err && s->next_seq == 0 && (s->config.flags & STORE_CREATE)) {
		err = choose_origin(s, why);
		err = err ? err : tape_genesis(s, why);
		if (!err)
			(void)mine_set(s->config.key_dir, s->path, s->origin);
		if (err == STORE_EMOVED)
			err = 0; /* another process made it in the same moment */
	}
	atomic_store(&s->foreign, false);
	return err ? err : read_genesis(s, why);
}

/* Told, not refused: the user may have meant it. */
static void look_whose(struct store *s)
{
	char origin[FIELD_MAX + 1], file[PATH_MAX + 32];
	int err = mine_get(s->config.key_dir, s->path, origin, file, sizeof file);
	if (err == STORE_ENOENT && (s->config.flags & STORE_OWNER) && !s->read_only)
		(void)mine_set(s->config.key_dir, s->path, s->origin);
	if (!err && strcmp(origin, s->origin) != 0 && !s->read_only)
		(void)snprintf(s->trouble, sizeof s->trouble,
		               "OTHER: this is the tape %.80s, here was %.80s (see cinta verify)",
		               s->origin, origin);
}

static int remember_wal_size(void *ctx, sqlite3 *db, const char *name, int pages)
{
	(void)db, (void)name;
	((struct store *)ctx)->wal_pages = pages;
	return SQLITE_OK;
}

static int open_parts(struct store *s, struct why *why)
{
	int err = hasher_init(&s->hasher);
	if (!err)
		err = heads_init(&s->heads);
	if (!err)
		err = open_tape(s, why);
	if (!err)
		err = signer_open(s->w, s->path, s->origin, s->vkey, s->config.key_dir, &s->signer,
		                  &s->read_only, s->trouble, sizeof s->trouble);
	if (err)
		return err;
	look_whose(s);
	if (s->config.flags & STORE_READONLY)
		s->read_only = true;
	if (!s->read_only)
		err = db_renew_views(s->w);
	if (!err && !s->read_only)
		err = view_open(s->w, s->config.text_size, &s->view);
	if (!err && s->view)
		view_keep_lately(s->view, &s->lately);
	if (err) {
		why_set(why, "run cinta rebuild", "the views of %s cannot be used: %s", s->path,
		        sqlite3_errmsg(s->w));
		return err;
	}
	atomic_store(&s->viewed, db_int(s->w, "SELECT upto FROM v_state", 0));
	sqlite3_wal_hook(s->w, remember_wal_size, s);
	sqlite3_file_control(s->w, "main", SQLITE_FCNTL_JOURNAL_POINTER, &s->wal);
	if (!(s->config.flags & STORE_OWNER))
		return 0;
	if (!s->read_only && signer_size(s->signer) == 0)
		(void)store_sign(s); /* a new tape is verifiable from its first second on */
	return keeper_start(s);
}

static void init_locks(struct store *s)
{
	pthread_mutex_t *const locks[] = { &s->queue_lock, &s->commit_lock, &s->reader_lock,
		&s->sync_lock, &s->side_lock, &s->search_lock, &s->keeper_lock, &s->settle_lock };
	for (size_t i = 0; i < sizeof locks / sizeof *locks; i++)
		pthread_mutex_init(locks[i], NULL);
	lately_init(&s->lately);
	pthread_cond_init(&s->reader_free, NULL);
	pthread_cond_init(&s->keeper_wake, NULL);
	s->queue_end = &s->queue;
}

int store_open(const char *path, const struct store_config *config, struct store **out,
               struct why *why)
{
	struct store *s = calloc(1, sizeof *s);
	if (!s)
		return STORE_ENOMEM;
	s->config = *config;
	s->settled = -1;
	init_locks(s);
	int err = 0;
	if (snprintf(s->path, sizeof s->path, "%s", path) >= (int)sizeof s->path) {
		why_set(why, "use a shorter path", "the path of the database is too long");
		err = STORE_EINVAL;
	}
	if (!err)
		err = open_parts(s, why);
	if (!err)
		tokenizer_settle(s);
	if (err) {
		if (why && !why->text[0])
			why_set(why, "run cinta doctor", "%s: %s", path, store_strerror(err));
		store_close(s);
		return err;
	}
	*out = s;
	return 0;
}

void reader_close(struct reader *r)
{
	for (int i = 0; i < READER_STMTS; i++)
		sqlite3_finalize(r->stmt[i]);
	sqlite3_close(r->db);
	*r = (struct reader){ .db = NULL };
}

void store_close(struct store *s)
{
	if (!s)
		return;
	keeper_stop(s);
	if (s->view && !s->read_only)
		(void)store_catch_up(s);
	if (s->view && (s->config.flags & STORE_OWNER))
		(void)store_sign(s);
	if (!s->read_only)
		(void)access_flush(s);
	free(s->accesses.of);
	for (int i = 0; i < READERS; i++)
		reader_close(&s->readers[i]);
	if (s->view && (s->config.flags & STORE_OWNER))
		(void)sqlite3_wal_checkpoint_v2(s->w, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	signer_close(s->signer);
	view_close(s->view);
	tape_close(s);
	sqlite3_close(s->w);
	sqlite3_close(s->side);
	search_close(s->search);
	vectors_close(s->vectors);
	lately_release(&s->lately);
	heads_release(&s->heads);
	hasher_release(&s->hasher);
	free(s);
}

static int64_t file_size(const char *path, const char *suffix)
{
	char full[PATH_MAX + 16];
	struct stat st;
	(void)snprintf(full, sizeof full, "%s%s", path, suffix);
	return stat(full, &st) == 0 ? (int64_t)st.st_size : 0;
}

void store_status(struct store *s, struct status *out)
{
	memset(out, 0, sizeof *out);
	(void)snprintf(out->version, sizeof out->version, "%s", CINTA_VERSION);
	(void)snprintf(out->origin, sizeof out->origin, "%s", s->origin);
	(void)snprintf(out->database, sizeof out->database, "%s", s->path);
	if (s->signer)
		signer_trouble(s->signer, out->trouble, sizeof out->trouble);
	if (!out->trouble[0] || s->read_only)
		(void)snprintf(out->trouble, sizeof out->trouble, "%s", s->trouble);
	(void)snprintf(out->tokenizer, sizeof out->tokenizer, "%s",
	               store_tokenizer_name(s->config.tokenizer));
	out->read_only = s->read_only;
	out->entries = atomic_load(&s->entries);
	out->viewed_upto = atomic_load(&s->viewed);
	out->signed_upto = s->signer ? signer_size(s->signer) : 0;
	out->signed_us = s->signer ? signer_time(s->signer) : 0;
	out->refusals = atomic_load(&s->refusals);
	out->database_bytes = file_size(s->path, "");
	out->wal_bytes = file_size(s->path, "-wal");
	struct reader *r = reader_get(s);
	if (!r)
		return;
	out->sessions = db_int(r->db, "SELECT count(*) FROM v_group WHERE kind = 1", 0);
	out->threads = db_int(r->db, "SELECT count(*) FROM v_group WHERE kind = 2", 0);
	out->messages =
		db_int(r->db, "SELECT coalesce(sum(messages), 0) FROM v_group WHERE kind = 1", 0);
	reader_put(s, r);
}

int store_vkey(struct store *s, char *vkey, size_t size)
{
	return snprintf(vkey, size, "%s", s->vkey) < (int)size && s->vkey[0] ? 0 : STORE_ENOENT;
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

int store_rebuild(const char *path, const struct store_config *config, struct why *why)
{
	sqlite3 *db = NULL;
	struct view *v = NULL;
	int64_t upto = -1, before;
	int err = db_open(path, DB_WRITE, &db, why);
	if (!err)
		err = db_reset_views(db);
	if (!err)
		err = view_open(db, config->text_size, &v);
	do {
		before = upto;
		if (!err)
			err = view_catch_up(v, 10000, INT64_MAX / 2, &upto);
	} while (!err && upto != before);
	if (!err)
		err = access_copy_file(db, path);
	if (!err)
		err = search_rebuild(path, config->plain_text);
	if (err && why && !why->text[0])
		why_set(why, "run cinta verify", "%s: %s", path,
				db ? sqlite3_errmsg(db) : store_strerror(err));
	view_close(v);
	sqlite3_close(db);
	return err;
}

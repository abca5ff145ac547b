/* SPDX-License-Identifier: MIT */
/* Opening and closing: puts the parts of the store together, in order. */
#include "store/store.h"

#include <errno.h>
#include <jansson.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/internal.h"
#include "store/search/search.h"
#include "store/tape/tape.h"
#include "store/vectors/vectors.h"
#include "store/views/views.h"

bool store_frozen(const struct store *s)
{
	return s->read_only;
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
		err = readers_open(s->path, store_reads, &s->readers);
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
		err = views_renew(s->w);
	if (!err && !s->read_only)
		err = view_open(s->w, &store_views, s->config.text_size, &s->view);
	if (!err && s->view)
		s->view->lately = &s->lately;
	if (err) {
		why_set(why, "run cinta rebuild", "the views of %s cannot be used: %s", s->path,
		        sqlite3_errmsg(s->w));
		return err;
	}
	atomic_store(&s->viewed, views_upto(s->w));
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
	lock_init(&s->settle_lock, RANK_SETTLE);
	lock_init(&s->search_lock, RANK_SEARCH);
	lock_init(&s->commit_lock, RANK_COMMIT);
	lock_init(&s->queue_lock, RANK_QUEUE);
	lock_init(&s->sync_lock, RANK_SYNC);
	lock_init(&s->side_lock, RANK_SIDE);
	ticker_init(&s->keeping, RANK_KEEPER);
	lately_init(&s->lately);
	s->queue_end = &s->queue;
}

int store_open(const char *path, const struct store_config *config, struct store **out,
               struct why *why)
{
	struct store *s = calloc(1, sizeof *s);
	if (!s)
		return STORE_ENOMEM;
	s->config = *config;
	s->hooks = &store_hooks;
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

/* False: the WAL cannot be trusted, and stays as it is: copied back it could tear the database. */
static bool close_durably(struct store *s)
{
	lock_take(&s->commit_lock);
	bool trusted = durable_mend(s) == 0;
	lock_give(&s->commit_lock);
	if (!trusted)
		(void)sqlite3_db_config(s->w, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	return trusted;
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
	readers_close(s->readers);
	if (s->view && close_durably(s) && (s->config.flags & STORE_OWNER))
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

/* Why nothing is signed; else what was found at the opening; else what has come since. */
static void say_trouble(const struct store *s, char *text, size_t size)
{
	text[0] = '\0';
	if (s->signer)
		signer_trouble(s->signer, text, size);
	if (text[0] == '\0' || s->read_only)
		(void)snprintf(text, size, "%s", s->trouble);
	if (text[0] == '\0')
		durable_trouble(s, text, size);
	if (text[0] == '\0')
		clock_trouble(&s->clock, text, size);
}

void store_status(struct store *s, struct status *out)
{
	memset(out, 0, sizeof *out);
	(void)snprintf(out->version, sizeof out->version, "%s", CINTA_VERSION);
	(void)snprintf(out->origin, sizeof out->origin, "%s", s->origin);
	(void)snprintf(out->database, sizeof out->database, "%s", s->path);
	say_trouble(s, out->trouble, sizeof out->trouble);
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
	log_totals(r, out);
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

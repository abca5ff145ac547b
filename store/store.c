/* SPDX-License-Identifier: MIT */
/* Opening and closing: puts the parts of the store together, in order. */
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/documents/documents.h"
#include "store/internal.h"
#include "store/life/life.h"
#include "store/logs/logs.h"
#include "store/memories/memories.h"
#include "store/search/search.h"
#include "store/server/server.h"
#include "store/tape/tape.h"
#include "store/vectors/vectors.h"
#include "store/views/views.h"

bool store_frozen(const struct store *s)
{
	return s->read_only;
}

/* Whoever only reads shows what is here. */
static int open_tape(struct store *s, struct why *why)
{
	struct engine *engine = s->config.engine;
	int err = engine || s->config.flags & STORE_READONLY ? 0 : server_of(s->path, &engine, why);
	return err ? err : tape_open(s, engine, why);
}

/* What a server that has split had given before is shown: views are made while they may be. */
static void see_split(struct store *s)
{
	char text[256];
	far_split(s, text, sizeof text);
	if (text[0] && !s->read_only)
		(void)store_catch_up(s);
	far_opened(s);
}

static int open_parts(struct store *s, struct why *why)
{
	s->doc_cache = malloc(sizeof *s->doc_cache);
	s->index = calloc(1, sizeof *s->index);
	if (!s->doc_cache || !s->index)
		return STORE_ENOMEM;
	doc_cache_init(s->doc_cache);
	lock_init(&s->index->lock, RANK_SEARCH);
	int err;
	if ((err = readers_open(s->path, store_reads, &s->readers)) ||
	    (err = side_new(s, tape_entries)) || (err = access_new(s)) ||
	    (err = kept_new(s)) || (err = ranking_new(s)) || (err = views_new(s)) ||
	    (err = verifying_new(s)) ||
	    (err = open_tape(s, why)))
		return err;
	if (s->config.flags & STORE_READONLY)
		s->read_only = true;
	if (s->config.why_reading && !s->trouble[0])
		(void)snprintf(s->trouble, sizeof s->trouble, "%s", s->config.why_reading);
	sqlite3 *db = tape_lock(s);
	err = views_open(s, &store_views, db);
	if (err)
		why_set(why, "run cinta rebuild DB", "the views of %s cannot be used: %s", s->path,
		        sqlite3_errmsg(db));
	tape_unlock(s);
	if (!err && far_has(s)) {
		views_fill(s);
		see_split(s);
	}
	if (err || !(s->config.flags & STORE_OWNER))
		return err;
	struct status now = { .read_only = s->read_only };
	tape_status(s, &now);
	if (!now.read_only && now.signed_upto == 0)
		(void)store_sign(s); /* a new tape is verifiable from its first second on */
	err = maintenance_start(s);
	return err ? err : following_start(s);
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
	lock_init(&s->settle_lock, RANK_SETTLE);
	damage_init(&s->damage);
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
			why_set(why, db_todo(err), "%s: %s", path, store_strerror(err));
		store_close(s);
		return err;
	}
	*out = s;
	return 0;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	bool kept = views_kept(s), owner = s->config.flags & STORE_OWNER;
	int64_t current = 0;
	following_stop(s);
	maintenance_stop(s);
	if (kept)
		(void)store_catch_up(s);
	if (kept && s->tape && !s->read_only)
		log_keep_current(s, &current);
	if (kept && owner) {
		verifying_end(s);
		(void)store_sign(s);
	}
	if (!s->read_only && s->accesses && s->tape)
		(void)access_flush(s);
	access_close(s);
	ranking_free(s);
	kept_free(s);
	readers_close(s->readers);
	views_close(s);
	if (s->index) {
		search_close(s->index->search); /* the tape's own connection decides on its log, last */
		dictionary_close(s->index->dictionary);
		vectors_close(s->index->vectors);
	}
	if (kept || s->read_only)
		tape_settle(s, owner);
	tape_close(s);
	side_close(s);
	free(s->index);
	if (s->doc_cache)
		doc_cache_release(s->doc_cache);
	free(s->doc_cache);
	verifying_free(s);
	free(s->following);
	free(s->maintenance);
	free(s);
}

static int64_t file_size(const char *path, const char *suffix)
{
	char full[PATH_MAX + 16];
	(void)snprintf(full, sizeof full, "%s%s", path, suffix);
	int64_t bytes = file_bytes(full);
	return bytes < 0 ? 0 : bytes;
}

bool store_refuses(const struct store *s)
{
	return store_frozen(s) || (disk_room(s->path) < DISK_LEAST && !store_is_still(s->path));
}

void store_status(struct store *s, struct status *out)
{
	memset(out, 0, sizeof *out);
	(void)snprintf(out->version, sizeof out->version, "%s", CINTA_VERSION);
	tape_status(s, out);
	(void)snprintf(out->database, sizeof out->database, "%s", s->path);
	if (!far_has(s))
		server_shown(s->path, out->server, sizeof out->server);
	store_trouble(s, out->trouble, sizeof out->trouble);
	(void)snprintf(out->tokenizer, sizeof out->tokenizer, "%s",
	               store_tokenizer_name(s->config.tokenizer));
	out->read_only = s->read_only;
	out->viewed_upto = views_at(s);
	out->verified_upto = verifying_upto(s);
	out->refusals = store_refusal_count(s);
	out->database_bytes = file_size(s->path, "");
	out->wal_bytes = file_size(s->path, "-wal");
	struct reader *r = reader_get(s);
	if (!r)
		return;
	log_totals(r, out);
	reader_put(s, r);
}

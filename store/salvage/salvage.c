/* SPDX-License-Identifier: MIT */
/*
 * The run of a rebuild.  Invariants:
 *  1. Until the swap nothing of the old file, its log or its name has changed.
 *  2. What is swapped in was read again, verified and synced.
 *  3. Nobody else has read the old file, or can, from the first row that is read to the swap; and
 *     at the swap no write-ahead log is beside it whose pages the new file could be given.
 *  4. Who has opened the old file and waits for its first read gets it when the old file is closed,
 *     after the swap, and by its name would write a log for the new one.  It asks then whether its
 *     file is still the one of that name, and opens it again if not (db_is_left()).
 */
#include "store/salvage/salvage.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/memories/memories.h"
#include "store/search/search.h"
#include "store/verify/verify.h"
#include "store/views/views.h"

enum { BATCH = 5000 /* entries a transaction of the views */ };

struct run {
	char path[PATH_MAX], kept[PATH_MAX + 16]; /* kept: the old file's name afterwards */
	const struct view_table *views;
	const struct store_config *config;
	const struct rebuild_options *o;
	struct rebuild_report *out;
	struct why *why;
	sqlite3 *old;
	struct salvage_file f;
	bool made; /* there is a file at f.path that is ours */
	struct missing missing, found;
};

static bool goes_on(const struct run *r, enum rebuild_step step, int64_t done, int64_t all)
{
	return !r->o->go_on || r->o->go_on(r->o->ctx, step, done, all);
}

static int64_t bytes_of(const char *path, const char *ending)
{
	char name[PATH_MAX + 8];
	struct stat st;
	(void)snprintf(name, sizeof name, "%s%s", path, ending);
	return stat(name, &st) == 0 ? (int64_t)st.st_size : 0;
}

/* ---- the old file and a name for the new one ------------------------------ */

static int open_old(struct run *r, const char *path)
{
	struct stat st;
	if (!realpath(path, r->path)) {
		why_set(r->why, "check the path", "%s: %s", path, strerror(errno));
		return STORE_ENOENT;
	}
	if (!r->o->salvage && file_names(r->path) > 1) {
		why_set(r->why,
		        "remove the other names, or rebuild a copy (sqlite3 DB \".backup COPY.db\")",
		        "%s has several names (hard links), which would stay those of the old file",
		        r->path);
		return STORE_EBUSY;
	}
	(void)snprintf(r->kept, sizeof r->kept, "%s.before-rebuild", r->path);
	if (r->o->keep && lstat(r->kept, &st) == 0) {
		why_set(r->why, "move it away, or leave --keep away", "%s is there already", r->kept);
		return STORE_EEXIST;
	}
	r->out->bytes_before = bytes_of(r->path, "") + bytes_of(r->path, "-wal");
	return db_open_alone(r->path, &r->old, r->why);
}

static int name_new(struct run *r)
{
	if (!r->o->salvage) {
		salvage_sweep(r->path);
		int err = salvage_name(r->path, r->f.path, r->why);
		r->made = !err;
		return err;
	}
	if (snprintf(r->f.path, sizeof r->f.path, "%s", r->o->salvage) >= (int)sizeof r->f.path)
		return STORE_EINVAL;
	int err = db_make_new(r->f.path, r->why);
	r->made = !err;
	return err;
}

/* ---- what follows from the tape ------------------------------------------- */

static int catch_up(struct run *r, struct view *v)
{
	int64_t upto = 0, before;
	int err = 0;
	do {
		before = upto;
		err = view_catch_up(v, BATCH, INT64_MAX / 2, &upto);
		if (!err && !goes_on(r, REBUILD_VIEWS, upto, r->out->entries))
			err = STORE_EBUSY;
	} while (!err && upto != before);
	return err;
}

static int make_views(struct run *r)
{
	struct view *v = NULL;
	int err = view_open(r->f.db, r->views, r->config->text_size, &v);
	err = err ? err : catch_up(r, v);
	view_close(v);
	/* Where entries are missing, what stands on them may not come out: the rows are what counts. */
	if (err && err != STORE_ENOSPC && err != STORE_EBUSY && r->missing.count > 0)
		return views_reset(r->f.db);
	return err ? err : access_copy_file(r->f.db, r->path);
}

/* The same in a file of its own, table after table. */
static int pack(struct run *r)
{
	char packed[PATH_MAX];
	if (!goes_on(r, REBUILD_PACK, 0, 0))
		return STORE_EBUSY;
	int err = salvage_name(r->path, packed, r->why);
	if (err)
		return err;
	char *sql = sqlite3_mprintf("VACUUM INTO %Q", packed);
	err = sql ? db_exec(r->f.db, sql) : STORE_ENOMEM;
	sqlite3_free(sql);
	sqlite3_close(r->f.db);
	r->f.db = NULL;
	if (!err) {
		salvage_remove(r->f.path);
		memcpy(r->f.path, packed, sizeof packed);
		err = db_error(db_connect(r->f.path, SQLITE_OPEN_READWRITE, &r->f.db));
		err = err ? err : db_harden(r->f.db);
	} else {
		salvage_remove(packed);
	}
	return err;
}

/* ---- holding it against what it was ------------------------------------------- */

/* SQLite's own check: each page read again, and in its place. */
static int check_pages(struct run *r)
{
	bool sound;
	char said[sizeof r->why->text];
	(void)db_look_at_pages(r->f.db, "PRAGMA quick_check(1)", &sound, said, sizeof said);
	if (!sound)
		why_set(r->why, "check disk and memory of this machine", "the new file is not sound: %s",
		        said);
	return sound ? 0 : STORE_EIO;
}

static int verify_new(struct run *r)
{
	struct verify_options o = { .key_dir = r->config->key_dir };
	struct verify_report *said = calloc(1, sizeof *said);
	if (!said)
		return STORE_ENOMEM;
	int err = verify_tape(r->f.path, r->views, &o, said);
	if (!err && said->entries != r->out->entries && said->verdict == VERDICT_OK)
		err = STORE_EIO;
	(void)snprintf(r->out->verdict, sizeof r->out->verdict, "%s", verdict_name(said->verdict));
	(void)snprintf(r->out->detail, sizeof r->out->detail, "%s", said->detail);
	r->out->holds = said->verdict == VERDICT_OK || said->verdict == VERDICT_UNVERIFIABLE;
	free(said);
	return err;
}

/* As a mount wants it, closed, with nothing beside it, on the disk. */
static int settle(struct run *r)
{
	sqlite3 *db = NULL;
	int err = db_error(db_connect(r->f.path, SQLITE_OPEN_READWRITE, &db));
	err = err ? err : db_exec(db, "PRAGMA journal_mode=WAL");
	int closed = db_error(sqlite3_close(db));
	char beside[PATH_MAX + 8];
	for (int i = 0; i < 2; i++) {
		(void)snprintf(beside, sizeof beside, "%s%s", r->f.path, i ? "-shm" : "-wal");
		(void)unlink(beside);
	}
	err = err ? err : closed;
	err = err ? err : salvage_settle(r->f.path, r->o->salvage ? NULL : r->path);
	r->out->bytes_after = bytes_of(r->f.path, "");
	return err;
}

static int check(struct run *r)
{
	if (!goes_on(r, REBUILD_CHECK, 0, 0))
		return STORE_EBUSY;
	int err = check_pages(r);
	int closed = db_error(sqlite3_close(r->f.db));
	r->f.db = NULL;
	err = err ? err : closed;
	err = err ? err : verify_new(r);
	err = err ? err : settle(r);
	return err || goes_on(r, REBUILD_CHECK, 1, 1) ? err : STORE_EBUSY;
}

/* ---- the run ----------------------------------------------------------------- */

/* The old file takes in its log, whole, before it goes: else the new one would be given that. */
static int swap(struct run *r)
{
	char name[PATH_MAX + 8];
	int err = db_empty_wal(r->old);
	if (!err && bytes_of(r->path, "-wal") > 0)
		err = STORE_EBUSY;
	if (err) {
		why_set(r->why, "make room, and end what else has the file open",
		        "the write-ahead log of %s cannot be taken in: %s", r->path, store_strerror(err));
		return err;
	}
	for (int i = 0; i < 2; i++) {
		(void)snprintf(name, sizeof name, "%s%s", r->path, i ? "-shm" : "-wal");
		(void)unlink(name);
	}
	err = salvage_swap(r->f.path, r->path, r->o->keep ? r->kept : NULL, r->why);
	if (!err)
		r->made = false;
	return err;
}

static int refuse_lost(struct run *r)
{
	const struct rebuild_report *out = r->out;
	if (out->lost > 0)
		why_set(r->why, "restore a copy, or write what can be read to a new file:"
		        " cinta rebuild --salvage NEW.db DB",
		        "%lld of %lld entries cannot be read, the first of them entry %lld; nothing was"
		        " changed", (long long)out->lost, (long long)(out->lost + out->entries),
		        (long long)out->first_lost);
	else
		why_set(r->why, "restore a copy, or write what can be read to a new file:"
		        " cinta rebuild --salvage NEW.db DB",
		        "signed notes cannot be read, all %lld entries can; nothing was changed",
		        (long long)out->entries);
	return STORE_EFORMAT;
}

static int make(struct run *r)
{
	int err = name_new(r);
	err = err ? err : salvage_create(&r->f);
	err = err ? err : salvage_copy(r->old, &r->f, r->o, r->out, &r->missing, &r->found);
	if (!err && !r->o->salvage && (r->out->lost > 0 || r->out->notes_lost > 0))
		return refuse_lost(r);
	if (!err && r->out->entries == 0) {
		why_set(r->why, "restore a copy", "not one entry can be read; nothing was changed");
		return STORE_EFORMAT;
	}
	err = err ? err : make_views(r);
	if (!err && r->o->compact && !r->o->salvage)
		err = pack(r);
	err = err ? err : check(r);
	err = err ? err : r->o->salvage ? missing_tell(&r->missing, r->old, r->o) : swap(r);
	for (size_t i = 0; !err && r->o->found && i < r->found.count; i++)
		r->o->found(r->o->ctx, r->found.items[i].first, r->found.items[i].last);
	return err;
}

static void explain(struct run *r, int err)
{
	if (!r->why || r->why->text[0])
		return;
	if (err == STORE_ENOSPC)
		why_set(r->why, "make room beside the database: as much again as it has",
		        "the disk is full; nothing was changed");
	else if (err == STORE_EBUSY)
		why_set(r->why, "type it again", "it was stopped; nothing was changed");
	else
		why_set(r->why, db_todo(err), "%s: %s; nothing was changed", r->path,
		        r->f.db ? sqlite3_errmsg(r->f.db) : store_strerror(err));
}

int salvage_remake(const char *path, const struct view_table *views,
                   const struct store_config *config, const struct rebuild_options *o,
                   struct rebuild_report *out, struct why *why)
{
	struct why unasked = { 0 };
	struct run *r = calloc(1, sizeof *r);
	if (!r)
		return STORE_ENOMEM;
	*r = (struct run){ .views = views, .config = config, .o = o, .out = out,
		.why = why ? why : &unasked };
	*out = (struct rebuild_report){ .first_lost = -1 };
	int err = open_old(r, path);
	err = err ? err : make(r);
	if (err)
		explain(r, err);
	sqlite3_close(r->f.db);
	if (err && r->made)
		salvage_remove(r->f.path);
	sqlite3_close(r->old);
	if (!err && !o->salvage) {
		(void)goes_on(r, REBUILD_SEARCH, 0, 0);
		err = search_rebuild(r->path, config->plain_text);
		if (err)
			why_set(r->why, "look at DB.search; a search makes it anew when it can",
			        "the memory was rebuilt, its search index was not: %s", store_strerror(err));
	}
	missing_release(&r->missing);
	missing_release(&r->found);
	free(r);
	return err;
}

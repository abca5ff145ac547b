/* SPDX-License-Identifier: MIT */
/*
 * A handful at a time, or a node_modules in the workspace.  One that became a document stays until
 * the next start if the kernel may still ask for its inode; it holds no bytes then.
 */
#include "fs/scratch/scratch.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"
#include "fs/scratch/drops.h"
#include "fs/scratch/index.h"

enum { PROMOTED_MOST = 64 };

struct scratches { /* guarded by fs->docs */
	struct scratch *first, *last; /* by id */
	struct scratch_index index;
	struct scratch_drops drops;
	struct scratch *fresh;        /* touched lately, newest first */
	int64_t due_us;               /* not before that one can be over */
	struct scratch *promoted_first, *promoted_last; /* by when they were, oldest first */
	int promoted;
	int64_t last_id;
	int64_t bytes; /* of all */
	int64_t log_bytes, log_count; /* of those below logs/ */
	int64_t workspace_us, logs_us; /* when the names there changed last; 0: never */
};

struct scratch *scratch_first(struct fs *fs)
{
	return fs->scratches->first;
}

struct scratch *scratch_fresh(struct fs *fs)
{
	return fs->scratches->fresh;
}

int64_t scratch_due(struct fs *fs)
{
	return fs->scratches->due_us;
}

void scratch_set_due(struct fs *fs, int64_t time_us)
{
	fs->scratches->due_us = time_us;
}

void scratch_settled(struct fs *fs, struct scratch *s)
{
	if (!s->fresh)
		return;
	*(s->fresh_prev ? &s->fresh_prev->fresh_next : &fs->scratches->fresh) = s->fresh_next;
	if (s->fresh_next)
		s->fresh_next->fresh_prev = s->fresh_prev;
	s->fresh = false;
	s->fresh_prev = s->fresh_next = NULL;
}

/* It has changed: time has something to do with it again. */
static void freshen(struct fs *fs, struct scratch *s)
{
	struct scratches *all = fs->scratches;
	int64_t over = s->touched_us + SCRATCH_US;
	all->due_us = over < all->due_us ? over : all->due_us;
	if (s->fresh)
		return;
	s->fresh = true;
	s->fresh_next = all->fresh;
	if (all->fresh)
		all->fresh->fresh_prev = s;
	all->fresh = s;
}

void scratch_lost(struct fs *fs)
{
	for (struct scratch *s = fs->scratches->first; s; s = s->next) {
		if (!s->stored)
			continue;
		s->stored = false;
		freshen(fs, s);
	}
}

void scratch_drop_again(struct fs *fs)
{
	drops_again(&fs->scratches->drops, fs->store);
}

int64_t scratch_bytes(struct fs *fs)
{
	return fs->scratches->bytes;
}

void scratch_count_bytes(struct fs *fs, const struct scratch *s, int64_t more)
{
	fs->scratches->bytes += more;
	if (s->log)
		fs->scratches->log_bytes += more;
}

/* The table in scratch.h. */
static void check(const struct scratch *s)
{
	bool elsewhere = s->stored || s->log;
	assert(s->writers >= 0 && s->writers <= s->opens);
	assert(!s->promoted_to || (!s->name[0] && !s->newborn && !elsewhere));
	assert(!s->newborn || !s->name[0] || (!elsewhere && S_ISREG(s->mode)));
	assert(!s->stored || s->name[0]);
}

/* True if what stands there stands below logs/. */
static bool is_log_dir(struct fs *fs, uint64_t dir)
{
	const struct scratch *s = ino_kind(dir) == KIND_SCRATCH ?
		scratch_by_id(fs, ino_id(dir)) : NULL;
	return s ? s->log : (node_of(fs, dir)->place.flags & PLACE_LOGS) != 0;
}

static void enter_logs(struct fs *fs, struct scratch *s)
{
	if (s->log)
		return;
	s->log = true;
	fs->scratches->log_count++;
	fs->scratches->log_bytes += (int64_t)s->bytes.len;
}

static void leave_logs(struct fs *fs, struct scratch *s)
{
	if (!s->log)
		return;
	s->log = false;
	fs->scratches->log_count--;
	fs->scratches->log_bytes -= (int64_t)s->bytes.len;
}

int64_t *scratch_time_of_dir(struct fs *fs, enum kind dir)
{
	return dir == KIND_WORKSPACE ? &fs->scratches->workspace_us :
		dir == KIND_LOGS ? &fs->scratches->logs_us : NULL;
}

static void touch_fixed(struct fs *fs, uint64_t dir, int64_t time_us)
{
	int64_t *us = scratch_time_of_dir(fs, ino_kind(dir));
	if (us && *us < time_us)
		*us = time_us;
}

/* A directory in which something comes or goes is in use, and has the time of that. */
static void touch_dir(struct fs *fs, uint64_t dir)
{
	struct scratch *s = ino_kind(dir) == KIND_SCRATCH ? scratch_by_id(fs, ino_id(dir)) : NULL;
	int64_t now = now_us();
	touch_fixed(fs, dir, now);
	if (!s)
		return;
	s->changed_us = now;
	s->touched_us = store_time(fs->store);
	scratch_changed(fs, s);
}

/* Behind all others: ids only grow. */
static bool enlist(struct fs *fs, struct scratch *s)
{
	struct scratches *all = fs->scratches;
	if (!index_add(&all->index, s))
		return false;
	s->prev = all->last;
	*(all->last ? &all->last->next : &all->first) = s;
	all->last = s;
	if (s->name[0])
		index_name(&all->index, s);
	return true;
}

static void put_back(void *ctx, const struct scratch_row *row)
{
	struct fs *fs = ctx;
	struct scratch *s = calloc(1, sizeof *s);
	if (!s)
		return;
	s->id = row->id;
	s->dir = row->dir;
	(void)snprintf(s->name, sizeof s->name, "%s", row->name);
	s->mode = row->mode;
	s->changed_us = row->changed_us;
	s->made_us = now_us();
	s->made_seq = store_entries(fs->store);
	s->touched_us = row->touched_us;
	buf_add(&s->bytes, row->bytes, row->len);
	s->stored = true;
	s->told = true; /* by the daemon before */
	if (!enlist(fs, s)) {
		buf_release(&s->bytes);
		free(s);
		return;
	}
	fs->scratches->bytes += (int64_t)row->len;
	touch_fixed(fs, s->dir, s->changed_us);
	if (s->id > fs->scratches->last_id)
		fs->scratches->last_id = s->id;
}

/* A log's day goes on; an editor's file gets a new one, for it could not be used meanwhile. */
static void put_in_logs(struct fs *fs, struct scratch *s)
{
	uint64_t dir;
	(void)tree_top(fs, ino_make(KIND_SCRATCH, s->id), &dir);
	if (node_of(fs, dir)->place.flags & PLACE_LOGS)
		enter_logs(fs, s);
	if (s->log)
		s->told = false;
	if (!s->log || s->touched_us == 0)
		s->touched_us = store_time(fs->store);
	freshen(fs, s);
}

int scratch_start(struct fs *fs, const struct fs_options *o)
{
	(void)o;
	fs->scratches = calloc(1, sizeof *fs->scratches);
	if (!fs->scratches)
		return -ENOMEM;
	fs->scratches->due_us = INT64_MAX;
	/* If they cannot be read, editors' files are gone, memory is not. */
	if (!fs->unmounted)
		(void)store_scratch_each(fs->store, put_back, fs);
	for (struct scratch *s = fs->scratches->first; s; s = s->next)
		put_in_logs(fs, s);
	return 0;
}

static void enter_promoted(struct scratches *all, struct scratch *s)
{
	s->dir_prev = all->promoted_last;
	s->dir_next = NULL;
	*(all->promoted_last ? &all->promoted_last->dir_next : &all->promoted_first) = s;
	all->promoted_last = s;
	all->promoted++;
}

static void leave_promoted(struct scratches *all, const struct scratch *s)
{
	*(s->dir_prev ? &s->dir_prev->dir_next : &all->promoted_first) = s->dir_next;
	*(s->dir_next ? &s->dir_next->dir_prev : &all->promoted_last) = s->dir_prev;
	all->promoted--;
}

static void forget(struct fs *fs, struct scratch *s)
{
	struct scratches *all = fs->scratches;
	if (s->name[0])
		index_unname(&all->index, s);
	index_remove(&all->index, s);
	scratch_settled(fs, s);
	*(s->prev ? &s->prev->next : &all->first) = s->next;
	*(s->next ? &s->next->prev : &all->last) = s->prev;
	if (s->promoted_to)
		leave_promoted(all, s);
	leave_logs(fs, s);
	scratch_count_bytes(fs, s, -(int64_t)s->bytes.len);
	buf_release(&s->bytes);
	free(s);
}

void scratch_stop(struct fs *fs)
{
	while (fs->scratches && fs->scratches->first) {
		struct scratch *s = fs->scratches->first;
		if (s->name[0])
			(void)scratch_keep(fs, s); /* fs_keep() has said what cannot be */
		forget(fs, s);
	}
	if (fs->scratches) {
		drops_release(&fs->scratches->drops);
		index_release(&fs->scratches->index);
	}
	free(fs->scratches);
}

/* The oldest promoted ones: the kernel has long looked their names up again. */
static void thin(struct fs *fs)
{
	if (fs->scratches->promoted <= PROMOTED_MOST)
		return;
	struct scratch *s = fs->scratches->promoted_first;
	while (s && s->opens)
		s = s->dir_next;
	if (s)
		forget(fs, s);
}

int scratch_room(struct fs *fs, uint64_t dir)
{
	return is_log_dir(fs, dir) && fs->scratches->log_count >= LOGS_COUNT ? -ENOSPC : 0;
}

int scratch_may_move(struct fs *fs, const struct scratch *s, uint64_t dir)
{
	bool log = is_log_dir(fs, dir);
	if (log != s->log && S_ISDIR(s->mode))
		return -EXDEV; /* mv copies it then, file by file */
	if (!log || s->log)
		return 0;
	if (s->bytes.len > LOG_FILE_MOST)
		return -EFBIG;
	return fs->scratches->log_bytes + (int64_t)s->bytes.len > LOGS_MOST ? -ENOSPC :
		scratch_room(fs, dir);
}

struct scratch *scratch_make(struct fs *fs, uint64_t dir, const char *name, mode_t mode)
{
	struct scratch *s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	thin(fs);
	s->id = ++fs->scratches->last_id;
	s->dir = dir;
	(void)snprintf(s->name, sizeof s->name, "%s", name);
	s->mode = mode;
	s->client = client_of(fs)->number;
	s->made_us = s->changed_us = now_us();
	s->made_seq = store_entries(fs->store);
	s->touched_us = store_time(fs->store);
	s->appends = true;
	if (!enlist(fs, s)) {
		free(s);
		return NULL;
	}
	if (is_log_dir(fs, dir))
		enter_logs(fs, s);
	touch_dir(fs, dir);
	freshen(fs, s);
	return s;
}

struct scratch *scratch_by_id(struct fs *fs, int64_t id)
{
	return index_by_id(&fs->scratches->index, id);
}

struct scratch *scratch_find(struct fs *fs, uint64_t dir, const char *name)
{
	return index_by_name(&fs->scratches->index, dir, name);
}

struct scratch *scratch_next(struct fs *fs, uint64_t dir, int64_t after)
{
	return index_next(&fs->scratches->index, dir, after);
}

static int scratch_resize(struct fs *fs, struct scratch *s, int64_t size)
{
	int64_t more = size - (int64_t)s->bytes.len;
	if (size > (s->log ? LOG_FILE_MOST : SCRATCH_FILE_MOST))
		return -EFBIG;
	if (more > 0 && (fs->scratches->bytes + more > SCRATCH_MOST ||
	                 (s->log && fs->scratches->log_bytes + more > LOGS_MOST)))
		return -ENOSPC;
	if (!buf_resize(&s->bytes, (size_t)size))
		return -ENOMEM;
	scratch_count_bytes(fs, s, more);
	s->written = s->written || more != 0;
	s->changed_us = now_us();
	s->touched_us = store_time(fs->store);
	freshen(fs, s);
	return 0;
}

int scratch_set_size(struct fs *fs, struct scratch *s, int64_t size)
{
	s->appends = s->appends && size == (int64_t)s->bytes.len;
	s->torn.err = size ? s->torn.err : 0;
	s->replaces |= s->promoted_to && size < (int64_t)s->kept;
	return scratch_resize(fs, s, size);
}

int scratch_write(struct fs *fs, struct scratch *s, const char *data, size_t len, int64_t off)
{
	int64_t end = off + (int64_t)len;
	int err = off > SCRATCH_FILE_MOST ? -EFBIG : 0;
	if (!err && end > (int64_t)s->bytes.len)
		err = scratch_resize(fs, s, end);
	if (err)
		return err;
	if (len > 0)
		memcpy(s->bytes.data + off, data, len);
	s->written = true;
	s->changed_us = now_us();
	s->touched_us = store_time(fs->store);
	freshen(fs, s);
	return 0;
}

void scratch_move(struct fs *fs, struct scratch *s, uint64_t dir, const char *name)
{
	struct scratch *there = scratch_find(fs, dir, name);
	if (there && there != s)
		scratch_unlink(fs, there);
	touch_dir(fs, s->dir);
	touch_dir(fs, dir);
	if (s->name[0])
		index_unname(&fs->scratches->index, s);
	s->dir = dir;
	if (is_log_dir(fs, dir))
		enter_logs(fs, s);
	else
		leave_logs(fs, s);
	(void)snprintf(s->name, sizeof s->name, "%s", name);
	index_name(&fs->scratches->index, s);
	s->newborn = false;
	if (!s->log)
		s->touched_us = store_time(fs->store); /* its rest begins anew */
	scratch_changed(fs, s);
	if (s->stored)
		(void)scratch_keep(fs, s); /* else with the next tick */
	check(s);
}

void scratch_changed(struct fs *fs, struct scratch *s)
{
	s->written = s->written || s->stored; /* so that the row follows */
	freshen(fs, s);
}

void scratch_unlink(struct fs *fs, struct scratch *s)
{
	if (s->stored)
		drops_row(&fs->scratches->drops, fs->store, s->id);
	s->stored = false;
	if (s->name[0])
		index_unname(&fs->scratches->index, s);
	memset(s->name, 0, sizeof s->name); /* it may have been a secret */
	touch_dir(fs, s->dir);
	if (s->opens == 0 && !s->promoted_to)
		forget(fs, s);
}

static void drop_bytes(struct fs *fs, struct scratch *s)
{
	scratch_count_bytes(fs, s, -(int64_t)s->bytes.len);
	buf_release(&s->bytes);
}

void scratch_close(struct fs *fs, struct scratch *s)
{
	s->opens--;
	check(s);
	freshen(fs, s);
	if (s->opens > 0 || s->name[0])
		return;
	if (s->promoted_to)
		drop_bytes(fs, s);
	else
		forget(fs, s);
}

void scratch_join(struct fs *fs, struct scratch *s, uint64_t ino, int64_t base)
{
	bool written = s->written && s->writers > 0, appends = s->appends;
	scratch_promote(fs, s, ino, base, false);
	s->written = written;
	s->appends = appends;
	s->base = 0, s->kept = 0; /* its bytes were not made from the document's */
	s->replaces = true;
}

void scratch_promote(struct fs *fs, struct scratch *s, uint64_t ino, int64_t base, bool made)
{
	if (made)
		number_keep(fs, ino, ino_make(KIND_SCRATCH, s->id));
	leave_logs(fs, s);
	bool already = s->promoted_to != 0;
	s->promoted_to = ino;
	s->base = base;
	s->newborn = s->written = s->replaces = false;
	s->kept = s->bytes.len;
	s->appends = true;
	if (s->name[0])
		scratch_unlink(fs, s);
	if (!already)
		enter_promoted(fs->scratches, s);
	if (s->opens == 0)
		drop_bytes(fs, s);
	check(s);
}

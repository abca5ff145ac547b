/* SPDX-License-Identifier: MIT */
/*
 * A list: there are a handful at a time.  One that became a document stays until
 * the next start if the kernel may still ask for its inode; it holds no bytes then.
 */
#include "fs/scratch/scratch.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"

enum { BECAME_MOST = 64 };

struct scratches { /* guarded by fs->docs */
	struct scratch *first;
	int64_t last_id;
	int64_t bytes; /* of all */
	int64_t log_bytes, log_count; /* of those below logs/ */
};

struct scratch *scratch_first(struct fs *fs)
{
	return fs->scratches->first;
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
	assert(!s->became_ino || (!s->name[0] && !s->newborn && !elsewhere));
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

/* A directory in which something comes or goes is in use. */
static void touch_dir(struct fs *fs, uint64_t dir)
{
	struct scratch *s = ino_kind(dir) == KIND_SCRATCH ? scratch_by_id(fs, ino_id(dir)) : NULL;
	if (s)
		s->touched_us = store_time(fs->store);
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
	s->touched_us = row->touched_us;
	buf_add(&s->bytes, row->bytes, row->len);
	s->stored = true;
	s->told = true; /* by the daemon before */
	s->next = fs->scratches->first;
	fs->scratches->first = s;
	fs->scratches->bytes += (int64_t)row->len;
	if (s->id > fs->scratches->last_id)
		fs->scratches->last_id = s->id;
}

/* A log's day goes on; an editor's file gets a new one, for it could not be used meanwhile. */
static void put_in_logs(struct fs *fs, struct scratch *s)
{
	uint64_t dir = s->dir;
	const struct scratch *up = NULL;
	for (int depth = 0; ino_kind(dir) == KIND_SCRATCH && depth < DEPTH_MOST; depth++) {
		up = scratch_by_id(fs, ino_id(dir));
		dir = up ? up->dir : 0;
	}
	if (node_of(fs, dir)->place.flags & PLACE_LOGS)
		enter_logs(fs, s);
	if (s->log)
		s->told = false;
	if (!s->log || s->touched_us == 0)
		s->touched_us = store_time(fs->store);
}

/* An old version's name, which an earlier daemon let a file have: its bytes go to rejected/. */
static bool is_forged(struct fs *fs, const struct scratch *s)
{
	struct place p;
	return s->name[0] && place_of(fs, s->dir, &p) == 0 && place_is_past(&p, s->name);
}

static void reject(struct fs *fs, struct scratch *s)
{
	char path[PATH_LIMIT + 1], kept[NAME_LIMIT + 1];
	tree_path(fs, s->dir, s->name, path, sizeof path);
	struct refusal r = { .time_us = now_us(), .code = "EPERM", .op = "load", .path = path,
		.author = "cinta", .reason = "a file that is no memory had the name of an old version",
		.todo = "trust NAME@log and cinta verify; what the file held is in rejected/",
		.kept = "" };
	if (store_refuse(fs->store, &r, s->name, s->bytes.data ? s->bytes.data : "", s->bytes.len,
	                 kept) == 0)
		scratch_unlink(fs, s); /* else it stays, and is found under no name */
}

int scratch_start(struct fs *fs, const struct fs_options *o)
{
	(void)o;
	fs->scratches = calloc(1, sizeof *fs->scratches);
	if (!fs->scratches)
		return -ENOMEM;
	/* If they cannot be read, editors' files are gone, memory is not. */
	if (!fs->unmounted)
		(void)store_scratch_each(fs->store, put_back, fs);
	for (struct scratch *s = fs->scratches->first; s; s = s->next)
		put_in_logs(fs, s);
	for (struct scratch *s = fs->scratches->first, *next; s; s = next) {
		next = s->next;
		if (is_forged(fs, s))
			reject(fs, s);
	}
	return 0;
}

static void forget(struct fs *fs, struct scratch *s)
{
	for (struct scratch **p = &fs->scratches->first; *p; p = &(*p)->next) {
		if (*p == s) {
			*p = s->next;
			break;
		}
	}
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
			scratch_keep(fs, s);
		forget(fs, s);
	}
	free(fs->scratches);
}

/* The oldest that became documents: the kernel has long looked their names up again. */
static void thin(struct fs *fs)
{
	struct scratch *oldest = NULL;
	int count = 0;
	for (struct scratch *s = fs->scratches->first; s; s = s->next) {
		if (s->became_ino && !s->opens && !s->name[0]) {
			oldest = s;
			count++;
		}
	}
	if (count > BECAME_MOST)
		forget(fs, oldest);
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

void scratch_why(bool log, int err, struct why *why)
{
	if (err == -EFBIG)
		why_set(why, log ? "go on in another file" : "keep it outside, and name it here",
		        "a file of %s has at most %d MiB", log ? "logs/" : "this kind",
		        (log ? LOG_FILE_MOST : SCRATCH_FILE_MOST) >> 20);
	else
		why_set(why, log ? "remove some of logs/" : "remove some, or save what is memory",
		        "%s is full: %d MiB%s", log ? "logs/" : "the room for files that are not memory",
		        (log ? LOGS_MOST : SCRATCH_MOST) >> 20, log ? ", 4,096 files" : "");
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
	s->made_us = s->changed_us = now_us();
	s->touched_us = store_time(fs->store);
	s->appends = true;
	if (is_log_dir(fs, dir))
		enter_logs(fs, s);
	touch_dir(fs, dir);
	s->next = fs->scratches->first;
	fs->scratches->first = s;
	return s;
}

struct scratch *scratch_by_id(struct fs *fs, int64_t id)
{
	struct scratch *s = fs->scratches->first;
	while (s && s->id != id)
		s = s->next;
	return s;
}

struct scratch *scratch_find(struct fs *fs, uint64_t dir, const char *name)
{
	struct scratch *s = fs->scratches->first;
	while (s && (s->dir != dir || !s->name[0] || strcmp(s->name, name) != 0))
		s = s->next;
	return s;
}

struct scratch *scratch_next(struct fs *fs, uint64_t dir, int64_t after)
{
	struct scratch *best = NULL;
	for (struct scratch *s = fs->scratches->first; s; s = s->next)
		if (s->dir == dir && s->name[0] && s->id > after && (!best || s->id < best->id))
			best = s;
	return best;
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
	if (more != 0)
		s->written = true;
	s->changed_us = now_us();
	s->touched_us = store_time(fs->store);
	return 0;
}

int scratch_cut(struct fs *fs, struct scratch *s, int64_t size)
{
	s->appends = s->appends && size == (int64_t)s->bytes.len;
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
	return 0;
}

void scratch_move(struct fs *fs, struct scratch *s, uint64_t dir, const char *name)
{
	struct scratch *there = scratch_find(fs, dir, name);
	if (there && there != s)
		scratch_unlink(fs, there);
	touch_dir(fs, s->dir);
	touch_dir(fs, dir);
	s->dir = dir;
	if (is_log_dir(fs, dir))
		enter_logs(fs, s);
	else
		leave_logs(fs, s);
	(void)snprintf(s->name, sizeof s->name, "%s", name);
	s->newborn = false;
	if (!s->log)
		s->touched_us = store_time(fs->store); /* its rest begins anew */
	if (s->stored) {
		s->written = true; /* so that the row follows */
		scratch_keep(fs, s);
	}
	check(s);
}

void scratch_unlink(struct fs *fs, struct scratch *s)
{
	if (s->stored)
		(void)store_scratch_drop(fs->store, s->id);
	s->stored = false;
	s->name[0] = '\0';
	touch_dir(fs, s->dir);
	if (s->opens == 0 && !s->became_ino)
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
	if (s->opens > 0 || s->name[0])
		return;
	if (s->became_ino)
		drop_bytes(fs, s);
	else
		forget(fs, s);
}

void scratch_joins(struct fs *fs, struct scratch *s, uint64_t ino, int64_t base)
{
	bool written = s->written && s->writers > 0, appends = s->appends;
	scratch_became(fs, s, ino, base, false);
	s->written = written;
	s->appends = appends;
	s->kept = 0; /* its bytes were not made from the document's */
	s->base = 0;
}

void scratch_became(struct fs *fs, struct scratch *s, uint64_t ino, int64_t base, bool made)
{
	if (made)
		number_keep(fs, ino, ino_make(KIND_SCRATCH, s->id));
	leave_logs(fs, s);
	s->became_ino = ino;
	s->base = base;
	s->newborn = s->written = false;
	s->kept = s->bytes.len;
	s->appends = true;
	if (s->name[0])
		scratch_unlink(fs, s);
	if (s->opens == 0)
		drop_bytes(fs, s);
	check(s);
}

void scratch_keep(struct fs *fs, struct scratch *s)
{
	struct scratch_row row = { .id = s->id, .dir = s->dir, .name = s->name, .mode = s->mode,
		.changed_us = s->changed_us, .touched_us = s->touched_us,
		.bytes = s->bytes.data ? s->bytes.data : "", .len = s->bytes.len };
	if ((s->stored && !s->written) || s->became_ino || s->newborn || !s->name[0])
		return;
	if (store_scratch_put(fs->store, &row) == 0) {
		s->stored = true;
		s->written = false;
	}
}

int scratch_lookup(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	const struct scratch *s = scratch_find(fs, dir, name);
	*ino = s ? ino_make(KIND_SCRATCH, s->id) : 0;
	return s ? 0 : -ENOENT;
}

/* ---- for the tree's table: these lock ---------------------------------------- */

int scratch_stat(struct fs *fs, int64_t id, struct log_stat *out)
{
	lock_take(&fs->docs);
	const struct scratch *s = scratch_by_id(fs, id);
	int err = s ? 0 : -ESTALE; /* then the kernel looks the name up again */
	if (s && s->became_ino && !s->opens)
		err = tree_measure(fs, s->became_ino, out);
	else if (s)
		*out = (struct log_stat){ (int64_t)s->bytes.len, s->changed_us };
	lock_give(&fs->docs);
	return err;
}

ssize_t scratch_read(struct fs *fs, int64_t id, int64_t offset, char *dst, size_t size)
{
	lock_take(&fs->docs);
	const struct scratch *s = scratch_by_id(fs, id);
	uint64_t leads = s && !s->opens ? s->became_ino : 0;
	ssize_t got = !s ? -ENOENT : S_ISDIR(s->mode) ? -EISDIR : 0;
	if (got == 0 && !leads && offset >= 0 && offset < (int64_t)s->bytes.len) {
		size_t left = s->bytes.len - (size_t)offset;
		got = (ssize_t)(left < size ? left : size);
		memcpy(dst, s->bytes.data + offset, (size_t)got);
	}
	lock_give(&fs->docs);
	return leads ? tree_read(fs, leads, offset, dst, size) : got;
}

int scratch_target(struct fs *fs, int64_t id, struct buf *out)
{
	lock_take(&fs->docs);
	const struct scratch *s = scratch_by_id(fs, id);
	int err = !s ? -ENOENT : S_ISLNK(s->mode) ? 0 : -EINVAL;
	if (!err)
		buf_add(out, s->bytes.data, s->bytes.len);
	lock_give(&fs->docs);
	return err;
}

mode_t scratch_mode(struct fs *fs, int64_t id)
{
	lock_take(&fs->docs);
	const struct scratch *s = scratch_by_id(fs, id);
	mode_t mode = s ? s->mode : fs->tree[KIND_SCRATCH].mode;
	lock_give(&fs->docs);
	return mode;
}

uint64_t scratch_ino_now(struct fs *fs, uint64_t ino)
{
	if (ino_kind(ino) != KIND_SCRATCH)
		return ino;
	lock_take(&fs->docs);
	const struct scratch *s = scratch_by_id(fs, ino_id(ino));
	if (s && s->became_ino)
		ino = s->became_ino;
	lock_give(&fs->docs);
	return ino;
}

void scratch_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	lock_take(&fs->docs);
	const struct scratch *s = scratch_by_id(fs, ino_id(ino));
	if (s && s->name[0])
		(void)snprintf(dst, size, "%s", s->name);
	else if (s && s->became_ino)
		tree_name(fs, s->became_ino, dst, size);
	lock_give(&fs->docs);
}

uint64_t scratch_parent(struct fs *fs, uint64_t ino)
{
	lock_take(&fs->docs);
	const struct scratch *s = scratch_by_id(fs, ino_id(ino));
	uint64_t parent = s ? s->dir : FUSE_ROOT_ID;
	lock_give(&fs->docs);
	return parent;
}

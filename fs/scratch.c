/* SPDX-License-Identifier: MIT */
/*
 * A list: there are a handful at a time.  One that became a document stays until
 * the next start if the kernel may still ask for its inode; it holds no bytes then.
 */
#include "fs/scratch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"

enum { BECAME_MOST = 64 };

/* Every change of how many bytes a scratch file has. */
static void count_bytes(struct fs *fs, const struct scratch *s, int64_t more)
{
	fs->scratches.bytes += more;
	if (s->log)
		fs->scratches.log_bytes += more;
}

/* Does what stands there stand below logs/? */
static bool is_log_dir(struct fs *fs, uint64_t dir)
{
	const struct scratch *s = ino_kind(dir) == KIND_SCRATCH ?
		scratch_by_id(fs, ino_id(dir)) : NULL;
	return s ? s->log : ino_kind(dir) == KIND_LOGS;
}

static void enter_logs(struct fs *fs, struct scratch *s)
{
	if (s->log)
		return;
	s->log = true;
	fs->scratches.log_count++;
	fs->scratches.log_bytes += (int64_t)s->bytes.len;
}

static void leave_logs(struct fs *fs, struct scratch *s)
{
	if (!s->log)
		return;
	s->log = false;
	fs->scratches.log_count--;
	fs->scratches.log_bytes -= (int64_t)s->bytes.len;
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
	s->next = fs->scratches.first;
	fs->scratches.first = s;
	fs->scratches.bytes += (int64_t)row->len;
	if (s->id > fs->scratches.last_id)
		fs->scratches.last_id = s->id;
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
	if (ino_kind(dir) == KIND_LOGS)
		enter_logs(fs, s);
	if (s->log)
		s->told = false;
	if (!s->log || s->touched_us == 0)
		s->touched_us = store_time(fs->store);
}

int scratch_load(struct fs *fs)
{
	int err = errno_of_store(store_scratch_each(fs->store, put_back, fs));
	for (struct scratch *s = fs->scratches.first; s; s = s->next)
		put_in_logs(fs, s);
	return err;
}

static void forget(struct fs *fs, struct scratch *s)
{
	for (struct scratch **p = &fs->scratches.first; *p; p = &(*p)->next) {
		if (*p == s) {
			*p = s->next;
			break;
		}
	}
	leave_logs(fs, s);
	count_bytes(fs, s, -(int64_t)s->bytes.len);
	buf_release(&s->bytes);
	free(s);
}

void scratch_release(struct fs *fs)
{
	while (fs->scratches.first) {
		struct scratch *s = fs->scratches.first;
		if (s->name[0])
			scratch_keep(fs, s);
		forget(fs, s);
	}
}

/* The oldest that became documents: the kernel has long looked their names up again. */
static void thin(struct fs *fs)
{
	struct scratch *oldest = NULL;
	int count = 0;
	for (struct scratch *s = fs->scratches.first; s; s = s->next) {
		if (s->became && !s->opens && !s->name[0]) {
			oldest = s;
			count++;
		}
	}
	if (count > BECAME_MOST)
		forget(fs, oldest);
}

int scratch_room(struct fs *fs, uint64_t dir)
{
	return is_log_dir(fs, dir) && fs->scratches.log_count >= LOGS_COUNT ? -ENOSPC : 0;
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
	return fs->scratches.log_bytes + (int64_t)s->bytes.len > LOGS_MOST ? -ENOSPC :
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
	s->id = ++fs->scratches.last_id;
	s->dir = dir;
	(void)snprintf(s->name, sizeof s->name, "%s", name);
	s->mode = mode;
	s->made_us = s->changed_us = now_us();
	s->touched_us = store_time(fs->store);
	s->appends = true;
	if (is_log_dir(fs, dir))
		enter_logs(fs, s);
	touch_dir(fs, dir);
	s->next = fs->scratches.first;
	fs->scratches.first = s;
	return s;
}

struct scratch *scratch_by_id(struct fs *fs, int64_t id)
{
	struct scratch *s = fs->scratches.first;
	while (s && s->id != id)
		s = s->next;
	return s;
}

struct scratch *scratch_find(struct fs *fs, uint64_t dir, const char *name)
{
	struct scratch *s = fs->scratches.first;
	while (s && (s->dir != dir || !s->name[0] || strcmp(s->name, name) != 0))
		s = s->next;
	return s;
}

struct scratch *scratch_next(struct fs *fs, uint64_t dir, int64_t after)
{
	struct scratch *best = NULL;
	for (struct scratch *s = fs->scratches.first; s; s = s->next)
		if (s->dir == dir && s->name[0] && s->id > after && (!best || s->id < best->id))
			best = s;
	return best;
}

int scratch_resize(struct fs *fs, struct scratch *s, int64_t size)
{
	int64_t more = size - (int64_t)s->bytes.len;
	if (size > (s->log ? LOG_FILE_MOST : SCRATCH_FILE_MOST))
		return -EFBIG;
	if (more > 0 && (fs->scratches.bytes + more > SCRATCH_MOST ||
	                 (s->log && fs->scratches.log_bytes + more > LOGS_MOST)))
		return -ENOSPC;
	if (!buf_resize(&s->bytes, (size_t)size))
		return -ENOMEM;
	count_bytes(fs, s, more);
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
	if (s->stored) {
		s->written = true; /* so that the row follows */
		scratch_keep(fs, s);
	}
}

void scratch_unlink(struct fs *fs, struct scratch *s)
{
	if (s->stored)
		(void)store_scratch_drop(fs->store, s->id);
	s->stored = false;
	s->name[0] = '\0';
	touch_dir(fs, s->dir);
	if (s->opens == 0 && !s->became)
		forget(fs, s);
}

static void drop_bytes(struct fs *fs, struct scratch *s)
{
	count_bytes(fs, s, -(int64_t)s->bytes.len);
	buf_release(&s->bytes);
}

void scratch_close(struct fs *fs, struct scratch *s)
{
	if (--s->opens > 0 || s->name[0])
		return;
	if (s->became)
		drop_bytes(fs, s);
	else
		forget(fs, s);
}

uint64_t scratch_leads(const struct scratch *s)
{
	return s->became > 0 ? ino_make(KIND_DOC, s->became) :
		s->became < -BECAME_SUMMARY ? ino_make(KIND_SUMMARY, -s->became - BECAME_SUMMARY) :
		s->became < 0 ? ino_make(KIND_FACT_LIST, -s->became) : 0;
}

void scratch_joins(struct fs *fs, struct scratch *s, int64_t doc, int64_t base)
{
	bool written = s->written && s->writers > 0, appends = s->appends;
	scratch_became(fs, s, doc, base);
	s->written = written;
	s->appends = appends;
	s->kept = 0; /* its bytes were not made from the document's */
	s->base = 0;
}

void scratch_became(struct fs *fs, struct scratch *s, int64_t doc, int64_t base)
{
	leave_logs(fs, s);
	s->became = doc;
	s->base = base;
	s->newborn = s->written = false;
	s->kept = s->bytes.len;
	s->appends = true;
	if (s->name[0])
		scratch_unlink(fs, s);
	if (s->opens == 0)
		drop_bytes(fs, s);
}

/* The ids in the side database, sorted as store_scratch_each() hands them out. */
struct ids {
	int64_t *of;
	size_t count, cap;
	bool failed;
};

static void add_id(void *ctx, const struct scratch_row *row)
{
	struct ids *ids = ctx;
	if (ids->count == ids->cap) {
		size_t cap = 2 * ids->cap + 64;
		int64_t *of = realloc(ids->of, cap * sizeof *of);
		ids->failed = ids->failed || !of;
		if (!of)
			return;
		ids->of = of;
		ids->cap = cap;
	}
	ids->of[ids->count++] = row->id;
}

static bool has_id(const struct ids *ids, int64_t id)
{
	size_t i = 0;
	while (i < ids->count && ids->of[i] != id)
		i++;
	return i < ids->count;
}

void scratch_follow(struct fs *fs)
{
	struct ids ids = { .of = NULL };
	bool known = store_scratch_each(fs->store, add_id, &ids) == 0 && !ids.failed;
	for (struct scratch *s = fs->scratches.first, *next; s; s = next) {
		next = s->next;
		if (s->became && !s->written) {
			drop_bytes(fs, s);
		} else if (known && s->stored && !has_id(&ids, s->id)) {
			drop_bytes(fs, s);
			s->written = false;
			scratch_unlink(fs, s);
		}
	}
	free(ids.of);
}

void scratch_keep(struct fs *fs, struct scratch *s)
{
	struct scratch_row row = { .id = s->id, .dir = s->dir, .name = s->name, .mode = s->mode,
		.changed_us = s->changed_us, .touched_us = s->touched_us,
		.bytes = s->bytes.data ? s->bytes.data : "", .len = s->bytes.len };
	if ((s->stored && !s->written) || s->became || s->newborn || !s->name[0])
		return;
	if (store_scratch_put(fs->store, &row) == 0) {
		s->stored = true;
		s->written = false;
	}
}

/* SPDX-License-Identifier: MIT */
/*
 * Names that were asked for and are not there.  Whoever makes a file asks for its name first, and
 * so do shells and editors on their way; so nothing is said at once.  A name waits half a second;
 * if nobody has made it by then, and it is not one that programs ask for by themselves,
 * errors.log says what was meant.  At most so much is said that a storm of questions leaves the
 * other lines of errors.log where they are.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"
#include "fs/save/missing.h"
#include "fs/save/save.h"
#include "store/base/hash.h"

enum {
	WAITING_MOST = 16,
	WAIT_MS = 300,      /* so long a name may take to be made */
	TOLD_MOST = 64,     /* names remembered as told */
	TOLD_MS = 3600000,  /* for so long */
	MINUTE_MS = 60000,
	MINUTE_MOST = 10    /* lines a minute */
};

struct asked {
	uint64_t dir;
	int64_t since_ms;
	char name[NAME_LIMIT + 1], author[FIELD_MAX + 1];
};

struct missing {
	struct lock lock; /* guards all below; nothing is asked of others under it */
	size_t waiting;
	struct asked items[WAITING_MOST];
	struct told {
		uint64_t key; /* of directory and name; 0: none */
		int64_t at_ms;
	} told[TOLD_MOST];
	size_t told_next;
	int64_t minute_ms; /* since when `lines` were written */
	int lines;
};

int missing_start(struct fs *fs, const struct fs_options *o)
{
	(void)o;
	fs->missing = fs->unmounted ? NULL : calloc(1, sizeof *fs->missing);
	if (fs->unmounted)
		return 0;
	if (!fs->missing)
		return -ENOMEM;
	lock_init(&fs->missing->lock, RANK_MISSING);
	return 0;
}

void missing_stop(struct fs *fs)
{
	if (!fs->missing)
		return;
	lock_destroy(&fs->missing->lock);
	free(fs->missing);
	fs->missing = NULL;
}

/* Never 0.  Two names with one key: the second is not told, for an hour. */
static uint64_t told_key(uint64_t dir, const char *name)
{
	uint64_t key = hash_text(HASH_NONE ^ dir, name);
	return key ? key : 1;
}

static bool was_told(const struct missing *m, uint64_t key, int64_t now)
{
	for (size_t i = 0; i < TOLD_MOST; i++)
		if (m->told[i].key == key && now - m->told[i].at_ms < TOLD_MS)
			return true;
	return false;
}

static bool waits(const struct missing *m, uint64_t dir, const char *name)
{
	for (size_t i = 0; i < m->waiting; i++)
		if (m->items[i].dir == dir && strcmp(m->items[i].name, name) == 0)
			return true;
	return false;
}

/* True if one more may be written in this minute. */
static bool may_tell(struct missing *m, int64_t now)
{
	if (now - m->minute_ms >= MINUTE_MS) {
		m->minute_ms = now;
		m->lines = 0;
	}
	return m->lines < MINUTE_MOST;
}

void missing_asked(fuse_req_t req, uint64_t dir, const char *name)
{
	struct missing *m = fs_of(req)->missing;
	int64_t now = now_ms();
	if (!m || strlen(name) > NAME_LIMIT || missing_is_probe(name))
		return;
	lock_take(&m->lock);
	bool full = m->waiting == WAITING_MOST || !may_tell(m, now) ||
	            was_told(m, told_key(dir, name), now) || waits(m, dir, name);
	lock_give(&m->lock);
	if (full)
		return;
	struct asked a = { .dir = dir, .since_ms = now };
	(void)snprintf(a.name, sizeof a.name, "%s", name);
	author_of(req, a.author); /* the program may be over in a moment */
	lock_take(&m->lock);
	if (m->waiting < WAITING_MOST && !waits(m, dir, name))
		m->items[m->waiting++] = a;
	lock_give(&m->lock);
}

/* The last one takes the place of one that goes; no name stays behind them.  m->lock held. */
static void drop(struct missing *m, size_t i)
{
	m->items[i] = m->items[--m->waiting];
	memset(&m->items[m->waiting], 0, sizeof m->items[0]);
}

/* Takes out one that has waited long enough; false: none has. */
static bool take_due(struct missing *m, int64_t now, struct asked *out)
{
	bool due = false;
	lock_take(&m->lock);
	for (size_t i = 0; !due && i < m->waiting; i++) {
		if (now - m->items[i].since_ms < WAIT_MS)
			continue;
		due = true;
		*out = m->items[i];
		drop(m, i);
	}
	lock_give(&m->lock);
	return due;
}

void missing_over(struct fs *fs, uint64_t dir, const char *name)
{
	struct missing *m = fs->missing;
	if (!m)
		return;
	lock_take(&m->lock);
	for (size_t i = 0; i < m->waiting; i++)
		if (m->items[i].dir == dir && strcmp(m->items[i].name, name) == 0)
			drop(m, i--);
	lock_give(&m->lock);
}

void missing_forget(struct fs *fs)
{
	struct missing *m = fs->missing;
	if (!m)
		return;
	lock_take(&m->lock);
	while (m->waiting > 0)
		drop(m, 0);
	lock_give(&m->lock);
}

/* Counts the line that is to be written; false: there were enough. */
static bool count_line(struct missing *m, const struct asked *a, int64_t now)
{
	lock_take(&m->lock);
	bool may = may_tell(m, now);
	if (may) {
		m->lines++;
		m->told[m->told_next++ % TOLD_MOST] = (struct told){ told_key(a->dir, a->name), now };
	}
	lock_give(&m->lock);
	return may;
}

static bool missing_tell_one(struct fs *fs, const struct asked *a, int64_t now)
{
	char path[PATH_LIMIT + 1];
	struct why why = { 0 };
	uint64_t ino;
	if (tree_lookup(fs, a->dir, a->name, &ino) != -ENOENT ||
	    !missing_words(fs, a->dir, a->name, &why) || !count_line(fs->missing, a, now))
		return false;
	tree_path(fs, a->dir, a->name, path, sizeof path);
	struct refusal r = { .time_us = now_us(), .code = "ENOENT", .op = "open", .path = path,
		.author = a->author, .reason = why.text, .todo = why.todo };
	told_line(fs, &r);
	return true;
}

void missing_tick(struct fs *fs, struct job *job)
{
	struct asked *a = fs->missing ? malloc(sizeof *a) : NULL;
	int64_t now = now_ms();
	bool told = false;
	while (a && take_due(fs->missing, now, a))
		told |= missing_tell_one(fs, a, now);
	if (told)
		job_errors(job);
	free(a);
}

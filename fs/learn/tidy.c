/* SPDX-License-Identifier: MIT */
/*
 * What time does in places, twice a second: scratch files are kept against a
 * crash and go after a day, a hidden document comes back, and who left a file
 * that only looks like memory is told.
 */
#include "fs/learn/learn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/facts/facts.h"
#include "fs/internal.h"
#include "fs/answers/answers.h"
#include "store/ticker.h"

#define REST_US INT64_C(2000000) /* a large file is kept when it rests, or after BUSY_TICKS */
enum { MUCH = 1 << 20, TICK_MS = 500, STRAY_S = 60, FACT_TICKS = 7200, BUSY_TICKS = 60 };

struct tidy {
	pthread_t thread;
	struct ticker ticker;
};

/* Names that editors and tools make: nobody means them as memory. */
static bool is_tools_own(const char *name)
{
	static const char *const endings[] = { "~", ".bak", ".orig", ".rej", ".swp", ".swo", ".tmp",
		".save", ".un~", ".part", ".lock" };
	size_t len = strlen(name);
	if (name[0] == '.' || name[0] == '#')
		return true;
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t n = strlen(endings[i]);
		if (len > n && strcmp(name + len - n, endings[i]) == 0)
			return true;
	}
	return false;
}

/* notes.txt copied into blocks/: say that it is not memory, once. */
static bool tell_stray(struct fs *fs, struct scratch *s, int64_t now)
{
	char path[PATH_LIMIT + 1], kept[NAME_LIMIT + 1];
	struct place p;
	if (s->told || s->opens || !S_ISREG(s->mode) ||
	    now - s->changed_us < STRAY_S * INT64_C(1000000) || is_tools_own(s->name) ||
	    place_of(fs, s->dir, &p) || (!p.key[0] && !p.summaries))
		return false;
	s->told = true;
	tree_path(fs, s->dir, s->name, path, sizeof path);
	struct refusal r = { .time_us = now, .code = "SCRATCH", .op = "create", .path = path,
		.author = "cinta", .reason = "this name is not a memory's here: it goes after 24 hours",
		.todo = p.summaries ? "rename it to FIRST-LAST.md, as in 3-9.md" :
			p.family == FAMILY_NOTE ? "rename it to NAME.md or NAME.txt" :
			p.family == FAMILY_ALGORITHM ? "rename it to VERSION.json" :
			p.family == FAMILY_ANSWER ? "rename it to QUESTION.md" :
			"rename it to CODE.md, or move it into notes/", .kept = "" };
	(void)store_refuse(fs->store, &r, "", NULL, 0, kept);
	return true;
}

static bool lasts(struct fs *fs, const struct scratch *s)
{
	uint64_t dir = s->dir;
	for (int depth = 0; ino_kind(dir) == KIND_SCRATCH && depth < DEPTH_MOST; depth++)
		dir = tree_parent(fs, dir);
	return node_of(fs, dir)->place.flags & PLACE_LASTS;
}

/* Elsewhere a link is an editor's lock, which would outlive its process. */
static bool outlives_us(struct fs *fs, const struct scratch *s)
{
	return !S_ISLNK(s->mode) || s->log || lasts(fs, s);
}

/* Nobody's any more: not in the workspace, not open, unchanged for a day, nothing below it. */
static bool is_over(struct fs *fs, const struct scratch *s, int64_t now)
{
	if (s->opens || now - s->touched_us < SCRATCH_HOURS * INT64_C(3600000000) ||
	    scratch_next(fs, ino_make(KIND_SCRATCH, s->id), 0))
		return false;
	return !lasts(fs, s);
}

static void tidy_scratch(struct fs *fs, struct job *job, bool busy_too)
{
	int64_t now = store_time(fs->store);
	for (struct scratch *s = scratch_first(fs), *next; s; s = next) {
		next = s->next;
		if (!s->name[0])
			continue;
		if (tell_stray(fs, s, now_us()))
			job_inode(job, ino_make(KIND_ERRORS, 0));
		if (is_over(fs, s, now)) {
			job_inode(job, s->dir);
			scratch_unlink(fs, s);
		} else if (outlives_us(fs, s) &&
		           (busy_too || s->bytes.len < MUCH || now - s->touched_us > REST_US)) {
			scratch_keep(fs, s);
		}
	}
}

/* True if somebody is just writing it anew. */
static bool is_being_saved(struct fs *fs, const struct doc *d)
{
	const struct scratch *s = scratch_find(fs, place_ino(fs, d->parent), d->name);
	return s && s->newborn && s->opens;
}

static void tidy_hidden(struct fs *fs, struct job *job)
{
	struct doc d;
	int64_t id;
	for (int at = HIDDEN_MOST; (id = hidden_overdue(fs, &at)) != 0;) {
		if (store_doc_by_id(fs->store, id, &d) || is_being_saved(fs, &d))
			continue;
		unhide(fs, id);
		job_inode(job, place_ino(fs, d.parent));
	}
}

/* True if there is somebody who could read what is learnt. */
static bool fs_mounted_somewhere(struct fs *fs)
{
	lock_take(&fs->lock);
	bool any = fs->mounts != NULL;
	lock_give(&fs->lock);
	return any;
}

static void *tick(void *arg)
{
	struct fs *fs = arg;
	struct tidy *t = fs->tidy;
	int64_t ticks = 0;
	while (ticker_wait(&t->ticker, TICK_MS)) {
		struct job job;
		job_init(&job, fs);
		if (++ticks % FACT_TICKS == 0)
			job_facts(&job, 0); /* facts age */
		lock_take(&fs->docs);
		tidy_scratch(fs, &job, ticks % BUSY_TICKS == 0);
		tidy_hidden(fs, &job);
		answers_tick(fs, &job);
		lock_give(&fs->docs);
		if (fs_mounted_somewhere(fs))
			signals_read(fs, &job);
		job_finish(&job, NULL, NULL, NULL);
	}
	return NULL;
}

int tidy_start(struct fs *fs, const struct fs_options *o)
{
	struct tidy *t = fs->unmounted ? NULL : calloc(1, sizeof *t);
	(void)o;
	if (fs->unmounted)
		return 0;
	if (!t)
		return -ENOMEM;
	ticker_init(&t->ticker, RANK_TIDY);
	fs->tidy = t;
	if (pthread_create(&t->thread, NULL, tick, fs) == 0)
		return 0;
	ticker_release(&t->ticker);
	free(t);
	fs->tidy = NULL;
	return -EAGAIN;
}

void tidy_stop(struct fs *fs)
{
	struct tidy *t = fs->tidy;
	if (!t)
		return;
	ticker_stop(&t->ticker);
	pthread_join(t->thread, NULL);
	ticker_release(&t->ticker);
	free(t);
	fs->tidy = NULL;
}

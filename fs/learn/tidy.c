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
#include "fs/save/save.h"
#include "store/ticker.h"

#define REST_US INT64_C(2000000) /* a large file is kept when it rests, or after BUSY_TICKS */
#define HOUR_US INT64_C(3600000000)
enum { MUCH = 1 << 20, TICK_MS = 500, STRAY_S = 60, NOTE_S = 60, FACT_TICKS = 7200 };
enum { BUSY_TICKS = 60, SETTLED_S = 2 * NOTE_S };

struct tidy {
	pthread_t thread;
	struct ticker ticker;
};

/* What an editor keeps beside a document: foo.md~, foo.md.bak; or a lock, or a dot file. */
static bool is_beside(struct fs *fs, const struct place *p, const char *name)
{
	char base[NAME_LIMIT + 1];
	struct doc d;
	(void)snprintf(base, sizeof base, "%s", name);
	char *end = strchr(base, '~');
	end = end ? end : strrchr(base, '.');
	if (name[0] == '.' || name[0] == '#')
		return true;
	if (!end)
		return false;
	*end = '\0';
	return p->family == FAMILY_FACTS ? facts_is_name(base) :
		p->summaries ? summary_is_name(base) : place_doc(fs, p, base, &d) == 0;
}

/*
 * notes.rst copied into blocks/, or what looks like a program's temporary file and has been left:
 * say that it is not memory, once.
 */
static bool tell_stray(struct fs *fs, struct scratch *s, int64_t now)
{
	char path[PATH_LIMIT + 1];
	struct place p;
	if (s->told || s->opens || !S_ISREG(s->mode) ||
	    now - s->changed_us < STRAY_S * INT64_C(1000000) || place_of(fs, s->dir, &p) ||
	    (!p.key[0] && !p.summaries) || place_rests(&p, s->name) ||
	    (p.summaries && summary_is_name(s->name)) || is_beside(fs, &p, s->name))
		return false;
	bool goes = render_is_temporary(s->name);
	s->told = true;
	tree_path(fs, s->dir, s->name, path, sizeof path);
	struct refusal r = { .time_us = now, .code = "SCRATCH", .op = "create", .path = path,
		.author = "cinta",
		.reason = goes ? "a program's temporary file has such a name: it goes after 24 hours" :
			"this name is not a memory's here: the file is kept, but off the tape",
		.todo = goes ? "to keep it, rename it" : naming_place(&p) };
	told_line(fs, &r);
	return true;
}

/*
 * True if it stays until it is removed: all in the workspace, and elsewhere but in logs/ all but
 * what has a temporary name or stands in a directory that has.
 */
static bool lasts(struct fs *fs, const struct scratch *s)
{
	uint64_t dir;
	s = scratch_by_id(fs, ino_id(tree_top(fs, ino_make(KIND_SCRATCH, s->id), &dir)));
	if (!s) /* a directory of it is not there */
		return false;
	unsigned flags = node_of(fs, dir)->place.flags;
	return (flags & PLACE_LASTS) || (!(flags & PLACE_LOGS) && !render_is_temporary(s->name));
}

/* Elsewhere a link is an editor's lock, which would outlive its process. */
static bool outlives_us(struct fs *fs, const struct scratch *s)
{
	return !S_ISLNK(s->mode) || s->log || lasts(fs, s);
}

/*
 * When it is nobody's any more: it does not last, is not open, unchanged for a day, nothing below
 * it.  What is in use is looked at again in an hour.
 */
static int64_t over_at(struct fs *fs, const struct scratch *s, int64_t now)
{
	int64_t at = s->touched_us + SCRATCH_US;
	if (lasts(fs, s))
		return INT64_MAX;
	if (now >= at && (s->opens || scratch_next(fs, ino_make(KIND_SCRATCH, s->id), 0)))
		return now + HOUR_US;
	return at;
}

/* A summary that was put back before its session's log was; true once its messages are there. */
static bool is_summary(struct fs *fs, const struct scratch *s, const struct place *p)
{
	struct why why = { 0 };
	return p->summaries && summary_is_name(s->name) &&
	       summary_check(fs, s->dir, s->name, &why) == 0;
}

/* True if it is a note by now: nobody has it open, and it has rested, or `all` do. */
static bool has_rested(struct fs *fs, const struct scratch *s, int64_t now, bool all)
{
	struct place p;
	if (!S_ISREG(s->mode) || s->opens || s->promoted_to || s->newborn ||
	    (s->tried_us && s->tried_us >= s->touched_us))
		return false;
	if (place_of(fs, s->dir, &p))
		return false;
	if (is_summary(fs, s, &p))
		return true;
	return place_rests(&p, s->name) && (all || now - s->touched_us >= NOTE_S * INT64_C(1000000));
}

/* It cannot be a document: it stays as it is, off the tape, and somebody should know. */
static void tell_unrest(struct fs *fs, const struct scratch *s, int err, const struct why *why)
{
	char path[PATH_LIMIT + 1];
	const char *code = strerrorname_np(-err);
	tree_path(fs, s->dir, s->name, path, sizeof path);
	struct refusal r = { .time_us = now_us(), .code = code ? code : "EIO", .op = "save",
		.path = path, .author = s->author[0] ? s->author : "cinta",
		.reason = why->text[0] ? why->text : "it could not be saved: it is kept off the tape",
		.todo = why->todo };
	told_line(fs, &r);
}

/* A file in notes/ whose name looks like no document's becomes one. */
static void settle(struct fs *fs, struct scratch *s, struct job *job)
{
	struct saved saved = { 0 };
	struct why why = { 0 };
	const struct save save = { .dir = s->dir, .name = s->name, .bytes = s->bytes.data,
		.len = s->bytes.len, .author = s->author[0] ? s->author : "cinta",
		.talk = &s->talk, .uid = s->uid,
		.base = -1, .made_us = s->made_us };
	uint64_t dir = s->dir;
	int err = s->torn.err;
	if (err)
		torn_why(&why);
	else
		err = save_document(fs, &save, &saved, &why);
	if (err) {
		s->tried_us = store_time(fs->store);
		tell_unrest(fs, s, err, &why);
		job_errors(job);
		return;
	}
	if (s->timed && ino_doc(saved.ino))
		times_set(fs, ino_doc(saved.ino), s->changed_us);
	scratch_promote(fs, s, saved.ino, saved.version, saved.made);
	job_saved(job, &saved);
	job_inode(job, dir);
}

/* What has rested becomes a document. */
static void settle_notes(struct fs *fs, struct job *job, int64_t now)
{
	for (struct scratch *s = scratch_fresh(fs), *next; s && !store_frozen(fs->store); s = next) {
		next = s->fresh_next;
		if (s->name[0] && has_rested(fs, s, now, false))
			settle(fs, s, job);
	}
}

/* And what has not rested yet, when the memory is put away. */
static void settle_all(struct fs *fs, struct job *job)
{
	int64_t now = store_time(fs->store);
	for (struct scratch *s = scratch_first(fs), *next; s && !store_frozen(fs->store); s = next) {
		next = s->next;
		if (s->name[0] && has_rested(fs, s, now, true))
			settle(fs, s, job);
	}
}

/* Those whose day is over go.  Looks at all of them, when one of them may be. */
static void drop_over(struct fs *fs, struct job *job)
{
	int64_t now = store_time(fs->store), due = INT64_MAX;
	if (now < scratch_due(fs))
		return;
	scratch_set_due(fs, INT64_MAX);
	for (struct scratch *s = scratch_first(fs), *next; s; s = next) {
		next = s->next;
		if (!s->name[0])
			continue;
		int64_t at = over_at(fs, s, now);
		if (at <= now) {
			job_inode(job, s->dir);
			scratch_unlink(fs, s); /* its directory may be over in an hour */
		} else if (at < due) {
			due = at;
		}
	}
	if (due < scratch_due(fs))
		scratch_set_due(fs, due);
}

/* Neither kept nor told of, nor a document: there is nothing to wait for. */
static bool is_settled(struct fs *fs, const struct scratch *s, int64_t now)
{
	struct place p;
	if (!s->name[0])
		return true;
	if (!s->newborn && outlives_us(fs, s) && (!s->stored || s->written))
		return false;
	bool place = place_of(fs, s->dir, &p) == 0;
	if (place && p.summaries && summary_is_name(s->name) && !s->tried_us)
		return false; /* its messages may come at any time */
	if (now - s->touched_us > SETTLED_S * INT64_C(1000000))
		return !store_frozen(fs->store);
	return !place || (!p.key[0] && !p.summaries);
}

/* What the side database no longer has, and what it is to lose; true: errors.log tells of it. */
static bool follow_side(struct fs *fs)
{
	bool lost = store_scratch_lost(fs->store);
	if (lost)
		scratch_lost(fs);
	scratch_drop_again(fs);
	return lost;
}

/* The store says that some could not be kept, until none of them is left. */
static void tell_kept(struct fs *fs)
{
	for (const struct scratch *s = scratch_fresh(fs); s; s = s->fresh_next)
		if (s->unkept && s->name[0] && !s->promoted_to && !s->newborn)
			return;
	store_scratch_kept(fs->store);
}

/*
 * One time for the whole round: if the clock jumped on the way (a machine wakes), one that had not
 * rested when notes were made would count as settled after it, and nobody would look at it again.
 */
static void tidy_scratch(struct fs *fs, struct job *job, bool busy_too)
{
	int64_t now = store_time(fs->store);
	struct scratch *kept[KEPT_TOGETHER];
	size_t count = 0;
	if (follow_side(fs))
		job_errors(job);
	settle_notes(fs, job, now);
	for (struct scratch *s = scratch_fresh(fs), *next; s; s = next) {
		next = s->fresh_next;
		if (s->name[0] && tell_stray(fs, s, now_us()))
			job_errors(job);
		if (s->name[0] && outlives_us(fs, s) &&
		    (busy_too || s->bytes.len < MUCH || now - s->touched_us > REST_US))
			kept[count++] = s;
		if (count == KEPT_TOGETHER) {
			(void)scratch_keep_all(fs, kept, count);
			count = 0;
		}
		if (is_settled(fs, s, now))
			scratch_settled(fs, s);
	}
	(void)scratch_keep_all(fs, kept, count);
	tell_kept(fs);
	drop_over(fs, job);
}

size_t fs_keep(struct fs *fs)
{
	size_t left = 0;
	lock_take(&fs->docs);
	(void)follow_side(fs);
	for (struct scratch *s = scratch_first(fs); s; s = s->next)
		if (s->name[0] && outlives_us(fs, s))
			left += scratch_keep(fs, s) != 0;
	tell_kept(fs);
	lock_give(&fs->docs);
	return left;
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
		hidden_remove(fs, id);
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

static void tidy_all(struct fs *fs, struct job *job, int64_t ticks)
{
	if (ticks % FACT_TICKS == 0)
		job_facts(job, 0); /* facts age */
	lock_take(&fs->docs);
	tidy_scratch(fs, job, ticks % BUSY_TICKS == 0);
	tidy_hidden(fs, job);
	answers_tick(fs, job);
	lock_give(&fs->docs);
	missing_tick(fs, job);
}

static void *tick(void *arg)
{
	struct fs *fs = arg;
	struct tidy *t = fs->tidy;
	int64_t ticks = 0, due = 0;
	bool behind = false; /* with what users said: then all there is, without a rest */
	while (ticker_wait(&t->ticker, behind ? 0 : TICK_MS)) {
		struct job job;
		job_init(&job, fs);
		if (!behind || now_ms() >= due) {
			tidy_all(fs, &job, ++ticks);
			due = now_ms() + TICK_MS;
		}
		behind = fs_mounted_somewhere(fs) && signals_read(fs, &job);
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
	scratch_reject_forged(fs);
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
	struct job job;
	job_init(&job, fs);
	lock_take(&fs->docs);
	settle_all(fs, &job); /* they were accepted: the memory that is put away has them */
	lock_give(&fs->docs);
	job_finish(&job, NULL, NULL, NULL);
	ticker_release(&t->ticker);
	free(t);
	fs->tidy = NULL;
}

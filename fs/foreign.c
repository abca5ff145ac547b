/* SPDX-License-Identifier: MIT */
/*
 * Entries that another process has appended, a program beside us or a machine elsewhere: what the
 * kernel holds of what they are about must go, and nothing else.  Called by the store's owner
 * thread, which may be told ten times a second: who reads other files must not notice.
 *
 * A stream says what its entries are about, by its name (docs/format.md):
 *
 *   s17        that session's log and what is made of it, and its threads'
 *   d42        that document; the directories and names between which it moved
 *   f1 r1 c17  a list of facts, a log of records, a session's window
 *   documents, sessions   what was made: its directory
 *   any other  everything
 *
 * Each is told as a save of ours is (on_saved in fs.c), so there is one place that knows what a
 * save changes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/documents/documents.h"
#include "fs/fs.h"
#include "fs/internal.h"
#include "fs/logs/logs.h"

enum {
	ENTRIES_MOST = 5000, /* of more it is quicker to tell all */
	STREAMS_MOST = 256,
	PLACES_MOST = 64
};

struct stream {
	char name[32];
	int64_t first, last;
};

/* What the store calls back with is noted, for a callback must not ask it. */
struct places {
	struct {
		char parent[DOC_KEY_MAX + 1], name[NAME_LIMIT + 1];
	} at[PLACES_MOST];
	int count;
};

struct foreign {
	struct fs *fs;
	struct job *job;
	int64_t seq;
	struct stream stream[STREAMS_MOST + 1];
	int count;
	bool threads;
	struct places places;
};

static void take_stream(void *ctx, const struct touched_stream *t)
{
	struct foreign *f = ctx;
	struct stream *s = &f->stream[f->count];
	f->threads |= t->threads;
	if (f->count > STREAMS_MOST)
		return;
	f->count++;
	*s = (struct stream){ .first = t->first, .last = t->last };
	if (strlen(t->stream) < sizeof s->name)
		memcpy(s->name, t->stream, strlen(t->stream));
}

static void take_place(void *ctx, const char *parent, const char *name)
{
	struct places *p = ctx;
	if (p->count >= PLACES_MOST)
		return;
	(void)snprintf(p->at[p->count].parent, sizeof p->at[0].parent, "%s", parent);
	(void)snprintf(p->at[p->count++].name, sizeof p->at[0].name, "%s", name);
}

static void take_thread(void *ctx, int64_t thread)
{
	job_thread(ctx, thread);
}

static void tell_saved(struct foreign *f, struct saved saved)
{
	saved.elsewhere = true;
	job_saved(f->job, &saved);
}

static bool tell_session(struct foreign *f, int64_t id, const struct stream *s)
{
	(void)s;
	job_inode(f->job, ino_make(KIND_LOG, id));
	tell_saved(f, (struct saved){ .ino = ino_make(KIND_LOG, id) });
	return true;
}

static bool tell_record(struct foreign *f, int64_t id, const struct stream *s)
{
	(void)s;
	job_inode(f->job, ino_make(KIND_RECORD, id));
	tell_saved(f, (struct saved){ .ino = ino_make(KIND_RECORD, id) });
	return true;
}

static bool tell_window(struct foreign *f, int64_t id, const struct stream *s)
{
	(void)s;
	tell_saved(f, (struct saved){ .ino = ino_make(KIND_CTL, id) });
	return true;
}

static bool tell_facts(struct foreign *f, int64_t id, const struct stream *s)
{
	(void)s;
	tell_saved(f, (struct saved){ .ino = ino_make(KIND_FACT_LIST, id) });
	return true;
}

/* A version of what stands where it stood; or what came, moved or went. */
static bool tell_document(struct foreign *f, int64_t id, const struct stream *s)
{
	struct places *p = &f->places;
	struct doc d;
	(void)s;
	p->count = 0;
	if (store_touched_places(f->fs->store, id, f->seq, take_place, p) || p->count == PLACES_MOST)
		return false;
	for (int i = 0; i < p->count; i++) {
		uint64_t dir = place_ino(f->fs, p->at[i].parent);
		tell_saved(f, (struct saved){ .ino = ino_make(KIND_DOC, id), .dir = dir,
			.made = dir != 0 });
		if (dir)
			dentry_forget(f->fs, dir, p->at[i].name, id);
	}
	if (p->count > 0)
		return true;
	int err = store_doc_by_id(f->fs->store, id, &d);
	if (!err)
		tell_saved(f, (struct saved){ .ino = ino_make(KIND_DOC, id),
			.dir = place_ino(f->fs, d.parent) });
	return !err || err == STORE_ENOENT;
}

static bool tell_made(struct foreign *f, int64_t id, const struct stream *s)
{
	bool told = s->last - s->first < ENTRIES_MOST;
	(void)id;
	for (int64_t i = s->first; told && i <= s->last; i++)
		told = tell_document(f, i + 1, s);
	return told;
}

static bool tell_sessions(struct foreign *f, int64_t id, const struct stream *s)
{
	(void)id, (void)s;
	job_inode(f->job, ino_make(KIND_SESSIONS, 0));
	job_inode(f->job, ino_make(KIND_TAPE, 0));
	return true;
}

/* By the letter before a number, or by the whole name. */
static const struct {
	const char *name;
	bool (*tell)(struct foreign *f, int64_t id, const struct stream *s); /* false: tell all */
} tells[] = {
	{ "s", tell_session }, { "d", tell_document }, { "f", tell_facts }, { "r", tell_record },
	{ "c", tell_window }, { "documents", tell_made }, { "sessions", tell_sessions },
};

static bool tell_stream(struct foreign *f, const struct stream *s)
{
	for (size_t i = 0; i < sizeof tells / sizeof *tells; i++) {
		const char *name = tells[i].name;
		int64_t id = name[1] ? 0 : store_stream_number(s->name, name[0]);
		if (name[1] ? strcmp(s->name, name) == 0 : id > 0)
			return tells[i].tell(f, id, s);
	}
	return false;
}

static bool tell_touched(struct job *job, int64_t seq)
{
	struct fs *fs = job->fs;
	if (seq <= 0 || store_entries(fs->store) - seq > ENTRIES_MOST)
		return false;
	struct foreign *f = calloc(1, sizeof *f);
	if (!f)
		return false;
	*f = (struct foreign){ .fs = fs, .job = job, .seq = seq };
	bool told = store_touched(fs->store, seq, STREAMS_MOST + 1, take_stream, f) == 0 &&
		f->count <= STREAMS_MOST;
	for (int i = 0; told && i < f->count; i++)
		told = tell_stream(f, &f->stream[i]);
	if (told && f->threads)
		told = store_touched_threads(fs->store, seq, take_thread, job) == 0;
	free(f);
	return told;
}

/* All that is known of any mount. */
static void tell_all(struct job *job)
{
	struct fs *fs = job->fs;
	for (on_saved_fn *const *told = fs->on_saved; *told; told++)
		(*told)(job, NULL);
	lock_take(&fs->lock);
	for (struct fs_mount *m = fs->mounts; m; m = m->next) {
		size_t count;
		uint64_t *all = kcache_take_all(&m->kcache, &count);
		for (size_t i = 0; i < count; i++) {
			growing_note(fs, all[i]);
			job_add(job, m, all[i]);
		}
		free(all);
	}
	lock_give(&fs->lock);
}

void fs_on_foreign(void *arg, int64_t seq)
{
	struct job job;
	job_init(&job, arg);
	job.elsewhere = true; /* the caller keeps `fs` alive by a lock */
	if (!tell_touched(&job, seq))
		tell_all(&job);
	job_finish(&job, NULL, NULL, NULL);
}

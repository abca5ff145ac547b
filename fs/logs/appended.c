/* SPDX-License-Identifier: MIT */
/* Who is told that lines were stored, or could not be; see lines.h. */
#include "fs/logs/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void job_thread(struct job *job, int64_t id)
{
	struct fs *fs = job->fs;
	job_inode(job, ino_make(KIND_THREAD_LOG, id));
	job_inode(job, ino_make(KIND_THREAD_TRANSCRIPT, id));
	int64_t newest = atomic_load(&fs->newest_thread);
	if (id > newest) {
		atomic_store(&fs->newest_thread, id);
		job_inode(job, ino_make(KIND_THREADS, 0));
	}
}

static void job_thread_named(struct job *job, struct fs *fs, const char *name)
{
	struct group g;
	if (store_group_by_name(fs->store, LOG_THREAD, name, &g) == 0)
		job_thread(job, g.id);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Every line that joins a thread changes the thread's files too; each thread is looked up once. */
static void job_threads(struct job *job, struct fs *fs, const struct request *r)
{
	const char *name = r->threads.data;
	const char **sorted = r->joined > 1 ? malloc(r->joined * sizeof *sorted) : NULL;
	for (size_t i = 0; i < r->joined; i++, name += strlen(name) + 1) {
		if (sorted)
			sorted[i] = name;
		else
			job_thread_named(job, fs, name);
	}
	if (!sorted)
		return;
	qsort(sorted, r->joined, sizeof *sorted, by_name);
	for (size_t i = 0; i < r->joined; i++)
		if (i == 0 || strcmp(sorted[i], sorted[i - 1]) != 0)
			job_thread_named(job, fs, sorted[i]);
	free(sorted);
}

void refuse_offer(fuse_req_t req, int err, uint64_t ino, const struct why *why,
                         const struct buf *offered)
{
	char name[NAME_LIMIT + 1];
	struct offer offer = { name, offered->data, offered->len };
	tree_name(fs_of(req), ino, name, sizeof name);
	refuse(req, err, "write", ino, NULL, why, offered->len ? &offer : NULL);
}

/* A line in errors.log for each line that holds a secret; seldom is there one. */
static bool tell_secrets(struct fs *fs, const struct request *r)
{
	char path[PATH_LIMIT + 1], number[24];
	bool told = false;
	if (fs->secrets != SECRETS_WARN ||
	    render_secrets(r->bodies.data, r->bodies.len, NULL, NULL) == 0)
		return false;
	tree_path(fs, r->ino, NULL, path, sizeof path);
	for (size_t i = 0; i < r->count; i++) {
		const struct draft *d = &r->drafts[i];
		(void)snprintf(number, sizeof number, "%lld",
		               (long long)(r->append.first_seq + (int64_t)i));
		told |= secrets_tell(fs, path, r->author, d->body, d->body_len, number);
	}
	return told;
}

/* The file that the lines were in. */
static void file_goes(struct job *job, const struct request *r)
{
	struct fs *fs = job->fs;
	uint64_t dir = 0;
	lock_take(&fs->docs);
	struct scratch *s = scratch_by_id(fs, ino_id(r->from));
	if (s && s->name[0]) {
		dir = s->dir;
		scratch_unlink(fs, s);
	}
	lock_give(&fs->docs);
	if (dir)
		job_written(job, dir, r->req);
}

/* The store has committed, or could not. */
void request_appended(struct append *a)
{
	struct request *r = a->ctx;
	struct fs_mount *m = mount_of(r->req);
	struct job job;
	struct why why = { 0 };
	struct handle *own = r->own;
	if (a->error && r->from && a->error == STORE_EMOVED) {
		why_set(&why, "append the new ones: cat FILE >> LOG", "lines came into the log meanwhile");
		size_barrier_end(m->fs, &r->held);
		refuse_offer(r->req, EEXIST, r->ino, &why, &r->offered);
	} else if (a->error) {
		why_not_stored(errno_of_store(a->error), "write again", &why);
		lock_take(&r->appender->frame.lock);
		buf_clear(&r->appender->frame.held);
		lock_give(&r->appender->frame.lock);
		size_barrier_end(m->fs, &r->held);
		request_not_answered(m->fs, r);
		refuse_offer(r->req, -errno_of_store(a->error), r->ino, &why, &r->offered);
	} else {
		job_init(&job, m->fs);
		size_barrier_measure(m->fs, &r->held, r->ino); /* before the invalidations */
		job.held = r->held;
		/* Another thread that committed for this one may be in the middle of a save. */
		job.elsewhere = !pthread_equal(r->by, pthread_self());
		if (r->first)
			job_inode(&job, ino_make(KIND_SESSIONS, 0));
		if (tell_secrets(m->fs, r) || r->first) /* perhaps of the session's name */
			job_errors(&job);
		job_written(&job, r->ino, r->req);
		job_saved(&job, &(struct saved){ .ino = r->ino });
		job_threads(&job, m->fs, r);
		if (r->from)
			file_goes(&job, r);
		if (r->written)
			job_finish(&job, r->req, answer_write, (void *)(uintptr_t)r->written);
		else
			job_finish(&job, r->req, answer_err, NULL);
	}
	request_free(r);
	handle_free(own);
	atomic_fetch_sub(&m->pending, 1);
}

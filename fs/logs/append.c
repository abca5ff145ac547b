/* SPDX-License-Identifier: MIT */
/*
 * Writing to a log: bytes become lines, lines become entries, all the lines of
 * one write in one transaction.
 *
 *   WRITE ─► held + bytes ─► up to the last newline: lines ─► render_…_in
 *              ▲  (frame.h)          │                             │ each
 *              └── the rest is held ◄┘                             ▼
 *   reply ◄── notifier ◄── what readers may hold ◄── done ◄── store_append
 *
 * Invariants
 *   1. A line is stored whole or not at all; all lines of a write or none.
 *   2. When a write is refused, it and what was held before it go to rejected/
 *      and nothing is held.
 *   3. Where the bytes go is decided here: the kernel's offset is only looked at
 *      to refuse overwriting (without O_APPEND).
 * The kernel sends the writes of one file one after the other; the frame's lock keeps
 * order should a client not.
 */
#include "fs/logs/logs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"
#include "fs/logs/frame.h"
#include "fs/window/window.h"

struct appender {
	struct handle handle;
	struct frame frame;
	_Atomic uint64_t ino; /* the log's; of KIND_FIRST_LOG until the first line has made a session */
	off_t next; /* frame.lock: where a write without O_APPEND must go on */
};

/* One WRITE or FLUSH on its way through the store. */
struct request {
	struct append append;
	fuse_req_t req;
	struct appender *appender; /* lives as long as the request: RELEASE comes after it */
	uint64_t ino;
	size_t written; /* what to answer; 0: a FLUSH */
	bool first;     /* it made the session, or met it */
	char stream[24];
	char author[FIELD_MAX + 1];
	struct buf defaults;    /* what session.md gives to messages */
	struct buf took;        /* what the assistant was shown, taken from its slot */
	struct buf shown;       /* the same, until its first message here has it */
	struct buf bodies;      /* all bodies, one after the other */
	struct draft *drafts;
	size_t count, room;
	struct buf threads;     /* names of the threads joined, one a line, NUL-terminated */
	size_t joined;          /* how many */
	struct buf offered;     /* for rejected/, should the store fail */
	struct barrier_file held;
	pthread_t by;           /* the thread that brought it */
};

static void request_free(struct request *r)
{
	buf_release(&r->defaults);
	buf_release(&r->took);
	buf_release(&r->shown);
	buf_release(&r->bodies);
	buf_release(&r->threads);
	buf_release(&r->offered);
	free(r->drafts);
	free(r);
}

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

/* True if its lines are records, and not messages. */
static bool is_record(uint64_t ino)
{
	return ino_kind(ino) == KIND_RECORD;
}

static struct log_id log_id_of(const struct fs *fs, uint64_t ino)
{
	return (struct log_id){ node_of(fs, ino)->log, ino_id(ino) };
}

static void refuse_offer(fuse_req_t req, int err, uint64_t ino, const struct why *why,
                         const struct buf *offered)
{
	char name[NAME_LIMIT + 1];
	struct offer offer = { name, offered->data, offered->len };
	tree_name(fs_of(req), ino, name, sizeof name);
	refuse(req, err, "write", ino, NULL, why, offered->len ? &offer : NULL);
}

/* What the assistant was shown still waits for its answer. */
static void not_answered(struct fs *fs, struct request *r)
{
	if (r->took.len > 0)
		exposure_give_back(fs, ino_id(r->ino), &r->took);
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

/* The store has committed, or could not. */
static void appended(struct append *a)
{
	struct request *r = a->ctx;
	struct fs_mount *m = mount_of(r->req);
	struct job job;
	struct why why = { 0 };
	if (a->error) {
		why_set(&why, a->error == STORE_ENOSPC ? "make room on the disk and write again" :
		        "see cinta status and cinta doctor", "not stored: %s", store_strerror(a->error));
		lock_take(&r->appender->frame.lock);
		buf_clear(&r->appender->frame.held);
		lock_give(&r->appender->frame.lock);
		size_barrier_end(m->fs, &r->held);
		not_answered(m->fs, r);
		refuse_offer(r->req, -errno_of_store(a->error), r->ino, &why, &r->offered);
	} else {
		job_init(&job, m->fs);
		size_barrier_measure(m->fs, &r->held, r->ino); /* before the invalidations */
		job.held = r->held;
		/* Another thread that committed for this one may be in the middle of a save. */
		job.elsewhere = !pthread_equal(r->by, pthread_self());
		if (r->first)
			job_inode(&job, ino_make(KIND_SESSIONS, 0));
		if (tell_secrets(m->fs, r))
			job_errors(&job);
		job_written(&job, r->ino, r->req);
		job_saved(&job, &(struct saved){ .ino = r->ino });
		job_threads(&job, m->fs, r);
		if (r->written)
			job_finish(&job, r->req, answer_write, (void *)(uintptr_t)r->written);
		else
			job_finish(&job, r->req, answer_err, NULL);
	}
	request_free(r);
	atomic_fetch_sub(&m->pending, 1);
}

static bool add_draft(struct request *r, size_t start)
{
	if (!ARRAY_ROOM(r->drafts, r->room, r->count))
		return false;
	/* The buffer may move while it grows: `body` is set when all are there. */
	r->drafts[r->count++] = (struct draft){ .stream = r->stream,
		.kind = is_record(r->ino) ? "record" : "message", .author = r->author,
		.body_len = r->bodies.len - start };
	return true;
}

static int add_line(struct request *r, const char *line, size_t len, struct why *why)
{
	char thread[NAME_LIMIT + 1] = "";
	size_t start = r->bodies.len;
	int err = errno_of_render(is_record(r->ino) ?
		render_record_in(line, len, &r->bodies, why) :
		render_message_in(line, len, &r->defaults, &r->shown, fs_of(r->req)->count_tokens,
		                  &r->bodies, thread, why));
	if (err) {
		why->line = (int)r->count + 1;
		return err;
	}
	if (*thread) {
		buf_add(&r->threads, thread, strlen(thread) + 1);
		r->joined++;
	}
	return add_draft(r, start) && !r->bodies.failed && !r->threads.failed ? 0 : -ENOMEM;
}

static int add_lines(struct request *r, const char *data, size_t len, struct why *why)
{
	const char *end = data + len, *stop;
	int err = 0;
	/* Newlines part lines: the last one may be blank, and is refused like any blank line. */
	for (; !err && data <= end; data = stop + 1) {
		const char *newline = memchr(data, '\n', (size_t)(end - data));
		stop = newline ? newline : end;
		err = add_line(r, data, (size_t)(stop - data), why);
	}
	char *body = r->bodies.data;
	for (size_t i = 0; i < r->count; i++) {
		r->drafts[i].body = body;
		body += r->drafts[i].body_len;
	}
	return err;
}

static struct request *request_new(fuse_req_t req, struct appender *a, size_t written)
{
	struct request *r = calloc(1, sizeof *r);
	if (!r)
		return NULL;
	if (!a->frame.by.author[0])
		writer_of(req, &a->frame.by);
	memcpy(r->author, a->frame.by.author, sizeof r->author);
	store_log_stream(log_id_of(fs_of(req), a->ino), r->stream);
	if (ino_kind(a->ino) == KIND_LOG) {
		session_defaults_of(fs_of(req), ino_id(a->ino), &r->defaults);
		exposure_take(fs_of(req), ino_id(a->ino), &r->took);
		buf_add(&r->shown, r->took.data, r->took.len);
	}
	if (!is_record(a->ino))
		render_session_talk(&r->defaults, &a->frame.by.talk);
	r->req = req;
	r->appender = a;
	r->ino = a->ino;
	r->written = written;
	r->by = pthread_self();
	return r;
}

/* The session that a first line goes to; what is open for appending is its log from now on. */
static int make_first(struct request *r)
{
	struct fs *fs = fs_of(r->req);
	uint64_t before = r->ino;
	int64_t id;
	if (ino_kind(before) != KIND_FIRST_LOG)
		return 0;
	int err = session_first(fs, r->author, &id);
	if (err)
		return err;
	r->first = true;
	r->ino = ino_make(KIND_LOG, id);
	store_log_stream(log_id_of(fs, r->ino), r->stream);
	growing_opened(fs, r->ino);
	if (atomic_compare_exchange_strong(&r->appender->ino, &before, r->ino))
		growing_closed(fs, before);
	else
		growing_closed(fs, r->ino); /* another write of this handle was faster */
	return 0;
}

/* In mounts that write, the log keeps its size until readers have let go of the old pages. */
static void hold(struct request *r)
{
	struct fs *fs = fs_of(r->req);
	growing_note(fs, r->ino); /* before a reader can see it */
	size_barrier_begin(fs, &r->held, r->ino);
}

/* Nothing is stored; `r` may be NULL. */
static void give_up(fuse_req_t req, struct request *r, int err, uint64_t ino,
                    const struct why *why, struct buf *offered)
{
	refuse_offer(req, -err, ino, why, offered);
	buf_release(offered);
	if (r)
		request_free(r);
}

/* Sends whole lines to the store; `offered` is what a refusal keeps, and moves to the request. */
static void submit(fuse_req_t req, struct appender *a, const char *lines, size_t len,
                   size_t written, struct buf *offered)
{
	struct why why = { 0 };
	struct request *r = request_new(req, a, written);
	int err = r ? secrets_refuse(fs_of(req), lines, len, &why) : -ENOMEM;
	err = err ? err : add_lines(r, lines, len, &why);
	if (err) {
		if (err == -ENOMEM)
			why_set(&why, "write less at a time", "out of memory");
		if (r)
			not_answered(fs_of(req), r);
		buf_clear(&a->frame.held);
		lock_give(&a->frame.lock);
		give_up(req, r, err, a->ino, &why, offered);
		return;
	}
	lock_give(&a->frame.lock);
	if (r->shown.len > 0) /* no message of the assistant in it */
		not_answered(fs_of(req), r);
	err = make_first(r);
	if (err) {
		why_set(&why, "see cinta status and cinta doctor", "no session could be made: %s",
		        strerror(-err));
		give_up(req, r, err, a->ino, &why, offered);
		return;
	}
	r->offered = *offered;
	hold(r);
	r->append = (struct append){ .drafts = r->drafts, .count = r->count, .expect = -1,
		.done = appended, .ctx = r };
	atomic_fetch_add(&mount_of(req)->pending, 1);
	store_append(fs_of(req)->store, &r->append);
}

/* Invariant 3.  A second program's lines may have moved the end: going on after one's own is fine.
 */
static bool goes_on(const struct appender *a, off_t off, const struct log_stat *now)
{
	return off == a->next || off == now->bytes;
}

static bool refuse_overwrite(fuse_req_t req, struct appender *a, const struct write *w)
{
	struct log_stat now = { 0, 0 };
	struct why why = { 0 };
	char name[NAME_LIMIT + 1];
	struct offer offer = { name, w->data, w->size };
	(void)store_log_stat(fs_of(req)->store, log_id_of(fs_of(req), a->ino), &now);
	if (goes_on(a, w->off, &now))
		return false;
	lock_give(&a->frame.lock);
	tree_name(fs_of(req), a->ino, name, sizeof name);
	why_set(&why, "append with >> (O_APPEND)",
			"a log only grows: it cannot be written at byte %lld", (long long)w->off);
	refuse(req, EPERM, "write", a->ino, NULL, &why, &offer);
	return true;
}

static void refuse_long(fuse_req_t req, struct appender *a, struct buf *offered)
{
	struct why why = { 0 };
	lock_give(&a->frame.lock);
	why_set(&why, "put large content in a file and name it in the message",
	        "a line is longer than %d bytes", LINE_LIMIT);
	refuse_offer(req, EFBIG, a->ino, &why, offered);
	buf_release(offered);
}

static void append_write(fuse_req_t req, struct handle *h, uint64_t ino, const struct write *w)
{
	struct appender *a = (struct appender *)h;
	struct buf offered = BUF_INIT;
	size_t lines = 0;
	(void)ino;
	lock_take(&a->frame.lock);
	if (!w->at_end && refuse_overwrite(req, a, w))
		return;
	a->next = w->off + (off_t)w->size;
	switch (frame_take(&a->frame, w->data, w->size, &offered, &lines)) {
	case FRAME_HELD:
		lock_give(&a->frame.lock);
		fuse_reply_write(req, w->size);
		break;
	case FRAME_LINES:
		submit(req, a, offered.data, lines, w->size, &offered);
		break;
	case FRAME_LONG:
		refuse_long(req, a, &offered);
		break;
	}
}

static void append_flush(fuse_req_t req, struct handle *h, uint64_t ino)
{
	struct appender *a = (struct appender *)h;
	struct buf offered;
	(void)ino;
	lock_take(&a->frame.lock);
	if (!frame_rest(&a->frame, &offered)) {
		lock_give(&a->frame.lock);
		fuse_reply_err(req, 0);
		return;
	}
	submit(req, a, offered.data, offered.len, 0, &offered);
}

static void append_close(struct handle *h)
{
	struct appender *a = (struct appender *)h;
	growing_closed(h->mount->fs, a->ino);
	frame_release(&a->frame);
}

static const struct handle_ops append_ops = { .write = append_write, .flush = append_flush,
	.close = append_close };

int append_handle(fuse_req_t req, uint64_t ino, struct handle **out)
{
	struct fs *fs = fs_of(req);
	struct log_stat size = { 0, 0 };
	int err = ino_kind(ino) == KIND_FIRST_LOG ? 0 :
		errno_of_store(store_log_stat(fs->store, log_id_of(fs, ino), &size));
	struct appender *a = err ? NULL : handle_new(mount_of(req), &append_ops, sizeof *a);
	if (!a)
		return err ? err : -ENOMEM;
	frame_init(&a->frame, LINE_LIMIT, RANK_FRAME);
	a->ino = ino;
	a->next = size.bytes;
	growing_opened(fs, ino);
	*out = &a->handle;
	return 0;
}

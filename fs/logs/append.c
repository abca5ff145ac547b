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
#include "fs/logs/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The session that a first line goes to; what is open for appending is its log from now on. */
static int make_first(struct request *r, struct why *why)
{
	struct fs *fs = fs_of(r->req);
	uint64_t before = r->ino;
	int64_t id;
	if (ino_kind(before) != KIND_FIRST_LOG)
		return 0;
	int err = session_first(fs, r->author, &id, why);
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

/* The file that a log's first lines come from. */
struct source {
	struct handle *own; /* the log is open by this alone */
	uint64_t ino;
};

/* Nothing is stored; `r` and `from` may be NULL. */
static void give_up(fuse_req_t req, struct request *r, int err, uint64_t ino,
                    const struct why *why, struct buf *offered, const struct source *from)
{
	if (from && err == -EINVAL)
		err = -EPROTO; /* of a rename, as in rename.c */
	refuse_offer(req, -err, ino, why, offered);
	buf_release(offered);
	if (r)
		request_free(r);
	if (from)
		handle_free(from->own);
}

/*
 * What is done after a file's lines takes fs->docs, which a thread may hold that waits for the one
 * that commits: so it is done here, not there.
 */
static void append_file(struct store *s, struct append *a)
{
	void *ctx = a->ctx;
	(void)store_append_wait(s, a);
	a->ctx = ctx;
	request_appended(a);
}

/*
 * Who was refused a line, and writes on, offers the rest of it, or the next line of the same JSON:
 * what is wrong with that is not what is wrong.
 */
static void point_back(struct appender *a, struct why *why)
{
	if (a->refused)
		(void)snprintf(why->todo, sizeof why->todo, "%s", "mend what the line above this one says:"
		               " this seems to be the rest of what was refused there");
	a->refused = true;
}

/* Sends whole lines to the store; `offered` is what a refusal keeps, and moves to the request. */
static void submit(fuse_req_t req, struct appender *a, const char *lines, size_t len,
                   size_t written, struct buf *offered, const struct source *from)
{
	struct why why = { 0 };
	struct request *r = request_new(req, a, written);
	int err = r ? secrets_refuse(fs_of(req), lines, len, &why) : -ENOMEM;
	err = err ? err : request_lines(r, lines, len, &why);
	if (err) {
		if (err == -ENOMEM)
			why_set(&why, "write less at a time", "out of memory");
		point_back(a, &why);
		if (r)
			request_not_answered(fs_of(req), r);
		buf_clear(&a->frame.held);
		lock_give(&a->frame.lock);
		give_up(req, r, err, a->ino, &why, offered, from);
		return;
	}
	a->refused = false;
	lock_give(&a->frame.lock);
	if (r->shown.len > 0) /* no message of the assistant in it */
		request_not_answered(fs_of(req), r);
	err = make_first(r, &why);
	if (err) {
		if (!why.text[0])
			why_no_answer(err, "write again", &why);
		if (!why.text[0])
			why_set(&why, "see cinta status DB and cinta doctor DB", "no session could be made: %s",
			        strerror(-err));
		give_up(req, r, err, a->ino, &why, offered, from);
		return;
	}
	r->own = from ? from->own : NULL;
	r->from = from ? from->ino : 0;
	r->offered = *offered;
	hold(r);
	r->append = (struct append){ .drafts = r->drafts, .count = r->count, .expect = from ? 0 : -1,
		.done = request_appended, .ctx = r };
	atomic_fetch_add(&mount_of(req)->pending, 1);
	if (from)
		append_file(fs_of(req)->store, &r->append);
	else
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
	why_set(&why, "put large content in a file and name it in the message",
	        "a line is longer than %d bytes", LINE_LIMIT);
	point_back(a, &why);
	lock_give(&a->frame.lock);
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
	frame_by(req, &a->frame);
	switch (frame_take(&a->frame, w->data, w->size, &offered, &lines)) {
	case FRAME_HELD:
		lock_give(&a->frame.lock);
		fuse_reply_write(req, w->size);
		break;
	case FRAME_LINES:
		submit(req, a, offered.data, lines, w->size, &offered, NULL);
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
	submit(req, a, offered.data, offered.len, 0, &offered, NULL);
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
	frame_init(&a->frame, LINE_COPIED_LIMIT, RANK_FRAME);
	a->ino = ino;
	a->next = size.bytes;
	growing_opened(fs, ino);
	*out = &a->handle;
	return 0;
}

void log_take_file(fuse_req_t req, uint64_t ino, const char *bytes, size_t len, uint64_t from)
{
	struct source source = { NULL, from };
	struct buf offered = BUF_INIT;
	int err = append_handle(req, ino, &source.own);
	buf_add(&offered, bytes, len);
	if (err || offered.failed) {
		buf_release(&offered);
		handle_free(source.own);
		fuse_reply_err(req, err ? -err : ENOMEM);
		return;
	}
	struct appender *a = (struct appender *)source.own;
	lock_take(&a->frame.lock);
	frame_by(req, &a->frame);
	submit(req, a, offered.data, len - (len > 0 && bytes[len - 1] == '\n'), 0, &offered, &source);
}

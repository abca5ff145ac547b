/* SPDX-License-Identifier: MIT */
/*
 * The ops of open files; their sorts are in handle.h.  In profile R the kernel
 * opens by itself and only READ arrives.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "fs/handle.h"
#include "fs/pages.h"
#include "fs/window.h"

/*
 * Seconds that the kernel may trust what it was told of a temporary file just made.  Not its name,
 * which it would keep with the name of the document that it becomes.
 */
#define MOMENT 0.1

static void refuse_open(fuse_req_t req, uint64_t ino)
{
	struct why why = { 0 };
	bool thread = ino_kind(ino) == KIND_THREAD_LOG, old = ino_kind(ino) == KIND_VERSION ||
	     ino_kind(ino) == KIND_FACT_VERSION;
	bool past = tree[ino_kind(ino)].parent == KIND_AT, summary = ino_kind(ino) == KIND_SUMMARY;
	why_set(&why, thread ? "append to a session's log a message with \"thread\":\"NAME\"" :
	        old ? "to go back to it: cp NAME@N NAME" :
	        past ? "to go back to it, copy it to where it stood" : summary ? SUMMARY_TODO :
	        "append to sessions/NAME/log.jsonl instead",
	        old ? "an old version stays as it was" : past ? "what was stays as it was" :
	        summary ? "a summary is written once" :
	        "this file is generated");
	refuse(req, EPERM, "open", ino, NULL, &why, NULL);
}
/* session.md before anybody has saved it: generated, and cached like any such page. */
static bool is_still_page(fuse_req_t req, uint64_t ino)
{
	struct fs *fs = fs_of(req);
	int64_t doc;
	if (ino_kind(ino) != KIND_PAGE || edit_doc(fs, ino, &doc) || doc)
		return false;
	pthread_mutex_lock(&fs->docs);
	const struct edit *e = fs->edits;
	while (e && e->ino != ino)
		e = e->next;
	pthread_mutex_unlock(&fs->docs);
	return !e;
}

static bool hidden_now(struct fs *fs, int64_t doc)
{
	pthread_mutex_lock(&fs->docs);
	bool hidden = is_hidden(fs, doc);
	pthread_mutex_unlock(&fs->docs);
	return hidden;
}

/* May it be written?  Answers if not. */
static bool writable(fuse_req_t req, uint64_t ino)
{
	struct why why = { 0 };
	enum kind kind = ino_kind(ino);
	char name[NAME_LIMIT + 1];
	struct place p;
	if (kind == KIND_SCRATCH && ino_kind(became(fs_of(req), ino)) == KIND_SUMMARY) {
		refuse_open(req, became(fs_of(req), ino));
		return false;
	}
	if (kind == KIND_SCRATCH || kind == KIND_PAGE || kind == KIND_FACT_LIST || kind == KIND_CTL ||
	    kind == KIND_RETRIEVED || is_ask(ino) || (tree[kind].flags & NODE_GROWS))
		return true;
	if (kind != KIND_DOC) {
		refuse_open(req, ino);
		return false;
	}
	document_name(fs_of(req), ino, name, sizeof name);
	if (place_of(fs_of(req), tree_parent(fs_of(req), ino), &p) ||
	    place_lets(&p, name, fs_of(req), fuse_req_ctx(req)->uid, &why))
		return true;
	refuse(req, EPERM, "open", ino, NULL, &why, NULL);
	return false;
}

static void reply_open(fuse_req_t req, const struct fuse_file_info *fi)
{
	struct fs *fs = fs_of(req); /* the request is gone when it is answered */
	if (fuse_reply_open(req, fi))
		handle_free(fs, handle_of(fi));
}

static void answer_open(fuse_req_t req, void *fi)
{
	reply_open(req, fi);
	free(fi);
}

/* Attributes the kernel was given before go first (hot.h). */
static void reply_open_append(fuse_req_t req, uint64_t ino, const struct fuse_file_info *fi)
{
	struct fs_mount *m = mount_of(req);
	struct fuse_file_info *kept = malloc(sizeof *kept);
	struct job job;
	if (!kept) {
		handle_free(m->fs, handle_of(fi));
		fuse_reply_err(req, ENOMEM);
		return;
	}
	*kept = *fi;
	job_init(&job, m->fs);
	if (known_marked(&m->known, ino, KNOWN_LASTS)) {
		(void)known_take(&m->known, ino);
		job_add(&job, m, ino);
	}
	job_finish(&job, req, answer_open, kept);
}

void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	const struct node *row = &tree[ino_kind(ino)];
	bool cuts = fi->flags & O_TRUNC; /* who cuts writes */
	bool writing = cuts || (fi->flags & O_ACCMODE) != O_RDONLY;
	struct handle *h = NULL;
	if (mount_of(req)->read_only) {
		fuse_reply_err(req, ENOSYS); /* profile R: the kernel opens and closes by itself */
		return;
	}
	if (!entries_back(req) && ino_kind(ino) == KIND_DOC && entries_answer(req, ino_id(ino)))
		return;
	if (writing && !writable(req, ino))
		return;
	if (writing && fs_of(req)->frozen && is_document(ino)) {
		fuse_reply_err(req, EROFS); /* shells do not look at the error of close */
		return;
	}
	if (writing && ino_kind(ino) == KIND_DOC && hidden_now(fs_of(req), ino_id(ino))) {
		fuse_reply_err(req, ESTALE); /* by the name it was moved to: the kernel looks again */
		return;
	}
	if (cuts && !is_document(ino) && ino_kind(ino) != KIND_SCRATCH && !may_truncate(req, ino))
		return;
	if (writing || (row->flags & NODE_FRESH) || (is_document(ino) && !is_still_page(req, ino))) {
		int err = handle_open(req, ino, writing, &h);
		if (!err && cuts && (h->sort == HANDLE_EDIT || h->sort == HANDLE_SCRATCH))
			err = handle_cut(fs_of(req), h, 0);
		if (err) {
			handle_free(fs_of(req), h);
			fuse_reply_err(req, -err);
			return;
		}
		fi->direct_io = 1;
	} else if (hot_is(fs_of(req), ino)) {
		fi->direct_io = 1;
	} else {
		fi->keep_cache = 1;
	}
	fi->noflush = !writing;
	fi->fh = (uint64_t)(uintptr_t)h;
	if (h && h->sort == HANDLE_APPEND)
		reply_open_append(req, ino, fi);
	else
		reply_open(req, fi);
}

static bool is_only_mount(const struct fs_mount *m)
{
	pthread_mutex_lock(&m->fs->lock);
	bool only = m->fs->mounts == m && !m->next;
	pthread_mutex_unlock(&m->fs->lock);
	return only;
}

struct created {
	struct fuse_entry_param e;
	struct fuse_file_info fi;
};

static void answer_created(fuse_req_t req, void *ctx)
{
	struct created *c = ctx;
	struct fs *fs = fs_of(req);
	if (fuse_reply_create(req, &c->e, &c->fi))
		handle_free(fs, handle_of(&c->fi));
	free(c);
}

void reply_created(fuse_req_t req, struct scratch *s, struct fuse_file_info *fi)
{
	struct created *c = calloc(1, sizeof *c);
	struct handle *h = NULL;
	struct job job;
	int err = c ? handle_create(req, s->id, &h) : -ENOMEM;
	if (!err)
		err = fill_entry(req, ino_make(KIND_SCRATCH, s->id), &c->e);
	if (err) {
		handle_free(fs_of(req), h);
		free(c);
		fuse_reply_err(req, -err);
		return;
	}
	if (is_only_mount(mount_of(req))) /* nobody else can change it, and it is asked for at once */
		c->e.attr_timeout = MOMENT;
	c->fi = *fi;
	c->fi.direct_io = 1;
	c->fi.fh = (uint64_t)(uintptr_t)h;
	job_init(&job, fs_of(req));
	job_written(&job, s->dir, req);
	job_finish(&job, req, answer_created, c);
}

static void reply_part(fuse_req_t req, const struct buf *bytes, size_t size, off_t off)
{
	size_t at = (size_t)off < bytes->len ? (size_t)off : bytes->len;
	fuse_reply_buf(req, bytes->data ? bytes->data + at : "",
	               bytes->len - at < size ? bytes->len - at : size);
}

static void read_answer(fuse_req_t req, struct ask *a, size_t size, off_t off)
{
	struct buf part = BUF_INIT;
	int err = ask_read(fs_of(req), a, size, off, &part);
	if (err)
		fuse_reply_err(req, -err);
	else
		reply_part(req, &part, size, 0);
	buf_release(&part);
}

static void read_handle(fuse_req_t req, const struct handle *h, size_t size, off_t off)
{
	struct fs *fs = fs_of(req);
	if (h->sort == HANDLE_APPEND) {
		fuse_reply_err(req, EBADF);
		return;
	}
	if (h->sort == HANDLE_ASK) {
		read_answer(req, h->ask, size, off);
		return;
	}
	pthread_mutex_lock(&fs->docs);
	int err = h->taken ? -ESTALE : h->sort == HANDLE_EDIT ? edit_load(fs, h->edit) : 0;
	if (err)
		fuse_reply_err(req, -err);
	else
		reply_part(req, h->sort == HANDLE_EDIT ? &h->edit->bytes :
	           h->sort == HANDLE_SCRATCH ? &h->scratch->bytes : &h->snapshot, size, off);
	pthread_mutex_unlock(&fs->docs);
}

/* Bytes of the file as it is now. */
static void read_now(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off)
{
	char *data = malloc(size);
	if (!data) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	if (!(tree[ino_kind(ino)].flags & NODE_FIXED)) /* a hot log's mark is one too many */
		known_mark(&mount_of(req)->known, ino, 0, KNOWN_DATA);
	ssize_t got = tree_read(fs_of(req), ino, off, data, size);
	if (got < 0)
		fuse_reply_err(req, (int)-got);
	else
		fuse_reply_buf(req, data, (size_t)got);
	free(data);
}

void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	const struct handle *h = mount_of(req)->read_only ? NULL : handle_of(fi);
	/* Without an owner it is for a mapping: its page is shared by all, and invalidated. */
	bool mapped = h && h->sort == HANDLE_SNAPSHOT && fi->lock_owner == 0 && is_document(ino);
	if (h && h->sort != HANDLE_APPEND && h->sort != HANDLE_CTL && !mapped)
		read_handle(req, h, size, off);
	else
		read_now(req, ino, size, off);
}

enum { MUCH = 16 << 20 };

static int write_staged(struct fs *fs, struct handle *h, const char *data, size_t size, off_t off,
                        bool at_end)
{
	pthread_mutex_lock(&fs->docs);
	int err = off > MUCH || size > MUCH ? staging_room(fs, off + (off_t)size) : 0;
	if (err)
		;
	else if (h->sort == HANDLE_EDIT)
		err = edit_write(fs, h->edit, data, size, off, at_end);
	else if (!(err = scratch_write(fs, h->scratch, data, size,
	                               at_end ? (off_t)h->scratch->bytes.len : off)))
		h->scratch->appends = h->scratch->appends && at_end;
	pthread_mutex_unlock(&fs->docs);
	return err;
}

/* A scratch file is full: said once a file, for who writes a log tries again and again. */
static bool is_news(struct fs *fs, struct handle *h, int err, struct why *why)
{
	if (h->sort != HANDLE_SCRATCH || (err != -EFBIG && err != -ENOSPC))
		return false;
	pthread_mutex_lock(&fs->docs);
	bool news = !h->scratch->told;
	h->scratch->told = true;
	scratch_why(h->scratch->log, err, why);
	pthread_mutex_unlock(&fs->docs);
	return news;
}

void op_write(fuse_req_t req, fuse_ino_t ino, const char *data, size_t size, off_t off,
              struct fuse_file_info *fi)
{
	struct handle *h = handle_of(fi);
	struct why why = { 0 };
	if (!h || h->sort == HANDLE_SNAPSHOT) {
		fuse_reply_err(req, EBADF);
		return;
	}
	if (h->sort == HANDLE_APPEND) {
		append_write(req, h->appender, data, size, off, fi->flags & O_APPEND);
		return;
	}
	if (h->sort == HANDLE_CTL) {
		ctl_write(req, ino, h->ctl, data, size);
		return;
	}
	int err = h->sort == HANDLE_ASK ? ask_write(h->ask, data, size, &why) :
		write_staged(fs_of(req), h, data, size, off, fi->flags & O_APPEND);
	/* What it has of size and times the kernel itself gives up when a WRITE is answered. */
	if (!err && h->sort == HANDLE_EDIT)
		known_unmark(&mount_of(req)->known, ino, KNOWN_ATTR | KNOWN_LASTS);
	if (err && (why.text[0] || is_news(fs_of(req), h, err, &why)))
		refuse(req, -err, "write", ino, NULL, &why, NULL);
	else if (err)
		fuse_reply_err(req, -err);
	else
		fuse_reply_write(req, size);
}

void op_flush(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct handle *h = handle_of(fi);
	if (mount_of(req)->read_only)
		fuse_reply_err(req, ENOSYS);
	else if (h && h->sort == HANDLE_APPEND)
		append_flush(req, h->appender);
	else if (h && h->sort == HANDLE_CTL)
		ctl_flush(req, ino, h->ctl);
	else if (h && h->sort != HANDLE_SNAPSHOT && h->sort != HANDLE_ASK)
		commit(req, ino, h, COMMIT_FLUSH);
	else
		fuse_reply_err(req, 0);
}

void op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct handle *h = handle_of(fi);
	if (h && (h->sort == HANDLE_EDIT || h->sort == HANDLE_SCRATCH)) {
		commit(req, ino, h, COMMIT_RELEASE);
		return;
	}
	handle_free(fs_of(req), h);
	fuse_reply_err(req, 0);
}

void op_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
	struct fs *fs = fs_of(req);
	struct handle *h = handle_of(fi);
	(void)datasync;
	if (h && (h->sort == HANDLE_EDIT || h->sort == HANDLE_SCRATCH)) {
		if (h->scratch) {
			pthread_mutex_lock(&fs->docs);
			scratch_keep(fs, h->scratch);
			pthread_mutex_unlock(&fs->docs);
		}
		commit(req, ino, h, COMMIT_FSYNC);
		return;
	}
	fuse_reply_err(req, -errno_of_store(store_sync(fs->store)));
}

void op_fsyncdir(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
	(void)ino, (void)datasync, (void)fi;
	fuse_reply_err(req, -errno_of_store(store_sync(fs_of(req)->store)));
}

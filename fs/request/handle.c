/* SPDX-License-Identifier: MIT */
/* Making and freeing handles; a mount knows its own, should it end without closing them. */
#include "fs/context/context.h"
#include "fs/facts/facts.h"
#include "fs/logs/frame.h"
#include "fs/request/handle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct handle *handle_of(const struct fuse_file_info *fi)
{
	return fi ? (struct handle *)(uintptr_t)fi->fh : NULL;
}

void handle_free(struct fs *fs, struct handle *h)
{
	if (!h)
		return;
	appender_free(fs, h->appender);
	if (h->ctl)
		frame_release(h->ctl);
	free(h->ctl);
	ask_free(h->ask);
	lock_take(&fs->docs);
	if (h->at) {
		*h->at = h->next;
		if (h->next)
			h->next->at = h->at;
	}
	buf_release(&h->snapshot); /* a last read may still be answering */
	if (h->edit)
		edit_close(fs, h->edit);
	if (h->scratch) {
		h->scratch->writers -= h->writes && h->sort == HANDLE_SCRATCH;
		scratch_close(fs, h->scratch);
	}
	lock_give(&fs->docs);
	free(h);
}

static struct handle *handle_new(struct fs_mount *m)
{
	struct handle *h = calloc(1, sizeof *h);
	if (!h)
		return NULL;
	h->mount = m;
	lock_take(&m->fs->docs);
	h->next = m->handles;
	h->at = &m->handles;
	if (h->next)
		h->next->at = &h->next;
	m->handles = h;
	lock_give(&m->fs->docs);
	return h;
}

void handles_drop(struct fs_mount *m)
{
	lock_take(&m->fs->docs);
	while (m->handles) {
		struct handle *h = m->handles;
		struct scratch *s = h->scratch;
		if (s && s->newborn && s->opens == 1 && s->name[0])
			scratch_unlink(m->fs, s);
		handle_free(m->fs, h);
	}
	lock_give(&m->fs->docs);
}

/* A scratch file, opened once more. */
static int open_scratch(struct fs *fs, int64_t id, struct handle *h)
{
	lock_take(&fs->docs);
	struct scratch *s = scratch_by_id(fs, id);
	int err = !s ? -ESTALE : S_ISREG(s->mode) ? 0 : -EISDIR;
	if (!err && h->writes && s->newborn && s->writers > 0) {
		h->sort = HANDLE_EDIT; /* two who make one document do not share their bytes */
		err = edit_open_newborn(fs, s, h->opener, &h->edit);
		h->scratch = s; /* the inode stays while it is open */
		s->opens++;
	} else if (!err) {
		h->sort = HANDLE_SCRATCH;
		h->scratch = s;
		s->opens++;
		s->writers += h->writes;
	}
	lock_give(&fs->docs);
	return err;
}

static int open_append(struct fs *fs, uint64_t ino, struct handle *h)
{
	struct log_stat size;
	struct log_id log = { tree[ino_kind(ino)].log, ino_id(ino) };
	int err = errno_of_store(store_log_stat(fs->store, log, &size));
	h->sort = HANDLE_APPEND;
	h->appender = err ? NULL : appender_new(fs, ino, size.bytes);
	return err || h->appender ? err : -ENOMEM;
}

static int open_ctl(struct handle *h)
{
	h->sort = HANDLE_CTL;
	h->ctl = malloc(sizeof *h->ctl);
	if (h->ctl)
		frame_init(h->ctl, CTL_LINE_LIMIT, RANK_CTL);
	return h->ctl ? 0 : -ENOMEM;
}

static int open_edit(fuse_req_t req, uint64_t ino, struct handle *h)
{
	struct fs *fs = fs_of(req);
	lock_take(&fs->docs);
	h->sort = HANDLE_EDIT;
	int err = edit_open(fs, ino, fuse_req_ctx(req)->pid, &h->edit);
	lock_give(&fs->docs);
	return err;
}

/* The scratch inode of a document that was saved under it, opened by a late comer. */
uint64_t became(struct fs *fs, uint64_t ino)
{
	lock_take(&fs->docs);
	const struct scratch *s = ino_kind(ino) == KIND_SCRATCH ? scratch_by_id(fs, ino_id(ino)) : NULL;
	if (s && s->became)
		ino = scratch_leads(s);
	lock_give(&fs->docs);
	return ino;
}

static void who_opens(fuse_req_t req, struct handle *h)
{
	author_of(req, h->author);
	h->writes = true;
	h->uid = fuse_req_ctx(req)->uid;
	h->opener = fuse_req_ctx(req)->pid;
}

int handle_open(fuse_req_t req, uint64_t ino, bool writing, struct handle **out)
{
	struct handle *h = handle_new(mount_of(req));
	int err = h ? 0 : -ENOMEM;
	if (err)
		return err;
	if (writing)
		who_opens(req, h);
	lock_take(&fs_of(req)->docs); /* it may become a document at any time */
	ino = became(fs_of(req), ino);
	if (ino_kind(ino) == KIND_FACT_LIST)
		facts_note_read(fs_of(req), (int)ino_id(ino), fuse_req_ctx(req)->pid);
	bool scratch = ino_kind(ino) == KIND_SCRATCH;
	if (scratch)
		err = open_scratch(fs_of(req), ino_id(ino), h);
	lock_give(&fs_of(req)->docs);
	if (scratch)
		;
	else if (writing && is_ask(ino)) {
		h->sort = HANDLE_ASK;
		h->ask = ask_new(ino);
		err = h->ask ? 0 : -ENOMEM;
	} else if (!writing && ino_kind(ino) == KIND_CONTEXT)
		err = context_open(fs_of(req), ino_id(ino), &h->snapshot);
	else if (!writing)
		err = tree_page(fs_of(req), ino, &h->snapshot);
	else if (is_document(ino))
		err = open_edit(req, ino, h);
	else if (ino_kind(ino) == KIND_CTL)
		err = open_ctl(h);
	else if (tree[ino_kind(ino)].flags & NODE_GROWS)
		err = open_append(fs_of(req), ino, h);
	else
		err = -EPERM; /* it became a summary since it was looked at */
	if (err) {
		handle_free(fs_of(req), h);
		h = NULL;
	}
	*out = h;
	return err;
}

int handle_create(fuse_req_t req, int64_t scratch, struct handle **out)
{
	struct handle *h = handle_new(mount_of(req));
	int err = h ? 0 : -ENOMEM;
	if (!err) {
		who_opens(req, h);
		err = open_scratch(fs_of(req), scratch, h);
	}
	if (err)
		handle_free(fs_of(req), h);
	*out = err ? NULL : h;
	return err;
}

/* Staged size of a handle; false: it stages nothing. */
bool handle_size(struct fs *fs, const struct fuse_file_info *fi, int64_t *size)
{
	const struct handle *h = handle_of(fi);
	if (!h || h->sort != HANDLE_EDIT)
		return false;
	lock_take(&fs->docs);
	*size = (int64_t)h->edit->bytes.len;
	bool staged = h->edit->written || h->edit->cut;
	lock_give(&fs->docs);
	return staged;
}

/* Does it stage bytes of its own? */
bool handle_edits(const struct fuse_file_info *fi)
{
	const struct handle *h = handle_of(fi);
	return h && h->sort == HANDLE_EDIT;
}

int handle_cut(struct fs *fs, struct handle *h, int64_t size)
{
	if (!h || h->sort == HANDLE_SNAPSHOT || h->sort == HANDLE_APPEND || h->sort == HANDLE_CTL ||
	    h->sort == HANDLE_ASK)
		return -EBADF;
	lock_take(&fs->docs);
	int err = h->edit && size > (1 << 24) ? staging_room(fs, size) : 0;
	if (!err)
		err = h->edit ? edit_resize(fs, h->edit, size) : scratch_cut(fs, h->scratch, size);
	lock_give(&fs->docs);
	return err;
}

/* A size set through a handle. */
int handle_resize(struct fs *fs, struct fuse_file_info *fi, int64_t size)
{
	return handle_cut(fs, handle_of(fi), size);
}

/* SPDX-License-Identifier: MIT */
/*
 * Sizes, times, modes.  chmod, chown and utimens always succeed: tools that copy
 * them must not fail over them.  What is a document's or a scratch file's size
 * may be set; a log's only to what it is.
 */
#include "fs/request/request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"

/* The years 1 to 9999 in seconds: another time becomes the nearest of these, as on disks. */
#define TIME_FIRST INT64_C(-62135596800)
#define TIME_LAST INT64_C(253402300799)

static int64_t time_of(const struct stat *attr, int set)
{
	int64_t s = attr->st_mtim.tv_sec;
	if (set & FUSE_SET_ATTR_MTIME_NOW)
		return now_us();
	s = s < TIME_FIRST ? TIME_FIRST : s > TIME_LAST ? TIME_LAST : s;
	int64_t us = s * 1000000 + attr->st_mtim.tv_nsec / 1000;
	return us ? us : 1; /* 0: it has none */
}

static int set_scratch(struct fs *fs, int64_t id, const struct stat *attr, int set)
{
	struct scratch *s = scratch_by_id(fs, id);
	int err = s ? 0 : -ESTALE;
	if (!err && (set & FUSE_SET_ATTR_SIZE))
		err = scratch_set_size(fs, s, attr->st_size);
	if (!err && (set & FUSE_SET_ATTR_MODE))
		s->mode = (s->mode & S_IFMT) | (attr->st_mode & 07777);
	if (!err && (set & FUSE_SET_ATTR_MTIME)) {
		s->changed_us = time_of(attr, set);
		s->timed = true;
		if (ino_doc(s->promoted_to))
			times_set(fs, ino_doc(s->promoted_to), s->changed_us);
	}
	if (!err && (set & (FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_MTIME)))
		scratch_changed(fs, s);
	return err;
}

/* A truncate without a handle: of the handle just opened (O_TRUNC), or by path, at once. */
static int truncate_ino(fuse_req_t req, uint64_t ino, int64_t size, struct saved *saved,
                        struct why *why)
{
	struct fs *fs = fs_of(req);
	struct writer by;
	struct edit *e = edit_of(fs, ino, fuse_req_ctx(req)->pid);
	if (e)
		return edit_resize(fs, e, size);
	if (ino_kind(ino) == KIND_DOC && is_hidden(fs, ino_id(ino)))
		return -ESTALE;
	writer_of(req, &by);
	int err = edit_open(fs, ino, fuse_req_ctx(req)->pid, &e);
	if (err)
		return err;
	err = edit_resize(fs, e, size);
	if (!err && e->truncated)
		err = edit_commit(fs, e, &by, saved, why);
	edit_close(fs, e);
	return err;
}

static void answer_stat(fuse_req_t req, void *node)
{
	reply_attr(req, (uint64_t)(uintptr_t)node, NULL);
}

static void set_document(fuse_req_t req, uint64_t node, const struct stat *attr, int set,
                         struct fuse_file_info *fi)
{
	const uint64_t ino = ino_of_node(node);
	struct fs *fs = fs_of(req);
	struct saved saved = { 0 };
	struct why why = { 0 };
	struct job job;
	int64_t doc;
	lock_take(&fs->docs);
	int err = edit_doc(fs, ino, &doc);
	if (!err && (set & FUSE_SET_ATTR_SIZE))
		err = fi ? handle_truncate(fi, attr->st_size) :
			truncate_ino(req, ino, attr->st_size, &saved, &why);
	if (!err && doc && (set & FUSE_SET_ATTR_MTIME))
		edit_times(fs, doc, time_of(attr, set));
	lock_give(&fs->docs);
	if (err == -ESTALE) {
		fuse_reply_err(req, ESTALE);
		return;
	}
	if (err) {
		refuse(req, -err, "truncate", ino, NULL, &why, NULL);
		return;
	}
	job_init(&job, fs);
	job_saved(&job, &saved);
	job_finish(&job, req, answer_stat, (void *)(uintptr_t)node);
}

/* True if what is no document may get this size; else it is answered. */
static bool may_have_size(fuse_req_t req, uint64_t ino, int64_t size, const struct stat *st)
{
	struct why why = { 0 };
	const struct node *row = node_of(fs_of(req), ino);
	bool grows = row->flags & NODE_GROWS;
	bool opened = (row->flags & NODE_WRITABLE) && !grows && size == 0; /* by a shell's > */
	if (size == st->st_size || opened)
		return true;
	if (grows)
		why_set(&why, "append with >>", "a log only grows: it cannot be cut or stretched");
	else
		why_set(&why, row->refusal.todo ? row->refusal.todo : "write to sessions/NAME/log.jsonl",
		        "%s", row->refusal.what ? row->refusal.what : "this file is generated");
	refuse(req, EPERM, "truncate", ino, NULL, &why, NULL);
	return false;
}

bool may_truncate(fuse_req_t req, uint64_t ino)
{
	struct stat st;
	int err = tree_stat(fs_of(req), ino, SIZE_HELD, &st);
	if (err)
		fuse_reply_err(req, -err);
	return !err && may_have_size(req, ino, 0, &st);
}

static void set_other(fuse_req_t req, uint64_t ino, const struct stat *attr, int set)
{
	struct stat st;
	int err = tree_stat(fs_of(req), ino, SIZE_HELD, &st);
	if (err) {
		fuse_reply_err(req, -err);
		return;
	}
	if ((set & FUSE_SET_ATTR_SIZE) && !may_have_size(req, ino, attr->st_size, &st))
		return;
	show_access(req, &st);
	fuse_reply_attr(req, &st, policy_of(mount_of(req), ino).attr_timeout);
}

/* A size set by name, and that is to be looked up again: true, and it is answered. */
static bool is_stale(fuse_req_t req, uint64_t node)
{
	return ino_doc(node) && !dentry_was_stale(req) &&
		(dentry_answer_stale(req, ino_doc(node)) || edition_is_left(req, node));
}

void op_setattr(fuse_req_t req, fuse_ino_t node, struct stat *attr, int set,
                struct fuse_file_info *fi)
{
	struct fs *fs = fs_of(req);
	uint64_t ino = ino_of_node(node);
	if ((set & FUSE_SET_ATTR_SIZE) && !fi && is_stale(req, node))
		return;
	if (!(node_of(fs_of(req), ino)->flags & NODE_FIXED))
		kcache_mark_node(&mount_of(req)->kcache, node, KCACHE_ATTR | KCACHE_FOREVER);
	lock_take(&fs->docs);
	bool own = fi || edit_of(fs, ino, fuse_req_ctx(req)->pid);
	lock_give(&fs->docs);
	if (!own) /* O_TRUNC of a file that became a document since it was looked up */
		ino = scratch_ino_now(fs, ino);
	if (is_document(fs_of(req), ino)) {
		set_document(req, ino == ino_of_node(node) ? node : ino, attr, set, fi);
		return;
	}
	if (ino_kind(ino) != KIND_SCRATCH) {
		set_other(req, ino, attr, set);
		return;
	}
	lock_take(&fs->docs);
	struct edit *e = edit_of(fs, ino, fuse_req_ctx(req)->pid);
	int err = 0;
	if ((set & FUSE_SET_ATTR_SIZE) && (fi ? handle_stages(fi) : e != NULL)) {
		err = fi ? handle_truncate(fi, attr->st_size) : edit_resize(fs, e, attr->st_size);
		set &= ~FUSE_SET_ATTR_SIZE;
	}
	if (!err)
		err = set_scratch(fs, ino_id(ino), attr, set);
	lock_give(&fs->docs);
	if (err)
		fuse_reply_err(req, -err);
	else
		answer_stat(req, (void *)(uintptr_t)ino);
}

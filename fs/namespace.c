/* SPDX-License-Identifier: MIT */
/*
 * Making, moving and deleting names.  Memory grows: a session is made by mkdir,
 * nothing is deleted or moved, and each refusal says what to do instead.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"

/* Names over 255 bytes are refused as every other filesystem does, without a line in a log. */
static bool too_long(fuse_req_t req, const char *name)
{
	if (strlen(name) <= NAME_LIMIT)
		return false;
	fuse_reply_err(req, ENAMETOOLONG);
	return true;
}

static void reply_new(fuse_req_t req, uint64_t parent, uint64_t ino)
{
	struct fuse_entry_param *e = malloc(sizeof *e);
	struct job job;
	int err = e ? fill_entry(req, ino, e) : -ENOMEM;
	job_init(&job, fs_of(req));
	job_inode(&job, parent);
	job_inode(&job, ino_make(KIND_CURRENT, 0));
	if (err) {
		free(e);
		job_finish(&job, req, answer_err, (void *)(intptr_t)-err);
	} else {
		job_finish(&job, req, answer_entry, e);
	}
}

static void make_session(fuse_req_t req, const char *name)
{
	struct fs *fs = fs_of(req);
	uint64_t sessions = ino_make(KIND_SESSIONS, 0);
	char author[FIELD_MAX + 1];
	struct buf body = BUF_INIT;
	struct why why = { 0 };
	int64_t id = 0;
	int err = errno_of_render(render_check_name(name, strlen(name), "session", &why));
	if (err) {
		refuse(req, -err, "mkdir", sessions, name, &why, NULL);
		return;
	}
	author_of(req, author);
	render_session_body(&body, name);
	err = body.failed ? -ENOMEM :
		errno_of_store(store_session_make(fs->store, name, body.data, body.len, author, &id));
	buf_release(&body);
	if (err)
		fuse_reply_err(req, -err);
	else
		reply_new(req, sessions, ino_make(KIND_SESSION, id));
}

void op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
	struct why why = { 0 };
	(void)mode;
	if (too_long(req, name))
		return;
	if (ino_kind(parent) == KIND_SESSIONS) {
		make_session(req, name);
		return;
	}
	if (ino_kind(parent) == KIND_THREADS)
		why_set(&why, "append a message with \"thread\":\"NAME\" to a session's log",
		        "a thread is made by its first message");
	else
		why_set(&why, "make sessions with mkdir sessions/NAME",
				"directories are made in sessions/ only");
	refuse(req, EPERM, "mkdir", parent, name, &why, NULL);
}

static void refuse_new(fuse_req_t req, fuse_ino_t parent, const char *name, const char *op)
{
	struct why why = { 0 };
	if (too_long(req, name))
		return;
	why_set(&why, "append JSON lines to sessions/NAME/log.jsonl; keep other files elsewhere",
	        "a new file has no place here");
	refuse(req, EPERM, op, parent, name, &why, NULL);
}

void op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t dev)
{
	(void)mode, (void)dev;
	refuse_new(req, parent, name, "mknod");
}

void op_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
               struct fuse_file_info *fi)
{
	(void)mode, (void)fi;
	refuse_new(req, parent, name, "create");
}

void op_symlink(fuse_req_t req, const char *target, fuse_ino_t parent, const char *name)
{
	(void)target;
	refuse_new(req, parent, name, "symlink");
}

void op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t parent, const char *name)
{
	struct why why = { 0 };
	(void)parent, (void)name;
	why_set(&why, "copy the file out of the mount, or name it by a symbolic link from outside",
	        "a memory has one name");
	refuse(req, EPERM, "link", ino, NULL, &why, NULL);
}

static void drop_rejected(fuse_req_t req, uint64_t ino)
{
	struct fs *fs = fs_of(req);
	struct job job;
	int err = errno_of_store(store_rejected_drop(fs->store, ino_id(ino)));
	job_init(&job, fs);
	job_inode(&job, ino_make(KIND_REJECTED, 0));
	job_finish(&job, req, answer_err, (void *)(intptr_t)-err);
}

void op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct why why = { 0 };
	uint64_t ino;
	int err = tree_lookup(fs_of(req), parent, name, &ino);
	if (err) {
		fuse_reply_err(req, -err);
		return;
	}
	if (ino_kind(ino) == KIND_REJECTED_FILE) {
		drop_rejected(req, ino); /* not memory: a secret pasted by mistake can go */
		return;
	}
	why_set(&why, ino_kind(ino) == KIND_REJECTED_WHY ? "remove the file it explains" :
	        "leave it; what is on the tape stays", "memory is never deleted");
	refuse(req, EPERM, "unlink", ino, NULL, &why, NULL);
}

void op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct why why = { 0 };
	uint64_t ino;
	int err = tree_lookup(fs_of(req), parent, name, &ino);
	if (err) {
		fuse_reply_err(req, -err);
		return;
	}
	why_set(&why, "leave it; what is on the tape stays", "memory is never deleted");
	refuse(req, EPERM, "rmdir", ino, NULL, &why, NULL);
}

void op_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t new_parent,
               const char *new_name, unsigned flags)
{
	struct why why = { 0 };
	uint64_t ino;
	(void)new_parent, (void)flags;
	int err = tree_lookup(fs_of(req), parent, name, &ino);
	if (err) {
		fuse_reply_err(req, -err);
		return;
	}
	why_set(&why, "make a new session and go on there",
			"a memory keeps its name (asked for: %.100s)", new_name);
	refuse(req, EPERM, "rename", ino, NULL, &why, NULL);
}

/*
 * chmod, chown and utimens succeed and change nothing: tools that copy modes and
 * times must not fail over them.  A size may be set only to what it is.
 */
void op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int set,
                struct fuse_file_info *fi)
{
	struct stat st;
	struct why why = { 0 };
	(void)fi;
	if (!(tree[ino_kind(ino)].flags & NODE_FIXED))
		known_mark(&mount_of(req)->known, ino, 0, KNOWN_ATTR);
	int err = tree_stat(fs_of(req), ino, &st);
	if (err) {
		fuse_reply_err(req, -err);
		return;
	}
	if ((set & FUSE_SET_ATTR_SIZE) && attr->st_size != st.st_size) {
		if (tree[ino_kind(ino)].flags & NODE_GROWS)
			why_set(&why, "append with >>", "a log only grows: it cannot be cut or stretched");
		else
			why_set(&why, "write to sessions/NAME/log.jsonl", "this file is generated");
		refuse(req, EPERM, "truncate", ino, NULL, &why, NULL);
		return;
	}
	fuse_reply_attr(req, &st, attr_timeout(ino));
}

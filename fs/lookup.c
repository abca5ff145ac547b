/* SPDX-License-Identifier: MIT */
/* Names to inodes, attributes, links. */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>

#include <linux/fs.h>

#include "fs/internal.h"

double attr_timeout(uint64_t ino)
{
	return tree[ino_kind(ino)].flags & NODE_FRESH ? 0 : FOREVER;
}

/* What to tell of a file.  Sizes told in turn are not held back. */
static int stat_of(fuse_req_t req, uint64_t ino, struct stat *st)
{
	int64_t size;
	int err = tree_stat(fs_of(req), ino, st);
	if (!err && told_in_turn(mount_of(req), ino)) {
		err = tree_size(fs_of(req), ino, &size);
		st->st_size = size;
	}
	return err;
}

/* The first entry of an inode cannot be overtaken: the kernel has nothing of it yet. */
bool entry_must_wait(fuse_req_t req, uint64_t ino)
{
	struct fs_mount *m = mount_of(req);
	return told_in_turn(m, ino) && known_has(&m->known, ino, false);
}

/*
 * An entry the kernel will count as one lookup.  The mark comes before the look
 * (known.h); when it fails the reference is taken back.
 */
int fill_entry(fuse_req_t req, uint64_t ino, struct fuse_entry_param *e)
{
	struct known *known = &mount_of(req)->known;
	bool fixed = tree[ino_kind(ino)].flags & NODE_FIXED;
	memset(e, 0, sizeof *e);
	if (!fixed)
		known_mark(known, ino, 1, KNOWN_ATTR);
	int err = stat_of(req, ino, &e->attr);
	if (err) {
		if (!fixed)
			known_forget(known, ino, 1);
		return err;
	}
	e->ino = ino;
	e->attr_timeout = attr_timeout(ino);
	e->entry_timeout = FOREVER;
	if (tree[ino_kind(ino)].parent == KIND_REJECTED)
		e->entry_timeout = 0; /* they go by age, without an op of the kernel's */
	return 0;
}

static void reply_found(fuse_req_t req, uint64_t ino, bool in_turn)
{
	struct fs_mount *m = mount_of(req);
	struct fuse_entry_param e;
	int err = fill_entry(req, ino, &e);
	if (!err && in_turn)
		notify_size(m, ino, e.attr.st_size);
	if (err)
		fuse_reply_err(req, -err);
	else if (fuse_reply_entry(req, &e) && !(tree[ino_kind(ino)].flags & NODE_FIXED))
		known_forget(&m->known, ino, 1);
}

static void answer_found(fuse_req_t req, uint64_t ino)
{
	reply_found(req, ino, true);
}

void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	uint64_t ino;
	struct fuse_entry_param e;
	int err = tree_lookup(fs_of(req), parent, name, &ino);
	if (!err && entry_must_wait(req, ino)) {
		job_turn(req, answer_found, ino);
	} else if (!err) {
		reply_found(req, ino, false);
	} else if (err == -ENOENT && tree_remembers_absent(parent)) {
		memset(&e, 0, sizeof e); /* ino 0: the kernel remembers that there is nothing */
		e.entry_timeout = FOREVER;
		fuse_reply_entry(req, &e);
	} else {
		fuse_reply_err(req, -err);
	}
}

void op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t nlookup)
{
	known_forget(&mount_of(req)->known, ino, nlookup);
	fuse_reply_none(req);
}

void op_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets)
{
	for (size_t i = 0; i < count; i++)
		known_forget(&mount_of(req)->known, forgets[i].ino, forgets[i].nlookup);
	fuse_reply_none(req);
}

static void answer_attr(fuse_req_t req, uint64_t ino)
{
	struct fs_mount *m = mount_of(req);
	struct stat st;
	if (!(tree[ino_kind(ino)].flags & NODE_FIXED))
		known_mark(&m->known, ino, 0, KNOWN_ATTR);
	int err = stat_of(req, ino, &st);
	if (!err && told_in_turn(m, ino))
		notify_size(m, ino, st.st_size);
	if (err)
		fuse_reply_err(req, -err);
	else
		fuse_reply_attr(req, &st, attr_timeout(ino));
}

void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)fi;
	if (told_in_turn(mount_of(req), ino))
		job_turn(req, answer_attr, ino);
	else
		answer_attr(req, ino);
}

void op_readlink(fuse_req_t req, fuse_ino_t ino)
{
	struct buf target = BUF_INIT;
	if (!(tree[ino_kind(ino)].flags & NODE_FIXED))
		known_mark(&mount_of(req)->known, ino, 0, KNOWN_DATA);
	int err = tree[ino_kind(ino)].content == CONTENT_LINK ?
		tree_page(fs_of(req), ino, &target) : -EINVAL;
	if (err)
		fuse_reply_err(req, -err);
	else
		fuse_reply_readlink(req, target.data);
	buf_release(&target);
}

void op_statfs(fuse_req_t req, fuse_ino_t ino)
{
	struct status status;
	struct statvfs sv;
	(void)ino;
	store_status(fs_of(req)->store, &status);
	if (statvfs(status.database, &sv)) {
		fuse_reply_err(req, errno);
		return;
	}
	sv.f_files = (fsfilcnt_t)status.entries;
	sv.f_ffree = sv.f_favail = (fsfilcnt_t)INO_ID_BITS << 32; /* names are not what runs out */
	sv.f_namemax = NAME_LIMIT;
	fuse_reply_statfs(req, &sv);
}

/* lsattr: `a` for what only grows, `i` for what nobody writes.  chattr is refused. */
void op_ioctl(fuse_req_t req, fuse_ino_t ino, unsigned cmd, void *arg, struct fuse_file_info *fi,
              unsigned flags, const void *in, size_t in_size, size_t out_size)
{
	const struct node *row = &tree[ino_kind(ino)];
	(void)arg, (void)fi, (void)in, (void)in_size;
	if (cmd == (unsigned)FS_IOC_SETFLAGS) {
		fuse_reply_err(req, EPERM);
		return;
	}
	if (cmd != (unsigned)FS_IOC_GETFLAGS || (flags & FUSE_IOCTL_COMPAT) ||
	    out_size < sizeof(unsigned)) {
		fuse_reply_err(req, ENOTTY);
		return;
	}
	unsigned value = S_ISDIR(row->mode) ? 0 : row->flags & NODE_GROWS ? FS_APPEND_FL :
	                 FS_IMMUTABLE_FL;
	fuse_reply_ioctl(req, 0, &value, sizeof value);
}

/* SPDX-License-Identifier: MIT */
/*
 * The ops of a mount with bounds (base/bounds.h): each asks whether the mount reaches what it is
 * about, then calls the op that it stands before.  A mount without bounds never comes here.
 *
 *   what gets out by        is asked
 *   a name (LOOKUP)         here by its path, and of the inode it leads to in fill_entry()
 *   a listing               of each entry, in readdir.c
 *   a link's target         where it leads
 *   bytes                   of the inode, at OPEN; at each READ where the kernel opens by itself
 *   hits of a search        of their paths, in search/found.c; other pages of several files have
 *                           no place in such a mount unless it shows all they hold (tree.h)
 *   what goes in            of the inode, and of each name that is made, moved or removed
 *
 * reach.c answers.
 */
#include "fs/request/request.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fs/internal.h"

static const struct bounds *bounds_of(fuse_req_t req)
{
	return mount_of(req)->client.bounds;
}

/* ---- asking --------------------------------------------------------------------- */

/* Of a name, whether something has it or not. */
static enum reach reach_name(fuse_req_t req, uint64_t dir, const char *name)
{
	struct fs *fs = fs_of(req);
	if (reach_of(mount_of(req), dir) == REACH_NONE)
		return REACH_NONE;
	enum reach reach = reach_path(fs, bounds_of(req), dir, name);
	bool current = ino_kind(dir) == KIND_SESSIONS &&
		tree_row(fs, KIND_SESSIONS, name) == KIND_CURRENT;
	return current && reach < REACH_READ ? REACH_READ : reach;
}

/* ---- refusing ------------------------------------------------------------------- */

static void refuse_write(fuse_req_t req, enum reach reach, const char *op, uint64_t ino,
                         const char *child)
{
	struct why why = { 0 };
	bool shown = reach == REACH_READ;
	if (shown)
		why_set(&why, "leave it; who may write it has another mount",
		        "this mount shows it read-only (-o ro=)");
	else
		why_set(&why, "write where ls shows something",
		        "this mount does not reach there (-o only=, hide=)");
	refuse(req, shown ? EROFS : EPERM, op, ino, child, &why, NULL);
}

/* False: it cannot be written, and is answered. */
static bool may_write(fuse_req_t req, uint64_t ino, const char *op)
{
	enum reach reach = reach_of(mount_of(req), ino);
	if (reach == REACH_WRITE)
		return true;
	if (reach == REACH_NONE)
		fuse_reply_err(req, ENOENT);
	else
		refuse_write(req, REACH_READ, op, ino, NULL);
	return false;
}

static bool may_name(fuse_req_t req, uint64_t dir, const char *name, const char *op)
{
	enum reach reach = reach_name(req, dir, name);
	if (reach < REACH_WRITE)
		refuse_write(req, reach, op, dir, name);
	return reach == REACH_WRITE;
}

static bool may_read(fuse_req_t req, uint64_t ino)
{
	if (reach_of(mount_of(req), ino) > REACH_NONE)
		return true;
	fuse_reply_err(req, ENOENT);
	return false;
}

/* ---- the ops -------------------------------------------------------------------- */

static void guard_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	if (reach_name(req, parent, name) == REACH_NONE)
		fuse_reply_err(req, ENOENT);
	else
		op_lookup(req, parent, name);
}

static void guard_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	if (may_read(req, ino))
		op_getattr(req, ino, fi);
}

static void guard_access(fuse_req_t req, fuse_ino_t ino, int mask)
{
	if (!may_read(req, ino))
		return;
	if (mask & W_OK && reach_of(mount_of(req), ino) < REACH_WRITE)
		fuse_reply_err(req, EROFS);
	else
		op_access(req, ino, mask);
}

static void guard_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int set,
                          struct fuse_file_info *fi)
{
	if (may_write(req, ino, set & FUSE_SET_ATTR_SIZE ? "truncate" : "setattr"))
		op_setattr(req, ino, attr, set, fi);
}

static void guard_readlink(fuse_req_t req, fuse_ino_t ino)
{
	if (may_read(req, ino))
		op_readlink(req, ino);
}

static void guard_ioctl(fuse_req_t req, fuse_ino_t ino, unsigned cmd, void *arg,
                        struct fuse_file_info *fi, unsigned flags, const void *in, size_t in_size,
                        size_t out_size)
{
	if (may_read(req, ino))
		op_ioctl(req, ino, cmd, arg, fi, flags, in, in_size, out_size);
}

static void guard_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
                          struct fuse_file_info *fi)
{
	if (may_read(req, ino))
		op_readdir(req, ino, size, off, fi);
}

static void guard_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
                              struct fuse_file_info *fi)
{
	if (may_read(req, ino))
		op_readdirplus(req, ino, size, off, fi);
}

static void guard_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	bool writing = fi->flags & O_TRUNC || (fi->flags & O_ACCMODE) != O_RDONLY;
	if (mount_of(req)->read_only || (writing ? may_write(req, ino, "open") : may_read(req, ino)))
		op_open(req, ino, fi);
}

/* What is open was asked about when it was opened. */
static void guard_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
                       struct fuse_file_info *fi)
{
	if (!mount_of(req)->read_only || may_read(req, ino))
		op_read(req, ino, size, off, fi);
}

static void guard_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
	if (may_name(req, parent, name, "mkdir"))
		op_mkdir(req, parent, name, mode);
}

static void guard_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
                        dev_t dev)
{
	if (may_name(req, parent, name, "mknod"))
		op_mknod(req, parent, name, mode, dev);
}

static void guard_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
                         struct fuse_file_info *fi)
{
	if (may_name(req, parent, name, "create"))
		op_create(req, parent, name, mode, fi);
}

static void guard_symlink(fuse_req_t req, const char *target, fuse_ino_t parent, const char *name)
{
	if (may_name(req, parent, name, "symlink"))
		op_symlink(req, target, parent, name);
}

static void guard_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t parent, const char *name)
{
	if (may_read(req, ino) && may_name(req, parent, name, "link"))
		op_link(req, ino, parent, name);
}

static void guard_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	if (may_name(req, parent, name, "unlink"))
		op_unlink(req, parent, name);
}

static void guard_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	if (may_name(req, parent, name, "rmdir"))
		op_rmdir(req, parent, name);
}

/* A folder takes along what stands below it, of which something may have to stay. */
static bool may_move(fuse_req_t req, uint64_t dir, const char *name)
{
	char path[PATH_LIMIT + 1];
	if (!may_name(req, dir, name, "rename"))
		return false;
	bool whole = tree_path(fs_of(req), dir, name, path, sizeof path);
	if (whole && !bounds_holds_still(bounds_of(req), path))
		return true;
	refuse_write(req, REACH_READ, "rename", dir, name);
	return false;
}

static void guard_rename(fuse_req_t req, fuse_ino_t parent, const char *name,
                         fuse_ino_t new_parent, const char *new_name, unsigned flags)
{
	if (may_move(req, parent, name) && may_move(req, new_parent, new_name))
		op_rename(req, parent, name, new_parent, new_name, flags);
}

void guard_ops(struct fuse_lowlevel_ops *ops)
{
	ops->lookup = guard_lookup;
	ops->getattr = guard_getattr;
	ops->access = guard_access;
	ops->setattr = guard_setattr;
	ops->readlink = guard_readlink;
	ops->ioctl = guard_ioctl;
	ops->readdir = guard_readdir;
	ops->readdirplus = guard_readdirplus;
	ops->open = guard_open;
	ops->read = guard_read;
	ops->mkdir = guard_mkdir;
	ops->mknod = guard_mknod;
	ops->create = guard_create;
	ops->symlink = guard_symlink;
	ops->link = guard_link;
	ops->unlink = guard_unlink;
	ops->rmdir = guard_rmdir;
	ops->rename = guard_rename;
	/* WRITE, FLUSH, FSYNC and RELEASE are of what was opened; INIT, STATFS and FORGET tell nothing
	   of a file; OPENDIR is not answered. */
}

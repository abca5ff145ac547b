/* SPDX-License-Identifier: MIT */
/*
 * The door of fs/request: the requests of the kernel, a file a group of them.  An op unpacks,
 * checks, calls a sub-room below and answers once on each path: at once, or by a job of the
 * notifier after its invalidations (kernel/notify.h).  Only the top may call these.
 */
#ifndef CINTA_FS_REQUEST_H
#define CINTA_FS_REQUEST_H

#include "fs/internal.h"
#include "fs/open/open.h"
#include "fs/request/vacant.h"
#include "fs/save/save.h"

/* lookup.c */
#define FOREVER 1e6 /* timeout in seconds of what is invalidated by hand */
int fill_entry(fuse_req_t req, uint64_t ino, struct fuse_entry_param *e);
/*
 * What a mount's kernel may keep of a file: how long attributes and name, and the marks that
 * `known` gets before attributes are given (0: none, the file never changes).  Nothing else decides
 * that.  Ask before the look, for the marks, and again after it, for the timeout: a log may have
 * been opened for appending meanwhile.
 */
struct cache_policy {
	double attr_timeout, entry_timeout; /* seconds */
	uint32_t marks;
	bool brief; /* a log that grows now: its attributes are asked for again soon, so they need not
	             * be taken back from the kernel when somebody opens it to append */
};
struct cache_policy policy_of(const struct fs_mount *m, uint64_t ino);
/* Whose it is and who may what, as the mount lets others in (struct fs_access). */
void show_access(fuse_req_t req, struct stat *st);
/* What to tell of a file to who asks: of what it has staged, the staged size. */
int stat_for(fuse_req_t req, uint64_t ino, const struct fuse_file_info *fi, struct stat *st);
/* Answers with the attributes of a file, by the node id by which it was asked for. */
void reply_attr(fuse_req_t req, uint64_t node, const struct fuse_file_info *fi);
/* True if an entry would tell a size out of turn (notify.h). */
bool entry_must_wait(fuse_req_t req, uint64_t ino);

/* unlink.c: true for what is made of the memory and holds none itself: a page, a link to one */
bool is_made(const struct fs *fs, uint64_t ino);

/* rename.c: of what stands in a place */
void rename_place(fuse_req_t req, uint64_t ino, uint64_t parent, const char *name,
                  uint64_t new_parent, const char *new_name, unsigned flags);

/* file.c: a scratch file made and opened in one; fs->docs is held once and given back */
void reply_created(fuse_req_t req, struct scratch *s, struct fuse_file_info *fi);
/* file.c: what was vacant, opened as if it were new */
void reply_made_again(fuse_req_t req, uint64_t ino, struct fuse_file_info *fi);

/* setattr.c: true if what is neither document nor scratch may be opened with O_TRUNC; else it
 * is answered. */
bool may_truncate(fuse_req_t req, uint64_t ino);

/* serve.c: cuts the connection to the kernel; all its requests fail with ENOTCONN.  Any thread. */
void mount_abort(struct fs_mount *m);
/* Before the first mount, and after the last one. */
int service_start(struct fs *fs, const struct fs_options *o);
void service_stop(struct fs *fs);

/* reach.c: what a mount reaches of an inode; of a path below it.  Each may be a directory's. */
enum reach reach_of(struct fs_mount *m, uint64_t ino);
enum reach reach_path(struct fs *fs, const struct bounds *b, uint64_t ino, const char *child);
/* guard.c: in place of the ops of all mounts those that ask that first. */
void guard_ops(struct fuse_lowlevel_ops *ops);

/* fresh_ops.c: in place of some ops of a mount those that wait for a look first.  0, -EAGAIN. */
int fresh_ops(struct fs_mount *m, struct fuse_lowlevel_ops *ops);

/* The ops, by file. */
void op_init(void *userdata, struct fuse_conn_info *conn);
void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name);
void op_forget(fuse_req_t req, fuse_ino_t node, uint64_t nlookup);
void op_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets);
void op_getattr(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *fi);
void op_access(fuse_req_t req, fuse_ino_t ino, int mask);
void op_setattr(fuse_req_t req, fuse_ino_t node, struct stat *attr, int set,
                struct fuse_file_info *fi);
void op_readlink(fuse_req_t req, fuse_ino_t ino);
void op_statfs(fuse_req_t req, fuse_ino_t ino);
void op_ioctl(fuse_req_t req, fuse_ino_t ino, unsigned cmd, void *arg, struct fuse_file_info *fi,
              unsigned flags, const void *in, size_t in_size, size_t out_size);
void op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi);
void op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
                    struct fuse_file_info *fi);
void op_open(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *fi);
void op_read(fuse_req_t req, fuse_ino_t node, size_t size, off_t off, struct fuse_file_info *fi);
void op_write(fuse_req_t req, fuse_ino_t node, const char *data, size_t size, off_t off,
              struct fuse_file_info *fi);
void op_flush(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void op_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi);
void op_fsyncdir(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi);
void op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode);
void op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t dev);
void op_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
               struct fuse_file_info *fi);
void op_symlink(fuse_req_t req, const char *target, fuse_ino_t parent, const char *name);
void op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t parent, const char *name);
void op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name);
void op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name);
void op_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t new_parent,
               const char *new_name, unsigned flags);

#endif

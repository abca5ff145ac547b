/* SPDX-License-Identifier: MIT */
/* Names to inodes, attributes, links. */
#include "fs/request/request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>

#include <linux/fs.h>

#include "fs/internal.h"
#include "fs/answers/answers.h"
#include "fs/documents/documents.h"
#include "fs/search/search.h"

/* While a document is being written its size depends on who asks. */
static bool being_written(struct fs *fs, uint64_t ino)
{
	if (!is_document(fs, ino))
		return false;
	lock_take(&fs->docs);
	bool staged = edit_staged(fs, ino);
	lock_give(&fs->docs);
	return staged;
}

struct cache_policy policy_of(const struct fs_mount *m, uint64_t ino)
{
	unsigned flags = node_of(m->fs, ino)->flags;
	bool open = !m->read_only && growing_is_open(m->fs, ino);
	bool grows = (flags & NODE_GROWS) && !m->read_only && (open || growing_is(m->fs, ino));
	bool asks = flags & NODE_FRESH || open || being_written(m->fs, ino);
	bool trusts = !grows && !m->fresh;
	return (struct cache_policy){ .attr_timeout = asks || m->fresh ? 0 : FOREVER, .brief = grows,
		.entry_timeout = flags & NODE_VOLATILE || m->fresh ? 0 : FOREVER,
		.marks = flags & NODE_FIXED ? 0 : trusts ? KCACHE_ATTR | KCACHE_FOREVER : KCACHE_ATTR };
}

/* Attributes are about to be given: marks them.  *node: by which node id. */
static struct cache_policy give_attr(fuse_req_t req, uint64_t ino, uint32_t lookups, uint64_t *node)
{
	struct fs_mount *m = mount_of(req);
	const struct cache_policy p = policy_of(m, ino);
	*node = p.marks ? kcache_mark(&m->kcache, ino, lookups, p.marks) : ino;
	return p;
}

/* The version of which attributes are; -1: it is being written, or none.  Other files have 0. */
static int64_t version_of(fuse_req_t req, uint64_t ino)
{
	if (!ino_doc(ino) || mount_of(req)->read_only)
		return 0;
	return growing_is_open(fs_of(req), ino) ? -1 : document_version(fs_of(req), ino_doc(ino));
}

/* After a look at attributes, before which it had `version`: true if this node id may tell them. */
static bool may_tell(fuse_req_t req, uint64_t node, int64_t version)
{
	bool ended;
	if (version == 0)
		return true;
	if (version_of(req, ino_of_node(node)) != version)
		version = -1;
	bool may = kcache_tell(&mount_of(req)->kcache, node, version, &ended);
	if (ended)
		dentry_forget_edition(fs_of(req), ino_doc(node));
	return may;
}

/* A program that writes a document is told the size it has staged. */
static bool own_size(fuse_req_t req, uint64_t ino, const struct fuse_file_info *fi, int64_t *size)
{
	struct fs *fs = fs_of(req);
	/* The handle may be of one that was a scratch file. */
	if (!is_document(fs, ino) && !handle_stages(fi))
		return newborn_size(fs, ino, fuse_req_ctx(req)->pid, size);
	lock_take(&fs->docs);
	bool own = handle_size(fi, size) ||
	           edit_size(fs, ino, fuse_req_ctx(req)->pid, size);
	lock_give(&fs->docs);
	return own;
}

void show_access(fuse_req_t req, struct stat *st)
{
	const struct fs_access *a = &mount_of(req)->access;
	mode_t mine = st->st_mode & 0700;
	if (!a->others)
		return;
	st->st_mode = (st->st_mode & ~(mode_t)077) | ((mine >> 3 | mine >> 6) & ~a->umask);
	st->st_uid = a->uid;
	st->st_gid = a->gid;
}

/* What to tell of a file.  Sizes told in turn are not held back. */
static int stat_of(fuse_req_t req, uint64_t ino, struct stat *st)
{
	int err = tree_stat(fs_of(req), ino, size_ordered(mount_of(req), ino) ? SIZE_NOW : SIZE_HELD,
	                    st);
	if (!err)
		show_access(req, st);
	return err;
}

int stat_for(fuse_req_t req, uint64_t ino, const struct fuse_file_info *fi, struct stat *st)
{
	int64_t size;
	if (!own_size(req, ino, fi, &size))
		return stat_of(req, ino, st);
	int err = tree_stat(fs_of(req), ino, SIZE_NONE, st);
	if (err)
		return err;
	show_access(req, st);
	st->st_size = size;
	st->st_blocks = (size + 511) / 512;
	return 0;
}

/* The first entry of an inode cannot be overtaken: the kernel has nothing of it yet. */
bool entry_must_wait(fuse_req_t req, uint64_t ino)
{
	struct fs_mount *m = mount_of(req);
	return size_ordered(m, ino) && kcache_has(&m->kcache, ino, false);
}

/*
 * An entry the kernel will count as one lookup.  The mark comes before the look
 * (kcache.h); when it fails the reference is taken back.
 */
int fill_entry(fuse_req_t req, uint64_t ino, struct fuse_entry_param *e)
{
	struct kcache *kcache = &mount_of(req)->kcache;
	memset(e, 0, sizeof *e);
	if (reach_of(mount_of(req), ino) == REACH_NONE)
		return -ENOENT;
	struct cache_policy before;
	int64_t version;
	int err;
	for (;;) {
		version = version_of(req, ino);
		before = give_attr(req, ino, 1, &e->ino);
		err = stat_of(req, ino, &e->attr);
		if (!err && may_tell(req, e->ino, version))
			break;
		if (before.marks)
			kcache_forget(kcache, e->ino, 1);
		if (err)
			return err;
	}
	e->generation = generation_of(fs_of(req), ino);
	e->attr_timeout = before.brief ? 0 : policy_of(mount_of(req), ino).attr_timeout;
	e->entry_timeout = before.entry_timeout;
	return 0;
}

static void reply_found(fuse_req_t req, uint64_t ino, bool in_turn, bool brief)
{
	struct fs_mount *m = mount_of(req);
	struct fuse_entry_param e;
	int err = fill_entry(req, ino, &e);
	if (!err && in_turn)
		notify_size(m, ino, e.attr.st_size);
	if (brief)
		e.entry_timeout = 0;
	if (err)
		fuse_reply_err(req, -err);
	else if (fuse_reply_entry(req, &e) && !(node_of(fs_of(req), ino)->flags & NODE_FIXED))
		kcache_forget(&m->kcache, e.ino, 1);
}

static void answer_found(fuse_req_t req, uint64_t ino)
{
	reply_found(req, ino, true, false);
}

void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	uint64_t ino;
	struct fuse_entry_param e;
	answers_prepare(fs_of(req), parent, name);
	int err = tree_lookup(fs_of(req), parent, name, &ino);
	if (err == -ENOENT && !mount_of(req)->client.bounds) /* what is meant may be out of bounds */
		missing_asked(req, parent, name);
	if (!err && vacant_asked(fs_of(req), parent, name, ino, fuse_req_ctx(req)->pid)) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	if (!err && entry_must_wait(req, ino)) {
		job_defer(req, answer_found, ino);
	} else if (!err) {
		reply_found(req, ino, false, is_answers(parent)); /* they end by themselves */
	} else if (err == -ENOENT && tree_remembers_absent(fs_of(req), parent)) {
		memset(&e, 0, sizeof e); /* ino 0: the kernel remembers that there is nothing */
		e.entry_timeout = mount_of(req)->fresh ? 0 : FOREVER;
		fuse_reply_entry(req, &e);
	} else {
		fuse_reply_err(req, -err);
	}
}

void op_forget(fuse_req_t req, fuse_ino_t node, uint64_t nlookup)
{
	kcache_forget(&mount_of(req)->kcache, node, nlookup);
	fuse_reply_none(req);
}

void op_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets)
{
	for (size_t i = 0; i < count; i++)
		kcache_forget(&mount_of(req)->kcache, forgets[i].ino, forgets[i].nlookup);
	fuse_reply_none(req);
}

static void answer_fresh(fuse_req_t req, void *st)
{
	fuse_reply_attr(req, st, 0);
	free(st);
}

/*
 * A read-only mount's kernel opens by itself and keeps what it has read.  Of a file that changes
 * by itself it asks for the attributes at each open: by then the old pages are gone.  False: it
 * has none.
 */
static bool reply_fresh(fuse_req_t req, uint64_t ino, const struct stat *st)
{
	struct fs_mount *m = mount_of(req);
	const struct node *row = node_of(fs_of(req), ino);
	struct job job;
	if (!m->read_only || !(row->flags & NODE_FRESH) || S_ISDIR(st->st_mode) ||
	    !(kcache_take(&m->kcache, ino) & KCACHE_DATA))
		return false;
	struct stat *kept = malloc(sizeof *kept);
	if (!kept) {
		fuse_reply_err(req, ENOMEM);
		return true;
	}
	*kept = *st;
	job_init(&job, m->fs);
	job_add(&job, m, ino);
	job_finish(&job, req, answer_fresh, kept);
	return true;
}

/* Of an edition that is over, as long as it has readers: size and time of their version. */
static void reply_old_attr(fuse_req_t req, uint64_t node, const struct fuse_file_info *fi)
{
	struct fs *fs = fs_of(req);
	struct stat st;
	struct doc_version v;
	int64_t n = kcache_version(&mount_of(req)->kcache, node);
	int err = stat_for(req, ino_of_node(node), fi, &st);
	/* What a program has staged is told by the file that stages it: it may read by others. */
	if (!err && n > 0 && !handle_stages(fi) &&
	    store_doc_version(fs->store, ino_doc(node), n, &v) == 0) {
		st.st_size = v.size;
		st.st_blocks = (v.size + 511) / 512;
		st.st_mtim = st.st_ctim = timespec_of(v.time_us);
	}
	if (err)
		fuse_reply_err(req, -err);
	else
		fuse_reply_attr(req, &st, 0);
}

void reply_attr(fuse_req_t req, uint64_t node, const struct fuse_file_info *fi)
{
	struct fs_mount *m = mount_of(req);
	const uint64_t ino = ino_of_node(node);
	struct stat st;
	uint64_t now;
	if (kcache_is_over(&m->kcache, node)) {
		reply_old_attr(req, node, fi);
		return;
	}
	int64_t version = version_of(req, ino);
	const struct cache_policy before = give_attr(req, ino, 0, &now);
	int err = stat_for(req, ino, fi, &st);
	if (!err && version != 0 && (now != node || !may_tell(req, node, version))) {
		reply_old_attr(req, node, fi);
		return;
	}
	if (!err && size_ordered(m, ino))
		notify_size(m, ino, st.st_size);
	if (err)
		fuse_reply_err(req, -err);
	else if (!reply_fresh(req, ino, &st))
		fuse_reply_attr(req, &st, before.brief ? 0 : policy_of(m, ino).attr_timeout);
}

static void answer_attr(fuse_req_t req, uint64_t ino)
{
	reply_attr(req, ino, NULL);
}

void op_getattr(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *fi)
{
	if (size_ordered(mount_of(req), node))
		job_defer(req, answer_attr, node);
	else
		reply_attr(req, node, fi);
}

/*
 * access(2): what a program would do if it could; nobody is refused anything, so nothing is told.
 * For all it is as for the owner; whoever else comes in the kernel has judged already.
 */
void op_access(fuse_req_t req, fuse_ino_t ino, int mask)
{
	mode_t mode = ino_kind(ino) < KIND_COUNT ? tree_mode(fs_of(req), ino) : 0;
	mode_t wanted = (mode_t)mask & 07;
	fuse_reply_err(req, mode == 0 ? ENOENT : wanted & ~(mode >> 6) ? EACCES : 0);
}

void op_readlink(fuse_req_t req, fuse_ino_t ino)
{
	struct buf target = BUF_INIT;
	if (!(node_of(fs_of(req), ino)->flags & NODE_FIXED))
		kcache_mark(&mount_of(req)->kcache, ino, 0, KCACHE_DATA);
	enum content content = node_of(fs_of(req), ino)->content;
	bool link = content == CONTENT_LINK || content == CONTENT_SCRATCH;
	int err = link ? tree_page(fs_of(req), ino, &target) : -EINVAL;
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
	if (statvfs(status.database, &sv)) /* the file is gone, the mount is not: no room, no error */
		sv = (struct statvfs){ .f_bsize = 4096, .f_frsize = 4096 };
	sv.f_ffree = sv.f_favail = (fsfilcnt_t)INO_ID_BITS << 32; /* names are not what runs out */
	sv.f_files = (fsfilcnt_t)status.entries + sv.f_ffree;
	sv.f_namemax = NAME_LIMIT;
	fuse_reply_statfs(req, &sv);
}

/* lsattr: `a` for what only grows, `i` for what nobody writes.  chattr is refused. */
void op_ioctl(fuse_req_t req, fuse_ino_t ino, unsigned cmd, void *arg, struct fuse_file_info *fi,
              unsigned flags, const void *in, size_t in_size, size_t out_size)
{
	const struct node *row = node_of(fs_of(req), ino);
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
	bool plain = S_ISDIR(row->mode) || row->flags & NODE_WRITABLE;
	unsigned value = row->flags & NODE_GROWS ? FS_APPEND_FL : plain ? 0 : FS_IMMUTABLE_FL;
	fuse_reply_ioctl(req, 0, &value, sizeof value);
}

/* SPDX-License-Identifier: MIT */
/*
 * A filesystem that does nothing but FUSE: `barefs DIR` mounts one growing file,
 * DIR/log, and whatever small files are made beside it, all kept in memory.  It
 * answers an append or a save with the kernel flags that cinta uses (direct I/O for
 * writers, pages kept for readers, O_TRUNC with OPEN, a writer's FLUSH answered, no xattr
 * ops, names and attributes cached for ever) and as many threads; so its speed is the limit of any filesystem
 * of this sort.  Run in front by tests/bench/run; ends when it is unmounted.
 */
#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <pthread.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOG_INO = 2, THREADS = 2, MAX_WRITE = 1 << 20, FILES = 1 << 16, SIZE_MOST = 1 << 26 };

#define FOREVER 1e9

/* Who comes FILES later takes the slot of one that was replaced long ago. */
struct file {
	fuse_ino_t ino;
	char name[64]; /* "": it has been replaced */
	char *data;
	size_t len, room;
};

/* One a process; all fields but `session` protected by `lock`. */
struct bare {
	struct fuse_session *session;
	pthread_mutex_t lock;
	struct file file[FILES]; /* by inode; the log's first */
	void *by_name;           /* a tree of them (tsearch) */
	fuse_ino_t last;
};

static struct file *file_of(struct bare *b, fuse_ino_t ino)
{
	struct file *f = &b->file[ino % FILES];
	return f->ino == ino ? f : NULL;
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct file *)a)->name, ((const struct file *)b)->name);
}

static struct file *named(struct bare *b, const char *name)
{
	struct file key;
	(void)snprintf(key.name, sizeof key.name, "%s", name);
	struct file **found = tfind(&key, &b->by_name, compare);
	return found ? *found : NULL;
}

/* NULL: it has no name from now on.  False: no memory. */
static bool give_name(struct bare *b, struct file *f, const char *name)
{
	if (f->name[0])
		(void)tdelete(f, &b->by_name, compare);
	(void)snprintf(f->name, sizeof f->name, "%s", name ? name : "");
	return !f->name[0] || tsearch(f, &b->by_name, compare);
}

static int fill_stat(fuse_req_t req, fuse_ino_t ino, struct stat *st)
{
	struct bare *b = fuse_req_userdata(req);
	pthread_mutex_lock(&b->lock);
	const struct file *f = file_of(b, ino);
	memset(st, 0, sizeof *st);
	st->st_size = f ? (off_t)f->len : 0;
	pthread_mutex_unlock(&b->lock);
	st->st_ino = ino;
	st->st_uid = getuid();
	st->st_gid = getgid();
	st->st_nlink = 1;
	st->st_mode = f ? S_IFREG | 0600 : S_IFDIR | 0700;
	return f || ino == FUSE_ROOT_ID ? 0 : ENOENT;
}

static void bare_init(void *userdata, struct fuse_conn_info *conn)
{
	(void)userdata;
	conn->want &= ~(unsigned)(FUSE_CAP_AUTO_INVAL_DATA | FUSE_CAP_EXPLICIT_INVAL_DATA |
	                          FUSE_CAP_WRITEBACK_CACHE | FUSE_CAP_SPLICE_READ |
	                          FUSE_CAP_SPLICE_WRITE | FUSE_CAP_SPLICE_MOVE);
	conn->want |= conn->capable & FUSE_CAP_ATOMIC_O_TRUNC;
	conn->max_write = MAX_WRITE;
}

static void bare_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct bare *b = fuse_req_userdata(req);
	struct fuse_entry_param e = { .attr_timeout = FOREVER, .entry_timeout = FOREVER };
	pthread_mutex_lock(&b->lock);
	const struct file *f = parent == FUSE_ROOT_ID ? named(b, name) : NULL;
	e.ino = f ? f->ino : 0;
	pthread_mutex_unlock(&b->lock);
	if (!e.ino || fill_stat(req, e.ino, &e.attr))
		fuse_reply_err(req, ENOENT);
	else
		fuse_reply_entry(req, &e);
}

static fuse_ino_t make(struct bare *b, const char *name)
{
	fuse_ino_t ino = b->last + 1;
	for (int i = 0; i < FILES && b->file[ino % FILES].name[0]; i++)
		ino++;
	struct file *f = &b->file[ino % FILES];
	if (f->name[0] || strlen(name) >= sizeof f->name)
		return 0;
	free(f->data);
	*f = (struct file){ .ino = b->last = ino };
	return give_name(b, f, name) ? ino : 0;
}

static void bare_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
                        struct fuse_file_info *fi)
{
	struct bare *b = fuse_req_userdata(req);
	struct fuse_entry_param e = { .attr_timeout = FOREVER, .entry_timeout = FOREVER };
	(void)parent, (void)mode;
	pthread_mutex_lock(&b->lock);
	e.ino = make(b, name);
	pthread_mutex_unlock(&b->lock);
	fi->direct_io = 1;
	if (!e.ino || fill_stat(req, e.ino, &e.attr))
		fuse_reply_err(req, ENOSPC);
	else
		fuse_reply_create(req, &e, fi);
}

static void bare_rename(fuse_req_t req, fuse_ino_t parent, const char *name,
                        fuse_ino_t new_parent, const char *new_name, unsigned flags)
{
	struct bare *b = fuse_req_userdata(req);
	(void)parent, (void)new_parent, (void)flags;
	pthread_mutex_lock(&b->lock);
	struct file *f = named(b, name), *old = named(b, new_name);
	int err = !f ? ENOENT : strlen(new_name) < sizeof f->name ? 0 : ENAMETOOLONG;
	if (!err && old)
		(void)give_name(b, old, NULL);
	if (!err && !give_name(b, f, new_name))
		err = ENOSPC;
	pthread_mutex_unlock(&b->lock);
	fuse_reply_err(req, err);
}

static void bare_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct stat st;
	(void)fi;
	if (fill_stat(req, ino, &st))
		fuse_reply_err(req, ENOENT);
	else
		fuse_reply_attr(req, &st, FOREVER);
}

static void bare_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct bare *b = fuse_req_userdata(req);
	pthread_mutex_lock(&b->lock);
	struct file *f = file_of(b, ino);
	if (f && (fi->flags & O_TRUNC))
		f->len = 0;
	pthread_mutex_unlock(&b->lock);
	fi->direct_io = (fi->flags & O_ACCMODE) != O_RDONLY;
	fi->keep_cache = fi->noflush = !fi->direct_io;
	fuse_reply_open(req, fi);
}

static void bare_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
                      struct fuse_file_info *fi)
{
	struct bare *b = fuse_req_userdata(req);
	(void)fi;
	pthread_mutex_lock(&b->lock);
	const struct file *f = file_of(b, ino);
	size_t len = f ? f->len : 0;
	size_t at = (size_t)off < len ? (size_t)off : len;
	fuse_reply_buf(req, len ? f->data + at : NULL, len - at < size ? len - at : size);
	pthread_mutex_unlock(&b->lock);
}

static int put(struct file *f, size_t at, const char *data, size_t size)
{
	if (at > SIZE_MOST)
		return EFBIG;
	if (at + size > f->room) {
		char *more = realloc(f->data, (at + size) * 2);
		if (!more)
			return ENOSPC;
		f->data = more;
		f->room = (at + size) * 2;
	}
	memcpy(f->data + at, data, size);
	f->len = at + size > f->len ? at + size : f->len;
	return 0;
}

static void bare_write(fuse_req_t req, fuse_ino_t ino, const char *data, size_t size, off_t off,
                       struct fuse_file_info *fi)
{
	struct bare *b = fuse_req_userdata(req);
	(void)fi;
	pthread_mutex_lock(&b->lock);
	struct file *f = file_of(b, ino);
	int err = !f ? ENOENT : put(f, ino == LOG_INO ? f->len : (size_t)off, data, size);
	pthread_mutex_unlock(&b->lock);
	if (err)
		fuse_reply_err(req, err);
	else
		fuse_reply_write(req, size);
}

/* FLUSH and RELEASE: there is nothing to do. */
static void bare_done(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino, (void)fi;
	fuse_reply_err(req, 0);
}

static const struct fuse_lowlevel_ops ops = {
	.init = bare_init,
	.lookup = bare_lookup,
	.create = bare_create,
	.rename = bare_rename,
	.getattr = bare_getattr,
	.open = bare_open,
	.read = bare_read,
	.write = bare_write,
	.flush = bare_done,
	.release = bare_done,
};

static void *serve(void *arg)
{
	struct bare *b = arg;
	struct fuse_buf buf = { .mem = NULL };
	while (!fuse_session_exited(b->session)) {
		int got = fuse_session_receive_buf(b->session, &buf);
		if (got == -EINTR || got == -EAGAIN)
			continue;
		if (got <= 0)
			break;
		fuse_session_process_buf(b->session, &buf);
	}
	free(buf.mem);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct bare bare = { .lock = PTHREAD_MUTEX_INITIALIZER, .last = LOG_INO,
		.file[LOG_INO] = { .ino = LOG_INO } };
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	pthread_t thread[THREADS];
	int started = 0;
	if (argc != 2) {
		fprintf(stderr, "usage: barefs DIR\n");
		return 2;
	}
	if (fuse_opt_add_arg(&args, argv[0]) ||
	    fuse_opt_add_arg(&args, "-osubtype=barefs,default_permissions"))
		return 1;
	if (!give_name(&bare, &bare.file[LOG_INO], "log"))
		return 1;
	bare.session = fuse_session_new(&args, &ops, sizeof ops, &bare);
	fuse_opt_free_args(&args);
	if (!bare.session || fuse_session_mount(bare.session, argv[1]))
		return 1;
	while (started < THREADS && pthread_create(&thread[started], NULL, serve, &bare) == 0)
		started++;
	for (int i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	fuse_session_unmount(bare.session);
	fuse_session_destroy(bare.session);
	for (int i = 0; i < FILES; i++)
		free(bare.file[i].data);
	return started == THREADS ? 0 : 1;
}

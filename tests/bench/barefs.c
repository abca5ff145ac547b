/* SPDX-License-Identifier: MIT */
/*
 * A filesystem that does nothing but FUSE: `barefs DIR` mounts one growing file,
 * DIR/log, whose bytes are kept in memory.  It answers an append with the kernel
 * flags that cinta uses (direct I/O for writers, a FLUSH answered, no xattr ops,
 * names and attributes cached for ever) and as many threads; so its speed is the
 * limit of any filesystem of this sort.  Run in front by tests/bench/run; ends when it
 * is unmounted.
 */
#include <errno.h>
#include <fuse_lowlevel.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOG_INO = 2, THREADS = 2, MAX_WRITE = 1 << 20 };

#define FOREVER 1e9

/* One a process; all fields but `session` protected by `lock`. */
struct bare {
	struct fuse_session *session;
	pthread_mutex_t lock;
	char *data;
	size_t len, room;
};

static int fill_stat(fuse_req_t req, fuse_ino_t ino, struct stat *st)
{
	struct bare *b = fuse_req_userdata(req);
	if (ino != FUSE_ROOT_ID && ino != LOG_INO)
		return ENOENT;
	memset(st, 0, sizeof *st);
	st->st_ino = ino;
	st->st_uid = getuid();
	st->st_gid = getgid();
	st->st_nlink = 1;
	st->st_mode = ino == LOG_INO ? S_IFREG | 0600 : S_IFDIR | 0700;
	pthread_mutex_lock(&b->lock);
	st->st_size = ino == LOG_INO ? (off_t)b->len : 0;
	pthread_mutex_unlock(&b->lock);
	return 0;
}

static void bare_init(void *userdata, struct fuse_conn_info *conn)
{
	(void)userdata;
	conn->want &= ~(unsigned)(FUSE_CAP_AUTO_INVAL_DATA | FUSE_CAP_EXPLICIT_INVAL_DATA |
	                          FUSE_CAP_ATOMIC_O_TRUNC | FUSE_CAP_WRITEBACK_CACHE |
	                          FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE | FUSE_CAP_SPLICE_MOVE);
	conn->max_write = MAX_WRITE;
}

static void bare_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param e = { .ino = LOG_INO, .attr_timeout = FOREVER,
		.entry_timeout = FOREVER };
	if (parent != FUSE_ROOT_ID || strcmp(name, "log") != 0 || fill_stat(req, LOG_INO, &e.attr))
		fuse_reply_err(req, ENOENT);
	else
		fuse_reply_entry(req, &e);
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
	(void)ino;
	fi->direct_io = 1;
	fuse_reply_open(req, fi);
}

static void bare_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
                      struct fuse_file_info *fi)
{
	struct bare *b = fuse_req_userdata(req);
	(void)ino, (void)fi;
	pthread_mutex_lock(&b->lock);
	size_t at = (size_t)off < b->len ? (size_t)off : b->len;
	size_t left = b->len - at;
	fuse_reply_buf(req, b->data ? b->data + at : NULL, left < size ? left : size);
	pthread_mutex_unlock(&b->lock);
}

static void bare_write(fuse_req_t req, fuse_ino_t ino, const char *data, size_t size, off_t off,
                       struct fuse_file_info *fi)
{
	struct bare *b = fuse_req_userdata(req);
	int err = 0;
	(void)ino, (void)off, (void)fi;
	pthread_mutex_lock(&b->lock);
	if (b->len + size > b->room) {
		size_t room = (b->len + size) * 2;
		char *more = realloc(b->data, room);
		if (more) {
			b->data = more;
			b->room = room;
		} else {
			err = ENOSPC;
		}
	}
	if (!err) {
		memcpy(b->data + b->len, data, size);
		b->len += size;
	}
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
	struct bare bare = { .lock = PTHREAD_MUTEX_INITIALIZER };
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
	free(bare.data);
	return started == THREADS ? 0 : 1;
}

/* SPDX-License-Identifier: MIT */
/*
 * A mount's life.  Each mount has WORKERS threads that read requests and answer
 * them; when the kernel says that it was unmounted they end by themselves.  With an
 * embedder it has SPARES more, which only do so while others wait for its endpoint.
 *
 *   fs_mount ─► serving ─► (unmounted from outside) ─► idle ─► fs_unmount
 *                  └────────────── fs_unmount ──────────────────────▲
 */
#include "fs/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fs/internal.h"

enum { MAX_WRITE = 1 << 20, WAKE = SIGUSR1 };

void op_init(void *userdata, struct fuse_conn_info *conn)
{
	/* Measured: with these two off, and sizes that only grow, no reader ever saw NUL bytes. */
	conn->want &= ~(unsigned)(FUSE_CAP_AUTO_INVAL_DATA | FUSE_CAP_EXPLICIT_INVAL_DATA);
	/* Offsets of O_APPEND are ours; 2 KB need no splice. */
	conn->want &= ~(unsigned)(FUSE_CAP_ATOMIC_O_TRUNC | FUSE_CAP_WRITEBACK_CACHE |
	                          FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE | FUSE_CAP_SPLICE_MOVE |
	                          FUSE_CAP_READDIRPLUS_AUTO);
	conn->want |= conn->capable & (FUSE_CAP_READDIRPLUS | FUSE_CAP_PARALLEL_DIROPS |
	                               FUSE_CAP_CACHE_SYMLINKS | FUSE_CAP_NO_OPENDIR_SUPPORT |
	                               FUSE_CAP_ASYNC_READ);
	if (((struct fs_mount *)userdata)->read_only)
		conn->want |= conn->capable & FUSE_CAP_NO_OPEN_SUPPORT;
	else /* a save in place is a request less; never where OPEN is not answered */
		conn->want |= conn->capable & FUSE_CAP_ATOMIC_O_TRUNC;
	conn->max_write = MAX_WRITE;
}

void workers_lend(struct fs *fs)
{
	pthread_mutex_lock(&fs->lock);
	fs->lent++;
	pthread_cond_broadcast(&fs->changed);
	pthread_mutex_unlock(&fs->lock);
}

void workers_return(struct fs *fs)
{
	pthread_mutex_lock(&fs->lock);
	fs->lent--;
	pthread_mutex_unlock(&fs->lock);
}

/* Rests until one is needed; a spare that waits for a request finds out with the next one. */
static void wait_as_spare(struct fs_mount *m)
{
	struct fs *fs = m->fs;
	pthread_mutex_lock(&fs->lock);
	while (fs->lent == 0 && !fuse_session_exited(m->session))
		pthread_cond_wait(&fs->changed, &fs->lock);
	pthread_mutex_unlock(&fs->lock);
}

static void work(struct fs_mount *m, bool spare)
{
	struct fuse_buf buf = { .mem = NULL };
	for (;;) {
		if (spare)
			wait_as_spare(m);
		if (fuse_session_exited(m->session))
			break;
		int got = fuse_session_receive_buf(m->session, &buf);
		if (got == -EINTR || got == -EAGAIN)
			continue;
		if (got <= 0)
			break;
		fuse_session_process_buf(m->session, &buf);
		explicit_bzero(buf.mem, (size_t)got); /* what is redacted later is not in here */
	}
	free(buf.mem);
	fuse_session_exit(m->session);
	pthread_mutex_lock(&m->fs->lock);
	if (--m->running == 0)
		m->fs->serving--;
	pthread_cond_broadcast(&m->fs->changed); /* for fs_wait(), and the spares */
	pthread_mutex_unlock(&m->fs->lock);
}

static void *serve(void *arg)
{
	work(arg, false);
	return NULL;
}

static void *serve_as_spare(void *arg)
{
	work(arg, true);
	return NULL;
}

static void nothing(int sig)
{
	(void)sig; /* it only has to end a read */
}

static int start_workers(struct fs_mount *m)
{
	struct fs *fs = m->fs;
	struct sigaction wake = { .sa_handler = nothing };
	sigset_t set;
	sigaction(WAKE, &wake, NULL);
	sigemptyset(&set);
	sigaddset(&set, WAKE);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL); /* inherited by the workers */
	pthread_mutex_lock(&fs->lock);
	m->next = fs->mounts;
	fs->mounts = m;
	fs->serving++;
	int wanted = fs->embedder ? WORKERS + SPARES : WORKERS;
	for (; m->workers < wanted; m->workers++) {
		if (pthread_create(&m->worker[m->workers], NULL,
		                   m->workers < WORKERS ? serve : serve_as_spare, m))
			break;
		m->running++;
	}
	if (m->running == 0)
		fs->serving--;
	pthread_mutex_unlock(&fs->lock);
	return m->running > 0 ? 0 : -EAGAIN;
}

/* Commas and backslashes would end an option. */
static void add_escaped(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == ',' || *text == '\\')
			buf_addc(out, '\\');
		buf_addc(out, *text);
	}
}

static int new_session(struct fs *fs, const struct fs_mount_options *o, bool kernel,
                       struct fs_mount **out)
{
	struct fs_mount *m = calloc(1, sizeof *m);
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	struct buf opts = BUF_INIT;
	struct status status;
	int err = -ENOMEM;
	if (!m)
		return err;
	m->fs = fs;
	m->read_only = o->read_only;
	m->allow_other = o->allow_other;
	known_init(&m->known);
	store_status(fs->store, &status);
	if (kernel) {
		buf_adds(&opts, "subtype=cinta,default_permissions,fsname=");
		add_escaped(&opts, status.database);
		buf_addf(&opts, "%s%s%s%s", o->read_only ? ",ro" : "", o->allow_other ? ",allow_other" : "",
		         o->fuse_opts ? "," : "", o->fuse_opts ? o->fuse_opts : "");
	}
	if (fuse_opt_add_arg(&args, "cinta") == 0 && !opts.failed &&
	    (!o->debug || fuse_opt_add_arg(&args, "-d") == 0) &&
	    (!opts.len || (fuse_opt_add_arg(&args, "-o") == 0 &&
	                   fuse_opt_add_arg(&args, opts.data) == 0))) {
		m->session = fuse_session_new(&args, &fs_ops, sizeof fs_ops, m);
		err = m->session ? 0 : -EINVAL;
	}
	fuse_opt_free_args(&args);
	buf_release(&opts);
	if (err) {
		known_release(&m->known);
		free(m);
		m = NULL;
	}
	*out = m;
	return err;
}

static void end_session(struct fs_mount *m)
{
	if (m->mounted_by_us)
		fuse_session_unmount(m->session);
	fuse_session_destroy(m->session);
	handles_drop(m);
	known_release(&m->known);
	free(m);
}

int fs_mount(struct fs *fs, const struct fs_mount_options *o, struct fs_mount **out,
             struct why *why)
{
	struct fs_mount *m = NULL;
	int err = new_session(fs, o, true, &m);
	if (err) {
		why_set(why, "check the mount options", "libfuse does not take the options");
		return err;
	}
	if (fuse_session_mount(m->session, o->dir)) {
		why_set(why, "run cinta doctor", "cannot mount at %.180s", o->dir);
		end_session(m);
		return -EIO;
	}
	m->mounted_by_us = true;
	err = start_workers(m);
	if (err) {
		why_set(why, "free some memory", "cannot start threads");
		fs_unmount(m);
		return err;
	}
	struct stat st; /* answered by our own workers */
	m->device = stat(o->dir, &st) == 0 ? minor(st.st_dev) : 0;
	*out = m;
	return 0;
}

void mount_abort(struct fs_mount *m)
{
	char path[64];
	if (m->device == 0)
		return;
	(void)snprintf(path, sizeof path, "/sys/fs/fuse/connections/%u/abort", m->device);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, "1", 1) != 1)
		perror(path);
	close(fd);
}

static ssize_t read_fd(int fd, void *buf, size_t len, void *userdata)
{
	(void)userdata;
	return read(fd, buf, len);
}

static ssize_t write_fd(int fd, struct iovec *iov, int count, void *userdata)
{
	(void)userdata;
	return writev(fd, iov, count);
}

int fs_mount_fd(struct fs *fs, const struct fs_mount_options *o, int fd, struct fs_mount **out)
{
	static const struct fuse_custom_io io = { .read = read_fd, .writev = write_fd };
	struct fs_mount *m = NULL;
	int err = new_session(fs, o, false, &m);
	if (!err)
		err = fuse_session_custom_io(m->session, &io, fd);
	if (!err)
		err = start_workers(m);
	if (err && m)
		end_session(m);
	*out = err ? NULL : m;
	return err;
}

bool fs_mounted(const struct fs_mount *m)
{
	pthread_mutex_lock(&m->fs->lock);
	bool running = m->running > 0;
	pthread_mutex_unlock(&m->fs->lock);
	return running;
}

/* Workers that sit in read() are woken until they have seen that it is over. */
static void stop_workers(struct fs_mount *m)
{
	fuse_session_exit(m->session);
	for (;;) {
		pthread_mutex_lock(&m->fs->lock);
		int running = m->running;
		pthread_cond_broadcast(&m->fs->changed);
		pthread_mutex_unlock(&m->fs->lock);
		if (running == 0)
			break;
		for (int i = 0; i < m->workers; i++)
			pthread_kill(m->worker[i], WAKE);
		usleep(1000);
	}
	for (int i = 0; i < m->workers; i++)
		pthread_join(m->worker[i], NULL);
}

void fs_unmount(struct fs_mount *m)
{
	struct fs *fs = m->fs;
	if (m->mounted_by_us) {
		fuse_session_unmount(m->session);
		m->mounted_by_us = false;
	}
	stop_workers(m);
	pthread_mutex_lock(&fs->lock);
	for (struct fs_mount **p = &fs->mounts; *p; p = &(*p)->next) {
		if (*p == m) {
			*p = m->next;
			break;
		}
	}
	pthread_mutex_unlock(&fs->lock);
	/* Nobody finds it now; writes in the store's queue and notices to it: milliseconds. */
	while (atomic_load(&m->pending) > 0)
		usleep(1000);
	end_session(m);
}

void fs_wait(struct fs *fs)
{
	pthread_mutex_lock(&fs->lock);
	while (fs->serving > 0 && !fs->stop)
		pthread_cond_wait(&fs->changed, &fs->lock);
	pthread_mutex_unlock(&fs->lock);
}

void fs_stop(struct fs *fs)
{
	embedder_interrupt(fs);
	pthread_mutex_lock(&fs->lock);
	fs->stop = true;
	pthread_cond_broadcast(&fs->changed);
	pthread_mutex_unlock(&fs->lock);
}

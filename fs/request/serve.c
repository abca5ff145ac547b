/* SPDX-License-Identifier: MIT */
/*
 * A mount's life and its threads.  Each mount has WORKERS threads that read requests and answer
 * them.  With an embedder it has SPARES more, which only do so while others wait for its endpoint.
 *
 *   fs_mount ─► serving ─► (unmounted from outside) ─► idle ─► fs_unmount
 *                  └────────────── fs_unmount ──────────────────────▲
 *
 *   a thread:         ┌───────── answered, or interrupted ─────────┐
 *                     ▼                                            │
 *   started ─► (a spare waits ─► somebody waits ─►) reads ─► works on the request ─► lends
 *                     │                               │            ▲                   │
 *                     │ the session is over           │ no more    └──── it is back ───┘
 *                     ▼                               ▼
 *                   ended: all other threads of the mount are woken, too
 *
 * Invariants
 *   1. A mount is in fs->mounts from its first thread on until fs_unmount() has joined them all.
 *   2. It is freed when nothing is pending: no request in the queue of the store or of the
 *      notifier, and no notice to it.
 */
#include "fs/request/request.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "fs/internal.h"
#include "fs/meaning/meaning.h"
#include "store/thread.h"

/* More threads than cores cost half of the throughput and more. */
enum { WORKERS = 2, SPARES = ASKERS, WAKE = SIGUSR1, ABORT_MS = 3000 };

/* All mounts of a fs. */
struct service {
	pthread_cond_t changed; /* with fs->lock, which guards all of these */
	int serving;            /* mounts whose workers run */
	int lent;               /* threads that wait for an embedding endpoint */
	bool stop;
};

struct worker {
	struct served *of;
	pthread_t thread;
	struct fuse_buf buf; /* made before the thread: one without would answer nobody */
};

/* A mount, as it is known here. */
struct served {
	struct fs_mount mount;
	bool mounted_by_us;
	unsigned device;        /* minor number of the mount: its name under /sys/fs/fuse */
	int abort_fd;           /* opened by that name while it was its own; -1: it cannot be */
	struct worker worker[WORKERS + SPARES];
	int workers;            /* started */
	int running;            /* guarded by fs->lock: still in their loop */
};

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
	conn->want &= ~(unsigned)FUSE_CAP_FLOCK_LOCKS;
	if (((struct fs_mount *)userdata)->read_only)
		conn->want |= conn->capable & FUSE_CAP_NO_OPEN_SUPPORT;
	else /* a save in place is a request less; never where OPEN is not answered */
		conn->want |= conn->capable & (FUSE_CAP_ATOMIC_O_TRUNC | FUSE_CAP_FLOCK_LOCKS);
	conn->max_write = CONNECTION_MAX_WRITE;
}

static void workers_lend(struct fs *fs)
{
	lock_take(&fs->lock);
	fs->service->lent++;
	pthread_cond_broadcast(&fs->service->changed);
	lock_give(&fs->lock);
}

static void workers_return(struct fs *fs)
{
	lock_take(&fs->lock);
	fs->service->lent--;
	lock_give(&fs->lock);
}

int service_start(struct fs *fs, const struct fs_options *o)
{
	(void)o;
	fs->service = calloc(1, sizeof *fs->service);
	if (!fs->service)
		return -ENOMEM;
	pthread_cond_init(&fs->service->changed, NULL);
	fs->wait_begins = workers_lend;
	fs->wait_ends = workers_return;
	return 0;
}

void service_stop(struct fs *fs)
{
	if (!fs->service)
		return;
	assert(!fs->mounts);
	pthread_cond_destroy(&fs->service->changed);
	free(fs->service);
}

/* Rests until one is needed; a spare that waits for a request finds out with the next one. */
static void wait_as_spare(struct fs_mount *m)
{
	struct fs *fs = m->fs;
	thread_clear();
	lock_take(&fs->lock);
	while (fs->service->lent == 0 && !mount_is_over(m))
		lock_wait(&fs->lock, &fs->service->changed);
	lock_give(&fs->lock);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct served *v = w->of;
	struct fs_mount *m = &v->mount;
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE); /* who reads the answers over a socket may have gone */
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	client_is(m->fs, &m->client);
	for (;;) {
		if (w - v->worker >= WORKERS)
			wait_as_spare(m);
		if (mount_is_over(m))
			break;
		thread_clear();
		int got = connection_receive(m, &w->buf);
		if (got == -EINTR || got == -EAGAIN)
			continue;
		if (got <= 0)
			break;
		fuse_session_process_buf(m->session, &w->buf);
		explicit_bzero(w->buf.mem, (size_t)got); /* what is redacted later is not in here */
	}
	free(w->buf.mem);
	atomic_store(&m->over, true);
	lock_take(&m->fs->lock);
	if (--v->running == 0)
		m->fs->service->serving--;
	pthread_cond_broadcast(&m->fs->service->changed); /* for fs_wait(), and the spares */
	lock_give(&m->fs->lock);
	return NULL;
}

static bool start_worker(struct served *v, int i)
{
	struct worker *w = &v->worker[i];
	w->of = v;
	if (connection_buffer(&w->buf) == 0 && pthread_create(&w->thread, NULL, work, w) == 0)
		return true;
	free(w->buf.mem);
	return false;
}

static void nothing(int sig)
{
	(void)sig; /* it only has to end a read */
}

static int start_workers(struct served *v)
{
	struct fs_mount *m = &v->mount;
	struct fs *fs = m->fs;
	struct sigaction wake = { .sa_handler = nothing };
	sigset_t set;
	sigaction(WAKE, &wake, NULL);
	sigemptyset(&set);
	sigaddset(&set, WAKE);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL); /* inherited by the workers */
	lock_take(&fs->lock);
	m->next = fs->mounts;
	fs->mounts = m;
	fs->service->serving++;
	int wanted = fs->embedder ? WORKERS + SPARES : WORKERS;
	for (; v->workers < wanted && start_worker(v, v->workers); v->workers++)
		v->running++;
	bool any = v->running > 0; /* they may end at any moment from now on */
	if (!any) {
		fs->service->serving--;
		fs->mounts = m->next;
	}
	lock_give(&fs->lock);
	return any ? 0 : -EAGAIN;
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

static const struct fuse_lowlevel_ops ops = {
	.init = op_init,
	.lookup = op_lookup,
	.forget = op_forget,
	.forget_multi = op_forget_multi,
	.getattr = op_getattr,
	.access = op_access,
	.setattr = op_setattr,
	.readlink = op_readlink,
	.statfs = op_statfs,
	.ioctl = op_ioctl,
	.opendir = op_opendir,
	.readdir = op_readdir,
	.readdirplus = op_readdirplus,
	.open = op_open,
	.read = op_read,
	.write = op_write,
	.flush = op_flush,
	.release = op_release,
	.fsync = op_fsync,
	.fsyncdir = op_fsyncdir,
	.mkdir = op_mkdir,
	.mknod = op_mknod,
	.create = op_create,
	.symlink = op_symlink,
	.link = op_link,
	.unlink = op_unlink,
	.rmdir = op_rmdir,
	.rename = op_rename,
	.flock = op_flock,
	/* No xattr ops: ENOSYS once, and the kernel stops asking before each write.
	   No ops for fcntl locks: these are the kernel's own (flock.c).  No copy_file_range, fallocate,
	   tmpfile: tools fall back. */
};

/*
 * With what each mount is served: one with bounds is asked first whether it reaches there, and one
 * that is to be fresh waits before that.
 */
static struct fuse_session *session_of(struct fs_mount *m, struct fuse_args *args)
{
	struct fuse_lowlevel_ops own = ops;
	if (m->client.bounds)
		guard_ops(&own);
	if (m->fresh != FRESH_TOLD && fresh_ops(m, &own))
		return NULL;
	return fuse_session_new(args, &own, sizeof own, m);
}

static int new_session(struct fs *fs, const struct fs_mount_options *o, bool kernel,
                       struct served **out, struct why *why)
{
	struct served *v = calloc(1, sizeof *v);
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	struct buf opts = BUF_INIT;
	struct status status;
	int err = -ENOMEM;
	if (!v)
		return err;
	struct fs_mount *m = &v->mount;
	m->fs = fs;
	m->fd = v->abort_fd = -1;
	m->read_only = o->read_only;
	m->retires = o->retires;
	m->fresh = o->fresh;
	m->access = o->access;
	m->client = fs->usual;
	if (o->session || o->owner || o->server || o->agent || o->as || o->only || o->ro || o->hide) {
		err = client_init(fs, &m->client, o, why);
		if (err) {
			client_release(&m->client);
			free(v);
			return err;
		}
	}
	kcache_init(&m->kcache);
	store_status(fs->store, &status);
	if (kernel) {
		/* Where nobody else comes in, an op that is not permitted is ours to refuse, with words;
		   the kernel would say EACCES by the mode, to all but root. */
		buf_adds(&opts, o->access.others || o->read_only ? "default_permissions," : "");
		buf_adds(&opts, "subtype=cinta,fsname=");
		add_escaped(&opts, status.database);
		buf_addf(&opts, "%s%s%s%s", o->read_only ? ",ro" : "",
		         o->access.others ? ",allow_other" : "", o->fuse_opts ? "," : "",
		         o->fuse_opts ? o->fuse_opts : "");
	}
	if (fuse_opt_add_arg(&args, "cinta") == 0 && !opts.failed &&
	    (!o->debug || fuse_opt_add_arg(&args, "-d") == 0) &&
	    (!opts.len || (fuse_opt_add_arg(&args, "-o") == 0 &&
	                   fuse_opt_add_arg(&args, opts.data) == 0))) {
		m->session = session_of(m, &args);
		err = m->session ? 0 : -EINVAL;
	}
	fuse_opt_free_args(&args);
	buf_release(&opts);
	if (!err && m->fresh == FRESH_WRITE)
		store_share(fs->store, true);
	if (err) {
		kcache_release(&m->kcache);
		client_release(&m->client);
		free(v);
		v = NULL;
	}
	*out = v;
	return err;
}

static void end_session(struct served *v)
{
	struct fs_mount *m = &v->mount;
	if (v->mounted_by_us)
		fuse_session_unmount(m->session);
	if (v->abort_fd >= 0)
		close(v->abort_fd);
	flocks_drop(m);
	connection_close(m);
	fuse_session_destroy(m->session);
	if (m->fresh == FRESH_WRITE)
		store_share(m->fs->store, false);
	handles_drop(m);
	kcache_release(&m->kcache);
	client_release(&m->client);
	free(v);
}

int fs_mount(struct fs *fs, const struct fs_mount_options *o, struct fs_mount **out,
             struct why *why)
{
	struct served *v = NULL;
	int err = new_session(fs, o, true, &v, why);
	if (err) {
		if (!why->text[0])
			why_set(why, "check the mount options", "libfuse does not take the options");
		return err;
	}
	if (fuse_session_mount(v->mount.session, o->dir)) {
		why_set(why, "run cinta doctor", "cannot mount at %.180s", o->dir);
		end_session(v);
		return -EIO;
	}
	v->mounted_by_us = true;
	err = connection_take(&v->mount);
	if (!err)
		err = start_workers(v);
	if (err) {
		why_set(why, "free some memory", "cannot start threads");
		(void)fs_unmount(&v->mount);
		return err;
	}
	struct stat st; /* answered by our own workers */
	v->device = stat(o->dir, &st) == 0 ? minor(st.st_dev) : 0;
	/* When this is unmounted, the number may be another mount's at once. */
	v->abort_fd = v->device ? fs_abort_open(v->device) : -1;
	*out = &v->mount;
	return 0;
}

void mount_abort(struct fs_mount *m)
{
	const struct served *v = (const struct served *)m;
	if (v->abort_fd >= 0 && write(v->abort_fd, "1", 1) < 0 && errno != ENOTCONN)
		perror("cinta: aborting a mount");
}

unsigned fs_device(const struct fs_mount *m)
{
	return ((const struct served *)m)->device;
}

int fs_mount_fd(struct fs *fs, const struct fs_mount_options *o, int fd, struct fs_mount **out)
{
	char name[sizeof "/dev/fd/" + 3 * sizeof fd];
	struct served *v = NULL;
	struct why why = { 0 };
	int err = new_session(fs, o, false, &v, &why);
	/* libfuse's word for a connection that is there already */
	(void)snprintf(name, sizeof name, "/dev/fd/%d", fd);
	if (!err && fuse_session_mount(v->mount.session, name))
		err = -EIO;
	if (!err)
		err = start_workers(v);
	if (err && v)
		end_session(v);
	*out = err ? NULL : &v->mount;
	return err;
}

bool fs_mounted(const struct fs_mount *m)
{
	lock_take(&m->fs->lock);
	bool running = ((const struct served *)m)->running > 0;
	lock_give(&m->fs->lock);
	return running;
}

static bool is_idle(struct served *v)
{
	struct fs_mount *m = &v->mount;
	lock_take(&m->fs->lock);
	bool running = v->running > 0;
	pthread_cond_broadcast(&m->fs->service->changed); /* for the spares */
	lock_give(&m->fs->lock);
	/* Writes in the store's queue, and notices. */
	return !running && atomic_load(&m->pending) == 0;
}

/* Nobody answers any more what comes now, and a notice may wait for the pages of a READ. */
static void refuse_rest(struct fs_mount *m)
{
	if (m->fd >= 0)
		connection_refuse(m->fd, m->read_only ? NULL : handle_break);
}

/* Workers that sit in read() are woken until they have seen that it is over. */
static bool put_to_rest(struct served *v)
{
	struct fs_mount *m = &v->mount;
	int64_t began = now_ms();
	bool aborted = false;
	atomic_store(&m->over, true);
	connection_hurry(m);
	while (!is_idle(v)) {
		int64_t waited = now_ms() - began;
		if (m->fd >= 0 && waited > UNMOUNT_MS)
			return false;
		if (m->fd >= 0 && waited > ABORT_MS && !aborted) {
			mount_abort(m);
			aborted = true;
		}
		for (int i = 0; i < v->workers; i++)
			pthread_kill(v->worker[i].thread, WAKE);
		refuse_rest(m);
		usleep(1000);
	}
	for (int i = 0; i < v->workers; i++)
		pthread_join(v->worker[i].thread, NULL);
	return true;
}

int fs_unmount(struct fs_mount *m)
{
	struct served *v = (struct served *)m;
	struct fs *fs = m->fs;
	if (v->mounted_by_us) {
		fuse_session_unmount(m->session);
		v->mounted_by_us = false;
	}
	if (!put_to_rest(v))
		return -EBUSY;
	lock_take(&fs->lock);
	for (struct fs_mount **p = &fs->mounts; *p; p = &(*p)->next) {
		if (*p == m) {
			*p = m->next;
			break;
		}
	}
	lock_give(&fs->lock);
	/* Nobody finds it now; what found it before. */
	while (atomic_load(&m->pending) > 0) {
		refuse_rest(m);
		usleep(1000);
	}
	end_session(v);
	return 0;
}

void fs_wait(struct fs *fs)
{
	thread_clear(); /* what was said at the start, and to the mounts before */
	lock_take(&fs->lock);
	while (fs->service->serving > 0 && !fs->service->stop)
		lock_wait(&fs->lock, &fs->service->changed);
	lock_give(&fs->lock);
}

void fs_stop(struct fs *fs)
{
	embedder_interrupt(fs);
	lock_take(&fs->lock);
	fs->service->stop = true;
	pthread_cond_broadcast(&fs->service->changed);
	lock_give(&fs->lock);
}

/* SPDX-License-Identifier: MIT */
/* Which road leads to a memory's files now, and what is done in the same way on both (files.h). */
#include "mount/files/road.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mount/memory/memory.h"
#include "mount/point/point.h"

enum { STEP_MS = 20, ANSWER_MS = 2000 };

struct wanted {
	const char *database;
	bool writes;
	int patience_ms;
	const char *through; /* that mount alone, which may show less than others; NULL: any */
	char dir[PATH_MAX]; /* of the mount that was found; "": none */
	bool reads_only;    /* and it takes no writes */
};

/* The oldest mount of it that takes writes, else the oldest one. */
static int consider(void *ctx, const struct mount_entry *e)
{
	struct wanted *w = ctx;
	if (w->through && strcmp(e->dir, w->through) != 0)
		return 0;
	if (strcmp(e->source, w->database) != 0 || (*w->dir && !(w->reads_only && !e->read_only)))
		return 0;
	memcpy(w->dir, e->dir, sizeof e->dir);
	w->reads_only = e->read_only;
	return !e->read_only;
}

/* By the daemon: 0, -errno with `why`, or -EAGAIN: none of its mounts is seen. */
static int by_daemon(struct files *f, struct wanted *w, struct why *why)
{
	*w->dir = '\0';
	(void)mounts_each(consider, w);
	if (!*w->dir)
		return -EAGAIN;
	int err = mount_probe(w->dir, w->patience_ms < ANSWER_MS ? w->patience_ms : ANSWER_MS);
	if (!err && w->writes && w->reads_only) {
		why_set(why, "mount it once more without -o ro", "%.200s is mounted read-only", w->dir);
		return -EROFS;
	}
	if (!err)
		err = road_mount(f, w->dir);
	if (err == -ENOTCONN || err == -ECONNABORTED || err == -ENOENT)
		return -EAGAIN; /* it goes, or has gone */
	if (err)
		why_set(why, "see `cinta doctor`", "%.200s does not answer: %s", w->dir, strerror(-err));
	return err;
}

/* A database whose directory is read-only, or full, may have no owner. */
static bool is_unownable(int err)
{
	return err == -EROFS || err == -EACCES || err == -EPERM || err == -ENOSPC;
}

/* True if its mounts cannot be seen here: another mount namespace, or another's processes. */
static bool is_elsewhere(pid_t pid)
{
	return pid > 0 && (namespace_differs(pid) || (kill(pid, 0) < 0 && errno == ESRCH));
}

/* Nobody owns it, as far as it was seen: the tree in this process does, if nobody is faster. */
static int by_itself(struct files *f, struct wanted *w, const struct options *o, struct why *why)
{
	int lock = -1, err = owner_take(w->database, &lock);
	if (err == -EWOULDBLOCK)
		return -EAGAIN;
	if (err && (w->writes || !is_unownable(err))) {
		why_set(why, "check the directory's owner and mode", "%.200s.lock: %s", w->database,
		        strerror(-err));
		return err;
	}
	return road_visit(f, w->database, o, lock, why);
}

/*
 * One attempt; -EAGAIN: somebody comes or goes.  Who has named a mount may be let into that alone,
 * so the database is looked at only where it does not answer.
 */
static int find_road(struct files *f, struct wanted *w, const struct options *o, struct why *why)
{
	struct owner who = { 0 };
	int named = w->through ? by_daemon(f, w, why) : -EAGAIN;
	if (named != -EAGAIN && named != -ETIMEDOUT)
		return named;
	enum owner_state state = owner_state(w->database, &who);
	if (state == OWNER_NONE)
		return by_itself(f, w, o, why);
	if (state == OWNER_DEAD) {
		int freed = dead_free(w->database, why);
		return freed ? freed : -EAGAIN;
	}
	int err = w->through ? named : by_daemon(f, w, why);
	if (err == -ETIMEDOUT && !w->writes)
		return road_visit(f, w->database, o, -1, why);
	if (err != -EAGAIN || !is_elsewhere(who.pid))
		return err;
	if (!w->writes)
		return road_visit(f, w->database, o, -1, why);
	why_set(why, "write through that, or end it", "%.150s is served by process %ld in another "
	        "mount namespace", w->database, (long)who.pid);
	return -EBUSY;
}

/* The mount that was named, in a word or behind -d. */
static const char *mount_of(const struct options *o, char dir[PATH_MAX])
{
	if (o->through)
		return o->through;
	bool mounted = o->database && path_mount_point(o->database, dir) == 0 && mounts_at(dir, NULL);
	return mounted ? dir : NULL;
}

int files_begin(const char *database, const struct options *o, bool writes, int patience_ms,
                struct files **out, struct why *why)
{
	struct wanted *w = calloc(1, sizeof *w);
	struct files *f = calloc(1, sizeof *f);
	char dir[PATH_MAX];
	int err = w && f ? -EAGAIN : -ENOMEM;
	if (err == -ENOMEM)
		goto out;
	f->dir = f->lock = -1;
	f->writes = writes;
	*w = (struct wanted){ .database = database, .writes = writes, .patience_ms = patience_ms,
		.through = mount_of(o, dir) };
	for (int waited = 0; err == -EAGAIN && waited <= patience_ms; waited += STEP_MS) {
		if (waited)
			usleep(STEP_MS * 1000);
		err = find_road(f, w, o, why);
	}
	if (err == -EAGAIN && !writes) /* an import, say: it may take long, and reads need no owner */
		err = road_visit(f, database, o, -1, why);
	if (err == -EAGAIN) {
		why_set(why, "try again, or see `cinta doctor`",
		        "%.200s is in use by a process that does not let others in", database);
		err = -EBUSY;
	}
out:
	free(w);
	if (err)
		files_end(f);
	else
		*out = f;
	return err;
}

void files_end(struct files *f)
{
	if (f && f->road)
		f->road->end(f);
	free(f);
}

static void note_time(struct files *f)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	f->asked_us = (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int files_stat(struct files *f, const char *path, bool follow, struct stat *st)
{
	note_time(f);
	return f->road->stat(f, path, follow, st);
}

int files_link(struct files *f, const char *path, char *target, size_t size)
{
	note_time(f);
	return f->road->link(f, path, target, size);
}

int files_list(struct files *f, const char *path, fs_visit_name_fn *fn, void *ctx)
{
	note_time(f);
	return f->road->list(f, path, fn, ctx);
}

int files_mkdir(struct files *f, const char *path)
{
	note_time(f);
	return f->road->mkdir(f, path);
}

int files_make_parents(struct files *f, const char *path)
{
	char *part = f->stopped;
	int n = snprintf(part, sizeof f->stopped, "%s", path + strspn(path, "/"));
	if (n < 0 || (size_t)n >= sizeof f->stopped)
		return -ENAMETOOLONG;
	for (char *slash = part; (slash = strchr(slash, '/')); slash++) {
		struct stat st;
		*slash = '\0';
		int err = files_stat(f, part, true, &st);
		if (err == -ENOENT)
			err = files_mkdir(f, part);
		if (err && err != -EEXIST)
			return err;
		*slash = '/';
	}
	*part = '\0';
	return 0;
}

int files_open(struct files *f, const char *path, int flags, struct file *out)
{
	note_time(f);
	return f->road->open(f, path, flags, out);
}

int files_hold(struct files *f, const char *path, struct file *held)
{
	note_time(f);
	return f->road->hold(f, path, held);
}

ssize_t files_read(struct files *f, struct file *file, char *dst, size_t size)
{
	return f->road->read(f, file, dst, size);
}

ssize_t files_write(struct files *f, struct file *file, const char *src, size_t size)
{
	return f->road->write(f, file, src, size);
}

int files_close(struct files *f, struct file *file)
{
	return f->road->close(f, file);
}

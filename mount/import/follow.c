/* SPDX-License-Identifier: MIT */
/* Watching directories (follow.h).  A watch a directory: it tells of the files in it, not below. */
#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mount/import/follow.h"
#include "store/array.h"

enum {
	REST_MS = 200,   /* a file is read when it has rested so long, */
	LATEST_MS = 600, /* or after so long if it does not rest */
	LOOK_MS = 2000,  /* between looks for what is not there yet */
	WANTED = IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_ONLYDIR
};

struct watch {
	int number; /* -1: it has gone */
	int root;
	char *path;
};

struct follow {
	char *const *root;
	bool *there;       /* of each root */
	int roots, fd;
	follow_takes_fn *takes;
	struct watch *watch;
	size_t watches, watch_room;
	char **changed;
	size_t count, room;
	int error;
};

/* `path` has changed, and is malloc'ed; one that is noted already is not noted twice. */
static void note(struct follow *f, char *path)
{
	for (size_t i = 0; path && i < f->count; i++)
		if (strcmp(f->changed[i], path) == 0) {
			free(path);
			return;
		}
	if (path && ARRAY_ROOM(f->changed, f->room, f->count))
		f->changed[f->count++] = path;
	else
		f->error = -ENOMEM;
}

static void watch_one(struct follow *f, const char *path, int root)
{
	int number = inotify_add_watch(f->fd, path, WANTED);
	if (number < 0) {
		if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
			f->error = -errno;
		return;
	}
	for (size_t i = 0; i < f->watches; i++)
		if (f->watch[i].number == number)
			return; /* it was met before */
	char *copy = strdup(path);
	if (copy && ARRAY_ROOM(f->watch, f->watch_room, f->watches))
		f->watch[f->watches++] = (struct watch){ number, root, copy };
	else
		f->error = -ENOMEM;
}

/* A file was met: `path` is not ours. */
static void note_file(struct follow *f, const char *path, const char *name, int root)
{
	enum followed how = strcmp(f->root[root], path) == 0 ? FOLLOW_FILE : f->takes(name);
	if (how != FOLLOW_NOT)
		note(f, strdup(how == FOLLOW_FILE ? path : f->root[root]));
}

/* All directories from `path` on, and `notes` what is in them. */
static void watch_all(struct follow *f, const char *path, int root, bool notes)
{
	char *const roots[] = { (char *)path, NULL };
	FTS *walk = fts_open(roots, (notes ? 0 : FTS_COMFOLLOW) | FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	for (FTSENT *e; walk && !f->error && (e = fts_read(walk));) {
		bool hidden = e->fts_level > 0 && e->fts_name[0] == '.';
		if (e->fts_info == FTS_D && hidden)
			(void)fts_set(walk, e, FTS_SKIP);
		else if (e->fts_info == FTS_D)
			watch_one(f, e->fts_path, root);
		else if (e->fts_info == FTS_F && notes && !hidden)
			note_file(f, e->fts_path, e->fts_name, root);
	}
	if (walk)
		fts_close(walk);
}

/* Of a file, the directory that it is in. */
static void watch_root(struct follow *f, const char *path, int root)
{
	char above[PATH_MAX];
	struct stat st;
	if (stat(path, &st) < 0 || S_ISDIR(st.st_mode)) {
		watch_all(f, path, root, false);
		return;
	}
	(void)snprintf(above, sizeof above, "%s", path);
	char *slash = strrchr(above, '/');
	if (slash)
		slash[slash == above] = '\0';
	watch_one(f, slash ? above : ".", root);
}

/* Roots that have come; true if one is still missing. */
static bool look_for_roots(struct follow *f)
{
	bool missing = false;
	for (int i = 0; i < f->roots; i++) {
		bool there = access(f->root[i], F_OK) == 0;
		if (there && !f->there[i]) {
			watch_root(f, f->root[i], i);
			note(f, strdup(f->root[i]));
		}
		f->there[i] = there;
		missing |= !there;
	}
	return missing;
}

static void note_all(struct follow *f)
{
	for (int i = 0; i < f->roots; i++)
		f->there[i] = false;
	(void)look_for_roots(f);
}

static void take_event(struct follow *f, const struct inotify_event *e)
{
	struct watch *w = NULL;
	char *path = NULL;
	if (e->mask & IN_Q_OVERFLOW) {
		note_all(f);
		return;
	}
	for (size_t i = 0; !w && i < f->watches; i++)
		if (f->watch[i].number == e->wd)
			w = &f->watch[i];
	if (w && e->mask & IN_IGNORED)
		w->number = -1;
	if (!w || e->len == 0 || e->name[0] == '.' || asprintf(&path, "%s/%s", w->path, e->name) < 0)
		return;
	int root = w->root; /* the array may move */
	if (e->mask & IN_ISDIR)
		watch_all(f, path, root, true); /* with what was in it before it was watched */
	else
		note_file(f, path, e->name, root);
	free(path);
}

/* What has come; true if anything has. */
static bool take_events(struct follow *f, int ms)
{
	_Alignas(struct inotify_event) char events[16 << 10];
	struct pollfd p = { f->fd, POLLIN, 0 };
	if (poll(&p, 1, ms) != 1)
		return false;
	ssize_t got = read(f->fd, events, sizeof events);
	for (ssize_t at = 0; at < got;) {
		const struct inotify_event *e = (const struct inotify_event *)(events + at);
		take_event(f, e);
		at += (ssize_t)(sizeof *e + e->len);
	}
	return got > 0;
}

static int follow_tell(struct follow *f, follow_fn *fn, void *ctx)
{
	for (int waited = 0; waited < LATEST_MS && take_events(f, REST_MS); waited += REST_MS)
		;
	int err = f->error ? f->error : fn(ctx, f->changed, (int)f->count);
	for (size_t i = 0; i < f->count; i++)
		free(f->changed[i]);
	f->count = 0;
	return err;
}

static void release(struct follow *f)
{
	for (size_t i = 0; i < f->watches; i++)
		free(f->watch[i].path);
	free(f->watch);
	free(f->changed);
	free(f->there);
	close(f->fd);
}

int follow(char *const *root, int count, follow_takes_fn *takes, follow_fn *fn, void *ctx)
{
	struct follow f = { .root = root, .roots = count, .takes = takes,
		.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK),
		.there = calloc((size_t)count, sizeof *f.there) };
	int err = f.fd < 0 ? -errno : f.there ? 0 : -ENOMEM;
	while (!err) {
		bool missing = look_for_roots(&f);
		if (f.count == 0)
			(void)take_events(&f, missing ? LOOK_MS : -1);
		if (f.count > 0 || f.error)
			err = follow_tell(&f, fn, ctx);
	}
	release(&f);
	return err;
}

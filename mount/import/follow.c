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
	REST_MS = 200,    /* a file is read when it has rested so long, */
	LATEST_MS = 600,  /* or after so long if it does not rest */
	LOOK_MS = 2000,   /* between looks for what is not there yet, */
	AGAIN_MS = 30000, /* and for what is another by now, as nobody tells of a folder above it */
	WANTED = IN_CREATE | IN_MODIFY | IN_MOVED_FROM | IN_MOVED_TO | IN_MOVE_SELF | IN_ONLYDIR
};

/* Roots may share a directory, for which there is one number: each has a watch then. */
struct watch {
	int number; /* -1: none */
	int root;
	char *path, *file; /* a directory, and the one name in it that counts; NULL: all do */
};

struct root {
	const char *path;
	bool there;
	dev_t device; /* of the directory, its own or the one it is in, when it was there last */
	ino_t inode;
};

struct follow {
	struct root *root;
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

/* ---- watches ------------------------------------------------------------- */

static struct watch *watch_of(struct follow *f, int number)
{
	for (size_t i = 0; i < f->watches; i++)
		if (f->watch[i].number == number)
			return &f->watch[i];
	return NULL;
}

static void forget(struct watch *w)
{
	free(w->path);
	free(w->file);
	*w = (struct watch){ .number = -1 };
}

static void watch_one(struct follow *f, const char *path, const char *file, int root)
{
	int number = inotify_add_watch(f->fd, path, WANTED);
	if (number < 0) {
		if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
			f->error = -errno;
		return;
	}
	for (size_t i = 0; i < f->watches; i++) {
		const struct watch *w = &f->watch[i];
		if (w->number == number && w->root == root && strcmp(w->path, path) == 0 &&
		    (!file || (w->file && strcmp(w->file, file) == 0)))
			return; /* it was met before */
	}
	struct watch w = { number, root, strdup(path), file ? strdup(file) : NULL };
	struct watch *at = watch_of(f, -1);
	if (w.path && (w.file || !file) &&
	    (at || ARRAY_ROOM(f->watch, f->watch_room, f->watches))) {
		*(at ? at : &f->watch[f->watches++]) = w;
	} else {
		forget(&w);
		f->error = -ENOMEM;
	}
}

static void drop_one(struct follow *f, struct watch *w)
{
	int number = w->number;
	forget(w);
	if (!watch_of(f, number))
		(void)inotify_rm_watch(f->fd, number);
}

/* Those of a root, in the directory `path` and below; NULL: all. */
static void drop(struct follow *f, const char *path, int root)
{
	size_t len = path ? strlen(path) : 0;
	for (size_t i = 0; i < f->watches; i++) {
		struct watch *w = &f->watch[i];
		if (w->number >= 0 && w->root == root &&
		    (!path || (strncmp(w->path, path, len) == 0 &&
		               (!w->path[len] || w->path[len] == '/' || path[len - 1] == '/'))))
			drop_one(f, w);
	}
}

/* A file was met: `path` is not ours. */
static void note_file(struct follow *f, const char *path, const char *name, int root)
{
	enum followed how = f->takes(name);
	if (how != FOLLOW_NOT)
		note(f, strdup(how == FOLLOW_FILE ? path : f->root[root].path));
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
			watch_one(f, e->fts_path, NULL, root);
		else if (e->fts_info == FTS_F && notes && !hidden)
			note_file(f, e->fts_path, e->fts_name, root);
	}
	if (walk)
		fts_close(walk);
}

/* ---- roots ----------------------------------------------------------------- */

/* The directory that a file is in; its name there. */
static const char *split(const char *path, char above[PATH_MAX])
{
	(void)snprintf(above, PATH_MAX, "%s", path);
	char *slash = strrchr(above, '/');
	if (slash)
		slash[slash == above] = '\0';
	else
		(void)snprintf(above, PATH_MAX, ".");
	return slash ? strrchr(path, '/') + 1 : path;
}

/* Of a file, the directory that it is in, and the one that a link leads to. */
static void watch_file(struct follow *f, const char *path, int root)
{
	char above[PATH_MAX], real[PATH_MAX];
	const char *name = split(path, above);
	watch_one(f, above, name, root);
	if (realpath(path, real)) {
		name = split(real, above);
		watch_one(f, above, name, root);
	}
}

static bool find_root(const struct root *r, struct stat *st, bool *file)
{
	char above[PATH_MAX];
	if (stat(r->path, st) < 0)
		return false;
	*file = !S_ISDIR(st->st_mode);
	if (*file)
		(void)split(r->path, above);
	return !*file || stat(above, st) == 0;
}

/* Roots that have come, or are others; true if one is still missing. */
static bool look_for_roots(struct follow *f)
{
	bool missing = false;
	for (int i = 0; i < f->roots; i++) {
		struct root *r = &f->root[i];
		struct stat st;
		bool file = false, there = find_root(r, &st, &file);
		bool same = there && r->there && r->device == st.st_dev && r->inode == st.st_ino;
		if (!there) /* a file may come back into its directory */
			drop(f, r->path, i);
		if (there && !same) {
			drop(f, NULL, i);
			r->device = st.st_dev;
			r->inode = st.st_ino;
			if (file)
				watch_file(f, r->path, i);
			else
				watch_all(f, r->path, i, false);
			note(f, strdup(r->path));
		}
		r->there = there;
		missing |= !there;
	}
	return missing;
}

static void note_all(struct follow *f)
{
	for (int i = 0; i < f->roots; i++)
		f->root[i].there = false;
	(void)look_for_roots(f);
}

/* ---- events ------------------------------------------------------------------ */

/* The directory itself went; where one within a root was moved, the one above it tells. */
static void take_end(struct follow *f, struct watch *w, bool moved)
{
	struct root *r = &f->root[w->root];
	bool outermost = w->file || strcmp(w->path, r->path) == 0;
	if (outermost)
		r->there = false; /* it is looked for, and all is watched anew */
	if (!moved)
		forget(w);
	else if (outermost)
		drop_one(f, w);
}

static void take_name(struct follow *f, const struct watch *w, const struct inotify_event *e)
{
	int root = w->root; /* the array may move */
	char *path = NULL;
	size_t len = strlen(w->path);
	if (w->file && strcmp(w->file, e->name) == 0) {
		if (e->mask & IN_MODIFY)
			note(f, strdup(f->root[root].path));
		else
			f->root[root].there = false; /* a link may lead elsewhere now */
		return;
	}
	if (w->file || e->name[0] == '.' ||
	    asprintf(&path, "%s%s%s", w->path, w->path[len - 1] == '/' ? "" : "/", e->name) < 0)
		return;
	if (!(e->mask & IN_ISDIR) && !(e->mask & IN_MOVED_FROM))
		note_file(f, path, e->name, root);
	else if (e->mask & IN_MOVED_FROM)
		drop(f, path, root);
	else
		watch_all(f, path, root, true); /* with what was in it before it was watched */
	free(path);
}

static void take_event(struct follow *f, const struct inotify_event *e)
{
	if (e->mask & IN_Q_OVERFLOW) {
		note_all(f);
		return;
	}
	for (size_t i = 0; i < f->watches; i++) {
		if (f->watch[i].number != e->wd)
			continue;
		if (e->mask & (IN_IGNORED | IN_MOVE_SELF))
			take_end(f, &f->watch[i], e->mask & IN_MOVE_SELF);
		else if (e->len > 0)
			take_name(f, &f->watch[i], e);
	}
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
		forget(&f->watch[i]);
	free(f->watch);
	free(f->changed);
	free(f->root);
	close(f->fd);
}

int follow(char *const *root, int count, follow_takes_fn *takes, follow_fn *fn, void *ctx)
{
	struct follow f = { .root = calloc((size_t)count, sizeof *f.root), .roots = count,
		.takes = takes, .fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK) };
	int err = f.fd < 0 ? -errno : f.root ? 0 : -ENOMEM;
	for (int i = 0; !err && i < count; i++)
		f.root[i].path = root[i];
	while (!err) {
		bool missing = look_for_roots(&f);
		if (f.count == 0)
			(void)take_events(&f, missing ? LOOK_MS : AGAIN_MS);
		if (f.count > 0 || f.error)
			err = follow_tell(&f, fn, ctx);
	}
	release(&f);
	return err;
}

/* SPDX-License-Identifier: MIT */
/*
 * The first line of a memory.  While nobody has written to a session, sessions/current leads to
 * sessions/.new, and a line appended there makes the session that it goes to: that of
 * `-o session=`, or one with the day's name.  So the first thing somebody tries works, and an
 * empty session is made by nobody but mkdir.
 */
#include "fs/logs/logs.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "fs/internal.h"

/* Who has followed the link a moment ago still finds where it led; what they write goes right. */
enum { MOMENT_MS = 10000 };

int page_first(struct fs *fs, int64_t id, struct buf *out)
{
	struct group g;
	(void)id, (void)out;
	int err = current_session(fs, &g);
	if (err)
		return err == -ENOENT ? 0 : err;
	return now_ms() - atomic_load(&fs->first_ms) < MOMENT_MS ? 0 : -ENOENT;
}

int page_first_log(struct fs *fs, int64_t id, struct buf *out)
{
	(void)fs, (void)id, (void)out;
	return 0;
}

/* In errors.log stands the name by which everybody comes here. */
void first_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	(void)ino;
	tree_name(fs, ino_make(KIND_CURRENT, 0), dst, size);
}

int session_make(struct fs *fs, const char *name, const char *author, int64_t *id,
                 struct why *why)
{
	struct buf body = BUF_INIT;
	int err = secrets_refuse_name(fs, NULL, name, why);
	if (err)
		return err;
	render_session_body(&body, name);
	err = body.failed ? -ENOMEM :
		errno_of_store(store_session_make(fs->store, name, body.data, body.len, author, id));
	buf_release(&body);
	return err;
}

/* "2026-11-22", by UTC as all times of the memory. */
static void name_by_day(char *dst, size_t size)
{
	time_t now = (time_t)(now_us() / 1000000);
	struct tm day;
	if (!gmtime_r(&now, &day) || strftime(dst, size, "%Y-%m-%d", &day) == 0)
		(void)snprintf(dst, size, "first");
}

/* The one that all mounts have as theirs may be out of this one's bounds. */
static int may_write(struct fs *fs, const char *name)
{
	char path[NAME_LIMIT + 16];
	(void)snprintf(path, sizeof path, "sessions/%s", name);
	return bounds_path(client_of(fs)->bounds, path) == REACH_WRITE ? 0 : -EROFS;
}

int session_first(struct fs *fs, const char *author, int64_t *id, struct why *why)
{
	char name[NAME_LIMIT + 1];
	struct group g;
	int err = current_session(fs, &g);
	if (!err)
		err = may_write(fs, g.name);
	if (err == -ENOENT) {
		if (*client_of(fs)->session)
			(void)snprintf(name, sizeof name, "%s", client_of(fs)->session);
		else
			name_by_day(name, sizeof name);
		err = may_write(fs, name);
		err = err ? err : session_make(fs, name, author, &g.id, why);
		if (!err)
			(void)secrets_tell_name(fs, "mkdir", ino_make(KIND_SESSIONS, 0), name, author);
		if (err == -EEXIST) /* made by mkdir, or by who wrote at the same time */
			err = errno_of_store(store_group_by_name(fs->store, LOG_SESSION, name, &g));
	}
	*id = err ? 0 : g.id;
	return err;
}

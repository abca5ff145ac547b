/* SPDX-License-Identifier: MIT */
/* Whole files: read, written, and why one was refused (files.h). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mount/files/road.h"

enum { PIECE = 128 << 10 };

/* Where bytes come from: a file of the memory, or a descriptor. */
struct source {
	struct files *f;
	struct file *file;
	int fd;
};

static ssize_t source_read(const struct source *s, char *dst, size_t size)
{
	if (s->f)
		return files_read(s->f, s->file, dst, size);
	for (;;) {
		ssize_t got = read(s->fd, dst, size);
		if (got >= 0 || errno != EINTR)
			return got < 0 ? -errno : got;
	}
}

static int read_whole(const struct source *s, char **bytes, size_t *len)
{
	size_t room = PIECE + 1, used = 0;
	char *text = malloc(room);
	ssize_t got = text ? 1 : -ENOMEM;
	while (got > 0) {
		if (room - used < PIECE + 1) {
			char *more = realloc(text, room *= 2);
			if (!more) {
				got = -ENOMEM;
				break;
			}
			text = more;
		}
		got = source_read(s, text + used, PIECE);
		used += got > 0 ? (size_t)got : 0;
	}
	if (got < 0) {
		free(text);
		return (int)got;
	}
	text[used] = '\0';
	*bytes = text;
	*len = used;
	return 0;
}

int slurp(int fd, char **bytes, size_t *len)
{
	return read_whole(&(struct source){ .fd = fd }, bytes, len);
}

int files_slurp(struct files *f, const char *path, char **bytes, size_t *len)
{
	struct file file;
	int err = files_open(f, path, O_RDONLY, &file);
	if (err)
		return err;
	err = read_whole(&(struct source){ .f = f, .file = &file }, bytes, len);
	int end = files_close(f, &file);
	if (!err && end) {
		free(*bytes);
		err = end;
	}
	return err;
}

/* How much goes out at once: whole lines, if one ends in a piece. */
static size_t piece_of(const char *bytes, size_t len)
{
	const char *end = len > PIECE ? memrchr(bytes, '\n', PIECE) : NULL;
	return len <= PIECE ? len : end ? (size_t)(end - bytes) + 1 : PIECE;
}

static int write_whole(struct files *f, struct file *file, const char *bytes, size_t len,
                       int64_t *stored)
{
	for (size_t at = 0; at < len;) {
		ssize_t put = files_write(f, file, bytes + at, piece_of(bytes + at, len - at));
		if (put <= 0)
			return put < 0 ? (int)put : -EIO;
		for (ssize_t i = 0; i < put; i++)
			*stored += bytes[at + (size_t)i] == '\n';
		at += (size_t)put;
	}
	return 0;
}

int files_put(struct files *f, const char *path, int flags, const char *bytes, size_t len,
              int64_t *stored)
{
	struct file file;
	*stored = 0;
	int err = files_open(f, path, flags | O_WRONLY, &file);
	if (err)
		return err;
	err = write_whole(f, &file, bytes, len, stored);
	int end = files_close(f, &file);
	return err ? err : end;
}

int files_change_begin(struct files *f, const char *path, int flags, struct change *out)
{
	int err = files_hold(f, path, &out->held);
	if (err && (err != -ENOENT || !(flags & O_CREAT)))
		return err;
	/* Opened before it is read: what is saved from here on is a conflict. */
	err = files_open(f, path, flags | O_WRONLY, &out->file);
	if (!err) {
		err = files_slurp(f, path, &out->bytes, &out->len);
		if (err)
			(void)files_close(f, &out->file);
	}
	if (err)
		f->road->release(&out->held);
	return err;
}

int files_change_end(struct files *f, struct change *c, const char *text, size_t len)
{
	int64_t stored = 0;
	int err = text ? f->road->empty(f, &c->file) : 0;
	if (text && !err)
		err = write_whole(f, &c->file, text, len, &stored);
	int end = files_close(f, &c->file);
	f->road->release(&c->held);
	free(c->bytes);
	return err ? err : end;
}

/* ---- why ----------------------------------------------------------------- */

static const char *last_part(const char *path, size_t *len)
{
	size_t end = strlen(path);
	while (end > 0 && path[end - 1] == '/')
		end--;
	size_t from = end;
	while (from > 0 && path[from - 1] != '/')
		from--;
	*len = end - from;
	return path + from;
}

/*
 * A line "TIME CODE OP PATH AUTHOR: REASON; TODO" that is about `name`: its reason, else NULL.
 * Names and authors hold no ": ", for authors encode it and what stands between is looked at.
 */
static const char *reason_in(const char *line, const char *since, const char *code,
                             const char *name, size_t name_len)
{
	size_t time = strlen(since), len = strlen(code);
	if (strlen(line) < time + len + 2 || strncmp(line, since, time) < 0)
		return NULL;
	if (strncmp(line + time + 1, code, len) != 0 || line[time + 1 + len] != ' ')
		return NULL;
	const char *path = strchr(line + time + len + 2, ' '); /* behind what was tried */
	const char *reason = path ? strstr(path, ": ") : NULL;
	while (path && reason && path < reason) {
		path = memmem(path, (size_t)(reason - path), name, name_len);
		if (!path)
			return NULL;
		if ((path[-1] == '/' || path[-1] == ' ') && path[name_len] == ' ')
			return reason + 2;
		path++;
	}
	return NULL;
}

static void time_of(int64_t us, char out[40])
{
	time_t seconds = (time_t)(us / 1000000);
	struct tm t;
	gmtime_r(&seconds, &t);
	size_t n = strftime(out, 40, "%Y-%m-%dT%H:%M:%S", &t);
	(void)snprintf(out + n, 40 - n, ".%06dZ", (int)(us % 1000000));
}

char *files_reason(struct files *f, const char *path, int error)
{
	char since[40], *log = NULL, *end, *copy = NULL;
	const char *code = strerrorname_np(-error), *found = NULL;
	size_t len, name_len;
	const char *name = last_part(*f->stopped ? f->stopped : path, &name_len);
	time_of(f->asked_us, since);
	if (!code || name_len == 0 || files_slurp(f, "errors.log", &log, &len))
		return NULL;
	for (char *line = log; !found && line < log + len; line = end + 1) {
		end = memchr(line, '\n', (size_t)(log + len - line));
		if (!end)
			break;
		*end = '\0';
		found = reason_in(line, since, code, name, name_len);
	}
	if (found)
		copy = strdup(found);
	free(log);
	return copy;
}

/* What to do where errors.log has no line of it, for the kernel looked no further. */
static const char *cure_of(const struct files *f, int error)
{
	if (error == -ENOENT)
		return f->writes ? "; a directory on its way is missing: -p of append, write and cp makes "
		       "it" : "; `cinta ls` lists what is there";
	if (error == -EISDIR)
		return f->writes ? "; name a file in it" : "; `cinta ls` lists it, `cinta cp -r` copies it";
	return error == -ENOTDIR ? "; a part before the last is a file" : "";
}

int files_complain(struct files *f, const char *path, int error)
{
	char *reason = files_reason(f, path, error);
	complain("%s: %s%s", path, reason ? reason : strerror(-error),
	         reason ? "" : cure_of(f, error));
	free(reason);
	return EXIT_FAULT;
}

/* SPDX-License-Identifier: MIT */
/*
 * cinta cp [-r] [-p] [-d DB] FROM TO: a file, or with -r a directory, out of the memory or into it.
 * The one that begins with a colon is the memory's: `cinta cp -r :notes out`.
 *
 * Links are copied as what they lead to.  Into the memory a log is appended to, for that is how it
 * takes lines, and any other file is saved.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount/files/files.h"

struct copying {
	struct files *f;
	bool recursive, makes;
	int depth;
};

enum { DEPTH = 64 };

static bool join(char dst[PATH_MAX], const char *dir, const char *name)
{
	size_t len = strlen(dir);
	int n = snprintf(dst, PATH_MAX, "%s%s%s", dir, len && dir[len - 1] == '/' ? "" : "/", name);
	return n > 0 && n < PATH_MAX;
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Outside of the memory; errno says it. */
static int failed(const char *path)
{
	complain("%s: %s; check the path%s", path, strerror(errno),
	         errno == ENOENT || errno == EISDIR || errno == ENOTDIR ? "" : " and who may use it");
	return EXIT_FAULT;
}

/* ---- out of the memory --------------------------------------------------- */

static int write_out(const char *to, const char *bytes, size_t len)
{
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return failed(to);
	for (size_t at = 0; at < len;) {
		ssize_t put = write(fd, bytes + at, len - at);
		if (put < 0 && errno != EINTR) {
			int status = failed(to);
			close(fd);
			return status;
		}
		at += put > 0 ? (size_t)put : 0;
	}
	return close(fd) < 0 ? failed(to) : EXIT_FINE;
}

static int file_out(struct copying *c, const char *from, const char *to, const struct stat *st)
{
	char *bytes = NULL;
	size_t len = 0;
	int err = files_slurp(c->f, from, &bytes, &len);
	if (err)
		return files_complain(c->f, from, err);
	int status = write_out(to, bytes, len);
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, st->st_mtim };
	if (status == EXIT_FINE)
		(void)utimensat(AT_FDCWD, to, times, 0); /* its time is a comfort */
	free(bytes);
	return status;
}

static int copy_out(struct copying *c, const char *from, const char *to);

static int directory_out(struct copying *c, const char *from, const char *to)
{
	struct names n = { .count = 0 };
	char one[PATH_MAX], two[PATH_MAX];
	if (mkdir(to, 0700) < 0 && errno != EEXIST)
		return failed(to);
	int status = EXIT_FINE, err = files_names(c->f, from, &n);
	if (err)
		status = files_complain(c->f, from, err);
	for (size_t i = 0; i < n.count; i++)
		if (!join(one, from, n.name[i]) || !join(two, to, n.name[i]) ||
		    copy_out(c, one, two) != EXIT_FINE)
			status = EXIT_FAULT;
	names_release(&n);
	return status;
}

static int copy_out(struct copying *c, const char *from, const char *to)
{
	struct stat st;
	int err = files_stat(c->f, from, true, &st);
	if (err == -ENOENT && c->depth > 0)
		return EXIT_FINE; /* a link to what is not there yet */
	if (err)
		return files_complain(c->f, from, err);
	if (!S_ISDIR(st.st_mode))
		return file_out(c, from, to, &st);
	if (!c->recursive) {
		complain("%s is a directory; cp -r copies one", from);
		return EXIT_FAULT;
	}
	if (c->depth == DEPTH) {
		complain("%s: too deep", from);
		return EXIT_FAULT;
	}
	c->depth++;
	int status = directory_out(c, from, to);
	c->depth--;
	return status;
}

/* ---- into it --------------------------------------------------------------- */

static bool is_log(const char *path)
{
	return strcmp(name_of(path), "log.jsonl") == 0;
}

static int file_in(struct copying *c, const char *from, const char *to)
{
	char *bytes = NULL;
	size_t len = 0;
	int64_t stored;
	int fd = open(from, O_RDONLY | O_CLOEXEC);
	int err = fd < 0 ? -errno : slurp(fd, &bytes, &len);
	if (fd >= 0)
		close(fd);
	if (err) {
		errno = -err;
		return failed(from);
	}
	err = c->makes && c->depth == 0 ? files_make_parents(c->f, to) : 0;
	if (!err)
		err = files_put(c->f, to, O_CREAT | (is_log(to) ? O_APPEND : O_TRUNC), bytes, len,
		                &stored);
	free(bytes);
	return err ? files_complain(c->f, to, err) : EXIT_FINE;
}

static int copy_in(struct copying *c, const char *from, const char *to);

static int directory_in(struct copying *c, const char *from, const char *to)
{
	char one[PATH_MAX], two[PATH_MAX];
	struct stat st;
	struct dirent **entry = NULL;
	int status = EXIT_FINE, err = files_stat(c->f, to, true, &st);
	if (err == -ENOENT)
		err = files_mkdir(c->f, to);
	if (err)
		return files_complain(c->f, to, err);
	int count = scandir(from, &entry, NULL, alphasort);
	if (count < 0)
		return failed(from);
	for (int i = 0; i < count; i++) {
		const char *name = entry[i]->d_name;
		if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
		    (!join(one, from, name) || !join(two, to, name) ||
		     copy_in(c, one, two) != EXIT_FINE))
			status = EXIT_FAULT;
		free(entry[i]);
	}
	free(entry);
	return status;
}

static int copy_in(struct copying *c, const char *from, const char *to)
{
	struct stat st;
	if (stat(from, &st) < 0)
		return failed(from);
	/* One that was named is read, whatever it is: a pipe of <(…), say. */
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode) && c->depth > 0) {
		complain("%s is a device, a pipe or a socket; it is left out", from);
		return EXIT_FAULT;
	}
	if (!S_ISDIR(st.st_mode))
		return file_in(c, from, to);
	if (!c->recursive || c->depth == DEPTH) {
		complain("%s %s", from, c->recursive ? "is too deep" : "is a directory; cp -r copies one");
		return EXIT_FAULT;
	}
	c->depth++;
	int status = directory_in(c, from, to);
	c->depth--;
	return status;
}

/* ---- the verb -------------------------------------------------------------- */

/* What is copied to a directory goes into it, under its own name. */
static int copy(struct copying *c, const char *from, const char *to)
{
	char path[PATH_MAX];
	struct stat st;
	bool out = *from == ':';
	from += out;
	to += !out;
	if (!*from || !*to)
		return usage("cp", "cp: say what of the memory: `:notes`, or `:.` for all of it");
	int err = out ? stat(to, &st) : files_stat(c->f, to, true, &st);
	const char *name = name_of(from);
	if (!err && S_ISDIR(st.st_mode) && *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
		if (!join(path, to, name)) {
			complain("%s: %s", to, strerror(ENAMETOOLONG));
			return EXIT_FAULT;
		}
		to = path;
	}
	return out ? copy_out(c, from, to) : copy_in(c, from, to);
}

int cmd_cp(int argc, char **argv)
{
	struct files_command c = { .makes = false };
	struct copying copying = { .f = NULL };
	int status = files_parse(argv, argc, "pr", &c);
	if (status == EXIT_FINE && argc - optind != 2)
		status = usage("cp", "cp: give two words, FROM and TO, not %d", argc - optind);
	if (status == EXIT_FINE && (*argv[optind] == ':') == (*argv[optind + 1] == ':'))
		status = usage("cp", "cp: one of both is the memory's and begins with a colon: "
		               "cinta cp :context.md .");
	if (status == EXIT_FINE)
		status = files_start(&c, *argv[optind] != ':', &copying.f);
	copying.recursive = c.recursive;
	copying.makes = c.makes;
	if (copying.f)
		status = copy(&copying, argv[optind], argv[optind + 1]);
	return files_finish(&c, copying.f, status);
}

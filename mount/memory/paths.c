/* SPDX-License-Identifier: MIT */
/*
 * Resolves the two names a command line gives.  Called by the verbs.  Nothing
 * here opens a database.
 */
#include "mount/memory/paths.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mount/memory/mounts.h"
#include "store/store.h"

/* Joins with a slash; -ENAMETOOLONG when it does not fit. */
static int join(char dst[PATH_MAX], const char *dir, const char *name)
{
	int n = snprintf(dst, PATH_MAX, "%s/%s", strcmp(dir, "/") ? dir : "", name);
	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* The real path of the directory, and the last name as it is. */
static int resolve_parent(const char *given, char dst[PATH_MAX])
{
	char copy[PATH_MAX], real[PATH_MAX];
	size_t len = strlen(given);
	if (len == 0)
		return -ENOENT;
	if (len >= sizeof copy)
		return -ENAMETOOLONG;
	memcpy(copy, given, len + 1);
	while (len > 1 && copy[len - 1] == '/')
		copy[--len] = '\0';
	char *slash = strrchr(copy, '/');
	const char *name = slash ? slash + 1 : copy;
	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return -EINVAL;
	const char *dir = !slash ? "." : slash == copy ? "/" : copy;
	if (slash && slash != copy)
		*slash = '\0';
	if (!realpath(dir, real))
		return -errno;
	return join(dst, real, name);
}

/* The same, and through links that lead to what is not there yet: it has that name later. */
static int resolve_missing(const char *given, char dst[PATH_MAX])
{
	char target[PATH_MAX], beside[PATH_MAX];
	int error = resolve_parent(given, dst);
	for (ssize_t len; error == 0 && (len = readlink(dst, target, sizeof target)) >= 0;) {
		if (len == sizeof target)
			return -ENAMETOOLONG;
		target[len] = '\0';
		*strrchr(dst, '/') = '\0';
		error = target[0] == '/' ? 0 : join(beside, *dst ? dst : "/", target);
		error = error ? error : resolve_parent(target[0] == '/' ? target : beside, dst);
	}
	return error;
}

static int make_directories(char *path)
{
	for (char *p = path + 1; ; p++) {
		if (*p != '/' && *p != '\0')
			continue;
		char held = *p;
		*p = '\0';
		if (mkdir(path, 0700) < 0 && errno != EEXIST)
			return -errno;
		*p = held;
		if (!held)
			return 0;
	}
}

static int default_database(bool make, char dst[PATH_MAX])
{
	char dir[PATH_MAX];
	const char *base = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	int n;
	/* Units, cron and mount(8) set no HOME. */
	const struct passwd *pw = home && home[0] == '/' ? NULL : getpwuid(geteuid());
	home = pw ? pw->pw_dir : home;
	if (base && base[0] == '/')
		n = snprintf(dir, sizeof dir, "%s/cinta", base);
	else if (home && home[0] == '/')
		n = snprintf(dir, sizeof dir, "%s/.local/share/cinta", home);
	else
		return -ENOENT;
	if (n < 0 || (size_t)n >= sizeof dir)
		return -ENAMETOOLONG;
	int error = make ? make_directories(dir) : 0;
	return error ? error : join(dst, dir, "memory.db");
}

int path_database(const char *given, bool make, char dst[PATH_MAX])
{
	char chosen[PATH_MAX];
	if (!given) {
		int error = default_database(make, chosen);
		if (error)
			return error;
		given = chosen;
	}
	char real[PATH_MAX];
	if (realpath(given, real)) {
		memcpy(dst, real, strlen(real) + 1);
		return 0;
	}
	size_t len = strlen(given);
	int error = errno == ENOENT ? resolve_missing(given, dst) : -errno;
	if (error == 0 && len > 1 && given[len - 1] == '/')
		return -EISDIR; /* a directory's name */
	/* Of the default one, whose directory nobody made yet, the name is told all the same. */
	if (error == -ENOENT && given == chosen) {
		memcpy(dst, chosen, strlen(chosen) + 1);
		return 0;
	}
	return error;
}

int path_mount_point(const char *given, char dst[PATH_MAX])
{
	char real[PATH_MAX];
	/* What is one of our mounts is not looked into: its daemon may be dead. */
	if (resolve_parent(given, dst) == 0 && mounts_at(dst, NULL))
		return 0;
	if (realpath(given, real)) {
		memcpy(dst, real, strlen(real) + 1);
		return 0;
	}
	/* Of a dead mount the kernel tells nothing but its name in the parent. */
	if (errno == ENOTCONN || errno == ECONNABORTED || errno == EACCES)
		return resolve_parent(given, dst);
	return -errno;
}

int path_absolute(char **path)
{
	char cwd[PATH_MAX], joined[PATH_MAX];
	if ((*path)[0] == '/')
		return 0;
	if (!getcwd(cwd, sizeof cwd))
		return -errno;
	int error = join(joined, cwd, *path);
	char *copy = error ? NULL : strdup(joined);
	if (!copy)
		return error ? error : -ENOMEM;
	free(*path);
	*path = copy;
	return 0;
}

bool path_names_database(const char *word)
{
	size_t len = strlen(word);
	struct why why = { 0 };
	char path[PATH_MAX];
	if (store_is_server(word) || word[0] == '/' || !strncmp(word, "./", 2) ||
	    !strncmp(word, "../", 3) || (len > 3 && !strcmp(word + len - 3, ".db")))
		return true;
	if (path_mount_point(word, path) == 0 && mounts_at(path, NULL))
		return true;
	return path_database(word, false, path) == 0 && store_look(path, &why) == 1;
}

int path_make_point(const char *given, bool *made, struct why *why)
{
	*made = mkdir(given, 0700) == 0;
	if (*made || errno == EEXIST)
		return 0;
	int error = errno;
	why_set(why, error == ENOENT ? "make its parent with mkdir -p" : "choose another directory",
	        "%s cannot be made: %s", given, strerror(error));
	return -error;
}

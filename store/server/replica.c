/* SPDX-License-Identifier: MIT */
/*
 * Replicas on this machine: $XDG_CACHE_HOME/cinta/ORIGIN/replica.db, and replica.db.server beside
 * it with the URL, which makes it a replica.  They are a cache: what is deleted is taken anew from
 * the server.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/rand.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/server/server_state.h"

#define FILE_NAME "replica.db"
#define ENDING ".server"

bool store_is_server(const char *word)
{
	return address_is(word);
}

/* ---- PATH.server ----------------------------------------------------------------- */

/* The URL in a file; false: there is none.  *url is "" if the file is no such. */
static bool read_url(const char *path, char url[URL_MOST + 1])
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, url, URL_MOST);
	if (fd >= 0)
		close(fd);
	url[n > 0 ? n : 0] = '\0';
	url[strcspn(url, "\n")] = '\0';
	return fd >= 0 || errno != ENOENT;
}

static bool name_beside(const char *path, const char *ending, char dst[PATH_MAX])
{
	return (size_t)snprintf(dst, PATH_MAX, "%s%s", path, ending) < PATH_MAX;
}

int server_of(const char *path, struct engine **out, struct why *why)
{
	char name[PATH_MAX], url[URL_MOST + 1];
	*out = NULL;
	if (!name_beside(path, ENDING, name) || !read_url(name, url))
		return 0;
	return server_new(url, out, why);
}

void server_shown(const char *path, char *dst, size_t size)
{
	struct address a;
	char name[PATH_MAX];
	dst[0] = '\0';
	if (!name_beside(path, ENDING, name) || !read_url(name, a.url))
		return;
	address_show(&a);
	(void)snprintf(dst, size, "%s", a.shown);
}

/* A name in the old one's place, so that a reader finds one of them whole. */
int store_replica_of(const char *path, const char *url, struct why *why)
{
	char name[PATH_MAX], fresh[PATH_MAX], line[URL_MOST + 2];
	int len = snprintf(line, sizeof line, "%s\n", url);
	bool fits = name_beside(path, ENDING, name) && name_beside(path, ENDING ".new", fresh) &&
		len < (int)sizeof line;
	int fd = fits ? open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
	bool done = fd >= 0 && write(fd, line, (size_t)len) == len && fsync(fd) == 0;
	if (fd >= 0 && close(fd) == 0 && done && rename(fresh, name) == 0 && disk_sync_name(name))
		return 0;
	why_set(why, "check owner, mode and disk of its directory", "%s%s cannot be written: %s", path,
	        ENDING, strerror(errno));
	return errno == ENOSPC ? STORE_ENOSPC : STORE_EROFS;
}

/* ---- directories ----------------------------------------------------------------- */

static int cache_dir(char dst[PATH_MAX], struct why *why)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	const struct passwd *pw = home && home[0] == '/' ? NULL : getpwuid(geteuid());
	int n = PATH_MAX;
	home = pw ? pw->pw_dir : home;
	if (cache && cache[0] == '/')
		n = snprintf(dst, PATH_MAX, "%s/cinta", cache);
	else if (home && home[0] == '/')
		n = snprintf(dst, PATH_MAX, "%s/.cache/cinta", home);
	if (n > 0 && n < PATH_MAX - 2 * FIELD_MAX)
		return 0;
	why_set(why, "set XDG_CACHE_HOME to a directory", "there is no place for a replica");
	return STORE_EINVAL;
}

static int make_all(char *path, struct why *why)
{
	for (char *p = path + 1;; p++) {
		if (*p != '/' && *p != '\0')
			continue;
		char held = *p;
		*p = '\0';
		bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
		if (!made)
			why_set(why, "check owner, mode and disk", "%s cannot be made: %s", path,
			        strerror(errno));
		*p = held;
		if (!made)
			return STORE_EROFS;
		if (!held)
			return 0;
	}
}

/* CACHE/ORIGIN, of which what no file name should have is written %XX; made if need be. */
static int dir_of(const char *origin, char dst[PATH_MAX], struct why *why)
{
	int err = cache_dir(dst, why);
	size_t at = err ? 0 : strlen(dst);
	if (err)
		return err;
	dst[at++] = '/';
	for (const char *p = origin; *p && at < PATH_MAX - 8; p++) {
		bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
			(*p >= '0' && *p <= '9') || *p == '-' || *p == '_' || (*p == '.' && p > origin);
		at += (size_t)snprintf(dst + at, PATH_MAX - at, plain ? "%c" : "%%%02X", (unsigned char)*p);
	}
	dst[at] = '\0';
	return make_all(dst, why);
}

static int file_in(const char *dir, char path[PATH_MAX], struct why *why)
{
	if ((size_t)snprintf(path, PATH_MAX, "%s/" FILE_NAME, dir) < PATH_MAX)
		return 0;
	why_set(why, "use a shorter XDG_CACHE_HOME", "the path of a replica is too long");
	return STORE_EINVAL;
}

/* 1: that of this URL; 0: there is none. */
static int find(const char *url, char path[PATH_MAX], struct why *why)
{
	char dir[PATH_MAX], name[PATH_MAX], there[URL_MOST + 1];
	int err = cache_dir(dir, why), found = 0;
	DIR *all = err ? NULL : opendir(dir);
	for (struct dirent *d; all && !found && (d = readdir(all));) {
		if (d->d_name[0] == '.' ||
		    (size_t)snprintf(path, PATH_MAX, "%s/%s/" FILE_NAME, dir, d->d_name) >= PATH_MAX ||
		    !name_beside(path, ENDING, name))
			continue;
		found = read_url(name, there) && strcmp(there, url) == 0;
	}
	if (all)
		closedir(all);
	return err ? err : found;
}

/* ---- making ------------------------------------------------------------------------ */

static int ask_origin(const char *url, char origin[FIELD_MAX + 1], struct why *why)
{
	struct engine *e = NULL;
	const struct engine_tip none = { 0 };
	int err = server_new(url, &e, why);
	if (err)
		return err;
	err = server_line((struct server *)e, &none, link_clock() + CONNECT_MS);
	(void)snprintf(origin, FIELD_MAX + 1, "%s", e->origin);
	if (err)
		*why = e->why;
	else
		err = tape_check_origin(origin, why);
	e->ops->free(e);
	return err;
}

int store_server_answers(const char *url, struct why *why)
{
	char origin[FIELD_MAX + 1];
	return ask_origin(url, origin, why);
}

int store_replica(const char *url, char path[PATH_MAX], struct why *why)
{
	char dir[PATH_MAX], origin[FIELD_MAX + 1];
	int found = find(url, path, why);
	if (found)
		return found < 0 ? found : 0;
	int err = ask_origin(url, origin, why);
	err = err ? err : dir_of(origin, dir, why);
	err = err ? err : file_in(dir, path, why);
	return err ? err : store_replica_of(path, url, why);
}

int store_replica_new(const char *origin, char chosen[FIELD_MAX + 1], char path[PATH_MAX],
                      struct why *why)
{
	char dir[PATH_MAX];
	uint8_t random[8];
	if (RAND_bytes(random, sizeof random) != 1)
		return STORE_EIO;
	memcpy(chosen, "cinta/", 6);
	hex_of(random, sizeof random, chosen + 6);
	if (origin)
		(void)snprintf(chosen, FIELD_MAX + 1, "%s", origin);
	int err = tape_check_origin(chosen, why);
	err = err ? err : dir_of(chosen, dir, why);
	err = err ? err : file_in(dir, path, why);
	if (!err && access(path, F_OK) == 0) {
		why_set(why, "choose another origin", "%s is here already", path);
		err = STORE_EEXIST;
	}
	return err;
}

/* Of what stands in PATH.side, all that counts entries. */
static int forget_side(const char *path)
{
	char side[PATH_MAX];
	sqlite3 *db = NULL;
	if (!name_beside(path, ".side", side) || access(side, F_OK) != 0)
		return 0;
	int err = db_error(db_connect(side, SQLITE_OPEN_READWRITE, &db));
	err = err ? err : db_exec(db, "DELETE FROM mark; DELETE FROM note; DELETE FROM access");
	sqlite3_close(db);
	return err;
}

int store_replica_forget(const char *path, struct why *why)
{
	static const char *const parts[] = { "", "-wal", "-shm", ".checkpoint", ".search",
		".search-wal", ".search-shm", ".vectors", ".vectors-wal", ".vectors-shm" };
	char name[PATH_MAX];
	bool done = forget_side(path) == 0;
	for (size_t i = 0; done && i < sizeof parts / sizeof *parts; i++)
		done = name_beside(path, parts[i], name) && (unlink(name) == 0 || errno == ENOENT);
	if (!done)
		why_set(why, "check owner, mode and disk of its directory", "%s cannot be taken away",
		        path);
	return done ? 0 : STORE_EROFS;
}

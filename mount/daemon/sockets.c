/* SPDX-License-Identifier: MIT */
/* Names of control sockets (sockets.h).  Called by control.c, wire.c and cmd_rescue.c. */
#include "mount/daemon/sockets.h"

#include <dirent.h>
#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HASH_DIGITS = 16, DIRECTORY_SIZE = 256 };

/* A directory that only we can have put the socket into. */
static int own_directory(const char *path)
{
	struct stat st;
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -errno;
	if (lstat(path, &st) < 0)
		return -errno;
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077))
		return -EPERM;
	return 0;
}

static int hash_of(const char *database, char name[HASH_DIGITS + 1])
{
	uint8_t hash[EVP_MAX_MD_SIZE];
	if (!EVP_Digest(database, strlen(database), hash, NULL, EVP_sha256(), NULL))
		return -EIO;
	for (int i = 0; i < HASH_DIGITS / 2; i++)
		(void)snprintf(name + 2 * i, 3, "%02x", hash[i]);
	return 0;
}

/* The user's runtime directory; empty if it has none, or one too long for a socket's name. */
static void runtime_directory(char dir[DIRECTORY_SIZE])
{
	const char *run = getenv("XDG_RUNTIME_DIR");
	const struct sockaddr_un *a = NULL;
	size_t room = sizeof a->sun_path - sizeof "/cinta/0123456789abcdef-4194304.sock";
	dir[0] = '\0';
	if (run && run[0] == '/' && strlen(run) <= room)
		(void)snprintf(dir, DIRECTORY_SIZE, "%s/cinta", run);
}

static int choose_directory(char dir[DIRECTORY_SIZE], struct why *why)
{
	runtime_directory(dir);
	/* A runtime directory kept from another login may be gone or not ours. */
	int error = dir[0] ? own_directory(dir) : -ENOENT;
	if (error) {
		(void)snprintf(dir, DIRECTORY_SIZE, "/tmp/cinta-%u", (unsigned)geteuid());
		error = own_directory(dir);
	}
	if (error)
		why_set(why, "remove it or set XDG_RUNTIME_DIR",
		        "%s cannot hold the control socket: %s", dir, strerror(-error));
	return error;
}

int socket_connect(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	if (!*path)
		return -ENOENT;
	if (strlen(path) >= sizeof a.sun_path)
		return -ENAMETOOLONG;
	memcpy(a.sun_path, path, strlen(path) + 1);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&a, sizeof a) == 0)
		return fd < 0 ? -errno : fd;
	int error = -errno;
	close(fd);
	return error;
}

/* We hold the database's lock; who answers all the same lost the file that he had locked. */
static bool answers(const char *path)
{
	int fd = socket_connect(path);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int socket_choose(const char *database, struct sockaddr_un *a, struct why *why)
{
	char hash[HASH_DIGITS + 1], dir[DIRECTORY_SIZE];
	int error = hash_of(database, hash);
	if (error == 0)
		error = choose_directory(dir, why);
	if (error)
		return error;
	a->sun_family = AF_UNIX;
	int n = snprintf(a->sun_path, sizeof a->sun_path, "%s/%s.sock", dir, hash);
	if (n > 0 && (size_t)n < sizeof a->sun_path && answers(a->sun_path))
		n = snprintf(a->sun_path, sizeof a->sun_path, "%s/%s-%ld.sock", dir, hash,
		             (long)getpid());
	if (n < 0 || (size_t)n >= sizeof a->sun_path)
		return -ENAMETOOLONG;
	(void)unlink(a->sun_path);
	return 0;
}

static int each_in(const char dir[DIRECTORY_SIZE], const char *hash, socket_fn *fn, void *ctx)
{
	char path[2 * DIRECTORY_SIZE + 2];
	DIR *d = opendir(dir);
	int found = 0;
	for (struct dirent *e; d && !found && (e = readdir(d));) {
		if (strncmp(e->d_name, hash, HASH_DIGITS))
			continue;
		int n = snprintf(path, sizeof path, "%.255s/%.255s", dir, e->d_name);
		if (n > 0 && (size_t)n < sizeof path)
			found = fn(ctx, path);
	}
	if (d)
		closedir(d);
	return found;
}

int sockets_each(const char *database, uid_t uid, socket_fn *fn, void *ctx)
{
	char hash[HASH_DIGITS + 1], dir[3][DIRECTORY_SIZE] = { "" };
	int found = hash_of(database, hash);
	runtime_directory(dir[0]);
	(void)snprintf(dir[1], sizeof dir[1], "/run/user/%u/cinta", (unsigned)uid);
	(void)snprintf(dir[2], sizeof dir[2], "/tmp/cinta-%u", (unsigned)uid);
	for (int i = 0; i < 3 && !found; i++)
		if (dir[i][0])
			found = each_in(dir[i], hash, fn, ctx);
	return found;
}

/* SPDX-License-Identifier: MIT */
/*
 * Unmounts, and says who keeps a mount busy.  Called by umount and by the take-
 * over of a dead mount.  It must never touch a mount that is not ours: callers
 * have looked it up in mountinfo.
 */
#include "mount/point/unmount.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mount/memory/memory.h"

extern char **environ;

/* Its last line, without its own name in front. */
static void keep_words(int fd, char *dst, size_t size)
{
	size_t len = 0;
	for (ssize_t n; len + 1 < size && (n = read(fd, dst + len, size - 1 - len)) != 0;) {
		if (n < 0 && errno != EINTR)
			break;
		len += n > 0 ? (size_t)n : 0;
	}
	while (len > 0 && dst[len - 1] == '\n')
		len--;
	dst[len] = '\0';
	char *line = strrchr(dst, '\n');
	line = line ? line + 1 : dst;
	if (!strncmp(line, "fusermount3: ", 13))
		line += 13;
	memmove(dst, line, strlen(line) + 1);
}

/* -EBUSY only if fusermount3 says so; what else it says is the cause, -EIO. */
static int run_fusermount(const char *dir, bool lazy, char *words, size_t size)
{
	char *argv[] = { "fusermount3", lazy ? "-uz" : "-u", "--", (char *)dir, NULL };
	posix_spawn_file_actions_t actions;
	int out[2];
	if (pipe2(out, O_CLOEXEC) < 0)
		return -errno;
	pid_t pid = -1;
	int error = posix_spawn_file_actions_init(&actions);
	if (error == 0) {
		posix_spawn_file_actions_adddup2(&actions, out[1], STDERR_FILENO);
		error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	close(out[1]);
	int status = 0;
	if (error == 0) {
		keep_words(out[0], words, size);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	close(out[0]);
	if (error)
		return -error;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return strstr(words, strerror(EBUSY)) || strstr(words, "busy") ? -EBUSY : -EIO;
}

int unmount_dir(const char *dir, bool lazy)
{
	char words[256];
	return unmount_told(dir, lazy, words, sizeof words);
}

int unmount_told(const char *dir, bool lazy, char *words, size_t size)
{
	words[0] = '\0';
	if (geteuid() == 0)
		return umount2(dir, UMOUNT_NOFOLLOW | (lazy ? MNT_DETACH : 0)) < 0 ? -errno : 0;
	struct mount_entry e;
	/* fusermount3 has one exit status for all: tell "not yours" apart ourselves. */
	if (mounts_at(dir, &e) && e.uid != getuid())
		return -EPERM;
	return run_fusermount(dir, lazy, words, size);
}

static bool link_inside(const char *proc, const char *name, const char *dir)
{
	char path[PATH_MAX], target[PATH_MAX];
	if ((size_t)snprintf(path, sizeof path, "%s/%s", proc, name) >= sizeof path)
		return false;
	ssize_t n = readlink(path, target, sizeof target - 1);
	if (n <= 0)
		return false;
	target[n] = '\0';
	return path_contains(dir, target);
}

/* What of a process lies below `dir`: "cwd", "root", "exe", an open file, or NULL. */
static const char *held_as(const char *proc, const char *dir)
{
	static const char *const links[] = { "cwd", "root", "exe" };
	for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
		if (link_inside(proc, links[i], dir))
			return links[i];
	char fds[64];
	(void)snprintf(fds, sizeof fds, "%s/fd", proc);
	DIR *d = opendir(fds);
	if (!d)
		return NULL;
	const char *found = NULL;
	for (struct dirent *f; !found && (f = readdir(d));)
		if (f->d_name[0] != '.' && link_inside(fds, f->d_name, dir))
			found = "an open file";
	closedir(d);
	return found;
}

static void read_name(const char *proc, char *name, size_t size)
{
	char path[64];
	(void)snprintf(path, sizeof path, "%s/comm", proc);
	FILE *f = fopen(path, "re");
	if (!f || !fgets(name, (int)size, f))
		name[0] = '\0';
	name[strcspn(name, "\n")] = '\0';
	if (f)
		fclose(f);
}

void unmount_holders(const char *dir, char *dst, size_t size)
{
	dst[0] = '\0';
	DIR *d = opendir("/proc");
	if (!d)
		return;
	size_t at = 0;
	int count = 0;
	for (struct dirent *p; count < 5 && at < size && (p = readdir(d));) {
		char *end, proc[32], name[32];
		long pid = strtol(p->d_name, &end, 10);
		if (*end || pid <= 0 || pid == getpid())
			continue;
		(void)snprintf(proc, sizeof proc, "/proc/%ld", pid);
		const char *how = held_as(proc, dir);
		if (!how)
			continue;
		read_name(proc, name, sizeof name);
		at += (size_t)snprintf(dst + at, size - at, "  pid %ld (%s): %s\n", pid, name, how);
		count++;
	}
	closedir(d);
}

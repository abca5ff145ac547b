/* SPDX-License-Identifier: MIT */
/*
 * The lock beside a database.  Called by mount (takes it), umount, status and
 * doctor (look at it), rebuild and init (take it for their run).
 */
#include "mount/memory/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_lock(const char *database, int flags)
{
	char path[PATH_MAX];
	if ((size_t)snprintf(path, sizeof path, "%s.lock", database) >= sizeof path)
		return -ENAMETOOLONG;
	struct stat st;
	int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

int owner_take(const char *database, int *out)
{
	int fd = open_lock(database, O_RDWR | O_CREAT);
	if (fd < 0)
		return fd;
	/* A peek holds the lock for a moment; an owner holds it for long. */
	for (int tries = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; tries++) {
		if (errno != EWOULDBLOCK || tries == 5) {
			int error = -errno;
			close(fd);
			return error;
		}
		usleep(10000);
	}
	/* One that was taken away with the memory it was of keeps nobody out. */
	struct stat held, named;
	char path[PATH_MAX];
	(void)snprintf(path, sizeof path, "%s.lock", database); /* open_lock() had room */
	if (fstat(fd, &held) < 0 || stat(path, &named) < 0 || held.st_ino != named.st_ino) {
		close(fd);
		return -EWOULDBLOCK;
	}
	/* Over what was there, which needs no room on a full disk; who reads it finds nobody named. */
	struct stat st;
	if (fstat(fd, &st) == 0 && st.st_size > 0 && pwrite(fd, "0\n", 2, 0) != 2) {
		int error = -errno;
		close(fd);
		return error;
	}
	*out = fd;
	return 0;
}

int owner_announce(int fd, const char *socket)
{
	char text[256];
	int n = snprintf(text, sizeof text, "%ld\n%s\n", (long)getpid(), socket);
	if (n < 0 || (size_t)n >= sizeof text)
		return -ENAMETOOLONG;
	ssize_t written = pwrite(fd, text, (size_t)n, 0);
	if (written < 0)
		return -errno;
	return written == n && ftruncate(fd, n) == 0 ? 0 : -EIO;
}

static void read_who(int fd, struct owner *who)
{
	char text[256];
	*who = (struct owner){ 0 };
	ssize_t n = pread(fd, text, sizeof text - 1, 0);
	if (n <= 0)
		return;
	text[n] = '\0';
	char *line = strchr(text, '\n');
	who->pid = (pid_t)strtol(text, NULL, 10);
	if (!line)
		return;
	line++;
	line[strcspn(line, "\n")] = '\0';
	if (strlen(line) < sizeof who->socket)
		memcpy(who->socket, line, strlen(line) + 1);
}

bool owner_peek(const char *database, struct owner *who)
{
	if (who)
		*who = (struct owner){ 0 };
	int fd = open_lock(database, O_RDONLY);
	if (fd < 0)
		return false;
	bool owned = flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
	if (owned && who)
		read_who(fd, who);
	close(fd);
	return owned;
}

/* Signals whose default is not the end of a process, as bits of a mask in /proc. */
static uint64_t harmless(void)
{
	static const int signals[] = { SIGCHLD, SIGCONT, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG,
	                               SIGWINCH };
	uint64_t bits = 0;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		bits |= (uint64_t)1 << (signals[i] - 1);
	return bits;
}

/*
 * True if this process, which was there, is dead, though threads of it may not have ended; or was
 * sent a signal that ends it as soon as its first thread has a processor again, and the others
 * answer until then.  One that is not to be seen may be in another namespace, and alive.
 */
static bool owner_died(pid_t pid)
{
	char path[40], line[128];
	bool dead = false;
	uint64_t mask, sent = 0, kept = harmless(); /* kept: blocked, ignored, caught, or harmless */
	(void)snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
	FILE *f = pid > 0 ? fopen(path, "re") : NULL;
	while (f && !dead && fgets(line, sizeof line, f)) {
		dead = !strncmp(line, "State:\tZ", 8) || !strncmp(line, "State:\tX", 8) ||
		       !strncmp(line, "CoreDumping:\t1", 14);
		if (sscanf(line, "SigPnd: %" SCNx64, &mask) == 1 ||
		    sscanf(line, "ShdPnd: %" SCNx64, &mask) == 1)
			sent |= mask;
		else if (sscanf(line, "SigBlk: %" SCNx64, &mask) == 1 ||
		         sscanf(line, "SigIgn: %" SCNx64, &mask) == 1 ||
		         sscanf(line, "SigCgt: %" SCNx64, &mask) == 1)
			kept |= mask;
	}
	if (f)
		fclose(f);
	return dead || (sent & ~kept);
}

enum owner_state owner_state(const char *database, struct owner *who)
{
	if (!owner_peek(database, who))
		return OWNER_NONE;
	return owner_died(who->pid) ? OWNER_DEAD : OWNER_LIVE;
}

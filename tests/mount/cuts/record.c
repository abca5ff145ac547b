/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into the daemon: writes down, in order, what it does to the files below CUT_DIR, as
 * the lines of a journal (CUT_LOG) from which cuts.py makes what a power cut would leave.
 *
 * A record: kind, length of the name, offset, size (little endian, 1 + 1 + 8 + 8 bytes), the name
 * below CUT_DIR, and the bytes of a write.  It is written after the operation went well, and
 * before the daemon knows so: whatever it answers later, its record stands before.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The name below CUT_DIR; NULL: it is elsewhere.  "": the directory itself. */
static const char *below(const char *path)
{
	const char *dir = getenv("CUT_DIR");
	size_t len = dir ? strlen(dir) : 0;
	if (len == 0 || strncmp(path, dir, len) != 0)
		return NULL;
	return path[len] == '/' ? path + len + 1 : path[len] == '\0' ? "" : NULL;
}

/* The same of an open file; one that has no name any more is of no interest. */
static const char *open_name(int fd, char path[PATH_MAX])
{
	char link[64];
	(void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, path, PATH_MAX - 1);
	if (n <= 0)
		return NULL;
	path[n] = '\0';
	return strstr(path, " (deleted)") ? NULL : below(path);
}

static void record(char kind, const char *name, uint64_t at, const void *bytes, uint64_t size)
{
	int saved = errno;
	uint8_t head[18] = { (uint8_t)kind, (uint8_t)strlen(name) };
	int fd = (int)syscall(SYS_openat, AT_FDCWD, getenv("CUT_LOG"), O_WRONLY | O_APPEND | O_CREAT,
	                      0600);
	memcpy(head + 2, &at, sizeof at);
	memcpy(head + 10, &size, sizeof size);
	struct iovec v[] = { { head, sizeof head }, { (void *)(uintptr_t)name, head[1] },
		{ (void *)(uintptr_t)bytes, bytes ? size : 0 } };
	ssize_t want = (ssize_t)(sizeof head + head[1] + (bytes ? size : 0));
	if (fd < 0 || syscall(SYS_writev, fd, v, 3) != want)
		abort(); /* a journal with a hole would prove nothing */
	(void)syscall(SYS_close, fd);
	errno = saved;
}

static ssize_t record_write(int fd, const void *bytes, size_t size, off_t at, bool moves)
{
	char path[PATH_MAX];
	const char *name = open_name(fd, path);
	if (!name)
		return moves ? syscall(SYS_write, fd, bytes, size) : syscall(SYS_pwrite64, fd, bytes, size, at);
	pthread_mutex_lock(&lock);
	if (moves)
		at = lseek(fd, 0, fcntl(fd, F_GETFL) & O_APPEND ? SEEK_END : SEEK_CUR);
	ssize_t n = moves ? syscall(SYS_write, fd, bytes, size)
	                  : syscall(SYS_pwrite64, fd, bytes, size, at);
	if (n > 0)
		record('w', name, (uint64_t)at, bytes, (uint64_t)n);
	pthread_mutex_unlock(&lock);
	return n;
}

ssize_t write(int fd, const void *bytes, size_t size)
{
	return record_write(fd, bytes, size, 0, true);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at)
{
	return record_write(fd, bytes, size, at, false);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at)
{
	return record_write(fd, bytes, size, at, false);
}

static int record_fd(char kind, int fd, long call, off_t size)
{
	char path[PATH_MAX];
	const char *name = open_name(fd, path);
	pthread_mutex_lock(&lock);
	int rc = (int)syscall(call, fd, size);
	if (rc == 0 && name)
		record(kind, name, (uint64_t)size, NULL, 0);
	pthread_mutex_unlock(&lock);
	return rc;
}

int ftruncate(int fd, off_t size)
{
	return record_fd('t', fd, SYS_ftruncate, size);
}

int ftruncate64(int fd, off64_t size)
{
	return record_fd('t', fd, SYS_ftruncate, size);
}

int fsync(int fd)
{
	return record_fd('s', fd, SYS_fsync, 0);
}

int fdatasync(int fd)
{
	return record_fd('s', fd, SYS_fdatasync, 0);
}

int unlink(const char *path)
{
	pthread_mutex_lock(&lock);
	int rc = (int)syscall(SYS_unlink, path);
	if (rc == 0 && below(path))
		record('u', below(path), 0, NULL, 0);
	pthread_mutex_unlock(&lock);
	return rc;
}

/* The second name stands where a write has its bytes. */
static int record_two(char kind, const char *from, const char *to, long call, unsigned flags)
{
	pthread_mutex_lock(&lock);
	int rc = call == SYS_link ? (int)syscall(call, from, to)
	                          : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
	if (rc == 0 && below(from) && below(to))
		record(kind, below(from), 0, below(to), strlen(below(to)));
	pthread_mutex_unlock(&lock);
	return rc;
}

int rename(const char *from, const char *to)
{
	return record_two('r', from, to, SYS_renameat2, 0);
}

int link(const char *from, const char *to)
{
	return record_two('l', from, to, SYS_link, 0);
}

static int record_open(const char *path, int flags, mode_t mode)
{
	struct stat st;
	const char *name = flags & (O_CREAT | O_TRUNC) ? below(path) : NULL;
	pthread_mutex_lock(&lock);
	bool made = name && stat(path, &st) != 0;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
	if (fd >= 0 && made)
		record('c', name, 0, NULL, 0);
	else if (fd >= 0 && name && flags & O_TRUNC)
		record('t', name, 0, NULL, 0);
	pthread_mutex_unlock(&lock);
	return fd;
}

int open(const char *path, int flags, ...)
{
	va_list ap;
	va_start(ap, flags);
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return record_open(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	va_list ap;
	va_start(ap, flags);
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return record_open(path, flags, mode);
}

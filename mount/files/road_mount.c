/* SPDX-License-Identifier: MIT */
/*
 * The road by a mount: its files, by openat2(2), which lets no path and no link out of it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mount/files/road.h"

enum { HOLD_MS = 3000, HOLD_STEP_MS = 10 };

static int open_in(const struct files *f, const char *path, uint64_t flags)
{
	const struct open_how how = { .flags = flags | O_CLOEXEC,
		.mode = flags & O_CREAT ? 0600 : 0,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV };
	long fd = syscall(SYS_openat2, f->dir, path, &how, sizeof how);
	return fd < 0 ? -errno : (int)fd;
}

static int by_stat(struct files *f, const char *path, bool follow, struct stat *st)
{
	int fd = open_in(f, path, O_PATH | (follow ? 0 : (uint64_t)O_NOFOLLOW));
	int err = fd < 0 ? fd : fstat(fd, st) < 0 ? -errno : 0;
	if (fd >= 0)
		close(fd);
	return err;
}

static int by_link(struct files *f, const char *path, char *target, size_t size)
{
	int fd = open_in(f, path, O_PATH | O_NOFOLLOW);
	ssize_t len = fd < 0 ? fd : readlinkat(fd, "", target, size);
	int err = fd < 0 ? fd : len < 0 ? -errno : (size_t)len >= size ? -ENAMETOOLONG : 0;
	if (fd >= 0)
		close(fd);
	if (!err)
		target[len] = '\0';
	return err;
}

static int by_list(struct files *f, const char *path, fs_visit_name_fn *fn, void *ctx)
{
	int done = 0, fd = open_in(f, path, O_RDONLY | O_DIRECTORY);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	if (!d) {
		done = fd < 0 ? fd : -errno;
		if (fd >= 0)
			close(fd);
		return done;
	}
	errno = 0;
	for (struct dirent *e; !done && (e = readdir(d)); errno = 0)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			done = fn(ctx, e->d_name, (mode_t)DTTOIF(e->d_type));
	if (!done && errno)
		done = -errno;
	closedir(d);
	return done;
}

static int by_mkdir(struct files *f, const char *path)
{
	char above[PATH_MAX];
	int n = snprintf(above, sizeof above, "./%s", path + strspn(path, "/"));
	if (n < 0 || (size_t)n >= sizeof above)
		return -ENAMETOOLONG;
	char *slash = strrchr(above, '/');
	while (slash[1] == '\0' && slash > above + 1) { /* a/b/ is a/b */
		*slash = '\0';
		slash = strrchr(above, '/');
	}
	*slash = '\0';
	int fd = open_in(f, above, O_PATH | O_DIRECTORY);
	if (fd < 0)
		return fd;
	int err = mkdirat(fd, slash + 1, 0700) < 0 ? -errno : 0;
	close(fd);
	return err;
}

static int by_open(struct files *f, const char *path, int flags, struct file *out)
{
	out->fd = open_in(f, path, (uint64_t)flags);
	struct stat st;
	if (out->fd >= 0 && fstat(out->fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(out->fd);
		out->fd = -EISDIR;
	}
	return out->fd < 0 ? out->fd : 0;
}

static ssize_t by_read(struct files *f, struct file *file, char *dst, size_t size)
{
	(void)f;
	for (;;) {
		ssize_t got = read(file->fd, dst, size);
		if (got >= 0 || errno != EINTR)
			return got < 0 ? -errno : got;
	}
}

static ssize_t by_write(struct files *f, struct file *file, const char *src, size_t size)
{
	(void)f;
	for (;;) {
		ssize_t put = write(file->fd, src, size);
		if (put >= 0 || errno != EINTR)
			return put < 0 ? -errno : put;
	}
}

static int by_empty(struct files *f, struct file *file)
{
	(void)f;
	return ftruncate(file->fd, 0) < 0 || lseek(file->fd, 0, SEEK_SET) < 0 ? -errno : 0;
}

static int by_close(struct files *f, struct file *file)
{
	(void)f;
	return close(file->fd) < 0 ? -errno : 0;
}

/*
 * By flock(2), which holds in all mounts of a memory.  Who has it for long is another program,
 * perhaps the one that waits for us, and is not waited for.
 */
static int by_hold(struct files *f, const char *path, struct file *held)
{
	held->fd = open_in(f, path, O_WRONLY);
	for (int waited = 0; held->fd >= 0 && flock(held->fd, LOCK_EX | LOCK_NB) < 0 &&
	                     waited < HOLD_MS; waited += HOLD_STEP_MS)
		usleep(HOLD_STEP_MS * 1000);
	return held->fd < 0 ? held->fd : 0;
}

static void by_release(struct file *held)
{
	if (held->fd >= 0)
		close(held->fd);
}

static void by_end(struct files *f)
{
	if (f->dir >= 0)
		close(f->dir);
	f->dir = -1;
}

int road_mount(struct files *f, const char *dir)
{
	static const struct road road = { by_stat, by_link, by_list, by_mkdir, by_open, by_read,
		by_write, by_empty, by_close, by_hold, by_release, by_end };
	f->dir = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	f->road = &road;
	return f->dir < 0 ? -errno : 0;
}

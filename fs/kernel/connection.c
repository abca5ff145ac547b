/* SPDX-License-Identifier: MIT */
/* The device of a mount, and aborting connections through the kernel's control files. */
#include "fs/kernel/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <linux/fuse.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "fs/fs.h"
#include "fs/internal.h"
#include "fs/kernel/ledger.h"

enum {
	FUSECTL_MAGIC = 0x65735543,
	BUFFER_ALIGN = 4096,
	BUFFER_SIZE = CONNECTION_MAX_WRITE + 2 * BUFFER_ALIGN /* and the headers of a WRITE */
};

/* ---- the device -------------------------------------------------------- */

static ssize_t device_read(int fd, void *buf, size_t len, void *userdata)
{
	struct fs_mount *m = userdata;
	return m->ledger ? ledger_read(m->ledger, m->fd, buf, len) : read(fd, buf, len);
}

static ssize_t device_write(int fd, struct iovec *iov, int count, void *userdata)
{
	struct fs_mount *m = userdata;
	const struct fuse_out_header *out = iov[0].iov_base;
	uint64_t unique = out->unique;
	(void)fd;
	ssize_t done = writev(m->fd, iov, count);
	if (m->ledger && (done >= 0 || errno == ENOENT)) {
		int error = errno;
		ledger_answered(m->ledger, unique);
		errno = error;
	}
	return done;
}

/* True if this user may abort connections. */
static bool can_abort(void)
{
	struct statfs fs;
	return geteuid() == 0 ||
	       (statfs("/sys/fs/fuse/connections", &fs) == 0 && fs.f_type == FUSECTL_MAGIC);
}

static void drop_ledger(struct fs_mount *m)
{
	if (m->ledger)
		close(m->ledger_fd);
	ledger_free(m->ledger);
	m->ledger = NULL;
}

int connection_buffer(struct fuse_buf *buf)
{
	*buf = (struct fuse_buf){ .mem = aligned_alloc(BUFFER_ALIGN, BUFFER_SIZE) };
	return buf->mem ? 0 : -ENOMEM;
}

int connection_receive(struct fs_mount *m, struct fuse_buf *buf)
{
	int fd = m->fd >= 0 ? m->fd : fuse_session_fd(m->session);
	ssize_t got = device_read(fd, buf->mem, BUFFER_SIZE, m);
	int error = got < 0 ? errno : 0;
	if (fuse_session_exited(m->session))
		return 0;
	if (error == ENOENT) /* a request was interrupted before it was read */
		return -EINTR;
	if (error == ENODEV || got == 0) { /* unmounted; the other end has gone */
		fuse_session_exit(m->session);
		return 0;
	}
	if (error)
		return -error;
	if ((size_t)got < sizeof(struct fuse_in_header))
		return -EIO; /* the other end is no kernel */
	buf->flags = 0;
	buf->size = (size_t)got;
	return (int)got;
}

static void say_nothing(enum fuse_log_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
}

int connection_take(struct fs_mount *m)
{
	static const struct fuse_custom_io io = { .read = device_read, .writev = device_write };
	int device = fuse_session_fd(m->session);
	m->fd = fcntl(device, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (m->fd < 0)
		return -errno;
	if (!can_abort())
		m->ledger = ledger_new(&m->ledger_fd);
	/* A libfuse built without it (3.18 and later) answers by itself, and says so: then there is no
	   ledger, the rest is as ever. */
	fuse_set_log_func(say_nothing);
	if (fuse_session_custom_io(m->session, &io, device))
		drop_ledger(m);
	fuse_set_log_func(NULL);
	return 0;
}

void connection_hurry(struct fs_mount *m)
{
	if (m->fd >= 0)
		(void)fcntl(m->fd, F_SETFL, O_NONBLOCK);
}

void connection_close(struct fs_mount *m)
{
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
	drop_ledger(m);
}

bool fs_shares(const struct fs_mount *m, int fds[2])
{
	fds[0] = m->fd;
	fds[1] = m->ledger_fd;
	return m->ledger != NULL;
}

void fs_refuse(int device, int ledger)
{
	(void)fcntl(device, F_SETFL, O_NONBLOCK);
	ledger_refuse(ledger, device);
	connection_refuse(device, NULL);
}

bool connection_answers(const struct fuse_in_header *in)
{
	return in->opcode != FUSE_FORGET && in->opcode != FUSE_BATCH_FORGET &&
	       in->opcode != FUSE_INTERRUPT;
}

void connection_refuse(int fd, void (*broken)(uint64_t fh))
{
	size_t room = ((size_t)1 << 20) + (1 << 16); /* a WRITE of MAX_WRITE with its head */
	struct fuse_in_header *in = malloc(room);
	while (in) {
		ssize_t got = read(fd, in, room);
		/* ENOENT: its program has given up in this moment. */
		if (got < 0 && (errno == EINTR || errno == ENOENT))
			continue;
		if (got < (ssize_t)sizeof *in)
			break;
		if (broken && in->opcode == FUSE_WRITE)
			broken(((const struct fuse_write_in *)(in + 1))->fh);
		struct fuse_out_header out = {
			.len = sizeof out, .error = -ECONNABORTED, .unique = in->unique,
		};
		if (connection_answers(in) && write(fd, &out, sizeof out) < 0 && errno == ENODEV)
			break;
	}
	free(in);
}

/* ---- cutting it -------------------------------------------------------- */

/* Where nobody has mounted fusectl, root may have one for itself that has no name. */
static int open_unnamed(const char *file)
{
	int fs = fsopen("fusectl", FSOPEN_CLOEXEC), top = -1, fd = -1;
	if (fs >= 0 && fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		top = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	if (top >= 0)
		fd = openat(top, file, O_WRONLY | O_CLOEXEC);
	int error = fd < 0 ? -errno : 0;
	if (top >= 0)
		close(top);
	if (fs >= 0)
		close(fs);
	return error ? error : fd;
}

int fs_abort_open(unsigned device)
{
	char path[64], file[32];
	(void)snprintf(path, sizeof path, "/sys/fs/fuse/connections/%u/abort", device);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	(void)snprintf(file, sizeof file, "%u/abort", device);
	return open_unnamed(file);
}

int fs_abort(unsigned device)
{
	int fd = fs_abort_open(device);
	if (fd < 0)
		return fd;
	int error = write(fd, "1", 1) == 1 ? 0 : -errno;
	close(fd);
	return error;
}

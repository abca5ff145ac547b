/* SPDX-License-Identifier: MIT */
/* The connection of a visit: its beginning, its end, a request and its answer. */
#include "fs/visit/visit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static int send_all(int fd, const struct visit_request *r, uint64_t unique)
{
	struct fuse_in_header head = { .opcode = r->op, .unique = unique, .nodeid = r->ino,
		.uid = getuid(), .gid = getgid(), .pid = (uint32_t)getpid() };
	struct iovec part[3] = { { &head, sizeof head } };
	const struct msghdr m = { .msg_iov = part, .msg_iovlen = 3 };
	/* iovec has no const; nothing is written through it. */
	memcpy(&part[1].iov_base, &r->arg, sizeof r->arg);
	memcpy(&part[2].iov_base, &r->more, sizeof r->more);
	part[1].iov_len = r->arg_len;
	part[2].iov_len = r->more_len;
	head.len = (uint32_t)(sizeof head + r->arg_len + r->more_len);
	for (;;) {
		if (sendmsg(fd, &m, MSG_NOSIGNAL) >= 0)
			return 0;
		if (errno != EINTR)
			return -errno;
	}
}

/* The answer to `unique`; all else that comes is a notice. */
static int receive(struct fs_visit *v, uint64_t unique)
{
	struct fuse_out_header head;
	for (;;) {
		struct iovec part[2] = { { &head, sizeof head }, { v->answer, sizeof v->answer } };
		struct msghdr m = { .msg_iov = part, .msg_iovlen = 2 };
		ssize_t got = recvmsg(v->fd, &m, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < (ssize_t)sizeof head)
			return -ECONNABORTED;
		if (head.unique != unique)
			continue;
		if (m.msg_flags & MSG_TRUNC || head.error > 0)
			return -EPROTO;
		v->len = (size_t)got - sizeof head;
		return head.error;
	}
}

int visit_ask(struct fs_visit *v, const struct visit_request *r)
{
	v->len = 0;
	v->unique += 2; /* as the kernel numbers them */
	int err = send_all(v->fd, r, v->unique);
	return err ? -ECONNABORTED : receive(v, v->unique);
}

int visit_ask_for(struct fs_visit *v, const struct visit_request *r, void *out, size_t size)
{
	int err = visit_ask(v, r);
	if (err)
		return err;
	if (v->len != size)
		return -EPROTO;
	memcpy(out, v->answer, size);
	return 0;
}

static int negotiate(struct fs_visit *v)
{
	const struct fuse_init_in in = { .major = FUSE_KERNEL_VERSION,
		.minor = FUSE_KERNEL_MINOR_VERSION, .max_readahead = VISIT_PIECE,
		.flags = FUSE_ASYNC_READ | FUSE_ATOMIC_O_TRUNC | FUSE_BIG_WRITES | FUSE_DONT_MASK |
			FUSE_DO_READDIRPLUS | FUSE_PARALLEL_DIROPS | FUSE_CACHE_SYMLINKS |
			FUSE_NO_OPENDIR_SUPPORT };
	struct fuse_init_out out;
	return visit_ask_for(v, &(struct visit_request){ FUSE_INIT, 0, &in, sizeof in, NULL, 0 },
	                     &out, sizeof out);
}

int fs_visit_begin(struct fs *fs, const struct fs_mount_options *o, struct fs_visit **out)
{
	int pair[2];
	struct fs_visit *v = calloc(1, sizeof *v);
	if (!v)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
		int error = -errno;
		free(v);
		return error;
	}
	v->fd = pair[0];
	int err = fs_mount_fd(fs, o, pair[1], &v->mount);
	if (!err)
		err = negotiate(v);
	if (err)
		fs_visit_end(v);
	else
		*out = v;
	return err;
}

void fs_visit_end(struct fs_visit *v)
{
	if (!v)
		return;
	close(v->fd);
	if (v->mount)
		(void)fs_unmount(v->mount);
	explicit_bzero(v->answer, sizeof v->answer);
	free(v);
}

/* SPDX-License-Identifier: MIT */
/* The connection: sending, receiving, pairing replies with requests; see kernel.h. */
#include "tests/wire/kernel.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WANTED = 3 << 20, ROOM = (1 << 20) + 65536 };

/*
 * The thread sanitizer notes the reading of a writev's buffers after the call, when the other side
 * may long have read the reply and sent the RELEASE that frees them.  ASan watches the same place.
 */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
	return "race:^write_fd$\n";
}

void wire_must(bool truth, const char *what, const char *file, int line)
{
	if (truth)
		return;
	(void)fprintf(stderr, "%s:%d: not true: %s\n", file, line, what);
	abort();
}

/* Root gets room for messages of a mebibyte, others what the system allows. */
static size_t widen(int fd)
{
	int want = WANTED, have = 0;
	socklen_t len = sizeof have;
	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &want, sizeof want) != 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &want, sizeof want);
	MUST(getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &have, &len) == 0 && have > 8192);
	return (size_t)have / 2;
}

static void negotiate(struct wire *w)
{
	struct fuse_init_in in = { .major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION,
		.max_readahead = 131072 };
	struct answer out;
	in.flags = FUSE_ASYNC_READ | FUSE_POSIX_LOCKS | FUSE_ATOMIC_O_TRUNC | FUSE_EXPORT_SUPPORT |
		FUSE_BIG_WRITES | FUSE_DONT_MASK | FUSE_SPLICE_WRITE | FUSE_SPLICE_MOVE |
		FUSE_SPLICE_READ | FUSE_FLOCK_LOCKS | FUSE_HAS_IOCTL_DIR | FUSE_AUTO_INVAL_DATA |
		FUSE_DO_READDIRPLUS | FUSE_READDIRPLUS_AUTO | FUSE_ASYNC_DIO | FUSE_WRITEBACK_CACHE |
		FUSE_NO_OPEN_SUPPORT | FUSE_PARALLEL_DIROPS | FUSE_MAX_PAGES | FUSE_CACHE_SYMLINKS |
		FUSE_NO_OPENDIR_SUPPORT | FUSE_EXPLICIT_INVAL_DATA;
	MUST(wire_call(w, FUSE_INIT, 0, &in, sizeof in, NULL, 0, &out) == 0);
	MUST(out.len == sizeof w->init);
	memcpy(&w->init, out.data, sizeof w->init);
	free(out.data);
}

void wire_mount(struct wire *w, struct fs *fs, bool read_only)
{
	int pair[2];
	struct fs_mount_options o = { .read_only = read_only };
	memset(w, 0, sizeof *w);
	signal(SIGPIPE, SIG_IGN);
	MUST(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
	w->fd = pair[0];
	size_t here = widen(pair[0]), there = widen(pair[1]);
	w->most = here < there ? here : there;
	MUST(fs_mount_fd(fs, &o, pair[1], &w->mount) == 0);
	negotiate(w);
}

static void drop_early(struct wire *w)
{
	for (struct answer *a = w->early, *next; a; a = next) {
		next = a->next;
		free(a->data);
		free(a);
	}
	w->early = NULL;
}

void wire_unmount(struct wire *w)
{
	wire_look(w);
	MUST(w->open_count == 0);
	close(w->fd);
	fs_unmount(w->mount);
	drop_early(w);
	free(w->open);
	w->mount = NULL;
}

static bool needs_reply(uint32_t op)
{
	return op != FUSE_FORGET && op != FUSE_BATCH_FORGET && op != FUSE_INTERRUPT;
}

static void remember_open(struct wire *w, uint64_t unique)
{
	if (w->open_count == w->open_room) {
		w->open_room = w->open_room ? w->open_room * 2 : 16;
		w->open = realloc(w->open, w->open_room * sizeof *w->open);
		MUST(w->open != NULL);
	}
	w->open[w->open_count++] = unique;
}

uint64_t wire_send(struct wire *w, uint32_t op, uint64_t ino, const void *arg, size_t arg_len,
                   const void *more, size_t more_len)
{
	struct fuse_in_header head = { .opcode = op, .unique = w->unique += 2, .nodeid = ino,
		.uid = getuid(), .gid = getgid(), .pid = w->pid ? w->pid : (uint32_t)getpid() };
	struct iovec part[3] = { { &head, sizeof head } };
	/* iovec has no const; nothing is written through it. */
	memcpy(&part[1].iov_base, &arg, sizeof arg);
	memcpy(&part[2].iov_base, &more, sizeof more);
	part[1].iov_len = arg_len;
	part[2].iov_len = more_len;
	head.len = (uint32_t)(sizeof head + arg_len + more_len);
	MUST(head.len < w->most);
	if (needs_reply(op))
		remember_open(w, head.unique);
	ssize_t sent;
	do
		sent = writev(w->fd, part, 3);
	while (sent < 0 && errno == EINTR);
	MUST(sent == (ssize_t)head.len);
	return head.unique;
}

static void take_store(struct wire *w, const struct fuse_out_header *head, const char *data)
{
	struct fuse_notify_store_out out;
	MUST(head->len > sizeof *head + sizeof out);
	memcpy(&out, data, sizeof out);
	MUST(out.size > 0 && head->len == sizeof *head + sizeof out + out.size);
	MUST(w->stores < WIRE_NOTICES);
	w->stored[w->stores++] = (struct store_notice){ out.nodeid, out.offset + out.size,
		data[sizeof out + out.size - 1], w->notices };
}

/* A name is to be looked up again: its bytes and a NUL come last.  Nothing is kept of it here. */
static void take_name(const struct fuse_out_header *head, const char *data)
{
	struct fuse_notify_inval_entry_out entry;
	struct fuse_notify_delete_out gone;
	bool is_entry = head->error == FUSE_NOTIFY_INVAL_ENTRY;
	size_t size = sizeof *head + (is_entry ? sizeof entry : sizeof gone), len;
	MUST(head->len > size);
	memcpy(&entry, data, is_entry ? sizeof entry : 0);
	memcpy(&gone, data, is_entry ? 0 : sizeof gone);
	len = is_entry ? entry.namelen : gone.namelen;
	MUST(len > 0 && head->len == size + len + 1);
	MUST(strlen(data + size - sizeof *head) == len);
}

static void take_notice(struct wire *w, const struct fuse_out_header *head, const char *data)
{
	struct fuse_notify_inval_inode_out out;
	if (head->error == FUSE_NOTIFY_INVAL_ENTRY || head->error == FUSE_NOTIFY_DELETE) {
		take_name(head, data);
		return;
	}
	if (head->error == FUSE_NOTIFY_STORE) {
		take_store(w, head, data);
		return;
	}
	MUST(head->error == FUSE_NOTIFY_INVAL_INODE);
	MUST(head->len == sizeof *head + sizeof out);
	memcpy(&out, data, sizeof out);
	MUST(w->notices < WIRE_NOTICES);
	w->pages[w->notices] = out.off >= 0;
	w->notice[w->notices++] = out.ino;
}

static void take_reply(struct wire *w, const struct fuse_out_header *head, const char *data)
{
	size_t i = 0;
	while (i < w->open_count && w->open[i] != head->unique)
		i++;
	MUST(i < w->open_count); /* else: never asked, or answered before */
	w->open[i] = w->open[--w->open_count];
	MUST(head->error <= 0 && head->error > -1000);
	MUST(head->error == 0 || head->len == sizeof *head);
	struct answer *a = calloc(1, sizeof *a);
	MUST(a != NULL);
	*a = (struct answer){ .unique = head->unique, .error = head->error,
		.len = head->len - sizeof *head, .next = w->early };
	a->data = malloc(a->len + 1);
	MUST(a->data != NULL);
	memcpy(a->data, data, a->len);
	a->data[a->len] = '\0';
	w->early = a;
}

static void take_gone(struct wire *w, const struct fuse_out_header *head, const char *data)
{
	struct fuse_notify_inval_entry_out out;
	MUST(head->len > sizeof *head + sizeof out);
	memcpy(&out, data, sizeof out);
	MUST(out.namelen > 0 && head->len == sizeof *head + sizeof out + out.namelen + 1);
	MUST(strlen(data + sizeof out) == out.namelen);
	MUST(w->gone_count < WIRE_NOTICES);
	w->gone[w->gone_count++] = out.parent;
}

/* One message; false when there is none and `flags` say not to wait. */
static bool receive(struct wire *w, int flags)
{
	struct fuse_out_header head;
	char *data = malloc(ROOM);
	MUST(data != NULL);
	ssize_t got;
	do
		got = recv(w->fd, data, ROOM, flags | MSG_TRUNC);
	while (got < 0 && errno == EINTR);
	if (got < 0 && errno == EAGAIN) {
		free(data);
		return false;
	}
	MUST(got >= (ssize_t)sizeof head && got <= ROOM);
	memcpy(&head, data, sizeof head);
	MUST(head.len == (size_t)got);
	if (head.unique == 0 && head.error == FUSE_NOTIFY_INVAL_ENTRY)
		take_gone(w, &head, data + sizeof head);
	else if (head.unique == 0)
		take_notice(w, &head, data + sizeof head);
	else
		take_reply(w, &head, data + sizeof head);
	free(data);
	return true;
}

void wire_look(struct wire *w)
{
	while (receive(w, MSG_DONTWAIT))
		;
}

int wire_wait(struct wire *w, uint64_t unique, struct answer *out)
{
	for (;;) {
		for (struct answer **p = &w->early; *p; p = &(*p)->next) {
			struct answer *a = *p;
			if (a->unique != unique)
				continue;
			*p = a->next;
			int error = a->error;
			if (out)
				*out = *a;
			else
				free(a->data);
			free(a);
			return error;
		}
		(void)receive(w, 0);
	}
}

int wire_call(struct wire *w, uint32_t op, uint64_t ino, const void *arg, size_t arg_len,
              const void *more, size_t more_len, struct answer *out)
{
	return wire_wait(w, wire_send(w, op, ino, arg, arg_len, more, more_len), out);
}

bool wire_noticed(const struct wire *w, uint64_t ino)
{
	for (size_t i = 0; i < w->notices; i++)
		if (w->notice[i] == ino)
			return true;
	return false;
}

bool wire_noticed_pages(const struct wire *w, uint64_t ino)
{
	for (size_t i = 0; i < w->notices; i++)
		if (w->notice[i] == ino && w->pages[i])
			return true;
	return false;
}

bool wire_name_gone(struct wire *w, uint64_t dir)
{
	for (int tries = 0; tries < 200; tries++) {
		wire_look(w);
		for (size_t i = 0; i < w->gone_count; i++)
			if (w->gone[i] == dir)
				return true;
		usleep(10 * 1000);
	}
	return false;
}

void wire_forget_notices(struct wire *w)
{
	wire_look(w);
	w->gone_count = 0;
	w->notices = w->stores = 0;
}

const struct store_notice *wire_stored(const struct wire *w, uint64_t ino)
{
	for (size_t i = w->stores; i > 0; i--)
		if (w->stored[i - 1].ino == ino)
			return &w->stored[i - 1];
	return NULL;
}

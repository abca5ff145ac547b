/* SPDX-License-Identifier: MIT */
/* A table in shared memory, without locks: its other user comes when ours are dead. */
#include "fs/kernel/ledger.h"

#include <errno.h>
#include <linux/fuse.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fs/kernel/connection.h"

enum { SLOTS = 256 };

struct ledger {
	struct slot {
		_Atomic uint32_t taken;
		_Atomic uint64_t unique;  /* of the request in it, 0: none yet.  For our threads */
		struct fuse_in_header in; /* the kernel writes it.  For the other process */
	} items[SLOTS];
};

struct ledger *ledger_new(int *fd)
{
	*fd = memfd_create("cinta-ledger", MFD_CLOEXEC);
	if (*fd < 0)
		return NULL;
	void *l = MAP_FAILED;
	if (ftruncate(*fd, sizeof(struct ledger)) == 0)
		l = mmap(NULL, sizeof(struct ledger), PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (l != MAP_FAILED)
		return l;
	close(*fd);
	*fd = -1;
	return NULL;
}

void ledger_free(struct ledger *l)
{
	if (l)
		(void)munmap(l, sizeof *l);
}

static struct slot *claim(struct ledger *l)
{
	for (int i = 0; i < SLOTS; i++) {
		uint32_t none = 0;
		if (atomic_compare_exchange_strong(&l->items[i].taken, &none, 1))
			return &l->items[i];
	}
	return NULL;
}

static void release(struct slot *s)
{
	atomic_store(&s->unique, 0);
	atomic_store(&s->taken, 0);
}

ssize_t ledger_read(struct ledger *l, int device, void *buf, size_t len)
{
	struct slot *s = claim(l);
	if (!s)
		return read(device, buf, len);
	struct iovec part[2] = {
		{ &s->in, sizeof s->in }, { (char *)buf + sizeof s->in, len - sizeof s->in },
	};
	ssize_t got = readv(device, part, 2);
	if (got < (ssize_t)sizeof s->in) {
		int error = errno;
		release(s);
		errno = error;
		return got;
	}
	memcpy(buf, &s->in, sizeof s->in);
	if (connection_answers(&s->in))
		atomic_store(&s->unique, s->in.unique);
	else
		release(s);
	return got;
}

void ledger_answered(struct ledger *l, uint64_t unique)
{
	for (int i = 0; unique && i < SLOTS; i++) {
		if (atomic_load(&l->items[i].unique) == unique) {
			release(&l->items[i]);
			return;
		}
	}
}

/* What was answered before is none for the kernel: it says ENOENT. */
void ledger_refuse(int fd, int device)
{
	const struct ledger *l = mmap(NULL, sizeof *l, PROT_READ, MAP_SHARED, fd, 0);
	if (l == MAP_FAILED)
		return;
	for (int i = 0; i < SLOTS; i++) {
		struct fuse_out_header out = {
			.len = sizeof out, .error = -ECONNABORTED, .unique = l->items[i].in.unique,
		};
		if (out.unique)
			(void)!write(device, &out, sizeof out);
	}
	(void)munmap((void *)(uintptr_t)l, sizeof *l);
}

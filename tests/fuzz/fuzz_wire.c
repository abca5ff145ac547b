/* SPDX-License-Identifier: MIT */
/*
 * Any sequence of FUSE requests with any arguments: each gets exactly one well-formed reply, and
 * nothing crashes.  What the kernel itself guarantees is kept: lengths fit the message, names end,
 * handles are ones it was given, offsets are not negative, inodes have a kind.
 *
 * A request in the input: op, kind, id, handle (a byte each), a length byte, that many bytes of
 * arguments (filled up with zeros).
 *
 *   make && clang -std=c17 -g -O1 -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -I. -Ibuild \
 *     -DFUSE_USE_VERSION=312 -DCINTA_VERSION='"fuzz"' $(pkg-config --cflags fuse3) tests/fuzz/fuzz_wire.c \
 *     tests/wire/kernel.c tests/wire/requests.c tests/wire/world.c fs/[a-z]*.c store/[a-z]*.c render/[a-z]*.c \
 *     -lfuse3 -lsqlite3 -lcrypto -ljansson -lpthread -o fuzz_wire && ./fuzz_wire tests/fuzz/corpus-wire
 */
#include <stdlib.h>
#include <string.h>

#include "fs/ino.h"
#include "tests/wire/world.h"

enum { INPUTS = 2000, HANDLES = 8, ARGS = 512 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct open_file {
	uint64_t fh, ino;
};

/* One request of the input. */
struct wish {
	uint32_t op;
	uint64_t ino;
	unsigned handle;
	uint8_t args[ARGS + 1];
	size_t len;
};

static bool takes_handle(uint32_t op)
{
	return op == FUSE_READ || op == FUSE_WRITE || op == FUSE_FLUSH || op == FUSE_RELEASE ||
		op == FUSE_FSYNC;
}

static bool never_sent(uint32_t op)
{
	return op == FUSE_INIT || op == FUSE_DESTROY || op == FUSE_INTERRUPT || op == FUSE_NOTIFY_REPLY;
}

/* A known offset in the arguments made not negative, a size made to fit. */
static void tame(struct wish *w)
{
	if (w->op == FUSE_READ || w->op == FUSE_READDIR || w->op == FUSE_READDIRPLUS) {
		struct fuse_read_in in;
		memcpy(&in, w->args, sizeof in);
		in.offset &= INT64_MAX >> 1; /* the VFS refuses ranges past the largest offset */
		in.size &= 0x1FFFF;
		memcpy(w->args, &in, sizeof in);
	} else if (w->op == FUSE_WRITE) {
		struct fuse_write_in in;
		memcpy(&in, w->args, sizeof in);
		in.offset &= INT64_MAX >> 1; /* the VFS lets no write end past the largest offset */
		in.size = w->len > sizeof in ? (uint32_t)(w->len - sizeof in) : 0;
		memcpy(w->args, &in, sizeof in);
		w->len = sizeof in + in.size;
	} else if (w->op == FUSE_LINK) {
		struct fuse_link_in in;
		memcpy(&in, w->args, sizeof in);
		in.oldnodeid = ino_make((enum kind)(in.oldnodeid % KIND_COUNT), 1);
		memcpy(w->args, &in, sizeof in);
	} else if (w->op == FUSE_BATCH_FORGET) {
		struct fuse_batch_forget_in in;
		memcpy(&in, w->args, sizeof in);
		in.count %= 8;
		memcpy(w->args, &in, sizeof in);
	}
	if (w->op != FUSE_WRITE)
		w->len = ARGS; /* zeros end every name */
	w->args[ARGS] = 0;
}

static void ask(struct wire *k, struct wish *w, struct open_file file[HANDLES])
{
	struct open_file *f = &file[w->handle % HANDLES];
	tame(w);
	if (takes_handle(w->op)) {
		memcpy(w->args, &f->fh, sizeof f->fh);
		if (f->fh)
			w->ino = f->ino;
	}
	if (w->op == FUSE_OPEN && f->fh)
		return;
	if (w->op == FUSE_FORGET || w->op == FUSE_BATCH_FORGET) {
		(void)wire_send(k, w->op, w->ino, w->args, w->len, NULL, 0);
		return;
	}
	struct answer a;
	int err = wire_call(k, w->op, w->ino, w->args, w->len, NULL, 0, &a);
	if (!err && w->op == FUSE_OPEN) {
		struct fuse_open_out out;
		MUST(a.len == sizeof out);
		memcpy(&out, a.data, sizeof out);
		*f = (struct open_file){ out.fh, w->ino };
	}
	if (w->op == FUSE_RELEASE)
		f->fh = 0;
	free(a.data);
}

static bool next_wish(const uint8_t **p, const uint8_t *end, struct wish *w)
{
	memset(w, 0, sizeof *w);
	if (end - *p < 5)
		return false;
	w->op = (*p)[0] % 64;
	enum kind kind = (*p)[1] % KIND_COUNT;
	w->ino = kind == KIND_ROOT ? FUSE_ROOT_ID : ino_make(kind, (*p)[2] % 4);
	w->handle = (*p)[3];
	w->len = (*p)[4];
	*p += 5;
	if (w->len > (size_t)(end - *p))
		w->len = (size_t)(end - *p);
	memcpy(w->args, *p, w->len);
	*p += w->len;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct world *world; /* kept between inputs: making one costs a key */
	static int inputs;
	struct open_file file[HANDLES] = { { 0 } };
	const uint8_t *p = data, *end = data + size;
	struct wish w;
	if (!world) {
		MUST(setenv("CINTA_TEST_BASE", "/dev/shm", 1) == 0);
		world = world_new(0);
	}
	while (next_wish(&p, end, &w))
		if (!never_sent(w.op))
			ask(&world->a, &w, file);
	for (int i = 0; i < HANDLES; i++)
		if (file[i].fh)
			MUST(wire_release(&world->a, file[i].ino, file[i].fh) == 0);
	wire_forget_notices(&world->a);
	wire_forget_notices(&world->b);
	if (++inputs % INPUTS == 0) {
		world_free(world);
		world = NULL;
	}
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Any sequence of FUSE requests with any arguments: each gets exactly one well-formed reply, and
 * nothing crashes.  What the kernel itself guarantees is kept: lengths fit the message, names end,
 * handles are ones it was given, offsets are not negative, inodes have a kind.
 *
 * A request in the input: op, kind, id, handle (a byte each), a length byte, that many bytes of
 * arguments (filled up with zeros).  A kind from 128 on is one of `places`, and then the first four
 * bytes of arguments choose names, texts and flags: so documents are saved, renamed, refused.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "fs/base/ino.h"
#include "tests/wire/world.h"

enum { INPUTS = 2000, HANDLES = 8, ARGS = 512, MOST = 4 << 20, SHAPED = 128 };

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

static const enum kind places[] = { KIND_NOTES, KIND_SMMA, KIND_BLOCK_DIR, KIND_MEMORY_DIR,
	KIND_COMPONENT_DIR, KIND_ALGORITHMS, KIND_WORKSPACE, KIND_FOLDER, KIND_SESSION, KIND_SCRATCH,
	KIND_DOC, KIND_VERSION, KIND_HISTORY, KIND_ROOT };
static const char *const names[] = { "a.md", "a.md~", "b.md", "a.md.tmp", "4913", ".a.md.swp",
	".#a.md", "r1.md", "user_profile.md", "agent_notes.md", "identity.md", "session.md", "obra",
	"a b", ".~tmp~", "1.json", "a.md@1", "a.md@2999-01-01", "a.md@log", "a.md@", "log.jsonl", "",
	"\xff.md", "README" };
static const char *const texts[] = { "# Uno\n", "", "---\npriority: 5\ntags: [a, b]\n---\nx\n",
	"---\npriority: [\n---\n", "---\na: &a [*a]\n---\n", "- [x] uno\n- [ ] dos\n", "a\0\xff",
	"{\"name\":\"x\",\"active\":true,\"config\":{}}" };
#define PICK(list, n) list[(n) % (sizeof list / sizeof *list)]

static uint64_t place(unsigned which, unsigned id)
{
	enum kind kind = PICK(places, which);
	if (kind == KIND_ROOT)
		return FUSE_ROOT_ID;
	if (kind == KIND_VERSION)
		return ino_make(kind, (int64_t)(id / 4 % 8) << VERSION_BITS | (id % 4));
	if (kind == KIND_SMMA || kind == KIND_NOTES || kind == KIND_ALGORITHMS || kind == KIND_WORKSPACE)
		id = 0;
	return ino_make(kind, id % 32);
}

static void put(struct wish *w, const void *data, size_t len)
{
	memcpy(w->args + w->len, data, len);
	w->len += len;
}

static void put_name(struct wish *w, unsigned which)
{
	const char *name = PICK(names, which);
	put(w, name, strlen(name) + 1);
}

/* Arguments that have the form of their op, made from four bytes. */
static void shape(struct wish *w)
{
	uint8_t n[4];
	memcpy(n, w->args, sizeof n);
	memset(w->args, 0, sizeof w->args);
	w->len = 0;
	switch (w->op) {
	case FUSE_CREATE:
		put(w, &(struct fuse_create_in){ .flags = O_RDWR | O_CREAT, .mode = 0100600 },
		    sizeof(struct fuse_create_in));
		put_name(w, n[0]);
		break;
	case FUSE_MKNOD:
		put(w, &(struct fuse_mknod_in){ .mode = n[1] % 4 ? 0100600 : 0010600 },
		    sizeof(struct fuse_mknod_in));
		put_name(w, n[0]);
		break;
	case FUSE_MKDIR:
		put(w, &(struct fuse_mkdir_in){ .mode = 0700 }, sizeof(struct fuse_mkdir_in));
		put_name(w, n[0]);
		break;
	case FUSE_SYMLINK:
		put_name(w, n[0]);
		put_name(w, n[1]);
		break;
	case FUSE_LOOKUP:
	case FUSE_UNLINK:
	case FUSE_RMDIR:
		put_name(w, n[0]);
		break;
	case FUSE_RENAME2:
		put(w, &(struct fuse_rename2_in){ .newdir = place(n[2], n[3]), .flags = n[2] / 64 },
		    sizeof(struct fuse_rename2_in));
		put_name(w, n[0]);
		put_name(w, n[1]);
		break;
	case FUSE_OPEN:
		put(w, &(struct fuse_open_in){ .flags = (uint32_t)((n[0] & 3) % 3 | (n[0] & 4 ? O_APPEND : 0)) },
		    sizeof(struct fuse_open_in));
		break;
	case FUSE_SETATTR:
		put(w, &(struct fuse_setattr_in){ .valid = n[0] & (FATTR_SIZE | FATTR_FH | FATTR_MTIME |
		    FATTR_MODE), .size = n[1] * 4, .mtime = n[2], .mode = n[3] }, sizeof(struct fuse_setattr_in));
		break;
	case FUSE_WRITE:
		put(w, &(struct fuse_write_in){ .offset = n[1], .flags = n[2] & 1 ? O_APPEND : 0 },
		    sizeof(struct fuse_write_in));
		put(w, PICK(texts, n[0]), strlen(PICK(texts, n[0])));
		break;
	default:
		break;
	}
}

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
		if (in.offset > MOST && in.offset <= 128 << 20)
			in.offset %= MOST; /* more would only take time */
		memcpy(w->args, &in, sizeof in);
	} else if (w->op == FUSE_SETATTR) {
		struct fuse_setattr_in in;
		memcpy(&in, w->args, sizeof in);
		in.size &= INT64_MAX;
		if (in.size > MOST && in.size <= 128 << 20)
			in.size %= MOST;
		memcpy(w->args, &in, sizeof in);
	} else if (w->op == FUSE_LINK) {
		struct fuse_link_in in;
		memcpy(&in, w->args, sizeof in);
		in.oldnodeid = ino_make((enum kind)(in.oldnodeid % KIND_COUNT), 1);
		memcpy(w->args, &in, sizeof in);
	} else if (w->op == FUSE_SETLKW) {
		w->op = FUSE_SETLK; /* one that waits is answered when another lets go: test_editions.c */
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

/* A handle beside the inode must be one of that inode's. */
static void lend_handle(struct wish *w, const struct open_file *f)
{
	struct fuse_setattr_in set;
	struct fuse_getattr_in get;
	memcpy(&set, w->args, sizeof set);
	memcpy(&get, w->args, sizeof get);
	if (w->op == FUSE_SETATTR && (set.valid & FATTR_FH)) {
		set.fh = f->fh;
		set.valid &= f->fh ? UINT32_MAX : ~(uint32_t)FATTR_FH;
		memcpy(w->args, &set, sizeof set);
		w->ino = f->fh ? f->ino : w->ino;
	} else if (w->op == FUSE_GETATTR && (get.getattr_flags & FUSE_GETATTR_FH)) {
		get.fh = f->fh;
		get.getattr_flags &= f->fh ? UINT32_MAX : ~(uint32_t)FUSE_GETATTR_FH;
		memcpy(w->args, &get, sizeof get);
		w->ino = f->fh ? f->ino : w->ino;
	}
}

/* The handle of a reply to OPEN or CREATE. */
static void keep_handle(struct open_file *f, const struct wish *w, const struct answer *a)
{
	struct fuse_open_out out;
	struct fuse_entry_out entry = { .nodeid = w->ino };
	bool made = w->op == FUSE_CREATE;
	MUST(a->len == sizeof out + (made ? sizeof entry : 0));
	if (made)
		memcpy(&entry, a->data, sizeof entry);
	memcpy(&out, a->data + (made ? sizeof entry : 0), sizeof out);
	*f = (struct open_file){ out.fh, entry.nodeid };
}

static void ask(struct wire *k, struct wish *w, struct open_file file[HANDLES])
{
	struct open_file *f = &file[w->handle % HANDLES];
	tame(w);
	if (w->op == FUSE_SETATTR || w->op == FUSE_GETATTR)
		lend_handle(w, f);
	if (takes_handle(w->op)) {
		memcpy(w->args, &f->fh, sizeof f->fh);
		if (f->fh)
			w->ino = f->ino;
	}
	if ((w->op == FUSE_OPEN || w->op == FUSE_CREATE) && f->fh)
		return;
	if (w->op == FUSE_FORGET || w->op == FUSE_BATCH_FORGET) {
		(void)wire_send(k, w->op, w->ino, w->args, w->len, NULL, 0);
		return;
	}
	struct answer a;
	int err = wire_call(k, w->op, w->ino, w->args, w->len, NULL, 0, &a);
	if (!err && (w->op == FUSE_OPEN || w->op == FUSE_CREATE))
		keep_handle(f, w, &a);
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
	bool shaped = (*p)[1] >= SHAPED;
	w->ino = shaped ? place((*p)[1], (*p)[2]) : kind == KIND_ROOT ? FUSE_ROOT_ID :
		ino_make(kind, (*p)[2] % 4);
	w->handle = (*p)[3];
	w->len = (*p)[4];
	*p += 5;
	if (w->len > (size_t)(end - *p))
		w->len = (size_t)(end - *p);
	memcpy(w->args, *p, w->len);
	*p += w->len;
	if (shaped)
		shape(w);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct world *world; /* kept between inputs: making one costs a key */
	static int inputs;
	struct open_file file[HANDLES] = { { 0 } };
	const uint8_t *p = data, *end = data + size;
	struct wish w;
	if (!world)
		world = world_new(0);
	while (next_wish(&p, end, &w))
		if (!never_sent(w.op))
			ask(&world->a, &w, file);
	for (int i = 0; i < HANDLES; i++)
		if (file[i].fh)
			(void)wire_release(&world->a, file[i].ino, file[i].fh); /* may refuse */
	wire_forget_notices(&world->a);
	wire_forget_notices(&world->b);
	if (++inputs % INPUTS == 0) {
		world_free(world);
		world = NULL;
	}
	return 0;
}

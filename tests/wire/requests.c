/* SPDX-License-Identifier: MIT */
/* The requests a kernel sends, one function each, and what is made of several; see kernel.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tests/wire/kernel.h"

#include "fs/base/ino.h"

/* A call whose reply is one struct, or nothing on error. */
static int call_for(struct wire *w, uint32_t op, uint64_t ino, const void *arg, size_t arg_len,
                    const char *name, void *out, size_t out_len)
{
	struct answer a;
	int err = wire_call(w, op, ino, arg, arg_len, name, name ? strlen(name) + 1 : 0, &a);
	if (!err) {
		MUST(a.len == out_len);
		if (out)
			memcpy(out, a.data, out_len);
	}
	free(a.data);
	return err;
}

int wire_lookup(struct wire *w, uint64_t dir, const char *name, struct fuse_entry_out *out)
{
	struct fuse_entry_out own;
	out = out ? out : &own;
	int err = call_for(w, FUSE_LOOKUP, dir, NULL, 0, name, out, sizeof *out);
	if (!err && out->nodeid == 0)
		return -ENOENT; /* a missing name to be remembered */
	MUST(err || out->attr.ino < UINT64_C(1) << 53);
	/* A document that began as scratch is shown by the number of that (fs/tree/number.h). */
	MUST(err || out->attr.ino == ino_of_node(out->nodeid) || (ino_kind(out->nodeid) == KIND_DOC &&
	                                             ino_kind(out->attr.ino) == KIND_SCRATCH));
	return err;
}

uint64_t wire_path(struct wire *w, const char *path)
{
	char copy[PATH_MAX], *rest = copy, *part;
	uint64_t ino = FUSE_ROOT_ID;
	struct fuse_entry_out e;
	MUST(strlen(path) < sizeof copy);
	memcpy(copy, path, strlen(path) + 1);
	while ((part = strsep(&rest, "/"))) {
		if (wire_lookup(w, ino, part, &e) != 0)
			return 0;
		ino = e.nodeid;
	}
	return ino;
}

int wire_getattr(struct wire *w, uint64_t ino, struct fuse_attr *out)
{
	struct fuse_getattr_in in = { 0 };
	struct fuse_attr_out attr;
	int err = call_for(w, FUSE_GETATTR, ino, &in, sizeof in, NULL, &attr, sizeof attr);
	if (!err)
		*out = attr.attr;
	return err;
}

int wire_open(struct wire *w, uint64_t ino, uint32_t flags, struct fuse_open_out *out)
{
	struct fuse_open_in in = { .flags = flags };
	return call_for(w, FUSE_OPEN, ino, &in, sizeof in, NULL, out, sizeof *out);
}

int wire_open_again(struct wire *w, uint64_t ino, uint32_t flags, struct fuse_open_out *out)
{
	int err = wire_open(w, ino, flags, out);
	return err == -ESTALE ? wire_open(w, ino, flags, out) : err;
}

ssize_t wire_read(struct wire *w, uint64_t ino, uint64_t fh, int64_t off, char *dst, size_t size)
{
	struct fuse_read_in in = { .fh = fh, .offset = (uint64_t)off, .size = (uint32_t)size };
	struct answer a;
	int err = wire_call(w, FUSE_READ, ino, &in, sizeof in, NULL, 0, &a);
	ssize_t got = err ? err : (ssize_t)a.len;
	MUST(err || a.len <= size);
	if (!err)
		memcpy(dst, a.data, a.len);
	free(a.data);
	return got;
}

ssize_t wire_write(struct wire *w, uint64_t ino, uint64_t fh, int64_t off, uint32_t flags,
                   const void *data, size_t size)
{
	struct fuse_write_in in = { .fh = fh, .offset = (uint64_t)off, .size = (uint32_t)size,
		.flags = flags };
	struct fuse_write_out out;
	struct answer a;
	int err = wire_call(w, FUSE_WRITE, ino, &in, sizeof in, data, size, &a);
	if (!err) {
		MUST(a.len == sizeof out);
		memcpy(&out, a.data, sizeof out);
	}
	free(a.data);
	return err ? err : (ssize_t)out.size;
}

int wire_flush(struct wire *w, uint64_t ino, uint64_t fh)
{
	struct fuse_flush_in in = { .fh = fh };
	return call_for(w, FUSE_FLUSH, ino, &in, sizeof in, NULL, NULL, 0);
}

int wire_release(struct wire *w, uint64_t ino, uint64_t fh)
{
	struct fuse_release_in in = { .fh = fh };
	return call_for(w, FUSE_RELEASE, ino, &in, sizeof in, NULL, NULL, 0);
}

int wire_fsync(struct wire *w, uint64_t ino, uint64_t fh)
{
	struct fuse_fsync_in in = { .fh = fh };
	return call_for(w, FUSE_FSYNC, ino, &in, sizeof in, NULL, NULL, 0);
}

int wire_truncate(struct wire *w, uint64_t ino, uint64_t size)
{
	struct fuse_setattr_in in = { .valid = FATTR_SIZE, .size = size };
	int err = -ESTALE;
	for (int i = 0; i < 2 && err == -ESTALE; i++) /* as wire_open_again() */
		err = call_for(w, FUSE_SETATTR, ino, &in, sizeof in, NULL, NULL,
		               sizeof(struct fuse_attr_out));
	return err;
}

int wire_mkdir(struct wire *w, uint64_t dir, const char *name, struct fuse_entry_out *out)
{
	struct fuse_mkdir_in in = { .mode = 0755 };
	struct fuse_entry_out own;
	return call_for(w, FUSE_MKDIR, dir, &in, sizeof in, name, out ? out : &own, sizeof own);
}

int wire_remove(struct wire *w, uint32_t op, uint64_t dir, const char *name)
{
	return call_for(w, op, dir, NULL, 0, name, NULL, 0);
}

int wire_rename(struct wire *w, uint64_t dir, const char *name, uint64_t to, const char *new_name)
{
	struct fuse_rename_in in = { .newdir = to };
	char names[2 * NAME_MAX + 2];
	size_t one = strlen(name) + 1, two = strlen(new_name) + 1;
	MUST(one + two <= sizeof names);
	memcpy(names, name, one);
	memcpy(names + one, new_name, two);
	return wire_call(w, FUSE_RENAME, dir, &in, sizeof in, names, one + two, NULL);
}

int wire_ioctl(struct wire *w, uint64_t ino, uint32_t cmd, uint32_t *value)
{
	struct fuse_ioctl_in in = { .cmd = cmd, .out_size = sizeof *value };
	struct fuse_ioctl_out head;
	struct answer a;
	int err = wire_call(w, FUSE_IOCTL, ino, &in, sizeof in, NULL, 0, &a);
	if (!err) {
		MUST(a.len == sizeof head + sizeof *value);
		memcpy(value, a.data + sizeof head, sizeof *value);
	}
	free(a.data);
	return err;
}

int wire_readlink(struct wire *w, uint64_t ino, char *target, size_t size)
{
	struct answer a;
	int err = wire_call(w, FUSE_READLINK, ino, NULL, 0, NULL, 0, &a);
	MUST(a.len < size);
	memcpy(target, a.data, a.len + 1);
	free(a.data);
	return err;
}

int wire_statfs(struct wire *w, struct fuse_kstatfs *out)
{
	struct fuse_statfs_out st;
	int err = call_for(w, FUSE_STATFS, FUSE_ROOT_ID, NULL, 0, NULL, &st, sizeof st);
	if (!err)
		*out = st.st;
	return err;
}

void wire_forget(struct wire *w, uint64_t ino, uint64_t lookups)
{
	struct fuse_forget_in in = { .nlookup = lookups };
	(void)wire_send(w, FUSE_FORGET, ino, &in, sizeof in, NULL, 0);
}

/* Walks the entries of one reply; returns the offset to go on from, 0 when it was empty. */
static uint64_t each_entry(const struct answer *a, bool plus, list_fn *fn, void *ctx)
{
	const size_t before = plus ? offsetof(struct fuse_direntplus, dirent) : 0;
	uint64_t next = 0;
	size_t at = 0;
	while (at < a->len) {
		struct fuse_direntplus e;
		char name[NAME_MAX + 1];
		MUST(a->len - at >= before + offsetof(struct fuse_dirent, name));
		memset(&e, 0, sizeof e);
		memcpy(plus ? (char *)&e : (char *)&e.dirent, a->data + at,
		       before + offsetof(struct fuse_dirent, name));
		const char *text = a->data + at + before + offsetof(struct fuse_dirent, name);
		size_t size = before + FUSE_DIRENT_ALIGN(offsetof(struct fuse_dirent, name) +
		                                         e.dirent.namelen);
		MUST(e.dirent.namelen > 0 && e.dirent.namelen <= NAME_MAX && at + size <= a->len);
		memcpy(name, text, e.dirent.namelen);
		name[e.dirent.namelen] = '\0';
		MUST(strlen(name) == e.dirent.namelen && e.dirent.off != 0);
		next = e.dirent.off;
		fn(ctx, name, &e.dirent, plus ? &e.entry_out : NULL);
		at += size;
	}
	return next;
}

int wire_list(struct wire *w, uint64_t dir, uint32_t op, uint32_t size, list_fn *fn, void *ctx)
{
	uint64_t off = 0;
	for (int calls = 0;; calls++) {
		struct fuse_read_in in = { .offset = off, .size = size };
		struct answer a;
		int err = wire_call(w, op, dir, &in, sizeof in, NULL, 0, &a);
		MUST(err || a.len <= size);
		uint64_t next = err ? 0 : each_entry(&a, op == FUSE_READDIRPLUS, fn, ctx);
		free(a.data);
		if (err || next == 0)
			return err;
		MUST(next != off && calls < 100000); /* an end, in whatever order offsets come */
		off = next;
	}
}

char *wire_slurp(struct wire *w, uint64_t ino, size_t chunk, size_t *len)
{
	struct fuse_open_out o = { 0 };
	size_t room = chunk + 1;
	char *data = malloc(room);
	int err = wire_open_again(w, ino, O_RDONLY, &o);
	MUST(data && (err == 0 || err == -ENOSYS));
	*len = 0;
	for (;;) {
		if (room - *len < chunk + 1) {
			room = room * 2 + chunk;
			data = realloc(data, room);
			MUST(data != NULL);
		}
		ssize_t got = wire_read(w, ino, o.fh, (int64_t)*len, data + *len, chunk);
		MUST(got >= 0);
		*len += (size_t)got;
		if ((size_t)got < chunk)
			break;
	}
	data[*len] = '\0';
	if (!err)
		MUST(wire_release(w, ino, o.fh) == 0);
	return data;
}

int wire_append(struct wire *w, uint64_t ino, const char *text)
{
	struct fuse_open_out o;
	int err = wire_open_again(w, ino, O_WRONLY | O_APPEND, &o);
	if (err)
		return err;
	ssize_t put = wire_write(w, ino, o.fh, 0, O_WRONLY | O_APPEND, text, strlen(text));
	MUST(put < 0 || (size_t)put == strlen(text));
	err = wire_flush(w, ino, o.fh);
	MUST(wire_release(w, ino, o.fh) == 0);
	return put < 0 ? (int)put : err;
}

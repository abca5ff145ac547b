/* SPDX-License-Identifier: MIT */
/* Saves as tools make them, one small step each; see documents.h. */
#include "tests/wire/documents.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { READER = 4000000 }; /* somebody who writes nothing */

int pen_create(struct pen *p, struct wire *k, uint64_t dir, const char *name)
{
	struct fuse_create_in in = { .flags = O_WRONLY | O_CREAT, .mode = 0100644 };
	struct {
		struct fuse_entry_out entry;
		struct fuse_open_out open;
	} out;
	struct answer a;
	int err = wire_call(k, FUSE_CREATE, dir, &in, sizeof in, name, strlen(name) + 1, &a);
	if (!err) {
		MUST(a.len == sizeof out);
		memcpy(&out, a.data, sizeof out);
		*p = (struct pen){ .k = k, .ino = out.entry.nodeid, .fh = out.open.fh, .flags = O_WRONLY };
		MUST(p->ino && out.entry.attr.ino == p->ino && out.entry.attr.size == 0);
		MUST(out.entry.entry_valid == 0); /* the name may become a document's */
	}
	free(a.data);
	return err;
}

int pen_open(struct pen *p, struct wire *k, uint64_t ino, uint32_t flags)
{
	struct fuse_open_out out;
	int err = wire_open_again(k, ino, flags, &out);
	if (!err)
		*p = (struct pen){ .k = k, .ino = ino, .fh = out.fh, .flags = flags };
	return err;
}

int pen_rewrite(struct pen *p, struct wire *k, uint64_t ino)
{
	int err = pen_open(p, k, ino, O_WRONLY | O_TRUNC);
	p->flags = O_WRONLY; /* as the kernel keeps them */
	return err;
}

int pen_write(struct pen *p, const char *text)
{
	ssize_t put = wire_write(p->k, p->ino, p->fh, p->at, p->flags, text, strlen(text));
	if (put < 0)
		return (int)put;
	MUST((size_t)put == strlen(text));
	p->at += put;
	return 0;
}

int pen_cut(struct pen *p, uint64_t size)
{
	struct fuse_setattr_in in = { .valid = FATTR_SIZE | FATTR_FH, .size = size, .fh = p->fh };
	return wire_call(p->k, FUSE_SETATTR, p->ino, &in, sizeof in, NULL, 0, NULL);
}

int pen_flush(struct pen *p)
{
	return wire_flush(p->k, p->ino, p->fh);
}

int pen_fsync(struct pen *p)
{
	return wire_fsync(p->k, p->ino, p->fh);
}

/* Its answer reaches nobody: any will do. */
void pen_release(struct pen *p)
{
	(void)wire_release(p->k, p->ino, p->fh);
}

int pen_close(struct pen *p)
{
	int err = pen_flush(p);
	pen_release(p);
	return err;
}

int doc_save(struct wire *k, const char *dir, const char *name, const char *text)
{
	struct fuse_entry_out e;
	struct pen p;
	uint64_t parent = wire_path(k, dir);
	int err = wire_lookup(k, parent, name, &e);
	err = err == -ENOENT ? pen_create(&p, k, parent, name) :
		err ? err : pen_rewrite(&p, k, e.nodeid);
	if (err)
		return err;
	MUST(pen_flush(&p) == 0);
	err = pen_write(&p, text);
	int closed = pen_close(&p);
	return err ? err : closed;
}

char *doc_text(struct wire *k, const char *path)
{
	uint64_t ino = wire_path(k, path);
	uint32_t pid = k->pid;
	struct fuse_attr attr;
	size_t len;
	if (!ino)
		return NULL;
	k->pid = READER;
	char *data = wire_slurp(k, ino, 4096, &len);
	MUST(wire_getattr(k, ino, &attr) == 0 && attr.size == len);
	k->pid = pid;
	return data;
}

bool doc_is(struct wire *k, const char *path, const char *text)
{
	char *data = doc_text(k, path);
	bool same = data && strcmp(data, text) == 0;
	free(data);
	return same;
}

int doc_versions(struct wire *k, const char *path)
{
	char log[PATH_MAX];
	int lines = 0;
	(void)snprintf(log, sizeof log, "%s@log", path);
	char *data = doc_text(k, log);
	if (!data)
		return -1;
	for (const char *p = data; *p; p++)
		lines += *p == '\n';
	free(data);
	return lines;
}

int doc_rename(struct wire *k, const char *dir, const char *name, const char *to,
               const char *new_name, uint32_t flags)
{
	struct fuse_rename2_in in = { .newdir = wire_path(k, to), .flags = flags };
	char names[2 * NAME_MAX + 4];
	size_t one = strlen(name) + 1, two = strlen(new_name) + 1;
	MUST(one + two <= sizeof names);
	memcpy(names, name, one);
	memcpy(names + one, new_name, two);
	return wire_call(k, FUSE_RENAME2, wire_path(k, dir), &in, sizeof in, names, one + two, NULL);
}

int doc_unlink(struct wire *k, const char *dir, const char *name)
{
	return wire_remove(k, FUSE_UNLINK, wire_path(k, dir), name);
}

int doc_symlink(struct wire *k, const char *dir, const char *name, const char *target)
{
	return wire_call(k, FUSE_SYMLINK, wire_path(k, dir), name, strlen(name) + 1, target,
	                 strlen(target) + 1, NULL);
}

int doc_mknod(struct wire *k, const char *dir, const char *name, uint32_t mode)
{
	struct fuse_mknod_in in = { .mode = mode };
	return wire_call(k, FUSE_MKNOD, wire_path(k, dir), &in, sizeof in, name, strlen(name) + 1,
	                 NULL);
}

struct sought {
	const char *name;
	int found;
};

static void see_name(void *ctx, const char *name, const struct fuse_dirent *e,
                     const struct fuse_entry_out *plus)
{
	struct sought *s = ctx;
	(void)e, (void)plus;
	s->found += strcmp(name, s->name) == 0;
}

bool doc_listed(struct wire *k, const char *dir, const char *name)
{
	struct sought plain, plus;
	uint64_t ino = wire_path(k, dir);
	int tries = 0;
	do { /* it may come or go between the two */
		plain = plus = (struct sought){ name, 0 };
		MUST(wire_list(k, ino, FUSE_READDIR, 4096, see_name, &plain) == 0);
		MUST(wire_list(k, ino, FUSE_READDIRPLUS, 4096, see_name, &plus) == 0);
	} while (plain.found != plus.found && ++tries < 3);
	MUST(plain.found == plus.found && plain.found <= 1);
	return plain.found == 1;
}

struct kept {
	struct wire *k;
	uint64_t ino[64];
	int count;
};

static void see_kept(void *ctx, const char *name, const struct fuse_dirent *e,
                     const struct fuse_entry_out *plus)
{
	struct kept *f = ctx;
	size_t len = strlen(name);
	(void)plus;
	if (name[0] == '.' || (len > 4 && strcmp(name + len - 4, ".why") == 0))
		return;
	MUST(f->count < 64);
	f->ino[f->count++] = e->ino;
}

int doc_rejected(struct wire *k, const char *content)
{
	struct kept f = { .k = k };
	int same = 0;
	MUST(wire_list(k, wire_path(k, "rejected"), FUSE_READDIR, 4096, see_kept, &f) == 0);
	for (int i = 0; i < f.count; i++) {
		size_t len;
		char *data = wire_slurp(k, f.ino[i], 65536, &len);
		same += strcmp(data, content) == 0;
		free(data);
	}
	return same;
}

int doc_errors(struct wire *k, const char *word)
{
	char *data = doc_text(k, "errors.log");
	int count = 0;
	for (const char *p = data; p && (p = strstr(p, word)); p++)
		count++;
	free(data);
	return count;
}

void doc_restart(struct world *w)
{
	struct fs_options o = { .owner = "ana" };
	wire_unmount(&w->a);
	wire_unmount(&w->b);
	fs_free(w->fs);
	MUST(fs_new(w->store, &o, &w->fs) == 0);
	wire_mount(&w->a, w->fs, false);
	wire_mount(&w->b, w->fs, false);
}

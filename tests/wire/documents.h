/* SPDX-License-Identifier: MIT */
/* Documents over the wire: the requests that tools make of saves, and what must then be there. */
#ifndef CINTA_WIRE_DOCUMENTS_H
#define CINTA_WIRE_DOCUMENTS_H

#include "tests/wire/world.h"

/* A file being written: what CREATE or OPEN gave. */
struct pen {
	struct wire *k;
	uint64_t ino, fh;
	uint32_t flags;
	int64_t at; /* where the next write goes */
};

int pen_create(struct pen *p, struct wire *k, uint64_t dir, const char *name);
int pen_open(struct pen *p, struct wire *k, uint64_t ino, uint32_t flags);
/* open(O_TRUNC) */
int pen_rewrite(struct pen *p, struct wire *k, uint64_t ino);
int pen_write(struct pen *p, const char *text);
int pen_cut(struct pen *p, uint64_t size); /* ftruncate */
int pen_flush(struct pen *p);
int pen_fsync(struct pen *p);
void pen_release(struct pen *p);
/* FLUSH, RELEASE; the error of the first. */
int pen_close(struct pen *p);

/* `echo text > dir/name` as a shell does it, with a FLUSH before the first WRITE. */
int doc_save(struct wire *k, const char *dir, const char *name, const char *text);
/* The bytes at a path; for the caller to free.  NULL: there is nothing. */
char *doc_text(struct wire *k, const char *path);
bool doc_is(struct wire *k, const char *path, const char *text);
/* Lines of path@log. */
int doc_versions(struct wire *k, const char *path);
int doc_rename(struct wire *k, const char *dir, const char *name, const char *to,
               const char *new_name, uint32_t flags);
int doc_unlink(struct wire *k, const char *dir, const char *name);
int doc_symlink(struct wire *k, const char *dir, const char *name, const char *target);
int doc_mknod(struct wire *k, const char *dir, const char *name, uint32_t mode);
/* True if the listing of a directory has that name. */
bool doc_listed(struct wire *k, const char *dir, const char *name);
/* How many files in rejected/ have exactly that content. */
int doc_rejected(struct wire *k, const char *content);
/* How often a word stands in errors.log. */
int doc_errors(struct wire *k, const char *word);
/* The fs ends and begins again on the same store. */
void doc_restart(struct world *w);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What goes into errors.log and rejected/, by all of fs: where secrets are looked for
 * (`-o secrets=`), no line and no name there repeats one.
 */
#ifndef CINTA_FS_TOLD_H
#define CINTA_FS_TOLD_H

#include <stddef.h>

#include "store/store.h"

struct fs;

enum { TOLD_TODO = 4608 };
/* A line's strings, each secret in them replaced by "[a GitHub token]"; `r` leads to them. */
struct told_text {
	struct refusal r;
	char path[4096], reason[512], todo[TOLD_TODO], name[NAME_LIMIT + 1];
};
/* A text (NULL: none), so written again, up to `size`; as it is where nobody looks for secrets. */
void told_hide(const struct fs *fs, const char *text, char *dst, size_t size);
/*
 * `name`: for rejected/, or NULL.  `offered`, or NULL: the bytes that it complains of and may quote
 * the beginning of.  What begins a secret there, or in the path, is one in the line as well.
 */
void told_make(const struct fs *fs, const struct refusal *r, const char *name,
               const char *offered, size_t len, struct told_text *out);
/* As store_tell() and store_refuse(), without secrets. */
void told_line(struct fs *fs, const struct refusal *r);
/* Of a text that it may quote a part of. */
void told_of(struct fs *fs, const struct refusal *r, const char *text, size_t len);
/*
 * " -d DB" of a command that is told, as a shell takes it: who types it means this memory, not the
 * default one.  Of a path for which `size` is too small: DB.
 */
void told_database(const struct fs *fs, char *dst, size_t size);
int told_refuse(struct fs *fs, const struct refusal *r, const char *name, const char *offered,
                size_t len, char kept[NAME_LIMIT + 1]);

#endif

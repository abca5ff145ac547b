/* SPDX-License-Identifier: MIT */
/* memories/top.md: which memories would be chosen, and why.  Part of the door (render.h): pure. */
#ifndef CINTA_RENDER_MEMORY_H
#define CINTA_RENDER_MEMORY_H

#include "render/format/plain.h"

enum { MEMORY_SHOWN = 200 }; /* most bytes of a summary or first line */

/* A memory with its score: parts and weights stand in the order in which they are named. */
enum { MEMORY_PARTS = 4 };
extern const char *const memory_part_names[MEMORY_PARTS];
struct memory_line {
	int rank;                  /* from 1 */
	const char *path;
	const char *summary;       /* "": none; then the first line of `text` */
	const char *text;          /* without front matter */
	size_t len;
	double score, weight[MEMORY_PARTS], part[MEMORY_PARTS];
	int64_t tokens, uses, used_us, made_us; /* used_us 0: never */
};

/* The page: a head, then a line each; `count` 0: there is none. */
void render_memories_head(struct buf *out, size_t count);
void render_memory_line(struct buf *out, const struct memory_line *m);

#endif

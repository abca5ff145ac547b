/* SPDX-License-Identifier: MIT */
/* memories/top.md: which memories would be chosen, and why.  Part of the door (render.h): pure. */
#ifndef CINTA_RENDER_MEMORY_H
#define CINTA_RENDER_MEMORY_H

#include "render/format/plain.h"
#include "store/entry.h"

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
	int64_t tokens, uses, used_us, made_us; /* used_us 0: never, or not known when */
};

/* memories/TYPE/KEY.md@score. */
struct memory_scored {
	const char *path, *type, *heir; /* heir "": none */
	enum life life;
	double score, weight[MEMORY_PARTS], part[MEMORY_PARTS];
	double rate, days;              /* a day; since it was used, or made */
	int64_t uses, most, used_us, made_us;
};
void render_memory_score(struct buf *out, const struct memory_scored *m);

/* The page: a head, then a line each; `count` 0: there is none. */
void render_memories_head(struct buf *out, size_t count);
void render_memory_line(struct buf *out, const struct memory_line *m);

/* "weight × recency + …", and an empty line: the end of a head. */
void render_memories_formula(struct buf *out);

/* memory_query.c: what memories/search/ is asked. */
enum { MEMORY_QUERY_HITS = 20, MEMORY_QUERY_OWNER = 128 };
struct memory_query {
	struct buf words;
	char owner[MEMORY_QUERY_OWNER + 1]; /* "": any */
	double min;                         /* least relevance, 0..1 */
	int limit;
};
/* RENDER_EINVAL with `why`: a filter's value is none; release the words in any case. */
int render_memory_query_in(const char *text, struct memory_query *out, struct why *why);
void render_memories_asked(struct buf *out, const struct memory_query *q, size_t count);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * memories/top.md: the memories that would be chosen, with the parts of their scores.  Who opens
 * it uses none of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"
#include "fs/context/context.h"

enum { TOP_MOST = 20 };

/* The lines come before their number is known. */
struct top {
	struct fs *fs;
	struct buf lines;
	int count, err;
};

static int add_memory(void *ctx, const struct memory_hit *h)
{
	struct top *t = ctx;
	char path[4 * NAME_LIMIT], *bytes = NULL;
	size_t size = 0;
	const struct scoring *w = h->by;
	const struct memory_score *s = &h->score;
	struct memory_line line = { .rank = t->count + 1, .path = path, .summary = h->summary,
		.text = "", .score = s->total, .tokens = h->tokens, .uses = h->uses,
		.used_us = h->used_us, .made_us = h->made_us,
		.weight = { w->recency, w->importance, w->relevance, w->frequency },
		.part = { s->recency, s->importance, s->relevance, s->frequency } };
	tree_path(t->fs, ino_make(KIND_DOC, h->id), NULL, path, sizeof path);
	if (!*h->summary) {
		int err = store_doc_content(t->fs->store, h->id, 0, &bytes, &size);
		if (err == STORE_EIO) {
			line.text = DAMAGED_TEXT;
			line.len = strlen(line.text);
			err = STORE_ENOENT;
		}
		if (!err)
			render_body_of(bytes, size, &line.text, &line.len);
		else if (err != STORE_ENOENT) /* else it has gone meanwhile */
			t->err = errno_of_store(err);
	}
	render_memory_line(&t->lines, &line);
	t->count++;
	free(bytes);
	return t->err != 0;
}

int page_memory_top(struct fs *fs, int64_t id, struct buf *out)
{
	struct top t = { .fs = fs, .lines = BUF_INIT };
	(void)id;
	int err = errno_of_store(store_search_memories(fs->store, NULL, NULL, TOP_MOST, 0,
	                                               store_time(fs->store), add_memory, &t));
	err = err ? err : t.err ? t.err : t.lines.failed ? -ENOMEM : 0;
	if (!err) {
		render_memories_head(out, (size_t)t.count);
		buf_add(out, t.lines.data, t.lines.len);
	}
	buf_release(&t.lines);
	return err;
}

/* SPDX-License-Identifier: MIT */
/*
 * memories/top.md: the memories that would be chosen, with the parts of their scores.  Who opens
 * it uses none of them.  memories/search/QUERY.md: those for some words; what is found is used.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"
#include "fs/memories/memories.h"
#include "fs/search/search.h"

enum { TOP_MOST = 20, SEARCHED_MOST = 100 };

/* The lines come before their number is known. */
struct top {
	struct fs *fs;
	struct buf lines;
	int count, err;
	int64_t id[SEARCHED_MOST]; /* of the documents */
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
	if (!client_sees(t->fs, path))
		return 0;
	if (!*h->summary) {
		int err = store_doc_content(t->fs->store, h->id, 0, &bytes, &size);
		if (err == STORE_EIO) {
			line.text = DAMAGED_TEXT "\n";
			line.len = strlen(line.text);
			err = STORE_ENOENT;
		}
		if (!err)
			render_body_of(bytes, size, &line.text, &line.len);
		else if (err != STORE_ENOENT) /* else it has gone meanwhile */
			t->err = errno_of_store(err);
	}
	render_memory_line(&t->lines, &line);
	t->id[t->count++] = h->id;
	free(bytes);
	return t->err != 0 || t->count == SEARCHED_MOST;
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

struct scored {
	struct fs *fs;
	struct buf *out;
};

static int add_score(void *ctx, const struct memory_hit *h)
{
	static const char *const types[MEMORY_TYPES] = { "preference", "decision", "fact", "entity",
		"temporal" };
	const struct scored *to = ctx;
	char path[4 * NAME_LIMIT], heir[4 * NAME_LIMIT] = "";
	const struct scoring *w = h->by;
	const struct memory_score *s = &h->score;
	tree_path(to->fs, ino_make(KIND_DOC, h->id), NULL, path, sizeof path);
	if (h->heir)
		tree_path(to->fs, ino_make(KIND_DOC, h->heir), NULL, heir, sizeof heir);
	const struct memory_scored m = { .path = path, .type = types[h->type], .heir = heir,
		.life = h->life, .score = s->total, .rate = w->decay[h->type], .days = h->days,
		.uses = h->uses, .most = h->most, .used_us = h->used_us, .made_us = h->made_us,
		.weight = { w->recency, w->importance, w->relevance, w->frequency },
		.part = { s->recency, s->importance, s->relevance, s->frequency } };
	render_memory_score(to->out, &m);
	return 1;
}

int page_memory_score(struct fs *fs, int64_t id, struct buf *out)
{
	struct scored to = { fs, out };
	return errno_of_store(store_memory_score(fs->store, id, store_time(fs->store), add_score, &to));
}

static int ask(struct top *t, const struct memory_query *q, struct buf *page)
{
	struct store *s = t->fs->store;
	int err = errno_of_store(store_search_memories(s, q->words.data ? q->words.data : "",
	                                               *q->owner ? q->owner : NULL, q->limit, q->min,
	                                               store_time(s), add_memory, t));
	err = err ? err : t->err ? t->err : t->lines.failed ? -ENOMEM : 0;
	if (err)
		return err;
	render_memories_asked(page, q, (size_t)t->count);
	buf_add(page, t->lines.data, t->lines.len);
	if (q->words.len > 0) /* a count that is lost is not worth an answer that is */
		(void)store_memory_accessed(s, t->id, (size_t)t->count, store_time(s));
	return page->failed ? -ENOMEM : 0;
}

static int make_memories(struct fs *fs, int64_t within, const char *text, struct found *out)
{
	struct top t = { .fs = fs, .lines = BUF_INIT };
	struct memory_query q;
	struct why why = { 0 };
	(void)within;
	int err = errno_of_render(render_memory_query_in(text, &q, &why));
	if (err == -EINVAL)
		render_no_query(&out->page, text, strlen(text), &why);
	if (!err)
		err = ask(&t, &q, &out->page);
	buf_release(&q.words);
	buf_release(&t.lines);
	return err;
}

int find_memories(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	(void)dir;
	return search_find_page(fs, SEARCH_FOR_MEMORIES, name, make_memories, ino);
}

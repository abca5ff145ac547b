/* SPDX-License-Identifier: MIT */
/*
 * The part Remembered of a context: the long-term memories for what is asked now, best score
 * first, as long as remembered_tokens last.  Of a memory stands its text; of a long one its
 * summary, else the passage that matches.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/context/page.h"

enum { MEMORIES_MOST = 20, MEMORY_TOKENS = 100 /* most of one */ };
#define RELEVANCE_LEAST 0.3 /* of the best one's: what is less was not meant */

struct remembering {
	struct context *c;
	struct terms terms;
	struct memory {
		int64_t id, time_us, tokens;
		char *summary;
	} items[MEMORIES_MOST];
	size_t count;
};

static int take_memory(void *ctx, const struct memory_hit *h)
{
	struct remembering *r = ctx;
	if (!tree_shows(r->c->fs, ino_make(KIND_DOC, h->id)))
		return 0;
	char *summary = strdup(h->summary);
	r->c->failed = r->c->failed || !summary;
	if (!summary)
		return 1;
	r->items[r->count++] = (struct memory){ h->id, h->saved_us, h->tokens, summary };
	return r->count == MEMORIES_MOST;
}

/* What of it is shown, of its text without front matter. */
static int choose_text(const struct remembering *r, const struct memory *m, const char *text,
                       size_t len, struct context_part *part)
{
	store_count_fn *count = r->c->fs->count_tokens;
	size_t from = 0, fit = strlen(m->summary);
	int64_t all = len > POLICY_TURN_BYTES ? m->tokens : count(text, len);
	part->text = m->summary;
	if (all <= MEMORY_TOKENS || fit == 0) {
		part->text = text;
		int err = render_passage(text, len, &r->terms, MEMORY_TOKENS, count, &from, &fit);
		if (err)
			return errno_of_render(err);
	} else {
		fit = render_fit(m->summary, fit, MEMORY_TOKENS, count);
	}
	part->text += from;
	part->len = fit;
	part->within = from > 0;
	int64_t shown = count(part->text, fit);
	part->left = part->text == text && fit == len ? 0 : all > shown ? all - shown : 1;
	return 0;
}

/* *left: of remembered_tokens; one that is too long leaves its place to those behind it. */
static int add_memory(struct remembering *r, const struct memory *m, int64_t *left)
{
	struct context *c = r->c;
	char path[PATH_LIMIT + 1], *bytes = NULL;
	const char *text;
	size_t size = 0, len;
	int err = store_doc_content(c->fs->store, m->id, 0, &bytes, &size);
	if (err) /* gone meanwhile, or damaged: then it has nothing to say */
		return err == STORE_ENOENT || err == STORE_EIO ? 0 : errno_of_store(err);
	render_body_of(bytes, size, &text, &len);
	tree_path(c->fs, ino_make(KIND_DOC, m->id), NULL, path, sizeof path);
	struct context_part part = { .kind = CONTEXT_MEMORY, .title = path, .where = path,
		.time_us = m->time_us, .role = "" };
	err = choose_text(r, m, text, len, &part);
	if (!err && part.len > 0) {
		int64_t tokens = part_tokens(c, &part);
		if (tokens <= *left && context_add_counted(c, &part, tokens, PART_MEMORY, 0, m->id))
			*left -= tokens;
	}
	free(bytes);
	return err;
}

static int remember(struct remembering *r, const struct buf *words)
{
	struct context *c = r->c;
	struct query asked = { .words = *words };
	int64_t left = c->policy.remembered_tokens;
	int err = errno_of_render(render_terms(&r->terms, &asked, store_search_asked,
	                                       store_search_tokens, store_search_is_common));
	if (!err)
		err = errno_of_store(store_search_memories(c->fs->store, words->data, NULL, MEMORIES_MOST,
		                                           RELEVANCE_LEAST, store_time(c->fs->store),
		                                           take_memory, r));
	for (size_t i = 0; !err && i < r->count; i++)
		err = add_memory(r, &r->items[i], &left);
	return err;
}

int context_memories(struct context *c)
{
	struct remembering r = { .c = c };
	struct buf words = BUF_INIT;
	size_t newest;
	int err = 0;
	if (c->policy.remembered_tokens > 0)
		(void)context_asked(c, ASKED_FEW, &words, &newest);
	if (words.failed)
		err = -ENOMEM;
	else if (words.len > 0)
		err = remember(&r, &words);
	c->left.unsearched = err && err != -ENOMEM;
	for (size_t i = 0; i < r.count; i++)
		free(r.items[i].summary);
	terms_release(&r.terms);
	buf_release(&words);
	return err == -ENOMEM ? err : 0;
}

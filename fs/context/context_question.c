/* SPDX-License-Identifier: MIT */
/*
 * context/QUESTION.md: what to read before answering a question, when there is no
 * conversation: instructions, state, facts of what it is about, and what is found for it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/context/page.h"
#include "fs/search/search.h"

enum { USED_MOST = 64 };

/* Memories that stand in the page were used. */
static void note_used(const struct context *c)
{
	int64_t id[USED_MOST];
	size_t n = 0;
	for (size_t i = 0; i < c->count && n < USED_MOST; i++)
		if (c->piece[i].part.kind == CONTEXT_HIT && c->piece[i].doc && !c->piece[i].out)
			id[n++] = c->piece[i].doc;
	/* A count that is lost is not worth a page that is. */
	(void)store_memory_accessed(c->fs->store, id, n, store_time(c->fs->store));
}

/* The question stands for the conversation: facts are chosen by what it is about. */
static int begin(struct context *c, struct fs *fs, const char *question)
{
	memset(c, 0, sizeof *c);
	c->fs = fs;
	c->of = question;
	c->left.session = "";
	struct looked *t = &c->turn[0];
	*t = (struct looked){ .seq = -1, .role = "user", .text = strdup(question),
		.len = strlen(question), .whole = true };
	if (!t->text)
		return -ENOMEM;
	c->turns = 1;
	return fs_policy(fs, &c->policy);
}

static int make(struct context *c, struct fs *fs, const char *question, struct buf *out)
{
	int err = begin(c, fs, question);
	if (!err)
		err = context_blocks(c);
	if (!err)
		err = context_sections(c);
	if (!err)
		err = context_facts(c);
	if (!err)
		err = context_found(c, INT64_MAX);
	if (!err)
		context_fit(c, out);
	if (!err)
		note_used(c);
	return !err && (c->failed || out->failed) ? -ENOMEM : err;
}

static int make_question(struct fs *fs, int64_t within, const char *question, struct found *out)
{
	struct context *c = malloc(sizeof *c);
	(void)within;
	if (!c)
		return -ENOMEM;
	int err = make(c, fs, question, &out->page);
	context_release(c);
	free(c);
	return err;
}

int find_question(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	(void)dir;
	return search_find_page(fs, SEARCH_FOR_CONTEXT, name, make_question, ino);
}

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

/* The question stands for the conversation: facts are chosen by what it is about. */
static int begin(struct context *c, const char *question)
{
	struct looked *t = &c->turn[0];
	*t = (struct looked){ .seq = -1, .role = "user", .text = strdup(question),
		.len = strlen(question), .whole = true };
	if (!t->text)
		return -ENOMEM;
	c->turns = 1;
	return context_start_for(c, question);
}

static int make(struct context *c, const char *question, struct buf *out)
{
	int err = begin(c, question);
	if (!err)
		err = context_blocks(c);
	if (!err)
		err = context_sections(c);
	if (!err)
		err = context_facts(c);
	if (!err)
		err = context_memories(c);
	if (!err)
		err = context_found(c, INT64_MAX);
	if (!err)
		err = context_fit(c, out);
	if (!err) {
		struct context_used used;
		context_used(c, &used); /* a count that is lost is not worth a page that is */
		(void)store_memory_accessed(c->fs->store, used.doc, used.count, store_time(c->fs->store));
	}
	return err;
}

static int make_question(struct fs *fs, int64_t within, const char *question, struct found *out)
{
	struct context *c = context_new(fs);
	(void)within;
	int err = c ? make(c, question, &out->page) : -ENOMEM;
	context_free(c);
	return err;
}

int find_question(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	(void)dir;
	return search_find_page(fs, SEARCH_FOR_CONTEXT, name, make_question, ino);
}

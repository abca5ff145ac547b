/* SPDX-License-Identifier: MIT */
/*
 * answers/QUESTION.md: answers kept for a day, those of tools (answers/tools/) for an
 * hour.  An answer is a document; its name is its question's key, so that one question
 * has one name however it is spelled, and only a current one is found:
 *
 *   name asked for ──► key ──► a document, saved less than a day ago ──► that
 *                       └────► a question much like it (answers/ only; by its words or by
 *                               the embedding model, meaning.h) ──► retrieved:
 *                               a page of a document's version, after a line that says so
 *
 * What is retrieved stands under the name that was asked for, and saving it makes an
 * answer of that name.  So it has a number that leads to name, document and version; of
 * RETRIEVED_MOST, the oldest is given again.
 *
 * All functions want fs->docs locked, unless they say otherwise.
 */
#ifndef CINTA_ANSWERS_H
#define CINTA_ANSWERS_H

#include "fs/documents/documents.h"

enum {
	RETRIEVED_MOST = 1024,
	ANSWERS_LISTED = 1000,  /* the newest */
	ANSWERS_COMPARED = 300  /* the newest, with a question that has none: 50 us each */
};

int answers_start(struct fs *fs, const struct fs_options *o);
void answers_stop(struct fs *fs);

/* True if this directory is one of answers. */
static inline bool is_answers(uint64_t dir)
{
	return ino_kind(dir) == KIND_ANSWERS || ino_kind(dir) == KIND_ANSWER_TOOLS;
}

/*
 * Before such a question is looked for: its vector is asked of the embedding model, if there is
 * one, so that it is compared by meaning, too.  Without fs->docs: it may take a while.
 */
void answers_prepare(struct fs *fs, uint64_t dir, const char *name);
/* 0 if an answer of this name may be kept; else -EINVAL or -ENAMETOOLONG, and why. */
int answers_check(const struct place *p, const char *name, struct why *why);
/* The name under which the newest version of `d` was asked for. */
void answers_asked(struct fs *fs, const struct doc *d, char name[NAME_LIMIT + 1]);
/* An inode of KIND_RETRIEVED was saved as that document. */
void answers_saved(struct fs *fs, uint64_t ino, int64_t doc);
/* Some may be over: their directories are listed anew.  For each tick of tidy.c. */
struct job;
void answers_tick(struct fs *fs, struct job *job);
on_saved_fn answers_on_saved;

/* For the tree's table, and its names; these lock. */
node_page_fn page_retrieved;
node_find_fn find_answer;
node_next_fn next_answer;
node_changed_fn changed_retrieved;
node_name_fn retrieved_name;
node_find_at_fn find_answer_at;
node_next_at_fn next_answer_at;

#endif

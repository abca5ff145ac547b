/* SPDX-License-Identifier: MIT */
/*
 * search/QUERY.md and search/QUERY/, and the same within a session; context/QUESTION.md.
 *
 * A page's or link's inode is an answer: when the same query is answered otherwise, it gets
 * another inode.  So sizes, open files and links never change under a reader, and only names
 * have to be looked up each time.  A directory's inode is the query as long as somebody lists
 * it: a listing that begins is the answer of then, and the links it told are found for some
 * seconds without asking again.  The newest answers are kept, up to SEARCHES_MOST and
 * SEARCHES_BYTES; one that is older is -ESTALE, and the kernel then looks its name up again.
 */
#ifndef CINTA_FS_SEARCH_H
#define CINTA_FS_SEARCH_H

#include "fs/tree/tree.h"

enum { SEARCHES_MOST = 256, SEARCHES_BYTES = 32 << 20, SEARCH_AGE_MS = 1000 };
enum { RANK_BITS = 10 }; /* a link's id: the answer's, then its rank */
_Static_assert((int)QUERY_HITS_MOST < 1 << RANK_BITS, "a rank must fit");

struct searches;
int searches_start(struct fs *fs, const struct fs_options *o);
void searches_stop(struct fs *fs);
/* Lets go of all answers: their inodes are ESTALE from then on. */
void searches_forget(struct fs *fs);

/* `within`: it is a context, memories, or a page of the site that is asked for. */
enum { SEARCH_FOR_CONTEXT = -1, SEARCH_FOR_MEMORIES = -2, SEARCH_FOR_SITE = -3 };

/* The answer to a query: its page, and where its hits are. */
struct found {
	struct buf page;
	char **path;   /* of each hit, below the mount point */
	char **name;   /* of its link, without the rank */
	size_t count;
	bool by_words; /* the embedding endpoint had no vector of the question */
	bool partly;   /* the index is being made: it is no answer to be kept */
};
/* Told of each hit, the best first; the strings live for the call. */
typedef void found_hit_fn(void *ctx, const struct result *r);
/*
 * Asks the store.  `within` is a session, 0, or SEARCH_FOR_SITE.  A query that is none has a page
 * that says so, and -EINVAL is returned with `why`; any other error is one of the store.  Release
 * in every case.  `each` (may be NULL: then the page has them) is told of the hits.
 */
int found_make(struct fs *fs, int64_t within, const char *text, size_t len, found_hit_fn *each,
               void *ctx, struct found *out, struct why *why);
void found_release(struct found *f);
/* Where a hit is, below the mount point; -ENOENT: the mount that asks does not show it. */
int found_path(struct fs *fs, const struct search_hit *h, char *path, size_t size);

/* Makes the answer to a question: its page at least.  -EINVAL with a page: the page says why. */
typedef int search_make_fn(struct fs *fs, int64_t within, const char *text, struct found *out);
/* TEXT.md: the inode of the answer; -ENOENT: another name. */
int search_find_page(struct fs *fs, int64_t within, const char *name, search_make_fn *make,
                     uint64_t *ino);

/* For the tree's table. */
node_page_fn page_search, page_unasked, link_hit, page_by_hash;
node_find_fn find_search, find_hit, find_by_hash;
node_next_fn next_hit;
node_changed_fn changed_search, changed_hits, changed_hit;
node_name_fn searches_name, by_hash_name;
node_parent_fn searches_parent;

/*
 * ask.c: an open search/query.  What is written is the question, as long as it is
 * written; the first read answers it, from its beginning, wherever the descriptor
 * stands; the next write begins another question.
 */
struct ask;
bool is_ask(uint64_t ino);
struct ask *ask_new(uint64_t ino);
void ask_free(struct ask *a);
/* The answer may hold what was redacted: who reads on is answered anew.  Takes no lock it must wait
 * for, so that it may be called with any held. */
void ask_forget(struct ask *a);
/* -EFBIG with `why`, -ENOMEM; nothing of the bytes is taken then. */
int ask_write(struct ask *a, const char *data, size_t size, struct why *why);
/* The bytes at an offset of the descriptor, appended to `out`. */
int ask_read(struct fs *fs, struct ask *a, size_t size, int64_t off, struct buf *out);

#endif

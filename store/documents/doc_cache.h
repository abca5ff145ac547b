/* SPDX-License-Identifier: MIT */
/*
 * Documents looked up or saved lately.  One save asks for its document five times over and for
 * its text once, each time in a read transaction, the first after a commit with a cold cache.
 *
 * A row is kept with the number of entries on the tape at which it is right, and handed out
 * while there are that many:
 *   1. Who reads it counts the entries before: what comes meanwhile makes it old.
 *   2. The views count it on (doc_cache_advance) before they see what an entry does, and then put
 *      the row of a new version in its place.  A late reader's row has an earlier number.
 *   3. What makes, moves or retires anything makes them forget all.
 *   4. When a transaction is rolled back its numbers are given to other entries: all is forgotten.
 * A version's text never changes; it goes when anything is redacted.  What another process has
 * appended is seen as soon as the store takes notice of it, as everywhere (docs/guarantees.md).
 */
#ifndef CINTA_DOC_CACHE_H
#define CINTA_DOC_CACHE_H

#include <pthread.h>

#include "store/documents.h"
#include "store/lock.h"

enum { DOC_CACHE_SLOTS = 16, DOC_CACHE_DIRS = 4, DOC_CACHE_TEXTS = 4 };
enum { DOC_CACHE_TEXT_MOST = 1 << 16 };

struct doc_cache {
	struct lock lock;
	/* All below is guarded by lock. */
	struct doc_cache_slot {
		int64_t entries; /* 0: empty */
		int64_t id;      /* asked for by this; 0: by parent and name */
		int err;         /* 0 or STORE_ENOENT */
		struct doc doc;  /* of what is not there, the parent and name that were asked for */
	} slot[DOC_CACHE_SLOTS];
	struct doc_cache_dir {
		int64_t entries, changed_us;
		char parent[DOC_KEY_MAX + 1];
	} dir[DOC_CACHE_DIRS];
	struct doc_cache_text {
		int64_t doc, n; /* version n; doc 0: empty */
		char *bytes;    /* ours */
		size_t len;
	} text[DOC_CACHE_TEXTS];
	unsigned turn;
};

void doc_cache_init(struct doc_cache *l);
void doc_cache_release(struct doc_cache *l);
/* True: *err and, if that is 0, *out are the answer.  `out` may be NULL. */
bool doc_cache_by_id(struct doc_cache *l, int64_t entries, int64_t id, struct doc *out, int *err);
bool doc_cache_by_name(struct doc_cache *l, int64_t entries, const char *parent, const char *name,
                    struct doc *out, int *err);
/* What a look at the views found (`err` 0 or STORE_ENOENT, `d` with what was asked for). */
void doc_cache_keep_id(struct doc_cache *l, int64_t entries, const struct doc *d, int err);
void doc_cache_keep_name(struct doc_cache *l, int64_t entries, const struct doc *d, int err);

/* The same of the time at which a directory's names changed last. */
bool doc_cache_dir(struct doc_cache *l, int64_t entries, const char *parent, int64_t *changed_us);
void doc_cache_keep_dir(struct doc_cache *l, int64_t entries, const char *parent,
                        int64_t changed_us);
/* Entry `seq` comes: what was right before it is right after it, unless it is put anew. */
void doc_cache_advance(struct doc_cache *l, int64_t seq);

/* The bytes of a version; true: a copy for the caller to free, with a NUL behind it. */
bool doc_cache_text(struct doc_cache *l, int64_t doc, int64_t n, char **bytes, size_t *len);
/* Longer ones than DOC_CACHE_TEXT_MOST are not kept. */
void doc_cache_keep_text(struct doc_cache *l, int64_t doc, int64_t n, const char *bytes,
                         size_t len);
void doc_cache_forget(struct doc_cache *l);

#endif

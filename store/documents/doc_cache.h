/* SPDX-License-Identifier: MIT */
/*
 * Documents looked up or saved lately.  One save asks for its document five times over and for
 * its text once, each time in a read transaction, the first after a commit with a cold cache.
 *
 * A row is kept with the number of entries on the tape at which it is right, and handed out
 * while there are that many:
 *   1. Who reads it counts the entries before: what comes meanwhile makes it old.
 *   2. The views count it on (lately_advance) before they see what an entry does, and then put
 *      the row of a new version in its place.  A late reader's row has an earlier number.
 *   3. What makes, moves or retires anything makes them forget all.
 *   4. When a transaction is rolled back its numbers are given to other entries: all is forgotten.
 * A version's text never changes; it goes when anything is redacted.  What another process has
 * appended is seen as soon as the store takes notice of it, as everywhere (docs/guarantees.md).
 */
#ifndef CINTA_DOC_LATELY_H
#define CINTA_DOC_LATELY_H

#include <pthread.h>

#include "store/documents.h"
#include "store/lock.h"

enum { LATELY_SLOTS = 16, LATELY_DIRS = 4, LATELY_TEXTS = 4, LATELY_TEXT_MOST = 1 << 16 };

struct doc_lately {
	struct lock lock;
	/* All below is guarded by lock. */
	struct lately_slot {
		int64_t entries; /* 0: empty */
		int64_t id;      /* asked for by this; 0: by parent and name */
		int err;         /* 0 or STORE_ENOENT */
		struct doc doc;  /* of what is not there, the parent and name that were asked for */
	} slot[LATELY_SLOTS];
	struct lately_dir {
		int64_t entries, changed_us;
		char parent[DOC_KEY_MAX + 1];
	} dir[LATELY_DIRS];
	struct lately_text {
		int64_t doc, n; /* version n; doc 0: empty */
		char *bytes;    /* ours */
		size_t len;
	} text[LATELY_TEXTS];
	unsigned turn;
};

void lately_init(struct doc_lately *l);
void lately_release(struct doc_lately *l);
/* True: *err and, if that is 0, *out are the answer.  `out` may be NULL. */
bool lately_by_id(struct doc_lately *l, int64_t entries, int64_t id, struct doc *out, int *err);
bool lately_by_name(struct doc_lately *l, int64_t entries, const char *parent, const char *name,
                    struct doc *out, int *err);
/* What a look at the views found (`err` 0 or STORE_ENOENT, `d` with what was asked for). */
void lately_keep_id(struct doc_lately *l, int64_t entries, const struct doc *d, int err);
void lately_keep_name(struct doc_lately *l, int64_t entries, const struct doc *d, int err);

/* The same of the time at which a directory's names changed last. */
bool lately_dir(struct doc_lately *l, int64_t entries, const char *parent, int64_t *changed_us);
void lately_keep_dir(struct doc_lately *l, int64_t entries, const char *parent, int64_t changed_us);
/* Entry `seq` comes: what was right before it is right after it, unless it is put anew. */
void lately_advance(struct doc_lately *l, int64_t seq);

/* The bytes of a version; true: a copy for the caller to free, with a NUL behind it. */
bool lately_text(struct doc_lately *l, int64_t doc, int64_t n, char **bytes, size_t *len);
/* Longer ones than LATELY_TEXT_MOST are not kept. */
void lately_keep_text(struct doc_lately *l, int64_t doc, int64_t n, const char *bytes, size_t len);
void lately_forget(struct doc_lately *l);

#endif

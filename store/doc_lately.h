/* SPDX-License-Identifier: MIT */
/*
 * Documents looked up or saved lately.  One save asks for its document five times over and for
 * its text once, each time in a read transaction, the first after a commit with a cold cache.
 *
 * A row is kept with the number of entries on the tape at which it is right, and handed out
 * while there are that many: entries before it was read, or, when the views make it, the entry
 * that does.  A version's text never changes; it goes when anything is redacted.  What another
 * process has appended is seen as soon as the store takes notice of it, as everywhere
 * (docs/guarantees.md).  When a transaction is rolled back its numbers are given to other
 * entries: then lately_forget().
 */
#ifndef CINTA_DOC_LATELY_H
#define CINTA_DOC_LATELY_H

#include <pthread.h>

#include "store/doc.h"

enum { LATELY_SLOTS = 16, LATELY_TEXTS = 4, LATELY_TEXT_MOST = 1 << 16 };

struct doc_lately {
	pthread_mutex_t lock; /* all below; no other is taken under it */
	struct lately_slot {
		int64_t entries; /* 0: empty */
		int64_t id;      /* asked for by this; 0: by parent and name */
		int err;         /* 0 or STORE_ENOENT */
		struct doc doc;  /* of what is not there, the parent and name that were asked for */
	} slot[LATELY_SLOTS];
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

/* The bytes of a version; true: a copy for the caller to free, with a NUL behind it. */
bool lately_text(struct doc_lately *l, int64_t doc, int64_t n, char **bytes, size_t *len);
/* Longer ones than LATELY_TEXT_MOST are not kept. */
void lately_keep_text(struct doc_lately *l, int64_t doc, int64_t n, const char *bytes, size_t len);
void lately_forget(struct doc_lately *l);

#endif

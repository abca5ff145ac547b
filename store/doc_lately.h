/* SPDX-License-Identifier: MIT */
/*
 * Documents looked up lately.  One save asks for its document five times over, and each time
 * costs a read transaction; a row holds for as long as nothing is appended.
 *
 * A row is kept with the number of entries there were, and the views had seen, before it was
 * read; it is handed out while there are that many.  What another process has appended is seen
 * as soon as the store takes notice of it, as everywhere (docs/guarantees.md).
 */
#ifndef CINTA_DOC_LATELY_H
#define CINTA_DOC_LATELY_H

#include <pthread.h>

#include "store/doc.h"

enum { LATELY_SLOTS = 16 };

struct doc_lately {
	pthread_mutex_t lock; /* taken alone */
	struct lately_slot {
		int64_t entries; /* 0: empty */
		int64_t id;      /* asked for by this; 0: by parent and name */
		int err;         /* 0 or STORE_ENOENT */
		struct doc doc;  /* of what is not there, the parent and name that were asked for */
	} slot[LATELY_SLOTS];
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

#endif

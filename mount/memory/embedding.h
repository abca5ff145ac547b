/* SPDX-License-Identifier: MIT */
/*
 * The words -o embedding, embedding_model and embedding_dims, and the key in the
 * environment: what mount, search and doctor share.
 */
#ifndef CINTA_MOUNT_EMBEDDING_H
#define CINTA_MOUNT_EMBEDDING_H

#include "fs/fs.h"
#include "mount/words/words.h"

/*
 * Checks the words and puts them into `out`, whose strings stay those of `o`.  EXIT_FINE, or
 * EXIT_USAGE or EXIT_FAULT after complaining.
 */
int embedding_options(const char *verb, const struct options *o, struct fs_options *out);
/*
 * Takes CINTA_EMBEDDING_KEY out of the environment, so that neither ps(1) nor a program we
 * start sees it.  Before there are threads.  For the caller to free; NULL: there is none.
 */
char *embedding_key(void);

#endif

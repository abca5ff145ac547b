/* SPDX-License-Identifier: MIT */
/*
 * The door of fs/meaning.
 *
 * How alike two texts are to the embedding model (embedder.h), where one is configured and its
 * vectors are here; asked by contexts (do turns belong together?) and by answers (do two
 * questions ask the same?).  Where they are not, both go by words as without a model.
 *
 * What its cosines mean is measured once a mount, by the first turns of the memory.  Any thread.
 */
#ifndef CINTA_MEANING_H
#define CINTA_MEANING_H

#include <stdbool.h>

#include "fs/meaning/embedder.h"
#include "store/lock.h"
#include "store/store.h"

struct fs;
struct fs_options;

int meanings_start(struct fs *fs, const struct fs_options *o);
void meanings_stop(struct fs *fs);

/* False: no model, or too few vectors to say what its cosines mean. */
bool meaning_calibration(struct fs *fs, struct vector_model *model, struct model_calibration *out);
/* The vector of a text, to be freed; NULL: there is none, or no memory. */
float *meaning_of(struct fs *fs, const struct vector_model *model, const char *text, size_t len);

#endif

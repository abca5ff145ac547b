/* SPDX-License-Identifier: MIT */
/*
 * Two versions of an algorithm, compared: algorithms.c chooses them and writes what came out,
 * compare.c asks both the same.
 */
#ifndef CINTA_FS_COMPARE_H
#define CINTA_FS_COMPARE_H

#include "fs/tree/tree.h"

struct compared {
	int64_t doc;                  /* 0: the numbers in use, of no version of this code */
	char version[NAME_LIMIT + 1]; /* "1.0.0" */
	char status[16];
	struct scoring by;
};

/* All that is measured is put into `out`; what it points at lives as long as `in`. */
struct measured;
int compare_run(struct fs *fs, const struct compared side[2], struct asked_questions *asked,
                struct comparison *out, struct measured **in, struct why *why);
void measured_free(struct measured *m);

#endif

/* SPDX-License-Identifier: MIT */
/* The door of fs/learn: threads that work when nobody asks. */
#ifndef CINTA_FS_LEARN_H
#define CINTA_FS_LEARN_H

#include "fs/learn/summarizer.h"

/* tidy.c: what time does to scratch files and hidden documents; -ENOMEM or -EAGAIN. */
int tidy_start(struct fs *fs, const struct fs_options *o);
void tidy_stop(struct fs *fs);

#endif

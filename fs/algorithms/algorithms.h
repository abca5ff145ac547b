/* SPDX-License-Identifier: MIT */
/* The door of fs/algorithms: versions of algorithms, compared. */
#ifndef CINTA_FS_ALGORITHMS_H
#define CINTA_FS_ALGORITHMS_H

#include "fs/fs.h"
#include "render/format/buf.h"

/* As fs_algorithms_compare() says; the page is appended to `page`, also when writing failed. */
int algorithms_compare(struct fs *fs, const struct fs_compare *what, struct buf *page,
                       struct why *why);

#endif

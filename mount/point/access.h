/* SPDX-License-Identifier: MIT */
/*
 * Who may use a mount beside who mounts it: allow_other, group=, uid= and umask= of -o, checked
 * and turned into numbers.  Called by cmd_mount.c.
 */
#ifndef CINTA_ACCESS_H
#define CINTA_ACCESS_H

#include "fs/fs.h"
#include "mount/words/words.h"

/* 0, or -EINVAL (no such word) or -EPERM (root's to give) with `why` filled. */
int access_options(const struct options *o, struct fs_access *out, struct why *why);

#endif

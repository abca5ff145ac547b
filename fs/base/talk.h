/* SPDX-License-Identifier: MIT */
/*
 * Which agent writes, and in which of its conversations: agents leave both in the environment of
 * the programs they start.  A claim, as the author is: anybody may set a variable.
 */
#ifndef CINTA_TALK_H
#define CINTA_TALK_H

#include <sys/types.h>

#include "store/entry.h"

struct fs;
struct fs_options;
struct process;

int talks_start(struct fs *fs, const struct fs_options *o);
void talks_stop(struct fs *fs);
/*
 * What the environment says that this process was started with; both "" where it says nothing, or
 * may not be read.  It is read once a process.
 */
void talk_of(struct fs *fs, const struct process *process, struct talk *out);
/* The same of an environment's bytes: NAME=VALUE, each ended by a NUL.  Pure. */
void talk_read(const char *environment, size_t len, struct talk *out);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Which logs and transcripts grow just now, and which documents are being saved.  Called by what
 * appends and saves, by the notifier, and by who tells sizes or opens a file.  In a mount that
 * writes,
 *
 *   a log somebody has open for appending has attributes without a timeout.  After a
 *     WRITE the kernel first moves its size by the writer's bytes, which are fewer than
 *     ours, and only then drops the attributes; who asks in between would be told a size
 *     inside a line.  Without attributes to trust the kernel always asks us.
 *   what has grown within GROWING_MS, or was opened for appending, is read directly.  The kernel
 *     looks up a page, then the size, then copies: an invalidation and a larger size between the
 *     two (some 1 in 500,000 reads on a busy machine) make it copy NUL bytes from behind the old
 *     end.  And a size that a WRITE overtakes is dropped: a read then ends at that inside a line,
 *     4 of 100 times where four writers began just then.
 *   a document that is open for writing, or was within GROWING_MS, is read directly (kcache.h): its
 *     next version may be here before the kernel was told of it.
 *
 * A slot is shared by files whose ids are equal modulo GROWING_SLOTS; that costs a request.
 */
#ifndef CINTA_FS_HOT_H
#define CINTA_FS_HOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "fs/base/base.h"

struct fs;

enum { GROWING_LOGS = 4, GROWING_DOCUMENTS = GROWING_LOGS, GROWING_KINDS, GROWING_SLOTS = 1024,
	GROWING_MS = 2000 };

struct growing_logs {
	struct growing_slot {
		_Atomic int64_t grew; /* when last, milliseconds of now_ms(); 0: never */
		_Atomic int64_t opened; /* the same of the last handle that writes */
		_Atomic int writers;  /* handles open for writing */
	} items[GROWING_KINDS][GROWING_SLOTS]; /* by enum log_kind and id */
};

/* It grows, or is about to.  Other kinds of files are not looked at. */
void growing_note(struct fs *fs, uint64_t ino);
/* True if it has grown within GROWING_MS. */
bool growing_is(struct fs *fs, uint64_t ino);
/* The same, or if it was opened for that: who opens it is to read it directly. */
bool growing_is_direct(struct fs *fs, uint64_t ino);
/* A handle that writes, opened and closed. */
void growing_opened(struct fs *fs, uint64_t ino);
void growing_closed(struct fs *fs, uint64_t ino);
/* One was about to be: who opens it is to read it directly, as after the two. */
void growing_touched(struct fs *fs, uint64_t ino);
/* True if it is open for writing. */
bool growing_is_open(struct fs *fs, uint64_t ino);

#endif

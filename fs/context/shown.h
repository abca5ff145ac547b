/* SPDX-License-Identifier: MIT */
/*
 * Whom a context was shown to.  Opening a session's context.md notes what it showed;
 * the session's next message of the assistant takes that as its `context` references,
 * unless it says its own.  What nobody answers leaves no trace: a crawler's open is
 * followed by the one that counts, or by nothing.
 */
#ifndef CINTA_FS_SHOWN_H
#define CINTA_FS_SHOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "render/format/plain.h"
#include "store/lock.h"

struct fs;
struct fs_options;

/* What a page depends on: the tape, the clock (facts age), refusals. */
struct shown_now {
	int64_t tape_bytes, minute, refusals;
};

/* What is hidden in a session since its last operation. */
struct shown_hidden {
	int64_t session, last_seq; /* session 0: not known */
	int64_t tokens, summaries; /* of messages that are not active; of the summaries */
};

int shown_start(struct fs *fs, const struct fs_options *o);
void shown_stop(struct fs *fs);
/* Lets go of the page that was made last, and of what it depended on. */
void shown_forget(struct fs *fs);
/* Takes over the bytes of `refs`. */
void shown_put(struct fs *fs, int64_t session, struct buf *refs);
/* Moves what was shown and not answered yet into `out`, which is empty: to one caller. */
void shown_take(struct fs *fs, int64_t session, struct buf *out);
/* It was not answered after all; what was shown meanwhile is newer and stays.  Empties `refs`. */
void shown_give_back(struct fs *fs, int64_t session, struct buf *refs);

/* Appends the page of a session, if nothing has changed since it was kept. */
bool shown_page(struct fs *fs, int64_t session, struct buf *page, struct buf *refs);
/* `now`: as it was before the page was made. */
void shown_keep_page(struct fs *fs, int64_t session, const struct shown_now *now,
                     const struct buf *page, const struct buf *refs);
/* Tokens hidden in a session, if they are known for its last operation. */
bool shown_hidden(struct fs *fs, int64_t session, int64_t last_seq, struct shown_hidden *out);
void shown_keep_hidden(struct fs *fs, const struct shown_hidden *hidden);
void shown_look(struct fs *fs, struct shown_now *out);

#endif

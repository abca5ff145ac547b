/* SPDX-License-Identifier: MIT */
/*
 * Exposure: what a context showed.  Opening a session's context.md notes what it showed;
 * the session's next message of the assistant takes that as its `context` references,
 * unless it says its own.  What nobody answers leaves no trace: a crawler's open is
 * followed by the one that counts, or by nothing.
 */
#ifndef CINTA_EXPOSURE_H
#define CINTA_EXPOSURE_H

#include <stdint.h>

#include "render/format/plain.h"

struct fs;
struct fs_options;

int exposure_start(struct fs *fs, const struct fs_options *o);
void exposure_stop(struct fs *fs);
/* After a redaction: no reference is taken from a page that was opened before it. */
void exposure_forget(struct fs *fs);
/* Takes over the bytes of `refs`, a JSON array of references. */
void exposure_put(struct fs *fs, int64_t session, struct buf *refs);
/* Moves what was shown and not answered yet into `out`, which is empty: to one caller. */
void exposure_take(struct fs *fs, int64_t session, struct buf *out);
/* It was not answered after all; what was shown meanwhile is newer and stays.  Empties `refs`. */
void exposure_give_back(struct fs *fs, int64_t session, struct buf *refs);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What session.md gives to the messages of its session, kept ready for the append
 * path: a look into the store only after some session.md was saved.
 */
#ifndef CINTA_DEFAULTS_H
#define CINTA_DEFAULTS_H

#include "fs/documents/documents.h"
#include "store/lock.h"

int session_defaults_start(struct fs *fs, const struct fs_options *o);
void session_defaults_stop(struct fs *fs);
/* Lets go of what was read. */
void session_defaults_forget(struct fs *fs);
on_saved_fn session_defaults_on_saved;
/* Appends the members of a session's messages, a JSON object, or nothing. */
void session_defaults_of(struct fs *fs, int64_t session, struct buf *out);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Secrets in what is written (render_secrets()): told in errors.log, or refused, as the mount was
 * asked (`-o secrets=`).  No function here repeats one.
 */
#ifndef CINTA_FS_SECRETS_H
#define CINTA_FS_SECRETS_H

#include "fs/documents/documents.h"

/* -EINVAL, with words, where secrets are refused and this text holds one; else 0. */
int secrets_refuse(const struct fs *fs, const char *bytes, size_t len, struct why *why);
/*
 * The same of a name that something new, or moved, is to have on the tape, in `p` or, NULL, as a
 * session; what has that name keeps it.
 */
int secrets_refuse_name(struct fs *fs, const struct place *p, const char *name, struct why *why);
/*
 * Where secrets are told: a line in errors.log for such a name that is stored now.  True if there
 * was one to tell.
 */
bool secrets_tell_name(struct fs *fs, const char *op, uint64_t dir, const char *name,
                       const char *author);
/*
 * Where secrets are told: a line in errors.log for a text that is stored now and holds some, with
 * `redact`, what `cinta redact` would be given for it.  True if there was one to tell.
 */
bool secrets_tell(struct fs *fs, const char *path, const char *author, const char *bytes,
                  size_t len, const char *redact);
/* The same for a document, a list or a summary that was saved. */
void secrets_tell_saved(struct fs *fs, const struct save *s, struct saved *saved);
/* What is kept of a refused text: where secrets are refused, a word in the place of each. */
void secrets_mask(const struct fs *fs, const char *bytes, size_t len, struct buf *out);

#endif

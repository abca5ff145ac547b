/* SPDX-License-Identifier: MIT */
/*
 * The door of fs/save: documents being written.  Bytes are staged (edit.h) in open files
 * (staging.h, handle.h), become a version whole or are refused with words, and then all are told
 * who keep something made of them.
 */
#ifndef CINTA_FS_SAVE_H
#define CINTA_FS_SAVE_H

#include "fs/save/edit.h"
#include "fs/save/handle.h"
#include "fs/save/secrets.h"
#include "fs/save/staging.h"

/* save.c: bytes as the newest version of the document of that name, making it if need be. */
int save_document(struct fs *fs, const struct save *save, struct saved *out, struct why *why);
/* Checks bytes for a place, without storing; `fields` gets the typed fields. */
int save_check(struct fs *fs, const struct place *p, const char *name, const char *bytes,
               size_t len, struct buf *fields, struct why *why);
/* A version's tape body for these bytes; `old` is the version before, `talk` may be NULL. */
void save_body(const struct fs *fs, struct buf *body, const struct buf *fields,
               const struct talk *talk, const char *bytes, size_t len, const char *old,
               size_t old_len);

/* refuse.c: an errno, a line in errors.log, the offered bytes in rejected/; answers `req`. */
struct offer {
	const char *name; /* file name for rejected/ */
	const char *bytes;
	size_t len;
};
void refuse(fuse_req_t req, int err, const char *op, uint64_t ino, const char *child,
            const struct why *why, const struct offer *offer);

/* author.c: who asks, "alice:vim" (docs/format.md); and in which conversation of an agent */
void author_of(fuse_req_t req, char author[FIELD_MAX + 1]);
void writer_of(fuse_req_t req, struct writer *out);

/* save.c: all that is to be told of a commit; nothing if nothing was stored */
void job_saved(struct job *job, const struct saved *saved);

#endif

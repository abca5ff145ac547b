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

/*
 * block.c: 0, or -EEXIST with `why`: another active block has this code or this text.  `p`, `name`:
 * where it is to stand, for whichever document is there, it replaces that; `id`: its document so
 * far, 0: a new one; `fields` as save_check() gives them.
 */
int block_once(struct fs *fs, const struct place *p, const char *name, int64_t id,
               const char *bytes, size_t len, const struct buf *fields, struct why *why);

/* refuse.c: an errno, a line in errors.log, the offered bytes in rejected/; answers `req`. */
struct offer {
	const char *name; /* file name for rejected/ */
	const char *bytes;
	size_t len;
};
void refuse(fuse_req_t req, int err, const char *op, uint64_t ino, const char *child,
            const struct why *why, const struct offer *offer);
/* The same by this author; "": who asks. */
void refuse_by(fuse_req_t req, int err, const char *op, uint64_t ino, const char *child,
               const char *by, const struct why *why, const struct offer *offer);

/*
 * missing.c: names that were asked for and are not there.  Who made none of that name meanwhile is
 * told in errors.log, half a second later, which was meant, or what there is instead.
 */
int missing_start(struct fs *fs, const struct fs_options *o);
void missing_stop(struct fs *fs);
/* A look-up found nothing.  No lock held. */
void missing_asked(fuse_req_t req, uint64_t dir, const char *name);
/* A file of that name is made now, or what is refused of it has a line of its own. */
void missing_over(struct fs *fs, uint64_t dir, const char *name);
/* After a redaction: nothing is told of the names that were asked for before it. */
void missing_forget(struct fs *fs);
/* Twice a second: writes what is due; `job` tells the kernel of errors.log.  No lock held. */
void missing_tick(struct fs *fs, struct job *job);

/* author.c: who asks, "alice:vim" (docs/format.md); and in which conversation of an agent */
void author_of(fuse_req_t req, char author[FIELD_MAX + 1]);
void writer_of(fuse_req_t req, struct writer *out);

/* save.c: all that is to be told of a commit; nothing if nothing was stored */
void job_saved(struct job *job, const struct saved *saved);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * fs/import: what other programs keep becomes sessions and notes (fs_import_… of fs.h).  It is
 * written through the store, as any program may, and no mount is needed; the daemon of a mount
 * notices.  Private to the folder but for what fs.h says.
 */
#ifndef CINTA_FS_IMPORT_H
#define CINTA_FS_IMPORT_H

#include "fs/internal.h"
#include "render/render.h"

/* A conversation, and what of it is still to be written.  No secret is in the title. */
struct conversation {
	struct talk name;
	char title[256], cwd[512], branch[128], thread[NAME_LIMIT + 1];
	int64_t began_us;
	int64_t session;     /* the one that holds it, 0: not known yet */
	bool met;            /* it is counted */
	struct buf gone;     /* ids that were taken back, each ended by a NUL */
};

/* Messages to be appended at once: at most BATCH_BYTES, BATCH_MOST. */
enum { BATCH_BYTES = 1 << 20, BATCH_MOST = 1000, PIECE = 128 << 10, SLUG_TITLE = 80 };
struct batch_message {
	size_t body, body_len, id; /* where in the buffers */
	int64_t part;
	uint64_t hash;       /* of its key */
};
struct import_seen { /* hashes; all 0: empty */
	uint64_t *slot;
	size_t count, room;
};
struct import_batch {
	struct batch_message *message;
	size_t count, room;
	struct buf bodies, ids;
	struct buf line;     /* the one that is made */
	struct import_seen hashes; /* of the keys, and of some that were left out */
};

struct fs_import {
	struct fs *fs;
	struct fs_import_options o;
	char author[FIELD_MAX + 1], session[NAME_LIMIT + 1];
	char shown[4096];    /* the file as messages name it */
	char folder[NAME_LIMIT + 1]; /* of its notes */
	struct import *reader;
	struct import_sink sink;
	struct conversation talk;
	struct import_batch batch;
	struct fs_import_counts counts;
	struct import_seen met; /* which conversations are counted, by hashes of their names */
	int error;           /* -errno of the first write that failed: nothing is taken in any more */
};

/* called.c: the name of a session, the `attempt`th (from 0) that is tried for a conversation. */
void import_session_name(char name[NAME_LIMIT + 1], const struct conversation *c, int attempt);
/* A name that a thread may have, of a folder's path; "" if there is none in it. */
void import_thread_name(char name[NAME_LIMIT + 1], const char *cwd);
/* A part of a path as a note or folder may be called; "": nothing is left of it. */
void import_note_name(char name[NAME_LIMIT + 1], const char *part, size_t len, bool folder);

/* batch.c: adds a message, writes what is there when it is enough. */
void batch_add(struct fs_import *im, const struct import_said *s);
/* Appends what is not here yet. */
void batch_flush(struct fs_import *im);
void batch_release(struct import_batch *b);

/* seen.c: 1: added, 0: it is there, -1: no memory. */
int seen_add(struct import_seen *s, uint64_t hash);
void seen_clear(struct import_seen *s);
void seen_release(struct import_seen *s);

/* session.c: the session of the conversation, made if there is none. */
int conversation_session(struct fs_import *im);
/* Prunes what was taken back. */
void conversation_prune(struct fs_import *im);
void conversation_release(struct conversation *c);

/* note.c */
void import_note(struct fs_import *im, const char *path, const char *bytes, size_t len);
/* import.c: a run in an fs without threads, which is given back at its end (verbs.c). */
int import_open(struct fs *fs, const struct fs_import_options *o, struct fs_import **out);
struct fs *import_close(struct fs_import *im);
/* skip.c: says that something was left out, and counts it. */
void import_skip(struct fs_import *im, int64_t at, const char *reason);
/* True if secrets are refused and a text holds one: it is left out then.  NULL: it is no note. */
bool import_refuses(struct fs_import *im, int64_t at, const char *note, const char *bytes,
                    size_t len);

#endif

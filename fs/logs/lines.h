/* SPDX-License-Identifier: MIT */
/*
 * Lines on their way from a WRITE, a FLUSH or a file to the store (append.c).  Private to fs/logs.
 *
 * lines.c makes the drafts, appended.c tells everybody when they are stored.
 */
#ifndef CINTA_FS_LINES_H
#define CINTA_FS_LINES_H

#include "fs/internal.h"
#include "fs/logs/frame.h"
#include "fs/logs/logs.h"

struct appender {
	struct handle handle;
	struct frame frame;
	_Atomic uint64_t ino; /* the log's; of KIND_FIRST_LOG until the first line has made a session */
	off_t next;   /* frame.lock, as the next: where a write without O_APPEND must go on */
	bool refused; /* what was offered last was no line */
};

/* One WRITE, FLUSH or file on its way through the store. */
struct request {
	struct append append;
	fuse_req_t req;
	struct appender *appender; /* lives as long as the request: RELEASE comes after it */
	uint64_t ino;
	size_t written; /* what to answer; 0: a FLUSH, or a file */
	struct handle *own; /* of a file: the log is open by this alone; or NULL */
	uint64_t from;      /* and that is the file, which goes; or 0 */
	bool first;     /* it made the session, or met it */
	char stream[24];
	char author[FIELD_MAX + 1];
	struct buf defaults;    /* what session.md gives to messages */
	struct buf took;        /* what the assistant was shown, taken from its slot */
	struct buf shown;       /* the same, until its first message here has it */
	struct buf bodies;      /* all bodies, one after the other */
	struct draft *drafts;
	size_t count, room;
	struct buf threads;     /* names of the threads joined, one a line, NUL-terminated */
	size_t joined;          /* how many */
	struct buf offered;     /* for rejected/, should the store fail */
	struct barrier_file held;
	pthread_t by;           /* the thread that brought it */
};

/* NULL: no memory.  The appender's frame is locked, as for all below. */
struct request *request_new(fuse_req_t req, struct appender *a, size_t written);
void request_free(struct request *r);
/* Whole lines, parted by newlines, to drafts: 0 or a negative errno with `why`. */
int request_lines(struct request *r, const char *data, size_t len, struct why *why);
struct log_id log_id_of(const struct fs *fs, uint64_t ino);
/* What the assistant was shown still waits for its answer. */
void request_not_answered(struct fs *fs, struct request *r);
/* For `done` of the store's append; frees the request. */
void request_appended(struct append *a);
/* Answers with a refusal, and keeps what was offered; the request stays the caller's. */
void refuse_offer(fuse_req_t req, int err, uint64_t ino, const struct why *why,
                  const struct buf *offered);

#endif

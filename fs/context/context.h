/* SPDX-License-Identifier: MIT */
/*
 * The door of contexts: the pages that a model reads, and what they showed to whom.
 */
#ifndef CINTA_FS_CONTEXT_H
#define CINTA_FS_CONTEXT_H

#include "fs/window/window.h"
#include "fs/documents/documents.h"
#include "fs/tree/tree.h"

/* A stretch of a session's messages that is summarized as one. */
struct context_segment {
	struct context_range range;
	bool complete; /* no message will join it */
};
enum { CONTEXT_ENDED_MOST = 8 };
struct context_ended {
	char name[NAME_LIMIT + 1]; /* the session's */
	int64_t tokens;            /* most of a summary */
	struct context_segment segment[CONTEXT_ENDED_MOST]; /* newest first */
	size_t count;
};
/* The segments before a session's window. */
int context_ended(struct fs *fs, int64_t session, struct context_ended *out);

/* Most tokens of a section of smma/ with that name; 0: none is set for it. */
int64_t context_section_max(struct fs *fs, const char *name);

node_page_fn page_context, page_context_now, page_dashboard, page_metrics;
node_page_fn page_thread_context;
node_find_fn find_question;

/*
 * How full a session is, or the memory without one (0): `used`, `safe`, `percent`, `level`,
 * `window`, facts, sections, alerts and advice of *d; nothing of its page.  -ENOENT: there is no
 * such session.
 */
int context_measure(struct fs *fs, int64_t session, struct dashboard *d);

/* The session whose context is the mount's context.md; -ENOENT also with *out: it is not shown. */
int context_session(struct fs *fs, struct group *out);

/* context.c */
/* All of it; `refs` (may be NULL): what is shown, as a JSON array of references. */
int context_page(struct fs *fs, int64_t session, struct buf *out, struct buf *refs);
/* A session's context.md is opened: the page, noted as shown. */
int context_open(struct fs *fs, int64_t session, struct buf *out);

#endif

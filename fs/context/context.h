/* SPDX-License-Identifier: MIT */
/*
 * A session's window as files: ctl, summaries/, and smma/action_log.md for the
 * current session.
 *
 *   WRITE to ctl ─► logs/ctl.c ─► lines ─► render_ctl_in ─► operations ─┐
 *   summaries/3-9.md saved (as a document is, edit.h) ─► one operation ────┴─► store
 *
 * All operations of a write are checked and committed together (store/context/context.h).
 * ctl and action_log.md change with every message, so they are never cached; a
 * summary's file never changes, but its name goes with a reset.
 */
#ifndef CINTA_FS_CONTEXT_H
#define CINTA_FS_CONTEXT_H

#include "fs/context/shown.h"
#include "fs/documents/documents.h"
#include "fs/tree/tree.h"

/* In a page, in the place of one document that is damaged: the others are shown as ever. */
#define DAMAGED_TEXT "[damaged: cinta verify names the entry]\n"

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

/* window.c */
on_saved_fn window_on_saved;
node_page_fn page_ctl, page_action_log, page_context, page_dashboard, page_metrics,
	page_memory_top;
node_find_fn find_question;
node_changed_fn changed_ctl, changed_window, changed_action_log;
/* As they were; `g` is the session as it was then, NULL: there was none. */
int page_ctl_then(struct fs *fs, const struct group *g, int64_t time_us, struct buf *out);
int page_action_log_then(struct fs *fs, const struct group *g, int64_t time_us, struct buf *out);
/* The last change of a window alone; 0: none. */
int changed_window_then(struct fs *fs, int64_t session, int64_t time_us, int64_t *us);

/* context.c */
/* All of it; `refs` (may be NULL): what is shown, as a JSON array of references. */
int context_page(struct fs *fs, int64_t session, struct buf *out, struct buf *refs);
/* context/QUESTION.md: the page for a question that no session has asked. */
/* A session's context.md is opened: the page, noted as shown. */
int context_open(struct fs *fs, int64_t session, struct buf *out);
/* dashboard.c */
/* memory_top.c */

#endif

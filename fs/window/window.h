/* SPDX-License-Identifier: MIT */
/*
 * The door of the window: a session's window as files, ctl, summaries/, active.jsonl, and
 * smma/action_log.md for the current session.
 *
 *   WRITE to ctl ─► logs/ctl.c ─► lines ─► render_ctl_in ─► operations ─┐
 *   summaries/3-9.md saved (as a document is, edit.h) ─► one operation ────┴─► store
 *
 * All operations of a write are checked and committed together (store/context/context.h).
 * ctl, active.jsonl and action_log.md change with every message, so they are never cached; a
 * summary's file never changes, but its name goes with a reset.
 *
 * What is known of a session until its window changes is kept in context_cache.h.
 */
#ifndef CINTA_FS_WINDOW_H
#define CINTA_FS_WINDOW_H

#include "fs/documents/documents.h"
#include "fs/kernel/kernel.h"
#include "fs/tree/tree.h"
#include "fs/window/context_cache.h"
#include "fs/window/exposure.h"

on_saved_fn window_on_saved;
node_page_fn page_ctl, page_action_log, page_working;
node_changed_fn changed_ctl, changed_window, changed_action_log;
/* As they were; `g` is the session as it was then, NULL: there was none. */
int page_ctl_then(struct fs *fs, const struct group *g, int64_t time_us, struct buf *out);
int page_action_log_then(struct fs *fs, const struct group *g, int64_t time_us, struct buf *out);
/* The last change of a window alone; 0: none. */
int changed_window_then(struct fs *fs, int64_t session, int64_t time_us, int64_t *us);

#endif

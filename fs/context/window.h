/* SPDX-License-Identifier: MIT */
/*
 * A session's window as files: ctl, summaries/, and smma/action_log.md for the
 * current session.
 *
 *   WRITE to ctl ─► logs/ctl.c ─► lines ─► render_ctl_in ─► operations ─┐
 *   summaries/3-9.md saved (as a document is, edit.h) ─► one operation ────┴─► store
 *
 * All operations of a write are checked and committed together (store/context.h).
 * ctl and action_log.md change with every message, so they are never cached; a
 * summary's file never changes, but its name goes with a reset.
 */
#ifndef CINTA_WINDOW_H
#define CINTA_WINDOW_H

#include "fs/save/edit.h"
#include "fs/kernel/notify.h"

struct job;

#define SUMMARY_TODO "summarize other messages; echo reset > ctl dissolves all summaries"

/* summaries.c: -EINVAL, -EEXIST, -EPERM with `why` if a file of that name can be no summary. */
int summary_check(struct fs *fs, uint64_t dir, const char *name, struct why *why);
/* True for FIRST-LAST.md. */
bool summary_is_name(const char *name);
int summary_save(struct fs *fs, const struct save *save, struct saved *out, struct why *why);
/* What an operation on a session's window, or a new message of it, may change. */
void job_window(struct job *job, int64_t session);

int find_summary(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino);
int next_summary(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
                 uint64_t *ino);
int page_summary(struct fs *fs, int64_t seq, struct buf *out);
int changed_summary(struct fs *fs, int64_t seq, int64_t *time_us);
void summary_file_name(struct fs *fs, uint64_t ino, char *dst, size_t size);
uint64_t summary_parent(struct fs *fs, uint64_t ino);
/* As they were; *after is the first message of the one before. */
int find_summary_then(struct fs *fs, int64_t session, int64_t time_us, const char *name,
                      uint64_t *ino);
int next_summary_then(struct fs *fs, int64_t session, int64_t time_us, int64_t *after,
                      char name[NAME_LIMIT + 1], uint64_t *ino);

/* window.c */
int page_ctl(struct fs *fs, int64_t session, struct buf *out);
int changed_ctl(struct fs *fs, int64_t session, int64_t *time_us);
int changed_window(struct fs *fs, int64_t session, int64_t *time_us);
int page_action_log(struct fs *fs, int64_t id, struct buf *out);
int changed_action_log(struct fs *fs, int64_t id, int64_t *time_us);
/* As they were; `g` is the session as it was then, NULL: there was none. */
int page_ctl_then(struct fs *fs, const struct group *g, int64_t time_us, struct buf *out);
int page_action_log_then(struct fs *fs, const struct group *g, int64_t time_us, struct buf *out);
/* The last change of a window alone; 0: none. */
int changed_window_then(struct fs *fs, int64_t session, int64_t time_us, int64_t *us);

#endif

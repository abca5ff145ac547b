/* SPDX-License-Identifier: MIT */
/*
 * .cinta/at/TIME/…: the tree as it was.  A node of the past is a time and a node
 * of the tree of today; a table gives these pairs numbers, which are the ids of
 * the KIND_PAST_… inodes.  What a directory held and what a file said then is
 * asked of the store, with the time.
 *
 *   KIND_PAST_DIR, _LINK, _FILE   never change, but for what is redacted
 *   KIND_PAST_KEPT                refusals and what was offered: until they are forgotten
 *   KIND_PAST_NOW                 the root of a time that is not over: looked up each time,
 *                                 it is the tree as of the newest change
 *
 * Of more than PAST_MOST pairs, the oldest that the kernel has forgotten go.
 */
#ifndef CINTA_PAST_H
#define CINTA_PAST_H

#include "fs/tree/tree.h"

enum { PAST_MOST = 1 << 18 };

struct past;

/* A node of the past: `ino` is the inode of what it was. */
struct past_node {
	int64_t time_us;
	uint64_t ino;
};

int past_start(struct fs *fs, const struct fs_options *o);
void past_stop(struct fs *fs);

/* -ESTALE: it is no number, or was let go. */
int past_node(struct fs *fs, int64_t id, struct past_node *out);

/* For the tree's table. */
int find_time(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino);
int find_past(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino);
int next_past(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
              uint64_t *ino);
int page_past(struct fs *fs, int64_t id, struct buf *out);
int changed_past(struct fs *fs, int64_t id, int64_t *time_us);
/* CONTENT_PAST: size and time; bytes. */
int past_stat(struct fs *fs, int64_t id, struct log_stat *out);
ssize_t past_read(struct fs *fs, int64_t id, int64_t offset, char *dst, size_t size);

/* Of any KIND_PAST_…: its name then, and the directory it stood in. */
void past_name(struct fs *fs, uint64_t ino, char *dst, size_t size);
uint64_t past_parent(struct fs *fs, uint64_t ino);

/* past_page.c: what the table's columns of the past are, as tree.h explains them. */
int page_errors_at(struct fs *fs, int64_t id, int64_t time_us, struct buf *out);
int page_offered_at(struct fs *fs, int64_t id, int64_t time_us, struct buf *out);
int page_document_at(struct fs *fs, int64_t id, int64_t time_us, struct buf *out);
int page_session_at(struct fs *fs, int64_t id, int64_t time_us, struct buf *out);
int page_refs_at(struct fs *fs, int64_t id, int64_t time_us, struct buf *out);
int page_current_at(struct fs *fs, int64_t id, int64_t time_us, struct buf *out);
int page_ctl_at(struct fs *fs, int64_t id, int64_t time_us, struct buf *out);
int page_action_log_at(struct fs *fs, int64_t id, int64_t time_us, struct buf *out);
int document_stat_at(struct fs *fs, int64_t doc, int64_t time_us, struct log_stat *out);
int session_existed_at(struct fs *fs, int64_t id, int64_t time_us);
int thread_existed_at(struct fs *fs, int64_t id, int64_t time_us);
int current_existed_at(struct fs *fs, int64_t id, int64_t time_us);
int message_existed_at(struct fs *fs, int64_t id, int64_t time_us);
int rejected_existed_at(struct fs *fs, int64_t id, int64_t time_us);
int changed_errors_at(struct fs *fs, int64_t id, int64_t time_us, int64_t *us);
int changed_sessions_at(struct fs *fs, int64_t id, int64_t time_us, int64_t *us);
int changed_threads_at(struct fs *fs, int64_t id, int64_t time_us, int64_t *us);
int changed_session_dir_at(struct fs *fs, int64_t id, int64_t time_us, int64_t *us);
int changed_thread_dir_at(struct fs *fs, int64_t id, int64_t time_us, int64_t *us);
int changed_session_at(struct fs *fs, int64_t id, int64_t time_us, int64_t *us);
int changed_page_at(struct fs *fs, int64_t id, int64_t time_us, int64_t *us);
int changed_ctl_at(struct fs *fs, int64_t id, int64_t time_us, int64_t *us);
int changed_summaries_at(struct fs *fs, int64_t id, int64_t time_us, int64_t *us);
int changed_action_log_at(struct fs *fs, int64_t id, int64_t time_us, int64_t *us);
/* Nothing was there. */
int find_no_past(struct fs *fs, uint64_t dir, int64_t time_us, const char *name, uint64_t *ino);
/* When the last refusal up to then was; 0: there was none. */
int past_refused(struct fs *fs, int64_t time_us, int64_t *last_us);

#endif

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

int past_start(struct fs *fs, const struct fs_options *o);
void past_stop(struct fs *fs);
/* After a redaction: no page that was made before it is kept.  No lock held. */
void past_forget(struct fs *fs);

/* For the tree's table: of the KIND_PAST_… themselves. */
node_page_fn page_past;
node_find_fn find_time, find_past;
node_next_fn next_past;
node_changed_fn changed_past;
node_name_fn past_name;
node_parent_fn past_parent;
node_stat_fn past_stat;
node_read_fn past_read;
/* past_page.c: of other kinds, as they were; find_no_past() finds nothing. */
node_page_at_fn page_errors_at, page_offered_at, page_document_at, page_session_at, page_refs_at,
	page_current_at, page_ctl_at, page_action_log_at;
node_stat_at_fn document_stat_at;
node_changed_at_fn changed_errors_at, changed_groups_at, changed_group_at, changed_session_at,
	changed_page_at, changed_ctl_at, changed_summaries_at, changed_action_log_at;
node_existed_at_fn group_existed_at, current_existed_at, message_existed_at,
	rejected_existed_at;
node_find_at_fn find_no_past;

/* When the last refusal up to then was; 0: there was none. */
int past_refused(struct fs *fs, int64_t time_us, int64_t *last_us);

#endif

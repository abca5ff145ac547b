/* SPDX-License-Identifier: MIT */
/*
 * Part of the store's door (store.h): logs and directories as they were at a time.
 * What is as of a time includes the entries of that very microsecond.  Documents
 * as they were are in documents.h.
 *
 * The times of entries never go back along the tape (the writer sees to it), so a
 * time is a place on the tape and in each log, found by bisection.  All functions
 * see every committed entry.
 */
#ifndef CINTA_STORE_PAST_H
#define CINTA_STORE_PAST_H

#include "store/documents.h"
#include "store/entry.h"

struct store;
struct log_id;

/* Time of the newest entry of the tape. */
int store_newest_time(struct store *s, int64_t *time_us);
/*
 * A session, thread or record as it was: messages, sizes and times up to then; its
 * tokens are left 0.  STORE_ENOENT: it was not made yet.
 */
int store_group_at_time(struct store *s, struct log_id log, int64_t time_us, struct group *out);
/*
 * Tokens of the first `messages` lines of a log; records count none.  Reads the bodies
 * of up to half of its lines.
 */
int store_tokens_of_first(struct store *s, struct log_id log, int64_t messages, int64_t *tokens);
/* The session last written to then; STORE_ENOENT: there was none. */
int store_current_at_time(struct store *s, int64_t time_us, struct group *out);
/* When the last of the sessions (or threads: `log.kind`) of that time was made; 0: none. */
int store_groups_changed_at_time(struct store *s, struct log_id log, int64_t time_us,
                                 int64_t *made_us);
/* Where a document or folder stood: its id, parent and name.  STORE_ENOENT: nowhere. */
int store_doc_place_at_time(struct store *s, int64_t id, int64_t time_us, struct doc *out);
/* As store_doc_dir_changed(), not later than a time. */
int store_doc_dir_changed_at_time(struct store *s, const char *parent, int64_t time_us,
                                  int64_t *changed_us);

#endif

/* SPDX-License-Identifier: MIT */
/* The functions the tree's table names: pages, link targets, names, times. */
#ifndef CINTA_PAGES_H
#define CINTA_PAGES_H

#include "fs/tree.h"

int page_readme(struct fs *fs, int64_t id, struct buf *out);
int page_errors(struct fs *fs, int64_t id, struct buf *out);
int page_session(struct fs *fs, int64_t id, struct buf *out);
int page_refs(struct fs *fs, int64_t id, struct buf *out);
int page_message(struct fs *fs, int64_t id, struct buf *out);
int page_why(struct fs *fs, int64_t id, struct buf *out);
int page_status(struct fs *fs, int64_t id, struct buf *out);
int page_checkpoint(struct fs *fs, int64_t id, struct buf *out);
int page_pubkey(struct fs *fs, int64_t id, struct buf *out);
int page_verify(struct fs *fs, int64_t id, struct buf *out);
int link_agents(struct fs *fs, int64_t id, struct buf *out);
int link_smma_log(struct fs *fs, int64_t id, struct buf *out);
int link_current(struct fs *fs, int64_t id, struct buf *out);

int changed_errors(struct fs *fs, int64_t id, int64_t *time_us);
int changed_sessions(struct fs *fs, int64_t id, int64_t *time_us);
int changed_session_dir(struct fs *fs, int64_t id, int64_t *time_us);
int changed_session(struct fs *fs, int64_t id, int64_t *time_us);
int changed_message(struct fs *fs, int64_t id, int64_t *time_us);
int changed_threads(struct fs *fs, int64_t id, int64_t *time_us);
int changed_thread_dir(struct fs *fs, int64_t id, int64_t *time_us);
int changed_rejected(struct fs *fs, int64_t id, int64_t *time_us);
int changed_signed(struct fs *fs, int64_t id, int64_t *time_us);
int changed_now(struct fs *fs, int64_t id, int64_t *time_us);

int find_session(struct fs *fs, int64_t dir, const char *name, uint64_t *ino);
int find_message(struct fs *fs, int64_t dir, const char *name, uint64_t *ino);
int find_thread(struct fs *fs, int64_t dir, const char *name, uint64_t *ino);
int find_rejected(struct fs *fs, int64_t dir, const char *name, uint64_t *ino);
int next_session(struct fs *fs, int64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
                 uint64_t *ino);
int next_message(struct fs *fs, int64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
                 uint64_t *ino);
int next_thread(struct fs *fs, int64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
                uint64_t *ino);
int next_rejected(struct fs *fs, int64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
                  uint64_t *ino);
/* "000017.md" */
void message_name(struct fs *fs, int64_t seq, char *dst, size_t size);

#endif

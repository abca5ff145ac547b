/* SPDX-License-Identifier: MIT */
/* The functions the tree's table names: pages, link targets, names, times. */
#ifndef CINTA_PAGES_H
#define CINTA_PAGES_H

#include "fs/tree/place.h"

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
/* The session that sessions/current leads to; -ENOENT. */
int current_session(struct fs *fs, struct group *out);
int link_context(struct fs *fs, int64_t id, struct buf *out);
int link_dashboard(struct fs *fs, int64_t id, struct buf *out);
int changed_memory(struct fs *fs, int64_t id, int64_t *time_us);
/* context.c, dashboard.c */
int page_context(struct fs *fs, int64_t session, struct buf *out);
int page_dashboard(struct fs *fs, int64_t id, struct buf *out);
int page_metrics(struct fs *fs, int64_t id, struct buf *out);
/* memory_top.c */
int page_memory_top(struct fs *fs, int64_t id, struct buf *out);

int changed_errors(struct fs *fs, int64_t id, int64_t *time_us);
int changed_sessions(struct fs *fs, int64_t id, int64_t *time_us);
int changed_session_dir(struct fs *fs, int64_t id, int64_t *time_us);
int changed_page(struct fs *fs, int64_t id, int64_t *time_us);
int changed_session(struct fs *fs, int64_t id, int64_t *time_us);
int changed_message(struct fs *fs, int64_t id, int64_t *time_us);
int changed_threads(struct fs *fs, int64_t id, int64_t *time_us);
int changed_thread_dir(struct fs *fs, int64_t id, int64_t *time_us);
int changed_rejected(struct fs *fs, int64_t id, int64_t *time_us);
int changed_signed(struct fs *fs, int64_t id, int64_t *time_us);
int changed_now(struct fs *fs, int64_t id, int64_t *time_us);

int find_session(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino);
int find_message(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino);
int find_thread(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino);
int find_rejected(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino);
int next_session(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
                 uint64_t *ino);
int next_message(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
                 uint64_t *ino);
int next_thread(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
                uint64_t *ino);
int next_rejected(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
                  uint64_t *ino);
/* "000017.md" */
void message_name(struct fs *fs, uint64_t ino, char *dst, size_t size);
uint64_t message_parent(struct fs *fs, uint64_t ino);
void session_name(struct fs *fs, uint64_t ino, char *dst, size_t size);
void thread_name(struct fs *fs, uint64_t ino, char *dst, size_t size);
void rejected_name(struct fs *fs, uint64_t ino, char *dst, size_t size);
int rejected_stat(struct fs *fs, int64_t id, struct log_stat *out);
ssize_t rejected_read(struct fs *fs, int64_t id, int64_t offset, char *dst, size_t size);

/* documents.c: in directories that are places (place.h) */
int find_document(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino);
int next_document(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
                  uint64_t *ino);
int page_document(struct fs *fs, int64_t id, struct buf *out);
int page_version(struct fs *fs, int64_t id, struct buf *out);
int page_history(struct fs *fs, int64_t id, struct buf *out);
int changed_document(struct fs *fs, int64_t id, int64_t *time_us);
int changed_version(struct fs *fs, int64_t id, int64_t *time_us);
/* Newest size and time of a document. */
int document_stat(struct fs *fs, int64_t id, struct log_stat *out);
/* NAME@3, NAME@2026-11-20, NAME@log */
int document_find_history(struct fs *fs, const struct place *p, const char *name, uint64_t *ino);
/* A listing of a place, its documents by `next`: the one with the lowest id above `after`. */
typedef int document_next_fn(struct fs *fs, const struct place *p, int64_t after, struct doc *d);
int document_next_by(struct fs *fs, uint64_t dir, document_next_fn *next, int64_t *cursor,
                     char name[NAME_LIMIT + 1], uint64_t *ino);
/* The names and directories of what documents.c finds. */
void document_name(struct fs *fs, uint64_t ino, char *dst, size_t size);
uint64_t document_parent(struct fs *fs, uint64_t ino);

#endif

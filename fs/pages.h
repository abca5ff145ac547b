/* SPDX-License-Identifier: MIT */
/* What the tree's table names of pages.c: pages, link targets, times. */
#ifndef CINTA_PAGES_H
#define CINTA_PAGES_H

#include "fs/documents/documents.h"
#include "fs/tree/tree.h"

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
on_saved_fn sessions_on_saved;
int link_context(struct fs *fs, int64_t id, struct buf *out);
int link_dashboard(struct fs *fs, int64_t id, struct buf *out);
int changed_memory(struct fs *fs, int64_t id, int64_t *time_us);

int changed_errors(struct fs *fs, int64_t id, int64_t *time_us);
int changed_sessions(struct fs *fs, int64_t id, int64_t *time_us);
int changed_session_dir(struct fs *fs, int64_t id, int64_t *time_us);
int changed_page(struct fs *fs, int64_t id, int64_t *time_us);
int changed_message(struct fs *fs, int64_t id, int64_t *time_us);
int changed_threads(struct fs *fs, int64_t id, int64_t *time_us);
int changed_thread_dir(struct fs *fs, int64_t id, int64_t *time_us);
int changed_rejected(struct fs *fs, int64_t id, int64_t *time_us);
int changed_signed(struct fs *fs, int64_t id, int64_t *time_us);
int changed_now(struct fs *fs, int64_t id, int64_t *time_us);

#endif

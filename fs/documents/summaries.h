/* SPDX-License-Identifier: MIT */
/*
 * sessions/NAME/summaries/FIRST-LAST.md: saving one is an operation on the session's window, and
 * no document.  A summary's file never changes, but its name goes with a reset.
 */
#ifndef CINTA_FS_SUMMARIES_H
#define CINTA_FS_SUMMARIES_H

#include "fs/tree/tree.h"
#include "render/render.h"
#include "store/store.h"

struct fs;
struct save;
struct saved;

#define SUMMARY_TODO "summarize other messages; echo reset > ctl dissolves all summaries"

/* -EINVAL, -EEXIST, -EPERM with `why` if a file of that name can be no summary. */
int summary_check(struct fs *fs, uint64_t dir, const char *name, struct why *why);
/* True for FIRST-LAST.md. */
bool summary_is_name(const char *name);
int summary_save(struct fs *fs, const struct save *save, struct saved *out, struct why *why);

node_page_fn page_summary;
node_find_fn find_summary;
node_next_fn next_summary;
node_changed_fn changed_summary;
node_name_fn summary_file_name;
node_parent_fn summary_parent;
node_find_at_fn find_summary_at;
node_next_at_fn next_summary_at; /* *after is the first message of the one before */

#endif

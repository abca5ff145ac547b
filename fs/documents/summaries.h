/* SPDX-License-Identifier: MIT */
/*
 * sessions/NAME/summaries/FIRST-LAST.md: saving one is an operation on the session's window, and
 * no document.  A summary's file never changes, but its name goes with a reset.
 */
#ifndef CINTA_FS_SUMMARIES_H
#define CINTA_FS_SUMMARIES_H

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

int find_summary(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino);
int next_summary(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
                 uint64_t *ino);
int page_summary(struct fs *fs, int64_t seq, struct buf *out);
int changed_summary(struct fs *fs, int64_t seq, int64_t *time_us);
void summary_file_name(struct fs *fs, uint64_t ino, char *dst, size_t size);
uint64_t summary_parent(struct fs *fs, uint64_t ino);
/* As they were; *after is the first message of the one before. */
int find_summary_at(struct fs *fs, uint64_t dir, int64_t time_us, const char *name, uint64_t *ino);
int next_summary_at(struct fs *fs, uint64_t dir, int64_t time_us, int64_t *after,
                    char name[NAME_LIMIT + 1], uint64_t *ino);

#endif

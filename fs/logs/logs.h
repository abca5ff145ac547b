/* SPDX-License-Identifier: MIT */
/* The door of fs/logs: files that take lines, opened for writing, and what they are given. */
#ifndef CINTA_FS_LOGS_H
#define CINTA_FS_LOGS_H

#include "fs/logs/session_defaults.h"
#include "fs/save/save.h"

/* append.c: a log.  -ENOMEM, or what the store says. */
int append_handle(fuse_req_t req, uint64_t ino, struct handle **out);
/* append.c: a thread has lines more; its name may be new. */
void job_thread(struct job *job, int64_t id);
/* ctl.c: a session's window.  -ENOMEM. */
int ctl_handle(fuse_req_t req, struct handle **out);

/*
 * first.c: makes a session; the name has been checked.  -EEXIST, or what the store says; -EINVAL
 * with `why`: it holds a secret.  Who calls it tells of one that is stored (secrets_tell_name()).
 */
int session_make(struct fs *fs, const char *name, const char *author, int64_t *id,
                 struct why *why);
/* The current session; if there is none, it is made.  Waits for a commit: hold no lock. */
int session_first(struct fs *fs, const char *author, int64_t *id, struct why *why);
/* sessions/.new: there while there is no current session. */
node_page_fn page_first, page_first_log;
node_name_fn first_name;

/*
 * append.c: the bytes of a file as the lines of a log that has none yet, all or none; then the file
 * `from` (a scratch inode, or 0) goes, and the request is answered.  No lock held.
 */
void log_take_file(fuse_req_t req, uint64_t ino, const char *bytes, size_t len, uint64_t from);

/* records.c: records/, where the temporary files of who copies a log may stand. */
node_find_fn find_record;
node_next_fn next_record;
node_find_at_fn find_record_at;
node_next_at_fn next_record_at;

#endif

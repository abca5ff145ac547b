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

/* first.c: makes a session; the name has been checked.  -EEXIST, or what the store says. */
int session_make(struct fs *fs, const char *name, const char *author, int64_t *id);
/* The current session; if there is none, it is made.  Waits for a commit: hold no lock. */
int session_first(struct fs *fs, const char *author, int64_t *id);
/* sessions/.new: there while there is no current session. */
node_page_fn page_first, page_first_log;
node_name_fn first_name;

#endif

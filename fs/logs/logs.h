/* SPDX-License-Identifier: MIT */
/* The door of fs/logs: files that take lines, opened for writing, and what they are given. */
#ifndef CINTA_FS_LOGS_H
#define CINTA_FS_LOGS_H

#include "fs/logs/defaults.h"
#include "fs/save/save.h"

/* append.c: a log.  -ENOMEM, or what the store says. */
int append_handle(fuse_req_t req, uint64_t ino, struct handle **out);
/* ctl.c: a session's window.  -ENOMEM. */
int ctl_handle(fuse_req_t req, struct handle **out);

#endif

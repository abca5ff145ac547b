/* SPDX-License-Identifier: MIT */
/* The door of mount/server: the verbs for a memory that is on a server. */
#ifndef CINTA_MOUNT_SERVER_H
#define CINTA_MOUNT_SERVER_H

#include "mount/words/words.h"

struct verify_report;

verb_fn cmd_copy, cmd_sync;
/* `cinta rescue [FILE] URL`; file NULL: this machine's replica.  An exit status. */
int rescue_to_server(const char *file, const char *url);

/*
 * cmd_copy.c, for this room: the database verifies, or there is nothing to hold it against; an exit
 * status, after complaining.
 */
int server_verified(const char *path, const struct options *o, struct verify_report *r);

#endif

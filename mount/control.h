/* SPDX-License-Identifier: MIT */
/*
 * The control socket: how `cinta mount` asks the process that owns a database
 * to mount it once more.  One connection carries one request, a JSON object on
 * a line, and one answer: {"ok":true} or {"error":"…"}.
 *
 *   {"verb":"mount","dir":"/abs","read_only":false,"allow_other":false,
 *    "nonempty":false,"debug":false}
 *
 * Only the same user, or root, is heard and believed (SO_PEERCRED on both ends).
 */
#ifndef CINTA_CONTROL_H
#define CINTA_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include "store/entry.h"

struct control;

struct control_mount {
	const char *dir; /* as path_mount_point makes it */
	bool read_only, allow_other, nonempty, debug;
};
/* Answers a request: 0, or -errno with `why` filled. */
typedef int control_fn(void *ctx, const struct control_mount *request, struct why *why);

/*
 * Listens and answers, one request at a time, on a thread of its own.  The
 * directory of the socket is made 0700 and must be ours.  0 or -errno.
 */
int control_start(const char *database, control_fn *fn, void *ctx, struct control **out,
                  struct why *why);
const char *control_socket(const struct control *c);
/* Finishes the request at hand, then goes; the socket's name goes too. */
void control_stop(struct control *c);

/*
 * The other end.  0; -ECONNREFUSED or -ENOENT: nobody listens (yet, or any
 * more); -errno with `why` filled.
 */
int control_ask(const char *socket, const struct control_mount *request, struct why *why);

#endif

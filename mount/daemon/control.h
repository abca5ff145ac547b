/* SPDX-License-Identifier: MIT */
/*
 * The control socket: how `cinta mount` asks the process that owns a database
 * to mount it once more, `cinta status` how that process is, and `cinta rescue` to write what
 * it holds.  One connection carries one request, a JSON object on a line, and one answer:
 * {"ok":true} or {"error":"…"}, or {"elsewhere":true} when the mount to rescue is another's.
 *
 *   {"verb":"mount","dir":"/abs","read_only":false,"access":{…},
 *    "retires":false,"fresh":false,"nonempty":false,"noexec":false,"debug":false,
 *    "session":"a","owner":"ana","server":"S","agent":"A","as":"bo","only":"notes:smma",
 *    "ro":"facts","hide":"records"}                               these eight may be absent
 *   "fresh" is true for fresh=open, and the word "write", which an older daemon refuses
 *   {"verb":"status"}, answered with read_only, trouble and tokenizer beside "ok"
 *   {"verb":"keep"}, answered with unkept, how many files off the tape could not be kept, and why
 *   {"verb":"rescue","device":51,"to":"/abs/new.db"}
 *
 * Only the same user, or root, is heard and believed (SO_PEERCRED on both ends).
 */
#ifndef CINTA_CONTROL_H
#define CINTA_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fs/fs.h"
#include "store/entry.h"

struct control;

struct control_mount {
	const char *dir; /* as path_mount_point makes it */
	/* Of this mount alone, or NULL. */
	const char *session, *owner, *server, *agent, *as, *only, *ro, *hide;
	bool read_only, retires, nonempty, noexec, debug;
	enum fs_fresh fresh;
	struct fs_access access;
};
struct control_rescue {
	unsigned device; /* of a mount of the daemon's, as mountinfo has it */
	const char *to;  /* the new database */
};
/* Files off the tape that only the daemon's memory has, though it has just tried to keep them. */
struct control_kept {
	int64_t unkept;
	char why[256]; /* and what to do about it */
};
/* What answers requests: 0, or -errno with `why` filled. */
struct control_calls {
	int (*mount)(void *ctx, const struct control_mount *request, struct why *why);
	/* -ENODEV: the mount is not ours. */
	int (*rescue)(void *ctx, const struct control_rescue *request, struct why *why);
	/* Fills in the status of the store that the process has open. */
	void (*status)(void *ctx, struct status *out);
	/* Keeps what is off the tape. */
	void (*keep)(void *ctx, struct control_kept *out);
	void *ctx;
};

/*
 * Listens and answers, one request at a time, on a thread of its own.  The
 * directory of the socket is made 0700 and must be ours.  0 or -errno.
 */
int control_start(const char *database, const struct control_calls *calls, struct control **out,
                  struct why *why);
const char *control_socket(const struct control *c);
/* Finishes the request at hand, then goes; the socket's name goes too. */
void control_stop(struct control *c);

/*
 * The other end.  0; -ECONNREFUSED or -ENOENT: nobody listens (yet, or any
 * more); -errno with `why` filled.
 */
int control_ask(const char *socket, const struct control_mount *request, struct why *why);
/*
 * What only the owner knows: its own read_only, trouble and tokenizer replace those of `st`.
 * Errors as of control_ask(); then `st` is as it was.
 */
int control_status(const char *socket, struct status *st, struct why *why);
/* -ETIMEDOUT: it is still trying, or does not answer at all; `out` is as it was on errors. */
int control_keep(const char *socket, struct control_kept *out, struct why *why);
/* As control_ask(), for as long as it takes; -ENODEV: the mount is another daemon's. */
int control_ask_rescue(const char *socket, const struct control_rescue *request, struct why *why);

#endif

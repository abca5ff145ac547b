/* SPDX-License-Identifier: MIT */
/*
 * A command of the user's: bytes in, bytes out, within a time.  Called by summarizer.c
 * alone, in a thread that holds no lock and has SIGPIPE blocked.
 *
 * It runs as `/bin/sh -c LINE` in a process group of its own, in /, with this process's
 * environment and none of its descriptors; what it says on standard error goes nowhere.
 * It is over when the shell is: what the shell has left running is killed with it, and
 * so is all of it when it is late, says too much, or is to stop.
 */
#ifndef CINTA_FS_COMMAND_H
#define CINTA_FS_COMMAND_H

#include "render/format/plain.h"

struct command {
	const char *line;
	const char *in; /* its standard input; it need not read it */
	size_t in_len;
	int limit_ms;
	size_t most;    /* bytes of output */
	int stop;       /* a descriptor: readable when it is to stop */
};

enum command_end {
	COMMAND_DONE,    /* with status 0 */
	COMMAND_FAILED,  /* with another, or by a signal */
	COMMAND_LATE,
	COMMAND_LARGE,   /* more than `most` bytes */
	COMMAND_STOPPED,
	COMMAND_NOT_RUN, /* no process or descriptor to be had */
	COMMAND_ENDS
};

/* What it printed is appended to `out`.  When this returns, there is no process of it. */
enum command_end command_run(const struct command *c, struct buf *out);

#endif

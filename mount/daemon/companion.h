/* SPDX-License-Identifier: MIT */
/* A process beside the daemon, of the same program, that ends with it, however that ends. */
#ifndef CINTA_COMPANION_H
#define CINTA_COMPANION_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct companion {
	char *const *argv; /* as main() takes it, ended by NULL; NULL: there is none */
	pid_t pid;         /* 0: it is not there, and started again at `due` */
	int64_t began, due; /* seconds of the machine's running */
	int pause, status; /* before it is started again; how it ended last */
};

/*
 * Starts it if it is not there, after a pause if it has ended: then `text` says how.  Called first,
 * when a child has ended, and after as many seconds as it returns; 0: not before that.
 */
int companion_look(struct companion *c, char *text, size_t size);
/* Ends it and waits. */
void companion_end(struct companion *c);

#endif

/* SPDX-License-Identifier: MIT */
/* A process beside the daemon, of the same program, that ends with it, however that ends. */
#ifndef CINTA_COMPANION_H
#define CINTA_COMPANION_H

#include <sys/types.h>

/* `argv` as main() takes it, ended by NULL.  Its number, or -errno. */
pid_t companion_start(char *const *argv);
/* Ends it and waits; a number that is not one does nothing. */
void companion_end(pid_t pid);

#endif

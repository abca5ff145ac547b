/* SPDX-License-Identifier: MIT */
/*
 * The verbs of the command line and what they share: exit statuses and the one
 * way of talking to the person at the terminal.  Used by main.c and cmd_*.c.
 */
#ifndef CINTA_VERBS_H
#define CINTA_VERBS_H

#include <stdbool.h>

#include "store/entry.h"

/* Exit statuses, as cinta.1 lists them. */
enum {
	EXIT_FINE = 0,
	EXIT_FAULT = 1,       /* the operation failed, or a fault was found */
	EXIT_USAGE = 2,       /* the command line was wrong */
	EXIT_UNVERIFIABLE = 3 /* nothing to check against */
};

/* Each gets the arguments from its own name on and returns an exit status. */
typedef int verb_fn(int argc, char **argv);
verb_fn cmd_mount, cmd_umount, cmd_init, cmd_verify, cmd_status, cmd_rebuild, cmd_doctor,
	cmd_pubkey, cmd_identity, cmd_search, cmd_algorithms, cmd_redact, cmd_rescue,
	cmd_import;

struct verb {
	const char *name;
	verb_fn *run;
	const char *synopsis;
	const char *does;    /* one line */
	const char *options; /* a line each, indented by two */
};

/* main.c: the verb of that name, or NULL. */
const struct verb *verb_named(const char *name);
/* helper.c: mount.cinta; argv[0] is its own name. */
int helper(int argc, char **argv);
/* completion.c: prints a script for bash, zsh or fish. */
int completion(const char *shell, const struct verb *verbs, int count);

/* `cinta verify` of a file that was just made: prints what it found; its exit status. */
int verify_new(const char *path);
/* "cinta: …" and a newline on stderr. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same for a refusal that knows its reason; `fallback` when it gave none. */
void complain_why(const char *what, const struct why *why, const char *fallback);
/* complain(), with where the help is on the same line; returns EXIT_USAGE. */
int usage(const char *verb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The tail of every getopt loop: an unknown option or one without its value. */
int usage_option(const char *verb, char **argv, int found);
/* Flushes stdout: output that did not reach its reader turns `status` into EXIT_FAULT. */
int finish(int status);

#endif

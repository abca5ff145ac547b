/* SPDX-License-Identifier: MIT */
/*
 * The door of mount/export: a memory in another form, for who has no cinta.
 *
 * A form is a row of the table in cmd_export.c, named by the option that asks for it.  It reads the
 * memory as any reader may, by the files of mount/files or by its entries, and changes nothing.
 */
#ifndef CINTA_EXPORT_H
#define CINTA_EXPORT_H

#include "mount/files/files.h"
#include "mount/words/words.h"

/* What was asked for. */
struct export_order {
	const char *to;    /* the value of the form's option */
	const char *word;  /* the word it takes */
	const char *since; /* of --since, or NULL */
};

struct export_form {
	const char *option; /* "site": --site */
	const char *into;   /* what its value is called, as "DIR"; NULL: it has none */
	const char *word;   /* a word it takes before DB, as "SESSION"; or NULL */
	bool since;         /* it takes --since */
	/* Opens the memory.  An exit status, after complaining. */
	int (*run)(const struct files_command *c, const struct export_order *o);
};

/* export_site.c: the pages of .cinta/html/ in a directory that is new or empty. */
int export_site(const struct files_command *c, const struct export_order *o);
/* export_settle.c: waits until what is on the tape is signed and verified, or nobody does it. */
void export_settle(struct files *f);
/* Opens the memory for that alone.  EXIT_FINE, or another after complaining. */
int export_settled(const struct files_command *c);
/* export_tape.c: all rows as lines, sealed. */
int export_tape(const struct files_command *c, const struct export_order *o);
/* export_git.c: each entry as a commit of a repository. */
int export_git(const struct files_command *c, const struct export_order *o);
/* export_messages.c: a session as an array of messages, as an API takes them. */
int export_messages(const struct files_command *c, const struct export_order *o);

verb_fn cmd_export;

#endif

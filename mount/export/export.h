/* SPDX-License-Identifier: MIT */
/*
 * The door of mount/export: a memory in another form, for who has no cinta.
 *
 * A form is a row of the table in cmd_export.c, named by the option that asks for it.  It reads the
 * memory as any reader may, by the files of mount/files, and changes nothing of it.
 */
#ifndef CINTA_EXPORT_H
#define CINTA_EXPORT_H

#include "mount/files/files.h"
#include "mount/words/words.h"

struct export_form {
	const char *option; /* "site": --site */
	bool into;          /* its value says where it goes; else it goes to standard output */
	/* Opens the memory by files_start(c, false, …); `to` is that value.  An exit status, after
	 * complaining. */
	int (*run)(const struct files_command *c, const char *to);
};

/* export_site.c: the pages of .cinta/html/ in a directory that is new or empty. */
int export_site(const struct files_command *c, const char *to);

verb_fn cmd_export;

#endif

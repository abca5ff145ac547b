/* SPDX-License-Identifier: MIT */
/* What the verbs for files have in common on the command line (files.h). */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "mount/files/files.h"
#include "mount/memory/memory.h"

enum { WRITE_MS = 10000, READ_MS = 1000 };

int files_parse(char **argv, int argc, const char *own, struct files_command *c)
{
	char letters[16];
	int status = EXIT_FINE;
	(void)snprintf(letters, sizeof letters, ":d:o:%s", own);
	opterr = 0;
	for (int opt; status == EXIT_FINE && (opt = getopt(argc, argv, letters)) != -1;) {
		if (opt == 'd')
			c->options.database = optarg;
		else if (opt == 'o')
			status = database_options(argv[0], OPTIONS_WRITE, &c->options, optarg);
		else if (opt == 'l')
			c->lengthy = true;
		else if (opt == 'p')
			c->makes = true;
		else if (opt == 'r')
			c->recursive = true;
		else if (opt != 'a' && opt != '1') /* ls does both anyhow */
			status = usage_option(argv[0], argv, opt);
	}
	for (int i = optind; status == EXIT_FINE && i < argc; i++)
		if (!*argv[i])
			status = usage(argv[0], "%s: a name is empty; is a variable unset?", argv[0]);
	if (status == EXIT_FINE && !strchr(own, 'r')) /* cp tells both sides by the colon */
		status = files_words(c, argv + optind, argc - optind);
	return status;
}

int files_start(const struct files_command *c, bool writes, struct files **out)
{
	char path[PATH_MAX];
	struct why why = { 0 };
	int status = EXIT_FINE;
	if (c->options.through)
		(void)snprintf(path, sizeof path, "%s", c->found);
	else
		status = database_named(c->options.database, path);
	if (status != EXIT_FINE)
		return status;
	int err = files_begin(path, &c->options, writes, writes ? WRITE_MS : READ_MS, out, &why);
	if (err)
		complain_why(path, &why, strerror(-err));
	return err ? EXIT_FAULT : EXIT_FINE;
}

int files_finish(struct files_command *c, struct files *f, int status)
{
	files_end(f);
	options_release(&c->options);
	return finish(status);
}

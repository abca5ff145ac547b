/* SPDX-License-Identifier: MIT */
/* cinta export --FORM [-d DB] [-o opt,...] [DB]: a memory in another form (export.h). */
#include "mount/export/export.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "mount/memory/memory.h"

static const struct export_form forms[] = {
	{ "site", true, export_site },
};
enum { FORMS = sizeof forms / sizeof *forms, FIRST_FORM = 1000 };

/* What getopt_long() takes, and at the end the forms in words: "--site DIR". */
static void options_of(struct option longs[FORMS + 1], char *words, size_t size)
{
	*words = '\0';
	for (int i = 0; i < FORMS; i++) {
		size_t at = strlen(words);
		longs[i] = (struct option){ forms[i].option,
			forms[i].into ? required_argument : no_argument, NULL, FIRST_FORM + i };
		(void)snprintf(words + at, size - at, "%s--%s%s", i ? " or " : "", forms[i].option,
		               forms[i].into ? " WHERE" : "");
	}
	longs[FORMS] = (struct option){ NULL, 0, NULL, 0 };
}

static int parse(int argc, char **argv, struct files_command *c, const struct export_form **form,
                 const char **to)
{
	struct option longs[FORMS + 1];
	char words[256];
	int status = EXIT_FINE;
	options_of(longs, words, sizeof words);
	opterr = 0;
	for (int opt; status == EXIT_FINE &&
	              (opt = getopt_long(argc, argv, ":d:o:", longs, NULL)) != -1;) {
		if (opt == 'd')
			c->options.database = optarg;
		else if (opt == 'o')
			status = database_options(argv[0], OPTIONS_WRITE, &c->options, optarg);
		else if (opt < FIRST_FORM)
			status = usage_option(argv[0], argv, opt);
		else if (*form)
			status = usage(argv[0], "export: one form at a time");
		else {
			*form = &forms[opt - FIRST_FORM];
			*to = optarg;
		}
	}
	if (status == EXIT_FINE && !*form)
		status = usage(argv[0], "export: say in which form: %s", words);
	if (status == EXIT_FINE && (*form)->into && !**to)
		status = usage(argv[0], "export: say where to with --%s", (*form)->option);
	if (status == EXIT_FINE && argc - optind > (c->options.database ? 0 : 1))
		status = usage(argv[0], "export: one database at a time, not also %s", argv[argc - 1]);
	if (status == EXIT_FINE && optind < argc)
		c->options.database = argv[optind];
	return status;
}

int cmd_export(int argc, char **argv)
{
	struct files_command c = { .makes = false };
	const struct export_form *form = NULL;
	const char *to = NULL;
	int status = parse(argc, argv, &c, &form, &to);
	if (status == EXIT_FINE)
		status = form->run(&c, to);
	return files_finish(&c, NULL, status);
}

/* SPDX-License-Identifier: MIT */
/* cinta export --FORM [-d DB] [-o opt,...] [DB]: a memory in another form (export.h). */
#include "mount/export/export.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "mount/memory/memory.h"

static const struct export_form forms[] = {
	{ "site", "DIR", NULL, false, export_site },
	{ "messages", "openai|anthropic", "SESSION", false, export_messages },
	{ "tape", NULL, NULL, false, export_tape },
	{ "git", "DIR", NULL, true, export_git },
};
enum { FORMS = sizeof forms / sizeof *forms, SINCE = 999, FIRST_FORM = 1000 };

/* What getopt_long() takes, and at the end the forms in words: "--site DIR". */
static void options_of(struct option longs[FORMS + 2], char *words, size_t size)
{
	*words = '\0';
	for (int i = 0; i < FORMS; i++) {
		size_t at = strlen(words);
		longs[i] = (struct option){ forms[i].option,
			forms[i].into ? required_argument : no_argument, NULL, FIRST_FORM + i };
		(void)snprintf(words + at, size - at, "%s--%s%s%s%s%s", i ? ", " : "", forms[i].option,
		               forms[i].into ? " " : "", forms[i].into ? forms[i].into : "",
		               forms[i].word ? " " : "", forms[i].word ? forms[i].word : "");
	}
	longs[FORMS] = (struct option){ "since", required_argument, NULL, SINCE };
	longs[FORMS + 1] = (struct option){ NULL, 0, NULL, 0 };
}

static int take_options(int argc, char **argv, struct files_command *c,
                        const struct export_form **form, struct export_order *o)
{
	struct option longs[FORMS + 2];
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
		else if (opt == SINCE)
			o->since = optarg;
		else if (opt < FIRST_FORM)
			status = usage_option(argv[0], argv, opt);
		else if (*form)
			status = usage(argv[0], "export: one form at a time");
		else {
			*form = &forms[opt - FIRST_FORM];
			o->to = optarg;
		}
	}
	if (status == EXIT_FINE && !*form)
		status = usage(argv[0], "export: say in which form: %s", words);
	return status;
}

static int parse(int argc, char **argv, struct files_command *c, const struct export_form **form,
                 struct export_order *o)
{
	int status = take_options(argc, argv, c, form, o);
	if (status != EXIT_FINE)
		return status;
	if ((*form)->into && !*o->to)
		return usage(argv[0], "export: say where to with --%s", (*form)->option);
	if (o->since && !(*form)->since)
		return usage(argv[0], "export: --%s takes no --since", (*form)->option);
	if ((*form)->word && optind == argc)
		return usage(argv[0], "export: --%s takes a %s", (*form)->option, (*form)->word);
	if ((*form)->word)
		o->word = argv[optind++];
	if (argc - optind > (c->options.database ? 0 : 1))
		return usage(argv[0], "export: one database at a time, not also %s", argv[argc - 1]);
	if (optind < argc)
		c->options.database = argv[optind];
	return EXIT_FINE;
}

int cmd_export(int argc, char **argv)
{
	struct files_command c = { .makes = false };
	struct export_order o = { NULL, NULL, NULL };
	const struct export_form *form = NULL;
	int status = parse(argc, argv, &c, &form, &o);
	if (status == EXIT_FINE)
		status = form->run(&c, &o);
	return files_finish(&c, NULL, status);
}

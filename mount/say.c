/* SPDX-License-Identifier: MIT */
/*
 * How the process talks to people: one prefix, one stream, no colours.  Called
 * by every verb.  It must never print what a key file holds.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "mount/verbs.h"

static void say(const char *fmt, va_list ap)
{
	fputs("cinta: ", stderr);
	(void)vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void complain(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

void complain_why(const char *what, const struct why *why, const char *fallback)
{
	if (why->text[0] && why->todo[0])
		complain("%s: %s; %s", what, why->text, why->todo);
	else
		complain("%s: %s", what, why->text[0] ? why->text : fallback);
}

int usage(const char *verb, const char *fmt, ...)
{
	va_list ap;
	fputs("cinta: ", stderr);
	va_start(ap, fmt);
	(void)vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "; see `cinta %s --help`\n", verb);
	return EXIT_USAGE;
}

/* Of `--word` getopt(3) sees the second hyphen, and has not gone on. */
int usage_option(const char *verb, char **argv, int found)
{
	if (found == ':')
		return usage(verb, "%s: option %s needs a value", verb, argv[optind - 1]);
	if (optopt == '-' || !optopt)
		return usage(verb, "%s: unknown option %s", verb, argv[optopt ? optind : optind - 1]);
	return usage(verb, "%s: unknown option -%c", verb, optopt);
}

int finish(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	complain("cannot write the output: %s", strerror(errno));
	return status == EXIT_FINE ? EXIT_FAULT : status;
}

/* SPDX-License-Identifier: MIT */
/*
 * How the process talks to people: one prefix, one stream, no colours.  Called
 * by every verb.  It must never print what a key file holds.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fs/fs.h"
#include "mount/words/flags.h"
#include "store/near.h"
#include "mount/words/words.h"

/* Names in it are anybody's: on one line, and nothing that acts unseen. */
static void say(const char *fmt, va_list ap)
{
	char *text, *seen = NULL;
	if (vasprintf(&text, fmt, ap) >= 0) {
		seen = fs_seen(text);
		free(text);
	}
	fprintf(stderr, "cinta: %s", seen ? seen : "no memory to say what is wrong");
	free(seen);
}

void complain(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
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
	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	fprintf(stderr, "; see `cinta %s --help`\n", verb);
	return EXIT_USAGE;
}

/* What was meant by `-ro`, `--ro`, `-all` or `--jsno`, as it is typed; false: who knows. */
static bool meant(const char *verb, const char *typed, char *dst, size_t size)
{
	const struct verb *v = verb_named(verb);
	const char *at = v ? v->options : "", *name = typed + strspn(typed, "-");
	size_t best = NEAR_NOT;
	struct flag f;
	while (flag_next(&at, &f)) {
		bool value = f.name[strcspn(f.name, "=")];
		f.name[strcspn(f.name, "=")] = '\0';
		if (!f.word && f.name[1] != '-')
			continue;
		size_t slips = near_slips(name, strcspn(name, "="), f.name + (f.word ? 0 : 2));
		if (slips >= best)
			continue;
		best = slips;
		(void)snprintf(dst, size, "%s%s%s", f.word ? "-o " : "", f.name, value ? "=" : "");
	}
	return best < NEAR_NOT;
}

/*
 * Of `--word` getopt(3) sees the second hyphen, and has not gone on; of `-word` it sees letters,
 * and has gone on after the last.
 */
int usage_option(const char *verb, char **argv, int found)
{
	char hint[64];
	if (found == ':')
		return usage(verb, "%s: option %s needs a value", verb, argv[optind - 1]);
	const char *word = argv[optind - 1], *next = argv[optind];
	if (optopt == '-' || (optopt && next && next[0] == '-' && next[1] == optopt))
		word = next;
	bool known = meant(verb, word, hint, sizeof hint);
	if (known)
		return usage(verb, "%s: unknown option %s; try %s", verb, word, hint);
	if (optopt == '-' || !optopt)
		return usage(verb, "%s: unknown option %s", verb, word);
	return usage(verb, "%s: unknown option -%c", verb, optopt);
}

void print_word(FILE *f, const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
		"/._-+,:@%";
	if (*word && word[strspn(word, plain)] == '\0') {
		(void)fputs(word, f);
		return;
	}
	(void)fputc('\'', f);
	for (; *word; word++)
		(void)fputs(*word == '\'' ? "'\\''" : (const char[]){ *word, '\0' }, f);
	(void)fputc('\'', f);
}

void print_shown(FILE *f, const char *word)
{
	const char *c = word;
	while (*c && !iscntrl((unsigned char)*c))
		c++;
	if (!*c) {
		print_word(f, word);
		return;
	}
	(void)fputs("$'", f);
	for (; *word; word++)
		if (iscntrl((unsigned char)*word))
			(void)fprintf(f, "\\%03o", (unsigned char)*word);
		else
			(void)fprintf(f, "%s%c", *word == '\'' || *word == '\\' ? "\\" : "", *word);
	(void)fputc('\'', f);
}

int finish(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	complain("cannot write the output: %s", strerror(errno));
	return status == EXIT_FINE ? EXIT_FAULT : status;
}

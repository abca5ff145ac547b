/* SPDX-License-Identifier: MIT */
/* Reads the lines of --help; see flags.h. */
#include "mount/words/flags.h"

#include <stdio.h>
#include <string.h>

char flag_plain(char c)
{
	return strchr("'\"`[]:\\$", c) ? ' ' : c;
}

bool flag_next(const char **lines, struct flag *f)
{
	char first[32], second[64];
	for (; **lines; *lines += strcspn(*lines, "\n") + 1) {
		int n = 0, at = 0;
		memset(f, 0, sizeof *f);
		if (sscanf(*lines, "  -%30[^ \n]%n", first, &at) != 1)
			continue;
		if (sscanf(*lines + at, " %63[^ \n]%n", second, &n) == 1 && (*lines)[at + 1] != ' ') {
			f->value = true;
			at += n;
		}
		f->word = !strcmp(first, "o");
		if (f->word)
			f->value = strchr(second, '=') != NULL;
		(void)snprintf(f->name, sizeof f->name, "%s%.30s", f->word ? "" : "-",
		               f->word ? second : first);
		char *equals = strchr(f->name, '=');
		if (equals)
			equals[1] = '\0';
		const char *text = *lines + at + strspn(*lines + at, " ");
		size_t out = 0;
		for (; *text && *text != '\n' && out + 1 < sizeof f->does; text++)
			f->does[out++] = flag_plain(*text);
		*lines += strcspn(*lines, "\n") + 1;
		return true;
	}
	return false;
}

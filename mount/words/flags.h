/* SPDX-License-Identifier: MIT */
/*
 * The options of a verb, read from what its --help says of them: so there is one table of them.
 * Used by completion.c, and by say.c for what was meant.
 */
#ifndef CINTA_FLAGS_H
#define CINTA_FLAGS_H

#include <stdbool.h>

/* An option as a line of --help has it: "  -o session=NAME   sessions/current points at NAME". */
struct flag {
	char name[32];  /* "-d", "--json"; of -o the word: "session=" */
	bool word;      /* one of -o */
	bool value;     /* a value follows */
	char does[128]; /* flag_plain() */
};

/* The next option of `lines`, which moves on behind it; false: there is none. */
bool flag_next(const char **lines, struct flag *f);
/* What shells would take for syntax becomes a blank. */
char flag_plain(char c);

#endif

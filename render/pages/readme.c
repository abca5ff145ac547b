/* SPDX-License-Identifier: MIT */
/* README.md of the mount: teaches a first-time agent on one screen, promises nothing else. */
#include <string.h>

#include "render/format/format.h"
#include "render/pages/pages.h"

static const char text[] =
#include "render/pages/readme.inc"
	;
static const char place[] = "DATABASE"; /* where in it the path goes */

/* As one word of a shell. */
static void add_word(struct buf *out, const char *word)
{
	if (!word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	                       "/._+@%-")]) {
		buf_adds(out, word);
		return;
	}
	buf_adds(out, "'");
	for (; *word; word++)
		buf_add(out, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
	buf_adds(out, "'");
}

void render_readme(struct buf *out, const char *database)
{
	const char *from = text;
	for (const char *at; (at = strstr(from, place)) != NULL; from = at + strlen(place)) {
		buf_add(out, from, (size_t)(at - from));
		add_word(out, database);
	}
	buf_adds(out, from);
}

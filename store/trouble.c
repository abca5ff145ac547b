/* SPDX-License-Identifier: MIT */
/* What is wrong, in words for status: asked of all sub-rooms, the worst first. */
#include <stdio.h>

#include "store/internal.h"
#include "store/tape/tape.h"

/* Only of who would write: a reader of a full, read-only disk lacks nothing. */
static void say_full(const struct store *s, char *text, size_t size)
{
	int64_t room = disk_room(s->path);
	if (room >= DISK_LEAST || store_is_still(s->path))
		return;
	(void)snprintf(text, size, "disk full: %lld KiB left beside the database: writing fails with"
	               " ENOSPC until there is room", (long long)(room >> 10));
}

/* Where the file has gone; its server; why nothing is signed; what opening found, and what came. */
void store_trouble(const struct store *s, char *text, size_t size)
{
	moved_trouble(s, text, size);
	if (text[0] == '\0')
		far_split(s, text, size);
	if (text[0])
		return;
	tape_unsigned(s, text, size);
	if (text[0] == '\0' || s->read_only)
		(void)snprintf(text, size, "%s", s->trouble);
	if (text[0] == '\0')
		damage_text(&s->damage, text, size);
	if (text[0] == '\0')
		tape_trouble(s, text, size);
	if (text[0] == '\0' && !side_is_unkept(s)) /* before what it causes */
		say_full(s, text, size);
	if (text[0] == '\0')
		side_trouble(s, text, size);
}

/* SPDX-License-Identifier: MIT */
/*
 * Lines of a session's log to the messages an API takes: a call joins the answer it was made in, a
 * result follows the call it is of, however late it came.  Private to mount/export.
 */
#ifndef CINTA_CONVERSATION_H
#define CINTA_CONVERSATION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct api;
struct conversation {
	const struct api *api;
	json_t *messages;  /* an array */
	json_t *lines;     /* an array of what was added; pieces of a long message are one */
	char *system;      /* of who takes no message of a system, or NULL */
	FILE *pieces;      /* of the last line, if it has several: its text so far */
	char *whole;
	size_t whole_len;
};

/* "openai" or "anthropic"; false: neither. */
bool conversation_begin(struct conversation *c, const char *api);
/* Takes a reference to the line, and adds to its text.  False: no memory. */
bool conversation_add(struct conversation *c, json_t *line);
/* Makes the messages of all that was added.  False: no memory. */
bool conversation_make(struct conversation *c);
void conversation_end(struct conversation *c);

#endif

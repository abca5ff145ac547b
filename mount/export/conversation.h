/* SPDX-License-Identifier: MIT */
/*
 * Lines of a session's log, one after the other, to the messages an API takes: a call joins the
 * answer it was made in, a result the call it is of.  Private to mount/export.
 */
#ifndef CINTA_CONVERSATION_H
#define CINTA_CONVERSATION_H

#include <jansson.h>
#include <stdbool.h>

struct api;
struct conversation {
	const struct api *api;
	json_t *messages;  /* an array */
	json_t *calls;     /* ids of calls that wait for their result, to true */
	char *system;      /* of who takes no message of a system, or NULL */
	/* The line before, for the pieces of a long message. */
	char *id;
	json_t *last;      /* borrowed: the object that holds its text … */
	const char *member; /* … and where */
};

/* "openai" or "anthropic"; false: neither. */
bool conversation_begin(struct conversation *c, const char *api);
/* False: no memory. */
bool conversation_add(struct conversation *c, const json_t *line);
void conversation_end(struct conversation *c);

#endif

/* SPDX-License-Identifier: MIT */
/* A message's content is found where we and most clients write it; elsewhere jansson reads all. */
#include "store/logs/json_body.h"

#include <stdlib.h>
#include <string.h>

#include "store/db/db.h"

enum { READ_FLAGS = JSON_DECODE_INT_AS_REAL, SHORT = 2048 };

static const char name[] = "\"content\":\"";
enum { NAME = sizeof name - 1 };

/*
 * Where the text of the content begins; 0: not among the first members, all of them plain.  Behind
 * a brace or comma these bytes are no part of a string, or what is here is no JSON, cut or not.
 */
static size_t find_text(const char *body, size_t len)
{
	enum { BEFORE = 256 };
	size_t span = len < BEFORE ? len : BEFORE;
	const char *at = len > 0 && body[0] == '{' ? memmem(body, span, name, NAME) : NULL;
	size_t head = at ? (size_t)(at - body) : 0;
	if (head == 0 || (body[head - 1] != ',' && head > 1) || memchr(body + 1, '{', head - 1) ||
	    memchr(body, '[', head))
		return 0;
	return head + NAME;
}

/* The body without what is between; NULL also where a member comes twice. */
static json_t *read_short(const char *body, size_t len, size_t from, size_t to)
{
	size_t rest = len - (to - from);
	char few[SHORT], *all = rest <= sizeof few ? few : malloc(rest);
	if (!all)
		return NULL;
	memcpy(all, body, from);
	memcpy(all + from, body + to, len - to);
	json_t *json = json_loadb(all, rest, READ_FLAGS | JSON_REJECT_DUPLICATES, NULL);
	explicit_bzero(all, rest);
	if (all != few)
		free(all);
	return json;
}

void json_body_read(const char *body, size_t len, char *text, struct json_body *out)
{
	size_t from = find_text(body, len);
	*out = (struct json_body){ .json = NULL };
	size_t n = from ? json_text_take(body + from, len - from, text, &out->len) : JSON_TEXT_NONE;
	if (n != JSON_TEXT_NONE && n > 0 && from + n < len)
		out->json = read_short(body, len, from, from + n);
	out->apart = out->json;
	if (!out->apart)
		out->json = json_loadb(body, len, READ_FLAGS, NULL);
	else if (text)
		text[out->len] = '\0';
}

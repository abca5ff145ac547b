/* SPDX-License-Identifier: MIT */
/*
 * Bodies of messages for whoever needs what stands beside their content, or both: jansson reads the
 * small part, json_text_take() the long one.
 */
#ifndef CINTA_JSON_BODY_H
#define CINTA_JSON_BODY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct json_body {
	json_t *json; /* as json_loadb() with JSON_DECODE_INT_AS_REAL, NULL: it is no JSON … */
	bool apart;   /* … but `content` is "" in it: its text was taken apart */
	size_t len;   /* of that text, decoded */
};

/*
 * `text`: `len` + 1 bytes of room for the content, or NULL if nobody wants it.  The caller has
 * out->json to give back.  Takes no content apart where jansson could see another one.
 */
void json_body_read(const char *body, size_t len, char *text, struct json_body *out);

#endif

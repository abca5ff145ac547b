/* SPDX-License-Identifier: MIT */
/* Secrets in a text.  Part of the room's door. */
#ifndef CINTA_RENDER_SECRETS_H
#define CINTA_RENDER_SECRETS_H

#include <stddef.h>

/* A secret in a text, which is never to be repeated. */
struct secret {
	const char *kind; /* a constant: "a GitHub token" */
	size_t at, len;   /* in the text */
	int line;         /* from 1 */
};
typedef void secret_seen_fn(void *ctx, const struct secret *s);
/*
 * Calls `fn` (may be NULL) for each in the order of the text, and returns how many there are: keys
 * of AWS, GitHub, Slack, OpenAI and Anthropic, private key blocks, JSON web tokens, by the forms
 * their makers publish.  The text is any bytes, JSON or not; colours, characters of no width and
 * escapes of JSON hide none.  What is split or encoded otherwise is not found.
 */
size_t render_secrets(const char *text, size_t len, secret_seen_fn *fn, void *ctx);

#endif

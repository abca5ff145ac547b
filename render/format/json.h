/* SPDX-License-Identifier: MIT */
/*
 * A strict JSON reader (RFC 8259) which remembers where each value stands, so
 * that its bytes can be kept as they were offered.  Stricter than the RFC where
 * a memory must be: valid UTF-8, no NUL (also not as \u0000), no lone
 * surrogates, no member twice in an object (compared after unescaping), numbers
 * that fit a double, a limit to nesting.
 *
 * Private to render/.  It never changes and never owns the text.
 */
#ifndef CINTA_JSON_H
#define CINTA_JSON_H

#include <stdbool.h>

#include "render/format/buf.h"
#include "store/entry.h"

enum json_type {
	VALUE_NULL,
	VALUE_FALSE,
	VALUE_TRUE,
	VALUE_INTEGER, /* neither fraction nor exponent, any number of digits */
	VALUE_REAL,
	VALUE_STRING,
	VALUE_ARRAY,
	VALUE_OBJECT
};

/* A run of the text; of a string without its quotes. */
struct json_span {
	uint32_t at, len;
	bool escaped; /* holds a backslash */
};

/* Values in the order of the text; a container is followed by what it contains. */
struct json_node {
	struct json_span key;   /* len 0 outside of objects (and for "") */
	struct json_span value; /* strings without quotes, all others whole */
	uint32_t next;          /* index of the value after this one and all it contains */
	enum json_type type;
};

enum { NODES_INLINE = 32 };

struct json {
	const char *text;
	size_t len;
	struct json_node *nodes; /* nodes[0] is the whole */
	uint32_t count, cap;
	struct json_node few[NODES_INLINE]; /* spares the common line an allocation */
};

/*
 * Reads `text`, which must be one JSON value with nothing but whitespace around
 * it.  0, RENDER_EINVAL with `why` (byte positions count from 1), RENDER_ENOMEM.
 * Release in every case.  The struct must not be moved.
 */
int json_read(struct json *j, const char *text, size_t len, unsigned depth_limit,
              struct why *why);
/*
 * The body of an entry, if it is there and an object; else NULL.  Without memory
 * `out` fails.  Release `j` when the entry has a body.
 */
const struct json *json_read_body(struct json *j, const struct entry *e, struct buf *out);
void json_release(struct json *j);

/* The member `name` of the object `at`, or 0 (no member can be the whole). */
uint32_t json_member(const struct json *j, uint32_t at, const char *name);
/* True if the (unescaped) key or string `s` is equal to `name`. */
bool json_is(const struct json *j, struct json_span s, const char *name);
/* Appends the string unescaped. */
void json_unescape(const struct json *j, struct json_span s, struct buf *out);

static inline const char *json_at(const struct json *j, struct json_span s)
{
	return j->text + s.at;
}

#endif

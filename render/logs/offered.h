/* SPDX-License-Identifier: MIT */
/*
 * What the lines of all logs have in common on their way in: the first look,
 * and moving members whole.  Private to render/.
 */
#ifndef CINTA_OFFERED_H
#define CINTA_OFFERED_H

#include "render/format/format.h"

/* True if this member is the system's: a client's value is kept under "source". */
typedef bool owned_fn(const struct json *j, struct json_span key);

/* What can be said of a line without reading the JSON.  `todo` shows what a line looks like. */
int offered_check(const char *line, size_t len, const char *todo, struct why *why);
/* Everything between the outer braces, as it stands, without the blanks at its ends. */
void offered_inner(struct buf *out, const struct json *j);
/* The members that are (or are not) the system's, each byte for byte, joined by commas. */
void offered_members(struct buf *out, const struct json *j, owned_fn *is_owned, bool owned);
/* Spaces until `out` has `least` bytes. */
void offered_pad(struct buf *out, size_t least);

#endif

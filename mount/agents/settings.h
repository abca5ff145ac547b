/* SPDX-License-Identifier: MIT */
/*
 * Settings of other programs, JSON objects in files that people keep as they like them: one thing
 * of ours goes in, and out again so that all other bytes are as they were.  jansson says what they
 * mean; where they stand is looked for in the text, which is never written anew.
 *
 *   in    behind the last child of its container, with a comma; a container that is not there
 *         is made, with a new line behind its brace; in an empty one behind the brace itself
 *   out   with the comma before it; one that is the last child takes its container along,
 *         if that was made for it: then a line ends behind the brace
 *
 * Nothing of what is there is moved: some programs know their entries by number.
 */
#ifndef CINTA_SETTINGS_H
#define CINTA_SETTINGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "store/entry.h"

/* A file's text, malloc'ed, NUL-terminated; `bytes` NULL: there is no file. */
struct settings {
	char *bytes;
	size_t len;
};

/* True if an element of the array is ours. */
typedef bool settings_fn(const json_t *element, void *ctx);

/* True if it is a JSON object without doubled members, or no file; else `why` says where. */
bool settings_valid(const struct settings *s, struct why *why);
/*
 * Appends `element`, JSON text, to the array at `path` (member names, `depth` of them); what of the
 * path is missing is made.  0, -ENOMEM, or -EINVAL with `why`: something else stands there.
 */
int settings_add(struct settings *s, const char *const *path, int depth, const char *element,
                 struct why *why);
/* Takes the last element that is ours out: 1; 0 if there is none; -ENOMEM. */
int settings_take(struct settings *s, const char *const *path, int depth, settings_fn *ours,
                  void *ctx);

/* A file; what a link leads to.  0 or -errno. */
int settings_read(const char *path, struct settings *out);
/* By a new file and a rename, with the mode of the old one; without text: removes it. */
int settings_write(const char *path, const struct settings *s);

#endif

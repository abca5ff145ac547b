/* SPDX-License-Identifier: MIT */
/*
 * What stands where while the tape is read from its beginning: sessions by their numbers, documents
 * and folders by theirs.  Private to mount/export.
 */
#ifndef CINTA_GIT_NAMES_H
#define CINTA_GIT_NAMES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { GIT_PATH = 4096 };

struct git_doc {
	char *parent, *name; /* NULL: there is no such document */
	bool folder;
	int64_t version;     /* entry with its bytes, while it is to be seen; 0: none */
};
struct git_names {
	char **session;      /* by number - 1 */
	size_t sessions, session_room;
	struct git_doc *doc; /* by number - 1 */
	size_t docs, doc_room;
};

/* False: no memory.  Numbers are those of streams, from 1. */
bool git_names_session(struct git_names *g, int64_t number, const json_t *body);
bool git_names_doc(struct git_names *g, int64_t number, const json_t *body);
/* A document's new place. */
bool git_names_move(struct git_names *g, int64_t number, const json_t *body);
/* NULL: there is none. */
struct git_doc *git_names_get(const struct git_names *g, int64_t number);
const char *git_names_of_session(const struct git_names *g, int64_t number);
/* Its path from the root of the tree; false: it has none. */
bool git_names_path(const struct git_names *g, int64_t number, char path[GIT_PATH]);
/* True if document `number` is folder `of`, or stands somewhere below it. */
bool git_names_below(const struct git_names *g, int64_t number, int64_t of);
void git_names_release(struct git_names *g);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Entries to the stream that git fast-import reads: a commit each.  Private to mount/export.
 *
 *   session, message, record, context   sessions/NAME/messages/000/000017.json, and alike: the body
 *   document, rename, retire            the document at its path, byte for byte
 *   fact.add, fact.retract, fact.text   facts/work/17.md, its number being that of its entry
 *   tape.genesis, tape.redact           tape.json, redactions/17.json
 *   any other                           a commit that changes no file
 */
#ifndef CINTA_GIT_STREAM_H
#define CINTA_GIT_STREAM_H

#include <stdio.h>

#include "mount/export/git_names.h"
#include "store/store.h"

struct git_stream {
	FILE *out;
	struct store *store;
	struct git_names names;
	int64_t from;    /* entries before it are read, and not written; the first says … */
	bool goes_on;    /* … that it stands on what the branch has */
	int64_t written;
	const char *note; /* a signed note, or "" … */
	int64_t noted;    /* … of so many entries */
	bool failed;      /* no memory */
};

#define GIT_BRANCH "refs/heads/main"

/* The next entry, from 0 on. */
void git_stream_add(struct git_stream *g, const struct entry *e);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Making a memory's file anew from its tape.  Part of the store's door.
 *
 * A rebuild reads the rows of the tape and writes them, byte for byte, to a new file beside the
 * old one, makes tiles and views from them, checks all of it, and puts it in the old one's place
 * by one rename.  So it mends whatever is damaged but the tape's own rows, and makes the file as
 * small as it can be.  Killed at any moment it leaves the old file, or the new one, whole.
 */
#ifndef CINTA_REBUILD_H
#define CINTA_REBUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "store/entry.h"

struct store_config;

enum rebuild_step { REBUILD_ROWS, REBUILD_VIEWS, REBUILD_PACK, REBUILD_CHECK, REBUILD_SEARCH };

struct rebuild_options {
	bool keep;    /* the old file stays as PATH.before-rebuild, which must not be there yet */
	bool compact; /* pages in order, none free */
	/*
	 * Write what can be read of the tape to this new file, and leave PATH as it is: when rows are
	 * lost.  NULL: they must all be there.
	 */
	const char *salvage;
	/* Every so often: `done` of `all` (0: unknown).  False: stop, nothing changes.  May be NULL. */
	bool (*go_on)(void *ctx, enum rebuild_step step, int64_t done, int64_t all);
	/*
	 * With `salvage`, for what is missing: entries `first` to `last`; or one, of which an index
	 * still says that it is number `stream_seq` (from 0) of `stream`, else NULL.
	 */
	void (*missing)(void *ctx, int64_t first, int64_t last, const char *stream,
	                int64_t stream_seq);
	/*
	 * Entries `first` to `last` were found in pages to which no other page leads, and are what they
	 * say: damage had cut them off.  After all else; may be NULL.
	 */
	void (*found)(void *ctx, int64_t first, int64_t last);
	void *ctx;
};

struct rebuild_report {
	int64_t entries, found; /* rows in the new file; of them, found by their pages alone */
	int64_t lost;          /* rows that could not be read */
	int64_t first_lost;    /* the first of them, -1: none */
	int64_t leaning;       /* of a salvage: there, but packed beside one that is not */
	int64_t notes_lost, notes_false; /* could not be read; of a salvage: never signed, left out */
	int64_t bytes_before, bytes_after; /* of the file with its write-ahead log; and anew */
	char verdict[24];      /* what verify says of the new file (verdict_name()) … */
	bool holds;            /* … OK, or that there is no key or note to hold it against */
	char detail[512];      /* … and why, one line */
};

/*
 * The caller holds the lock of the owner of PATH.  No other process may have the file open, and no
 * connection of this one: STORE_EBUSY.  STORE_EFORMAT: rows cannot be read, `out` says how many,
 * and nothing has changed.  Any other error: nothing has changed either, but for the search index,
 * which is made last.  `config` gives key_dir, text_size and plain_text.
 */
int store_remake(const char *path, const struct store_config *config,
                 const struct rebuild_options *o, struct rebuild_report *out, struct why *why);

#endif

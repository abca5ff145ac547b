/* SPDX-License-Identifier: MIT */
/*
 * The database's file under an open memory: deleted, moved away, replaced, linked, cut short.
 *
 * An open file lives on without its name, so SQLite would go on writing what nobody finds again;
 * and its log, DB-wal, would be taken for that of whatever stands at the name next.  So
 *
 *                 the name leads elsewhere, or a second one to it
 *   at its place ─────────────────────────────────────────────────► moved
 *
 *   1. Once moved, the store is read-only until it is opened anew: a file that comes back may have
 *      been written meanwhile.  A sync answers STORE_EIO.
 *   2. Maintenance then lets the views see what was committed, copies the log back into the file
 *      it belongs to, through the descriptors SQLite has, and empties it: what was moved away is
 *      whole by itself.  Then it takes away the names of log and index, so that what stands at the
 *      database's name now is not mixed with them; not where the file is still at its name.  A
 *      file that was cut gets nothing, nor one whose index went, for whoever opened it since has
 *      another, and writes into the same log: that stays beside it as it is.
 *   3. No connection is opened by the name any more (file_id.h).
 */
#ifndef CINTA_STORE_MOVED_H
#define CINTA_STORE_MOVED_H

#include <stdbool.h>
#include <stddef.h>

#include "store/base/base.h"

struct store;

enum moved_how { MOVED_NOT, MOVED_GONE, MOVED_REPLACED, MOVED_LINKED, MOVED_LOG, MOVED_INDEX,
	MOVED_CUT };

struct moved {
	struct file_pin db, log, index; /* set at open: DB, DB-wal, DB-shm */
	_Atomic int how;
	_Atomic bool emptied;     /* the log was copied back */
	int64_t size;             /* maintenance's: bytes of DB when it looked last */
	bool told;                /* maintenance's: errors.log tells */
};

/* The owner's, at the end of opening: remembers which files these are. */
void moved_open(struct store *s);
void moved_close(struct store *s);
/* Any thread: looks now.  True if it has moved. */
bool moved_look(struct store *s);
/* Maintenance's: looks, empties the log, tells of it. */
void moved_tick(struct store *s);
/*
 * Commit lock held.  True if it has moved and its log was not copied back yet: what was committed
 * before may still be seen by the views, whose changes go where the entries are.
 */
bool moved_takes_views(const struct store *s);
/* At the end, commit lock held: leaves the log as it is, which may be another file's by now. */
void moved_settle(struct store *s);
/* "DATABASE …" with what to do, or "". */
void moved_trouble(const struct store *s, char *text, size_t size);

#endif

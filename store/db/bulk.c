/* SPDX-License-Identifier: MIT */
/*
 * Reading in pieces (bulk.h).  SQLite asks for a page at a time, and each is a call of the system,
 * which costs as much as checking a row.
 *
 * The file's methods are a table of our own from then on: a copy of SQLite's with other reading,
 * which stands in the same struct as the piece, so that the methods find it.
 *
 * A piece is dropped with each lock that is taken or given, so at both ends of a transaction.
 * Within one no page of the file changes that the transaction may read there: who copies pages
 * from the log leaves out those that are newer than its snapshot, and reads of the older ones go
 * to the log.
 */
#include "store/db/bulk.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

struct bulk {
	sqlite3_io_methods methods;
	const sqlite3_io_methods *real;
	sqlite3_int64 last; /* where the read before this one was */
	sqlite3_int64 at;   /* of the piece */
	int len;            /* 0: there is none */
	char piece[BULK_SIZE];
};

static struct bulk *bulk_of(sqlite3_file *f)
{
	return (struct bulk *)((char *)(uintptr_t)f->pMethods - offsetof(struct bulk, methods));
}

static int read_piece(sqlite3_file *f, void *out, int len, sqlite3_int64 at)
{
	struct bulk *b = bulk_of(f);
	bool forward = at > b->last && at - b->last <= BULK_SIZE;
	b->last = at;
	if (len > BULK_SIZE)
		return b->real->xRead(f, out, len, at);
	if (at < b->at || at + len > b->at + b->len) {
		if (!forward)
			return b->real->xRead(f, out, len, at);
		b->at = at;
		b->len = 0;
		/* Short: the file ends in it. */
		if (b->real->xRead(f, b->piece, BULK_SIZE, at) != SQLITE_OK)
			return b->real->xRead(f, out, len, at);
		b->len = BULK_SIZE;
	}
	memcpy(out, b->piece + (at - b->at), (size_t)len);
	return SQLITE_OK;
}

static int take_lock(sqlite3_file *f, int level)
{
	bulk_of(f)->len = 0;
	return bulk_of(f)->real->xLock(f, level);
}

static int give_lock(sqlite3_file *f, int level)
{
	bulk_of(f)->len = 0;
	return bulk_of(f)->real->xUnlock(f, level);
}

static int shared_lock(sqlite3_file *f, int first, int count, int flags)
{
	bulk_of(f)->len = 0;
	return bulk_of(f)->real->xShmLock(f, first, count, flags);
}

static int close_file(sqlite3_file *f)
{
	struct bulk *b = bulk_of(f);
	f->pMethods = b->real;
	free(b);
	return f->pMethods->xClose(f);
}

int bulk_read(sqlite3 *db)
{
	sqlite3_file *f = NULL;
	if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &f) != SQLITE_OK || !f ||
	    !f->pMethods)
		return 0;
	struct bulk *b = calloc(1, sizeof *b);
	if (!b)
		return STORE_ENOMEM;
	b->real = f->pMethods;
	b->methods = *b->real;
	b->methods.xRead = read_piece;
	b->methods.xLock = take_lock;
	b->methods.xUnlock = give_lock;
	b->methods.xClose = close_file;
	if (b->real->iVersion >= 2)
		b->methods.xShmLock = shared_lock;
	f->pMethods = &b->methods;
	return 0;
}

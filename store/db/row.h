/* SPDX-License-Identifier: MIT */
/*
 * Rows of the tape: read, and held against their own hashes.  Part of the door of store/db.
 *
 * What is shown was checked: whoever shows what a row says reads it by row_entry(), which hashes
 * body and header anew (docs/format.md §2), some 1 µs a row.  A row that fails has no body any
 * more, so that no reader can take what stands there for what was said.
 */
#ifndef CINTA_ROW_H
#define CINTA_ROW_H

#include <sqlite3.h>

#include "store/base/base.h"
#include "store/entry.h"

/* `body` as it was hashed, of a row with body_len `len`; what cannot be unpacked stays a blob. */
#define PLAIN(body, len) \
	"CASE typeof(" body ") WHEN 'blob' THEN " UNPACK_SQL "(" body ", " len ") ELSE " body " END"
#define UNPACK_SQL "cinta_unpack"
int unpack_function(sqlite3 *db); /* gives a connection that; SQLite's code */
#define PLAIN_BODY PLAIN("t.body", "t.body_len")
/* A row of the tape, its body as it was hashed. */
#define TAPE_HEADER "t.seq, t.stream, t.stream_seq, t.prev, t.time_us, t.kind, t.author, " \
	"t.body_len, t.body_hash, t.leaf_hash, t.salt, "
#define TAPE_COLUMNS TAPE_HEADER PLAIN_BODY
enum { TAPE_COLUMN_COUNT = 12 };
/* The same with its body as it is stored: for who writes it elsewhere. */
#define STORED_COLUMNS TAPE_HEADER "t.body"
/*
 * What stands in the place of the body of row `t` since it was redacted, or the body; NULL: it is
 * missing.  Of one that somebody put back row_entry() finds that it is not the one hashed.
 */
#define SHOWN_BODY \
	"coalesce((SELECT gone.body FROM v_redacted gone WHERE gone.seq = t.seq), " PLAIN_BODY ")"
/* What row_entry() and entry_of_row() expect first in a row's columns. */
#define ENTRY_COLUMNS TAPE_HEADER SHOWN_BODY ", t.body IS NULL"
enum { ENTRY_COLUMN_COUNT = 13 };

/* ---- which rows failed ------------------------------------------------------ */

enum { DAMAGE_MOST = 256 /* rows told one by one; of more, how many */ };

/* Of one store; any thread.  All zeros and lock_init() to begin with. */
struct damage {
	struct lock lock;
	int64_t seq[DAMAGE_MOST]; /* the next three: guarded by lock */
	size_t count;             /* of seq, in the order in which they were met */
	size_t told;              /* damage_next() has handed out */
	_Atomic bool any;
};

void damage_init(struct damage *d);
void damage_add(struct damage *d, int64_t seq);
/* The next row that nobody has told of; false: there is none. */
bool damage_next(struct damage *d, int64_t *seq);
/* The lowest row that is known to have failed; INT64_MAX: none. */
int64_t damage_first(struct damage *d);
/* In words, for status; "": no row has failed. */
void damage_text(const struct damage *d, char *text, size_t size);

/* ---- reading ------------------------------------------------------------------ */

/* Checks what one connection reads; belongs to its thread.  All zeros: nothing is checked. */
struct row_check {
	struct hasher hasher;
	char origin[FIELD_MAX + 1];
	struct damage *damage; /* who is told; may be NULL */
};
/* Ready for the rows of the tape in `db`, whose first entry says its origin. */
int row_check_open(struct row_check *c, sqlite3 *db, struct damage *damage);
void row_check_release(struct row_check *c);

/*
 * A row whose columns are ENTRY_COLUMNS, checked: `damaged` is set, and body and salt are NULL, if
 * it is not the one that was hashed.  Borrows from the statement until its next step; STORE_EFORMAT
 * for a malformed row.
 */
int row_entry(struct row_check *c, sqlite3_stmt *row, struct entry *e);
/* The same as it stands there: for who shows no body, or shows rows as they are. */
int entry_of_row(sqlite3_stmt *row, struct entry *e);

/* ---- writing ------------------------------------------------------------------- */

/*
 * The parameters 1 to 12 of a statement that inserts a row, in the order of TAPE_COLUMNS.  They
 * borrow from the entry until the statement is reset.
 */
void entry_to_row(sqlite3_stmt *put, const struct entry *e);

/* ---- as verify reads ------------------------------------------------------------ */

/*
 * A row whose columns are TAPE_COLUMNS, with types and alphabets checked; body_len is what the row
 * says, *stored how long the body is.  False: a field breaks the format.
 */
bool row_strict(sqlite3_stmt *row, struct entry *e, size_t *stored);
/* The same of STORED_COLUMNS, with the body as it was hashed in column `body_at`. */
bool row_strict_of(sqlite3_stmt *row, int body_at, struct entry *e, size_t *stored);
/*
 * All rows of the tape in `db` in their order, as the format has them: `hashed_len` is what the row
 * says, body_len what there is.  Ends with what `fn` returns if that is not 0; STORE_EFORMAT.
 */
int rows_strict(sqlite3 *db, int (*fn)(void *ctx, const struct entry *e), void *ctx);
enum row_fault { ROW_GOOD, ROW_BODY, ROW_HEADER };
/* Which of its hashes is not that of what it says; `stored` bytes of body. */
enum row_fault row_fault(struct hasher *h, const char *origin, const struct entry *e,
                         size_t stored);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What is sent to a server and what comes back, as bytes: SQL text in which every value is a
 * number, hex, or a field of visible ASCII that is escaped; rows of the tape as entries.  Pure but
 * for libpq's reading of a result.
 */
#ifndef CINTA_SERVER_TEXT_H
#define CINTA_SERVER_TEXT_H

#include "store/server/libpq.h"
#include "store/tape/tape.h"

/* A text that grows; `failed`: there was no memory, and it is not to be used. */
struct sql_text {
	char *bytes; /* NUL-terminated; NULL: empty */
	size_t len, room;
	bool failed;
};

void sql_release(struct sql_text *t);
void sql_add(struct sql_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* 'text', quoted for a server whose standard_conforming_strings are on. */
void sql_add_quoted(struct sql_text *t, const char *text);
/* '\x…'::bytea, or NULL for no bytes (NULL). */
void sql_add_bytes(struct sql_text *t, const void *bytes, size_t len);

/*
 * One query of tape.append() for this call, of a machine that has so many entries.  `early`: others
 * need not wait until it is durable; fails within a transaction, which is to be rolled back.
 */
void sql_add_call(struct sql_text *t, int64_t mount, int64_t number, const struct engine_call *c,
                  int64_t have, bool early);
/* "(seq, stream, …)", a row of tape.entry as it is in a file. */
void sql_add_row(struct sql_text *t, const struct entry *e);

/* The columns of tape.entry, in the order that row_list_read() expects. */
#define SERVER_COLUMNS "seq, stream, stream_seq, prev, time_us, kind, author, body_len," \
	" body_hash, leaf_hash, salt, body"

/* Behind them in what tape.append() gives; set in its last row, which is no entry. */
enum { COLUMN_FIRST = 12, COLUMN_STORED, COLUMN_REFUSED, CALL_COLUMNS };

/* Entries of a result, as text or binary; they borrow from it and from `bytes`. */
struct row_list {
	struct entry *rows;
	size_t count;
	uint8_t *bytes;   /* what was hex */
};
/* Those of the first `rows` rows.  STORE_EFORMAT: a row is none; STORE_ENOMEM. */
int row_list_read(const struct libpq *pq, const PGresult *r, int rows, struct row_list *out);
void row_list_release(struct row_list *l);
/* A number of a result, or `missing`; text alone. */
int64_t result_cell(const struct libpq *pq, const PGresult *r, int row, int column,
                    int64_t missing);
/* The same of its first row. */
int64_t result_number(const struct libpq *pq, const PGresult *r, int column, int64_t missing);

#endif

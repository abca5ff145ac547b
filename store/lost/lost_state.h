/* SPDX-License-Identifier: MIT */
/* Entries that a server has lost, on their way back: private to store/lost. */
#ifndef CINTA_LOST_STATE_H
#define CINTA_LOST_STATE_H

#include "store/internal.h"

/* An entry of the file, and the one of the server that is the same. */
struct lost_pair {
	int64_t was, is;
};
/* An entry that came to the server since: SHA-256 of stream, kind and body. */
struct lost_known {
	uint8_t hash[HASH_SIZE];
	int64_t seq;
	bool met;      /* it is one of the lost ones */
};

struct lost {
	struct store *s;             /* the server's replica */
	sqlite3 *db, *now;           /* the file, and that replica */
	struct row_check check;      /* of rows of the file */
	struct come_back *how;
	int64_t first, until;        /* the first lost entry; entries of the replica at the beginning */
	struct lost_pair *pairs;     /* by `was` */
	size_t pair_count, pair_room;
	struct lost_known *known;    /* by hash */
	size_t known_count, known_room;
	int64_t *saved;              /* documents that got a version back */
	size_t saved_count, saved_room;
	int64_t skip;                /* this entry came with the one before it, 0: none */
};

/* The first entry in which the two differ: *first; -1: they are of different memories. */
int lost_first(sqlite3 *a, sqlite3 *b, int64_t *first);
/* Reads what came to the server since. */
int lost_read_known(struct lost *l);
/* One that is the same, which counts once; 0: none. */
int64_t lost_meet(struct lost *l, const char *stream, const char *kind, const char *body,
                  size_t len);
/* Saved since by somebody else: the newest such entry of a document; 0: none. */
int64_t lost_saved_since(struct lost *l, int64_t doc);
int lost_pair_add(struct lost *l, int64_t was, int64_t is);
/* What an entry of the file is on the server; 0: it is not there. */
int64_t lost_entry(const struct lost *l, int64_t was);
/* The same for the n-th entry (from 1) of a stream of the file: its number there. */
int64_t lost_nth(const struct lost *l, const char *stream, int64_t n);
/* First column of a row for a stream and a number, or `missing`. */
int64_t lost_number(sqlite3 *db, const char *sql, const char *stream, int64_t n, int64_t missing);

#endif

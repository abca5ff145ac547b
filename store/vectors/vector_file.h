/* SPDX-License-Identifier: MIT */
/*
 * PATH.vectors, where vectors of texts are kept.  Private to the store.
 *
 * `hash` numbers the hashes of texts; `text` says which entry holds which of them, and whether it
 * can be found (`live`); `pack` and `data` hold a model's vectors, 64 a row: number id stands in
 * pack id / 64 at place id % 64, and bits of `have` and `none` say which places are taken, or will
 * never be.  What a search needs of `text` and `pack` is kept in memory, too.
 *
 * A `struct vectors` belongs to who holds the lock of struct index.
 */
#ifndef CINTA_VECTOR_FILE_H
#define CINTA_VECTOR_FILE_H

#include "store/tape/tape.h"
#include "store/search/search.h"
#include "store/vectors.h"

/* Raise it when a table or what a number stands for changes: all is made anew, and paid again. */
enum { VECTORS_VERSION = 1, PACK = 64, HANDED = 4096 };

enum vectors_stmt {
	VECTORS_STATE, VECTORS_SET_STATE, VECTORS_CHANGED,
	VECTORS_FIND, VECTORS_NUMBER, VECTORS_FORGET, VECTORS_LAST,
	VECTORS_SAVE_TEXT, VECTORS_DOC, VECTORS_END_DOC, VECTORS_END, VECTORS_OF_ENTRY, VECTORS_SHARED,
	VECTORS_DROP_TEXT, VECTORS_LIVE,
	VECTORS_MODEL, VECTORS_ADD_MODEL,
	VECTORS_PACKS, VECTORS_PACK, VECTORS_SAVE_PACK, VECTORS_ADD_DATA, VECTORS_PACKS_AT,
	VECTORS_STMTS
};

/* A text that can be found. */
struct vector_row {
	int64_t seq;
	uint32_t id;
	int flags; /* as in the index's `text` */
};

struct vector_pack {
	int64_t data; /* 0: there is none */
	uint64_t have, none;
};

struct vectors {
	sqlite3 *db;
	sqlite3_stmt *stmt[VECTORS_STMTS];
	struct hasher hasher;
	bool fixed;       /* the file can only be read */
	bool owner;       /* we copy its WAL back */
	bool loaded;      /* `rows` are what the file says */
	int64_t version;  /* of the file's content, as far as we know it */
	int64_t upto;     /* entries of the tape that were seen */
	struct vector_row *rows; /* by seq */
	size_t count, room;
	/* The packs of one model; model 0: none are known. */
	int64_t model;
	int dims;
	struct vector_pack *packs;
	size_t pack_count;
	/* What was handed out last, to be made vectors of. */
	unsigned char (*handed)[VECTOR_HASH];
	size_t handed_at;
};

/*
 * `make`: the file is made if it is not there, else STORE_ENOENT.  `read_only`: it is read as it
 * is.  STORE_EROFS: it cannot be written.  STORE_EFORMAT: damaged, or of another version.
 */
int vectors_open(const char *path, bool make, bool read_only, struct vectors **out);
void vectors_close(struct vectors *v);
void vectors_remove(const char *path);
/* Steps a bound statement that returns nothing. */
int vectors_run(struct vectors *v, enum vectors_stmt which);
/* First column of a bound statement, 0 without a row; a STORE_ code. */
int vectors_number(struct vectors *v, enum vectors_stmt which, int64_t *out);

/*
 * Sees at most `most` further entries of those the index x has seen, in a transaction; *left is how
 * many remain.  What was redacted goes, with its vectors.
 */
int vectors_catch_up(struct vectors *v, struct search *x, int64_t most, int64_t *left);
/* The text of row `seq`, as the index has it; 0 with a NULL body: it cannot be found any more. */
int vectors_text(struct search *x, int64_t seq, struct search_text *out);

/* Makes `rows` true, and the packs those of the model; STORE_ENOENT: it has no vectors. */
int vectors_load(struct vectors *v, const struct vector_model *m);
/* In `rows`, if they are loaded. */
int vectors_put_row(struct vectors *v, int64_t seq, uint32_t id, int flags);
void vectors_drop_row(struct vectors *v, int64_t seq);
/* The row of `seq`, or NULL. */
const struct vector_row *vectors_row(const struct vectors *v, int64_t seq);
/* What is in memory may differ from the file: it is read again. */
void vectors_unload(struct vectors *v);

/* Writes at place id of a model: a unit vector, or NULL that there will be none. */
int vectors_write(struct vectors *v, int64_t model, int dims, uint32_t id, const float *unit);
/* Takes number id from every model, the bytes too. */
int vectors_erase(struct vectors *v, uint32_t id);
/* One vector, STORE_ENOENT. */
int vectors_read(struct vectors *v, int64_t model, int dims, uint32_t id, float *out);
/*
 * Cosines with a unit vector: out[id], NAN where there is none, for id below 64 * v->pack_count.
 * `want`: bits as in `have`, a word a pack; NULL: all.  After vectors_load().
 */
int vectors_cosines(struct vectors *v, const float *unit, const uint64_t *want, float *out);

/* What counts of a text: VECTOR_TEXT_MOST bytes, not in the middle of a character. */
void vector_cut(const char *text, size_t *len);
/* False: it has no direction.  `in` and `out` may be one. */
bool vector_unit(const float *in, int dims, float *out);
float vector_dot(const float *a, const float *b, size_t dims);

bool vector_model_ok(const struct vector_model *m);

/* vector.c.  The store's vectors, or NULL: there is no file, or none that can be used. */
struct vectors *vectors_of(struct store *s, bool make);
/* After an error: what is damaged goes. */
void vectors_failed(struct store *s, int err);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What the files of verify share.  One `struct verify` a run, one read transaction;
 * nothing here writes.  One thread checks; a second one reads rows for it (verify_ahead.c).
 *
 * The order of a run: sidecar and anchors are read, the transaction begins, the
 * genesis names origin and key, all notes are opened, the rows are walked once
 * (verify_rows.c) comparing roots on the way, and then the faults of notes and
 * tiles are judged.  The first fault stands: rows, notes, tiles, views.
 *
 * Functions return 0 to go on, 1 when the verdict is reached, or a STORE_ code.
 */
#ifndef CINTA_VERIFY_H
#define CINTA_VERIFY_H

#include <sqlite3.h>

#include "store/tape/tape.h"
#include "store/store.h"

/* A signed note to be checked: of tape_checkpoint, the sidecar, or an anchor. */
struct proof {
	char *text;           /* owned */
	size_t len;
	const char *where;    /* for people; borrowed */
	bool outside;         /* not from the database … */
	bool kept;            /* … nor from beside it: the user named it */
	int64_t row_size;     /* tape_checkpoint.size; meaningless outside */
	enum note_error bad;  /* what note_checkpoint said */
	struct checkpoint c;  /* valid if !bad */
	bool reached;         /* the rows went as far as c.size … */
	bool same;            /* … and had this root there */
};

struct link; /* the head of a stream, verify_rows.c */
struct tile; /* a row of tape_tile, verify_tiles.c */

struct rows;  /* of the tape, read ahead, verify_ahead.c */
struct claim; /* a tape.redact entry, verify_redactions.c */

struct verify {
	const struct view_table *views;
	sqlite3 *db;
	const struct verify_options *options;
	struct verify_report *out;
	struct hasher h;
	char origin[FIELD_MAX + 1];
	struct note_key key;
	bool has_key;         /* `key` can check signatures … */
	bool trusted;         /* … and does not come from the tape itself */
	char unreadable[160]; /* what could not be read, "": nothing */
	struct proof *proofs;
	size_t proof_count, proof_cap;
	struct proof **order; /* good proofs by size */
	size_t order_count, order_at;
	struct merkle tree;
	struct rows *rows;    /* NULL: not in the walk */
	struct link *links;
	size_t link_count, link_cap;
	struct claim *claims; /* by the entry they name; read when the first body is gone */
	size_t claim_count, claim_cap;
	bool claims_read, claims_met; /* met: the walk has seen an entry of the kind */
	struct tile *tiles;   /* tape_tile, sorted */
	size_t tile_count, tile_cap, tiles_seen;
	int64_t tile_need;    /* tiles complete at this size must be stored */
	char tile_fault[96];  /* "": none so far */
};

/* store_verify(), which knows all views. */
int verify_tape(const char *path, const struct view_table *views, const struct verify_options *o,
                struct verify_report *out);

/* Sets the verdict; returns 1. */
int verify_fault(struct verify *v, enum verdict verdict, int64_t seq, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* What an SQLite failure means: damage is a verdict, all else a STORE_ code. */
int verify_sqlite(struct verify *v, int64_t seq);
/* The same of a failure whose code and words were kept. */
int verify_sqlite_said(struct verify *v, int64_t seq, int rc, const char *said);

/* verify_rows.c */
int verify_rows(struct verify *v);
void verify_rows_release(struct verify *v);

/* verify_ahead.c */
/* Begins to read; v->rows is ours until rows_close(), which takes NULL, too. */
int rows_open(struct verify *v);
/*
 * The next row, in the order of seq: *e borrows until the next call; *stored bytes of body.  Not
 * *strict: a field breaks the format, and *e says nothing.  False: that was the last one.
 */
bool rows_next(struct rows *s, struct entry *e, size_t *stored, bool *strict);
/* Of that row: the entry whose body it is packed with; -1: none. */
int64_t rows_beside(const struct rows *s);
/* After the last row: SQLITE_DONE, or the code and the words of what ended the reading. */
int rows_ended(const struct rows *s, const char **said);
/* Around a question of one's own to the database; NULL: nobody reads. */
void rows_pause(struct rows *s);
void rows_resume(struct rows *s);
void rows_close(struct rows *s);

/* verify_redactions.c */
/* The entry has no body: 0 when the owner signed that it went. */
int redactions_judge(struct verify *v, const struct entry *e);
/* After the walk: 0 when nothing is there that the owner signed away. */
int redactions_judge_back(struct verify *v);
/* Counts those that proved something, and tells the caller of each. */
void redactions_report(struct verify *v);
void redactions_release(struct verify *v);

/* verify_notes.c */
int proofs_read_files(struct verify *v, const char *path); /* before the transaction */
int proofs_read_tape(struct verify *v);
void proofs_open(struct verify *v);                     /* signatures; sorts by size */
void proofs_at(struct verify *v);                       /* compares roots at tree.size */
int proofs_judge(struct verify *v);
void proofs_release(struct verify *v);

/* verify_tiles.c */
int tiles_read(struct verify *v);
void tiles_at(struct verify *v); /* checks the tiles that are complete at tree.size */
int tiles_judge(struct verify *v);
void tiles_release(struct verify *v);

/* verify_schema.c */
int verify_all(struct verify *v);

#endif

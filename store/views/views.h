/* SPDX-License-Identifier: MIT */
/*
 * The door of the views: what a subject's view is made of, and how the store's catch up.  Each
 * subject (logs, documents, facts, context) brings a `struct view_room`; the top makes a table of
 * them, in the order of the floors.
 */
#ifndef CINTA_VIEWS_H
#define CINTA_VIEWS_H

#include "store/tape/tape.h"
#include "store/views/stand_in.h"
#include "store/views/view.h"

enum {
	MARK_EVERY = 64, /* v_mark says where the line of each entry of so many begins */
	NAME_BUCKETS = 4096
};

/* Which entries a subject sees: those of the streams "x17" for a letter, or of one stream. */
struct view_kind {
	char letter;        /* 0: `stream` */
	int64_t most;       /* largest number behind the letter, 0: any */
	const char *stream;
	const char *kind;   /* of that stream; NULL: any */
	int (*see)(struct view *v, const struct entry *e, int64_t number);
	bool at_once;       /* seen in the transaction that appends them (struct tape_hooks) */
	bool whole;         /* no batch ends between two of one stream and time */
};

/* What a subject does.  Functions may be NULL. */
struct view_room {
	struct sql sql;
	const struct view_kind *kinds;
	int kind_count;
	int (*open)(struct view *v);
	void (*close)(struct view *v);
	void (*each)(struct view *v, const struct entry *e); /* before any entry is seen */
	void (*forget)(struct view *v);                      /* what is cached may be wrong */
	int (*save)(struct view *v);                         /* a batch ends */
};

struct view_table {
	const struct view_room *room[SQL_ROOMS];
	/* What logs ask of subjects above them: 1 if such a component is there as the tape stands. */
	int (*component_here)(struct view *v, const char *table, const char *code);
	/* Message `n` was pinned as it was written. */
	int (*pinned)(struct view *v, const struct entry *e, int64_t session, int64_t n);
	const char *beside; /* the one table that the tape does not make */
	/* TABLE.COLUMN, a blank after each: how long lines are, which other versions make otherwise. */
	const char *sized;
};

struct view_name { /* one-way cache of v_name: hash to id */
	char hash[HEX_SIZE];
	int64_t id;
};

/* Columns of v_day. */
enum day_column {
	DAY_ENTRIES, DAY_BYTES, DAY_MESSAGES, DAY_TOKENS, DAY_VERSIONS, DAY_FACTS, DAY_RETRACTED,
	DAY_COLUMNS
};
enum { DAYS_HELD = 16 };
struct view_days { /* of this batch, not yet in v_day */
	struct {
		int64_t day, sum[DAY_COLUMNS];
	} at[DAYS_HELD];
	int count;
};

struct log_views;
struct doc_cache;

struct view {
	sqlite3 *db;
	const struct view_table *table;
	size_t (*text_size)(const struct entry *e);
	struct hasher hasher;
	struct row_check check; /* views are made of rows that hold */
	int64_t upto, tape_bytes;
	sqlite3_stmt **stmt[SQL_ROOMS];
	struct view_name *names;   /* NAME_BUCKETS */
	struct view_days days;
	struct log_views *logs;    /* theirs */
	struct doc_cache *doc_cache; /* the store's, or NULL */
	struct note_key key; /* of the tape; name "": there is none, or it was not read yet */
	int64_t redactions_below; /* view_know_redactions() */
	int64_t turn; /* how many entries may have changed what a component's code means */
};

static inline sqlite3_stmt *view_stmt(const struct view *v, int which)
{
	return v->stmt[SQL_ROOM(which)][SQL_N(which)];
}

/* Runs a bound statement to its end and resets it. */
int view_run(struct view *v, int which);
/* The number of the identity with this path or hash: made when new. */
int view_name_id(struct view *v, const char *label, int64_t *id);
/* As above, but `hash` is already the SHA-256 in hex of what `label` names. */
int view_hash_id(struct view *v, const char *hash, const char *label, int64_t *id);
/* So much more of it on the day of that time. */
int view_day(struct view *v, int64_t time_us, enum day_column which, int64_t more);
/* The row of the table that sees entries of this stream (and kind, if not NULL); NULL: none. */
const struct view_kind *view_kind_of(const struct view_table *table, const char *stream,
                                     const char *kind, int64_t *number);

extern const struct view_room view_own; /* v_state, v_mark, v_name, v_redacted */
extern const struct sql view_queries;
enum {
	READ_MARK = SQL_FIRST(SQL_VIEWS), READ_STATE, READ_TIME, READ_TIME_LAST,
	READ_HASH, READ_DAYS, READ_STREAMS, READ_TOUCHED, READ_REDACTED,
	READ_REDACTION
};

/* ---- the store's views ------------------------------------------------- */

struct reader;

/* Before the tape is opened; then on its connection: made anew if of another version. */
int views_new(struct store *s);
int views_open(struct store *s, const struct view_table *table, sqlite3 *db);
/*
 * While the store opens: if the file has just come from a server, all views of it at once.  A
 * failure is met again, and reported, by the first reader.
 */
void views_fill(struct store *s);
void views_close(struct store *s);
/* True if this store keeps views up, false if it can only read them. */
bool views_kept(const struct store *s);
/* Rows they have seen. */
int64_t views_at(const struct store *s);
/* A read had to walk far past them; true, once, if one did. */
void views_want(struct store *s);
bool views_wanted(struct store *s);
/*
 * No lock held.  An entry at `seq` or later may take out bodies: the tape says so, whatever they
 * have seen.  True also if it cannot be read.
 */
bool views_redacted_since(struct store *s, int64_t seq);

/* Commit lock held: the views as they are made; NULL: nothing can be written. */
struct view *views_made(struct store *s);
/* For struct tape_hooks. */
int views_before(struct store *s);
int views_within(struct store *s, int64_t limit);
void views_seen(struct store *s, int64_t limit);
void views_undo(struct store *s);

/* The views have seen what is committed, by other processes too. */
int views_see_all(struct store *s);
/* The same, and a reader, for reader_put() if it returns 0. */
int views_reader(struct store *s, struct reader **r);
/* The same in a transaction, so that all the reader sees is of one moment. */
int views_snapshot(struct store *s, struct reader **r);
/*
 * Each row of a statement whose parameter is a text or, if that is NULL, a number.  `row` must not
 * call the store.
 */
int views_each(struct store *s, int which, const char *text, int64_t number,
               void (*row)(sqlite3_stmt *row, void *ctx), void *ctx);

#endif

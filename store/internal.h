/* SPDX-License-Identifier: MIT */
/*
 * What the files of the store share: the struct behind the door.  A field says
 * which lock protects it.  Lock order: settle_lock, commit_lock, then queue_lock or
 * heads.lock or a reader; side_lock, sync_lock and search_lock are taken alone.
 */
#ifndef CINTA_STORE_INTERNAL_H
#define CINTA_STORE_INTERNAL_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#include "store/access.h"
#include "store/chain.h"
#include "store/db.h"
#include "store/doc_lately.h"
#include "store/head.h"
#include "store/store.h"

struct view;
struct signer;
struct search;
struct vectors;

enum { READERS = 4 };

/* Statements of a reading connection; the texts are in reader.c. */
enum reader_stmt {
	READ_GROUP_NAME, READ_GROUP_ID, READ_GROUP_NEXT, READ_GROUP_LAST,
	READ_GROUP_NEWEST,
	READ_LINE, READ_STREAM, READ_THREAD, READ_TAPE, READ_MARK, READ_STATE, READ_MESSAGE, READ_REFS,
	READ_STORED,
	/* From here on of documents: absent while nobody could make an older cinta's views anew. */
	READ_DOCS,
	READ_DOC_COUNT = READ_DOCS, READ_DOC_NAME, READ_DOC_LAST, READ_DOC_ID, READ_DOC_NEXT,
	READ_DOC_DIR,
	READ_DOC_VERSION, READ_DOC_VERSION_AT, READ_DOC_HISTORY, READ_DOC_BODY, READ_DOC_PLACE,
	READ_DOC_PLACE_NEXT, READ_DOC_BLOCKS, READ_DOC_ANSWERS, READ_DOC_NEXT_SINCE,
	READ_DOC_QUESTION, READ_DOC_POLICY, READ_DOC_SCORING, READ_DOC_ALGORITHMS, READ_DOC_MEMORIES,
	/* Of facts; absent as those of documents. */
	READ_FACT_LIST, READ_FACT_LIVE, READ_FACT_ID, READ_FACT_ALL, READ_FACT_AT, READ_FACT_END,
	READ_FACT_END_AT, READ_FACT_TEXT, READ_FACT_SAVE_AT, READ_FACT_HISTORY,
	/* Of windows; absent as those of documents. */
	READ_CONTEXT, READ_CONTEXT_HELD, READ_CONTEXT_SHOWN, READ_SUMMARIES, READ_SUMMARIES_BACK,
	READ_SUMMARY, READ_DIGEST, READ_CONTEXT_TOUCHED,
	READ_TURNS, READ_TURNS_ACTIVE, READ_TURNS_PINNED,
	READER_STMTS
};

struct reader {
	sqlite3 *db;
	sqlite3_stmt *stmt[READER_STMTS];
	bool busy;
};

struct store {
	char path[PATH_MAX];
	char origin[FIELD_MAX + 1];
	char vkey[FIELD_MAX + 128];
	struct store_config config;
	bool read_only;               /* set at open, never changed */
	char trouble[256];            /* set at open, never changed */

	pthread_mutex_t queue_lock;
	struct append *queue, **queue_end; /* queue_lock */
	bool leading;                      /* queue_lock: a thread is committing */

	pthread_mutex_t commit_lock;
	sqlite3 *w;                   /* commit_lock, as all until heads */
	sqlite3_stmt *begin, *commit, *insert, *head_of, *end_of_tape;
	uint8_t random[256 * SALT_SIZE]; /* salts not used yet, from the end */
	size_t random_left;
	struct hasher hasher;
	struct view *view;
	struct signer *signer;        /* set at open; has its own lock */
	int64_t next_seq, last_us;
	int wal_pages;

	struct heads heads;
	_Atomic int64_t entries;      /* committed rows */
	_Atomic int64_t viewed;       /* rows the views have seen */
	_Atomic bool want_views;      /* a read had to walk far past the views */
	pthread_mutex_t settle_lock;  /* before all others */
	int64_t settled;              /* settle_lock: redactions below it left nothing; -1: not read */
	_Atomic bool foreign;         /* another process has appended: the keeper tells */
	_Atomic int64_t current;      /* session last written to, 0: ask the views */

	pthread_mutex_t reader_lock;
	pthread_cond_t reader_free;
	struct reader readers[READERS]; /* reader_lock for `busy`; the holder for the rest */

	pthread_mutex_t sync_lock;
	sqlite3_file *wal;            /* set at open */
	_Atomic int64_t synced;       /* rows known to survive power loss */

	struct doc_lately lately;     /* its own lock */

	pthread_mutex_t side_lock;
	sqlite3 *side;                /* side_lock: refusals, what was offered, scratch */
	struct accesses accesses;     /* side_lock */
	_Atomic int64_t refusals;

	pthread_mutex_t search_lock;
	struct search *search;        /* search_lock; NULL until it is first needed */
	_Atomic int64_t searched;     /* rows the index has seen, as far as we know */
	struct vectors *vectors;      /* search_lock; NULL until they are first needed */

	pthread_t keeper;
	pthread_mutex_t keeper_lock;
	pthread_cond_t keeper_wake;
	bool keeper_runs, keeper_stop; /* keeper_lock */
};

int64_t store_now(const struct store *s);
/* N of the stream "sN" for first 's'; 0: it is another's. */
int64_t store_stream_number(const char *stream, char first);
/* The `kind` of a log in v_group and v_line. */
int64_t store_kind_number(enum log_kind kind);

/* tape.c; commit_lock held */
int tape_open(struct store *s, struct why *why);
void tape_close(struct store *s);
int tape_genesis(struct store *s, struct why *why);
/* Takes notice of other processes' rows; 1: there were some. */
int tape_refresh(struct store *s);
int tape_commit(struct store *s, struct append *list);
/*
 * One transaction: what `list` (one request) appends, the bodies of the entries `seqs` go, and
 * the views are made anew.
 */
int tape_redact(struct store *s, struct append *list, const int64_t *seqs, size_t count);

/*
 * redact.c.  Owner, no lock held: has a redaction come that was not settled yet?  Then it leaves
 * nothing of what is gone in memory or in the files beside.  Not 0: to be tried again later.
 */
int redact_notice(struct store *s);

/* side.c; side_lock held.  The connection, or NULL: then there is nothing and nothing is kept. */
sqlite3 *side_open(struct store *s);
/* Deletes the row `id` with this statement; takes side_lock.  STORE_ENOENT: there is none. */
int side_drop(struct store *s, const char *sql, int64_t id);

/* tokenizer.c: settles config.tokenizer, once, while the store opens. */
void tokenizer_settle(struct store *s);

/*
 * search.c; search_lock held.  The index sees at most `most` further entries, of those that the
 * views have seen; *left is how many remain.
 */
int search_keep_up(struct store *s, int64_t most, int64_t *left);
/* vector.c; search_lock held.  The same, and then for the vectors, if there are any. */
int vectors_keep_up(struct store *s, int64_t most, int64_t *left);

/* reader.c */
struct reader *reader_get(struct store *s); /* waits for a free one; NULL: cannot open */
void reader_put(struct store *s, struct reader *r);
/* The same when only this statement was used: there are many. */
void reader_put_one(struct store *s, struct reader *r, sqlite3_stmt *used);

/* store.c: finalizes and closes; it may be filled again. */
void reader_close(struct reader *r);

/* keeper.c */
int keeper_start(struct store *s);
void keeper_stop(struct store *s);
/* Views catch up at most `rows` entries; commit_lock held. */
int keeper_catch_up(struct store *s, int64_t rows);

#endif

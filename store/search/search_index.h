/* SPDX-License-Identifier: MIT */
/*
 * The search index: a view in a file of its own, PATH.search.  Private to the store.
 *
 * It has its own file because it is the one view that is slow to fill: so no append and no other
 * view waits for its transactions, every sqlite3 can read all of the memory's file, and losing it
 * costs nothing but the time to make it again.  Where none can be written it is made in memory's
 * place for temporary files, for as long as the store is open.
 *
 * `text` has a row for each text that can be found, by the seq of its entry; `word` (of messages)
 * and `page` (of documents and facts) are FTS5 without content, by the same number: so a search
 * among facts does not cost more where there are many messages.  A `struct search` belongs to who
 * holds the lock of struct index.
 */
#ifndef CINTA_SEARCH_INDEX_H
#define CINTA_SEARCH_INDEX_H

#include "store/search/search_sum.h"
#include "store/search/search_text.h"
#include "store/words/words.h"

/* Raise it when a tokenizer, a text or a table of the index changes: it is made anew then. */
enum { SEARCH_VERSION = 10 };

/* Bits of text.flags. */
enum { FLAG_KIND = 3, FLAG_ROLE_SHIFT = 2, FLAG_ROLE = 7 << FLAG_ROLE_SHIFT, FLAG_TIMED = 32,
       FLAG_ASKS = 64 /* one person another */, FLAG_TOLD = 128 /* said before it was written */ };

enum search_stmt {
	SEARCH_STATE, SEARCH_SET_STATE, SEARCH_ADD_TEXT, SEARCH_ADD_WORDS, SEARCH_DROP_TEXT,
	SEARCH_ADD_PAGE, SEARCH_DROP_PAGE, SEARCH_DOC, SEARCH_FACT, SEARCH_ROW,
	SEARCH_POSTINGS, SEARCH_PAGE_POSTINGS, SEARCH_WITHIN, SEARCH_PAGE_WITHIN,
	SEARCH_MATCHES, SEARCH_NEWEST, SEARCH_ENTRY, SEARCH_PASSING, SEARCH_SAID, SEARCH_TOLD,
	SEARCH_CHANGED, SEARCH_TIMES,
	/* From here on of the tape's file. */
	SEARCH_TAPE,
	TAPE_ENTRIES = SEARCH_TAPE, TAPE_DOC, TAPE_FACT, TAPE_AROUND, TAPE_TIME,
	TAPE_ENTRY, TAPE_REDACTED,
	SEARCH_STMTS
};

enum { TERMS_MOST = 16 }; /* of a question */

/* Which words are asked: bits. */
enum search_tables { IN_MESSAGES = 1, IN_PAGES = 2, IN_ALL = 3 };

/* The documents and facts that satisfied an expression, as long as none changes. */
struct search_scope_kept {
	char *match;     /* sqlite3_free(); NULL: none */
	int64_t *seqs;   /* newest first */
	size_t count;
	int64_t changes, version; /* of the index when they were read */
};
enum { SCOPES_KEPT = 2 }; /* a page asks for facts, then for memories */

/* What the auxiliary function saw in the row at hand. */
struct search_seen {
	int phrase;       /* in: the first word's phrase of the expression; each word's name follows */
	size_t words;     /* in: how many words there are … */
	bool like;        /* … and whether a phrase of how each begins follows its name's, … */
	uint8_t likes[TERMS_MOST]; /* … and then so many of words that mean the same */
	uint8_t body[TERMS_MOST]; /* how often in the body, at most 255 */
	uint16_t who;     /* bits of those that are in the author's name */
	uint16_t alike;   /* of those that the body has, or has another word for that begins alike */
	uint16_t same;    /* of those that it has a word for that means the same */
};

struct search {
	sqlite3 *db;   /* the index */
	sqlite3 *tape; /* for reading */
	bool fixed;    /* the index can only be read */
	bool damaged;  /* a search has failed for its sake */
	int64_t upto;  /* how many entries it had seen when it last caught up */
	int resets;    /* since it last had all: a fault of ours must not make it anew for ever */
	plain_text_fn *plain;
	struct row_check check; /* of the rows of `tape` */
	struct search_tokens tokens;
	struct search_seen seen;
	int64_t page_changes; /* how often we changed `page` */
	struct search_scope_kept scope[SCOPES_KEPT];
	int scope_next;       /* the one that is replaced next */
	struct search_sum *sum; /* not NULL: words are added up here, and kept nowhere */
	const struct search_weights *weights; /* NULL: those of search_score.c; a bench tries others */
	sqlite3_stmt *stmt[SEARCH_STMTS];
};

enum search_mode {
	SEARCH_WRITE,  /* PATH.search, made if need be */
	SEARCH_READ,   /* PATH.search as it is; STORE_ENOENT */
	SEARCH_PRIVATE /* a temporary file */
};
/* `path` is the tape's. */
int search_open(const char *path, enum search_mode mode, plain_text_fn *plain, struct search **out);
void search_close(struct search *x);
/* Removes the file; the next search_open() makes it anew. */
void search_remove(const char *path);
/*
 * Empties the index and forgets how far it came, in a transaction of its own.  Redactions that
 * stand on the tape before seq `clean` have then done their work.
 */
int search_reset(struct search *x, int64_t clean);

/*
 * Sees at most `most` further entries, of those that the views have seen, in a transaction; *left
 * is how many remain.
 */
int search_catch_up(struct search *x, int64_t most, int64_t *left);

/*
 * For those that see the tape entry by entry, in transactions: how far they came, by a statement
 * (upto, clean, leaf), and whether this is the tape they came along.
 */
int search_state(struct search *x, sqlite3_stmt *q, int64_t *upto, int64_t *clean, bool *same);
/* Each entry from *upto to before `stop`; leaf: of the last one seen. */
int search_each_entry(struct search *x, int64_t *upto, int64_t stop, uint8_t leaf[HASH_SIZE],
                      int (*fn)(void *ctx, const struct entry *e), void *ctx);

/* Throws the index away and makes it again from the tape and its views. */
int search_rebuild(const char *path, plain_text_fn *plain);

/*
 * Makes the index anew, its words as a sum, and compares: 0 equal, absent, or not as far as the
 * views yet; 1 different.
 */
int search_compare(const char *path, plain_text_fn *plain, char *detail, size_t size);

/* When entry `seq` was written; INT64_MIN: there is none. */
int64_t search_time_at(struct search *x, int64_t seq);

/* A bound statement that returns nothing. */
int search_run(struct search *x, enum search_stmt which);

#endif

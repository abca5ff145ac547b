/* SPDX-License-Identifier: MIT */
/*
 * Search over messages, documents and facts: part of the store's door, included by store.h.
 *
 * What is asked is data, never the syntax of an index: any bytes are taken.  A search sees
 * everything whose write has returned, as long as the index need not be made anew (wait_us).
 * Functions return 0 or a negative STORE_ code.
 */
#ifndef CINTA_STORE_SEARCH_H
#define CINTA_STORE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/entry.h"

struct store;
struct vector_model;

/* Bits of `in`; 0: all.  Memories, blocks, notes and the sections of smma/ are documents. */
enum { SEARCH_MESSAGES = 1, SEARCH_DOCUMENTS = 2, SEARCH_FACTS = 4 };
enum { SEARCH_LIMIT = 20, SEARCH_LIMIT_MOST = 1000 };
enum { SEARCH_PHRASE_WORDS = 64 /* most words of a phrase */ };

/* Components a message names, by code ("urgente") or with the table ("hsu:urgente"). */
enum {
	SEARCH_TAG, SEARCH_PLAYER, SEARCH_ITEM, SEARCH_FLAG, SEARCH_AT, SEARCH_LEADER, SEARCH_NAMED
};

enum { SEARCH_WAIT_US = 1000000 };
struct search_extent {
	int64_t searched, entries; /* the first so many of so many entries; the same: all of them */
};

struct search_query {
	const char *words; /* what is asked; may be "", and then the newest that pass come first */
	const char *const *phrases; /* each must occur, as consecutive words; signs alone never do */
	size_t phrase_count;
	const char *const *without; /* words and phrases that must not occur */
	size_t without_count;
	unsigned in;
	int64_t session; /* id, 0: any */
	const char *thread; /* name; this and the next three: NULL is any */
	const char *by;     /* author or owner; "alice" also finds "alice:vim" */
	const char *role;
	const char *named[SEARCH_NAMED]; /* NULL: any */
	const char *type;   /* a document's family ("block", "note", …), category, kind of memory;
	                       a fact's domain; "document", "fact" */
	int64_t entry;      /* the text of this entry alone, 0: any */
	int64_t after_us, before_us; /* [after, before) of when it was said, 0: open */
	unsigned status;             /* 1 << LIFE_…: of these lives alone; 0: any */
	int64_t now_us;              /* who is live is asked for this time, 0: store_time() */
	bool beginnings;             /* words count by their first four letters, in any language */
	int limit;                   /* 1..SEARCH_LIMIT_MOST, 0: SEARCH_LIMIT */
	/*
	 * How long to wait for an index that lacks much, as one that is made anew: 0: SEARCH_WAIT_US,
	 * INT64_MAX: until it has all.  Then what it has is searched, and *extent says how much that
	 * is; extent may be NULL.
	 */
	int64_t wait_us;
	struct search_extent *extent;
	bool unread;                 /* numbers, lives and scores will do: hits have no strings (""),
	                                no domain, and no text is read from the tape */
	/*
	 * By meaning, too: the question's vector, of that model (vectors.h), unit length or not.
	 * NULL: by words alone.  Texts without a vector are found by their words.  A text can be a hit
	 * by meaning alone; scores may then be negative.  Where fewer than half of the texts that pass
	 * have a vector, or all are alike, it is by words alone.
	 */
	const float *vector;
	const struct vector_model *model;
};

enum hit_kind { HIT_MESSAGE, HIT_DOCUMENT, HIT_FACT };

/* Strings live for the call of `fn`. */
struct search_hit {
	enum hit_kind kind;
	int64_t seq;        /* the entry that holds the text */
	int64_t session, n; /* a message's session and its number there, from 1 */
	int64_t id;         /* a document's or fact's number */
	int domain;         /* a fact's */
	enum life life;
	int64_t heir;       /* a superseded memory: the live one that stands for it, 0: none does */
	double score;       /* comparable within one search */
	int64_t time_us;    /* when it was said; a document, when it was saved */
	const char *author, *role; /* "" where there is none */
	const char *by;    /* a message's: who said it, as its line tells; "": it does not */
	const char *owner; /* a message's, as it was said, cut at FIELD_MAX bytes; "": none */
	const char *text; /* what was searched: content, document without markup, fact */
	size_t len;
};
/*
 * Best first, what is retired behind all else; a live memory whose forerunner was found stands
 * where that would (without phrases, exceptions, names and dates: whether it satisfies those is
 * not known).  Returns nonzero to stop.
 */
typedef int hit_fn(void *ctx, const struct search_hit *h);
/*
 * STORE_EINVAL: a limit, `in` or date out of range, more than a mebibyte of words, or more than 32
 * phrases or SEARCH_PHRASE_WORDS in one.  Of a question's words the first 16 that say something
 * count, or those of its phrases; any text with one of them can be a hit, and a message near it.
 */
int store_search(struct store *s, const struct search_query *q, hit_fn *fn, void *ctx);
/*
 * From now on searches find words of other languages that mean the same, too, by the dictionaries
 * `names` tells: FreeDict's, as spa-eng, parted by colons (store/words/dictionary.h).  `s` NULL:
 * only looks whether they are here.  STORE_EINVAL with `why`, STORE_ENOMEM.
 */
int store_dictionary(struct store *s, const char *names, struct why *why);

/*
 * The words of `text` as the index has them (folded, stemmed, a CJK character each), with the
 * bytes [start, end) each comes from: what a hit's text shares with the query is a match.
 */
typedef void token_fn(void *ctx, const char *term, size_t len, size_t start, size_t end);
int store_search_tokens(const char *text, size_t len, token_fn *fn, void *ctx);
/* The same of a question: the stems that a word has in other languages follow, with its bytes. */
int store_search_asked(const char *text, size_t len, token_fn *fn, void *ctx);
/* True for a stop word ("the", "de"): in a question it counts only where there are no others. */
bool store_search_is_common(const char *word, size_t len);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What a search is asked in, and how it answers: part of render's door, included by
 * render.h.  The language is in cinta.5, "SEARCH".
 */
#ifndef CINTA_RENDER_SEARCH_H
#define CINTA_RENDER_SEARCH_H

#include "render/format/plain.h"
#include "store/entry.h"

enum {
	QUERY_LIMIT = 256 << 10,  /* most bytes of a query */
	QUERY_PHRASES = 32,       /* most phrases, and most words and phrases to be without */
	QUERY_HITS = 20,          /* hits when nothing else is asked for */
	QUERY_HITS_MOST = 1000,
	QUERY_TYPE = 64,          /* most bytes of a type */
	QUERY_HASH_LEAST = 8, QUERY_HASH = 64 /* digits of a hash */
};

/* Bits of `in`; none: everything. */
enum {
	QUERY_MESSAGES = 1,
	QUERY_FACTS = 2,
	QUERY_DOCUMENTS = 4, /* of all families, those of the next three among them */
	QUERY_MEMORIES = 8,
	QUERY_BLOCKS = 16,
	QUERY_NOTES = 32
};

/* Components by the member that names them: hashtags, players, items, flag, location, leader. */
enum { QUERY_TAG, QUERY_PLAYER, QUERY_ITEM, QUERY_FLAG, QUERY_AT, QUERY_LEADER, QUERY_NAMED };
extern const char *const query_named[QUERY_NAMED]; /* the filters' words */

/* Strings are UTF-8 without control characters; "" and 0 where nothing was asked. */
struct query {
	struct buf words; /* with one blank between; NULL data for none */
	char *phrases[QUERY_PHRASES];
	size_t phrase_count;
	bool unquoted; /* what was quoted was too long for a phrase, and is among the words */
	char *without[QUERY_PHRASES];
	size_t without_count;
	unsigned in;
	unsigned status; /* bits of enum life: 1 << LIFE_LIVE, …; none: any */
	char session[NAME_LIMIT + 1], thread[NAME_LIMIT + 1], by[FIELD_MAX + 1];
	char role[16], type[QUERY_TYPE + 1];
	char named[QUERY_NAMED][NAME_LIMIT + 1]; /* components that messages name */
	char hash[QUERY_HASH + 1];   /* an entry's, or how it begins */
	int64_t after_us, before_us; /* [after, before) */
	int limit;                   /* 1..QUERY_HITS_MOST */
};

/*
 * Reads a query: any bytes.  RENDER_EINVAL: a filter's value is wrong, RENDER_EFBIG: longer
 * than QUERY_LIMIT, RENDER_ENOMEM; with `why`.  `out` is to be released in every case.
 */
int render_query_in(const char *text, size_t len, struct query *out, struct why *why);
void query_release(struct query *q);
/* The query as it was understood, one line of markdown without its newline. */
void render_query(struct buf *out, const struct query *q);

/* ---- the answer ------------------------------------------------------- */

/* The words of a text as the index has them, with the bytes [start, end) of each. */
typedef void word_fn(void *ctx, const char *word, size_t len, size_t start, size_t end);
typedef int words_fn(const char *text, size_t len, word_fn *fn, void *ctx);

/* What a query asks for, as the index has it: to find it again in a hit. */
typedef bool common_fn(const char *word, size_t len);
struct terms {
	struct buf bytes;
	struct term {
		size_t at, len;  /* in `bytes` */
		bool common;     /* says little: counts less, is not in bold */
	} *term;             /* sorted by their bytes */
	size_t count, room;
	words_fn *words;
};
/*
 * Of the words and phrases, by `asked`, to be looked for among the `words` of texts;
 * RENDER_ENOMEM.  Words that are `common` (NULL: none is) are only weak when there are others.
 * Release in every case.
 */
int render_terms(struct terms *out, const struct query *q, words_fn *asked, words_fn *words,
                 common_fn *common);
void terms_release(struct terms *t);
/*
 * Where the closest cluster of terms stands in a text: bytes [from, to), whole words, of the first
 * SNIPPET_TEXT; 0, 0 where no term does.  RENDER_ENOMEM.
 */
int render_cluster(const char *text, size_t len, const struct terms *t, size_t *from, size_t *to);
/*
 * About 30 words of the text around the closest cluster of terms, those in bold, as one
 * line of markdown.  Only the first SNIPPET_TEXT bytes are looked at.
 */
enum { SNIPPET_TEXT = 256 << 10 };
void render_snippet(struct buf *out, const char *text, size_t len, const struct terms *t);

/* A hit; strings are the caller's. */
struct result {
	int rank;          /* from 1 */
	double score;
	const char *kind;  /* "message", "document", "fact" */
	const char *path;  /* below the mount point */
	const char *author, *role; /* "" where there is none */
	const char *by;    /* who said it, as its line tells; "" or NULL: it does not */
	int64_t time_us;
	const char *snippet; /* of render_snippet() */
	enum life life;
	const char *heir;  /* who stands for it, below the mount point; "": nobody */
};
/* What was asked for, in the end: what finds nothing is asked again, more loosely. */
enum found_how {
	FOUND_AS_ASKED,
	FOUND_BY_WORDS,     /* those of phrases that nothing holds */
	FOUND_BY_BEGINNINGS /* words that begin with the same four letters */
};
/* What a reader must know of an answer. */
struct found_state {
	bool by_words;             /* meaning was to count as well, and could not */
	bool wordless;             /* all that was asked for has no word */
	enum found_how how;
	int64_t searched, entries; /* the first so many of so many entries; the same: all of them */
};
/* The page: its head for so many hits, then each of them.  `within`: a session's name, or "". */
void render_results(struct buf *out, const struct query *q, const char *within, size_t hits,
                    const struct found_state *state);
void render_result(struct buf *out, const struct result *r);
/* The page for a query that is none. */
void render_no_query(struct buf *out, const char *text, size_t len, const struct why *why);
/* A hit as a line of JSON, with its newline. */
void render_result_json(struct buf *out, const struct result *r);

#endif

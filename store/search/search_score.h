/* SPDX-License-Identifier: MIT */
/*
 * Ranking: which texts answer a few words best.  Private to the store; called with the index locked
 * and the index in a transaction, so that all it reads is of one moment.
 */
#ifndef CINTA_SEARCH_SCORE_H
#define CINTA_SEARCH_SCORE_H

#include "store/search/search_index.h"
#include "store/words/words.h"

enum { STEM_MOST = 64, STEMS_MOST = 11 };
enum { WINDOW = 4 }; /* so many messages before and after lend their terms */

/* The numbers of the formula on top of search_score.c. */
struct search_weights {
	double window[WINDOW + 1]; /* of a neighbour at that distance; the first is not used */
	double saturation, in_date, bonus, assistant;
	double alike; /* of another word with the same first four letters, where the word is not */
	double same;  /* of a word that means the same, where neither is */
	double answered, asking; /* between people: what follows a question, and the question */
	double words; /* a text of so many words is of ordinary length */
};
extern const struct search_weights search_weights;

/* A question, taken apart. */
struct search_plan {
	struct {
		const char *text; /* as it stands in the question: no quote in it, not NUL-terminated */
		size_t len;
		char stem[STEM_MOST]; /* as the index has it; longer ones are cut */
		size_t stem_len;      /* uncut */
		/* The stems it has in other languages, with accents and without, cut. */
		char other[STEMS_MOST][STEM_MOST];
		size_t other_len[STEMS_MOST], others;
		struct search_date date;
		const char *like[TRANSLATIONS_MOST]; /* words that mean the same, of the dictionary */
		size_t likes;
	} terms[TERMS_MOST];
	size_t term_count;
	unsigned tables;   /* enum search_tables */
	char *need;        /* FTS5 expression all hits satisfy, "" for none … */
	int need_phrases;  /* … and how many phrases it has */
	char *avoid;       /* expression no hit satisfies, "" for none */
	bool check;        /* they say more than session and kind: neighbours must be asked too */
	int64_t session;   /* 0: any */
	int role;          /* 0: any, -1: none there is */
	int64_t first, last; /* range of seqs */
	bool whole;          /* it is all there are */
	int64_t after_us, before_us; /* [after, before) of when it was said */
	bool told;         /* some texts were said before they were written */
	bool dated;        /* the range of seqs does not settle that: each text is looked at */
	bool asks_when;
	bool beginnings; /* words count by their first letters */
	size_t limit;
	const struct search_weights *weights;
	/* For find/hybrid.c: texts that are scored whatever they hold, and what it asks in return. */
	const int64_t *also;
	size_t also_count;
	struct search_spread *spread; /* NULL: nothing */
};

/* Of all scores there are, also of texts that are not among the hits. */
struct search_spread {
	double sum, squares;
	bool whole;   /* all were looked at: what is not delivered has none */
	size_t found; /* hits, before the texts of `also` */
};

/* Which of the plan's terms this is; term_count: none. */
size_t search_term(const struct search_plan *plan, const char *stem, size_t len);

struct search_found {
	int64_t seq;
	double score;
	enum hit_kind kind;
	int role;
	int64_t session, n, doc, said_us;
	enum life life;    /* these two: as find.c finds out */
	int64_t heir;
	char *root, *name; /* a document's place, as search_name() read it; free `name` alone */
};

/*
 * Best first, at most plan->limit; then those of plan->also, in any order, some for the second
 * time.  A score is 0 when no term is near.  The caller frees *out.
 */
int search_rank(struct search *x, const struct search_plan *plan, struct search_found **out,
                size_t *count);
/* The same without terms: newest first, score 0. */
int search_list(struct search *x, const struct search_plan *plan, struct search_found **out,
                size_t *count);

/* Where the documents among them were when they were indexed. */
int search_name(struct search *x, struct search_found *found, size_t count);

/* The first seq in the index of that time or later; -1: times went back along the tape. */
int64_t search_seq_of(struct search *x, int64_t time_us);
/* True if some text was said before it was written. */
bool search_any_told(struct search *x);
/* 1: text `seq` was said when the plan wants it, as far as the range of seqs leaves that open. */
int post_dated(struct search *x, const struct search_plan *plan, int64_t seq);

#endif

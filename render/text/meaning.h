/* SPDX-License-Identifier: MIT */
/* What words mean, in Spanish and English.  Part of the room's door (render.h). */
#ifndef CINTA_RENDER_MEANING_H
#define CINTA_RENDER_MEANING_H

#include "render/format/plain.h"

/*
 * True if these are two wordings of one fact: very similar, and with the same numbers,
 * negations and names.
 */
bool render_same_fact(const char *a, size_t a_len, const char *b, size_t b_len);
/* Same facts have the same key, other facts rarely: to look for candidates by. */
uint64_t render_fact_key(const char *text, size_t len);
/* Cosine of the texts' hashed character 3- to 5-grams, 0..1: case, accents, blanks apart. */
double render_similarity(const char *a, size_t a_len, const char *b, size_t b_len);

/*
 * What a fact claims, to be compared with many others: whose employer, home, name, age; what is
 * used, and what for; what is liked; or plain words; and whether it is denied.  `adds`: it was said
 * to be so beside what was so before.  Free it; NULL: no memory.
 */
struct statement;
struct statement *render_statement(const char *text, size_t len, bool adds);
void render_statement_free(struct statement *c);

enum fact_relation {
	RELATION_APART, /* nothing follows for the old one */
	RELATION_SAME,  /* it is said again, perhaps with less or with another verb */
	RELATION_ENDS   /* the old one holds no longer: denied, replaced, told more exactly */
};
/* How a new claim stands to one that is believed.  Where nothing is said it is APART. */
enum fact_relation render_statement_relation(const struct statement *new,
                                             const struct statement *old);
/*
 * True if two facts may contradict each other, though nobody can say so.  `alike`: what
 * render_similarity() says.  Not those that differ in a number and a word ("desk 3", "chair 4"):
 * these are two things.
 */
bool render_statements_near(const struct statement *a, const struct statement *b, double alike);

enum { FACT_SIGNAL_LIMIT = 300 }; /* most bytes of a fact from a message */

/* A fact that a user stated in a message.  Points into the message. */
struct signal {
	const char *domain; /* a constant: "work", "preferences", … */
	const char *text;   /* not NUL-terminated */
	size_t len;         /* 1..FACT_SIGNAL_LIMIT */
	enum confidence confidence; /* always high: it was said in so many words */
	bool negates;       /* "ya no …", "no longer …": it contradicts an earlier fact */
	bool adds;          /* "también …", "also …": it takes no other fact's place */
};

typedef void signal_fn(void *ctx, const struct signal *s);

/*
 * Calls `fn` for each explicit signal in one user's message, in its order: "recordá
 * que …", "from now on …".  Never for questions, quotations, code, conditions, what
 * others said.  Time is bounded for any input.  RENDER_EINVAL (not UTF-8; nothing was
 * called), RENDER_ENOMEM.
 */
int render_signals(const char *content, size_t len, signal_fn *fn, void *ctx);

/* Each word of a text, in small letters without accents; not NUL-terminated.  RENDER_ENOMEM. */
typedef void text_word_fn(void *ctx, const char *word, size_t len);
int render_words(const char *text, size_t len, text_word_fn *fn, void *ctx);

/* What somebody said in one turn. */
struct summary_turn {
	const char *text;
	size_t len;
	bool user; /* said by the user; else by the assistant or a tool */
	bool tool;
};

/* ---- topics ------------------------------------------------------------------- */

enum topic_phrase {
	PHRASE_NONE,
	PHRASE_SHIFT, /* "otra cosa", "by the way": a segment ends */
	PHRASE_RESET  /* "cambiemos de tema": the whole window goes to summaries */
};
/* What a user's message says about its topic; not in quotations or code. */
enum topic_phrase render_topic_phrase(const char *text, size_t len);

enum topic_domain { TALK_NONE, TALK_WORK, TALK_PERSONAL, TALK_CODE, TALK_PLANNING, TALK_COUNT };
/* What some turns together are about; TALK_NONE: no domain stands out. */
enum topic_domain render_topic_domain(const struct summary_turn *turns, size_t n);

enum output_format { OUTPUT_TEXT, OUTPUT_MARKDOWN, OUTPUT_JSON };
/* True if this output has the structure it should have. */
bool render_output_check(enum output_format format, const char *text, size_t len);

#endif

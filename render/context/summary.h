/* SPDX-License-Identifier: MIT */
/*
 * Summaries of a few turns as keys and values, topics, questions: what policy needs to
 * know of texts.  Part of the renderer's door (render.h): pure, Spanish and English.
 */
#ifndef CINTA_RENDER_SUMMARY_H
#define CINTA_RENDER_SUMMARY_H

#include "render/format/plain.h"
#include "render/text/meaning.h"
#include "store/entry.h"

/* ---- summaries ---------------------------------------------------------------- */

enum {
	SUMMARY_ITEMS = 8,       /* most items of a list */
	SUMMARY_TEXT = 300,      /* most bytes of an item */
	SUMMARY_LIMIT = 16 << 10 /* most bytes of a summary as offered */
};

struct summary_list {
	char *items[SUMMARY_ITEMS]; /* NUL-terminated, one line each */
	size_t count;
};
/* Owned; release in every case. */
struct digest {
	char *topic, *outcome; /* NULL: none */
	struct summary_list discussed, decisions, open_questions;
};
void digest_release(struct digest *s);

typedef int64_t summary_count_fn(const char *text, size_t len);
typedef bool summary_stop_fn(const char *word, size_t len);
/* In how many (*in) of how many (*of) other turns this folded word stands. */
typedef void summary_background_fn(void *ctx, const char *word, size_t len, int64_t *in,
                                   int64_t *of);

struct summary_rules {
	summary_count_fn *count; /* of tokens: store_token_count */
	int64_t tokens;          /* most of a summary: 50 */
	summary_stop_fn *stop;   /* policy_stop_word */
	summary_background_fn *background; /* NULL: the turns are all there is */
	void *ctx;                         /* of `background` */
};

/*
 * By rule, from the turns' own words: topic and discussed are terms, decisions what
 * render_signals finds, outcome the last result an assistant tells, open questions those
 * nobody answered.  At most `tokens` as render_digest prints it: discussed goes first, then
 * questions, outcome, decisions, each from its end.  0, RENDER_ENOMEM.
 */
int render_digest_of(struct digest *out, const struct summary_turn *turns, size_t n,
                     const struct summary_rules *rules);
/* The canonical form: one line a key, lists in brackets; reads back the same. */
void render_digest(struct buf *out, const struct digest *s);
/*
 * Reads the canonical form, YAML or JSON with these keys.  RENDER_EINVAL (prose, an unknown key,
 * a list where a text belongs …), RENDER_EFBIG (items, bytes, tokens), RENDER_ENOMEM; `why`.
 */
int render_digest_in(struct digest *out, const char *bytes, size_t len, summary_count_fn *count,
                      int64_t tokens, struct why *why);

#endif

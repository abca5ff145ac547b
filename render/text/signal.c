/* SPDX-License-Identifier: MIT */
/*
 * Explicit signals in a user's message.  Three steps:
 *
 *   mask      code, quotations and quoted lines become MASK bytes of the same length,
 *             so that patterns see text the user said in their own voice and offsets stay
 *   sentences questions are passed over; each other sentence is tried against the rules
 *   fact      of the phrases found the leftmost one counts; guards may forbid it; the
 *             fact's bytes come from the message itself
 *
 * Patterns are tried when a sentence holds one of their stems: most messages try none.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "render/format/format.h"
#include "render/text/signal.h"
#include "render/text/signal_text.h"
#include "render/text/text.h"

enum {
	RULES_MOST = 80,
	SENTENCE_MOST = 1024, /* bytes of a sentence that are looked at */
	MATCH_LIMIT = 100000, /* steps of one match; beyond it there is none */
	SIGNALS_MOST = 64,    /* of a message: more is a document, not somebody talking */
	TRIES_MOST = 512      /* sentences with a stem: the same */
};

/* The tables' patterns, once they were tried (pattern.h). */
static struct pattern rule_codes[RULES_MOST], guard_codes[GUARD_COUNT], word_codes[DOMAIN_COUNT],
	style_codes[STYLE_COUNT];

struct scanner {
	const char *content; /* the message */
	char *masked;        /* the same length */
	struct matcher *matcher;
	struct stems stems;  /* of all rules */
	signal_fn *fn;
	void *ctx;
	int found, tried;
};

/* What a rule found in a sentence; offsets into it. */
struct hit {
	const struct signal_rule *rule;
	size_t at;         /* of the phrase */
	size_t fact, stop; /* of the fact */
	size_t about;      /* what its verb is about; the fact's start if it has no verb */
};

static bool guarded(struct scanner *s, enum signal_guard guard, const char *text, size_t len)
{
	return matcher_find(s->matcher, &guard_codes[guard], signal_guards[guard], text, len) != NULL;
}

/* The domain of the leftmost word in the masked fact, or `fallback`. */
static const char *telling_word(struct scanner *s, const struct domain_words *table,
                                struct pattern *codes, size_t count, const char *text, size_t len,
                                const char *fallback)
{
	size_t best = len;
	for (size_t i = 0; i < count; i++) {
		const struct span *at = matcher_find(s->matcher, &codes[i], table[i].pattern, text, len);
		if (at && at->from < best) {
			best = at->from;
			fallback = table[i].domain;
		}
	}
	return fallback;
}

static const char *domain_of(struct scanner *s, const struct signal_rule *rule, const char *text,
                             size_t len)
{
	switch (rule->by) {
	case DOMAIN_STYLE:
		return telling_word(s, signal_styles, style_codes, STYLE_COUNT, text, len, rule->domain);
	case DOMAIN_WORDS:
		return telling_word(s, signal_words, word_codes, DOMAIN_COUNT, text, len, rule->domain);
	case DOMAIN_FIXED:
	default:
		return rule->domain;
	}
}

/* The leftmost phrase of the sentence; of two at one place the one that takes more off. */
static bool leftmost(struct scanner *s, const char *text, size_t len, struct hit *hit)
{
	bool has[RULES_MOST];
	hit->rule = NULL;
	if (!stems_of(&s->stems, text, len, has))
		return false;
	for (size_t i = 0; i < signal_rule_count; i++) {
		const struct signal_rule *rule = &signal_rules[i];
		if (!has[i])
			continue;
		const struct span *at = matcher_find(s->matcher, &rule_codes[i], rule->pattern, text, len);
		if (!at || (hit->rule && at[0].from >= hit->at))
			continue;
		*hit = (struct hit){ rule, at[0].from, at[1].from, at[1].to > at[1].from ? at[1].to : len,
			at[2].from == PATTERN_UNSET ? at[1].from : at[2].from };
	}
	return hit->rule != NULL;
}

/* A phrase with hardly a word in it says nothing for good; a Spanish verb says who, too. */
static bool says_little(const struct hit *hit, const char *text, size_t len)
{
	size_t words = 0, least = strcmp(hit->rule->language, "es") == 0 ? 2 : 3;
	for (size_t i = hit->at; i < len; i++)
		words += text[i] != ' ' && (i == hit->at || strchr(" '", text[i - 1]));
	return words < least;
}

/* One sentence, `from` bytes into the message, without its mark. */
static void read_sentence(struct scanner *s, size_t from, size_t len)
{
	const char *masked = s->masked + from;
	struct hit hit;
	len = utf8_fit(masked, len, SENTENCE_MOST);
	if (!stems_in(&s->stems, masked, len))
		return;
	s->tried++;
	if (!leftmost(s, masked, len, &hit) || guarded(s, GUARD_SENTENCE, masked, len) ||
	    guarded(s, GUARD_LEFT, masked, hit.at) ||
	    (!hit.rule->instruction && guarded(s, GUARD_WHEN, masked, hit.at)) ||
	    says_little(&hit, masked, len))
		return;
	const char *text = s->content + from;
	if (!signal_trim(text, &hit.fact, &hit.stop))
		return;
	const char *fact = masked + hit.fact;
	size_t size = hit.stop - hit.fact;
	const char *about = masked + (hit.about > hit.fact ? hit.about : hit.fact);
	if (guarded(s, GUARD_EMPTY, about, (size_t)(fact + size - about)) ||
	    guarded(s, GUARD_DAY, fact, size))
		return;
	struct signal found = {
		.domain = domain_of(s, hit.rule, fact, size),
		.text = text + hit.fact,
		.len = size,
		.confidence = CONFIDENCE_HIGH,
		.negates = guarded(s, GUARD_NEGATES, fact, size),
		.adds = guarded(s, GUARD_ADDS, masked, len),
	};
	if (matcher_failed(s->matcher))
		return;
	s->found++;
	s->fn(s->ctx, &found);
}

static void read_message(struct scanner *s, size_t len)
{
	struct signal_sentence it = { 0 };
	while (s->found < SIGNALS_MOST && s->tried < TRIES_MOST &&
	       !matcher_failed(s->matcher) && signal_next(s->masked, len, &it)) {
		const char *text = s->masked + it.from;
		size_t size = it.to - it.from;
		if (size && text[size - 1] == ':' && size <= SENTENCE_MOST &&
		    guarded(s, GUARD_MATERIAL, text, size))
			return; /* "translate this:": what follows is not the user speaking */
		if (!it.question && size)
			read_sentence(s, it.from, size);
	}
}

int render_signals(const char *content, size_t len, signal_fn *fn, void *ctx)
{
	_Static_assert(CONFIDENCE_HIGH > CONFIDENCE_LOW, "what is said is surest");
	struct scanner s;
	int rc = 0;
	assert(signal_rule_count <= RULES_MOST);
	if (!signal_is_text(content, len))
		return RENDER_EINVAL;
	s.content = content;
	s.masked = signal_mask(content, len);
	s.matcher = NULL;
	s.fn = fn;
	s.ctx = ctx;
	s.found = s.tried = 0;
	if (!s.masked)
		return RENDER_ENOMEM;
	/* Most messages, and most sentences of the others, have no stem of any rule. */
	stems_init(&s.stems);
	for (size_t i = 0; i < signal_rule_count; i++)
		stems_add(&s.stems, signal_rules[i].stems);
	if (stems_in(&s.stems, s.masked, len)) {
		s.matcher = matcher_new(MATCH_LIMIT);
		if (s.matcher)
			read_message(&s, len);
		if (!s.matcher || matcher_failed(s.matcher))
			rc = RENDER_ENOMEM;
	}
	matcher_free(s.matcher);
	free(s.masked);
	return rc;
}

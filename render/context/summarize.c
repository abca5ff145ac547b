/* SPDX-License-Identifier: MIT */
/*
 * A few turns by rule as topic, terms, outcome, decisions, open questions.  Every word
 * is the turns' own; nothing is concluded from them.  What does not fit is left out
 * whole, for half a decision is another decision.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "render/context/context.h"
#include "render/context/summary_item.h"
#include "render/format/format.h"
#include "render/text/text.h"

enum {
	OUTCOME_MOST = 140,  /* bytes */
	QUESTION_MOST = 140,
	SENTENCE_MOST = 600, /* bytes of a sentence that patterns look at */
	SENTENCES_MOST = 400, /* of a turn */
	QUESTIONS_MOST = 16, /* of a segment */
	MATCH_LIMIT = 50000
};

/* What something that was done or found out sounds like. */
static const char results[] =
	"\\b(?:listo|hech[oa]s?|qued(?:ó|a|aron|an|o)|funcion(?:a|an|ó|aron)|pas(?:a|an|aron|ó)"
	"|termin(?:é|ado|amos|ó)|configur(?:é|ado|ada|amos)|instal(?:é|ado|ada|amos)"
	"|cre(?:é|ado|ada|amos)|agregu?(?:é|ado|ada|amos)|arregl(?:é|ado|ada|amos|ó)"
	"|resolv(?:í|imos)|resuelto|resuelta|complet(?:é|ado|ada|amos)|encontr(?:é|ado|amos)"
	"|borr(?:é|ado|ada|amos)|actualic(?:é|emos)|actualizad[oa]|guard(?:é|ado|ada)|mov(?:í|ido)"
	"|cambi(?:é|ado|ada|amos)|falló|fallaron|falla|decidimos|acordamos"
	"|done|fixed|works?|passe[ds]|pass|created|added|installed|configured|finished|completed"
	"|resolved|deployed|updated|removed|deleted|implemented|merged|renamed|moved|switched"
	"|found|failed|fails|decided|agreed|(?:is|are) now|now (?:is|are|has|have|uses?|runs?)"
	"|it was|turned out)\\b";
/* What is only meant to be, or asked for. */
static const char plans[] =
	"\\b(?:will|going to|would|could|should|might|may|can|let me|let" "(?:'|\\x{2019})" "s|if|when"
	"|once|unless|try|trying|please|need(?:s|ed)? to|must|want"
	"|voy a|vamos a|puede[ns]?|pued[oe]|podr\\p{L}+|deber\\p{L}+|si|cuando|avis\\p{L}+"
	"|intent\\p{L}+|prob(?:á|emos|ar)|quiero|querés|hay que|tendr\\p{L}+|habr\\p{L}+)\\b"
	"|\\p{L}(?:'|\\x{2019})ll\\b";
/* An answer that is none. */
static const char unsure[] =
	"\\b(?:no (?:lo )?(?:s[eé]|sabemos|sabría|recuerdo|tengo idea)|ni idea|habr[aá] que ver"
	"|pendiente|(?:don|doesn|didn)(?:'|\\x{2019})?t know|do not know|not sure|no idea|unsure"
	"|unclear|unknown|to be (?:decided|seen|determined)|tbd|have to check|need to check"
	"|tengo que (?:ver|revisar|consultar)|después (?:vemos|te digo)|later)\\b";

/* They, once they were tried (pattern.h). */
static struct pattern results_code, plans_code, unsure_code;

struct question {
	size_t turn;
	const char *text; /* in the turn's */
	size_t len;
	bool last; /* of its turn */
};

struct summarizer {
	const struct summary_turn *turns;
	char **masked;
	size_t n;
	struct matcher *matcher;
	struct question questions[QUESTIONS_MOST];
	size_t questions_count;
	const struct summary_rules *rules;
	struct digest *out;
	int rc;
};

static bool says(struct summarizer *s, struct pattern *code, const char *pattern, const char *text,
                 size_t len)
{
	len = utf8_fit(text, len, SENTENCE_MOST);
	bool found = matcher_find(s->matcher, code, pattern, text, len) != NULL;
	if (matcher_failed(s->matcher))
		s->rc = RENDER_ENOMEM;
	return found;
}

/* One line of it, without the marks of strong emphasis and code. */
static char *one_line(const char *text, size_t len)
{
	char *copy = malloc(len + 1);
	size_t size = 0;
	for (size_t i = 0; copy && i < len; i++) {
		if (i + 1 < len && text[i] == '*' && text[i + 1] == '*')
			i++;
		else if (text[i] != '`')
			copy[size++] = text[i];
	}
	char *line = copy ? summary_clean(copy, size) : NULL;
	free(copy);
	return line;
}

static void add(struct summarizer *s, struct summary_list *list, const char *text, size_t len)
{
	char *item = one_line(text, len);
	if (!item)
		s->rc = RENDER_ENOMEM;
	(void)summary_add(list, item);
}

/* A sentence without bullets, emphasis, blanks and what leads in: text[*from..*to). */
static bool trim(const char *text, size_t *from, size_t *to)
{
	static const char *const leads[] = { "y ",  "and ",  "pero ",    "but ",
		                                 "so ", "then ", "entonces " };
	while (*from < *to && strchr(" \t\r\n-*_#>,:.", text[*from]))
		++*from;
	if (*to - *from > 2 && memcmp(text + *from, "\xC2\xBF", 2) == 0)
		*from += 2;
	for (size_t i = 0; i < sizeof leads / sizeof leads[0]; i++)
		if (*to - *from > strlen(leads[i]) &&
		    strncasecmp(text + *from, leads[i], strlen(leads[i])) == 0)
			*from += strlen(leads[i]);
	while (*to > *from && strchr(" \t\r\n*_,:.", text[*to - 1]))
		--*to;
	return *to > *from;
}

/* ---- decisions -------------------------------------------------------------------- */

static void add_decision(void *ctx, const struct signal *found)
{
	struct summarizer *s = ctx;
	if (strcmp(found->domain, "decisions") == 0)
		add(s, &s->out->decisions, found->text, found->len);
}

static void find_decisions(struct summarizer *s)
{
	for (size_t i = 0; i < s->n && s->rc == 0; i++)
		if (s->turns[i].user && !s->turns[i].tool &&
		    render_signals(s->turns[i].text, s->turns[i].len, add_decision, s) == RENDER_ENOMEM)
			s->rc = RENDER_ENOMEM;
}

/* ---- outcome ------------------------------------------------------------------------ */

/* The last result in this turn, where it is short enough to stand alone. */
static bool find_outcome_in(struct summarizer *s, size_t turn)
{
	const char *masked = s->masked[turn], *text = s->turns[turn].text;
	struct signal_sentence it = { 0 };
	size_t from = 0, to = 0;
	int sentences = 0;
	while (sentences++ < SENTENCES_MOST && signal_next(masked, s->turns[turn].len, &it)) {
		size_t a = it.from, b = it.to;
		if (it.question || !trim(masked, &a, &b) || b - a > OUTCOME_MOST || b - a < 8 ||
		    !says(s, &results_code, results, masked + a, b - a) ||
		    says(s, &plans_code, plans, masked + a, b - a))
			continue;
		from = a;
		to = b;
	}
	if (to > from && s->rc == 0) {
		s->out->outcome = one_line(text + from, to - from);
		s->rc = s->out->outcome ? 0 : RENDER_ENOMEM;
	}
	return to > from;
}

static void find_outcome(struct summarizer *s)
{
	for (size_t i = s->n; i-- > 0 && s->rc == 0;)
		if (!s->turns[i].user && !s->turns[i].tool && find_outcome_in(s, i))
			return;
}

/* ---- open questions ------------------------------------------------------------------ */

static void find_questions_in(struct summarizer *s, size_t turn)
{
	struct signal_sentence it = { 0 };
	size_t first = s->questions_count;
	const char *masked = s->masked[turn];
	int sentences = 0;
	while (s->questions_count < QUESTIONS_MOST && sentences++ < SENTENCES_MOST &&
	       signal_next(masked, s->turns[turn].len, &it)) {
		size_t a = it.from, b = it.to;
		if (!it.question || !trim(masked, &a, &b))
			continue;
		s->questions[s->questions_count++] =
			(struct question){ .turn = turn, .text = s->turns[turn].text + a, .len = b - a };
	}
	if (s->questions_count > first)
		s->questions[s->questions_count - 1].last = true;
}

/* True if they share a word that tells something, or the beginning of one. */
static bool share_word(struct summarizer *s, const char *a, size_t a_len, const char *b,
                       size_t b_len)
{
	struct buf x = BUF_INIT, y = BUF_INIT;
	bool found = false;
	summary_words(&x, a, a_len, s->rules);
	summary_words(&y, b, b_len, s->rules);
	for (size_t i = 0; i + 1 < x.len && !x.failed && !y.failed && !found;) {
		size_t len = strcspn(x.data + i + 1, " "), stem = len < 5 ? len + 1 : 6;
		found = len > 0 && y.len && memmem(y.data, y.len, x.data + i, stem);
		i += len + 1;
	}
	buf_release(&x);
	buf_release(&y);
	return found;
}

/* "How are you?" asks for nothing. */
static bool has_word(struct summarizer *s, const struct question *q)
{
	struct buf words = BUF_INIT;
	summary_words(&words, q->text, q->len, s->rules);
	bool has = words.len > 0 && !words.failed;
	buf_release(&words);
	return has;
}

/* True if this turn says something that answers it. */
static bool answers(struct summarizer *s, const struct question *q, size_t turn)
{
	const char *masked = s->masked[turn];
	struct signal_sentence it = { 0 };
	bool next = turn == q->turn + 1 && q->last;
	int sentences = 0;
	while (sentences++ < SENTENCES_MOST && signal_next(masked, s->turns[turn].len, &it)) {
		size_t a = it.from, b = it.to;
		if (it.question || !trim(masked, &a, &b) ||
		    says(s, &unsure_code, unsure, masked + a, b - a))
			continue;
		if (next || share_word(s, q->text, q->len, masked + a, b - a))
			return true;
	}
	return false;
}

static void find_questions(struct summarizer *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->turns[i].tool)
			find_questions_in(s, i);
	for (size_t i = 0; i < s->questions_count && s->rc == 0; i++) {
		const struct question *q = &s->questions[i];
		bool open = q->len <= QUESTION_MOST && has_word(s, q);
		for (size_t k = q->turn + 1; k < s->n && open; k++)
			if (!s->turns[k].tool && s->turns[k].user != s->turns[q->turn].user)
				open = !answers(s, q, k);
		if (open)
			add(s, &s->out->open_questions, q->text, q->len);
	}
}

/* ---- size --------------------------------------------------------------------------- */

static bool drop_last(struct summary_list *list, size_t least)
{
	if (list->count <= least)
		return false;
	free(list->items[--list->count]);
	return true;
}

static bool drop_text(char **text)
{
	bool was = *text != NULL;
	free(*text);
	*text = NULL;
	return was;
}

/* One thing less; false: nothing is left. */
static bool drop_one(struct digest *s)
{
	return drop_last(&s->discussed, 2) || drop_last(&s->open_questions, 1) ||
	       drop_last(&s->discussed, 0) || drop_last(&s->open_questions, 0) ||
	       drop_text(&s->outcome) || drop_last(&s->decisions, 0) || drop_text(&s->topic);
}

static int fit(struct digest *s, const struct summary_rules *rules)
{
	struct buf text = BUF_INIT;
	do {
		buf_clear(&text);
		render_digest(&text, s);
	} while (!text.failed && text.len > 0 && rules->count(text.data, text.len) > rules->tokens &&
	         drop_one(s));
	int rc = text.failed ? RENDER_ENOMEM : 0;
	buf_release(&text);
	return rc;
}

/* ---- the whole ------------------------------------------------------------------------- */

static int mask_turns(struct summarizer *s)
{
	s->masked = calloc(s->n + 1, sizeof *s->masked);
	for (size_t i = 0; i < s->n && s->masked; i++) {
		s->masked[i] = signal_mask(s->turns[i].text, s->turns[i].len);
		if (!s->masked[i])
			return RENDER_ENOMEM;
	}
	s->matcher = matcher_new(MATCH_LIMIT);
	return s->masked && s->matcher ? 0 : RENDER_ENOMEM;
}

static void release(struct summarizer *s)
{
	for (size_t i = 0; i < s->n && s->masked; i++)
		free(s->masked[i]);
	free(s->masked);
	matcher_free(s->matcher);
}

int render_digest_of(struct digest *out, const struct summary_turn *turns, size_t n,
                     const struct summary_rules *rules)
{
	struct summarizer s = { .turns = turns, .n = n, .rules = rules, .out = out };
	struct summary_turn *clean = calloc(n + 1, sizeof *clean);
	size_t texts = 0;
	*out = (struct digest){ 0 };
	for (size_t i = 0; i < n && clean; i++)
		if (signal_is_text(turns[i].text, turns[i].len))
			clean[texts++] = turns[i]; /* patterns match text only */
	s.turns = clean;
	s.n = texts;
	s.rc = clean ? mask_turns(&s) : RENDER_ENOMEM;
	if (s.rc == 0)
		s.rc = summary_terms(out, clean, texts, rules);
	if (s.rc == 0) {
		find_decisions(&s);
		find_outcome(&s);
		find_questions(&s);
	}
	release(&s);
	free(clean);
	return s.rc ? s.rc : fit(out, rules);
}

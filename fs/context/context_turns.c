/* SPDX-License-Identifier: MIT */
/* The newest messages: which are the window, which wait, which are pinned. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/context/page.h"
#include "fs/meaning/meaning.h"

static bool is_tool(const struct looked *t)
{
	return strcmp(t->role, "tool") == 0;
}

static int take_turn(void *ctx, const struct turn *t)
{
	struct context *c = ctx;
	struct looked *l = &c->turn[c->turns];
	bool result = strcmp(t->role, "tool") == 0, many;
	if (!c->writer[0])
		(void)snprintf(c->writer, sizeof c->writer, "%.*s", (int)strcspn(t->author, ":"),
		               t->author);
	c->bytes += t->len;
	many = c->bytes > POLICY_LOOK_BYTES;
	if (result && c->results == POLICY_LOOK_RESULTS)
		return c->more = ++c->passed == POLICY_LOOK_MOST || many;
	c->results += result;
	*l = (struct looked){ .n = t->n, .seq = t->seq, .time_us = t->time_us, .tokens = t->tokens,
		.pinned = t->pinned, .error = t->error,
		.len = utf8_fit(t->content, t->len, POLICY_TURN_BYTES) };
	(void)snprintf(l->role, sizeof l->role, "%.15s", *t->role ? t->role : "user");
	(void)snprintf(l->author, sizeof l->author, "%s", t->author);
	render_name(l->tool, sizeof l->tool, t->tool);
	render_name(l->by, sizeof l->by, t->by);
	l->whole = l->len == t->len;
	l->text = malloc(l->len + 1);
	if (!l->text) {
		c->failed = true;
		return 1;
	}
	memcpy(l->text, t->content, l->len);
	l->text[l->len] = '\0';
	c->more = ++c->turns == POLICY_LOOK_BACK || (many && c->turns >= POLICY_LOOK_LEAST);
	return c->more;
}

int context_look(struct context *c)
{
	int err = store_active_back(c->fs->store, c->session, 0, take_turn, c);
	for (size_t i = 0; i < c->turns / 2; i++) {
		struct looked t = c->turn[i];
		c->turn[i] = c->turn[c->turns - 1 - i];
		c->turn[c->turns - 1 - i] = t;
	}
	c->more = c->more && c->turn[0].n > 1;
	/* Results of tools wait from the last word of the assistant on. */
	for (size_t i = c->turns; i-- > 0 && strcmp(c->turn[i].role, "assistant") != 0;)
		c->turn[i].waits = is_tool(&c->turn[i]);
	return err ? errno_of_store(err) : c->failed ? -ENOMEM : 0;
}

void context_add_message(struct context *c, const struct looked *t, int64_t most)
{
	char where[NAME_LIMIT + 64];
	(void)snprintf(where, sizeof where, "sessions/%s/messages/%06lld.md", c->group.name,
	               (long long)t->n);
	const struct context_part part = { .kind = t->waits ? CONTEXT_RESULT : CONTEXT_TURN,
		.title = t->tool, .said = *t->tool ? "" : t->by, .where = where, .text = t->text,
		.len = t->len, .first = t->n, .last = t->n, .time_us = t->time_us, .role = t->role,
		.author = t->author, .pinned = t->pinned };
	(void)context_add_fit(c, &part, most, t->whole ? 0 : t->tokens,
	                      t->waits ? PART_RESULT : PART_WINDOW, t->seq, 0);
}

/* By the embedding model's vectors: false if a turn has none. */
static bool model_likeness(const struct context *c, const struct looked *a, const struct looked *b,
                           double *out)
{
	struct vector_model model;
	struct model_calibration calibration;
	if (!meaning_calibration(c->fs, &model, &calibration))
		return false;
	float *x = meaning_of(c->fs, &model, a->text, a->len);
	float *y = meaning_of(c->fs, &model, b->text, b->len);
	if (x && y)
		*out = policy_calibrated(&calibration.turns, vector_cosine(x, y, model.dims));
	bool known = x && y;
	free(x);
	free(y);
	return known;
}

/* Similarity of a turn with the one before, calibrated. */
static int likeness(const struct context *c, const struct looked *a, const struct looked *b,
                    double *out)
{
	struct ngram_vector x, y;
	if (model_likeness(c, a, b, out))
		return 0;
	int err = ngram_vector_of(&x, a->text,
	                          a->len < POLICY_NGRAM_BYTES ? a->len : POLICY_NGRAM_BYTES);
	if (err)
		return -ENOMEM;
	err = ngram_vector_of(&y, b->text, b->len < POLICY_NGRAM_BYTES ? b->len : POLICY_NGRAM_BYTES);
	if (!err) {
		*out = policy_calibrated(&calibration_turns, ngram_vector_similarity(&x, &y));
		ngram_vector_release(&y);
	}
	ngram_vector_release(&x);
	return err ? -ENOMEM : 0;
}

size_t context_candidates(const struct context *c, size_t at[POLICY_LOOK_BACK])
{
	size_t n = 0;
	for (size_t i = 0; i < c->turns; i++)
		if (!is_tool(&c->turn[i]) || (c->turn[i].pinned && !c->turn[i].waits))
			at[n++] = i;
	return n;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Of `most` tokens, those it takes: counted when it was said, with what quoting it adds. */
static int64_t takes(const struct context *c, const struct looked *t, int64_t most)
{
	return t->tokens >= most ? most : least(t->tokens + context_quoted(c, t->text, t->len), most);
}

/* How many turns the window has: as it was set, else by how like each other the last ones are. */
static int window_size(const struct context *c, const size_t *at, size_t n, int *size)
{
	double like[2] = { 0 };
	size_t known = 0;
	*size = c->state.window;
	if (*size)
		return 0;
	for (size_t i = n > 2 ? n - 2 : 1; i < n; i++) {
		int err = likeness(c, &c->turn[at[i - 1]], &c->turn[at[i]], &like[known]);
		if (err)
			return err;
		known++;
	}
	*size = policy_window(&c->policy, like, known);
	return 0;
}

/* "Let us change the subject": what was before is not in the window. */
static int flushed(const struct context *c, const size_t *at, size_t n, int size)
{
	for (size_t i = n; i-- > 0 && n - i <= (size_t)size;)
		if (looked_by_user(&c->turn[at[i]]) &&
		    render_topic_phrase(c->turn[at[i]].text, c->turn[at[i]].len) == PHRASE_RESET)
			return (int)(n - i);
	return size;
}

/* It failed, and the same tool was tried again since: the last try tells what there is to know. */
static bool tried_again(const struct context *c, size_t i)
{
	const struct looked *t = &c->turn[i];
	for (size_t k = i + 1; t->error && *t->tool && k < c->turns; k++)
		if (c->turn[k].waits && strcmp(c->turn[k].tool, t->tool) == 0)
			return true;
	return false;
}

static void show_results(struct context *c)
{
	int64_t tokens[POLICY_LOOK_BACK], share[POLICY_LOOK_BACK];
	struct looked *waiting[POLICY_LOOK_BACK];
	size_t n = 0;
	for (size_t i = 0; i < c->turns; i++) {
		if (!c->turn[i].waits || tried_again(c, i))
			continue;
		waiting[n] = &c->turn[i];
		tokens[n++] = takes(c, &c->turn[i], c->policy.results_tokens);
	}
	policy_results_share(&c->policy, tokens, n, share);
	for (size_t i = 0; i < n; i++) {
		waiting[i]->shown = share[i] > 0;
		if (waiting[i]->shown)
			context_add_message(c, waiting[i], share[i]);
	}
}

static int show_pinned(void *ctx, const struct turn *t)
{
	struct context *c = ctx;
	c->pinned_seen++;
	c->pinned_last = t->n;
	for (size_t i = 0; i < c->turns; i++)
		if (c->turn[i].n == t->n && c->turn[i].shown)
			return 0;
	struct looked l = { .n = t->n, .seq = t->seq, .time_us = t->time_us, .pinned = true,
		.tokens = t->tokens, .text = (char *)(uintptr_t)t->content, .len = t->len,
		.whole = t->len <= POLICY_TURN_BYTES };
	int64_t of = least(c->state.pinned, POLICY_PINNED_MOST);
	(void)snprintf(l.role, sizeof l.role, "%.15s", *t->role ? t->role : "user");
	(void)snprintf(l.author, sizeof l.author, "%s", t->author);
	render_name(l.tool, sizeof l.tool, t->tool);
	render_name(l.by, sizeof l.by, t->by);
	context_add_message(c, &l, least(POLICY_PINNED_TOKENS, POLICY_PINNED_ALL / (of > 0 ? of : 1)));
	return ++c->pinned_added == POLICY_PINNED_MOST;
}

/* Pinned messages from before the window, in their order; past the most, their number is told. */
static int add_pinned(struct context *c)
{
	int err = errno_of_store(store_pinned(c->fs->store, c->session, show_pinned, c));
	c->left.pinned = c->state.pinned - c->pinned_seen;
	for (size_t i = 0; i < c->turns; i++)
		c->left.pinned -= c->turn[i].pinned && c->turn[i].shown && c->turn[i].n > c->pinned_last;
	if (c->left.pinned < 0)
		c->left.pinned = 0;
	return err;
}

/* Only who mounted may speak as the system; asked here, since claims are read from the store. */
static void mark_claims(struct context *c)
{
	for (size_t i = 0; i < c->count; i++) {
		struct piece *p = &c->piece[i];
		if (strcmp(p->role, "system") != 0 || claims_is_owner(c->fs, p->author))
			continue;
		p->part.claimed = true;
		p->tokens = piece_tokens(c, p);
	}
}

int context_window(struct context *c)
{
	size_t at[POLICY_LOOK_BACK], n = context_candidates(c, at);
	struct policy_turn turns[POLICY_LOOK_BACK];
	int64_t most[POLICY_LOOK_BACK];
	int size, err = window_size(c, at, n, &size);
	if (err)
		return err;
	if (c->eager && !c->state.window && size > c->policy.window_least)
		size = c->policy.window_least;
	size = flushed(c, at, n, size);
	for (size_t i = 0; i < n; i++) {
		const struct looked *t = &c->turn[at[i]];
		bool before = i + (size_t)size < n;
		most[i] = i + 1 == n ? c->policy.window_tokens : POLICY_TURN_TOKENS;
		turns[i] = (struct policy_turn){ .pinned = t->pinned && before,
			.tokens = before ? least(t->tokens, most[i]) : takes(c, t, most[i]) };
	}
	(void)policy_window_fit(&c->policy, turns, n, size);
	c->oldest_shown = INT64_MAX;
	for (size_t i = n; i-- > 0;) {
		struct looked *t = &c->turn[at[i]];
		t->shown = turns[i].shown && !turns[i].pinned;
		if (t->shown && t->n < c->oldest_shown)
			c->oldest_shown = t->n;
	}
	show_results(c); /* first: a pinned one that waits is shown once */
	err = add_pinned(c);
	for (size_t i = 0; !err && i < n; i++)
		if (c->turn[at[i]].shown)
			context_add_message(c, &c->turn[at[i]], most[i]);
	mark_claims(c);
	int64_t shown = 0;
	for (size_t i = 0; i < c->count; i++)
		shown += c->piece[i].part.kind == CONTEXT_TURN || c->piece[i].part.kind == CONTEXT_RESULT;
	c->left.messages = c->state.messages > shown ? c->state.messages - shown - c->left.pinned : 0;
	return err;
}

/* ---- what they are about: the words that facts are chosen by, and that are searched for --- */

struct telling {
	const char *text;
	int words;
};

static void count_telling(void *ctx, const char *term, size_t len, size_t start, size_t end)
{
	struct telling *t = ctx;
	(void)term, (void)len;
	t->words += !store_search_is_common(t->text + start, end - start);
}

static int telling_words(const char *text)
{
	struct telling t = { text, 0 };
	return store_search_tokens(text, strlen(text), count_telling, &t) ? 0 : t.words;
}

int context_asked(const struct context *c, int few, struct buf *words, size_t *newest)
{
	size_t i = c->turns;
	*newest = c->turns;
	while (i > 0 && !looked_by_user(&c->turn[i - 1]))
		i--;
	if (i == 0)
		return 0;
	*newest = --i;
	buf_adds(words, c->turn[i].text);
	int telling = telling_words(c->turn[i].text);
	for (size_t k = 0; telling < (k ? ASKED_ENOUGH : few) && i > 0 && k < TOPIC_SIDE; i--) {
		if (strcmp(c->turn[i - 1].role, "tool") == 0)
			continue;
		buf_addc(words, ' ');
		buf_adds(words, c->turn[i - 1].text);
		telling += telling_words(c->turn[i - 1].text);
		k++;
	}
	return telling;
}

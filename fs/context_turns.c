/* SPDX-License-Identifier: MIT */
/* The newest messages: which are the window, which wait, which are summarised by rule. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/context.h"

enum { SEGMENT_LOOK = 4 * 3 + 2 * TOPIC_SIDE, SKETCH_BYTES = 2048 };

static bool is_tool(const struct looked *t)
{
	return strcmp(t->role, "tool") == 0;
}

static bool is_user(const struct looked *t)
{
	return strcmp(t->role, "user") == 0;
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
	many = c->bytes > LOOK_BYTES;
	if (result && c->results == LOOK_RESULTS)
		return ++c->passed == LOOK_MOST || many;
	c->results += result;
	*l = (struct looked){ .n = t->n, .seq = t->seq, .time_us = t->time_us, .tokens = t->tokens,
		.pinned = t->pinned, .error = t->error, .len = t->len < TURN_BYTES ? t->len : TURN_BYTES };
	(void)snprintf(l->role, sizeof l->role, "%.15s", *t->role ? t->role : "user");
	render_name(l->tool, sizeof l->tool, t->tool);
	while (l->len > 0 && l->len < t->len && ((unsigned char)t->content[l->len] & 0xC0) == 0x80)
		l->len--; /* not half a character */
	l->whole = l->len == t->len;
	l->text = malloc(l->len + 1);
	if (!l->text) {
		c->failed = true;
		return 1;
	}
	memcpy(l->text, t->content, l->len);
	l->text[l->len] = '\0';
	return ++c->turns == LOOK_BACK || (many && c->turns >= LOOK_LEAST);
}

int context_look(struct context *c)
{
	int err = store_active_back(c->fs->store, c->session, 0, take_turn, c);
	for (size_t i = 0; i < c->turns / 2; i++) {
		struct looked t = c->turn[i];
		c->turn[i] = c->turn[c->turns - 1 - i];
		c->turn[c->turns - 1 - i] = t;
	}
	/* Results of tools wait from the last word of the assistant on. */
	for (size_t i = c->turns; i-- > 0 && strcmp(c->turn[i].role, "assistant") != 0;)
		c->turn[i].waits = is_tool(&c->turn[i]);
	return err ? errno_of_store(err) : c->failed ? -ENOMEM : 0;
}

static void add_turn(struct context *c, const struct looked *t, int64_t most)
{
	char where[NAME_LIMIT + 64];
	(void)snprintf(where, sizeof where, "sessions/%s/messages/%06lld.md", c->group.name,
	               (long long)t->n);
	const struct context_part part = { .kind = t->waits ? CONTEXT_RESULT : CONTEXT_TURN,
		.title = t->tool, .where = where, .text = t->text, .len = t->len, .first = t->n,
		.last = t->n, .time_us = t->time_us, .role = t->role, .pinned = t->pinned };
	(void)context_add_fit(c, &part, most, t->whole ? 0 : t->tokens,
	                      t->waits ? PART_RESULT : PART_WINDOW, t->seq, 0);
}

/* By the embedding model's vectors: false if a turn has none. */
static bool model_likeness(const struct context *c, const struct looked *a, const struct looked *b,
                           double *out)
{
	struct vector_model model;
	struct scale scale;
	if (!meaning_scale(c->fs, &model, &scale))
		return false;
	float *x = meaning_of(c->fs, &model, a->text, a->len);
	float *y = meaning_of(c->fs, &model, b->text, b->len);
	if (x && y)
		*out = policy_calibrated(&scale.turns, vector_cosine(x, y, model.dims));
	bool known = x && y;
	free(x);
	free(y);
	return known;
}

/* Similarity of a turn with the one before, calibrated. */
static int likeness(const struct context *c, const struct looked *a, const struct looked *b,
                    double *out)
{
	struct sketch x, y;
	if (model_likeness(c, a, b, out))
		return 0;
	int err = sketch_of(&x, a->text, a->len < SKETCH_BYTES ? a->len : SKETCH_BYTES);
	if (err)
		return -ENOMEM;
	err = sketch_of(&y, b->text, b->len < SKETCH_BYTES ? b->len : SKETCH_BYTES);
	if (!err) {
		*out = policy_calibrated(&calibration_turns, sketch_similarity(&x, &y));
		sketch_release(&y);
	}
	sketch_release(&x);
	return err ? -ENOMEM : 0;
}

/* The turns that can be in the window: neither tools' results nor what is only pinned. */
static size_t candidates(const struct context *c, size_t at[LOOK_BACK])
{
	size_t n = 0;
	for (size_t i = 0; i < c->turns; i++)
		if (!is_tool(&c->turn[i]) || (c->turn[i].pinned && !c->turn[i].waits))
			at[n++] = i;
	return n;
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

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* "Let us change the subject": what was before is not in the window. */
static int flushed(const struct context *c, const size_t *at, size_t n, int size)
{
	for (size_t i = n; i-- > 0 && n - i <= (size_t)size;)
		if (is_user(&c->turn[at[i]]) &&
		    render_topic_phrase(c->turn[at[i]].text, c->turn[at[i]].len) == PHRASE_RESET)
			return (int)(n - i);
	return size;
}

static void show_results(struct context *c)
{
	int64_t tokens[LOOK_BACK], share[LOOK_BACK];
	struct looked *waiting[LOOK_BACK];
	size_t n = 0;
	for (size_t i = 0; i < c->turns; i++) {
		if (!c->turn[i].waits)
			continue;
		waiting[n] = &c->turn[i];
		tokens[n++] = c->turn[i].tokens;
	}
	policy_results_share(&c->policy, tokens, n, share);
	for (size_t i = 0; i < n; i++) {
		waiting[i]->shown = share[i] > 0;
		if (waiting[i]->shown)
			add_turn(c, waiting[i], share[i]);
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
		.tokens = t->tokens, .text = (char *)(uintptr_t)t->content, .len = t->len };
	int64_t of = least(c->state.pinned, PINNED_MOST);
	(void)snprintf(l.role, sizeof l.role, "%.15s", *t->role ? t->role : "user");
	render_name(l.tool, sizeof l.tool, t->tool);
	add_turn(c, &l, least(PINNED_TOKENS, PINNED_ALL / (of > 0 ? of : 1)));
	return ++c->pinned_added == PINNED_MOST;
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

int context_window(struct context *c)
{
	size_t at[LOOK_BACK], n = candidates(c, at);
	struct policy_turn turns[LOOK_BACK];
	int size, err = window_size(c, at, n, &size);
	if (err)
		return err;
	if (c->eager && !c->state.window && size > c->policy.window_least)
		size = c->policy.window_least;
	size = flushed(c, at, n, size);
	for (size_t i = 0; i < n; i++)
		turns[i] = (struct policy_turn){ .pinned = c->turn[at[i]].pinned && i + (size_t)size < n,
			.tokens = least(c->turn[at[i]].tokens,
			                i + 1 == n ? c->policy.window_tokens : TURN_TOKENS) };
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
			add_turn(c, &c->turn[at[i]], turns[i].tokens);
	int64_t shown = 0;
	for (size_t i = 0; i < c->count; i++)
		shown += c->piece[i].part.kind == CONTEXT_TURN || c->piece[i].part.kind == CONTEXT_RESULT;
	c->left.messages = c->state.messages > shown ? c->state.messages - shown - c->left.pinned : 0;
	return err;
}

/* ---- summaries ---------------------------------------------------------------- */

/* What is known of the turns around the end of the window. */
struct borders {
	struct looked *turn[SEGMENT_LOOK];
	struct sketch sketch[SEGMENT_LOOK];
	struct vector_model model;
	struct scale scale;
	float *vector[SEGMENT_LOOK]; /* the embedding model's; NULL: none */
	bool shift[SEGMENT_LOOK]; /* the turn begins a topic */
	size_t count, before;     /* turns; of these before the window */
};

static void as_summary_turns(const struct borders *b, size_t from, size_t n,
                             struct summary_turn *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (struct summary_turn){ .text = b->turn[from + i]->text,
			.len = b->turn[from + i]->len, .user = is_user(b->turn[from + i]) };
}

/* Of the 3 turns before turn i with the 3 from it on: by the model if it knows all six. */
static int similarity_at(const struct borders *b, size_t i, double *out)
{
	const struct sketch *sketch[2 * TOPIC_SIDE];
	const float *vector[2 * TOPIC_SIDE];
	bool known = true;
	for (size_t k = 0; k < 2 * TOPIC_SIDE; k++) {
		sketch[k] = &b->sketch[i - TOPIC_SIDE + k];
		vector[k] = b->vector[i - TOPIC_SIDE + k];
		known = known && vector[k];
	}
	return known ? policy_topic_likeness(&b->scale, vector, b->model.dims, out) :
		policy_topic_similarity(sketch, out);
}

static int shift_at(const struct context *c, struct borders *b, size_t i)
{
	struct summary_turn before[TOPIC_SIDE], after[TOPIC_SIDE];
	struct topic_border border = { .gap_us = b->turn[i]->time_us - b->turn[i - 1]->time_us };
	size_t a = i < TOPIC_SIDE ? i : TOPIC_SIDE, z = b->count - i;
	z = z < TOPIC_SIDE ? z : TOPIC_SIDE;
	border.phrase = is_user(b->turn[i]) &&
	                render_topic_phrase(b->turn[i]->text, b->turn[i]->len) != PHRASE_NONE;
	as_summary_turns(b, i - a, a, before);
	as_summary_turns(b, i, z, after);
	border.before = (int)render_topic_domain(before, a);
	border.after = (int)render_topic_domain(after, z);
	int err = 0;
	if (a == TOPIC_SIDE && z == TOPIC_SIDE) {
		err = similarity_at(b, i, &border.similarity);
		border.known = !err;
	}
	b->shift[i] = policy_topic_shift(&c->policy, &border) != TOPIC_SAME;
	return err;
}

/* The turns before the window, and the first ones in it: they tell where topics end. */
static int find_borders(struct context *c, struct borders *b)
{
	size_t at[LOOK_BACK], n = candidates(c, at), first = 0, most;
	memset(b, 0, sizeof *b);
	while (first < n && c->turn[at[first]].n < c->oldest_shown)
		first++;
	most = (size_t)c->policy.segment * (size_t)c->policy.summaries + TOPIC_SIDE;
	if (most > SEGMENT_LOOK - TOPIC_SIDE)
		most = SEGMENT_LOOK - TOPIC_SIDE;
	size_t from = first > most ? first - most : 0;
	bool meant = meaning_scale(c->fs, &b->model, &b->scale);
	for (size_t i = from; i < n && i < first + TOPIC_SIDE && b->count < SEGMENT_LOOK; i++) {
		if (c->turn[at[i]].pinned)
			continue;
		b->turn[b->count] = &c->turn[at[i]];
		size_t len = c->turn[at[i]].len;
		if (sketch_of(&b->sketch[b->count], c->turn[at[i]].text,
		              len < SKETCH_BYTES ? len : SKETCH_BYTES))
			return -ENOMEM;
		if (meant)
			b->vector[b->count] = meaning_of(c->fs, &b->model, c->turn[at[i]].text, len);
		b->before += i < first;
		b->count++;
	}
	for (size_t i = 1; i < b->count; i++)
		if (shift_at(c, b, i))
			return -ENOMEM;
	return 0;
}

static void borders_release(struct borders *b)
{
	for (size_t i = 0; i < b->count; i++) {
		sketch_release(&b->sketch[i]);
		free(b->vector[i]);
	}
}

struct slot {
	int64_t first, last, seq;
	char *text;
	bool by_rule, by_command;
};

static int by_rule(const struct context *c, const struct borders *b, size_t from, size_t n,
                   struct slot *out)
{
	struct summary_turn *turns = calloc(n, sizeof *turns);
	const struct summary_rules rules = { .count = c->fs->count_tokens,
		.tokens = c->policy.summary_tokens, .stop = policy_stop_word };
	struct digest digest = { 0 };
	struct buf text = BUF_INIT;
	if (!turns)
		return -ENOMEM;
	as_summary_turns(b, from, n, turns);
	int err = errno_of_render(render_digest_of(&digest, turns, n, &rules));
	if (!err)
		render_digest(&text, &digest);
	digest_release(&digest);
	free(turns);
	*out = (struct slot){ .first = b->turn[from]->n, .last = b->turn[from + n - 1]->n,
		.by_rule = true };
	if (!err && !text.failed && text.len)
		out->text = strdup(text.data);
	buf_release(&text);
	return err;
}

/* Of a turn and the one before it: what was summarised is not summarised in another way later. */
static bool same_segment(const struct context *c, const struct borders *b, size_t i)
{
	return policy_same_segment(&c->policy, b->turn[i - 1]->n, b->turn[i]->n, b->shift[i]);
}

struct slots {
	struct slot of[16];
	size_t count;
	size_t most;
	int64_t all; /* summaries there are */
};

static int take_summary(void *ctx, const struct summary *y)
{
	struct slots *s = ctx;
	char *text = strdup(y->text);
	if (!text)
		return 1;
	s->of[s->count++] = (struct slot){ .first = y->first, .last = y->last, .seq = y->seq,
		.text = text };
	return s->count == s->most;
}

static int by_first(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* The first turn of the segment whose last one is turn `end` - 1. */
static size_t segment_start(const struct context *c, const struct borders *b, size_t end)
{
	size_t from = end - 1;
	while (from > 0 && same_segment(c, b, from))
		from--;
	return from;
}

int context_segments(struct context *c, struct context_segment *out, size_t most, size_t *count)
{
	struct borders b;
	int err = find_borders(c, &b);
	*count = 0;
	for (size_t end = b.before; !err && end > 0 && *count < most;) {
		size_t from = segment_start(c, &b, end);
		out[(*count)++] = (struct context_segment){
			.range = { b.turn[from]->n, b.turn[end - 1]->n },
			.complete = end < b.count && !same_segment(c, &b, end) };
		end = from;
	}
	borders_release(&b);
	return err;
}

/* What the command said of it, else by rule. */
static int fill_slot(const struct context *c, const struct borders *b, size_t from, size_t n,
                     struct slot *out)
{
	const struct context_range r = { b->turn[from]->n, b->turn[from + n - 1]->n };
	*out = (struct slot){ .first = r.first, .last = r.last, .by_command = true };
	out->text = context_digest(c, r, &out->seq);
	return out->text ? 0 : by_rule(c, b, from, n, out);
}

static void add_slot(struct context *c, const struct slot *s)
{
	char where[NAME_LIMIT + 64];
	(void)snprintf(where, sizeof where, s->by_rule || s->by_command ?
	               "sessions/%s/messages/%06lld.md" : "sessions/%s/summaries/%lld-%lld.md",
	               c->group.name, (long long)s->first, (long long)s->last);
	const struct context_part part = { .kind = CONTEXT_SUMMARY, .title = "", .where = where,
		.text = s->text, .len = strlen(s->text), .first = s->first, .last = s->last,
		.inferred = s->by_rule, .by_command = s->by_command, .role = "" };
	(void)context_add_fit(c, &part, c->policy.summary_tokens, 0, PART_SUMMARY, s->seq, 0);
}

int context_summaries(struct context *c)
{
	struct slots slots = { .most = (size_t)c->policy.summaries };
	struct borders b;
	if (slots.most > 8)
		slots.most = 8;
	int err = slots.most == 0 ? 0 : errno_of_store(
		store_summaries_back(c->fs->store, c->session, 0, take_summary, &slots));
	memset(&b, 0, sizeof b);
	if (!err)
		err = find_borders(c, &b);
	/* From the newest segment back, while there are slots. */
	for (size_t end = b.before, made = 0; !err && end > 0 && made < slots.most; made++) {
		size_t from = segment_start(c, &b, end);
		err = fill_slot(c, &b, from, end - from, &slots.of[slots.count]);
		slots.count += !err && slots.of[slots.count].text;
		end = from;
	}
	borders_release(&b);
	qsort(slots.of, slots.count, sizeof slots.of[0], by_first);
	size_t from = policy_first_summary(&c->policy, slots.count);
	for (size_t i = 0; i < slots.count; i++) {
		if (!err && i >= from)
			add_slot(c, &slots.of[i]);
		free(slots.of[i].text);
	}
	c->left.summaries = c->state.summaries;
	for (size_t i = 0; i < c->count; i++)
		c->left.summaries -= c->piece[i].part.kind == CONTEXT_SUMMARY && c->piece[i].seq &&
		                     !c->piece[i].part.by_command;
	return err;
}

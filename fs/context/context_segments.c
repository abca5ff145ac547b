/* SPDX-License-Identifier: MIT */
/* The messages before the window: where topics end, and what stands for each segment of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/context/page.h"
#include "fs/meaning/meaning.h"

/* ---- digests: while their messages are as they were told of ----------------------- */

struct held_digest {
	char *text;
	int64_t seq;
};

static int take_digest(void *ctx, const struct summary *y)
{
	struct held_digest *f = ctx;
	f->text = strdup(y->text);
	f->seq = y->seq;
	return 1;
}

/* What a command said of these messages, for free(); NULL: nothing that holds. */
static char *context_digest(const struct context *c, struct context_range r, int64_t *seq)
{
	struct held_digest f = { NULL, 0 };
	bool untouched = false;
	if (store_digest(c->fs->store, c->session, r, take_digest, &f) || !f.text)
		return NULL;
	/* One of them pruned or pinned since: it is not wanted here, or stands elsewhere. */
	if (store_context_untouched(c->fs->store, c->session, r, &untouched) || !untouched) {
		free(f.text);
		return NULL;
	}
	*seq = f.seq;
	return f.text;
}

/* What is known of the turns around the end of the window. */
struct borders {
	struct looked *turn[POLICY_LOOK_BACK];
	struct ngram_vector ngrams[POLICY_LOOK_BACK];
	struct vector_model model;
	struct model_calibration calibration;
	float *vector[POLICY_LOOK_BACK]; /* the embedding model's; NULL: none */
	bool shift[POLICY_LOOK_BACK]; /* the turn begins a topic */
	size_t count, before;     /* turns; of these before the window */
	bool whole;               /* they begin with the session's first one */
};

static void as_summary_turns(const struct borders *b, size_t from, size_t n,
                             struct summary_turn *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (struct summary_turn){ .text = b->turn[from + i]->text,
			.len = b->turn[from + i]->len, .user = looked_by_user(b->turn[from + i]) };
}

/* Of the 3 turns before turn i with the 3 from it on: by the model if it knows all six. */
static int similarity_at(const struct borders *b, size_t i, double *out)
{
	const struct ngram_vector *ngrams[2 * TOPIC_SIDE];
	const float *vector[2 * TOPIC_SIDE];
	bool known = true;
	for (size_t k = 0; k < 2 * TOPIC_SIDE; k++) {
		ngrams[k] = &b->ngrams[i - TOPIC_SIDE + k];
		vector[k] = b->vector[i - TOPIC_SIDE + k];
		known = known && vector[k];
	}
	return known ? policy_topic_likeness(&b->calibration, vector, b->model.dims, out) :
		policy_topic_similarity(ngrams, out);
}

static int shift_at(const struct context *c, struct borders *b, size_t i)
{
	struct summary_turn before[TOPIC_SIDE], after[TOPIC_SIDE];
	struct topic_border border = { .gap_us = b->turn[i]->time_us - b->turn[i - 1]->time_us };
	size_t a = i < TOPIC_SIDE ? i : TOPIC_SIDE, z = b->count - i;
	z = z < TOPIC_SIDE ? z : TOPIC_SIDE;
	border.phrase = looked_by_user(b->turn[i]) &&
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
	size_t at[POLICY_LOOK_BACK], n = context_candidates(c, at), first = 0, from;
	memset(b, 0, sizeof *b);
	while (first < n && c->turn[at[first]].n < c->oldest_shown)
		first++;
	from = first;
	for (int most = c->policy.segment * c->policy.summaries + TOPIC_SIDE; from > 0 && most > 0;)
		most -= !c->turn[at[--from]].pinned;
	b->whole = from == 0 && !c->more;
	bool meant = meaning_calibration(c->fs, &b->model, &b->calibration);
	for (size_t i = from; i < n && i < first + TOPIC_SIDE; i++) {
		if (c->turn[at[i]].pinned)
			continue;
		b->turn[b->count] = &c->turn[at[i]];
		size_t len = c->turn[at[i]].len;
		if (ngram_vector_of(&b->ngrams[b->count], c->turn[at[i]].text,
		                    len < POLICY_NGRAM_BYTES ? len : POLICY_NGRAM_BYTES))
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
		ngram_vector_release(&b->ngrams[i]);
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
	struct slot items[16];
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
	s->items[s->count++] = (struct slot){ .first = y->first, .last = y->last, .seq = y->seq,
		.text = text };
	return s->count == s->most;
}

static int by_first(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;
	return x->first < y->first ? -1 : x->first > y->first;
}

/*
 * *from: the first turn of the segment whose last one is turn `end` - 1.  False: there is none, or
 * it begins where too little is seen of what was before it: it would be another one each time.
 */
static bool segment_before(const struct context *c, const struct borders *b, size_t end,
                           size_t *from)
{
	*from = end;
	while (*from > 0 && (*from == end || same_segment(c, b, *from)))
		--*from;
	return *from < end && (b->whole || *from >= TOPIC_SIDE);
}

int context_segments(struct context *c, struct context_segment *out, size_t most, size_t *count)
{
	struct borders b;
	int err = find_borders(c, &b);
	*count = 0;
	for (size_t end = b.before, from; !err && *count < most && segment_before(c, &b, end, &from);
	     end = from)
		out[(*count)++] = (struct context_segment){
			.range = { b.turn[from]->n, b.turn[end - 1]->n },
			.complete = end < b.count && !same_segment(c, &b, end) };
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
	for (size_t end = b.before, from, made = 0;
	     !err && made < slots.most && segment_before(c, &b, end, &from); made++, end = from) {
		err = fill_slot(c, &b, from, end - from, &slots.items[slots.count]);
		slots.count += !err && slots.items[slots.count].text;
	}
	borders_release(&b);
	qsort(slots.items, slots.count, sizeof slots.items[0], by_first);
	size_t from = policy_first_summary(&c->policy, slots.count);
	for (size_t i = 0; i < slots.count; i++) {
		if (!err && i >= from)
			add_slot(c, &slots.items[i]);
		free(slots.items[i].text);
	}
	c->left.summaries = c->state.summaries;
	for (size_t i = 0; i < c->count; i++)
		c->left.summaries -= c->piece[i].part.kind == CONTEXT_SUMMARY && c->piece[i].seq &&
		                     !c->piece[i].part.by_command;
	return err;
}

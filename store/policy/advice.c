/* SPDX-License-Identifier: MIT */
/*
 * What an agent should do about its memory pressure (policy_advise()).  It advises; it changes
 * nothing.  What it advises a session's ctl accepts: no range holds what is pinned, and none that
 * is to be summarised meets a summary.
 */
#include <string.h>

#include "store/policy/policy.h"

/* ---- tools that fail ------------------------------------------------------- */

static bool is_tool(const struct policy_message *m, const char *tool)
{
	return m->tool && !m->pruned && !m->hidden && strcmp(m->tool, tool) == 0;
}

/* Marks the run of failures which begins at `first`, if it is long enough. */
static size_t mark_run(const struct policy *p, const struct policy_message *messages, size_t n,
                       size_t first, bool *failed)
{
	const char *tool = messages[first].tool;
	size_t end = first, marked = 0;
	int length = 0;
	for (; end < n; end++) {
		if (!is_tool(&messages[end], tool))
			continue;
		if (!messages[end].failed)
			break;
		length++;
	}
	for (size_t i = first; i < end && length >= p->failures; i++)
		if (is_tool(&messages[i], tool) && !messages[i].pinned) {
			marked += !failed[i];
			failed[i] = true;
		}
	return marked;
}

/* True if this failure is the first one after a success of its tool, or at all. */
static bool begins_run(const struct policy_message *messages, size_t i)
{
	if (!messages[i].tool || !is_tool(&messages[i], messages[i].tool) || !messages[i].failed)
		return false;
	for (size_t k = i; k-- > 0;)
		if (is_tool(&messages[k], messages[i].tool))
			return !messages[k].failed;
	return true;
}

size_t policy_failures(const struct policy *p, const struct policy_message *messages, size_t n,
                       bool *failed)
{
	size_t marked = 0;
	memset(failed, 0, n * sizeof *failed);
	for (size_t i = 0; i < n; i++)
		if (begins_run(messages, i))
			marked += mark_run(p, messages, n, i, failed);
	return marked;
}

/* ---- stretches of messages ----------------------------------------------------- */

struct stretch {
	size_t first, end; /* messages, the last of them active */
	int64_t tokens;
	size_t active;
};

static bool is_active(const struct policy_message *m)
{
	return !m->pruned && !m->hidden;
}

/* The first of the last `stay` active messages. */
static size_t newest_from(const struct policy_held *h, size_t stay)
{
	size_t at = h->count;
	while (at > 0 && stay > 0)
		stay -= is_active(&h->messages[--at]);
	return at;
}

static bool ends(const struct policy_message *m, bool prune)
{
	return m->pinned || m->hidden || (m->covered && !prune);
}

/* The next stretch from `at` on, below `end`: without active messages there is none. */
static bool next_stretch(const struct policy_held *h, size_t at, size_t end, bool prune,
                         struct stretch *out)
{
	while (at < end && (ends(&h->messages[at], prune) || !is_active(&h->messages[at])))
		at++;
	*out = (struct stretch){ .first = at, .end = at };
	for (; at < end && !ends(&h->messages[at], prune); at++)
		if (is_active(&h->messages[at])) {
			out->tokens += h->messages[at].tokens;
			out->active++;
			out->end = at + 1;
		}
	return out->active > 0;
}

/* Its beginning: as many messages, by `step`, as it takes to have `wanted` tokens; else all. */
static void shorten(const struct policy_held *h, struct stretch *s, size_t step, int64_t wanted)
{
	struct stretch some = { .first = s->first };
	for (size_t i = s->first; i < s->end; i++) {
		if (!is_active(&h->messages[i]))
			continue;
		some.tokens += h->messages[i].tokens;
		some.end = i + 1;
		if (++some.active % step == 0 && some.tokens >= wanted)
			break;
	}
	*s = some;
}

/* The oldest stretch that saves what is wanted, else the one that saves most. */
static bool best_stretch(const struct policy_held *h, size_t end, bool prune, size_t least,
                         int64_t price, int64_t wanted, struct stretch *best)
{
	struct stretch s;
	*best = (struct stretch){ .tokens = 0 };
	for (size_t at = 0; next_stretch(h, at, end, prune, &s); at = s.end) {
		int64_t saves = s.tokens - price;
		if (s.active < least || saves <= 0 || saves * 4 < s.tokens || s.tokens <= best->tokens)
			continue; /* what saves less than a quarter is not worth a summary */
		*best = s;
		if (saves >= wanted)
			break;
	}
	if (best->active > 0)
		shorten(h, best, least, wanted + price);
	return best->active > 0;
}

static struct advice of_stretch(enum advice_kind kind, const struct policy_held *h,
                                const struct stretch *s, int64_t price)
{
	return (struct advice){ .kind = kind, .ranges = 1, .saves = s->tokens - price,
		.range = { { h->messages[s->first].id, h->messages[s->end - 1].id } } };
}

/* ---- advice ------------------------------------------------------------------ */

static bool advise_summary(const struct policy *p, const struct policy_held *h, size_t end,
                           int64_t wanted, struct advice *out)
{
	struct stretch s;
	size_t least = p->segment > 0 ? (size_t)p->segment : 1;
	if (!best_stretch(h, end, false, least, p->summary_tokens, wanted, &s))
		return false;
	*out = of_stretch(ADVICE_SUMMARIZE, h, &s, p->summary_tokens);
	return true;
}

static bool advise_prune(const struct policy_held *h, size_t end, int64_t wanted,
                         struct advice *out)
{
	struct stretch s;
	if (!best_stretch(h, end, true, 1, 0, wanted, &s))
		return false;
	*out = of_stretch(ADVICE_PRUNE, h, &s, 0);
	return true;
}

/* A summary for each stretch between pinned messages, in place of all there are. */
static bool advise_reset(const struct policy *p, const struct policy_held *h, size_t end,
                         struct advice *out)
{
	struct advice a = { .kind = ADVICE_RESET, .saves = h->summary_tokens };
	int64_t before = 0, last = end < h->count ? h->messages[end].id - 1 : 0;
	if (!h->whole || last == 0)
		return false;
	for (size_t i = end; i < h->count; i++)
		if (!is_active(&h->messages[i]))
			return false; /* it would come back */
	for (size_t i = 0; i <= end; i++) {
		const struct policy_message *m = &h->messages[i];
		if (i < end && !m->pinned) {
			a.saves += is_active(m) ? m->tokens : 0;
			continue;
		}
		int64_t to = i < end ? m->id - 1 : last;
		if (to > before && a.ranges == ADVICE_RANGES)
			return false;
		if (to > before)
			a.range[a.ranges++] = (struct context_range){ before + 1, to };
		before = m->id;
	}
	a.saves -= a.ranges * p->summary_tokens;
	*out = a;
	return a.ranges > 0 && a.saves >= p->summary_tokens; /* it is work to write them */
}

static bool advise_file(const struct policy_held *h, struct advice *out)
{
	*out = (struct advice){ .kind = ADVICE_FILE };
	for (size_t i = 0; i < h->file_count; i++)
		if (h->files[i] > out->saves) {
			out->file = i;
			out->saves = h->files[i];
		}
	return out->saves > 0;
}

static bool advise_unpin(const struct policy_held *h, struct advice *out)
{
	*out = (struct advice){ .kind = ADVICE_UNPIN, .ranges = 1 };
	for (size_t i = 0; i + 1 < h->count; i++) {
		const struct policy_message *m = &h->messages[i];
		if (is_active(m) && m->pinned && !m->kept && m->tokens > out->saves) {
			out->range[0] = (struct context_range){ m->id, m->id };
			out->saves = m->tokens;
		}
	}
	return out->saves > 0;
}

static struct advice advise_less(const struct policy *p, const struct policy_held *h,
                                 int64_t wanted)
{
	struct advice a;
	size_t stay = p->window_least > 0 ? (size_t)p->window_least : 0;
	size_t end = newest_from(h, stay);
	if (advise_summary(p, h, end, wanted, &a) || advise_prune(h, end, wanted, &a) ||
	    advise_reset(p, h, end, &a) || advise_file(h, &a) || advise_unpin(h, &a) ||
	    advise_prune(h, newest_from(h, 1), wanted, &a))
		return a;
	a = (struct advice){ .kind = ADVICE_SESSION, .saves = h->summary_tokens };
	for (size_t i = 0; i < h->count; i++)
		a.saves += is_active(&h->messages[i]) ? h->messages[i].tokens : 0;
	return a;
}

/* The first tool whose failures should go. */
static bool advise_failures(const struct policy *p, const struct policy_held *h,
                            struct advice *out)
{
	const struct policy_message *m = h->messages;
	for (size_t i = 0; i < h->count; i++) {
		int length = 0;
		int64_t saves = 0;
		if (!begins_run(m, i))
			continue;
		for (size_t k = i; k < h->count && !(is_tool(&m[k], m[i].tool) && !m[k].failed); k++)
			if (is_tool(&m[k], m[i].tool)) {
				length++;
				saves += m[k].pinned ? 0 : m[k].tokens;
			}
		if (length < p->failures || saves == 0)
			continue;
		*out = (struct advice){ .kind = ADVICE_FAILURES, .tool = m[i].tool, .saves = saves };
		return true;
	}
	return false;
}

size_t policy_advise(const struct policy *p, const struct pressure *now,
                     const struct policy_held *held, struct advice out[ADVICE_MOST])
{
	size_t count = 0;
	int64_t goal = (int64_t)((double)now->safe * p->threshold / 100);
	if (now->percent > p->threshold)
		out[count++] = advise_less(p, held, now->used - goal);
	count += advise_failures(p, held, &out[count]);
	if (held->stale > 0 || held->expiring > 0)
		out[count++] = (struct advice){ .kind = ADVICE_FACTS, .stale = held->stale,
			.expiring = held->expiring };
	return count;
}

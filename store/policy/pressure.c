/* SPDX-License-Identifier: MIT */
/*
 * Memory pressure, and what an agent should do about it.  Called by what builds
 * dashboard.md.  It advises; it changes nothing.
 */
#include <string.h>

#include "store/policy/policy.h"

static const double must_act = 70; /* per cent: from there on it is no recommendation */

static enum pressure_level level_of(const struct policy *p, double percent)
{
	double high = p->threshold > must_act ? p->threshold : must_act;
	if (percent > 100)
		return PRESSURE_CRITICAL;
	if (percent > high)
		return PRESSURE_HIGH;
	return percent > p->threshold ? PRESSURE_MEDIUM : PRESSURE_LOW;
}

struct pressure policy_pressure(const struct policy *p, int64_t used, int64_t model_limit)
{
	double safe = model_limit > 0 ? p->safe * (double)model_limit : 0;
	struct pressure is = { .used = used > 0 ? used : 0, .safe = (int64_t)safe };
	if (is.safe > 0)
		is.percent = 100 * (double)is.used / (double)is.safe;
	else
		is.percent = is.used > 0 ? 1000 : 0; /* nothing may be used */
	is.level = level_of(p, is.percent);
	return is;
}

const char *policy_level_name(enum pressure_level level)
{
	static const char *const names[] = { "low", "medium", "high", "critical" };
	return names[level];
}

/* ---- tools that fail ------------------------------------------------------- */

static bool is_tool(const struct policy_message *m, const char *tool)
{
	return m->tool && strcmp(m->tool, tool) == 0;
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

/* Is this failure the first one after a success of its tool, or at all? */
static bool begins_run(const struct policy_message *messages, size_t i)
{
	if (!messages[i].tool || !messages[i].failed)
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

/* ---- advice ------------------------------------------------------------------ */

static bool fixed(const struct policy_message *m)
{
	return m->pinned || m->summary;
}

/* The first run of `least` messages or more that may be summarised, below `end`; its length. */
static size_t find_run(const struct policy_message *messages, size_t end, size_t least,
                       size_t *first)
{
	for (size_t i = 0; i < end;) {
		size_t length = 0;
		while (i + length < end && !fixed(&messages[i + length]))
			length++;
		if (length >= least) {
			*first = i;
			return length;
		}
		i += length + 1;
	}
	return 0;
}

/* By threes, as many as it takes to save `wanted` tokens; what is left is a summary each. */
static bool advise_summary(const struct policy *p, const struct policy_message *messages, size_t n,
                           int64_t wanted, struct advice *out)
{
	size_t least = p->segment > 0 ? (size_t)p->segment : 1, first = 0, stay, length, taken = 0;
	stay = p->window_least > 0 ? (size_t)p->window_least : 0;
	length = find_run(messages, n > stay ? n - stay : 0, least, &first);
	int64_t saves = 0;
	while (length - taken >= least && saves < wanted) {
		for (size_t i = 0; i < least; i++)
			saves += messages[first + taken + i].tokens;
		saves -= p->summary_tokens;
		taken += least;
	}
	if (taken == 0 || saves <= 0)
		return false;
	*out = (struct advice){ .kind = ADVICE_SUMMARIZE, .first = messages[first].id,
		                    .last = messages[first + taken - 1].id, .saves = saves };
	return true;
}

/* The first tool whose failures should go. */
static bool advise_prune(const struct policy *p, const struct policy_message *messages, size_t n,
                         struct advice *out)
{
	for (size_t i = 0; i < n; i++) {
		const char *tool = messages[i].tool;
		int length = 0;
		int64_t saves = 0;
		if (!begins_run(messages, i))
			continue;
		for (size_t k = i; k < n && !(is_tool(&messages[k], tool) && !messages[k].failed); k++)
			if (is_tool(&messages[k], tool)) {
				length++;
				saves += messages[k].pinned ? 0 : messages[k].tokens;
			}
		if (length < p->failures || saves == 0)
			continue;
		*out = (struct advice){ .kind = ADVICE_PRUNE, .tool = tool, .saves = saves };
		return true;
	}
	return false;
}

size_t policy_advise(const struct policy *p, const struct pressure *now,
                     const struct policy_message *messages, size_t n, int64_t stale,
                     int64_t expiring, struct advice out[ADVICE_MOST])
{
	size_t count = 0;
	int64_t goal = (int64_t)((double)now->safe * p->threshold / 100);
	if (now->used > goal)
		count += advise_summary(p, messages, n, now->used - goal, &out[count]);
	count += advise_prune(p, messages, n, &out[count]);
	if (stale > 0 || expiring > 0)
		out[count++] = (struct advice){ .kind = ADVICE_FACTS, .stale = stale,
			                            .expiring = expiring };
	return count;
}

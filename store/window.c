/* SPDX-License-Identifier: MIT */
/*
 * Which turns an agent has before its eyes, and how those that leave are cut into
 * what one summary covers.  Called by what builds context.md.
 */
#include "store/policy.h"

int policy_window(const struct policy *p, const double *similarities, size_t n)
{
	if (n < 2)
		return p->window;
	double before = similarities[n - 2], last = similarities[n - 1];
	if (before > p->close && last > p->close)
		return p->window_most;
	if (before < p->loose && last < p->loose)
		return p->window_least;
	return p->window;
}

int64_t policy_window_fit(const struct policy *p, struct policy_turn *turns, size_t n, int size)
{
	int64_t tokens = 0;
	int shown = 0;
	for (size_t i = 0; i < n; i++) {
		turns[i].shown = turns[i].pinned;
		tokens += turns[i].pinned ? turns[i].tokens : 0;
	}
	/* A turn that does not fit ends the window: what is older would lack its answer. */
	for (size_t i = n; i-- > 0 && shown < size;) {
		if (turns[i].pinned)
			continue;
		if (shown > 0 && tokens + turns[i].tokens > p->window_tokens)
			break;
		turns[i].shown = true;
		tokens += turns[i].tokens;
		shown++;
	}
	return tokens;
}

size_t policy_segments(const struct policy *p, const bool *shift, size_t n, bool flush,
                       struct policy_segment *out)
{
	size_t most = p->segment > 0 ? (size_t)p->segment : 1, count = 0, first = 0;
	for (size_t i = 1; i <= n; i++) {
		bool full = i - first == most, ends = i < n ? shift[i] : flush;
		if (!full && !ends)
			continue;
		out[count++] = (struct policy_segment){ .first = first, .count = i - first };
		first = i;
	}
	return count;
}

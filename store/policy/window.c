/* SPDX-License-Identifier: MIT */
/*
 * Which turns an agent has before its eyes, and how those that leave are cut into
 * what one summary covers.  Called by what builds context.md.
 */
#include "store/policy/policy.h"

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

size_t policy_first_summary(const struct policy *p, size_t n)
{
	size_t slots = p->summaries > 0 ? (size_t)p->summaries : 0;
	return n > slots ? n - slots : 0;
}

bool policy_same_segment(const struct policy *p, int64_t before, int64_t n, bool shift)
{
	int64_t most = p->segment > 0 ? p->segment : 1;
	return !shift && (n - 1) / most == (before - 1) / most;
}

/* SPDX-License-Identifier: MIT */
/*
 * What a context leaves out so that it stays below its hard total: what was found, which has
 * only what the others leave; memories; the older summaries, then the older turns, both as the
 * rules say; what follows is for contexts that hold more than that.  The newest turn, mostly what
 * is to be answered, is cut down to what the system's blocks leave, and stays, as does the newest
 * result of a tool, while anything else can go.  What is pinned stays, even above the total.
 */
#include "store/policy/policy.h"

struct cutting {
	struct policy_part *parts;
	size_t n;
	size_t newest, result; /* the newest turn, and the newest result; n: there is none */
	int64_t left, budget;
};

static void drop(struct cutting *c, size_t i)
{
	struct policy_part *part = &c->parts[i];
	if (part->pinned || part->cut || part->tokens <= 0 || c->left <= c->budget)
		return;
	part->cut = true;
	c->left -= part->tokens;
}

static void drop_kind(struct cutting *c, enum part_kind kind, bool last_first)
{
	for (size_t k = 0; k < c->n; k++) {
		size_t i = last_first ? c->n - 1 - k : k;
		if (c->parts[i].kind == kind && i != c->newest && i != c->result)
			drop(c, i);
	}
}

/* To as much as there is room for, but not below `least`. */
static void cut_down(struct cutting *c, size_t i)
{
	struct policy_part *part = &c->parts[i];
	int64_t over = c->left - c->budget, spare = part->tokens - part->least;
	if (part->pinned || over <= 0 || spare <= 0)
		return;
	over = over < spare ? over : spare;
	part->tokens -= over;
	c->left -= over;
}

int64_t policy_cut(struct policy_part *parts, size_t n, int64_t budget)
{
	struct cutting c = { .parts = parts, .n = n, .newest = n, .result = n,
		.budget = budget };
	for (size_t i = 0; i < n; i++) {
		parts[i].cut = false;
		c.left += parts[i].tokens;
		if (parts[i].kind == PART_WINDOW)
			c.newest = i;
		if (parts[i].kind == PART_RESULT)
			c.result = i;
	}
	drop_kind(&c, PART_FOUND, true);
	drop_kind(&c, PART_MEMORY, true);
	drop_kind(&c, PART_SUMMARY, false);
	drop_kind(&c, PART_WINDOW, false);
	drop_kind(&c, PART_RESULT, false);
	drop_kind(&c, PART_FACT, true);
	drop_kind(&c, PART_SECTION, true);
	if (c.newest < n)
		cut_down(&c, c.newest);
	drop_kind(&c, PART_BLOCK, true);
	if (c.result < n)
		drop(&c, c.result);
	if (c.newest < n)
		drop(&c, c.newest);
	return c.left;
}

int64_t policy_sections_share(const struct policy *p, int64_t used)
{
	int64_t most = p->sections_tokens >= 0 ? p->sections_tokens : p->total_tokens / 4;
	int64_t left = p->total_tokens - used - p->window_tokens - p->facts_most -
	               p->summaries * p->summary_tokens;
	return left > most ? most : left < most / 4 ? most / 4 : left;
}

bool policy_is_eager(const struct policy *p, int64_t total)
{
	return total > p->eager_tokens;
}

/* Shows what fits below `most`, of the relevant facts or the others. */
static int64_t show(struct policy_fact *facts, size_t n, bool relevant, int64_t tokens,
                    int64_t most)
{
	for (size_t i = 0; i < n; i++)
		if (facts[i].relevant == relevant && tokens + facts[i].tokens <= most) {
			facts[i].shown = true;
			tokens += facts[i].tokens;
		}
	return tokens;
}

int64_t policy_facts_fit(const struct policy *p, struct policy_fact *facts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		facts[i].shown = false;
	int64_t tokens = show(facts, n, true, 0, p->facts_most);
	return show(facts, n, false, tokens, p->facts_least);
}

void policy_results_share(const struct policy *p, const int64_t *tokens, size_t n,
                          int64_t *share)
{
	int64_t left = p->results_tokens;
	for (size_t i = 0; i < n; i++) {
		share[i] = left / (int64_t)(n - i);
		left -= tokens[i] < share[i] ? tokens[i] : share[i];
	}
}

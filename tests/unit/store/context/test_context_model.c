/* SPDX-License-Identifier: MIT */
/* Windows against a model: operations at random, by us and by a program that breaks the rules. */
#include "tests/unit/doc_fixture.h"

#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 60, STEPS = 400 };

struct cover {
	int64_t first, last;
	char text[32];
};

/* The rules of context.h, as plainly as can be. */
struct model {
	int messages, window;
	bool pruned[MESSAGES + 1], pinned[MESSAGES + 1], shown[MESSAGES + 1];
	struct cover cover[MESSAGES];
	int covers;
	int64_t last_seq, last_us; /* as the store has it, for the past */
};

static const struct cover *cover_of(const struct model *m, int64_t n)
{
	for (int i = 0; i < m->covers; i++)
		if (m->cover[i].first <= n && n <= m->cover[i].last)
			return &m->cover[i];
	return NULL;
}

static bool active(const struct model *m, int n)
{
	return !m->pruned[n] && (!cover_of(m, n) || m->shown[n]);
}

static int allowed(const struct model *m, const struct context_op *op)
{
	bool takes_out = op->verb == CONTEXT_PRUNE || op->verb == CONTEXT_SUMMARIZE;
	for (size_t i = 0; i < op->count; i++)
		if (op->range[i].last > m->messages)
			return STORE_EINVAL;
	for (size_t i = 0; takes_out && i < op->count; i++)
		for (int64_t n = op->range[i].first; n <= op->range[i].last; n++)
			if (m->pinned[n])
				return STORE_EPINNED;
	for (int64_t n = op->count ? op->range[0].first : 1; op->verb == CONTEXT_SUMMARIZE && n <= op->range[0].last; n++)
		if (cover_of(m, n))
			return STORE_EEXIST;
	return 0;
}

static void apply_one(struct model *m, enum context_verb verb, int64_t n)
{
	if (verb == CONTEXT_PRUNE) {
		m->pruned[n] = !cover_of(m, n);
		m->shown[n] = false;
	} else if (verb == CONTEXT_UNPIN) {
		m->pinned[n] = false;
	} else {
		m->pinned[n] = m->pinned[n] || verb == CONTEXT_PIN;
		m->pruned[n] = false;
		m->shown[n] = cover_of(m, n) != NULL;
	}
}

static void apply(struct model *m, const struct context_op *op)
{
	if (op->verb == CONTEXT_RESET) {
		memset(m->pruned, 0, sizeof m->pruned);
		memset(m->shown, 0, sizeof m->shown);
		m->covers = m->window = 0;
	} else if (op->verb == CONTEXT_WINDOW) {
		m->window = op->window;
	} else if (op->verb == CONTEXT_SUMMARIZE) {
		struct cover *c = &m->cover[m->covers++];
		*c = (struct cover){ op->range[0].first, op->range[0].last, "" };
		memcpy(c->text, op->text, op->len + 1);
		for (int64_t n = c->first; n <= c->last; n++)
			m->pruned[n] = false;
	} else {
		for (size_t i = 0; i < op->count; i++)
			for (int64_t n = op->range[i].first; n <= op->range[i].last; n++)
				apply_one(m, op->verb, n);
	}
}

/* ---- that the store says the same --------------------------------------- */

struct seen {
	const struct model *m;
	int next, step, stop;
};

static int see_turn(void *ctx, const struct turn *t)
{
	struct seen *s = ctx;
	const struct cover *c = cover_of(s->m, s->next);
	char content[16];
	(void)snprintf(content, sizeof content, "m%d", s->next);
	assert_int_equal(t->n, s->next);
	assert_string_equal(t->content, content);
	assert_string_equal(t->role, "user");
	assert_int_equal(t->active, active(s->m, s->next));
	assert_int_equal(t->pinned, s->m->pinned[s->next]);
	assert_int_equal(t->pruned, s->m->pruned[s->next]);
	assert_int_equal(t->summary, c ? c->first : 0);
	s->next += s->step;
	return s->stop && s->next == s->stop;
}

static int see_active(void *ctx, const struct turn *t)
{
	struct seen *s = ctx;
	while (s->next > 0 && !active(s->m, s->next))
		s->next--;
	assert_int_equal(t->n, s->next--);
	assert_true(t->active);
	return 0;
}

static int see_pinned(void *ctx, const struct turn *t)
{
	struct seen *s = ctx;
	while (!s->m->pinned[s->next])
		s->next++;
	assert_int_equal(t->n, s->next++);
	assert_true(t->pinned && t->active);
	return 0;
}

static int see_summary(void *ctx, const struct summary *y)
{
	struct seen *s = ctx;
	const struct cover *c = cover_of(s->m, y->first);
	assert_non_null(c);
	assert_int_equal(y->first, c->first);
	assert_int_equal(y->last, c->last);
	assert_string_equal(y->text, c->text);
	assert_true(s->next == 0 || (y->first - s->next) * s->step > 0);
	s->next = (int)y->first;
	s->stop++;
	return 0;
}

static int see_range(void *ctx, struct context_range r)
{
	struct seen *s = ctx;
	for (; s->next < r.first; s->next++)
		assert_false(s->m->pruned[s->next]);
	for (; s->next <= r.last; s->next++)
		assert_true(s->m->pruned[s->next]);
	return 0;
}

static void state_is(const struct model *m, const struct context_state *got)
{
	int actives = 0, pruned = 0, pinned = 0;
	for (int n = 1; n <= m->messages; n++) {
		actives += active(m, n);
		pruned += m->pruned[n];
		pinned += m->pinned[n];
	}
	assert_int_equal(got->messages, m->messages);
	assert_int_equal(got->active, actives);
	assert_int_equal(got->pruned, pruned);
	assert_int_equal(got->pinned, pinned);
	assert_int_equal(got->summarized, m->messages - actives - pruned);
	assert_int_equal(got->summaries, m->covers);
	assert_int_equal(got->window, m->window);
}

static void compare(struct store *s, const struct model *m, uint64_t *seed)
{
	struct context_state state;
	assert_int_equal(store_context_state(s, 1, &state), 0);
	state_is(m, &state);
	int from = m->messages ? 1 + (int)dice(seed, (uint32_t)m->messages) : 1;
	struct seen seen = { m, from, 1, 0 };
	assert_int_equal(store_turns(s, 1, from, m->messages + 9, see_turn, &seen), 0);
	assert_int_equal(seen.next, m->messages ? m->messages + 1 : 1);
	seen = (struct seen){ m, 1, 1, m->messages > 5 ? 5 : 0 }; /* stopped */
	assert_int_equal(store_turns(s, 1, 1, m->messages, see_turn, &seen), 0);
	assert_int_equal(seen.next, m->messages > 5 ? 5 : m->messages + 1);
	seen = (struct seen){ m, m->messages ? from : 0, 0, 0 };
	assert_int_equal(store_active_back(s, 1, from, see_active, &seen), 0);
	while (seen.next > 0)
		assert_false(active(m, seen.next--));
	seen = (struct seen){ m, 1, 0, 0 };
	assert_int_equal(store_pinned(s, 1, see_pinned, &seen), 0);
	while (seen.next <= m->messages)
		assert_false(m->pinned[seen.next++]);
	seen = (struct seen){ m, 0, 1, 0 };
	assert_int_equal(store_summaries(s, 1, 0, see_summary, &seen), 0);
	assert_int_equal(seen.stop, m->covers);
	seen = (struct seen){ m, 0, -1, 0 };
	assert_int_equal(store_summaries_back(s, 1, 0, see_summary, &seen), 0);
	assert_int_equal(seen.stop, m->covers);
	seen = (struct seen){ m, 1, 0, 0 };
	assert_int_equal(store_context_marked(s, 1, MARK_PRUNED, see_range, &seen), 0);
	while (seen.next <= m->messages)
		assert_false(m->pruned[seen.next++]);
}

/* ---- what is done --------------------------------------------------------- */

static struct context_op invent(uint64_t *seed, struct context_range range[3], char text[32])
{
	static const enum context_verb often[] = { CONTEXT_PRUNE, CONTEXT_PRUNE, CONTEXT_RESTORE, CONTEXT_PIN,
		CONTEXT_UNPIN, CONTEXT_UNPIN, CONTEXT_SUMMARIZE, CONTEXT_SUMMARIZE, CONTEXT_SUMMARIZE, CONTEXT_WINDOW };
	struct context_op op = { .verb = dice(seed, 40) ? often[dice(seed, 10)] : CONTEXT_RESET, .range = range };
	int64_t at = 0;
	if (op.verb == CONTEXT_WINDOW)
		op.window = (int)dice(seed, 9);
	if (op.verb == CONTEXT_WINDOW || op.verb == CONTEXT_RESET)
		return op;
	op.count = op.verb == CONTEXT_SUMMARIZE ? 1 : 1 + dice(seed, 3);
	for (size_t i = 0; i < op.count; i++) {
		range[i].first = at + 1 + dice(seed, op.count == 1 ? MESSAGES : 20);
		range[i].last = at = range[i].first + (int64_t)dice(seed, 5);
	}
	if (op.verb == CONTEXT_SUMMARIZE) {
		op.len = (size_t)snprintf(text, 32, "topic: %u", dice(seed, 1000));
		op.text = text;
	}
	return op;
}

/* Several at once: all or none, each after those before it. */
static void write_some(struct store *s, struct model *m, uint64_t *seed)
{
	struct context_range range[3][3];
	struct context_op op[3];
	char text[3][32];
	struct model then = *m;
	size_t count = 1 + dice(seed, 3);
	int64_t before = entries_of(s), seq;
	int expected = 0, line = 0;
	for (size_t i = 0; i < count; i++) {
		op[i] = invent(seed, range[i], text[i]);
		op[i].line = (int)i + 1;
		int err = expected ? 0 : allowed(&then, &op[i]);
		if (!expected && !err)
			apply(&then, &op[i]);
		line = err ? (int)i + 1 : line;
		expected = expected ? expected : err;
	}
	struct why why = { 0 };
	assert_int_equal(store_context_check(s, 1, op, count, &why), expected);
	assert_int_equal(store_context_commit(s, 1, op, count, "agent:sh", &seq, &why), expected);
	assert_int_equal(entries_of(s), before + (expected ? 0 : (int64_t)count));
	assert_int_equal(why.line, line);
	assert_int_equal(why.text[0] != '\0', expected != 0);
	if (!expected) {
		assert_int_equal(seq, before);
		*m = then;
	}
}

/* What no rule of ours has checked: the view takes it only if it keeps them. */
static void write_foreign(struct store *s, struct model *m, uint64_t *seed)
{
	static const char *const nonsense[] = { "{}", "[]", "{\"op\":\"prune\"}", "{\"op\":\"prune\",\"ids\":[]}",
		"{\"op\":\"prune\",\"ids\":[[3,2]]}", "{\"op\":\"prune\",\"ids\":[[3,4],[4,5]]}",
		"{\"op\":\"prune\",\"ids\":[[1,900000000000000]]}", "{\"op\":\"prune\",\"ids\":[[1.5,2]]}",
		"{\"op\":\"prune\",\"ids\":[1]}", "{\"op\":\"window\",\"n\":65}", "{\"op\":\"window\",\"n\":0}",
		"{\"op\":\"window\",\"n\":\"6\"}", "{\"op\":\"summarize\",\"from\":1,\"to\":2}",
		"{\"op\":\"summarize\",\"from\":1,\"to\":2,\"text\":\" \\n\"}",
		"{\"op\":7}", "{\"op\":\"forget\",\"ids\":[[1,2]]}",
		"{\"op\":\"prune\",\"ids\":[[0,2]]}", "{\"op\":\"prune\",\"ids\":[[-3,2]]}",
		/* and what is no operation on the window */
		"{\"op\":\"digest\",\"from\":1,\"to\":2,\"text\":\"topic: x\"}",
		"{\"op\":\"refer\",\"message\":1,\"refs\":[{\"type\":\"context\",\"ref\":2}]}" };
	struct context_range range[3];
	char text[32], body[256], ids[160] = "";
	if (dice(seed, 2)) {
		assert_int_equal(put(s, "c1", "context", nonsense[dice(seed, sizeof nonsense / sizeof *nonsense)]), 0);
		return;
	}
	struct context_op op = invent(seed, range, text);
	for (size_t i = 0; i < op.count; i++)
		(void)snprintf(ids + strlen(ids), sizeof ids - strlen(ids), "%s[%lld,%lld]", i ? "," : "",
		               (long long)range[i].first, (long long)range[i].last);
	static const char *const names[] = { "prune", "restore", "pin", "unpin" };
	if (op.verb == CONTEXT_SUMMARIZE)
		(void)snprintf(body, sizeof body, "{\"op\":\"summarize\",\"from\":%lld,\"to\":%lld,\"text\":\"%s\",\"x\":1}",
		               (long long)range[0].first, (long long)range[0].last, text);
	else if (op.verb == CONTEXT_RESET)
		(void)snprintf(body, sizeof body, "{\"op\":\"reset\"}");
	else if (op.verb == CONTEXT_WINDOW && op.window)
		(void)snprintf(body, sizeof body, "{\"op\":\"window\",\"n\":%d}", op.window);
	else if (op.verb == CONTEXT_WINDOW)
		(void)snprintf(body, sizeof body, "{\"op\":\"window\"}");
	else
		(void)snprintf(body, sizeof body, "{\"op\":\"%s\",\"ids\":[%s]}", names[op.verb], ids);
	bool takes = dice(seed, 9) && allowed(m, &op) == 0;
	assert_int_equal(put(s, "c1", takes || allowed(m, &op) ? "context" : "contexts", body), 0);
	struct context_state state;
	assert_int_equal(store_context_state(s, 1, &state), 0);
	assert_int_equal(state.last_seq == entries_of(s) - 1, takes);
	if (takes)
		apply(m, &op);
}

static void write_message(struct store *s, struct model *m, uint64_t *seed)
{
	char content[16];
	if (m->messages == MESSAGES)
		return;
	(void)snprintf(content, sizeof content, "m%d", ++m->messages);
	m->pinned[m->messages] = dice(seed, 8) == 0;
	say(s, content, m->pinned[m->messages] ? ",\"pinned\":true" : ",\"pinned\":false");
}

static void run_model(struct memory *mem, uint64_t seed)
{
	struct model *m = calloc(1, sizeof *m), *then = calloc(STEPS, sizeof *then);
	assert_non_null(m);
	assert_non_null(then);
	clock_set(T(1));
	assert_int_equal(make_session(mem->s, "work"), 1);
	for (int i = 0; i < STEPS; i++) {
		clock_set(T(10 * (i + 1)));
		uint32_t what = dice(&seed, 10);
		if (what < 3)
			write_message(mem->s, m, &seed);
		else if (what < 8)
			write_some(mem->s, m, &seed);
		else
			write_foreign(mem->s, m, &seed);
		compare(mem->s, m, &seed);
		struct context_state now;
		assert_int_equal(store_context_state(mem->s, 1, &now), 0);
		then[i] = *m;
		then[i].last_seq = now.last_seq;
		then[i].last_us = now.last_us;
	}
	for (int i = 0; i < STEPS; i += 3) { /* and as it was */
		struct context_state state;
		int64_t us = T(10 * (i + 1) + 5);
		struct seen seen = { &then[i], then[i].messages, 0, 0 };
		assert_int_equal(store_context_state_at_time(mem->s, 1, us, &state), 0);
		state_is(&then[i], &state);
		assert_int_equal(state.last_seq, then[i].last_seq);
		assert_int_equal(state.last_us, then[i].last_us);
		assert_int_equal(store_active_back_at_time(mem->s, 1, us, see_active, &seen), 0);
		while (seen.next > 0)
			assert_false(active(&then[i], seen.next--));
		seen = (struct seen){ &then[i], 0, 1, 0 };
		assert_int_equal(store_summaries_at_time(mem->s, 1, us, 0, see_summary, &seen), 0);
		assert_int_equal(seen.stop, then[i].covers);
		seen = (struct seen){ &then[i], 1, 0, 0 };
		assert_int_equal(store_context_marked_at_time(mem->s, 1, us, MARK_PRUNED, see_range, &seen), 0);
	}
	free(m);
	free(then);
	views_hold(mem);
}

static void test_model(void **state)
{
	run_model(*state, 20261121);
}

static void test_model_again(void **state)
{
	run_model(*state, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_model, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_model_again, memory_open, memory_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

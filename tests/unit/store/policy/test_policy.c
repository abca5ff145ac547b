/* SPDX-License-Identifier: MIT */
/*
 * The numbers and rules of a context as tables: windows, topics, segments, the hard
 * total, what is not repeated, how long answers hold.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "store/store.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MINUTE INT64_C(60000000)
#define HOUR (60 * MINUTE)

static const struct policy *const p = &policy_default;

/* Deterministic, so that a failure can be seen again. */
static uint32_t next(uint32_t *seed)
{
	*seed = *seed * UINT32_C(1664525) + UINT32_C(1013904223);
	return *seed >> 8;
}

static void test_defaults(void **state)
{
	(void)state;
	assert_int_equal(p->window, 6);
	assert_int_equal(p->window_least, 4);
	assert_int_equal(p->window_most, 8);
	assert_int_equal(p->segment, 3);
	assert_int_equal(p->summaries, 4);
	assert_int_equal(p->summary_tokens, 50);
	assert_int_equal(p->summaries * p->summary_tokens, 200);
	assert_int_equal(p->window_tokens, 1200);
	assert_int_equal(p->facts_least, 50);
	assert_int_equal(p->facts_most, 150);
	assert_int_equal(p->results_tokens, 300);
	assert_int_equal(p->eager_tokens, 3000);
	assert_int_equal(p->total_tokens, 4000);
	assert_true(p->found_tokens >= p->total_tokens); /* all that is left */
	assert_int_equal(p->unrepeated, 3);
	assert_int_equal(p->failures, 3);
	assert_int_equal(p->answer_us, 24 * HOUR);
	assert_int_equal(p->tool_answer_us, HOUR);
	assert_true(p->close >= 0.7 && p->close <= 0.7 && p->loose >= 0.3 && p->loose <= 0.3);
	assert_true(p->shift >= 0.4 && p->shift <= 0.4 && p->same >= 0.85 && p->same <= 0.85);
	assert_true(p->safe >= 0.8 && p->safe <= 0.8 && p->threshold >= 50 && p->threshold <= 50);
}

static void test_window(void **state)
{
	static const struct {
		double similarities[4];
		size_t n;
		int turns;
	} rows[] = {
		{ { 0 }, 0, 6 }, { { 0.9 }, 1, 6 }, { { 0.1 }, 1, 6 },
		{ { 0.71, 0.71 }, 2, 8 }, { { 0.7, 0.71 }, 2, 6 }, { { 0.71, 0.7 }, 2, 6 },
		{ { 0.29, 0.29 }, 2, 4 }, { { 0.3, 0.29 }, 2, 6 }, { { 0.29, 0.3 }, 2, 6 },
		{ { 0.9, 0.1 }, 2, 6 }, { { 0.1, 0.9 }, 2, 6 }, { { 0.5, 0.5 }, 2, 6 },
		{ { 0, 0 }, 2, 4 }, { { 1, 1 }, 2, 8 },
		{ { 0.1, 0.1, 0.9, 0.9 }, 4, 8 }, { { 0.9, 0.9, 0.1, 0.1 }, 4, 4 }, { { 0.9, 0.9, 0.9, 0.5 }, 4, 6 },
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(policy_window(p, rows[i].similarities, rows[i].n), rows[i].turns);
}

static void test_window_fit(void **state)
{
	static const struct {
		const char *turns; /* oldest first, * is pinned; in hundreds of tokens */
		int size;
		const char *shown;
		int64_t tokens;
	} rows[] = {
		{ "", 6, "", 0 },
		{ "1 1 1", 6, "yyy", 300 },
		{ "1 1 1 1 1 1 1 1", 6, "..yyyyyy", 600 },
		{ "1 1 1 1 1 1 1 1", 8, "yyyyyyyy", 800 },
		{ "1 1 1 1 1 1 1 1", 4, "....yyyy", 400 },
		{ "3 3 3 3 3 3", 6, "..yyyy", 1200 },
		{ "3 3 3 4 3 3", 6, "...yyy", 1000 },
		{ "1 13 1", 6, "..y", 100 },
		{ "1 1 50", 6, "..y", 5000 },
		{ "*1 1 1 1 1 1 1 1", 6, "y.yyyyyy", 700 },
		{ "*9 1 1 1 1 1 1 1", 6, "y....yyy", 1200 },
		{ "*13 1 1", 6, "y.y", 1400 },
		{ "1 1 *1", 1, ".yy", 200 },
		{ "*5 *5 *5", 6, "yyy", 1500 },
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct policy_turn turns[16];
		char shown[17] = "";
		size_t n = 0;
		for (const char *at = rows[i].turns; *at; n++) {
			bool pinned = *at == '*';
			char *end;
			turns[n] = (struct policy_turn){ .tokens = 100 * strtol(at + pinned, &end, 10), .pinned = pinned };
			at = *end ? end + 1 : end;
		}
		assert_int_equal(policy_window_fit(p, turns, n, rows[i].size), rows[i].tokens);
		for (size_t k = 0; k < n; k++)
			shown[k] = turns[k].shown ? 'y' : '.';
		assert_string_equal(shown, rows[i].shown);
	}
}

static void test_topic(void **state)
{
	static const struct {
		struct topic_border border;
		enum topic_reason reason;
	} rows[] = {
		{ { .known = true, .similarity = 0.4 }, TOPIC_SAME },
		{ { .known = true, .similarity = 0.399 }, TOPIC_SIMILARITY },
		{ { .known = false, .similarity = 0 }, TOPIC_SAME },
		{ { .known = true, .similarity = 1, .phrase = true }, TOPIC_PHRASE },
		{ { .known = true, .similarity = 1, .before = 1, .after = 2 }, TOPIC_DOMAIN },
		{ { .known = true, .similarity = 1, .before = 1, .after = 1 }, TOPIC_SAME },
		{ { .known = true, .similarity = 1, .before = 0, .after = 2 }, TOPIC_SAME },
		{ { .known = true, .similarity = 1, .before = 2, .after = 0 }, TOPIC_SAME },
		{ { .known = true, .similarity = 1, .gap_us = 4 * HOUR }, TOPIC_GAP },
		{ { .known = true, .similarity = 1, .gap_us = 4 * HOUR - 1 }, TOPIC_SAME },
		{ { .known = true, .similarity = 1, .gap_us = -5 * HOUR }, TOPIC_SAME },
		{ { .known = true, .phrase = true, .before = 1, .after = 2, .gap_us = 5 * HOUR }, TOPIC_PHRASE },
		{ { .known = true, .before = 1, .after = 2, .gap_us = 5 * HOUR }, TOPIC_DOMAIN },
		{ { .known = true, .gap_us = 5 * HOUR }, TOPIC_GAP },
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(policy_topic_shift(p, &rows[i].border), rows[i].reason);
}

/* Texts to the verdict: three turns about one thing and three about it, or about another. */
static void test_topic_texts(void **state)
{
	static const char *const talk[][3] = {
		{ "El despliegue del servidor falla con un error de permisos", "Revisé los permisos del servidor",
		  "El servidor de despliegue necesita otro usuario" },
		{ "Creé el usuario para el despliegue", "Ahora el servidor acepta el despliegue",
		  "Los permisos quedaron bien" },
		{ "Mi hija cumple años el sábado", "Quiero regalarle una bicicleta roja", "La torta será de chocolate" },
	};
	struct ngram_vector s[9];
	double same, other;
	(void)state;
	for (size_t i = 0; i < 9; i++)
		assert_int_equal(ngram_vector_of(&s[i], talk[i / 3][i % 3], strlen(talk[i / 3][i % 3])), 0);
	const struct ngram_vector *stays[] = { &s[0], &s[1], &s[2], &s[3], &s[4], &s[5] };
	const struct ngram_vector *leaves[] = { &s[3], &s[4], &s[5], &s[6], &s[7], &s[8] };
	assert_int_equal(policy_topic_similarity(stays, &same), 0);
	assert_int_equal(policy_topic_similarity(leaves, &other), 0);
	struct topic_border a = { .known = true, .similarity = same }, b = { .known = true, .similarity = other };
	assert_int_equal(policy_topic_shift(p, &a), TOPIC_SAME);
	assert_int_equal(policy_topic_shift(p, &b), TOPIC_SIMILARITY);
	for (size_t i = 0; i < 9; i++)
		ngram_vector_release(&s[i]);
}

/* Messages by number, x: it begins a topic; a bar where one segment ends. */
static void test_segments(void **state)
{
	static const struct {
		int segment;
		const char *messages, *segments;
	} rows[] = {
		{ 3, "1", "1" }, { 3, "123", "123" }, { 3, "1234", "123|4" }, { 3, "123456789", "123|456|789" },
		{ 3, "12x3", "12|3" }, { 3, "1x234x5x6", "1|23|4|5|6" }, { 3, "123x4", "123|4" },
		{ 3, "23", "23" }, { 3, "34", "3|4" }, { 3, "13", "13" }, { 3, "15679", "1|56|79" }, /* some are not active */
		{ 1, "123", "1|2|3" }, { 0, "123", "1|2|3" }, { 12, "1234x56", "1234|56" },
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct policy by = *p;
		char out[32] = "";
		size_t used = 0;
		int64_t before = 0;
		by.segment = rows[i].segment;
		for (const char *c = rows[i].messages; *c; c++) {
			bool shift = *c == 'x';
			c += shift;
			if (before && !policy_same_segment(&by, before, *c - '0', shift))
				out[used++] = '|';
			out[used++] = *c;
			before = *c - '0';
		}
		assert_string_equal(out, rows[i].segments);
	}
}

/* Summaries, window, results, facts, sections, blocks: S W R F C B; in upper case pinned. */
static size_t read_parts(const char *text, struct policy_part *parts)
{
	static const char kinds[] = "omswrfcb"; /* o: found, m: memories */
	size_t n = 0;
	for (; *text; text++)
		if (*text != ' ')
			parts[n++] = (struct policy_part){ .kind = (enum part_kind)(strchr(kinds, *text | 32) - kinds),
				                               .tokens = 10, .least = 10, .pinned = *text < 'a', .cut = true };
	return n;
}

static void test_cut(void **state)
{
	static const struct {
		const char *parts; /* 10 tokens each */
		int64_t budget;
		const char *left;
		int64_t tokens;
	} rows[] = {
		{ "bbccffsswww", 110, "bbccffsswww", 110 },
		{ "bbccffssooowww", 125, "bbccffsso--www", 120 },
		{ "bbmmsooww", 65, "bbm-s--ww", 60 },
		{ "bbccffssooowww", 109, "bbccff-s---www", 100 },
		{ "bbccffsswww", 109, "bbccff-swww", 100 },
		{ "bbccffsswww", 95, "bbccff--www", 90 },
		{ "bbccffsswww", 80, "bbccff---ww", 80 },
		{ "bbccffsswww", 70, "bbccff----w", 70 },
		{ "bbccffsswwwrr", 80, "bbccff----w-r", 80 },
		{ "bbccffssww", 60, "bbccf----w", 60 },
		{ "bbccffssww", 40, "bbc------w", 40 },
		{ "bbccffssww", 30, "bb-------w", 30 },
		{ "bbccffssww", 20, "b--------w", 20 },
		{ "bbccffssww", 10, "---------w", 10 },
		{ "bbccffssrrww", 30, "b--------r-w", 30 },
		{ "bbrrw", 20, "---rw", 20 },
		{ "bbccffssww", 0, "----------", 0 },
		{ "bbSsWwww", 50, "bbS-W--w", 50 },
		{ "BBCCFFSSWW", 0, "BBCCFFSSWW", 100 },
		{ "sSsWww", 30, "-S-W-w", 30 },
		{ "", 0, "", 0 },
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct policy_part parts[32];
		char left[33] = "";
		size_t n = read_parts(rows[i].parts, parts);
		int64_t tokens = policy_cut(parts, n, rows[i].budget);
		for (size_t k = 0; k < n; k++)
			left[k] = parts[k].cut ? '-' : rows[i].parts[k];
		assert_string_equal(left, rows[i].left);
		assert_int_equal(tokens, rows[i].tokens);
	}
}

/* The newest turn is cut down before any block goes, and to its least before it goes itself. */
static void test_cut_down(void **state)
{
	static const struct {
		int64_t budget, newest, tokens;
		bool block;
	} rows[] = { { 1000, 900, 1000, true }, { 700, 600, 700, true }, { 228, 128, 228, true },
		{ 200, 128, 128, false }, { 128, 128, 128, false }, { 127, 128, 0, false } };
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct policy_part parts[] = { { .kind = PART_BLOCK, .tokens = 100, .least = 128 },
			{ .kind = PART_SECTION, .tokens = 50, .least = 128 },
			{ .kind = PART_WINDOW, .tokens = 900, .least = 128 } };
		assert_int_equal(policy_cut(parts, 3, rows[i].budget), rows[i].tokens);
		assert_true(parts[1].cut);
		assert_int_equal(parts[0].cut, !rows[i].block);
		assert_int_equal(parts[2].tokens, rows[i].newest);
		assert_int_equal(parts[2].cut, rows[i].budget < 128);
	}
}

static void test_cut_any(void **state)
{
	uint32_t seed = 7;
	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct policy_part parts[40];
		size_t n = next(&seed) % 40;
		int64_t pinned = 0, left = 0, total = 0, budget = next(&seed) % 2000;
		for (size_t i = 0; i < n; i++) {
			parts[i] = (struct policy_part){ .kind = (enum part_kind)(next(&seed) % (PART_BLOCK + 1)),
				                             .tokens = next(&seed) % 200, .least = next(&seed) % 200,
				                             .pinned = next(&seed) % 5 == 0 };
			total += parts[i].tokens;
			pinned += parts[i].pinned ? parts[i].tokens : 0;
		}
		int64_t told = policy_cut(parts, n, budget);
		size_t newest = n, result = n;
		for (size_t i = 0; i < n; i++) {
			assert_false(parts[i].cut && parts[i].pinned);
			left += parts[i].cut ? 0 : parts[i].tokens;
			newest = parts[i].kind == PART_WINDOW ? i : newest;
			result = parts[i].kind == PART_RESULT ? i : result;
		}
		assert_int_equal(told, left);
		assert_true(left <= budget || left <= pinned); /* parts of no tokens are no matter */
		assert_true(total > budget || left == total);
		/* nothing of a later kind goes while one of an earlier kind could */
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < n && parts[i].cut && i != newest; k++)
				assert_false(parts[k].kind < parts[i].kind && k != newest && k != result && !parts[k].cut &&
				             !parts[k].pinned && parts[k].tokens > 0);
		/* and the newest turn while anything could */
		for (size_t k = 0; k < n && newest < n && parts[newest].cut; k++)
			assert_false(!parts[k].cut && !parts[k].pinned && parts[k].tokens > 0);
	}
}

static void test_facts_fit(void **state)
{
	static const struct {
		struct policy_fact facts[6];
		size_t n;
		const char *shown;
		int64_t tokens;
	} rows[] = {
		{ { { 0 } }, 0, "", 0 },
		{ { { 60, true, true }, { 60, true, false }, { 30, true, false } }, 3, "yyy", 150 },
		{ { { 60, true, true }, { 60, true, false }, { 31, true, false } }, 3, "yy.", 120 },
		{ { { 60, true, true }, { 100, true, false }, { 30, true, false } }, 3, "y.y", 90 },
		{ { { 60, true, true }, { 10, false, true } }, 2, "y.", 60 },
		{ { { 20, true, false }, { 20, false, false }, { 20, false, false } }, 3, "yy.", 40 },
		{ { { 20, false, false }, { 30, false, false }, { 1, false, false } }, 3, "yy.", 50 },
		{ { { 151, true, true }, { 10, false, false } }, 2, ".y", 10 },
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct policy_fact facts[6];
		char shown[7] = "";
		memcpy(facts, rows[i].facts, sizeof facts);
		assert_int_equal(policy_facts_fit(p, facts, rows[i].n), rows[i].tokens);
		for (size_t k = 0; k < rows[i].n; k++)
			shown[k] = facts[k].shown ? 'y' : '.';
		assert_string_equal(shown, rows[i].shown);
	}
	assert_false(policy_is_eager(p, 3000));
	assert_true(policy_is_eager(p, 3001));
}

static void test_results_share(void **state)
{
	static const struct {
		int64_t tokens[4], share[4];
		size_t n;
	} rows[] = {
		{ { 0 }, { 0 }, 0 },
		{ { 300 }, { 300 }, 1 }, { { 5000 }, { 300 }, 1 },
		{ { 100, 100, 100 }, { 100, 100, 100 }, 3 },
		{ { 900, 900, 900 }, { 100, 100, 100 }, 3 },
		{ { 10, 900, 900 }, { 100, 145, 145 }, 3 }, /* what the first leaves is for the others */
		{ { 0, 0, 900 }, { 100, 150, 300 }, 3 },
		{ { 900, 900, 10 }, { 100, 100, 100 }, 3 },
		{ { 900, 900, 900, 900 }, { 75, 75, 75, 75 }, 4 },
	};
	int64_t many[400], share[400], all = 0;
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		policy_results_share(p, rows[i].tokens, rows[i].n, share);
		for (size_t k = 0; k < rows[i].n; k++)
			assert_int_equal(share[k], rows[i].share[k]);
	}
	for (size_t i = 0; i < COUNT(many); i++) /* more than there are tokens: the last ones have one each */
		many[i] = 9;
	policy_results_share(p, many, COUNT(many), share);
	for (size_t i = 0; i < COUNT(many); i++)
		all += share[i];
	assert_int_equal(all, 300);
	assert_int_equal(share[0], 0);
	assert_int_equal(share[COUNT(many) - 1], 1);
}

/* Best first, headings paid once, what is too long leaves its place; then by groups. */
static void test_found(void **state)
{
	static const struct {
		int64_t budget, tokens;
		const char *shown, *order; /* of the five hits; by their numbers */
	} rows[] = {
		{ 1000, 175, "xxxxx", "03142" }, { 175, 175, "xxxxx", "03142" }, { 174, 160, "xxxx-", "0312" },
		{ 60, 60, "xx---", "01" }, { 59, 45, "x--x-", "03" }, { 30, 30, "x----", "0" }, { 29, 25, "---x-", "3" },
		{ 24, 0, "-----", "" }, { 0, 0, "-----", "" }, { -5, 0, "-----", "" },
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct policy_found hits[] = { { 0, 9, 20, 10, false }, { 1, 5, 20, 10, false }, { 2, 1, 75, 10, false },
			{ 0, 12, 15, 10, false }, { 1, 7, 15, 10, false } }, *order[COUNT(hits)];
		char shown[COUNT(hits) + 1] = "", numbers[COUNT(hits) + 1] = "";
		size_t n = 0;
		int64_t tokens = policy_found_fit(hits, COUNT(hits), rows[i].budget);
		for (size_t k = 0; k < COUNT(hits); k++) {
			shown[k] = hits[k].shown ? 'x' : '-';
			if (hits[k].shown)
				order[n++] = &hits[k];
		}
		policy_found_order(order, n);
		for (size_t k = 0; k < n; k++)
			numbers[k] = (char)('0' + (order[k] - hits));
		assert_string_equal(shown, rows[i].shown);
		assert_string_equal(numbers, rows[i].order);
		assert_int_equal(tokens, rows[i].tokens);
	}
}

/* Whatever the hits: never above the budget, and nothing that would still fit is left out. */
static void test_found_any(void **state)
{
	uint32_t seed = 11;
	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct policy_found hits[40], *order[40];
		size_t n = next(&seed) % 40, shown = 0;
		int64_t budget = next(&seed) % 2000, all = 0;
		bool open[40] = { false };
		for (size_t i = 0; i < n; i++) {
			size_t with = next(&seed) % (i + 1);
			hits[i] = (struct policy_found){ .group = hits[with].group, .n = (int64_t)(next(&seed) % 9),
				.tokens = 1 + next(&seed) % 200, .head = 10, .shown = true };
			hits[i].group = with == i ? (int64_t)i : hits[with].group;
		}
		int64_t told = policy_found_fit(hits, n, budget);
		for (size_t i = 0; i < n; i++)
			if (hits[i].shown) {
				all += hits[i].tokens + (open[hits[i].group] ? 0 : hits[i].head);
				open[hits[i].group] = true;
				order[shown++] = &hits[i];
			}
		assert_int_equal(told, all);
		assert_true(told <= budget);
		for (size_t i = 0; i < n; i++)
			if (!hits[i].shown)
				assert_true(told + hits[i].tokens + hits[i].head > budget);
		policy_found_order(order, shown);
		for (size_t i = 1; i < shown; i++)
			assert_true(order[i - 1]->group < order[i]->group ||
			            (order[i - 1]->group == order[i]->group && order[i - 1]->n <= order[i]->n));
	}
}

static void test_slots(void **state)
{
	static const size_t rows[][2] = { { 0, 0 }, { 1, 0 }, { 4, 0 }, { 5, 1 }, { 100, 96 } };
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(policy_first_summary(p, rows[i][0]), rows[i][1]);
}

static void test_omits(void **state)
{
	static const struct {
		int64_t now, seen;
		bool omits;
	} facts[] = { { 10, 10, true }, { 10, 9, true }, { 10, 7, true }, { 10, 6, false }, { 10, 1, false },
		          { 10, 0, false }, { 3, 0, false }, { 2, 1, true }, { 5, 6, false } };
	(void)state;
	for (size_t i = 0; i < COUNT(facts); i++)
		assert_int_equal(policy_omits_fact(p, facts[i].now, facts[i].seen), facts[i].omits);
	assert_false(policy_omits_tool(0));
	assert_true(policy_omits_tool(1) && policy_omits_tool(9));
	for (unsigned i = 0; i < 16; i++) {
		const struct policy_output o = { i & 1, i & 2, i & 4, i & 8 };
		assert_int_equal(policy_omits_format(&o), i == 15); /* one that fails, and it is said again */
		assert_int_equal(policy_omits_examples(&o), i == 15);
	}
}

static void test_answers(void **state)
{
	static const struct {
		int64_t age;
		bool of_tool, holds;
	} rows[] = { { 0, false, true }, { 24 * HOUR - 1, false, true }, { 24 * HOUR, false, false }, { -1, false, false },
		         { 0, true, true },  { HOUR - 1, true, true },       { HOUR, true, false },       { -1, true, false } };
	const int64_t now = 1000 * HOUR;
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(policy_answer_holds(p, now - rows[i].age, now, rows[i].of_tool), rows[i].holds);
	assert_false(policy_answer_holds(p, INT64_MIN, INT64_MAX, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),  cmocka_unit_test(test_window),      cmocka_unit_test(test_window_fit),
		cmocka_unit_test(test_topic),     cmocka_unit_test(test_topic_texts), cmocka_unit_test(test_segments),
		cmocka_unit_test(test_cut),       cmocka_unit_test(test_cut_down),    cmocka_unit_test(test_cut_any),
		cmocka_unit_test(test_facts_fit),
		cmocka_unit_test(test_results_share), cmocka_unit_test(test_slots),
		cmocka_unit_test(test_found),     cmocka_unit_test(test_found_any),   cmocka_unit_test(test_omits),
		cmocka_unit_test(test_answers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

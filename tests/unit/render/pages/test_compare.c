/* SPDX-License-Identifier: MIT */
/* Questions of a file, well-formed and hostile; metrics put into an algorithm's bytes; the page of a comparison. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/render.h"
#include "tests/unit/exact.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct why why;

/* Exactly these bytes are there, for who reads beyond them. */
static int read_exact(const char *text, size_t len, struct asked_questions *out)
{
	char *exact = exact_copy(text, len);
	memset(&why, 0, sizeof why);
	int rc = render_questions_in(exact, len, out, &why);
	free(exact);
	return rc;
}

/* "2:tea=a=b;" */
static void asks(const char *text, const char *want)
{
	struct asked_questions q;
	struct buf out = BUF_INIT;
	assert_int_equal(read_exact(text, strlen(text), &q), 0);
	for (size_t i = 0; i < q.count; i++) {
		buf_addf(&out, "%d:%s", q.items[i].line, q.items[i].words);
		for (size_t k = 0; k < q.items[i].count; k++)
			buf_addf(&out, "=%s", q.items[i].expected[k]);
		buf_addc(&out, ';');
	}
	assert_string_equal(out.data, want);
	buf_release(&out);
	asked_questions_release(&q);
}

static void test_questions(void **state)
{
	(void)state;
	asks("tea", "1:tea;");
	asks("tea\n\n  \n what of tea? \r\n", "1:tea;4:what of tea?;");
	asks("tea\tm/a.md\tm/b c.md\r\n", "1:tea=m/a.md=m/b c.md;");
	asks("tea\tm/a.md\tm/a.md\t\t \n", "1:tea=m/a.md;"); /* once */
	asks("\tm/a.md\n\t\t\n", "1:=m/a.md;"); /* nothing is asked */
	asks("\xEF\xBB\xBF" "caf\xC3\xA9\ncaf\xC3\xA9\n", "1:caf\xC3\xA9;2:caf\xC3\xA9;");
	asks("# no comment\n", "1:# no comment;");
}

static void refuses(const char *text, size_t len, int code, int line, const char *words)
{
	struct asked_questions q;
	assert_int_equal(read_exact(text, len, &q), code);
	assert_int_equal(why.line, line);
	assert_non_null(strstr(why.text, words));
	assert_true(why.todo[0] != '\0');
	asked_questions_release(&q);
}

static void test_refused(void **state)
{
	(void)state;
	refuses("", 0, RENDER_EINVAL, 0, "no question");
	refuses("\n \r\n\t\n", 6, RENDER_EINVAL, 0, "no question");
	refuses("\xEF\xBB\xBF", 3, RENDER_EINVAL, 0, "no question");
	refuses("tea\nte\xFF\n", 8, RENDER_EINVAL, 2, "UTF-8");
	refuses("tea\n\nte\0a\n", 10, RENDER_EINVAL, 3, "NUL");
	refuses("tea\tm/\xC3", 7, RENDER_EINVAL, 1, "UTF-8"); /* cut short */

	size_t len = (size_t)QUESTIONS_LIMIT * 2 + 2;
	char *text = malloc(len);
	assert_non_null(text);
	memset(text, 'a', len);
	struct asked_questions q;
	assert_int_equal(read_exact(text, QUESTION_LIMIT, &q), 0);
	assert_int_equal(strlen(q.items[0].words), QUESTION_LIMIT);
	asked_questions_release(&q);
	refuses(text, QUESTION_LIMIT + 1, RENDER_EFBIG, 1, "4096 bytes");
	for (size_t i = 1; i < len; i += 2)
		text[i] = '\n';
	assert_int_equal(read_exact(text, len - 2, &q), 0);
	assert_int_equal(q.count, QUESTIONS_LIMIT);
	asked_questions_release(&q);
	refuses(text, len, RENDER_EFBIG, QUESTIONS_LIMIT + 1, "10000 questions");
	free(text);

	struct buf many = BUF_INIT;
	buf_adds(&many, "tea");
	for (int i = 0; i < EXPECTED_LIMIT; i++)
		buf_addf(&many, "\tm/%d", i);
	assert_int_equal(read_exact(many.data, many.len, &q), 0);
	asked_questions_release(&q);
	buf_adds(&many, "\tm/x");
	refuses(many.data, many.len, RENDER_EFBIG, 1, "64 results");
	buf_release(&many);
}

/* Any bytes: taken or refused with words, and what is taken keeps its bounds. */
static void test_any_bytes(void **state)
{
	static const char *const pieces[] = { "tea", "\n", "\t", "\r\n", " ", "\xC3\xA9", "\xC3", "m/a.md",
		"\xF0\x9F\x8D\xB5" };
	uint64_t seed = 11;
	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct buf text = BUF_INIT;
		struct asked_questions q;
		for (int i = 0; i < 40; i++) {
			seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
			const char *piece = pieces[(seed >> 33) % COUNT(pieces)];
			if (seed >> 60 == 7)
				buf_addc(&text, (char)(seed >> 40));
			else if (piece[0] != '\xC3' || piece[1] || seed >> 62 == 0)
				buf_adds(&text, piece);
		}
		int rc = read_exact(text.data, text.len, &q);
		assert_true(rc == 0 || (rc == RENDER_EINVAL && why.text[0] && why.todo[0]));
		for (size_t i = 0; i < q.count && rc == 0; i++) {
			assert_true(q.items[i].words[0] || q.items[i].count > 0);
			assert_null(strpbrk(q.items[i].words, "\t\n"));
			assert_true(q.items[i].line > 0 && (i == 0 || q.items[i].line > q.items[i - 1].line));
			for (size_t k = 0; k < q.items[i].count; k++)
				assert_true(q.items[i].expected[k][0] && !strpbrk(q.items[i].expected[k], "\t\n"));
		}
		asked_questions_release(&q);
		buf_release(&text);
	}
}

static void test_own(void **state)
{
	struct asked_questions q = { .count = 0 };
	char *text = malloc(QUESTION_LIMIT + 8);
	(void)state;
	assert_non_null(text);
	memset(text, 'a', QUESTION_LIMIT + 8);
	memcpy(text + QUESTION_LIMIT - 1, "\xC3\xA9", 2); /* would be cut in two */
	assert_int_equal(asked_questions_add(&q, "tea\nand\ttabs", 12), 0);
	assert_int_equal(asked_questions_add(&q, "tea\nand\ttabs", 12), 0);
	assert_int_equal(asked_questions_add(&q, text, QUESTION_LIMIT + 8), 0);
	assert_int_equal(asked_questions_add(&q, "a\0b", 3), 0);
	assert_int_equal(q.count, 3);
	assert_string_equal(q.items[0].words, "tea\nand\ttabs");
	assert_int_equal(strlen(q.items[1].words), QUESTION_LIMIT - 1);
	assert_string_equal(q.items[2].words, "a");
	asked_questions_release(&q);
	free(text);
}

/* ---- metrics in an algorithm's bytes --------------------------------------------- */

static void puts_metrics(const char *bytes, const char *want)
{
	struct buf out = BUF_INIT;
	struct why none = { 0 };
	assert_int_equal(render_algorithm_metrics(&out, bytes, strlen(bytes), "{\"k\": 1}", &none), 0);
	assert_string_equal(out.data, want);
	buf_release(&out);
}

#define C "\"comparison\": {\"k\": 1}"

static void test_metrics(void **state)
{
	(void)state;
	puts_metrics("{}", "{\"metrics\": {" C "}}");
	puts_metrics("{ }\n", "{\"metrics\": {" C "} }\n");
	puts_metrics("{\"config\":{}}", "{\"config\":{},\"metrics\":{" C "}}");
	puts_metrics("{\"config\": {}, \"status\": \"a\\\"b\"}",
	             "{\"config\": {}, \"status\": \"a\\\"b\", \"metrics\": {" C "}}");
	puts_metrics("{\n\t\"a\": 1.50,\n\t\"b\": [2,\r\n3]\n}\n",
	             "{\n\t\"a\": 1.50,\n\t\"b\": [2,\r\n3],\n\t\"metrics\": {" C "}\n}\n");
	puts_metrics("\xEF\xBB\xBF{\"a\":null}", "\xEF\xBB\xBF{\"a\":null,\"metrics\":{" C "}}");
	puts_metrics("{\"metrics\" : null, \"a\":1}", "{\"metrics\" : {" C "}, \"a\":1}");
	puts_metrics("{\"metrics\":{}}", "{\"metrics\":{" C "}}");
	puts_metrics("{\"metrics\": {\"p\": 0.9 }, \"a\":1}", "{\"metrics\": {\"p\": 0.9, " C " }, \"a\":1}");
	puts_metrics("{\"metrics\":{\"p\":\"comparison\"}}",
	             "{\"metrics\":{\"p\":\"comparison\",\"comparison\":{\"k\": 1}}}");
	puts_metrics("{\"metrics\":{\"comparison\":{\"k\": 7, \"at\":[]} , \"p\":0.90}}",
	             "{\"metrics\":{\"comparison\":{\"k\": 1} , \"p\":0.90}}");
	puts_metrics("{\"metrics\":{\"comparison\":\"old\"}}", "{\"metrics\":{\"comparison\":{\"k\": 1}}}");
	/* of that name elsewhere: none of ours */
	puts_metrics("{\"config\":{\"metrics\":{\"comparison\":1}}}",
	             "{\"config\":{\"metrics\":{\"comparison\":1}},\"metrics\":{" C "}}");
}

static void test_no_metrics(void **state)
{
	static const char *const bad[] = { "", "[]", "7", "{\"metrics\":7}", "{\"metrics\":[]}",
		"{\"metrics\":{},\"metrics\":{}}", "{" };
	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct buf out = BUF_INIT;
		memset(&why, 0, sizeof why);
		assert_int_equal(render_algorithm_metrics(&out, bad[i], strlen(bad[i]), "{}", &why), RENDER_EINVAL);
		assert_true(why.text[0] != '\0');
		assert_int_equal(out.len, 0);
		buf_release(&out);
	}
}

static void test_status_behind_a_mark(void **state)
{
	static const char marked[] = "\xEF\xBB\xBF{\"status\":\"active\"} ";
	struct buf out = BUF_INIT;
	(void)state;
	assert_true(render_algorithm_active(marked, strlen(marked)));
	render_algorithm_retire(&out, marked, strlen(marked));
	assert_string_equal(out.data, "\xEF\xBB\xBF{\"status\":\"deprecated\"} ");
	buf_release(&out);
}

/* ---- the page ---------------------------------------------------------------------- */

static struct comparison sample(const struct compare_case *unlike)
{
	return (struct comparison){ .code = "memory", .source = "q.txt", .k = 10, .questions = 4, .answered = 3,
		.judged = 2, .same = 1, .other_best = 1, .overlap = 0.9, .tau = 0.5,
		.side = { { "1.0", "active", 0.25, 0.5, 0.75, 12.4, 0 }, { "2.0", "experiment", 0.5, 1, 0.875, 11.6, 1 } },
		.unasked = { "", 1, NAN, { NAN, NAN }, { "", "" } }, .unlike = unlike, .unlikes = 1 };
}

static void test_page(void **state)
{
	const struct compare_case unlike = { "te\x1b[31ma\n", 0.5, -1, { 0, 1 }, { "memories/fact/a.md", "" } };
	struct comparison c = sample(&unlike);
	struct buf out = BUF_INIT;
	(void)state;
	render_comparison(&out, &c);
	assert_string_equal(out.data,
		"algorithms/memory: 1.0 (active) and 2.0 (experiment)\n"
		"4 questions (q.txt), 3 with results, 2 with expected ones\n\n"
		"                                1.0            2.0\n"
		"recall@10                     0.250          0.500\n"
		"MRR@10                        0.500          1.000\n"
		"nDCG@10                       0.750          0.875\n"
		"better on                         0              1\n"
		"us a question                    12             12\n\n"
		"overlap@10 0.900, rank correlation 0.500 (Kendall's tau-b)\n"
		"same order on 1 of 3, another first result on 1\n"
		"nothing asked: overlap 1.000, rank correlation -\n\n"
		"where they differ most:\n\n"
		"  te [31ma \n"
		"    overlap 0.500, rank correlation -1.000, nDCG 0.000 and 1.000\n"
		"    first of 1.0: memories/fact/a.md\n"
		"    first of 2.0: nothing\n");
	buf_clear(&out);
	render_comparison_metrics(&out, &c, 1);
	assert_string_equal(out.data, "{\"with\": \"1.0\", \"at\": \"1970-01-01T00:00:00.000000Z\", \"k\": 10, "
		"\"questions\": 4, \"answered\": 3, \"judged\": 2, \"recall\": 0.5000, \"mrr\": 1.0000, \"ndcg\": 0.8750, "
		"\"better\": 1, \"worse\": 0, \"overlap\": 0.9000, \"tau\": 0.5000, \"us_a_question\": 12}");
	buf_clear(&out);
	c.judged = 0; /* and what is no number is no member */
	c.tau = c.side[0].recall = c.side[0].reciprocal = c.side[0].ndcg = NAN;
	c.unlikes = 0;
	render_comparison_metrics(&out, &c, 0);
	assert_string_equal(out.data, "{\"with\": \"2.0\", \"at\": \"1970-01-01T00:00:00.000000Z\", \"k\": 10, "
		"\"questions\": 4, \"answered\": 3, \"judged\": 0, \"overlap\": 0.9000, \"us_a_question\": 12}");
	buf_clear(&out);
	render_comparison(&out, &c);
	assert_null(strstr(out.data, "recall"));
	assert_null(strstr(out.data, "differ most"));
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_questions), cmocka_unit_test(test_refused), cmocka_unit_test(test_any_bytes),
		cmocka_unit_test(test_own), cmocka_unit_test(test_metrics), cmocka_unit_test(test_no_metrics),
		cmocka_unit_test(test_status_behind_a_mark), cmocka_unit_test(test_page),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Summaries: the form and its refusals, and what the rules make of turns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "render/render.h"
#include "store/store.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct summary_rules rules = { .count = store_token_count, .tokens = 50, .stop = policy_stop_word };

static void assert_prints(const struct digest *s, const char *text)
{
	struct buf out = BUF_INIT;
	render_digest(&out, s);
	assert_string_equal(out.data ? out.data : "", text);
	buf_release(&out);
}

/* ---- the form ------------------------------------------------------------------- */

static const struct {
	const char *in, *out;
} forms[] = {
	{ "topic: context management\ndiscussed: [sliding window, token limits, pruning triggers]\n"
	  "outcome: decided sliding window of 6 turns\ndecisions: [use key-value summaries]\nopen_questions: []\n",
	  "topic: context management\ndiscussed: [sliding window, token limits, pruning triggers]\n"
	  "outcome: decided sliding window of 6 turns\ndecisions: [use key-value summaries]\n" },
	/* JSON */
	{ "{\"topic\": \"context management\",\n"
	  " \"discussed\": [\"sliding window\", \"token limits\", \"pruning triggers\"],\n"
	  " \"outcome\": \"decided sliding window of 6 turns\",\n \"decisions\": [\"use key-value summaries\"],\n"
	  " \"open_questions\": []}",
	  "topic: context management\ndiscussed: [sliding window, token limits, pruning triggers]\n"
	  "outcome: decided sliding window of 6 turns\ndecisions: [use key-value summaries]\n" },
	{ "topic: a", "topic: a\n" },
	{ "\xEF\xBB\xBFtopic: a", "topic: a\n" },
	{ "\r\n\ntopic: a\r\n", "topic: a\n" },
	{ "---\ntopic: a\n---\n", "topic: a\n" },
	{ "---\ntopic: a\n---\n\n  \n", "topic: a\n" },
	{ "outcome: b\ntopic: a", "topic: a\noutcome: b\n" },
	{ "topic: a\ndiscussed:\n- one\n- two\n", "topic: a\ndiscussed: [one, two]\n" },
	{ "topic: a\ndiscussed: [one, One, ONE]", "topic: a\ndiscussed: [one]\n" },
	{ "topic: a\ndiscussed: ['', one]", "topic: a\ndiscussed: [one]\n" },
	{ "topic: a\ndiscussed:\noutcome:\n", "topic: a\n" },
	{ "topic: a\noutcome: null\ndecisions: null", "topic: a\n" },
	{ "topic: 2026\ndiscussed: [1, 2.5, true, yes]", "topic: \"2026\"\ndiscussed: [\"1\", \"2.5\", \"true\", yes]\n" },
	{ "topic: \"null\"", "topic: \"null\"\n" },
	{ "topic: \"a, [b]: {c} # d\"", "topic: \"a, [b]: {c} # d\"\n" },
	{ "{\"topic\":\"a \\\"b\\\" \\\\ c\"}", "topic: \"a \\\"b\\\" \\\\ c\"\n" },
	{ "{\"topic\":\"  one\\n\\ttwo \\u2028 three\\u0001\"}", "topic: one two three\n" },
	{ "topic: |\n  one\n  two\n", "topic: one two\n" },
	{ "topic: despliegue, número 5", "topic: \"despliegue, número 5\"\n" },
	{ "topic: ¿qué sigue?", "topic: \"¿qué sigue?\"\n" },
	{ "topic: 日本", "topic: 日本\n" },
};

static void test_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(forms); i++) {
		struct digest s;
		struct why why = { 0 };
		assert_int_equal(render_digest_in(&s, forms[i].in, strlen(forms[i].in), store_token_count, 100, &why), 0);
		assert_prints(&s, forms[i].out);
		digest_release(&s);
		assert_int_equal(render_digest_in(&s, forms[i].out, strlen(forms[i].out), store_token_count, 100, &why), 0);
		assert_prints(&s, forms[i].out);
		digest_release(&s);
	}
}

static void test_refused(void **state)
{
	char items[512] = "topic: a\ndiscussed: [", item[400] = "topic: ";
	static const struct {
		const char *in;
		int rc;
		const char *why;
	} rows[] = {
		{ "", RENDER_EINVAL, "topic" },
		{ "We talked about many things and the user said that they like some.", RENDER_EINVAL, NULL },
		{ "# Summary\n\ntopic is life", RENDER_EINVAL, NULL },
		{ "- topic\n- outcome", RENDER_EINVAL, NULL },
		{ "discussed: [a]", RENDER_EINVAL, "needs a topic" },
		{ "topic: ''", RENDER_EINVAL, "needs a topic" },
		{ "topic: [a, b]", RENDER_EINVAL, "a text belongs in topic" },
		{ "topic: {a: b}", RENDER_EINVAL, "a text belongs in topic" },
		{ "topic: a\ndiscussed: b", RENDER_EINVAL, "a list belongs in discussed" },
		{ "topic: a\ndecisions: {b: c}", RENDER_EINVAL, "a list belongs in decisions" },
		{ "topic: a\ndiscussed: [[b]]", RENDER_EINVAL, "a text belongs in discussed" },
		{ "topic: a\nmood: good", RENDER_EINVAL, "no \"mood\"" },
		{ "topic: a\ntopic: b", RENDER_EINVAL, NULL },
		{ "{\"topic\":\"a\",\"topic\":\"b\"}", RENDER_EINVAL, NULL },
		{ "{\"topic\":\"a\"} and more", RENDER_EINVAL, NULL },
		{ "---\ntopic: a\n---\nand prose", RENDER_EINVAL, "behind" },
		{ "topic: a\n---\nand prose", RENDER_EINVAL, NULL },
		{ "{\"topic\":", RENDER_EINVAL, NULL },
		{ "topic: &a b\noutcome: *a", RENDER_EINVAL, NULL },
		{ "topic: \xFF", RENDER_EINVAL, "text" },
		{ "topic: one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen\n"
		  "outcome: one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen\n"
		  "decisions: [one two three four five six seven eight nine ten eleven twelve thirteen]\n",
		  RENDER_EFBIG, "tokens" },
	};
	struct digest s;
	struct why why = { 0 };
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		why = (struct why){ 0 };
		assert_int_equal(render_digest_in(&s, rows[i].in, strlen(rows[i].in), store_token_count, 50, &why), rows[i].rc);
		assert_true(why.text[0] && why.todo[0]);
		if (rows[i].why)
			assert_non_null(strstr(why.text, rows[i].why));
		digest_release(&s);
	}
	assert_int_equal(render_digest_in(&s, "topic: a\0b", 10, store_token_count, 50, &why), RENDER_EINVAL);
	digest_release(&s);
	for (int i = 0; i <= SUMMARY_ITEMS; i++)
		(void)sprintf(items + strlen(items), "n%d,", i);
	strcat(items, "]");
	assert_int_equal(render_digest_in(&s, items, strlen(items), store_token_count, 1000, &why), RENDER_EFBIG);
	digest_release(&s);
	memset(item + 7, 'x', SUMMARY_TEXT + 1);
	assert_int_equal(render_digest_in(&s, item, strlen(item), store_token_count, 1000, &why), RENDER_EFBIG);
	digest_release(&s);
	char *much = calloc(1, SUMMARY_LIMIT + 2);
	assert_non_null(much);
	memset(much, ' ', SUMMARY_LIMIT + 1);
	memcpy(much, "topic: a", 8);
	assert_int_equal(render_digest_in(&s, much, SUMMARY_LIMIT + 1, store_token_count, 50, &why), RENDER_EFBIG);
	digest_release(&s);
	free(much);
}

/* A line that is wrong is told as the writer counts it. */
static void test_line(void **state)
{
	struct digest s;
	struct why bare = { 0 }, framed = { 0 };
	const char *text = "topic: a\ndiscussed: [b\noutcome: c\n";
	char with[64];
	(void)state;
	(void)snprintf(with, sizeof with, "---\n%s---\n", text);
	assert_int_equal(render_digest_in(&s, text, strlen(text), store_token_count, 50, &bare), RENDER_EINVAL);
	digest_release(&s);
	assert_int_equal(render_digest_in(&s, with, strlen(with), store_token_count, 50, &framed), RENDER_EINVAL);
	digest_release(&s);
	assert_int_equal(framed.line, bare.line + 1);
}

/* ---- the rules ---------------------------------------------------------------------- */

#define U(text) { text, sizeof(text) - 1, true, false }
#define A(text) { text, sizeof(text) - 1, false, false }
#define T(text) { text, sizeof(text) - 1, false, true }

static const struct {
	struct summary_turn turns[4];
	size_t n;
	const char *summary;
} segments[] = {
	{ { U("Decidí usar PostgreSQL para la base de datos. ¿Qué puerto usamos?"),
	    A("Instalé PostgreSQL en el servidor y quedó funcionando. El puerto es 5432."),
	    U("Perfecto. ¿Y cómo hacemos los backups de PostgreSQL?") }, 3,
	  "topic: PostgreSQL puerto\noutcome: Instalé PostgreSQL en el servidor y quedó funcionando\n"
	  "decisions: [usar PostgreSQL para la base de datos]\n"
	  "open_questions: [cómo hacemos los backups de PostgreSQL]\n" },
	{ { U("The login page is broken, can you look at the session cookie?"),
	    A("I found the bug: the session cookie had no path. I will add a test. Fixed the session cookie in auth.c."),
	    U("Great. I decided to keep sessions for 30 days. Who reviews the change?") }, 3,
	  "topic: session cookie\ndiscussed: [reviews, broken, change]\noutcome: Fixed the session cookie in auth.c\n"
	  "decisions: [keep sessions for 30 days]\nopen_questions: [Who reviews the change]\n" },
	{ { U("Hi!"), A("Hello! How are you?"), U("Good, thanks") }, 3, "" },
	{ { { NULL, 0, false, false } }, 0, "" },
	{ { T("error: cannot open display :0"), A("The tests failed with a display error."), U("Ok") }, 3,
	  "topic: error display\ndiscussed: [failed, tests, open]\noutcome: The tests failed with a display error\n" },
};

static void test_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(segments); i++) {
		struct digest s;
		assert_int_equal(render_digest_of(&s, segments[i].turns, segments[i].n, &rules), 0);
		assert_prints(&s, segments[i].summary);
		digest_release(&s);
	}
}

/* One turn of each kind at a time: what is found in the field. */
static const struct {
	struct summary_turn turns[3];
	size_t n;
	const char *outcome, *decision, *question;
} fields[] = {
	{ { A("Creé el archivo de configuración.") }, 1, "Creé el archivo de configuración", NULL, NULL },
	{ { A("The build passed. Anything else?") }, 1, "The build passed", NULL, NULL },
	{ { A("**Done:** the migration works now.\n") }, 1, "Done: the migration works now", NULL, NULL },
	{ { A("Fixed the parser. Then I removed the old tests.") }, 1, "I removed the old tests", NULL, NULL },
	{ { A("The parser is fixed and works."), U("ok") }, 2, "The parser is fixed and works", NULL, NULL },
	{ { A("I will add tests when the parser works.") }, 1, NULL, NULL, NULL },
	{ { A("Voy a ver si funciona el servidor.") }, 1, NULL, NULL, NULL },
	{ { A("Let me know if it works.") }, 1, NULL, NULL, NULL },
	{ { U("I fixed the parser.") }, 1, NULL, NULL, NULL },                 /* the assistant's results only */
	{ { T("3 tests passed.") }, 1, NULL, NULL, NULL },
	{ { A("```\nfixed the parser\n```") }, 1, NULL, NULL, NULL },
	{ { U("Decidí migrar a Kubernetes.") }, 1, NULL, "migrar a Kubernetes", NULL },
	{ { U("We decided to ship on Friday.") }, 1, NULL, "ship on Friday", NULL },
	{ { A("I decided to ship on Friday.") }, 1, "I decided to ship on Friday", NULL, NULL },
	{ { U("I prefer tabs.") }, 1, NULL, NULL, NULL },
	{ { U("¿Cuál es el límite de memoria?") }, 1, NULL, NULL, "Cuál es el límite de memoria" },
	{ { U("¿Cuál es el límite de memoria?"), A("Son 512 MB.") }, 2, NULL, NULL, NULL },
	{ { U("¿Cuál es el límite de memoria?"), A("No sé, habrá que ver.") }, 2, NULL, NULL,
	  "Cuál es el límite de memoria" },
	{ { U("What is the memory limit?"), A("Which one?") }, 2, NULL, NULL, "What is the memory limit" },
	{ { A("Which database, Postgres or SQLite?"), U("SQLite.") }, 2, NULL, NULL, NULL },
	{ { A("Which database, Postgres or SQLite?"), U("Not sure.") }, 2, NULL, NULL,
	  "Which database, Postgres or SQLite" },
	{ { U("Who owns the domain? And who pays the hosting?"), A("The hosting is paid by Ana.") }, 2, NULL, NULL,
	  "Who owns the domain" },
	{ { U("How are you?") }, 1, NULL, NULL, NULL },
	{ { U("\"Who owns the domain?\" said nobody.") }, 1, NULL, NULL, NULL },
};

static void assert_text(const char *is, const char *should)
{
	assert_string_equal(is ? is : "(none)", should ? should : "(none)");
}

static void test_fields(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(fields); i++) {
		struct digest s;
		assert_int_equal(render_digest_of(&s, fields[i].turns, fields[i].n, &rules), 0);
		assert_text(s.outcome, fields[i].outcome);
		assert_text(s.decisions.count ? s.decisions.items[0] : NULL, fields[i].decision);
		assert_text(s.open_questions.count ? s.open_questions.items[0] : NULL, fields[i].question);
		assert_true(s.decisions.count <= 1 && s.open_questions.count <= 1);
		digest_release(&s);
	}
}

/* Never above the limit, always readable, whatever was said; and the same again. */
static void test_any(void **state)
{
	static const char *const words[] = { "servidor", "decidí usar", "?", "¿", ". ", "the ", "kubernetes ", "fixed it. ",
		                                 "\n", "\"", "`", ": ", "[", ", ", "Ana", " backup ", "\xFF", "#", "no sé. ",
		"日本 " };
	uint32_t seed = 11;
	(void)state;
	for (int round = 0; round < 400; round++) {
		struct summary_turn turns[3];
		char text[3][600];
		for (size_t i = 0; i < 3; i++) {
			text[i][0] = '\0';
			for (int k = 0; k < 40; k++) {
				seed = seed * 1664525U + 1013904223U;
				strcat(text[i], words[(seed >> 8) % COUNT(words)]);
			}
			turns[i] = (struct summary_turn){ text[i], strlen(text[i]), i % 2 == 0, round % 5 == 0 && i == 1 };
		}
		for (int64_t tokens = 0; tokens <= 60; tokens += 10) {
			const struct summary_rules limited = { .count = store_token_count, .tokens = tokens,
				                                   .stop = policy_stop_word };
			struct digest s, back;
			struct buf out = BUF_INIT;
			struct why why = { 0 };
			assert_int_equal(render_digest_of(&s, turns, 3, &limited), 0);
			render_digest(&out, &s);
			assert_true(out.len == 0 || store_token_count(out.data, out.len) <= tokens);
			if (s.topic) {
				assert_int_equal(render_digest_in(&back, out.data, out.len, store_token_count, tokens, &why), 0);
				assert_prints(&back, out.data);
				digest_release(&back);
			}
			digest_release(&s);
			buf_release(&out);
		}
	}
}

static void background(void *ctx, const char *word, size_t len, int64_t *in, int64_t *of)
{
	(void)ctx;
	*of = 100;
	*in = len == 8 && memcmp(word, "servidor", 8) == 0 ? 100 : 1;
}

/* A word of every turn is no topic. */
static void test_background(void **state)
{
	const struct summary_turn turn[] = { U("servidor servidor backup"), A("servidor impresora") };
	struct summary_rules with = rules;
	struct digest s;
	(void)state;
	assert_int_equal(render_digest_of(&s, turn, 2, &rules), 0);
	assert_non_null(strstr(s.topic, "servidor"));
	digest_release(&s);
	with.background = background;
	assert_int_equal(render_digest_of(&s, turn, 2, &with), 0);
	assert_string_equal(s.topic, "backup impresora");
	digest_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),  cmocka_unit_test(test_refused), cmocka_unit_test(test_line),
		cmocka_unit_test(test_rules),  cmocka_unit_test(test_fields),  cmocka_unit_test(test_any),
		cmocka_unit_test(test_background),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

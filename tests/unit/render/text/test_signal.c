/* SPDX-License-Identifier: MIT */
/*
 * Signals: the labelled set's precision and recall, the seeds' examples, what comes
 * out of odd texts, and that no text is slow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "render/render.h"
#include "render/text/signal.h"
#include "tests/unit/signal_set.h"
#include "tests/unit/story_set.h"

enum { BIG = 1 << 20 };

struct seen {
	int count;
	struct signal last;
	char text[FACT_SIGNAL_LIMIT + 1];
};

static void on_signal(void *ctx, const struct signal *s)
{
	struct seen *seen = ctx;
	assert_in_range(s->len, 1, FACT_SIGNAL_LIMIT);
	seen->count++;
	seen->last = *s;
	memcpy(seen->text, s->text, s->len);
	seen->text[s->len] = '\0';
}

static struct seen read_text(const char *message, size_t len)
{
	struct seen seen = { .count = 0 };
	assert_int_equal(render_signals(message, len, on_signal, &seen), 0);
	return seen;
}

static void expect(const char *message, const char *domain, const char *fact)
{
	struct seen seen = read_text(message, strlen(message));
	if (seen.count != 1)
		fail_msg("%d signals: %s", seen.count, message);
	assert_string_equal(seen.last.domain, domain);
	assert_string_equal(seen.text, fact);
	assert_int_equal(seen.last.confidence, CONFIDENCE_HIGH);
}

static void expect_none(const char *message)
{
	if (read_text(message, strlen(message)).count)
		fail_msg("a signal: %s", message);
}

static void compiles(const char *pattern)
{
	int error;
	PCRE2_SIZE at;
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
	                                 PCRE2_UTF | PCRE2_UCP | PCRE2_CASELESS, &error, &at, NULL);
	if (!code)
		fail_msg("error %d at %zu: %.60s", error, at, pattern + at);
	pcre2_code_free(code);
}

static void test_patterns(void **state)
{
	(void)state;
	for (size_t i = 0; i < signal_rule_count; i++)
		compiles(signal_rules[i].pattern);
	for (size_t i = 0; i < GUARD_COUNT; i++)
		compiles(signal_guards[i]);
	for (size_t i = 0; i < DOMAIN_COUNT; i++)
		compiles(signal_words[i].pattern);
	for (size_t i = 0; i < STYLE_COUNT; i++)
		compiles(signal_styles[i].pattern);
}

static void test_labelled(void **state)
{
	struct score s = { 0 };
	(void)state;
	assert_true(signal_set_score("tests/signals/labelled.tsv", NULL, true, &s));
	assert_true(s.messages >= 320 && 9 * s.messages <= 20 * s.traps);
	assert_true(score_precision(&s, s.hit) >= 0.98);
	assert_true(score_recall(&s, s.hit) >= 0.85);
	assert_true(score_precision(&s, s.exact) >= 0.98);
	assert_true(score_recall(&s, s.exact) >= 0.85);
}

/* What becomes of earlier facts: nothing by guess. */
static void test_stories(void **state)
{
	struct story_score s = { 0 };
	(void)state;
	assert_true(story_set_score("tests/signals/stories.tsv", true, &s));
	assert_true(s.messages >= 300);
	assert_true(s.right >= 0.97 * s.found && s.right >= 0.95 * s.wanted);
	assert_true(s.ends_right >= 0.97 * s.ends_found && s.ends_right >= 0.9 * s.ends_wanted);
}

static enum fact_relation relation(const char *new, const char *old)
{
	struct statement *a = render_statement(new, strlen(new), false);
	struct statement *b = render_statement(old, strlen(old), false);
	assert_non_null(a);
	assert_non_null(b);
	enum fact_relation r = render_statement_relation(a, b);
	render_statement_free(a);
	render_statement_free(b);
	return r;
}

static void test_relations(void **state)
{
	(void)state;
	/* an earlier version kept facts without their verb */
	assert_int_equal(relation("Prefiero respuestas directas", "respuestas directas"), RELATION_SAME);
	assert_int_equal(relation("Ya no soy vegana", "mi hija es vegana"), RELATION_APART);
	assert_int_equal(relation("ya no uso vim para Python", "uso vim"), RELATION_APART);
	assert_int_equal(relation("ya no uso vim para Python", "uso vim para notas"), RELATION_APART);
	assert_int_equal(relation("Trabajo en un equipo de 5", "Trabajo en Globant"), RELATION_APART);
	assert_int_equal(relation("use Ada as a database", "use Bob as a cache"), RELATION_APART);
	assert_int_equal(relation("usar Ada para Xul", "usar Bob para Yol"), RELATION_APART);
	assert_int_equal(relation("back to Ada instead of Bob, which also serves", "we move to Bob"),
	                 RELATION_ENDS);
	assert_int_equal(relation("Bob for all instead of Ada", "Ada, one file, on the server"), RELATION_APART);
	assert_int_equal(relation("use Bob instead of Ada", "Ada, one file, on the server"), RELATION_ENDS);
	assert_int_equal(relation("use Bob instead of Ada", "Ada runs every night"), RELATION_APART);
	assert_int_equal(relation("I like tea", "I like coffee"), RELATION_APART);
	assert_int_equal(relation("we deploy on Tuesdays instead of Mondays", "we deploy on Mondays"), RELATION_ENDS);
	assert_int_equal(relation("desplegamos los martes en vez del lunes", "desplegamos el lunes"), RELATION_ENDS);
	assert_int_equal(relation("I drink tea in the morning rather than coffee", "I drink coffee"), RELATION_APART);
	assert_int_equal(relation("we deploy on Tuesdays instead of Mondays", "we deploy on Tuesdays"), RELATION_SAME);
	assert_int_equal(relation("we deploy on Tuesdays instead of Mondays", "we deploy on Fridays"), RELATION_APART);
	assert_int_equal(relation("we deploy on Tuesdays instead of Mondays", "we rest on Mondays"), RELATION_APART);
	assert_int_equal(relation("we deploy on Tuesdays instead of Mondays", "Mondays"), RELATION_APART);
	assert_int_equal(relation("we also deploy on Tuesdays instead of Mondays", "we deploy on Mondays"), RELATION_APART);
	assert_int_equal(relation("no desplegamos martes en vez de lunes", "desplegamos lunes"), RELATION_APART);
	assert_int_equal(relation("Ana pays in euros instead of dollars", "Bob pays in dollars"), RELATION_APART);
	assert_int_equal(relation("we deploy more on Tuesdays than Mondays", "we deploy on Mondays"), RELATION_APART);
	assert_int_equal(relation("", ""), RELATION_APART);
	assert_int_equal(relation("no", "never"), RELATION_APART);
	assert_int_equal(relation("tengo 5 años", "tengo"), RELATION_APART);
}

/* What one is, in Spanish and English. */
static void test_languages(void **state)
{
	(void)state;
	assert_int_equal(relation("Ya no soy vegetariana", "I'm vegetarian"), RELATION_ENDS);
	assert_int_equal(relation("Ya no soy vegano", "I'm a vegan"), RELATION_ENDS);
	assert_int_equal(relation("Ya no soy vegana", "Soy vegano"), RELATION_ENDS);
	assert_int_equal(relation("I'm not vegan", "Soy vegano"), RELATION_ENDS);
	assert_int_equal(relation("I'm not allergic to peanuts", "Soy alérgica a los maníes"), RELATION_ENDS);
	assert_int_equal(relation("ya no soy alérgico al polen", "I'm allergic to pollen"), RELATION_ENDS);
	assert_int_equal(relation("Soy celíaca", "I'm coeliac"), RELATION_SAME);
	assert_int_equal(relation("Ya no uso vim", "I use vim"), RELATION_ENDS);
	assert_int_equal(relation("Odio la pizza", "I like pizza"), RELATION_ENDS);
	assert_int_equal(relation("I no longer work at Globant", "Trabajo en Globant"), RELATION_ENDS);
	assert_int_equal(relation("Odio el cilantro", "I like coriander"), RELATION_APART);
	assert_int_equal(relation("Ya no soy vegana", "I'm vegetarian"), RELATION_APART);
	assert_int_equal(relation("Ya no soy vegana", "my daughter is vegan"), RELATION_APART);
	assert_int_equal(relation("I'm not allergic to peanuts", "Soy alérgica a la penicilina"), RELATION_APART);
}

static void test_seeds(void **state)
{
	(void)state;
	expect("Trabajo en fintech, equipo de 5", "work", "Trabajo en fintech, equipo de 5");
	expect("Prefiero respuestas directas", "preferences", "Prefiero respuestas directas");
	expect("Decidí usar Kimi K2.5", "decisions", "usar Kimi K2.5");
}

/* "That" points at nothing where a verb says something of what follows. */
static void test_told(void **state)
{
	(void)state;
	expect("Remember that rent costs 900 euros.", "personal", "rent costs 900 euros");
	expect("Remember that coffee is bad for my stomach.", "personal", "coffee is bad for my stomach");
	expect("Remember that production runs on port 8443.", "projects", "production runs on port 8443");
	expect("Remember that staging uses Postgres 15.", "projects", "staging uses Postgres 15");
	expect("Remember that dinner starts at eight.", "personal", "dinner starts at eight");
	expect("Remember that item 7 is broken.", "personal", "item 7 is broken");
	expect("Remember that lunch is at noon.", "personal", "lunch is at noon");
	expect("Recordá que producción corre en el puerto 8443", "projects", "producción corre en el puerto 8443");
	expect_none("Remember that rent costs 900 euros?");
	expect_none("She said: remember that rent costs 900 euros");
	expect_none("If you remember that lunch is at noon, come");
	expect_none("remember that one time it runs for hours");
	expect_none("remember that tv series on Netflix");
	expect_none("remember that coffee place near the station");
}

static void test_texts(void **state)
{
	(void)state;
	expect_none("");
	expect_none("remember that");
	expect_none("recordá que ...");
	expect("**Remember that I live in Cork.**", "personal", "I live in Cork");
	expect("1. recordá que vivo en Lima", "personal", "vivo en Lima");
	expect("I prefer C (the old one)", "preferences", "I prefer C (the old one)");
	expect("(I prefer C)", "preferences", "I prefer C");
	expect("I prefer v1.2.3 of it. Thanks", "preferences", "I prefer v1.2.3 of it");
	expect("remember that Dr. Paz is my doctor.", "personal", "Dr. Paz is my doctor");
	expect("RECORDÁ QUE VIVO EN LIMA", "personal", "VIVO EN LIMA");
	expect("I prefer tea\r\nthanks\r\n", "preferences", "I prefer tea");
	expect("```\nx\n```\nI prefer tea", "preferences", "I prefer tea");
	expect("it's `a` and 'b'; I prefer `c`", "preferences", "I prefer `c`");
	expect_none("`I prefer tea`");
	expect_none("I prefer tea?!");
	expect_none("I prefer tea!?");
	expect_none("¿Sabés? ¿prefiero té");
	assert_int_equal(read_text("I prefer tea.\nMy name is Ana.", 29).count, 2);
}

static void test_bytes(void **state)
{
	struct seen seen = { .count = 0 };
	char long_text[800] = "I prefer ";
	(void)state;
	assert_int_equal(render_signals("I prefer \xFF", 10, on_signal, &seen), RENDER_EINVAL);
	assert_int_equal(seen.count, 0);
	assert_int_equal(read_text("I prefer \0 tea", 14).count, 0); /* it ends a sentence */
	for (int i = 0; i < 90; i++)
		strcat(long_text, "piñata ");
	seen = read_text(long_text, strlen(long_text));
	assert_int_equal(seen.count, 1);
	assert_in_range(seen.last.len, 280, FACT_SIGNAL_LIMIT);
	assert_string_equal(seen.text + seen.last.len - 7, "piñata");
	for (size_t i = 9; i + 2 < sizeof long_text; i += 2)
		memcpy(long_text + i, "ñ", 3);
	seen = read_text(long_text, strlen(long_text));
	assert_in_range(seen.last.len, FACT_SIGNAL_LIMIT - 1, FACT_SIGNAL_LIMIT); /* no half letter */
}

/* 1 MiB of `unit`, again and again. */
static void repeat(const char *unit)
{
	size_t n = strlen(unit), len = 0;
	char *text = malloc(BIG + 64);
	struct timespec a, b;
	struct seen seen = { .count = 0 };
	assert_non_null(text);
	for (; len < BIG; len += n)
		memcpy(text + len, unit, n);
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	assert_int_equal(render_signals(text, len, on_signal, &seen), 0);
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	free(text);
	double took = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
	if (took > 0.5)
		print_message("# %.2f s: %s\n", took, unit);
	assert_true(took < 10); /* half a second; hours if it tried every way */
}

static void test_slow(void **state)
{
	static const char *const units[] = {
		"siempre ", "((((", "siempre\n", "siempre uso x. ", "no siempre uso x. ", "always, ",
		"si siempre uso x.\n", "I prefer ", "\"", "'", " '", "`", "` `` ", "\xC2\xAB", "¿", "```\n",
		"> x\n", "ya no ", "no me lo ", "me lo me la nos ", "from now on ", "aaaaaaaa", "jaja",
		"use a from now on ", "I like x y. ", "quiero que ", "Aa Bb Cc replaces ", "vivo en Xx ",
		"remember that: ", "a:\n", "translate ", "recordá que. ", " ", "\n",
		"x use x always x. ", "siempre me lo ", "dijo que decidí. ", "the x that I prefer y. ",
	};
	(void)state;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		repeat(units[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns), cmocka_unit_test(test_labelled),
		cmocka_unit_test(test_stories), cmocka_unit_test(test_relations),
		cmocka_unit_test(test_languages), cmocka_unit_test(test_seeds), cmocka_unit_test(test_told),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_bytes), cmocka_unit_test(test_slow),
	};
	return cmocka_run_group_tests_name("signal", tests, NULL, NULL);
}

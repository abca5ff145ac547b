/* SPDX-License-Identifier: MIT */
/* Likeness of turns: what holds for any texts, and the calibration's points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "store/policy/stop_words.h"
#include "store/store.h"

static double alike(const char *a, const char *b)
{
	struct ngram_vector x, y;
	assert_int_equal(ngram_vector_of(&x, a, strlen(a)), 0);
	assert_int_equal(ngram_vector_of(&y, b, strlen(b)), 0);
	double is = ngram_vector_similarity(&x, &y), back = ngram_vector_similarity(&y, &x);
	assert_true(is >= 0 && is <= 1);
	assert_true(fabs(is - back) < 1e-9);
	ngram_vector_release(&x);
	ngram_vector_release(&y);
	return is;
}

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-6)

static void test_equal(void **state)
{
	static const char *const texts[] = { "El despliegue del servidor falla", "x", "7", "日本語のテキスト",
		                                 "pneumonoultramicroscopicsilicovolcanoconiosispneumonoultramicroscopicsilico",
		                                 "a b c d e kubernetes kubernetes kubernetes", "\xFF\xFE" };
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		NEAR(alike(texts[i], texts[i]), 1);
}

static void test_folded(void **state)
{
	static const char *const pairs[][2] = {
		{ "Configuración BASE", "configuracion base" },
		{ "configuraci\xC3\xB3n", "configuracio\xCC\x81n" },
		{ "¿Migración?", "migracion" },
		{ "the server, and the database!", "server database" },
		{ "no me acuerdo del despliegue", "despliegue" },
		{ "don't touch Docker", "dont TOUCH docker" },
		{ "don\xE2\x80\x99t touch Docker", "dont TOUCH docker" },
		{ "backup backup backup", "backup" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
		NEAR(alike(pairs[i][0], pairs[i][1]), 1);
}

static void test_nothing(void **state)
{
	static const char *const texts[] = { "", "  ", "?!", "de la que en", "yes, of course I do", "\xE2\x80\x94" };
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		if (strcmp(texts[i], "yes, of course I do") != 0)
			NEAR(alike(texts[i], texts[i]), 0);
		NEAR(alike(texts[i], "kubernetes"), 0);
	}
}

/* What is nearer must be told so. */
static void test_order(void **state)
{
	static const char *const rows[][3] = {
		{ "El despliegue en el servidor falla", "desplegamos en los servidores", "mi perro come manzanas" },
		{ "database migrations are slow", "migrating the databases", "her birthday cake recipe" },
		{ "presupuesto anual de marketing", "los presupuestos anuales", "error de compilación en C" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_true(alike(rows[i][0], rows[i][1]) > alike(rows[i][0], rows[i][2]) + 0.1);
}

static void test_mean(void **state)
{
	struct ngram_vector s[3], mean, twice;
	const struct ngram_vector *all[] = { &s[0], &s[1], &s[2] }, *same[] = { &s[0], &s[0] };
	static const char *const texts[] = { "kubernetes cluster", "perro manzanas", "" };
	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(ngram_vector_of(&s[i], texts[i], strlen(texts[i])), 0);
	assert_int_equal(ngram_vector_mean(&mean, all, 3), 0);
	assert_int_equal(ngram_vector_mean(&twice, same, 2), 0);
	NEAR(ngram_vector_similarity(&twice, &s[0]), 1);
	/* of two that have nothing in common: the diagonal */
	assert_true(fabs(ngram_vector_similarity(&mean, &s[0]) - sqrt(0.5)) < 0.05);
	NEAR(ngram_vector_similarity(&mean, &s[2]), 0);
	ngram_vector_release(&mean);
	assert_int_equal(ngram_vector_mean(&mean, all, 0), 0);
	assert_int_equal(mean.count, 0);
	ngram_vector_release(&twice);
	for (size_t i = 0; i < 3; i++)
		ngram_vector_release(&s[i]);
}

/* The same on every machine: views that hold it must rebuild alike. */
static void test_fixed(void **state)
{
	struct ngram_vector s;
	uint64_t hash = UINT64_C(14695981039346656037);
	(void)state;
	assert_int_equal(ngram_vector_of(&s, "Kubernetes ñandú 42", 21), 0);
	for (size_t i = 0; i < s.count; i++) {
		assert_true(s.parts[i].at < NGRAM_DIMS && s.parts[i].weight > 0);
		assert_true(i == 0 || s.parts[i - 1].at < s.parts[i].at);
		hash = (hash ^ s.parts[i].at) * UINT64_C(1099511628211);
	}
	assert_int_equal(s.count, 42);
	assert_true(hash == UINT64_C(0x4582b396a4001238));
	ngram_vector_release(&s);
}

static void test_stop(void **state)
{
	(void)state;
	assert_true(stop_words_sorted());
	assert_true(policy_stop_word("the", 3) && policy_stop_word("que", 3) && policy_stop_word("dont", 4));
	assert_true(policy_stop_word("", 0));
	assert_false(policy_stop_word("th", 2) || policy_stop_word("theo", 4) || policy_stop_word("servidor", 8));
	assert_true(policy_stop_word("thex", 3)); /* the length counts */
}

static void test_calibrated(void **state)
{
	const struct calibration c = { { 0.1, 0.5 }, { 0.4, 0.7 } };
	static const struct {
		double cosine, means;
	} rows[] = { { -1, 0 }, { 0, 0 }, { 0.05, 0.2 }, { 0.1, 0.4 }, { 0.3, 0.55 }, { 0.5, 0.7 }, { 0.75, 0.85 },
		         { 1, 1 }, { 2, 1 } };
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		NEAR(policy_calibrated(&c, rows[i].cosine), rows[i].means);
	NEAR(policy_calibrated(&c, (double)NAN), 0);
	const struct calibration *all[] = { &calibration_turns, &calibration_windows };
	for (size_t k = 0; k < 2; k++)
		for (int i = 0; i < 1000; i++)
			assert_true(policy_calibrated(all[k], i / 1000.0) < policy_calibrated(all[k], (i + 1) / 1000.0));
}

/* 0.4 then fires on a tenth. */
static void test_calibrate(void **state)
{
	double cosines[200], copy[200];
	struct calibration c;
	(void)state;
	assert_false(policy_calibrate(&c, cosines, CALIBRATION_LEAST - 1, &policy_default));
	for (size_t i = 0; i < 200; i++)
		copy[i] = cosines[i] = 0.3 + 0.003 * (double)((i * 77) % 200);
	assert_true(policy_calibrate(&c, cosines, 200, &policy_default));
	size_t fires = 0;
	for (size_t i = 0; i < 200; i++)
		fires += policy_calibrated(&c, copy[i]) < policy_default.shift;
	assert_int_equal(fires, 20);
	for (size_t i = 0; i < 200; i++)
		cosines[i] = i % 3 == 0 ? (double)NAN : i % 3 == 1 ? 5 : -5;
	assert_true(policy_calibrate(&c, cosines, 200, &policy_default));
	for (size_t i = 0; i < 200; i++)
		cosines[i] = 1;
	assert_true(policy_calibrate(&c, cosines, 200, &policy_default));
	assert_true(c.cosine[0] < c.cosine[1] && c.cosine[1] < 1);
	assert_true(policy_calibrated(&c, 0.5) < 0.4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal),      cmocka_unit_test(test_folded), cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_order),      cmocka_unit_test(test_mean),   cmocka_unit_test(test_fixed),
		cmocka_unit_test(test_stop),       cmocka_unit_test(test_calibrated),
		cmocka_unit_test(test_calibrate),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

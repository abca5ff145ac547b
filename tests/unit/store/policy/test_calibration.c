/* SPDX-License-Identifier: MIT */
/* What an embedding model's cosines mean, for models that spread texts and models that huddle them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "store/store.h"

enum { DIMS = 64, TURNS = 400, RUN = 40 };

static uint32_t seed;

/* About normal, of mean 0. */
static float noise(void)
{
	int sum = 0;
	for (int i = 0; i < 4; i++) {
		seed = seed * 1664525U + 1013904223U;
		sum += (int)(seed >> 16 & 0xFF) - 128;
	}
	return (float)sum / 256;
}

/* A model that adds the same to all texts brings them nearer to each other. */
struct model {
	float vector[TURNS][DIMS];
	struct turn_vector turn[TURNS];
};

static void talk(struct model *m, float common)
{
	float topic[DIMS];
	seed = 7;
	for (int i = 0; i < TURNS; i++) {
		float raw[DIMS];
		const float *one = raw;
		for (int k = 0; k < DIMS; k++) {
			topic[k] = i % RUN == 0 ? noise() : topic[k] * 0.9F + noise() * 0.45F;
			raw[k] = topic[k] + noise() * 0.8F + common;
		}
		assert_true(vector_mean(m->vector[i], &one, 1, DIMS));
		m->turn[i] = (struct turn_vector){ m->vector[i], i / RUN };
	}
}

/* How often the rule for topics fires within runs, and the mean size of the window. */
static void rules(const struct model *m, const struct model_calibration *s, double *shifts, double *window)
{
	size_t borders = 0, fired = 0, sizes = 0, sum = 0;
	for (int i = TOPIC_SIDE; i + TOPIC_SIDE <= TURNS; i++) {
		const float *around[2 * TOPIC_SIDE];
		double is, like[2];
		if (m->turn[i - 3].run != m->turn[i + 2].run)
			continue;
		for (int k = 0; k < 2 * TOPIC_SIDE; k++)
			around[k] = m->vector[i - TOPIC_SIDE + k];
		assert_int_equal(policy_topic_likeness(s, around, DIMS, &is), 0);
		assert_true(is >= 0 && is <= 1);
		const struct topic_border b = { .known = true, .similarity = is };
		fired += policy_topic_shift(&policy_default, &b) == TOPIC_SIMILARITY;
		borders++;
		for (int k = 0; k < 2; k++)
			like[k] = policy_calibrated(&s->turns, vector_cosine(m->vector[i - 2 + k], m->vector[i - 1 + k], DIMS));
		sum += (size_t)policy_window(&policy_default, like, 2);
		sizes++;
	}
	*shifts = (double)fired / (double)borders;
	*window = (double)sum / (double)sizes;
}

/* A tenth of borders is a shift, whatever the model: that is what 0.4 means. */
static void test_models(void **state)
{
	static struct model m;
	double first = 0;
	(void)state;
	for (int k = 0; k < 3; k++) {
		struct model_calibration s;
		double shifts, window;
		talk(&m, (float)k * 0.5F);
		assert_int_equal(policy_calibrate_model(&s, &policy_default, m.turn, TURNS, DIMS), 0);
		rules(&m, &s, &shifts, &window);
		assert_true(fabs(shifts - 0.1) < 0.04);
		if (k == 0)
			first = window;
		assert_true(fabs(window - first) < 0.35);
		assert_true(s.turns.cosine[0] < s.turns.cosine[1] && s.windows.cosine[0] < s.windows.cosine[1]);
		assert_true(s.same >= policy_default.same && s.same < 1);
		if (k == 2) /* its cosines are high: 0.85 is nothing to it */
			assert_true(s.same > 0.87);
	}
}

/* Of different texts, one in a hundred at most is taken for another. */
static void test_same(void **state)
{
	static struct model m;
	struct model_calibration s;
	size_t above = 0;
	(void)state;
	talk(&m, 1.0F);
	memcpy(m.vector[9], m.vector[3], sizeof m.vector[3]); /* said twice: tells nothing */
	assert_int_equal(policy_calibrate_model(&s, &policy_default, m.turn, CALIBRATION_TURNS_MOST, DIMS), 0);
	for (int i = 0; i < CALIBRATION_TURNS_MOST; i++) {
		double most = -1;
		for (int k = 0; k < CALIBRATION_TURNS_MOST; k++) {
			double is = vector_cosine(m.vector[i], m.vector[k], DIMS);
			most = k != i && is < 0.9999 && is > most ? is : most;
		}
		above += most > s.same;
	}
	assert_true(above <= 1 + CALIBRATION_TURNS_MOST / 100);
}

/* Turns that repeat each other word by word are the most like, and no reason to give up. */
static void test_repeated(void **state)
{
	static struct model m;
	struct model_calibration s;
	(void)state;
	talk(&m, 0);
	for (int i = 1; i < TURNS; i += 6)
		memcpy(m.vector[i], m.vector[i - 1], sizeof m.vector[i]);
	assert_int_equal(policy_calibrate_model(&s, &policy_default, m.turn, TURNS, DIMS), 0);
	assert_true(s.turns.cosine[1] < 1 && s.turns.cosine[0] < s.turns.cosine[1]);
	assert_true(policy_calibrated(&s.turns, 1) > 0.99);
}

static void test_nothing_to_tell(void **state)
{
	static struct model m;
	struct model_calibration s;
	float mean[DIMS];
	(void)state;
	talk(&m, 0);
	assert_int_equal(policy_calibrate_model(&s, &policy_default, m.turn, CALIBRATION_TURNS_LEAST - 1, DIMS),
	                 STORE_ENOENT);
	assert_int_equal(policy_calibrate_model(&s, &policy_default, m.turn, 0, DIMS), STORE_ENOENT);
	assert_int_equal(policy_calibrate_model(&s, &policy_default, m.turn, CALIBRATION_TURNS_LEAST, DIMS), 0);
	for (int i = 0; i < TURNS; i++)
		m.turn[i].run = i; /* none follows another */
	assert_int_equal(policy_calibrate_model(&s, &policy_default, m.turn, TURNS, DIMS), STORE_ENOENT);
	for (int i = 0; i < TURNS; i++)
		m.turn[i] = (struct turn_vector){ m.vector[0], 0 }; /* a model to which all is one */
	assert_int_equal(policy_calibrate_model(&s, &policy_default, m.turn, TURNS, DIMS), STORE_ENOENT);
	const float zero[DIMS] = { 0 }, *const none[2] = { zero, zero };
	assert_false(vector_mean(mean, none, 2, DIMS));
	assert_true(fabs(vector_cosine(zero, m.vector[0], DIMS)) < 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_models),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_repeated),
		cmocka_unit_test(test_nothing_to_tell),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

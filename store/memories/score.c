/* SPDX-License-Identifier: MIT */
/* The formula of a memory's score and its numbers; choosing by it is in memory.c. */
#include "store/memories.h"

#include <jansson.h>
#include <math.h>

#include "store/documents/documents.h"
#include "store/internal.h"

const struct scoring scoring_default = {
	.recency = 0.20, .importance = 0.40, .relevance = 0.30, .frequency = 0.10,
	.decay = { 0.01, 0.05, 0.10, 0.05, 0.50 },
};

static void score_take(const json_t *from, const char *name, double most, double *to)
{
	const json_t *value = json_object_get(from, name);
	double number = json_number_value(value);
	if (json_is_number(value) && number >= 0 && number <= most)
		*to = number;
}

void scoring_set(struct scoring *c, const char *config, size_t len)
{
	static const char *const types[] = { "preference", "decision", "fact", "entity", "temporal" };
	json_t *json = json_loadb(config, len, JSON_DECODE_INT_AS_REAL, NULL);
	const json_t *scoring = json_object_get(json, "scoring");
	if (!json_is_object(scoring))
		scoring = json;
	const json_t *weights = json_object_get(scoring, "weights");
	const json_t *rates = json_object_get(scoring, "decay_rates");
	score_take(weights, "recency", 1, &c->recency);
	score_take(weights, "importance", 1, &c->importance);
	score_take(weights, "relevance", 1, &c->relevance);
	score_take(weights, "frequency", 1, &c->frequency);
	for (int i = 0; i < MEMORY_TYPES; i++)
		score_take(rates, types[i], HUGE_VAL, &c->decay[i]);
	json_decref(json);
}

int store_scoring(struct store *s, struct scoring *out)
{
	*out = scoring_default;
	int err = store_catch_up(s);
	struct reader *r = err ? NULL : reader_get(s);
	if (!r)
		return err ? err : STORE_EIO;
	sqlite3_stmt *q = doc_scoring(r);
	int rc = q ? sqlite3_step(q) : SQLITE_DONE;
	const char *config = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : NULL;
	if (config)
		scoring_set(out, config, (size_t)sqlite3_column_bytes(q, 0));
	reader_put(s, r);
	return db_error(rc);
}

static double unit(double x)
{
	return x > 0 ? x < 1 ? x : 1 : 0; /* what is no number is 0 */
}

struct memory_score memory_score(const struct scoring *c, const struct memory_state *m)
{
	struct memory_score s = {
		.recency = exp(-c->decay[m->type] * (m->days > 0 ? m->days : 0)),
		.importance = unit(m->importance),
		.relevance = unit(m->relevance),
		.frequency = m->uses > 0 && m->most > 0 ?
			unit(log1p((double)m->uses) / log1p((double)m->most)) : 0,
	};
	s.total = c->recency * s.recency + c->importance * s.importance +
		c->relevance * s.relevance + c->frequency * s.frequency;
	return s;
}

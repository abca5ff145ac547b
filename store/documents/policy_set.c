/* SPDX-License-Identifier: MIT */
/*
 * The parameters of contexts: the `config` of the active version of algorithms/context,
 * where it says them and they make sense; else the defaults.
 */
#include <jansson.h>
#include <stddef.h>
#include <string.h>

#include "store/documents/doc_read.h"

/* Times are in the units of their names. */
static const struct parameter {
	const char *name;
	enum { INTEGER, LONG, REAL, HOURS } type;
	size_t offset;
	double least, most;
} parameters[] = {
	{ "window", INTEGER, offsetof(struct policy, window), 1, 32 },
	{ "window_least", INTEGER, offsetof(struct policy, window_least), 1, 32 },
	{ "window_most", INTEGER, offsetof(struct policy, window_most), 1, 32 },
	{ "close", REAL, offsetof(struct policy, close), 0, 1 },
	{ "loose", REAL, offsetof(struct policy, loose), 0, 1 },
	{ "shift", REAL, offsetof(struct policy, shift), 0, 1 },
	{ "gap_hours", HOURS, offsetof(struct policy, gap_us), 0.01, 8760 },
	{ "segment", INTEGER, offsetof(struct policy, segment), 1, 12 },
	{ "summaries", INTEGER, offsetof(struct policy, summaries), 0, 8 },
	{ "summary_tokens", LONG, offsetof(struct policy, summary_tokens), 10, 1000 },
	{ "window_tokens", LONG, offsetof(struct policy, window_tokens), 50, 100000 },
	{ "facts_least", LONG, offsetof(struct policy, facts_least), 0, 100000 },
	{ "facts_most", LONG, offsetof(struct policy, facts_most), 0, 100000 },
	{ "eager_tokens", LONG, offsetof(struct policy, eager_tokens), 0, 1000000 },
	{ "results_tokens", LONG, offsetof(struct policy, results_tokens), 0, 100000 },
	{ "found_tokens", LONG, offsetof(struct policy, found_tokens), 0, 1000000 },
	{ "total_tokens", LONG, offsetof(struct policy, total_tokens), 500, 1000000 },
	{ "unrepeated", INTEGER, offsetof(struct policy, unrepeated), 0, 32 },
	{ "safe", REAL, offsetof(struct policy, safe), 0.1, 1 },
	{ "threshold", REAL, offsetof(struct policy, threshold), 1, 100 },
	{ "failures", INTEGER, offsetof(struct policy, failures), 2, 32 },
	{ "same", REAL, offsetof(struct policy, same), 0.5, 1 },
};

static void set(struct policy *p, const struct parameter *of, double value)
{
	void *field = (char *)p + of->offset;
	switch (of->type) {
	case INTEGER:
		*(int *)field = (int)value;
		break;
	case LONG:
		*(int64_t *)field = (int64_t)value;
		break;
	case REAL:
		*(double *)field = value;
		break;
	case HOURS:
		*(int64_t *)field = (int64_t)(value * 3600e6);
		break;
	}
}

/* Numbers that make no sense together: what is most gives way. */
static void order(struct policy *p)
{
	if (p->window < p->window_least)
		p->window = p->window_least;
	if (p->window_most < p->window)
		p->window_most = p->window;
	if (p->loose > p->close)
		p->loose = p->close;
	if (p->facts_most < p->facts_least)
		p->facts_most = p->facts_least;
}

void policy_set(struct policy *p, const char *config, size_t len)
{
	json_t *json = json_loadb(config, len, 0, NULL);
	for (size_t i = 0; json && i < sizeof parameters / sizeof parameters[0]; i++) {
		const json_t *value = json_object_get(json, parameters[i].name);
		double number = json_number_value(value);
		if (json_is_number(value) && number >= parameters[i].least &&
		    number <= parameters[i].most)
			set(p, &parameters[i], number);
	}
	json_decref(json);
	order(p);
}

int store_policy(struct store *s, struct policy *out)
{
	*out = policy_default;
	int err = store_catch_up(s);
	struct reader *r = err ? NULL : reader_get(s);
	if (!r)
		return err ? err : STORE_EIO;
	sqlite3_stmt *q = reader_stmt(r, READ_DOC_POLICY);
	int rc = sqlite3_step(q);
	const char *config = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : NULL;
	if (config)
		policy_set(out, config, (size_t)sqlite3_column_bytes(q, 0));
	reader_put(s, r);
	return db_error(rc);
}

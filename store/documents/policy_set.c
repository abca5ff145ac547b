/* SPDX-License-Identifier: MIT */
/*
 * The parameters of contexts: the `config` of the active version of algorithms/context,
 * where it says them and they make sense; else the defaults.
 */
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "store/documents/doc_read.h"

#define SECTION_MAX(which) offsetof(struct policy, section_max[which])
enum { PARAMETER_NAME = 64 };

/* Times are in the units of their names; a dot leads into an object. */
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
	{ "block_tokens", LONG, offsetof(struct policy, block_tokens), 16, 100000 },
	{ "blocks_tokens", LONG, offsetof(struct policy, blocks_tokens), 0, 100000 },
	{ "sections_tokens", LONG, offsetof(struct policy, sections_tokens), 0, 1000000 },
	{ "section_max.identity", LONG, SECTION_MAX(SECTION_IDENTITY), 500, 100000 },
	{ "section_max.user_profile", LONG, SECTION_MAX(SECTION_PROFILE), 100, 100000 },
	{ "section_max.project_context", LONG, SECTION_MAX(SECTION_PROJECT), 100, 100000 },
	{ "section_max.current_task", LONG, SECTION_MAX(SECTION_TASK), 100, 100000 },
	{ "section_max.agent_notes", LONG, SECTION_MAX(SECTION_NOTES), 100, 100000 },
	{ "eager_tokens", LONG, offsetof(struct policy, eager_tokens), 0, 1000000 },
	{ "results_tokens", LONG, offsetof(struct policy, results_tokens), 0, 100000 },
	{ "remembered_tokens", LONG, offsetof(struct policy, remembered_tokens), 0, 100000 },
	{ "found_tokens", LONG, offsetof(struct policy, found_tokens), 0, 1000000 },
	{ "total_tokens", LONG, offsetof(struct policy, total_tokens), 500, 1000000 },
	{ "unrepeated", INTEGER, offsetof(struct policy, unrepeated), 0, 32 },
	{ "safe", REAL, offsetof(struct policy, safe), 0.1, 1 },
	{ "threshold", REAL, offsetof(struct policy, threshold), 1, 100 },
	{ "failures", INTEGER, offsetof(struct policy, failures), 2, 32 },
	{ "same", REAL, offsetof(struct policy, same), 0.5, 1 },
	/* What the seeds of this project call them. */
	{ "selection.token_budget", LONG, offsetof(struct policy, total_tokens), 500, 1000000 },
	{ "compression.keep_last", INTEGER, offsetof(struct policy, window), 1, 32 },
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

static const json_t *member(const json_t *config, const char *path)
{
	const char *dot = strchr(path, '.');
	if (!dot)
		return json_object_get(config, path);
	return json_object_get(json_object_getn(config, path, (size_t)(dot - path)), dot + 1);
}

static bool is_within(const struct parameter *p, const json_t *value)
{
	double number = json_number_value(value);
	return json_is_number(value) && number >= p->least && number <= p->most;
}

void policy_set(struct policy *p, const char *config, size_t len)
{
	json_t *json = json_loadb(config, len, JSON_DECODE_INT_AS_REAL, NULL);
	for (size_t i = 0; json && i < sizeof parameters / sizeof parameters[0]; i++) {
		const json_t *value = member(json, parameters[i].name);
		if (is_within(&parameters[i], value))
			set(p, &parameters[i], json_number_value(value));
	}
	json_decref(json);
	order(p);
}

/* ---- what does nothing --------------------------------------------------------- */

struct unused {
	char *out;
	size_t len, size;
};

static void unused_tell(struct unused *u, const char *name, const char *why)
{
	int n = snprintf(u->out + u->len, u->size - u->len, "%s%.60s: %s", u->len ? "; " : "", name,
	                 why);
	u->len += n > 0 ? (size_t)n : 0;
	if (u->len >= u->size)
		u->len = u->size - 1;
}

/* Members of an algorithm in the seeds of this project that have nothing to act on here. */
static bool is_of_seeds(const char *name)
{
	static const char *const names[] = { "extraction", "selection.strategy",
		"selection.priority_order", "compression.strategy", "compression.keep_first",
		"embedding" };
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static void check_member(struct unused *u, const char *name, const json_t *value, bool of_context)
{
	char why[PARAMETER_NAME];
	for (size_t i = 0; of_context && i < sizeof parameters / sizeof parameters[0]; i++) {
		const struct parameter *p = &parameters[i];
		if (strcmp(p->name, name) != 0)
			continue;
		(void)snprintf(why, sizeof why, "not within %.10g to %.10g", p->least, p->most);
		if (!is_within(p, value))
			unused_tell(u, name, json_is_number(value) ? why : "not a number");
		return;
	}
	unused_tell(u, name, is_of_seeds(name) ? "without effect here" :
	            of_context ? "unknown" : "only scoring acts in this algorithm");
}

/* Members of scoring, which count by themselves, too (cinta.5, THE SCORE). */
static bool is_scoring(const char *name)
{
	return strcmp(name, "weights") == 0 || strcmp(name, "decay_rates") == 0;
}

static void check_all(struct unused *u, json_t *config, bool of_context)
{
	const char *name, *within;
	char path[2 * PARAMETER_NAME];
	json_t *value, *inner;
	json_object_foreach(config, name, value) {
		if (strcmp(name, "scoring") == 0 || strcmp(name, "version") == 0 ||
		    (!of_context && is_scoring(name)))
			continue;
		if (!json_is_object(value) || is_of_seeds(name)) {
			check_member(u, name, value, of_context);
			continue;
		}
		json_object_foreach(value, within, inner) {
			(void)snprintf(path, sizeof path, "%.60s.%.60s", name, within);
			check_member(u, path, inner, of_context);
		}
	}
}

bool policy_unused(const char *code, const char *fields, size_t len, char *out, size_t size)
{
	struct unused u = { out, 0, size };
	json_t *json = json_loadb(fields, len, JSON_DECODE_INT_AS_REAL, NULL);
	*out = '\0';
	if (json_is_object(json_object_get(json, "config")))
		check_all(&u, json_object_get(json, "config"), strcmp(code, "context") == 0);
	json_decref(json);
	return u.len > 0;
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

/* SPDX-License-Identifier: MIT */
/*
 * Whom a block is for, and the numbers of a scoring algorithm: the two typed
 * fields whose parts must agree with each other.
 */
#include <stdlib.h>
#include <string.h>

#include "render/documents/family.h"
#include "render/format/format.h"

static const char todo_scope[] = "write scope: global, server:CODE, agent:CODE or session:NAME";

static const struct kind {
	const char *name;
	const char *part;   /* the key that may hold what comes behind the colon */
	size_t most;        /* bytes of a code; 0: it is a session's name */
} kinds[] = {
	{ "global", NULL, 0 },
	{ "server", "server_code", 20 },
	{ "agent", "agent_code", 50 },
	{ "session", "session", 0 },
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* The part of another scope than the block's has no meaning: it is a slip of the pen. */
static int check_others(const struct source *s, size_t kind)
{
	for (size_t i = 1; i < KINDS; i++) {
		uint32_t node = fields_member(s, kinds[i].part);
		if (i != kind && node)
			return fields_bad(s, node, kinds[i].part, todo_scope,
			                  "it does not go with this scope");
	}
	return 0;
}

/* Whom: behind the colon, or in a key of its own, or in both alike. */
static int find_part(const struct source *s, const struct kind *k, uint32_t scope,
                     struct buf *part)
{
	uint32_t node = fields_member(s, k->part);
	struct buf text = BUF_INIT;
	bool is_text = !node || fields_text(s, node, &text);
	bool differs = node && part->len > 0 && (part->len != text.len ||
	               memcmp(part->data, text.data, text.len) != 0);
	if (part->len == 0)
		buf_add(part, text.data, text.len);
	bool failed = text.failed || part->failed;
	buf_release(&text);
	if (failed)
		return RENDER_ENOMEM;
	if (!is_text || differs)
		return fields_bad(s, node, k->part, todo_scope,
		                  differs ? "`scope` says another" : "expected text");
	if (part->len == 0)
		return fields_bad(s, scope, "scope", todo_scope, "it does not say for which");
	if (k->most ? !code_check(part->data, part->len, k->most)
	            : render_check_name(part->data, part->len, "session", NULL) != 0)
		return fields_bad(s, node ? node : scope, node ? k->part : "scope", todo_scope,
		                  k->most == 20 ? "expected letters, digits, '.', '_', '-', at most 20"
		                  : k->most ? "expected letters, digits, '.', '_', '-', at most 50"
		                            : "no session can have that name");
	return 0;
}

static int add_scope(const struct source *s, uint32_t node, const char *text, size_t len)
{
	const char *colon = memchr(text, ':', len);
	size_t head = colon ? (size_t)(colon - text) : len, kind = 0;
	struct buf part = BUF_INIT;

	while (kind < KINDS && (strlen(kinds[kind].name) != head ||
	                        memcmp(kinds[kind].name, text, head) != 0))
		kind++;
	if (kind == KINDS || (kind == 0 && colon))
		return fields_bad(s, node, "scope", todo_scope, "there is no such scope");
	int rc = check_others(s, kind);
	if (colon)
		buf_add(&part, colon + 1, len - head - 1);
	if (!rc && kind > 0 && !(kind == 3 && !colon && fields_member(s, "session_hash") &&
	                         !fields_member(s, "session")))
		rc = find_part(s, &kinds[kind], node, &part);
	if (!rc) {
		fields_key(s->out, "scope");
		buf_add_json(s->out, kinds[kind].name, head);
	}
	if (!rc && part.len > 0) {
		fields_key(s->out, kinds[kind].part);
		buf_add_json(s->out, part.data, part.len);
	}
	buf_release(&part);
	return rc;
}

int scope_add(const struct source *s)
{
	uint32_t node = fields_member(s, "scope");
	if (!node)
		return add_scope(s, 0, "global", 6);
	struct buf text = BUF_INIT;
	int rc;
	if (!fields_text(s, node, &text))
		rc = fields_bad(s, node, "scope", todo_scope, "expected text");
	else
		rc = text.failed ? RENDER_ENOMEM
		                 : add_scope(s, node, text.data ? text.data : "", text.len);
	buf_release(&text);
	return rc;
}

/* ---- the numbers of an algorithm ---- */

static bool is_positive(const struct source *s, uint32_t node, double *value)
{
	enum json_type type = s->j->nodes[node].type;
	if (type != VALUE_INTEGER && type != VALUE_REAL)
		return false;
	*value = strtod(json_at(s->j, s->j->nodes[node].value), NULL);
	return *value >= 0;
}

static int check_weights(const struct source *s, uint32_t weights)
{
	static const char *const names[] = { "recency", "importance", "relevance", "frequency" };
	static const char todo[] = "give recency, importance, relevance and frequency as numbers "
				   "from 0 that sum to 1";
	double sum = 0, value;
	if (s->j->nodes[weights].type != VALUE_OBJECT)
		return fields_bad(s, weights, "weights", todo, "expected an object");
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		uint32_t node = json_member(s->j, weights, names[i]);
		if (!node)
			return fields_bad(s, weights, names[i], todo, "the weight is missing");
		if (!is_positive(s, node, &value))
			return fields_bad(s, node, names[i], todo, "expected a number from 0");
		sum += value;
	}
	if (sum > 1 - 1.000001e-6 && sum < 1 + 1.000001e-6) /* as decimals, 1e-6 off is still in */
		return 0;
	char reason[64];
	(void)snprintf(reason, sizeof reason, "they sum to %.7g, not to 1", sum);
	return fields_bad(s, weights, "weights", todo, reason);
}

static int check_rates(const struct source *s, uint32_t rates)
{
	static const char todo[] = "give each type's decay a day as a number from 0";
	double value;
	if (s->j->nodes[rates].type != VALUE_OBJECT)
		return fields_bad(s, rates, "decay_rates", todo, "expected an object");
	for (uint32_t n = rates + 1; n < s->j->nodes[rates].next; n = s->j->nodes[n].next)
		if (!is_positive(s, n, &value))
			return fields_bad(s, n, "decay_rates", todo, "expected numbers from 0");
	return 0;
}

/* They stand in `scoring`, or in the config itself. */
int config_check(const struct source *s, uint32_t config)
{
	uint32_t scoring = json_member(s->j, config, "scoring");
	uint32_t places[] = { config, scoring };
	if (scoring && s->j->nodes[scoring].type != VALUE_OBJECT)
		return fields_bad(s, scoring, "scoring", "give it as an object", "expected an object");
	for (size_t i = 0; i < (scoring ? 2 : 1); i++) {
		uint32_t weights = json_member(s->j, places[i], "weights");
		uint32_t rates = json_member(s->j, places[i], "decay_rates");
		int rc = weights ? check_weights(s, weights) : 0;
		if (!rc && rates)
			rc = check_rates(s, rates);
		if (rc)
			return rc;
	}
	return 0;
}

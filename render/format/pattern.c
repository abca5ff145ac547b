/* SPDX-License-Identifier: MIT */
/* Patterns that are compiled once.  See pattern.h. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "render/format/pattern.h"

#include <pcre2.h>
#include <stdlib.h>

enum { PAIRS = 2 + PATTERN_GROUPS /* one more than is told: else a match with it is none */ };

struct matcher {
	pcre2_match_data *data;
	pcre2_match_context *limits;
	struct span spans[1 + PATTERN_GROUPS];
	bool failed;
};

struct matcher *matcher_new(uint32_t steps)
{
	struct matcher *m = calloc(1, sizeof *m);
	if (!m)
		return NULL;
	m->data = pcre2_match_data_create(PAIRS, NULL);
	m->limits = pcre2_match_context_create(NULL);
	if (m->data && m->limits && pcre2_set_match_limit(m->limits, steps) == 0)
		return m;
	matcher_free(m);
	return NULL;
}

void matcher_free(struct matcher *m)
{
	if (!m)
		return;
	pcre2_match_data_free(m->data);
	pcre2_match_context_free(m->limits);
	free(m);
}

bool matcher_failed(const struct matcher *m)
{
	return m->failed;
}

/* Whoever is first decides; what another thread compiled meanwhile is the same. */
static pcre2_code *code_of(struct pattern *p, const char *text)
{
	void *kept = atomic_load_explicit(&p->code, memory_order_acquire);
	if (kept)
		return kept;
	int error;
	PCRE2_SIZE at;
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
	                                 PCRE2_UTF | PCRE2_UCP | PCRE2_CASELESS, &error, &at, NULL);
	if (!code)
		return NULL;
	(void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); /* without it the match is slower */
	if (atomic_compare_exchange_strong(&p->code, &kept, (void *)code))
		return code;
	pcre2_code_free(code);
	return kept;
}

const struct span *matcher_find(struct matcher *m, struct pattern *p, const char *text,
                                const char *subject, size_t len)
{
	pcre2_code *code = code_of(p, text);
	m->failed = m->failed || !code;
	if (!code)
		return NULL;
	int rc = pcre2_match(code, (PCRE2_SPTR)subject, len, 0, PCRE2_NO_UTF_CHECK, m->data, m->limits);
	if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
		rc = pcre2_match(code, (PCRE2_SPTR)subject, len, 0, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT,
		                 m->data, m->limits);
	if (rc <= 0)
		return NULL;
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(m->data);
	for (int i = 0; i <= PATTERN_GROUPS; i++)
		m->spans[i] = i < rc ? (struct span){ at[2 * i], at[2 * i + 1] } :
			(struct span){ PATTERN_UNSET, PATTERN_UNSET };
	return m->spans;
}

/* SPDX-License-Identifier: MIT */
/* Which things are retired: one rule for contexts, searches, blocks and memories. */
#include <string.h>

#include "store/policy/policy.h"

#define DAY_US (INT64_C(86400) * 1000000)

static enum life life_of_fact(const struct policy_thing *t, int64_t now_us)
{
	static const int days[] = { [CONFIDENCE_LOW] = FACT_LOW_DAYS,
		[CONFIDENCE_MEDIUM] = FACT_MEDIUM_DAYS,
		[CONFIDENCE_HIGH] = FACT_STALE_DAYS };
	int64_t age_us = now_us - t->confirmed_us;
	if (t->retracted)
		return t->replaced ? LIFE_SUPERSEDED : LIFE_DELETED;
	if (age_us > FACT_STALE_DAYS * DAY_US)
		return LIFE_STALE;
	return age_us > days[t->confidence] * DAY_US ? LIFE_AGED : LIFE_LIVE;
}

static enum life life_of_status(const char *status)
{
	if (!status || !*status || strcmp(status, "active") == 0)
		return LIFE_LIVE;
	for (enum life life = LIFE_EXPIRED; life < LIFE_PRUNED; life++)
		if (strcmp(status, life_name(life)) == 0)
			return life;
	return LIFE_INACTIVE;
}

enum life policy_life(const struct policy_thing *t, int64_t now_us)
{
	if (t->pruned)
		return LIFE_PRUNED;
	if (t->is_fact)
		return life_of_fact(t, now_us);
	enum life said = life_of_status(t->status);
	if (said != LIFE_LIVE && said != LIFE_SUPERSEDED)
		return said;
	if (t->expires_us > 0 && t->expires_us <= now_us)
		return LIFE_EXPIRED;
	return t->replaced ? LIFE_SUPERSEDED : said;
}

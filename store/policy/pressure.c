/* SPDX-License-Identifier: MIT */
/* Memory pressure: how much of what the model may hold an agent uses. */
#include "store/policy/policy.h"

static const double must_act = 70; /* per cent: from there on it is no recommendation */

static enum pressure_level level_of(const struct policy *p, double percent)
{
	double high = p->threshold > must_act ? p->threshold : must_act;
	if (percent > 100)
		return PRESSURE_CRITICAL;
	if (percent > high)
		return PRESSURE_HIGH;
	return percent > p->threshold ? PRESSURE_MEDIUM : PRESSURE_LOW;
}

struct pressure policy_pressure(const struct policy *p, int64_t used, int64_t model_limit)
{
	double safe = model_limit > 0 ? p->safe * (double)model_limit : 0;
	struct pressure is = { .used = used > 0 ? used : 0, .safe = (int64_t)safe };
	if (is.safe > 0)
		is.percent = 100 * (double)is.used / (double)is.safe;
	else
		is.percent = is.used > 0 ? 1000 : 0; /* nothing may be used */
	is.level = level_of(p, is.percent);
	return is;
}

const char *policy_level_name(enum pressure_level level)
{
	static const char *const names[] = { "low", "medium", "high", "critical" };
	return names[level];
}

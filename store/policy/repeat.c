/* SPDX-License-Identifier: MIT */
/*
 * What a session has had already and is not told again, and how long an answer may
 * be given again.  Called by what builds context.md and by answers/.
 */
#include "store/policy/policy.h"

bool policy_omits_fact(const struct policy *p, int64_t now, int64_t seen)
{
	return seen > 0 && seen <= now && now - seen <= p->unrepeated;
}

bool policy_omits_tool(int64_t uses)
{
	return uses > 0;
}

bool policy_omits_format(const struct policy_output *before)
{
	return before->exists && before->valid && before->structure && before->parsed;
}

bool policy_omits_examples(const struct policy_output *first)
{
	return policy_omits_format(first);
}

bool policy_answer_holds(const struct policy *p, int64_t answered_us, int64_t now_us, bool of_tool)
{
	int64_t most = of_tool ? p->tool_answer_us : p->answer_us, age;
	return !__builtin_sub_overflow(now_us, answered_us, &age) && age >= 0 && age < most;
}

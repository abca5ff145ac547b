/* SPDX-License-Identifier: MIT */
/* The numbers of policy.h, where no algorithm says otherwise. */
#include "store/policy/policy.h"

#define HOUR INT64_C(3600000000) /* microseconds */

const struct policy policy_default = {
	.window = 6, .window_least = 4, .window_most = 8,
	.close = 0.7, .loose = 0.3, .shift = 0.4, .gap_us = 4 * HOUR,
	.segment = 3, .summaries = 4, .summary_tokens = 50,
	.window_tokens = 1200, .facts_least = 50, .facts_most = 150, .results_tokens = 300,
	.block_tokens = 400, .blocks_tokens = 900, .sections_tokens = -1,
	.section_max = { [SECTION_IDENTITY] = 2000, [SECTION_PROFILE] = 1500, [SECTION_PROJECT] = 5000,
		[SECTION_TASK] = 3000, [SECTION_NOTES] = 2000 },
	.eager_tokens = 3000, .total_tokens = 4000, .remembered_tokens = 300, .found_tokens = 1000000,
	.unrepeated = 3,
	.safe = 0.8, .threshold = 50, .failures = 3,
	.same = 0.85, .answer_us = 24 * HOUR, .tool_answer_us = HOUR,
};

/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a file of questions, and as an algorithm into which metrics are put.  What is
 * taken is text within its limits; a refusal says why; metrics change nothing else.
 */
#include <stdlib.h>
#include <string.h>

#include "render/format/json.h"
#include "render/render.h"
#include "tests/fuzz/fuzz.h"

static void as_questions(const char *text, size_t size)
{
	struct asked_questions q;
	struct why why = { 0 };
	int rc = render_questions_in(text, size, &q, &why);
	MUST(rc == 0 || rc == RENDER_EINVAL || rc == RENDER_EFBIG);
	MUST(rc == 0 ? q.count > 0 : why.text[0] && why.todo[0]);
	MUST(q.count <= QUESTIONS_LIMIT);
	for (size_t i = 0; i < q.count && rc == 0; i++) {
		const struct asked_question *one = &q.items[i];
		MUST(strlen(one->words) <= QUESTION_LIMIT && !strpbrk(one->words, "\t\n"));
		MUST(one->count <= EXPECTED_LIMIT && (one->words[0] || one->count > 0));
		MUST(one->line > (i ? q.items[i - 1].line : 0));
		for (size_t k = 0; k < one->count; k++)
			MUST(one->expected[k][0] && !strpbrk(one->expected[k], "\t\n"));
	}
	asked_questions_release(&q);
}

/* The second time only a value is replaced: so the first result is the whole text again. */
static void as_algorithm(const char *text, size_t size)
{
	struct buf once = BUF_INIT, twice = BUF_INIT;
	struct why why = { 0 };
	int rc = render_algorithm_metrics(&once, text, size, "{\"k\": 1}", &why);
	MUST(rc == 0 || (rc == RENDER_EINVAL && why.text[0] && once.len == 0));
	if (rc == 0) {
		MUST(render_algorithm_active(text, size) == render_algorithm_active(once.data, once.len));
		MUST(render_algorithm_metrics(&twice, once.data, once.len, "{\"k\": 1}", &why) == 0);
		MUST(once.len == twice.len && memcmp(once.data, twice.data, once.len) == 0);
	}
	buf_release(&once);
	buf_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	as_questions((const char *)data, size);
	as_algorithm((const char *)data, size);
	return 0;
}

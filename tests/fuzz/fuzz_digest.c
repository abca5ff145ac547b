/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a summary: what is taken must read back the same from its canonical
 * form and be no longer than allowed; a refusal must say why.  The same bytes as three
 * turns: what the rules make of them must be readable.  And as two questions.
 */
#include <stdlib.h>
#include <string.h>

#include "render/render.h"
#include "store/store.h"
#include "tests/fuzz/fuzz.h"

enum { TOKENS = 50, BYTES_MOST = 4096 /* of turns and questions: patterns take their time */ };

static void check_back(const struct digest *s, int64_t tokens)
{
	struct buf text = BUF_INIT, twice = BUF_INIT;
	struct digest back;
	struct why why = { 0 };
	render_digest(&text, s);
	MUST(!text.failed && store_token_count(text.data, text.len) <= tokens);
	MUST(render_digest_in(&back, text.data, text.len, store_token_count, tokens, &why) == 0);
	render_digest(&twice, &back);
	MUST(twice.len == text.len && memcmp(twice.data, text.data, text.len) == 0);
	digest_release(&back);
	buf_release(&text);
	buf_release(&twice);
}

static void check_in(const char *bytes, size_t len)
{
	struct digest s;
	struct why why = { 0 };
	int rc = render_digest_in(&s, bytes, len, store_token_count, TOKENS, &why);
	MUST(rc == 0 || (why.text[0] && why.todo[0]));
	if (rc == 0)
		check_back(&s, TOKENS);
	digest_release(&s);
}

static void check_rules(const char *bytes, size_t len)
{
	const struct summary_rules rules = { .count = store_token_count, .tokens = TOKENS, .stop = policy_stop_word };
	struct summary_turn turns[3];
	struct digest s;
	size_t part = len / 3;
	for (size_t i = 0; i < 3; i++)
		turns[i] = (struct summary_turn){ bytes + i * part, i < 2 ? part : len - 2 * part, i % 2 == 0, len % 7 == 0 };
	MUST(render_digest_of(&s, turns, 3, &rules) == 0);
	if (s.topic)
		check_back(&s, TOKENS);
	digest_release(&s);
	MUST(render_topic_domain(turns, 3) < TALK_COUNT);
	(void)render_topic_phrase(bytes, len);
}

static void check_questions(const char *bytes, size_t len)
{
	struct buf key = BUF_INIT, again = BUF_INIT;
	size_t half = len / 2;
	MUST(render_same_question(bytes, half, bytes + half, len - half, 0.85) ==
	     render_same_question(bytes + half, len - half, bytes, half, 0.85));
	render_question_key(&key, bytes, len);
	MUST(!key.failed);
	render_question_key(&again, key.data ? key.data : "", key.len);
	MUST(again.len == key.len && (key.len == 0 || memcmp(again.data, key.data, key.len) == 0));
	if (render_question_cacheable(bytes, len))
		MUST(key.len > 0);
	for (int format = OUTPUT_TEXT; format <= OUTPUT_JSON; format++)
		(void)render_output_check((enum output_format)format, bytes, len);
	buf_release(&key);
	buf_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *bytes = malloc(size + !size); /* exact, so that reading past the end is seen */
	MUST(bytes);
	memcpy(bytes, data, size);
	check_in(bytes, size);
	if (size <= BYTES_MOST) {
		check_rules(bytes, size);
		check_questions(bytes, size);
	}
	free(bytes);
	return 0;
}

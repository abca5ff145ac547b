/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a list of facts.  What is taken must read back the same from its
 * canonical form, whose second rendering must be the same bytes; no word may be
 * lost; a refusal must say why.  The same bytes, cut in two, as two wordings.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "render/render.h"
#include "tests/fuzz/fuzz.h"

static bool letter(char c)
{
	return isalpha((unsigned char)c) || ((unsigned char)c & 0x80);
}

/* How often the word stands in the text, as a whole. */
static int count_word(const char *text, size_t len, const char *word, size_t n)
{
	int found = 0;
	for (size_t i = 0; i < len;) {
		size_t end = i;
		while (end < len && letter(text[end]))
			end++;
		found += end - i == n && memcmp(text + i, word, n) == 0;
		i = end == i ? i + 1 : end;
	}
	return found;
}

static bool may_go(const char *word, size_t n)
{
	static const char *const words[] = { "low", "medium", "high", "inferred", "stale", "obsoletos" };
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (n == strlen(words[i]) && strncasecmp(word, words[i], n) == 0)
			return true;
	return false;
}

static void check_words(const char *in, size_t len, const struct buf *out)
{
	/* said twice of one fact it is said once, but never lost */
	if (len < 2000 && count_word(in, len, "inferred", 8) > 0)
		MUST(count_word(out->data, out->len, "inferred", 8) > 0);
	for (size_t i = 0; i < len && len < 2000;) {
		size_t end = i;
		while (end < len && letter(in[end]))
			end++;
		if (end > i && !may_go(in + i, end - i))
			MUST(count_word(out->data, out->len, in + i, end - i) >= count_word(in, len, in + i, end - i));
		i = end == i ? i + 1 : end;
	}
}

static void check_back(const struct buf *text)
{
	struct fact_list back;
	struct buf twice = BUF_INIT;
	struct why why = { 0 };
	int rc = render_facts_in(text->data, text->len, &back, &why);
	MUST(rc == 0 || rc == RENDER_EFBIG);
	if (rc == 0) {
		render_facts(&twice, "work", back.frame.data, back.items, back.count);
		MUST(twice.len == text->len && memcmp(twice.data, text->data, text->len) == 0);
	}
	buf_release(&twice);
	fact_list_release(&back);
}

static void check_list(const char *bytes, size_t len, bool words)
{
	struct fact_list list;
	struct buf text = BUF_INIT;
	struct why why = { 0 };
	int rc = render_facts_in(bytes, len, &list, &why);
	MUST(rc == 0 || (why.text[0] && why.todo[0]));
	if (rc == 0) {
		for (size_t i = 0; i < list.count; i++)
			MUST(list.items[i].len > 0 && list.items[i].text[list.items[i].len - 1] != '\n');
		render_facts(&text, "work", list.frame.data, list.items, list.count);
		MUST(!text.failed);
		check_back(&text);
		if (words)
			check_words(bytes, len, &text);
	}
	buf_release(&text);
	fact_list_release(&list);
}

static void check_same(const char *bytes, size_t len)
{
	size_t half = len / 2;
	double ab = render_similarity(bytes, half, bytes + half, len - half);
	double ba = render_similarity(bytes + half, len - half, bytes, half);
	MUST(ab >= 0 && ab <= 1 && ab - ba < 1e-9 && ba - ab < 1e-9);
	MUST(render_same_fact(bytes, half, bytes + half, len - half) ==
	     render_same_fact(bytes + half, len - half, bytes, half));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf text = BUF_INIT;
	char *bytes = malloc(size + !size); /* exact, so that reading past the end is seen */
	MUST(bytes);
	memcpy(bytes, data, size);
	check_list(bytes, size, false);
	check_same(bytes, size);
	buf_adds(&text, "# Work\n\n");
	buf_add(&text, bytes, size);
	check_list(text.data, text.len, true);
	buf_release(&text);
	free(bytes);
	return 0;
}

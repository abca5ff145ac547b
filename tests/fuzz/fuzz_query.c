/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a query, and as a text it is looked for in.  What is taken holds no control
 * character and no broken UTF-8 and stays in its bounds; a refusal says why; a snippet is one
 * line whose bold ends.
 */
#include <stdlib.h>
#include <string.h>

#include "render/render.h"
#include "render/format/utf8.h"
#include "tests/fuzz/fuzz.h"

static void check_text(const char *text)
{
	size_t len = strlen(text);
	for (size_t i = 0; i < len;) {
		size_t n = utf8_size(text + i, len - i);
		MUST(n > 0 && (unsigned char)text[i] >= 0x20 && text[i] != 0x7F);
		i += n;
	}
}

static void check_query(const struct query *q)
{
	MUST(q->phrase_count <= QUERY_PHRASES && q->without_count <= QUERY_PHRASES);
	MUST(q->limit >= 1 && q->limit <= QUERY_HITS_MOST);
	MUST(q->after_us >= 0 && q->before_us >= 0);
	if (q->words.data) {
		MUST(strlen(q->words.data) == q->words.len && !strstr(q->words.data, "  "));
		check_text(q->words.data);
	}
	for (size_t i = 0; i < q->phrase_count; i++) {
		MUST(q->phrases[i][0] && q->phrases[i][0] != ' ');
		check_text(q->phrases[i]);
	}
	for (size_t i = 0; i < q->without_count; i++)
		check_text(q->without[i]);
	check_text(q->session);
	check_text(q->thread);
	check_text(q->by);
	check_text(q->type);
}

/* Runs of letters; every third is also read as its first letter, as a stem might be. */
static int words(const char *text, size_t len, word_fn *fn, void *ctx)
{
	for (size_t i = 0, n = 0; i <= len; i++) {
		unsigned char c = i < len ? (unsigned char)text[i] : ' ';
		bool letter = c >= 0x80 || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
		if (!letter && n > 0) {
			fn(ctx, text + i - n, n, i - n, i);
			if (n % 3 == 0)
				fn(ctx, text + i - n, 1, i - n, i);
		}
		n = letter ? n + 1 : 0;
	}
	return 0;
}

static bool common(const char *word, size_t len)
{
	return len < 3 || word[0] == 'a';
}

static void check_snippet(const struct query *q, const char *text, size_t len)
{
	struct terms t;
	struct buf out = BUF_INIT;
	MUST(render_terms(&t, q, words, words, common) == 0);
	render_snippet(&out, text, len, &t);
	MUST(!out.failed && out.len < 8192);
	if (out.data) {
		size_t stars = 0;
		check_text(out.data);
		for (size_t i = 0; i < out.len; i++) {
			if (out.data[i] == '\\')
				i++;
			else
				stars += out.data[i] == '*';
		}
		MUST(stars % 4 == 0);
	}
	buf_release(&out);
	terms_release(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct query q;
	struct why why = { 0 };
	struct buf page = BUF_INIT;
	/* The first line asks; the rest is where it is looked for. */
	const uint8_t *end = memchr(data, '\n', size);
	size_t len = end ? (size_t)(end - data) : size, rest = size - len;
	char *exact = malloc(len ? len : 1), *text = malloc(rest ? rest : 1);
	MUST(exact && text);
	memcpy(exact, data, len);
	memcpy(text, data + len, rest);
	int err = render_query_in(exact, len, &q, &why);
	MUST(err == 0 || (why.text[0] && why.todo[0]));
	if (!err) {
		check_query(&q);
		const struct found_state state = { .by_words = len % 2, .wordless = len % 5 == 0,
			.how = (enum found_how)(len % 3), .searched = (int64_t)rest, .entries = 7 };
		render_results(&page, &q, "", len, &state);
		check_snippet(&q, text, rest);
	} else {
		render_no_query(&page, exact, len, &why);
	}
	MUST(!page.failed);
	buf_release(&page);
	query_release(&q);
	free(exact);
	free(text);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the name of a file in summaries/ (up to a newline) and as its text.
 * A range that is taken is the one its canonical name gives back; a text that is
 * taken is UTF-8 that the action log shows whole, quoted.
 */
#include <stdlib.h>
#include <string.h>

#include "render/format/quote.h"
#include "render/render.h"
#include "tests/fuzz/fuzz.h"

static void check_name(const char *name)
{
	struct context_range r, back;
	char canonical[64];
	bool is = render_summary_name(name, &r);
	MUST(is || (r.first == 0 && r.last == 0));
	if (!is)
		return;
	MUST(strspn(name, "0123456789-") + 3 == strlen(name) && strchr(name, '-'));
	MUST((r.first == 0 && r.last == 0) || (r.first > 0 && r.last >= r.first && r.last < INT64_C(1000000000000000)));
	if (r.first == 0)
		return;
	(void)snprintf(canonical, sizeof canonical, "%lld-%lld.md", (long long)r.first, (long long)r.last);
	MUST(render_summary_name(canonical, &back) && back.first == r.first && back.last == r.last);
}

static void check_text(const char *text, size_t len)
{
	struct why why = { 0 };
	struct buf out = BUF_INIT;
	int rc = render_summary_in(text, len, &why);
	MUST(rc == 0 || (why.text[0] && why.todo[0]));
	MUST((rc == RENDER_EFBIG) == (len > CONTEXT_TEXT_MOST));
	struct summary y = { .first = 3, .last = 9, .author = "ana:vim", .text = text, .len = len };
	struct turn t = { .n = 3, .author = "ana:vim", .by = "", .role = "user", .tool = "", .content = text, .len = len };
	if (rc == 0) {
		MUST(len > 0 && !memchr(text, '\0', len));
		struct buf quoted = BUF_INIT;
		quote_text(&quoted, text, len);
		render_action_summary(&out, &y);
		MUST(memmem(out.data, out.len, quoted.data, quoted.len));
		buf_clear(&out);
		render_action_turn(&out, &t);
		MUST(memmem(out.data, out.len, quoted.data, quoted.len));
		MUST(render_summary_in(out.data, out.len, &why) != RENDER_EINVAL);
		buf_release(&quoted);
	}
	buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *newline = size ? memchr(data, '\n', size) : NULL;
	size_t name_len = newline ? (size_t)(newline - data) : 0;
	char *name = calloc(1, name_len + 1);
	size_t len = size - (newline ? name_len + 1 : 0);
	char *text = malloc(len + 1); /* the store's texts end in a NUL */
	MUST(name && text);
	memcpy(name, data, name_len);
	memcpy(text, data + size - len, len);
	text[len] = '\0';
	check_name(name);
	check_text(text, len);
	free(name);
	free(text);
	return 0;
}

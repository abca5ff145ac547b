/* SPDX-License-Identifier: MIT */
/* Offered lines: looked at, and taken apart without changing a byte; see offered.h. */
#include "render/logs/offered.h"

#include <string.h>

#include "render/format/format.h"

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* A line of a log, by what such a line has: looked for in the longest lines alone. */
static bool is_copied(const char *line, size_t len)
{
	static const char mark[] = "\"prev_hash\":";
	return memmem(line, len, mark, sizeof(mark) - 1);
}

int offered_check(const char *line, size_t len, const char *todo, struct why *why)
{
	size_t i = 0;
	while (i < len && is_space(line[i]))
		i++;
	if (i == len) {
		why_set(why, todo, "the line is blank");
		return RENDER_EINVAL;
	}
	if (len > LINE_COPIED_LIMIT || (len > LINE_LIMIT && !is_copied(line + i, len - i))) {
		why_set(why, "split it into several messages, or keep the data in a file and name "
		        "the file", "the line has %zu bytes, at most %d are taken", len,
		        LINE_LIMIT);
		return RENDER_EFBIG;
	}
	const char *newline = memchr(line, '\n', len);
	if (newline) {
		why_set(why, "write each object on one line (`jq -c .`), text with \\n inside",
		        "a newline at byte %zu, inside the line", (size_t)(newline - line) + 1);
		return RENDER_EINVAL;
	}
	if (len - i >= 3 && memcmp(line + i, "\xEF\xBB\xBF", 3) == 0) {
		why_set(why, "save it as UTF-8 without a byte order mark",
		        "the line begins with a byte order mark");
		return RENDER_EINVAL;
	}
	if (line[i] == '{')
		return 0;
	bool shown = line[i] > 0x20 && line[i] < 0x7F;
	why_set(why, todo,
	        shown ? "not a JSON object: the line begins with '%c', not with '{'"
	              : "not a JSON object: the line begins with byte 0x%02x, not with '{'",
	        (unsigned char)line[i]);
	return RENDER_EINVAL;
}

void offered_inner(struct buf *out, const struct json *j)
{
	size_t from = j->nodes[0].value.at + 1, end = from + j->nodes[0].value.len - 2;
	while (from < end && is_space(j->text[from]))
		from++;
	while (end > from && is_space(j->text[end - 1]))
		end--;
	buf_add(out, j->text + from, end - from);
}

void offered_members(struct buf *out, const struct json *j, owned_fn *is_owned, bool owned)
{
	const char *comma = "";
	for (uint32_t n = 1; n < j->nodes[0].next; n = j->nodes[n].next) {
		const struct json_node *node = &j->nodes[n];
		if (is_owned(j, node->key) != owned)
			continue;
		size_t from = node->key.at - 1;
		size_t end = node->value.at + node->value.len + (node->type == VALUE_STRING);
		buf_adds(out, comma);
		buf_add(out, j->text + from, end - from);
		comma = ",";
	}
}

void offered_pad(struct buf *out, size_t least)
{
	static const char spaces[] = "                                                ";
	while (!out->failed && out->len < least) {
		size_t lack = least - out->len;
		buf_add(out, spaces, lack < sizeof spaces - 1 ? lack : sizeof spaces - 1);
	}
}

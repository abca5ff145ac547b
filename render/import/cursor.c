/* SPDX-License-Identifier: MIT */
/*
 * Cursor: ~/.cursor/projects/PROJECT/agent-transcripts/ID.jsonl, a line {role, message:{content}}
 * each, without ids or times: a message is known by its line.  PROJECT is the directory, its
 * slashes being hyphens.
 */
#include <string.h>

#include "render/import/parts.h"

static bool cursor_knows(const json_t *item)
{
	return *import_text(item, "role") && !json_object_get(item, "type") &&
	       json_object_get(json_object_get(item, "message"), "content");
}

/* What a person typed stands within <user_query>; beside it is what the program adds. */
static void user(struct import *i, struct import_said *s, const char *text)
{
	const char *from = strstr(text, "<user_query>");
	const char *to = from ? strstr(from, "</user_query>") : NULL;
	struct buf asked = BUF_INIT;
	if (to) {
		from += strlen("<user_query>") + strspn(from + strlen("<user_query>"), "\r\n");
		while (to > from && (to[-1] == '\n' || to[-1] == '\r'))
			to--;
		buf_add(&asked, from, (size_t)(to - from));
		text = asked.data ? asked.data : "";
		buf_adds(&asked, "");
	}
	if (!asked.failed && !import_is_machine(text))
		import_say(i, s, text);
	i->failed |= asked.failed;
	buf_release(&asked);
}

static void cursor_item(struct import *i, const json_t *item)
{
	const char *role = import_text(item, "role");
	const json_t *content = json_object_get(json_object_get(item, "message"), "content"), *block;
	char id[32];
	size_t n;
	(void)snprintf(id, sizeof id, "line-%lld", (long long)i->at);
	struct import_said s = { .role = role, .id = id,
		.at_us = import_time(json_object_get(item, "timestamp")) };
	import_begin(i, "cursor", i->name);
	if (strcmp(role, "assistant") == 0) {
		import_blocks(i, &s, content);
	} else if (strcmp(role, "user") == 0) {
		if (json_is_string(content))
			user(i, &s, json_string_value(content));
		json_array_foreach(content, n, block) {
			s.part = (int64_t)n;
			user(i, &s, import_text(block, "text"));
		}
	} /* others end turns */
}

const struct import_format import_cursor = { cursor_knows, cursor_item, NULL };

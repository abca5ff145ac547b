/* SPDX-License-Identifier: MIT */
/*
 * Letta's agent file, .af: one object {agents: [{id, name, messages}], blocks: [{label, value}]}.
 * Blocks become notes; messages are those of OpenAI with a `created_at`, content blocks, and what
 * tools gave beside them.
 */
#include <string.h>

#include "render/import/parts.h"

static bool letta_knows(const json_t *item)
{
	return json_is_array(json_object_get(item, "agents")) &&
	       json_is_array(json_object_get(item, "blocks"));
}

static void calls(struct import *i, struct import_said s, const json_t *list)
{
	const json_t *one;
	size_t n;
	json_array_foreach(list, n, one) {
		const json_t *function = json_object_get(one, "function");
		s.part++;
		import_call(i, &s, import_text(function, "name"), import_text(one, "id"),
		            json_object_get(function, "arguments"));
	}
}

static void returns(struct import *i, const struct import_said *of, const json_t *list)
{
	const json_t *one;
	size_t n;
	json_array_foreach(list, n, one) {
		struct import_said s = *of;
		struct buf text = BUF_INIT;
		const json_t *given = json_object_get(one, "func_response");
		import_content(&text, given ? given : json_object_get(one, "tool_return"));
		s.part += (int64_t)n + 1;
		if (!text.failed)
			import_result(i, &s, import_text(one, "tool_call_id"), text.data,
			              strcmp(import_text(one, "status"), "error") == 0);
		i->failed |= text.failed;
		buf_release(&text);
	}
}

static void say(struct import *i, const json_t *message)
{
	const char *role = import_text(message, "role"), *model = import_text(message, "model");
	const json_t *content = json_object_get(message, "content");
	const json_t *results = json_object_get(message, "tool_returns");
	struct import_said s = { .role = role, .id = import_text(message, "id"),
		.model = *model ? model : NULL,
		.at_us = import_time(json_object_get(message, "created_at")) };
	struct buf text = BUF_INIT;
	if (!*s.id)
		return;
	if (strcmp(role, "tool") == 0) {
		import_content(&text, content);
		if (json_array_size(results) > 0)
			returns(i, &s, results);
		else if (!text.failed)
			import_result(i, &s, import_text(message, "tool_call_id"), text.data, false);
	} else if (strcmp(role, "user") == 0 || strcmp(role, "assistant") == 0) {
		import_blocks(i, &s, content);
		s.part = (int64_t)json_array_size(content);
		calls(i, s, json_object_get(message, "tool_calls"));
	} /* a system's is the prompt that the program makes anew of the blocks */
	i->failed |= text.failed;
	buf_release(&text);
}

static void letta_item(struct import *i, const json_t *item)
{
	const json_t *agent, *one;
	size_t n, m;
	char session[TALK_SESSION + 1], name[NAME_LIMIT + 8];
	json_array_foreach(json_object_get(item, "blocks"), n, one) {
		(void)snprintf(name, sizeof name, "%.200s.md", import_text(one, "label"));
		import_keep(i, "", name, import_text(one, "value"));
	}
	json_array_foreach(json_object_get(item, "agents"), n, agent) {
		import_copy(i->title, sizeof i->title, import_text(agent, "name"));
		i->began_us = 0;
		one = json_array_get(json_object_get(agent, "messages"), 0);
		(void)snprintf(session, sizeof session, "%.60s-%.40s-%.20s", i->name,
		               import_text(agent, "id"), import_text(one, "created_at"));
		import_begin(i, "letta", session);
		json_array_foreach(json_object_get(agent, "messages"), m, one)
			say(i, one);
	}
}

const struct import_format import_letta = { letta_knows, letta_item, NULL };

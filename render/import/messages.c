/* SPDX-License-Identifier: MIT */
/*
 * Arrays and lines of messages, as the APIs of OpenAI (Chat, Responses) and Anthropic have them.
 * Most have no ids: then a message is known by its place and its content, so that one that was
 * edited is another; and a conversation by how it begins, up to the first message that is none of
 * the instructions, which many have in common.
 */
#include <string.h>

#include "render/import/parts.h"

enum { HELD_MOST = 16 }; /* instructions that wait for what is said */

static bool is_message(const json_t *item)
{
	return *import_text(item, "role") ||
	       strcmp(import_text(item, "type"), "function_call") == 0 ||
	       strcmp(import_text(item, "type"), "function_call_output") == 0;
}

static bool messages_knows(const json_t *item)
{
	const json_t *list = json_object_get(item, "messages");
	return is_message(item) || (json_array_size(list) > 0 && is_message(json_array_get(list, 0)));
}

/* One of a message; `function` with its arguments, or a tool of one's own with its input. */
static void call(struct import *i, struct import_said s, const char *id, const json_t *function)
{
	const json_t *given = json_object_get(function, "arguments");
	import_call(i, &s, import_text(function, "name"), id,
	            given ? given : json_object_get(function, "input"));
}

/* What stands beside the content: calls, the one of older versions, why it was not answered. */
static void beside(struct import *i, struct import_said *s, const json_t *item)
{
	const json_t *function;
	size_t n;
	json_t *one;
	json_array_foreach(json_object_get(item, "tool_calls"), n, one) {
		function = json_object_get(one, "function");
		s->part++;
		call(i, *s, import_text(one, "id"), function ? function : json_object_get(one, "custom"));
	}
	s->part++;
	function = json_object_get(item, "function_call");
	if (json_is_object(function))
		call(i, *s, "", function);
	s->part++;
	import_say(i, s, import_text(item, "refusal"));
}

static const char *role_of(const char *role)
{
	if (strcmp(role, "developer") == 0)
		return "system";
	return strcmp(role, "function") == 0 ? "tool" : role;
}

static void say(struct import *i, const json_t *item, const char *id)
{
	const char *role = role_of(import_text(item, "role")), *type = import_text(item, "type");
	const json_t *content = json_object_get(item, "content");
	const json_t *at = json_object_get(item, "timestamp");
	struct import_said s = { .role = role, .id = id,
		.at_us = import_time(at ? at : json_object_get(item, "created_at")) };
	struct buf text = BUF_INIT;
	if (strcmp(type, "function_call") == 0) {
		import_call(i, &s, import_text(item, "name"), import_text(item, "call_id"),
		            json_object_get(item, "arguments"));
	} else if (strcmp(type, "function_call_output") == 0 || strcmp(role, "tool") == 0) {
		const char *call = import_text(item, "tool_call_id");
		const json_t *output = json_object_get(item, "output");
		const char *tool = import_text(item, "name");
		s.tool = *tool ? tool : NULL;
		import_content(&text, output ? output : content);
		import_result(i, &s, *call ? call : import_text(item, "call_id"),
		              text.data ? text.data : "", false);
	} else if (strcmp(role, "user") == 0 || strcmp(role, "assistant") == 0 ||
	           strcmp(role, "system") == 0) {
		size_t n;
		json_t *block;
		json_array_foreach(content, n, block) { /* OpenAI has more types of text */
			if (strcmp(import_text(block, "type"), "refusal") == 0)
				(void)json_object_set(block, "text", json_object_get(block, "refusal"));
			if (*import_text(block, "text") && strcmp(import_text(block, "type"), "text") != 0)
				(void)json_object_set_new(block, "type", json_string("text"));
		}
		import_blocks(i, &s, content);
		s.part = (int64_t)json_array_size(content);
		beside(i, &s, item);
	} else {
		i->sink->skipped(i->sink->ctx, i->at, "a message whose role is none of user, assistant, "
		                 "system, developer, tool");
	}
	i->failed |= text.failed;
	buf_release(&text);
}

static const char *session_of(const json_t *item)
{
	const char *id = import_text(item, "session_id");
	return *id ? id : import_text(item, "conversation_id");
}

static void begin(struct import *i, const json_t *item, const char *session)
{
	i->began_us = i->began_us ? i->began_us : import_time(json_object_get(item, "timestamp"));
	import_begin(i, "messages", session);
}

/* The message at i->count. */
static void take(struct import *i, const json_t *item)
{
	char id[64];
	(void)snprintf(id, sizeof id, "%lld-%016llx", (long long)i->count,
	               (unsigned long long)json_tree_hash(item, &i->failed));
	say(i, item, *import_text(item, "id") ? import_text(item, "id") : id);
}

/* ---- How a conversation without a name begins: i->kept, [[line, place, message], …] -------- */

static bool is_instruction(const json_t *item)
{
	return strcmp(role_of(import_text(item, "role")), "system") == 0;
}

static void hold(struct import *i, const json_t *item)
{
	json_t *held = json_pack("[IIO]", (json_int_t)i->at, (json_int_t)i->count, item);
	i->kept = i->kept ? i->kept : json_array();
	i->failed |= json_array_append_new(i->kept, held) != 0;
}

/* Of one message its own hash: so were those known that begin with no instructions, before. */
static uint64_t held_hash(struct import *i)
{
	uint64_t all = 0;
	size_t n;
	json_t *held;
	json_array_foreach(i->kept, n, held)
		all = all * UINT64_C(0x9E3779B97F4A7C15) +
		      json_tree_hash(json_array_get(held, 2), &i->failed);
	return all;
}

static void take_held(struct import *i)
{
	char session[TALK_SESSION + 1];
	json_t *kept = i->kept, *held;
	int64_t at = i->at, count = i->count;
	size_t n;
	if (!kept)
		return;
	(void)snprintf(session, sizeof session, "%.100s-%08llx", i->name,
	               (unsigned long long)(held_hash(i) >> 32));
	i->kept = NULL;
	json_array_foreach(kept, n, held) {
		i->at = json_integer_value(json_array_get(held, 0));
		i->count = json_integer_value(json_array_get(held, 1));
		if (n == 0)
			begin(i, json_array_get(held, 2), session);
		take(i, json_array_get(held, 2));
	}
	i->at = at;
	i->count = count;
	json_decref(kept);
}

/* Nothing was said yet, so that it is not known which conversation it is. */
static void drop_held(struct import *i)
{
	const json_t *first = json_array_get(i->kept, 0);
	if (first)
		i->sink->skipped(i->sink->ctx, json_integer_value(json_array_get(first, 0)),
		                 "instructions alone: they come in with what is said after them");
	json_decref(i->kept);
	i->kept = NULL;
}

static void take_one(struct import *i, const json_t *item)
{
	const char *session = session_of(item);
	if (!is_message(item)) {
		i->sink->skipped(i->sink->ctx, i->at, "no message: it has no role");
		return;
	}
	i->count++;
	if (!*session && !i->told) {
		hold(i, item);
		if (!is_instruction(item) || json_array_size(i->kept) >= HELD_MOST)
			take_held(i);
		return;
	}
	take_held(i);
	if (*session)
		begin(i, item, session);
	take(i, item);
}

/* Beside the messages, as Anthropic has it: its number is none of theirs. */
static void take_system(struct import *i, const json_t *item)
{
	const char *text = import_text(item, "system");
	json_t *message = *text ? json_pack("{s:s, s:s}", "role", "system", "content", text) : NULL;
	int64_t count = i->count;
	if (message) {
		i->count = -1;
		take_one(i, message);
		i->count = count;
	}
	json_decref(message);
}

/* {"messages":[…]}: a conversation a line, as training data have them, or the body of a request. */
static void messages_item(struct import *i, const json_t *item)
{
	const json_t *list = json_object_get(item, "messages");
	size_t n;
	json_t *one;
	if (!list) {
		take_one(i, item);
		return;
	}
	drop_held(i);
	i->told = false;
	i->count = i->began_us = 0;
	memset(i->call, 0, sizeof i->call); /* another's call_1 is not this one's */
	import_copy(i->title, sizeof i->title, import_text(item, "title"));
	if (*import_text(item, "id"))
		import_begin(i, "messages", import_text(item, "id"));
	take_system(i, item);
	json_array_foreach(list, n, one)
		take_one(i, one);
	drop_held(i);
}

const struct import_format import_messages = { messages_knows, messages_item, drop_held };

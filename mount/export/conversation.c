/* SPDX-License-Identifier: MIT */
/* Messages as the APIs of OpenAI (Chat Completions) and Anthropic (Messages) have them. */
#include "mount/export/conversation.h"

#include <stdlib.h>
#include <string.h>

/* What is told of a line. */
struct line_parts {
	const char *role, *text, *tool, *call;
	bool error;
};

/* The forms put a message, or a part of one, at the end; false: no memory. */
struct api {
	const char *name;
	bool (*say)(struct conversation *c, const struct line_parts *s);
	bool (*call)(struct conversation *c, const struct line_parts *s);
	bool (*result)(struct conversation *c, const struct line_parts *s);
};

static const char *text_of(const json_t *object, const char *member)
{
	const char *text = json_string_value(json_object_get(object, member));
	return text ? text : "";
}

static json_t *last_of(const struct conversation *c, const char *role)
{
	size_t count = json_array_size(c->messages);
	json_t *last = count ? json_array_get(c->messages, count - 1) : NULL;
	return last && strcmp(text_of(last, "role"), role) == 0 ? last : NULL;
}

/* Puts `message` at the end; what holds its text is remembered. */
static bool push(struct conversation *c, json_t *message)
{
	return message && json_array_append_new(c->messages, message) == 0;
}

static void holds(struct conversation *c, json_t *object, const char *member)
{
	c->last = object;
	c->member = member;
}

/* What went into a call: without the tool's name, which stands before it. */
static const char *arguments_of(const struct line_parts *s)
{
	size_t len = strlen(s->tool);
	bool named = strncmp(s->text, s->tool, len) == 0 && s->text[len] == ' ';
	return named ? s->text + len + 1 : s->text;
}

/* ---- OpenAI --------------------------------------------------------------- */

static bool openai_say(struct conversation *c, const struct line_parts *s)
{
	if (!push(c, json_pack("{s:s, s:s}", "role", s->role, "content", s->text)))
		return false;
	holds(c, last_of(c, s->role), "content");
	return true;
}

static bool openai_call(struct conversation *c, const struct line_parts *s)
{
	json_t *last = last_of(c, "assistant");
	json_t *calls = json_object_get(last, "tool_calls");
	if (!last) {
		if (!push(c, json_pack("{s:s, s:n}", "role", "assistant", "content")))
			return false;
		last = last_of(c, "assistant");
	}
	if (!calls && json_object_set_new(last, "tool_calls", calls = json_array()) < 0)
		return false;
	json_t *call = json_pack("{s:s, s:s, s:{s:s, s:s}}", "id", s->call, "type", "function",
	                         "function", "name", s->tool, "arguments", arguments_of(s));
	holds(c, json_object_get(call, "function"), "arguments");
	return call && json_array_append_new(calls, call) == 0;
}

static bool openai_result(struct conversation *c, const struct line_parts *s)
{
	if (!push(c, json_pack("{s:s, s:s, s:s}", "role", "tool", "tool_call_id", s->call, "content",
	                       s->text)))
		return false;
	holds(c, last_of(c, "tool"), "content");
	return true;
}

/* ---- Anthropic ------------------------------------------------------------ */

/* Adds a block to the last message of that role, or to a new one. */
static bool add_block(struct conversation *c, const char *role, bool joins, json_t *block)
{
	json_t *last = joins ? last_of(c, role) : NULL;
	if (!block || (!last && !push(c, json_pack("{s:s, s:[]}", "role", role, "content")))) {
		json_decref(block);
		return false;
	}
	last = last_of(c, role);
	return json_array_append_new(json_object_get(last, "content"), block) == 0;
}

static bool add_system(struct conversation *c, const char *text)
{
	size_t had = c->system ? strlen(c->system) : 0, len = strlen(text);
	char *all = realloc(c->system, had + len + 3);
	if (!all)
		return false;
	if (had)
		memcpy(all + had, "\n\n", 2);
	memcpy(all + had + (had ? 2 : 0), text, len + 1);
	c->system = all;
	return true;
}

static bool anthropic_say(struct conversation *c, const struct line_parts *s)
{
	if (strcmp(s->role, "system") == 0)
		return add_system(c, s->text);
	json_t *block = json_pack("{s:s, s:s}", "type", "text", "text", s->text);
	holds(c, block, "text");
	return add_block(c, s->role, false, block);
}

/* An object: what was cut when it was taken in is none, and stands there as a text. */
static bool anthropic_call(struct conversation *c, const struct line_parts *s)
{
	const char *given = arguments_of(s);
	json_t *input = json_loads(*given ? given : "{}", 0, NULL);
	if (!json_is_object(input)) {
		json_decref(input);
		input = json_pack("{s:s}", "text", given);
	}
	return input && add_block(c, "assistant", true, json_pack("{s:s, s:s, s:s, s:o}", "type",
		"tool_use", "id", s->call, "name", s->tool, "input", input));
}

/* Results of calls that were made together stand together. */
static bool anthropic_result(struct conversation *c, const struct line_parts *s)
{
	const json_t *last = last_of(c, "user");
	const json_t *first = json_array_get(json_object_get(last, "content"), 0);
	json_t *block = json_pack("{s:s, s:s, s:s}", "type", "tool_result", "tool_use_id", s->call,
	                          "content", s->text);
	if (block && s->error && json_object_set_new(block, "is_error", json_true()) < 0)
		return false;
	holds(c, block, "content");
	return add_block(c, "user", strcmp(text_of(first, "type"), "tool_result") == 0, block);
}

static const struct api apis[] = {
	{ "openai", openai_say, openai_call, openai_result },
	{ "anthropic", anthropic_say, anthropic_call, anthropic_result },
};

/* ---- lines ------------------------------------------------------------------ */

bool conversation_begin(struct conversation *c, const char *api)
{
	memset(c, 0, sizeof *c);
	for (size_t i = 0; i < sizeof apis / sizeof *apis; i++)
		if (strcmp(apis[i].name, api) == 0)
			c->api = &apis[i];
	c->messages = json_array();
	c->calls = json_object();
	return c->api != NULL;
}

/* "ID+2" is more of "ID", or of "ID+1": what was too long for one line. */
static bool goes_on(const struct conversation *c, const char *id)
{
	const char *plus = strrchr(id, '+');
	size_t len = plus ? (size_t)(plus - id) : 0;
	return c->id && c->last && plus && plus[1] &&
	       plus[1 + strspn(plus + 1, "0123456789")] == '\0' && strncmp(c->id, id, len) == 0 &&
	       (c->id[len] == '\0' || c->id[len] == '+');
}

static bool add_more(struct conversation *c, const char *text)
{
	const char *had = text_of(c->last, c->member);
	json_t *all = json_sprintf("%s%s", had, text);
	return all && json_object_set_new(c->last, c->member, all) == 0;
}

/* A result without its call, which no API takes, is a text of who gives results: the user. */
static bool say_result(struct conversation *c, const struct line_parts *s)
{
	json_t *text = json_sprintf("%s%s%s", s->tool, *s->tool ? ": " : "", s->text);
	const struct line_parts told = { .role = "user", .text = text ? json_string_value(text) : "" };
	bool done = text && c->api->say(c, &told);
	json_decref(text);
	return done;
}

static bool add(struct conversation *c, const struct line_parts *s)
{
	if (strcmp(s->role, "assistant") == 0 && *s->tool && *s->call)
		return json_object_set_new(c->calls, s->call, json_true()) == 0 && c->api->call(c, s);
	if (strcmp(s->role, "tool") != 0)
		return c->api->say(c, s);
	if (!*s->call || json_object_del(c->calls, s->call) != 0)
		return say_result(c, s);
	return c->api->result(c, s);
}

bool conversation_add(struct conversation *c, const json_t *line)
{
	const json_t *from = json_object_get(line, "from");
	const char *role = text_of(line, "role"), *id = text_of(from, "id");
	const struct line_parts s = { *role ? role : "user", text_of(line, "content"),
		text_of(line, "tool"), text_of(line, "call"),
		json_is_string(json_object_get(line, "error")) ||
		json_is_true(json_object_get(line, "error")) };
	if (!*s.text)
		return true;
	if (goes_on(c, id))
		return add_more(c, s.text);
	holds(c, NULL, NULL);
	free(c->id);
	c->id = strdup(id);
	return c->id && add(c, &s);
}

void conversation_end(struct conversation *c)
{
	json_decref(c->messages);
	json_decref(c->calls);
	free(c->system);
	free(c->id);
}

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

static bool push(struct conversation *c, json_t *message)
{
	return message && json_array_append_new(c->messages, message) == 0;
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
	return push(c, json_pack("{s:s, s:s}", "role", s->role, "content", s->text));
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
	return call && json_array_append_new(calls, call) == 0;
}

static bool openai_result(struct conversation *c, const struct line_parts *s)
{
	return push(c, json_pack("{s:s, s:s, s:s}", "role", "tool", "tool_call_id", s->call, "content",
	                         s->text));
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
	return add_block(c, s->role, false, json_pack("{s:s, s:s}", "type", "text", "text", s->text));
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
	c->lines = json_array();
	return c->api != NULL;
}

/* "ID+2" is more of "ID", or of "ID+1": what was too long for one line. */
static bool goes_on(const json_t *before, const json_t *line)
{
	const char *had = text_of(json_object_get(before, "from"), "id");
	const char *id = text_of(json_object_get(line, "from"), "id"), *plus = strrchr(id, '+');
	size_t len = plus ? (size_t)(plus - id) : 0;
	return len > 0 && plus[1] && plus[1 + strspn(plus + 1, "0123456789")] == '\0' &&
	       strncmp(had, id, len) == 0 && (had[len] == '\0' || had[len] == '+');
}

/* The last line has its text. */
static bool end_pieces(struct conversation *c)
{
	json_t *last = json_array_get(c->lines, json_array_size(c->lines) - 1);
	if (!c->pieces)
		return true;
	bool good = fclose(c->pieces) == 0 &&
		json_object_set_new(last, "content", json_stringn(c->whole, c->whole_len)) == 0;
	free(c->whole);
	c->pieces = NULL;
	c->whole = NULL;
	return good;
}

/* Kept apart: a text of a thousand pieces would be copied a thousand times. */
static bool add_piece(struct conversation *c, const json_t *last, const char *text)
{
	if (!c->pieces) {
		c->pieces = open_memstream(&c->whole, &c->whole_len);
		if (!c->pieces || fputs(text_of(last, "content"), c->pieces) < 0)
			return false;
	}
	return fputs(text, c->pieces) >= 0;
}

bool conversation_add(struct conversation *c, json_t *line)
{
	const char *text = text_of(line, "content");
	json_t *last = json_array_get(c->lines, json_array_size(c->lines) - 1);
	if (!*text)
		return true;
	if (goes_on(last, line))
		return add_piece(c, last, text);
	return end_pieces(c) && json_array_append(c->lines, line) == 0;
}

static struct line_parts parts_of(const struct conversation *c, size_t n)
{
	const json_t *line = json_array_get(c->lines, n), *error = json_object_get(line, "error");
	const char *role = text_of(line, "role");
	return (struct line_parts){ *role ? role : "user", text_of(line, "content"),
		text_of(line, "tool"), text_of(line, "call"), json_is_string(error) || json_is_true(error)
	};
}

static bool is_call(const struct line_parts *s)
{
	return *s->call && *s->tool && strcmp(s->role, "assistant") == 0;
}

enum { NONE = -1 };

/* Of a call which line is its result, of a result which is its call; of all others NONE. */
static bool pair(const struct conversation *c, size_t count, json_int_t *of)
{
	json_t *waiting = json_object();
	bool good = waiting != NULL;
	for (size_t n = 0; good && n < count; n++) {
		const struct line_parts s = parts_of(c, n);
		const json_t *call = json_object_get(waiting, s.call);
		of[n] = NONE;
		if (is_call(&s)) {
			good = json_object_set_new(waiting, s.call, json_integer((json_int_t)n)) == 0;
		} else if (call && strcmp(s.role, "tool") == 0) {
			of[n] = json_integer_value(call);
			of[of[n]] = (json_int_t)n;
			(void)json_object_del(waiting, s.call);
		}
	}
	json_decref(waiting);
	return good;
}

/*
 * No API takes a call or a result without the other.  A result is a text of who gives results, the
 * user; a call of who made it.
 */
static bool say_alone(struct conversation *c, const struct line_parts *s)
{
	bool call = is_call(s), named = call && arguments_of(s) != s->text;
	json_t *text = json_sprintf("%s%s%s", named ? "" : s->tool, named || !*s->tool ? "" : ": ",
	                            s->text);
	const struct line_parts told = { .role = call ? s->role : "user",
		.text = text ? json_string_value(text) : "" };
	bool done = text && c->api->say(c, &told);
	json_decref(text);
	return done;
}

/* The results, up to the line `last`, of the calls from `first` to before `end`. */
static bool give_results(struct conversation *c, const json_int_t *of, json_int_t first,
                         json_int_t end, json_int_t last)
{
	bool good = true;
	for (json_int_t n = first; good && n <= last; n++) {
		if (of[n] == NONE || of[n] > n || of[n] < first || of[n] >= end)
			continue;
		const struct line_parts s = parts_of(c, (size_t)n);
		good = c->api->result(c, &s);
	}
	return good;
}

/* Calls that are made together come first, then the results of them all, then what is left. */
static bool put_lines(struct conversation *c, json_int_t count, const json_int_t *of)
{
	json_int_t first = 0, last = NONE; /* of the calls whose results are due: lines, results */
	bool good = true;
	for (json_int_t n = 0; good && n < count; n++) {
		const struct line_parts s = parts_of(c, (size_t)n);
		if (of[n] > n) {
			last = of[n] > last ? of[n] : last;
			good = c->api->call(c, &s);
			continue;
		}
		good = give_results(c, of, first, n, last);
		first = n;
		last = NONE;
		if (good && of[n] == NONE)
			good = is_call(&s) || strcmp(s.role, "tool") == 0 ? say_alone(c, &s) :
				c->api->say(c, &s);
	}
	return good && give_results(c, of, first, count, last);
}

bool conversation_make(struct conversation *c)
{
	size_t count = json_array_size(c->lines);
	json_int_t *of = calloc(count + 1, sizeof *of);
	bool good = of && end_pieces(c) && pair(c, count, of) &&
		put_lines(c, (json_int_t)count, of);
	free(of);
	return good;
}

void conversation_end(struct conversation *c)
{
	(void)end_pieces(c);
	json_decref(c->messages);
	json_decref(c->lines);
	free(c->system);
}

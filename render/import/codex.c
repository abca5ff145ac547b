/* SPDX-License-Identifier: MIT */
/*
 * Codex: ~/.codex/sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl, lines {timestamp, ordinal, type,
 * payload}.  What was said is in response_item alone; event_msg says it again.
 */
#include <stdlib.h>
#include <string.h>

#include "render/import/parts.h"

static bool codex_knows(const json_t *item)
{
	return *import_text(item, "type") && json_is_object(json_object_get(item, "payload"));
}

static void meta(struct import *i, const json_t *p)
{
	const json_t *git = json_object_get(p, "git");
	const char *id = import_text(p, "id");
	if (!*id || i->told) /* a forked one repeats its parent's */
		return;
	import_copy(i->cwd, sizeof i->cwd, import_text(p, "cwd"));
	import_copy(i->branch, sizeof i->branch, import_text(git, "branch"));
	i->began_us = import_time(json_object_get(p, "timestamp"));
	import_begin(i, "codex", id);
}

static void note_turn(struct import *i, int64_t id, bool begins)
{
	const struct import_turn t = { id, begins };
	buf_add(&i->turns, &t, sizeof t);
	i->failed |= i->turns.failed;
}

static void message(struct import *i, struct import_said *s, const json_t *p, int64_t id)
{
	struct buf text = BUF_INIT;
	const char *role = import_text(p, "role");
	bool user = strcmp(role, "user") == 0;
	import_content(&text, json_object_get(p, "content"));
	bool said = !text.failed && (strcmp(role, "assistant") == 0 ||
	                             (user && !import_is_machine(text.data)));
	i->failed |= text.failed;
	if (said) {
		note_turn(i, id, user);
		s->role = user ? "user" : "assistant";
		import_say(i, s, text.data);
	}
	buf_release(&text);
}

/* A result is a string, which may be JSON with `output`, or blocks. */
static void result(struct import *i, struct import_said *s, const json_t *p)
{
	struct buf text = BUF_INIT;
	const json_t *output = json_object_get(p, "output");
	bool failed = json_is_false(json_object_get(output, "success"));
	json_t *inner = json_is_string(output) ?
		json_loads(json_string_value(output), JSON_REJECT_DUPLICATES, NULL) : NULL;
	if (json_is_object(inner) && json_is_string(json_object_get(inner, "output"))) {
		json_t *code = json_object_get(json_object_get(inner, "metadata"), "exit_code");
		failed = json_is_integer(code) && json_integer_value(code) != 0;
		output = json_object_get(inner, "output");
	} else if (json_is_object(output)) {
		output = json_object_get(output, "content");
	}
	import_content(&text, output);
	if (!text.failed)
		import_result(i, s, import_text(p, "call_id"), text.data, failed);
	i->failed |= text.failed;
	json_decref(inner);
	buf_release(&text);
}

/* The last turns of a person, and all that came of them, were taken back. */
static void roll_back(struct import *i, int64_t turns)
{
	struct import_turn t;
	for (char id[24]; turns > 0 && i->turns.len >= sizeof t; turns -= t.begins) {
		memcpy(&t, i->turns.data + i->turns.len - sizeof t, sizeof t);
		(void)buf_resize(&i->turns, i->turns.len - sizeof t);
		(void)snprintf(id, sizeof id, "%lld", (long long)t.id);
		i->sink->gone(i->sink->ctx, id);
	}
}

static void codex_item(struct import *i, const json_t *item)
{
	const json_t *p = json_object_get(item, "payload"), *number = json_object_get(item, "ordinal");
	const char *type = import_text(item, "type"), *what = import_text(p, "type");
	int64_t id = json_is_integer(number) ? json_integer_value(number) : i->at;
	char name[24];
	(void)snprintf(name, sizeof name, "%lld", (long long)id);
	if (strcmp(type, "session_meta") == 0)
		meta(i, p);
	if (strcmp(type, "turn_context") == 0)
		import_copy(i->model, sizeof i->model, import_text(p, "model"));
	if (strcmp(what, "thread_rolled_back") == 0)
		roll_back(i, json_integer_value(json_object_get(p, "num_turns")));
	if (strcmp(type, "response_item") != 0)
		return;
	if (!i->told)
		import_begin(i, "codex", i->name); /* it has lost its first line */
	struct import_said s = { .id = name, .at_us = import_time(json_object_get(item, "timestamp")),
		.model = *i->model ? i->model : NULL };
	if (strcmp(what, "message") == 0) {
		message(i, &s, p, id);
	} else if (strcmp(what, "function_call") == 0 || strcmp(what, "custom_tool_call") == 0) {
		json_t *given = json_object_get(p, "arguments");
		note_turn(i, id, false);
		import_call(i, &s, import_text(p, "name"), import_text(p, "call_id"),
		            given ? given : json_object_get(p, "input"));
	} else if (strcmp(what, "function_call_output") == 0 ||
	           strcmp(what, "custom_tool_call_output") == 0) {
		note_turn(i, id, false);
		s.model = NULL;
		result(i, &s, p);
	}
}

const struct import_format import_codex = { codex_knows, codex_item, NULL };

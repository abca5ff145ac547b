/* SPDX-License-Identifier: MIT */
/*
 * Gemini CLI: ~/.gemini/tmp/PROJECT/chats/session-TIME-ID.jsonl; a line about the session, then a
 * line a message {id, timestamp, type, content, toolCalls}.  A message comes again as it grows, and
 * the last counts; {"$rewindTo": ID} takes back that one and all after it; {"$set": …} is about the
 * session.  Older files are one object with all `messages`.  None says where it was held.
 */
#include <stdlib.h>
#include <string.h>

#include "render/import/parts.h"

enum { SUBAGENT = 1 }; /* i->count: what subagents say among themselves is passed by */

static bool gemini_knows(const json_t *item)
{
	return *import_text(item, "sessionId") && *import_text(item, "projectHash");
}

static void session(struct import *i, const json_t *item)
{
	if (!i->told)
		i->began_us = import_time(json_object_get(item, "startTime"));
	i->count = strcmp(import_text(item, "kind"), "subagent") == 0 ? SUBAGENT : 0;
	import_begin(i, "gemini-cli", import_text(item, "sessionId"));
}

/* What a tool gave: functionResponse.response.output or .error, else whatever is there. */
static void add_result(struct buf *out, const json_t *part, bool *error)
{
	const json_t *given = json_object_get(json_object_get(part, "functionResponse"), "response");
	const char *failure = import_text(given, "error"), *output = import_text(given, "output");
	char *json = *failure || *output || !given ? NULL : json_dumps(given, JSON_COMPACT);
	*error |= *failure != '\0';
	if (given)
		buf_adds(out, *failure ? failure : *output ? output : json ? json : "");
	else
		import_content(out, json_is_object(part) ? json_object_get(part, "text") : part);
	free(json);
}

static void result(struct import *i, const struct import_said *of, const json_t *call)
{
	struct import_said s = *of;
	struct buf text = BUF_INIT;
	const json_t *given = json_object_get(call, "result"), *part;
	bool error = strcmp(import_text(call, "status"), "error") == 0;
	size_t n;
	s.model = NULL;
	if (!given || json_is_null(given))
		return; /* it has not ended */
	if (json_is_array(given))
		json_array_foreach(given, n, part)
			add_result(&text, part, &error);
	else
		add_result(&text, given, &error);
	buf_adds(&text, "");
	if (!text.failed)
		import_result(i, &s, import_text(call, "id"), text.data, error);
	i->failed |= text.failed;
	buf_release(&text);
}

/* Part 0 is the text; each call has two. */
static void calls(struct import *i, const struct import_said *of, const json_t *list)
{
	const json_t *call;
	size_t n;
	json_array_foreach(list, n, call) {
		struct import_said s = *of;
		int64_t at = import_time(json_object_get(call, "timestamp"));
		s.at_us = at ? at : of->at_us;
		s.part = 2 * (int64_t)n + 1;
		import_call(i, &s, import_text(call, "name"), import_text(call, "id"),
		            json_object_get(call, "args"));
		s = *of;
		s.at_us = at ? at : of->at_us;
		s.part = 2 * (int64_t)n + 2;
		result(i, &s, call);
	}
}

static void say(struct import *i, const json_t *item)
{
	struct buf text = BUF_INIT;
	const char *type = import_text(item, "type"), *model = import_text(item, "model");
	const json_t *content = json_object_get(item, "content");
	bool user = strcmp(type, "user") == 0;
	if (i->count == SUBAGENT || (!user && strcmp(type, "gemini") != 0))
		return;
	struct import_said s = { .id = import_text(item, "id"), .role = user ? "user" : "assistant",
		.at_us = import_time(json_object_get(item, "timestamp")),
		.model = *model ? model : NULL };
	import_content(&text, json_is_object(content) ? json_object_get(content, "text") : content);
	if (!text.failed && !(user && import_is_machine(text.data)))
		import_say(i, &s, text.data);
	i->failed |= text.failed;
	buf_release(&text);
	buf_add(&i->turns, s.id, strlen(s.id) + 1);
	i->failed |= i->turns.failed;
	calls(i, &s, json_object_get(item, "toolCalls"));
}

/* The message that waits for a later form of itself. */
static void gemini_flush(struct import *i)
{
	const int64_t now = i->at;
	i->at = i->kept_at;
	if (i->kept)
		say(i, i->kept);
	i->at = now;
	json_decref(i->kept);
	i->kept = NULL;
}

static void message(struct import *i, const json_t *item)
{
	if (i->kept && strcmp(import_text(i->kept, "id"), import_text(item, "id")) != 0)
		gemini_flush(i);
	json_decref(i->kept);
	i->kept = json_incref((json_t *)item);
	i->kept_at = i->at;
}

/* All from that message on; one that is not known takes all back. */
static void rewind_to(struct import *i, const char *id)
{
	const char *at = i->turns.data, *end = at + i->turns.len;
	while (at < end && strcmp(at, id) != 0)
		at += strlen(at) + 1;
	if (at == end)
		at = i->turns.data;
	size_t left = (size_t)(at - i->turns.data);
	for (; at < end; at += strlen(at) + 1)
		i->sink->gone(i->sink->ctx, at);
	(void)buf_resize(&i->turns, left);
}

static void gemini_item(struct import *i, const json_t *item)
{
	const json_t *list = json_object_get(item, "messages"), *one;
	const char *back = import_text(item, "$rewindTo");
	size_t n;
	if (gemini_knows(item))
		session(i, item);
	if (*back) {
		gemini_flush(i);
		if (i->turns.len > 0)
			rewind_to(i, back);
	} else if (*import_text(item, "id")) {
		message(i, item);
	}
	if (!json_is_array(list))
		list = json_object_get(json_object_get(item, "$set"), "messages");
	json_array_foreach(list, n, one)
		if (*import_text(one, "id"))
			message(i, one);
}

const struct import_format import_gemini = { gemini_knows, gemini_item, gemini_flush };

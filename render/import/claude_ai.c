/* SPDX-License-Identifier: MIT */
/*
 * Claude.ai's export: conversations.json, and beside it projects.json and memories.json, whose
 * texts become notes.
 */
#include <stdlib.h>
#include <string.h>

#include "render/import/parts.h"

static bool claude_ai_knows(const json_t *item)
{
	return json_is_array(json_object_get(item, "chat_messages"));
}

/* What was attached is part of what was said. */
static void add_attachments(struct buf *out, const json_t *message)
{
	const json_t *list = json_object_get(message, "attachments");
	const json_t *files = json_object_get(message, "files");
	size_t n;
	json_t *one;
	json_array_foreach(list, n, one)
		buf_addf(out, "%s[attachment %s]\n%s", out->len ? "\n\n" : "",
		         import_text(one, "file_name"), import_text(one, "extracted_content"));
	json_array_foreach(files, n, one)
		buf_addf(out, "%s[file %s]", out->len ? "\n\n" : "", import_text(one, "file_name"));
}

static void say(struct import *i, const json_t *message)
{
	const json_t *content = json_object_get(message, "content");
	bool human = strcmp(import_text(message, "sender"), "human") == 0;
	struct buf beside = BUF_INIT;
	struct import_said s = { .role = human ? "user" : "assistant",
		.id = import_text(message, "uuid"),
		.at_us = import_time(json_object_get(message, "created_at")) };
	if (!*s.id) {
		i->sink->skipped(i->sink->ctx, i->at, "a message without uuid");
		return;
	}
	if (json_array_size(content) > 0)
		import_blocks(i, &s, content);
	else
		import_say(i, &s, import_text(message, "text"));
	add_attachments(&beside, message);
	s.part = (int64_t)json_array_size(content) + 1;
	i->failed |= beside.failed;
	if (beside.len > 0 && !beside.failed)
		import_say(i, &s, beside.data);
	buf_release(&beside);
}

static void claude_ai_item(struct import *i, const json_t *item)
{
	size_t n;
	json_t *message;
	const char *id = import_text(item, "uuid");
	if (!*id) {
		i->sink->skipped(i->sink->ctx, i->at, "a conversation without uuid");
		return;
	}
	import_copy(i->title, sizeof i->title, import_text(item, "name"));
	i->began_us = import_time(json_object_get(item, "created_at"));
	i->told = false;
	import_begin(i, "claude-ai", id);
	json_array_foreach(json_object_get(item, "chat_messages"), n, message)
		say(i, message);
}

const struct import_format import_claude_ai = { claude_ai_knows, claude_ai_item, NULL };

/* projects.json: {uuid, name, prompt_template, docs[{filename, content}]}; memories.json. */
static bool knows_kept(const json_t *item)
{
	return json_is_array(json_object_get(item, "docs")) ||
	       json_is_string(json_object_get(item, "conversations_memory")) ||
	       json_is_object(json_object_get(item, "project_memories"));
}

static void take_kept(struct import *i, const json_t *item)
{
	const char *folder = import_text(item, "name");
	size_t n;
	json_t *one;
	const char *key;
	import_keep(i, folder, "instructions.md", import_text(item, "prompt_template"));
	json_array_foreach(json_object_get(item, "docs"), n, one)
		import_keep(i, folder, *import_text(one, "filename") ? import_text(one, "filename") :
		            "doc.md", import_text(one, "content"));
	import_keep(i, "", "memories.md", import_text(item, "conversations_memory"));
	json_object_foreach(json_object_get(item, "project_memories"), key, one)
		import_keep(i, key, "memories.md", json_is_string(one) ? json_string_value(one) : "");
}

const struct import_format import_claude_kept = { knows_kept, take_kept, NULL };

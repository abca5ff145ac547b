/* SPDX-License-Identifier: MIT */
/*
 * Claude Code: ~/.claude/projects/PROJECT/SESSION.jsonl, a line per block of a message.  Lines are
 * taken in the order of the file; what was given up by going back is told at its end (branches.c).
 */
#include <string.h>

#include "render/import/parts.h"

static bool claude_code_knows(const json_t *item)
{
	static const char *const types[] = { "user", "assistant", "summary", "attachment", "system",
		"queue-operation", "progress", "last-prompt", "file-history-snapshot", "custom-title",
		"ai-title", "mode", "permission-mode" };
	const char *type = import_text(item, "type");
	if (json_object_get(item, "payload") || json_object_get(item, "role"))
		return false;
	if (!*import_text(item, "sessionId") && !json_object_get(item, "leafUuid") &&
	    !json_object_get(item, "snapshot"))
		return false;
	for (size_t n = 0; n < sizeof types / sizeof *types; n++)
		if (strcmp(type, types[n]) == 0)
			return true;
	return false;
}

static bool is_true(const json_t *item, const char *member)
{
	return json_is_true(json_object_get(item, member));
}

/* A result of a tool stands in a user's line, too, and a program's text beside a person's. */
static enum branch_kind kind_of_words(const json_t *content)
{
	enum branch_kind kind = BRANCH_OTHER;
	const char *text = json_string_value(content);
	const json_t *block;
	size_t n;
	if (text)
		return strncmp(text, "<command-", 9) == 0 ? BRANCH_COMMAND :
			import_is_machine(text) ? BRANCH_OTHER : BRANCH_WORDS;
	json_array_foreach(content, n, block) {
		if (strcmp(import_text(block, "type"), "tool_result") == 0)
			return BRANCH_OTHER;
		text = json_is_string(block) ? json_string_value(block) : import_text(block, "text");
		if (strncmp(text, "<command-", 9) == 0)
			return BRANCH_COMMAND;
		if (!import_is_machine(text))
			kind = BRANCH_WORDS;
	}
	return kind;
}

/* Which line this one follows; one of another conversation than those before begins anew. */
static void note_line(struct import *i, const json_t *item)
{
	const char *id = import_text(item, "uuid"), *type = import_text(item, "type");
	enum branch_kind kind = BRANCH_PROGRAM;
	uint64_t session = branch_hash(import_text(item, "sessionId"));
	if (!*id || is_true(item, "isSidechain"))
		return;
	if (session != i->branched)
		branch_tell(i);
	i->branched = session;
	if (strcmp(type, "assistant") == 0)
		kind = BRANCH_OTHER;
	else if (strcmp(type, "user") == 0 && is_true(item, "isCompactSummary"))
		kind = BRANCH_OTHER;
	else if (strcmp(type, "user") == 0 && !is_true(item, "isMeta"))
		kind = kind_of_words(json_object_get(json_object_get(item, "message"), "content"));
	branch_note(i, id, import_text(item, "parentUuid"), kind);
}

static void claude_code_item(struct import *i, const json_t *item)
{
	const char *type = import_text(item, "type"), *session = import_text(item, "sessionId");
	const json_t *message = json_object_get(item, "message");
	bool user = strcmp(type, "user") == 0;
	if (strcmp(type, "summary") == 0)
		import_copy(i->title, sizeof i->title, import_text(item, "summary"));
	if (strcmp(type, "custom-title") == 0)
		import_copy(i->title, sizeof i->title, import_text(item, "customTitle"));
	note_line(i, item);
	if ((!user && strcmp(type, "assistant") != 0) || is_true(item, "isMeta") ||
	    is_true(item, "isCompactSummary") || is_true(item, "isSidechain"))
		return;
	struct import_said s = { .role = user ? "user" : "assistant", .id = import_text(item, "uuid"),
		.at_us = import_time(json_object_get(item, "timestamp")),
		.model = *import_text(message, "model") ? import_text(message, "model") : NULL };
	if (!*s.id || !*session || !json_object_get(message, "content")) {
		i->sink->skipped(i->sink->ctx, i->at,
		                 "a message without uuid, sessionId or message with content");
		return;
	}
	import_copy(i->cwd, sizeof i->cwd, import_text(item, "cwd"));
	import_copy(i->branch, sizeof i->branch, import_text(item, "gitBranch"));
	i->began_us = s.at_us;
	import_begin(i, "claude-code", session);
	import_blocks(i, &s, json_object_get(message, "content"));
}

const struct import_format import_claude_code = {
	claude_code_knows, claude_code_item, branch_tell };

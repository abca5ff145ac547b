/* SPDX-License-Identifier: MIT */
/* Texts, times, calls and content blocks, as all formats have them. */
#include "render/import/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>


/* What is kept of a call and of a result where IMPORT_TOOLS_NAMES is asked for. */
enum { CALL_MOST = 300, RESULT_HEAD = 1024, RESULT_TAIL = 512 };

const char *import_text(const json_t *object, const char *member)
{
	const char *text = json_string_value(json_object_get(object, member));
	return text ? text : "";
}

void import_copy(char *dst, size_t size, const char *text)
{
	render_name(dst, size, text);
}

int64_t import_time(const json_t *value)
{
	int64_t us = 0;
	if (json_is_number(value)) {
		double seconds = json_number_value(value);
		if (seconds > 1e11) /* some count milliseconds */
			seconds /= 1000;
		return seconds > 0 && seconds < 2e11 ? (int64_t)llround(seconds * 1e6) : 0;
	}
	if (json_is_string(value))
		(void)time_read(json_string_value(value), json_string_length(value), &us);
	return us > 0 ? us : 0;
}

void import_begin(struct import *i, const char *agent, const char *session)
{
	if (i->told && strcmp(i->talk.agent, agent) == 0 && strcmp(i->talk.session, session) == 0)
		return;
	import_copy(i->talk.agent, sizeof i->talk.agent, agent);
	import_copy(i->talk.session, sizeof i->talk.session, session);
	const struct import_talk t = { i->talk, i->title, i->cwd, i->branch, i->began_us };
	i->told = true;
	i->sink->talk(i->sink->ctx, &t);
}

void import_say(struct import *i, struct import_said *s, const char *text)
{
	size_t len = strlen(text);
	if (strspn(text, " \t\r\n") == len)
		return;
	s->text = text;
	s->len = len;
	s->at = i->at;
	i->sink->said(i->sink->ctx, s);
}

void import_keep(struct import *i, const char *folder, const char *name, const char *text)
{
	char path[2 * NAME_LIMIT + 8], part[NAME_LIMIT + 1];
	size_t used = 0;
	if (!*text)
		return;
	for (int n = 0; n < 2; n++) {
		import_copy(part, sizeof part, n ? name : folder);
		for (char *slash = part; (slash = strchr(slash, '/'));)
			*slash = '-';
		used += (size_t)snprintf(path + used, sizeof path - used, "%s%s", part,
		                         n || !*part ? "" : "/");
	}
	i->sink->note(i->sink->ctx, path, text, strlen(text));
}

bool import_is_machine(const char *text)
{
	static const char *const lead[] = { "<!-- cinta:context -->", "<command-", "<local-command-",
		"<task-notification>", "[Request interrupted by user",
		"This session is being continued from a previous conversation",
		"<environment_context>", "<user_instructions>", "# AGENTS.md instructions for ",
		"<turn_aborted>" };
	text += strspn(text, " \t\r\n");
	for (size_t k = 0; k < sizeof lead / sizeof *lead; k++)
		if (strncmp(text, lead[k], strlen(lead[k])) == 0)
			return true;
	return false;
}

/* Bytes of whole characters, at most `most`, at the start; and where so many at the end begin. */
static size_t head(const char *text, size_t len, size_t most)
{
	for (len = len < most ? len : most; len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80;)
		len--;
	return len;
}

static size_t tail(const char *text, size_t len, size_t most)
{
	size_t at = len < most ? 0 : len - most;
	while (at < len && ((unsigned char)text[at] & 0xC0) == 0x80)
		at++;
	return at;
}

/* It was cut so before: what an export made of a message comes back. */
static bool is_short(const char *text, size_t first, size_t last)
{
	size_t len = strlen(text);
	for (size_t from = first < 3 ? 0 : first - 3; from <= first && from < len; from++) {
		int end = 0;
		if (text[from] == '\n' && sscanf(text + from, "\n(%*u bytes left out)%n", &end) == 0 &&
		    end > 0 && text[from + (size_t)end] == '\n' && len - from - (size_t)end - 1 <= last)
			return true;
	}
	return false;
}

static void add_short(struct buf *out, const char *text, size_t first, size_t last)
{
	size_t len = strlen(text), from = head(text, len, first), to = tail(text, len, last);
	if (len <= first + last || is_short(text, first, last)) {
		buf_add(out, text, len);
		return;
	}
	buf_add(out, text, from);
	buf_addf(out, "\n(%zu bytes left out)\n", to - from);
	buf_add(out, text + to, len - to);
}

/* What was cut is no JSON that goes into a tool: an export to Anthropic's API has it as `text`. */
static const json_t *unwrap(const json_t *arguments)
{
	const json_t *text = json_object_get(arguments, "text");
	return json_object_size(arguments) == 1 && json_is_string(text) &&
		is_short(json_string_value(text), CALL_MOST, 0) ? text : arguments;
}

void import_call(struct import *i, struct import_said *s, const char *tool, const char *call,
                 const json_t *arguments)
{
	struct buf text = BUF_INIT;
	char name[MESSAGE_NAME];
	if (i->tools == IMPORT_TOOLS_NONE)
		return;
	arguments = unwrap(arguments);
	import_copy(name, sizeof name, *tool ? tool : "tool");
	import_copy(i->call[i->calls % IMPORT_CALLS].id, MESSAGE_NAME, call);
	import_copy(i->call[i->calls++ % IMPORT_CALLS].tool, MESSAGE_NAME, name);
	char *json = json_is_string(arguments) || !arguments ? NULL :
		json_dumps(arguments, JSON_COMPACT | JSON_ENCODE_ANY);
	const char *given = json ? json : json_is_string(arguments) ? json_string_value(arguments) : "";
	buf_addf(&text, "%s ", name);
	add_short(&text, given, i->tools == IMPORT_TOOLS_FULL ? strlen(given) : CALL_MOST, 0);
	s->role = "assistant";
	s->tool = name;
	s->call = *call ? call : NULL;
	i->failed |= text.failed;
	if (!text.failed)
		import_say(i, s, text.data);
	free(json);
	buf_release(&text);
}

static const char *tool_of(const struct import *i, const char *call)
{
	for (unsigned n = 0; *call && n < IMPORT_CALLS; n++)
		if (strcmp(i->call[n].id, call) == 0)
			return i->call[n].tool;
	return NULL;
}

void import_result(struct import *i, struct import_said *s, const char *call, const char *text,
                   bool error)
{
	struct buf out = BUF_INIT;
	bool full = i->tools == IMPORT_TOOLS_FULL;
	if (i->tools == IMPORT_TOOLS_NONE)
		return;
	if (strspn(text, " \t\r\n") == strlen(text))
		text = "(nothing)";
	add_short(&out, text, full ? strlen(text) : RESULT_HEAD, full ? 0 : RESULT_TAIL);
	s->role = "tool";
	s->tool = s->tool ? s->tool : tool_of(i, call);
	s->call = *call ? call : NULL;
	s->error = error;
	i->failed |= out.failed;
	if (!out.failed)
		import_say(i, s, out.data);
	buf_release(&out);
}

/* What cannot be text: its type, and how much it is. */
static bool add_other(struct buf *out, const json_t *block)
{
	const char *type = import_text(block, "type");
	const json_t *source = json_object_get(block, "source");
	const char *media = import_text(source, "media_type");
	size_t bytes = strlen(import_text(source, "data")) / 4 * 3;
	if (strcmp(type, "image") == 0 || strcmp(type, "document") == 0)
		buf_addf(out, "[%s %s, %zu bytes]", type, *media ? media : "of another place", bytes);
	else if (strcmp(type, "input_image") == 0 || strcmp(type, "image_url") == 0)
		buf_adds(out, "[image]");
	else
		return false;
	return true;
}

void import_content(struct buf *out, const json_t *content)
{
	size_t n;
	json_t *block;
	if (json_is_string(content))
		buf_adds(out, json_string_value(content));
	json_array_foreach(content, n, block) {
		const char *text = json_is_string(block) ? json_string_value(block) :
			import_text(block, "text");
		if (out->len > 0 && *text)
			buf_addc(out, '\n');
		buf_adds(out, text);
		if (!*text)
			(void)add_other(out, block);
	}
	buf_adds(out, ""); /* never NULL */
}

static void skip(struct import *i, const char *reason)
{
	i->sink->skipped(i->sink->ctx, i->at, reason);
}

/* What nobody misses: thoughts, and what stands elsewhere, too. */
static bool is_passed_by(const char *type)
{
	static const char *const types[] = { "thinking", "redacted_thinking", "reasoning",
		"redacted_reasoning", "omitted_reasoning", "token_budget", "tool_call", "tool_return" };
	for (size_t n = 0; n < sizeof types / sizeof *types; n++)
		if (strcmp(type, types[n]) == 0)
			return true;
	return false;
}

static void skip_type(struct import *i, const char *type)
{
	char reason[128], name[64];
	if (is_passed_by(type))
		return;
	import_copy(name, sizeof name, type);
	(void)snprintf(reason, sizeof reason, "a part of a type that is not known: %s",
	               *name ? name : "none");
	skip(i, reason);
}

/* One of them. */
static void import_block(struct import *i, const struct import_said *of, const json_t *block)
{
	struct import_said s = *of;
	struct buf text = BUF_INIT;
	const char *type = import_text(block, "type");
	const json_t *content = json_object_get(block, "content");
	if (strcmp(type, "tool_use") == 0 || strcmp(type, "server_tool_use") == 0) {
		import_call(i, &s, import_text(block, "name"), import_text(block, "id"),
		            json_object_get(block, "input"));
	} else if (strcmp(type, "tool_result") == 0) {
		import_content(&text, content);
		import_result(i, &s, import_text(block, "tool_use_id"), text.data ? text.data : "",
		              json_is_true(json_object_get(block, "is_error")));
	} else if (strcmp(type, "text") == 0 && !json_is_string(json_object_get(block, "text"))) {
		skip(i, "a part whose text is none");
	} else if (strcmp(type, "text") == 0) {
		if (strcmp(s.role, "user") != 0 || !import_is_machine(import_text(block, "text")))
			import_say(i, &s, import_text(block, "text"));
	} else if (!add_other(&text, block)) {
		skip_type(i, type);
	} else if (!text.failed) {
		import_say(i, &s, text.data);
	}
	i->failed |= text.failed;
	buf_release(&text);
}

void import_blocks(struct import *i, const struct import_said *of, const json_t *content)
{
	struct import_said s = *of;
	size_t n;
	json_t *block;
	if (json_is_string(content) && (strcmp(s.role, "user") != 0 ||
	                                !import_is_machine(json_string_value(content))))
		import_say(i, &s, json_string_value(content));
	else if (content && !json_is_array(content) && !json_is_string(content) &&
	         !json_is_null(content)) /* a message of calls alone has null */
		skip(i, "a message whose content is neither a text nor parts");
	json_array_foreach(content, n, block) {
		s.part = of->part + (int64_t)n;
		if (json_is_string(block))
			import_say(i, &s, json_string_value(block));
		else if (json_is_object(block))
			import_block(i, &s, block);
		else
			skip(i, "a part of a message that is none");
	}
}

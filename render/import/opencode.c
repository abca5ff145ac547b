/* SPDX-License-Identifier: MIT */
/*
 * OpenCode: ~/.local/share/opencode/opencode.db, as store/foreign tells it: a line a message with
 * its parts, whose rows change until the message is completed.  What `revert` names was taken back,
 * with all after it.
 */
#include <string.h>

#include "render/import/parts.h"

static bool opencode_knows(const json_t *item)
{
	return *import_text(item, "opencode") && json_object_get(item, "parts");
}

static void begin(struct import *i, const json_t *item)
{
	const char *id = import_text(item, "opencode");
	if (i->told && strcmp(i->talk.session, id) == 0)
		return;
	import_copy(i->title, sizeof i->title, import_text(item, "title"));
	if (strncmp(i->title, "New session - ", 14) == 0)
		i->title[0] = '\0';
	import_copy(i->cwd, sizeof i->cwd, import_text(item, "directory"));
	i->began_us = import_time(json_object_get(item, "began"));
	i->count = 0; /* 1: this message and all that follow are taken back */
	import_begin(i, "opencode", id);
}

static void tool(struct import *i, struct import_said s, const json_t *part)
{
	const json_t *state = json_object_get(part, "state"), *time = json_object_get(state, "time");
	const char *status = import_text(state, "status"), *call = import_text(part, "callID");
	bool failed = strcmp(status, "error") == 0;
	struct import_said result = s;
	int64_t began = import_time(json_object_get(time, "start"));
	int64_t ended = import_time(json_object_get(time, "end"));
	if (!failed && strcmp(status, "completed") != 0)
		return;
	s.at_us = began ? began : s.at_us;
	import_call(i, &s, import_text(part, "tool"), call, json_object_get(state, "input"));
	result.model = NULL;
	result.part = 1;
	result.at_us = ended ? ended : s.at_us;
	import_result(i, &result, call, import_text(state, failed ? "error" : "output"), failed);
}

static void file(struct import *i, struct import_said *s, const json_t *part)
{
	struct buf text = BUF_INIT;
	buf_addf(&text, "[file %s %s]", import_text(part, "filename"), import_text(part, "mime"));
	if (!text.failed)
		import_say(i, s, text.data);
	i->failed |= text.failed;
	buf_release(&text);
}

static void take_part(struct import *i, const struct import_said *of, const json_t *row)
{
	const json_t *part = json_object_get(row, "data");
	const char *type = import_text(part, "type"), *text = import_text(part, "text");
	struct import_said s = *of;
	s.id = import_text(row, "id");
	if (!*s.id || json_is_true(json_object_get(part, "synthetic")) ||
	    json_is_true(json_object_get(part, "ignored")))
		return;
	if (i->count)
		i->sink->gone(i->sink->ctx, s.id);
	else if (strcmp(type, "text") == 0 && !(*s.role == 'u' && import_is_machine(text)))
		import_say(i, &s, text);
	else if (strcmp(type, "tool") == 0)
		tool(i, s, part);
	else if (strcmp(type, "file") == 0)
		file(i, &s, part);
}

static void opencode_item(struct import *i, const json_t *item)
{
	const json_t *data = json_object_get(item, "data"), *row;
	const json_t *revert = json_object_get(item, "revert");
	const char *model = import_text(data, "modelID"), *role = import_text(data, "role");
	const char *id = import_text(item, "id");
	bool user = strcmp(role, "user") == 0;
	struct import_said s = { .role = user ? "user" : "assistant", .model = *model ? model : NULL,
		.at_us = import_time(json_object_get(item, "at")) };
	size_t n;
	begin(i, item);
	i->count |= strcmp(id, import_text(revert, "messageID")) == 0;
	if (!user && !json_object_get(json_object_get(data, "time"), "completed"))
		return; /* it goes on */
	json_array_foreach(json_object_get(item, "parts"), n, row)
		take_part(i, &s, row);
}

const struct import_format import_opencode = { opencode_knows, opencode_item, NULL };

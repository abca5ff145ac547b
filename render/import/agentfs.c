/* SPDX-License-Identifier: MIT */
/* AgentFS: its table tool_calls as store/foreign tells it, a line a call that has ended. */
#include <string.h>

#include "render/import/parts.h"

static bool agentfs_knows(const json_t *item)
{
	return json_is_integer(json_object_get(item, "agentfs")) && *import_text(item, "name");
}

static void agentfs_item(struct import *i, const json_t *item)
{
	int64_t at = import_time(json_object_get(item, "at"));
	const char *error = import_text(item, "error");
	json_int_t id = json_integer_value(json_object_get(item, "agentfs"));
	char name[32], session[TALK_SESSION + 1];
	(void)snprintf(name, sizeof name, "call-%" JSON_INTEGER_FORMAT, id);
	struct import_said s = { .id = name, .at_us = at };
	i->began_us = i->told ? i->began_us : at;
	if (!i->told) { /* files of one name are told apart by when they began */
		(void)snprintf(session, sizeof session, "%.90s-%lld", i->name, (long long)(at / 1000000));
		import_begin(i, "agentfs", session);
	}
	if (json_is_null(json_object_get(item, "ended")))
		return;
	import_call(i, &s, import_text(item, "name"), name, json_object_get(item, "parameters"));
	struct import_said result = { .id = name, .part = 1,
		.at_us = import_time(json_object_get(item, "ended")) };
	import_result(i, &result, name, *error ? error : import_text(item, "result"), *error != '\0');
}

const struct import_format import_agentfs = { agentfs_knows, agentfs_item, NULL };

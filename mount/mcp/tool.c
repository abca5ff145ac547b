/* SPDX-License-Identifier: MIT */
/* What the tools have in common: the memory, its refusals, the session that is meant (mcp.h). */
#include <stdlib.h>
#include <string.h>

#include "mount/mcp/mcp.h"

enum { WRITE_MS = 10000, READ_MS = 1000 };

struct files *tool_begin(struct mcp *m, bool writes, FILE *out)
{
	struct files *f = NULL;
	struct why why = { 0 };
	int err = files_begin(m->database, &m->options, writes, writes ? WRITE_MS : READ_MS, &f, &why);
	if (!err)
		return f;
	(void)fprintf(out, "%s: %s%s%s", m->database, *why.text ? why.text : strerror(-err),
	              *why.todo ? "; " : "", why.todo);
	return NULL;
}

bool tool_refused(struct files *f, const char *path, int error, FILE *out)
{
	char *reason = files_reason(f, path, error);
	(void)fprintf(out, "%s: %s", *path ? path : "/", reason ? reason : strerror(-error));
	free(reason);
	return false;
}

bool tool_session(const struct mcp *m, const json_t *arguments, const char *file,
                  char path[PATH_MAX], FILE *out)
{
	const char *name = json_string_value(json_object_get(arguments, "session"));
	struct why why = { 0 };
	if (name && strcmp(name, "current") != 0 && fs_check_session(name, &why)) {
		(void)fprintf(out, "session: %s; %s", why.text, why.todo);
		return false;
	}
	name = name ? name : m->options.session ? m->options.session : "current";
	(void)snprintf(path, PATH_MAX, "sessions/%s/%s", name, file);
	return true;
}

/* SPDX-License-Identifier: MIT */
/* What the tools have in common: the memory, its refusals, the session that is meant (mcp.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* What a model asks next where nothing is known of a name: the nearest directory that is there. */
static void say_nearest(struct files *f, const char *path, FILE *out)
{
	char dir[PATH_MAX];
	struct stat st;
	(void)snprintf(dir, sizeof dir, "%s", path);
	do {
		char *slash = strrchr(dir, '/');
		*(slash ? slash : dir) = '\0';
	} while (*dir && (strstr(dir, "..") || files_stat(f, dir, true, &st)));
	(void)fprintf(out, "; memory_read of \"%s\" lists what is there", dir);
}

bool tool_refused(struct files *f, const char *path, int error, FILE *out)
{
	char *reason = files_reason(f, path, error);
	(void)fprintf(out, "%s: %s", *path ? path : "/", reason ? reason : strerror(-error));
	if (!reason && error == -ENOENT)
		say_nearest(f, path, out);
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

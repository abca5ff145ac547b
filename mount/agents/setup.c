/* SPDX-License-Identifier: MIT */
/* What is put into the settings of each agent (setup.h): a table, and entries made by it. */
#include "mount/agents/setup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount/agents/agents.h"

enum { CLAUDE_DAYS = 30 }; /* where it is not told */

const char setup_names[] = "claude, codex, opencode or gemini";

/* Each command ends so: a shell passes it by, and we know it again. */
static const char mark[] = " # cinta agent-setup";
/* And each page: the same file, by a name that nobody else writes. */
static const char page_mark[] = "/./context.md";

static const struct agent agents[] = {
	{ "claude", "Claude Code", "CLAUDE_CONFIG_DIR", ".claude", false, "settings.json", "projects",
	  { "SessionStart", "Stop", "PreCompact", "SessionEnd" }, 10, false,
	  "Claude Code deletes its transcripts after 30 days.  To keep them, put into the same file:\n"
	  "  \"cleanupPeriodDays\": 3650\n"
	  "Sessions that run read their settings when they start again.",
	  "claude mcp add -s user cinta -- " },
	{ "codex", "Codex", "CODEX_HOME", ".codex", false, "hooks.json", "sessions",
	  { "SessionStart", "Stop", "PreCompact" }, 10, false,
	  "Codex runs no hook that it was not told to trust: type /hooks in Codex, and trust these.",
	  "codex mcp add cinta -- " },
	{ "opencode", "OpenCode", NULL, "opencode", true, "opencode.json", NULL, { NULL }, 0, false,
	  "OpenCode reads it when it starts.", NULL },
	{ "gemini", "Gemini CLI", NULL, ".gemini", false, "settings.json", "tmp",
	  { "SessionStart", "AfterAgent", "PreCompress", "SessionEnd" }, 10000, true,
	  "Gemini reads its settings when it starts.", "gemini mcp add -s user cinta " },
};

const struct agent *agent_named(const char *name)
{
	for (size_t i = 0; i < sizeof agents / sizeof *agents; i++)
		if (strcmp(agents[i].name, name) == 0)
			return &agents[i];
	return NULL;
}

bool agent_file(const struct agent *a, char path[PATH_MAX])
{
	const char *own = a->variable ? getenv(a->variable) : NULL, *home = getenv("HOME");
	const char *config = a->config ? getenv("XDG_CONFIG_HOME") : NULL;
	int n;
	if (own && *own)
		n = snprintf(path, PATH_MAX, "%s/%s", own, a->file);
	else if (config && *config)
		n = snprintf(path, PATH_MAX, "%s/%s/%s", config, a->home, a->file);
	else if (home && *home)
		n = snprintf(path, PATH_MAX, "%s/%s%s/%s", home, a->config ? ".config/" : "", a->home,
		             a->file);
	else
		return false;
	return n > 0 && n < PATH_MAX;
}

bool agents_claude_days(char file[PATH_MAX], long long *days)
{
	struct settings s = { NULL, 0 };
	char projects[PATH_MAX + 16];
	if (!agent_file(&agents[0], file))
		return false;
	int dir = (int)(strrchr(file, '/') - file);
	(void)snprintf(projects, sizeof projects, "%.*s/projects", dir, file);
	if (access(projects, F_OK) < 0 || settings_read(file, &s))
		return false;
	json_t *root = s.bytes ? json_loadb(s.bytes, s.len, 0, NULL) : NULL;
	const json_t *given = json_object_get(root, "cleanupPeriodDays");
	*days = json_is_integer(given) ? json_integer_value(given) : CLAUDE_DAYS;
	json_decref(root);
	free(s.bytes);
	return true;
}

/* Beside its settings, or where its user's programs keep data; false: nobody knows. */
static bool transcripts_of(const struct agent *a, char **dir)
{
	const char *data = getenv("XDG_DATA_HOME"), *user = getenv("HOME");
	char file[PATH_MAX];
	if (!a->transcripts) /* OpenCode's database */
		return (data && *data) || user ? asprintf(dir, "%s%s/%s", data && *data ? data : user,
			data && *data ? "" : "/.local/share", a->home) >= 0 : false;
	if (!agent_file(a, file))
		return false;
	*strrchr(file, '/') = '\0';
	return asprintf(dir, "%s/%s", file, a->transcripts) >= 0;
}

int agents_follow(const char *names, char *dirs[AGENTS_FOLLOWED], struct why *why)
{
	char word[32];
	int count = 0;
	do {
		size_t len = strcspn(names, ":,");
		(void)snprintf(word, sizeof word, "%.*s", (int)len, names);
		const struct agent *a = agent_named(word);
		if (!a || count == AGENTS_FOLLOWED) {
			why_set(why, "leave it out", "follow=%s: not claude, codex, opencode or gemini", word);
			goto out;
		}
		if (!transcripts_of(a, &dirs[count])) {
			why_set(why, "set HOME", "follow=%s: nobody knows where it writes", word);
			goto out;
		}
		count++;
		names += len + (names[len] != '\0');
	} while (*names);
	return count;
out:
	while (count > 0)
		free(dirs[--count]);
	return -EINVAL;
}

/* {"hooks": [{"type": "command", "command": …, "timeout": N}]}, for free(). */
static char *hook_text(const struct agent *a, const char *command)
{
	char *text = NULL, *marked = NULL;
	if (asprintf(&marked, "%s%s", command, mark) < 0)
		return NULL;
	json_t *hook = json_pack("{s:s, s:s, s:i}", "type", "command", "command", marked, "timeout",
	                         a->timeout);
	if (hook && a->named)
		(void)json_object_set_new(hook, "name", json_string("cinta"));
	json_t *group = json_pack("{s:[o]}", "hooks", hook);
	if (group)
		text = json_dumps(group, 0);
	json_decref(group);
	free(marked);
	return text;
}

static bool is_our_hook(const json_t *group, void *ctx)
{
	const json_t *hooks = json_object_get(group, "hooks");
	const char *command = json_string_value(json_object_get(json_array_get(hooks, 0), "command"));
	size_t len = command ? strlen(command) : 0;
	(void)ctx;
	return json_array_size(hooks) == 1 && len >= sizeof mark - 1 &&
	       strcmp(command + len - (sizeof mark - 1), mark) == 0;
}

static bool is_our_page(const json_t *element, void *ctx)
{
	const char *text = json_string_value(element), *page = ctx;
	size_t len = text ? strlen(text) : 0;
	return (text && page && strcmp(text, page) == 0) ||
	       (len >= sizeof page_mark && strcmp(text + len - (sizeof page_mark - 1), page_mark) == 0);
}

/* A JSON string, for free(). */
static char *page_text(const char *page)
{
	char *text = NULL;
	json_t *marked = json_sprintf("%.*s%s", (int)(strrchr(page, '/') - page), page, page_mark);
	if (marked)
		text = json_dumps(marked, JSON_ENCODE_ANY);
	json_decref(marked);
	return text;
}

int setup_take(const struct agent *a, struct settings *s, const struct entry_of *e)
{
	int count = 0, took = 1;
	if (!a->events[0]) {
		while ((took = settings_take(s, (const char *const[]){ "instructions" }, 1, is_our_page,
		                             e->page)) > 0)
			count++;
		return took < 0 ? took : count;
	}
	for (int i = SETUP_ENTRIES - 1; i >= 0; i--) { /* what went in last goes out first */
		const char *const path[] = { "hooks", a->events[i] };
		while (a->events[i] && (took = settings_take(s, path, 2, is_our_hook, NULL)) > 0)
			count++;
		if (took < 0)
			return took;
	}
	return count;
}

int setup_put(const struct agent *a, struct settings *s, const struct entry_of *e,
              struct why *why)
{
	int err = setup_take(a, s, e);
	if (err < 0)
		return err;
	char *text = a->events[0] ? hook_text(a, e->command) : page_text(e->page);
	err = text ? 0 : -ENOMEM;
	if (!err && !a->events[0])
		err = settings_add(s, (const char *const[]){ "instructions" }, 1, text, why);
	for (int i = 0; !err && i < SETUP_ENTRIES && a->events[i]; i++)
		err = settings_add(s, (const char *const[]){ "hooks", a->events[i] }, 2, text, why);
	free(text);
	return err;
}

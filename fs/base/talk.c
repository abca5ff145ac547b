/* SPDX-License-Identifier: MIT */
/* Agents by their environment (talk.h); what was read is kept by pid and start of the process. */
#include "fs/base/talk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"

enum {
	SLOTS = 64,
	ENVIRONMENT_MOST = 256 << 10 /* bytes that are looked at */
};

struct talks {
	struct lock lock;
	struct known {
		pid_t process;
		uint64_t began;
		struct talk talk;
	} slot[SLOTS];          /* guarded by lock */
};

int talks_start(struct fs *fs, const struct fs_options *o)
{
	(void)o;
	fs->talks = calloc(1, sizeof *fs->talks);
	if (!fs->talks)
		return -ENOMEM;
	lock_init(&fs->talks->lock, RANK_TALKS);
	return 0;
}

void talks_stop(struct fs *fs)
{
	if (!fs->talks)
		return;
	lock_destroy(&fs->talks->lock);
	free(fs->talks);
	fs->talks = NULL;
}

/* Visible ASCII that JSON need not escape and that no table is torn by; all else is no name. */
static bool take(char *dst, size_t size, const char *value, size_t len)
{
	if (len == 0 || len >= size)
		return false;
	for (size_t i = 0; i < len; i++)
		if (value[i] <= 0x20 || value[i] >= 0x7F || strchr("\"\\|", value[i]))
			return false;
	memcpy(dst, value, len);
	dst[len] = '\0';
	return true;
}

/* "claude-code_2-1-197_agent" is "claude-code": what follows is version and role. */
static size_t name_len(const char *value, size_t len)
{
	for (size_t i = 0; i + 1 < len; i++)
		if (value[i] == '_' && value[i + 1] >= '0' && value[i + 1] <= '9')
			return i;
	return len;
}

/*
 * The best first: what a person sets, then what each client says.  Where a variable names a client
 * by being there, `agent` is that client.
 */
static const struct variable {
	const char *name, *agent;
	bool session; /* its value is a conversation's id; else, without `agent`, an agent's name */
} variables[] = {
	{ "CINTA_AGENT", NULL, false },           { "CINTA_SESSION", NULL, true },
	{ "CLAUDE_CODE_SESSION_ID", "claude-code", true },
	{ "CODEX_THREAD_ID", "codex", true },     { "OPENCODE", "opencode", false },
	{ "AI_AGENT", NULL, false },
};
enum { VARIABLES = sizeof variables / sizeof *variables };

void talk_read(const char *environment, size_t len, struct talk *out)
{
	const char *value[VARIABLES] = { NULL };
	size_t size[VARIABLES] = { 0 };
	*out = (struct talk){ .agent = "" };
	for (const char *at = environment, *end = at + len; at < end;) {
		size_t n = strnlen(at, (size_t)(end - at));
		if (at + n == end)
			break; /* it was cut here */
		const char *equals = memchr(at, '=', n);
		for (int i = 0; equals && i < VARIABLES; i++) {
			size_t name = strlen(variables[i].name);
			if ((size_t)(equals - at) == name && memcmp(at, variables[i].name, name) == 0) {
				value[i] = equals + 1;
				size[i] = n - name - 1;
			}
		}
		at += n + 1;
	}
	for (int i = 0; i < VARIABLES; i++) {
		const struct variable *v = &variables[i];
		bool taken = value[i] && v->session && !*out->session &&
			take(out->session, sizeof out->session, value[i], size[i]);
		if (!value[i] || *out->agent || size[i] == 0 || (v->session && !taken))
			continue;
		if (v->agent)
			(void)snprintf(out->agent, sizeof out->agent, "%s", v->agent);
		else if (!v->session)
			(void)take(out->agent, sizeof out->agent, value[i], name_len(value[i], size[i]));
	}
}

static void read_environment(pid_t process, struct talk *out)
{
	char path[48], *text = malloc(ENVIRONMENT_MOST);
	*out = (struct talk){ .agent = "" };
	(void)snprintf(path, sizeof path, "/proc/%d/environ", (int)process);
	if (text)
		talk_read(text, proc_read_all(path, text, ENVIRONMENT_MOST), out);
	free(text);
}

void talk_of(struct fs *fs, const struct process *process, struct talk *out)
{
	*out = (struct talk){ .agent = "" };
	if (process->began == 0 || !fs->talks)
		return;
	struct known *k = &fs->talks->slot[(unsigned)process->pid % SLOTS];
	lock_take(&fs->talks->lock);
	bool found = k->process == process->pid && k->began == process->began;
	if (found)
		*out = k->talk;
	lock_give(&fs->talks->lock);
	if (found)
		return;
	read_environment(process->pid, out);
	lock_take(&fs->talks->lock);
	*k = (struct known){ process->pid, process->began, *out };
	lock_give(&fs->talks->lock);
}

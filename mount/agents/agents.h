/* SPDX-License-Identifier: MIT */
/*
 * The door of mount/agents: what coding agents are told of a memory, and what they call of it.
 *
 *   cmd_hook.c    what their hooks run
 *   cmd_setup.c   the verb that puts these there; setup.c: what, and where
 *   settings.c    JSON texts of others: an entry of ours in, and out again; settings_file.c
 */
#ifndef CINTA_AGENTS_H
#define CINTA_AGENTS_H

#include <limits.h>

#include "mount/words/words.h"

/*
 * True if Claude Code keeps transcripts for this user: after so many days it deletes them, as its
 * settings in `file` say.
 */
bool agents_claude_days(char file[PATH_MAX], long long *days);

/*
 * Where these agents, with colons between, write transcripts: how many directories, malloc'ed, or
 * -EINVAL with `why`.
 */
enum { AGENTS_FOLLOWED = 4 };
int agents_follow(const char *names, char *dirs[AGENTS_FOLLOWED], struct why *why);

verb_fn cmd_hook, cmd_agent_setup;

#endif

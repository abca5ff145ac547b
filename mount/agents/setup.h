/* SPDX-License-Identifier: MIT */
/* Which agents cinta can be set up for, and where each keeps what we put there. */
#ifndef CINTA_SETUP_H
#define CINTA_SETUP_H

#include <limits.h>
#include <stdbool.h>

#include "mount/agents/settings.h"

enum { SETUP_ENTRIES = 5 };

struct agent {
	const char *name, *title;
	const char *variable;  /* of the environment: its directory; NULL: none */
	const char *home;      /* its directory below the home, or below XDG_CONFIG_HOME */
	bool config;           /* it is below XDG_CONFIG_HOME */
	const char *file;      /* in it */
	const char *transcripts; /* the directory in it that these are below; NULL: none */
	const char *events[SETUP_ENTRIES]; /* whose hooks are ours; none: it is told a file to read */
	int timeout;           /* of a hook, as this agent counts */
	bool named;            /* its hooks have names */
	const char *also;      /* what a person does, beside that; lines */
	/* What a shell runs before `cinta mcp …`, to have it as a server; NULL: see agents.md. */
	const char *adds;
};

/* The agent of that name, or NULL; `setup_names` lists them all. */
const struct agent *agent_named(const char *name);
extern const char setup_names[];

/* The file it reads its settings from.  False: there is no home. */
bool agent_file(const struct agent *a, char path[PATH_MAX]);

/* What we have to say to an agent: its hooks' command, and the file it reads. */
struct entry_of {
	char *command; /* of hooks */
	char *page;    /* context.md of a mount; NULL: it is not mounted */
};
/* All entries into the text: 0, -errno, -EINVAL with `why`.  Those that were there go first. */
int setup_put(const struct agent *a, struct settings *s, const struct entry_of *e,
              struct why *why);
/* All of ours out, of whatever memory they are; how many there were, or -ENOMEM. */
int setup_take(const struct agent *a, struct settings *s, const struct entry_of *e);

#endif

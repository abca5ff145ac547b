/* SPDX-License-Identifier: MIT */
/*
 * cinta agent-setup [--write|--remove] [-d DB] claude|codex|opencode|gemini
 *
 * Prints what to put where, so that an agent reads the memory and is taken into it; or does it, and
 * undoes it.  Others' entries in the same file are never touched.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mount/agents/agents.h"
#include "mount/agents/setup.h"
#include "mount/memory/memory.h"
#include "mount/point/point.h"

enum { ANSWER_MS = 2000 };

struct setup_command {
	struct options options;
	const struct agent *agent;
	bool writes, removes;
	char database[PATH_MAX], dir[PATH_MAX], file[PATH_MAX];
	const char *memory; /* one of both: what the agent's commands name */
};

/* "/usr/bin/cinta hook -d /home/u/m.db", whatever the agent's PATH and environment. */
static char *make_command(const char *verb, const char *memory)
{
	char *text = NULL, program[PATH_MAX];
	size_t len = 0;
	ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
	FILE *f = open_memstream(&text, &len);
	if (!f)
		return NULL;
	program[n > 0 ? n : 0] = '\0';
	print_word(f, n > 0 ? program : "cinta");
	(void)fprintf(f, " %s -d ", verb);
	print_word(f, memory);
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}

static int first_mount(void *ctx, const struct mount_entry *e)
{
	struct setup_command *c = ctx;
	if (strcmp(e->source, c->database) != 0)
		return 0;
	memcpy(c->dir, e->dir, sizeof e->dir);
	return 1;
}

/*
 * True if there is more than the file to what this mount is: it hides something, or does not say;
 * it is one of several; or nobody here can read the file.
 */
static bool is_its_own(const struct setup_command *c)
{
	char path[PATH_MAX + 16];
	(void)snprintf(path, sizeof path, "%s/.cinta", c->dir);
	return mounts_of(c->database) > 1 || access(c->database, R_OK) < 0 ||
	       mount_probe(c->dir, ANSWER_MS) != 0 || access(path, F_OK) < 0;
}

/* Which mount it is to read, and whether its commands go by that. */
static void choose_memory(struct setup_command *c)
{
	const char *given = c->options.database;
	bool named = given && path_mount_point(given, c->dir) == 0 && mounts_at(c->dir, NULL);
	c->memory = named && is_its_own(c) ? c->dir : c->database;
	if (named)
		return;
	*c->dir = '\0';
	(void)mounts_each(first_mount, c);
}

/* True if the text with our entries, and then without them, is what was there. */
static bool comes_out(const struct agent *a, const struct settings *old,
                      const struct settings *new, const struct entry_of *e)
{
	struct settings before = { old->bytes ? strdup(old->bytes) : NULL, old->len };
	struct settings after = { strdup(new->bytes), new->len };
	bool same = after.bytes && (!old->bytes || before.bytes) &&
		setup_take(a, &before, e) >= 0 && setup_take(a, &after, e) > 0 &&
		after.len == before.len && !after.bytes == !before.bytes &&
		(!after.bytes || memcmp(after.bytes, before.bytes, after.len) == 0);
	free(before.bytes);
	free(after.bytes);
	return same;
}

static int refused(const struct setup_command *c, int err, const struct why *why)
{
	complain("%s: %s; %s; nothing was changed", c->file, *why->text ? why->text : strerror(-err),
	         *why->todo ? why->todo : "try again");
	return EXIT_FAULT;
}

static int put_in(const struct setup_command *c, struct settings *s, const struct entry_of *e)
{
	struct why why = { 0 };
	char *copy = s->bytes ? strdup(s->bytes) : NULL;
	struct settings old = { copy, s->len };
	int err = s->bytes && !copy ? -ENOMEM : setup_put(c->agent, s, e, &why);
	if (!err && (!settings_valid(s, &why) || !comes_out(c->agent, &old, s, e))) {
		if (!*why.text)
			why_set(&why, "put it there yourself", "our entries could not be taken out again");
		err = -EINVAL;
	}
	bool same = !err && copy && strcmp(copy, s->bytes) == 0;
	free(copy);
	if (!err && !same)
		err = settings_write(c->file, s);
	if (err)
		return refused(c, err, &why);
	printf("%s: %s\n%s\n", c->file, same ? "it was there already" : "written", c->agent->also);
	return EXIT_FINE;
}

static int take_out(const struct setup_command *c, struct settings *s, const struct entry_of *e)
{
	const struct why none = { 0 };
	int count = setup_take(c->agent, s, e);
	if (count == 0)
		printf("%s: nothing of cinta's is there\n", c->file);
	if (count <= 0)
		return count ? refused(c, count, &none) : EXIT_FINE;
	int err = settings_write(c->file, s);
	if (err)
		return refused(c, err, &none);
	printf("%s: %s\n", c->file, s->bytes ? "taken out" : "removed: there was nothing else in it");
	return EXIT_FINE;
}

/* How an agent is told of a server of the Model Context Protocol. */
static void print_server(const struct setup_command *c)
{
	char *command = make_command("mcp", c->memory);
	if (command && c->agent->adds)
		printf("To give it the memory as tools%s:\n  %s%s\n",
		       c->memory == c->dir ? "" : ", mounted or not", c->agent->adds, command);
	free(command);
}

/* The page as part of what an agent is always told: a command to be pasted. */
static void print_page(const struct setup_command *c, const char *page)
{
	bool claude = strcmp(c->agent->name, "claude") == 0;
	char *word = NULL;
	if ((!claude && strcmp(c->agent->name, "codex") != 0) ||
	    asprintf(&word, "%s%s", claude ? "@" : "", page) < 0)
		return;
	printf("To have the memory in its instructions, which last longest, while it is mounted:\n"
	       "  %s ", claude ? "echo" : "ln -s");
	print_word(stdout, word);
	printf(claude ? " >> ~/.claude/CLAUDE.md\n" : " ~/.codex/AGENTS.md\n");
	free(word);
}

static int print(const struct setup_command *c, const struct entry_of *e)
{
	struct settings s = { NULL, 0 };
	struct why why = { 0 };
	if (setup_put(c->agent, &s, e, &why))
		return EXIT_FAULT;
	printf("Put this into %s, beside what is there (or let `cinta agent-setup --write %s` do it):\n"
	       "\n%s\n%s\n", c->file, c->agent->name, s.bytes, c->agent->also);
	if (e->page)
		print_page(c, e->page);
	print_server(c);
	free(s.bytes);
	return EXIT_FINE;
}

/* The directory tells whether the agent is here at all. */
static int change(const struct setup_command *c, const struct entry_of *e)
{
	struct settings s;
	struct why why = { 0 };
	struct stat st;
	char dir[PATH_MAX];
	(void)snprintf(dir, sizeof dir, "%s", c->file);
	*strrchr(dir, '/') = '\0';
	if (c->writes && (stat(dir, &st) < 0 || !S_ISDIR(st.st_mode))) {
		complain("there is no %s: start %s once, or make it", dir, c->agent->title);
		return EXIT_FAULT;
	}
	int err = settings_read(c->file, &s);
	if (!err && !settings_valid(&s, &why))
		err = -EINVAL;
	int status = err ? refused(c, err, &why) :
		c->writes ? put_in(c, &s, e) : take_out(c, &s, e);
	free(s.bytes);
	return status;
}

/* Neither database nor mount need be there any more: what is ours says so itself. */
static int undo(const struct setup_command *c)
{
	return change(c, &(struct entry_of){ NULL, NULL });
}

static int setup_run(struct setup_command *c)
{
	struct entry_of e = { NULL, NULL };
	int status = EXIT_FAULT;
	if (!agent_file(c->agent, c->file)) {
		complain("agent-setup: HOME is not set, so nobody knows where the settings are");
		return EXIT_FAULT;
	}
	if (c->removes)
		return undo(c);
	choose_memory(c);
	e.command = make_command("hook", c->memory);
	if (*c->dir && asprintf(&e.page, "%s/context.md", c->dir) < 0)
		e.page = NULL;
	if (!e.command)
		complain("agent-setup: %s", strerror(ENOMEM));
	else if (!c->agent->events[0] && !e.page)
		complain("%s reads a file: mount the memory first (cinta mount %s DIR)", c->agent->title,
		         c->database);
	else
		status = c->writes ? change(c, &e) : print(c, &e);
	free(e.command);
	free(e.page);
	return status;
}

static int parse(int argc, char **argv, struct setup_command *c)
{
	static const struct option longs[] = { { "write", no_argument, NULL, 'w' },
		{ "remove", no_argument, NULL, 'r' }, { NULL, 0, NULL, 0 } };
	int status = EXIT_FINE;
	opterr = 0;
	for (int opt; status == EXIT_FINE &&
	              (opt = getopt_long(argc, argv, ":d:", longs, NULL)) != -1;) {
		if (opt == 'd')
			c->options.database = optarg;
		else if (opt == 'w' || opt == 'r')
			*(opt == 'w' ? &c->writes : &c->removes) = true;
		else
			status = usage_option(argv[0], argv, opt);
	}
	if (status == EXIT_FINE && c->writes && c->removes)
		status = usage(argv[0], "agent-setup: --write or --remove, not both");
	if (status == EXIT_FINE && argc - optind != 1)
		status = usage(argv[0], "agent-setup: name one agent: %s", setup_names);
	if (status == EXIT_FINE && !(c->agent = agent_named(argv[optind])))
		status = usage(argv[0], "agent-setup: %s: not %s", argv[optind], setup_names);
	return status;
}

int cmd_agent_setup(int argc, char **argv)
{
	struct setup_command *c = calloc(1, sizeof *c);
	int status = c ? parse(argc, argv, c) : EXIT_FAULT;
	if (status == EXIT_FINE && !c->removes)
		status = database_named(c->options.database, c->database);
	if (status == EXIT_FINE)
		status = setup_run(c);
	free(c);
	return finish(status);
}

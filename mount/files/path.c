/* SPDX-License-Identifier: MIT */
/* Names of files as people type them: from the memory's root, or through a mount of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount/files/files.h"
#include "mount/memory/memory.h"

struct sought {
	const char *path; /* absolute, without `.`, `..` and double slashes */
	char *source;     /* PATH_MAX bytes: the database of the innermost mount above it, or "" */
	size_t rest;      /* how much of `path` leads to that mount */
};

/* Takes the parts of `word` to the end of `path`. */
static bool walk(char path[PATH_MAX], const char *word)
{
	size_t len = strlen(path);
	for (size_t n; *word; word += n) {
		word += strspn(word, "/");
		n = strcspn(word, "/");
		if (n == 0 || (n == 1 && word[0] == '.'))
			continue;
		if (n == 2 && word[0] == '.' && word[1] == '.') {
			while (len > 0 && path[--len] != '/')
				;
			path[len] = '\0';
			continue;
		}
		if (len + 1 + n >= PATH_MAX)
			return false;
		path[len++] = '/';
		memcpy(path + len, word, n);
		path[len += n] = '\0';
	}
	return true;
}

static int consider(void *ctx, const struct mount_entry *e)
{
	struct sought *s = ctx;
	size_t n = strlen(e->dir);
	if (n >= s->rest && strncmp(s->path, e->dir, n) == 0 && (s->path[n] == '/' || !s->path[n])) {
		memcpy(s->source, e->source, sizeof e->source);
		s->rest = n;
	}
	return 0;
}

/* True if the verb is about that database: it names no other. */
static bool is_asked_for(struct files_command *c, const struct sought *s)
{
	char named[PATH_MAX];
	const char *source = s->source;
	if (!c->options.database) {
		(void)snprintf(c->found, sizeof c->found, "%s", source);
		(void)snprintf(c->mount, sizeof c->mount, "%.*s", (int)s->rest, s->path);
		c->options.database = c->found;
		c->options.through = c->mount;
	}
	if (c->options.database == c->found)
		return strcmp(c->found, source) == 0;
	return (database_mounted(c->options.database, named) ||
	        path_database(c->options.database, false, named) == 0) && strcmp(named, source) == 0;
}

/* Only by its letters: a mount whose daemon is dead answers nothing. */
static int find(struct files_command *c, char **word)
{
	char path[PATH_MAX] = "", source[PATH_MAX] = "";
	struct sought s = { .path = path, .source = source };
	if ((**word != '/' && (!getcwd(path, sizeof path) || path[0] != '/')) || !walk(path, *word))
		return EXIT_FINE; /* it is no name of the system's, so one of the memory */
	(void)mounts_each(consider, &s);
	if (!*source)
		return EXIT_FINE;
	bool given = c->options.database && c->options.database != c->found;
	if (!is_asked_for(c, &s)) {
		if (given && **word != '/')
			return EXIT_FINE; /* the memory may have that name, too */
		complain("%s is a file of %s, not of %s", *word, source, c->options.database);
		return EXIT_USAGE;
	}
	char *rest = strdup(path[s.rest] ? path + s.rest + 1 : ".");
	if (!rest) {
		complain("%s", strerror(ENOMEM));
		return EXIT_FAULT;
	}
	*word = rest; /* the process's, as its arguments are */
	return EXIT_FINE;
}

int files_words(struct files_command *c, char **word, int count)
{
	int status = EXIT_FINE;
	for (int i = 0; status == EXIT_FINE && i < count; i++) {
		if (*word[i] != ':')
			status = find(c, &word[i]);
		else if (!*++word[i])
			word[i] = strdup(".");
	}
	return status;
}

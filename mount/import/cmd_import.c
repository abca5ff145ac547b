/* SPDX-License-Identifier: MIT */
/*
 * cinta import [-n|--follow] [--tools HOW] [--session NAME] [-d DB] SOURCE... [DB|DIR]
 * cinta import --exact OTHER.db NEW.db
 *
 * Takes conversations and notes in that other programs keep.  It writes to the database itself, as
 * `cinta redact` does: mounted or not, and a daemon that serves it notices within a tick.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs/fs.h"
#include "mount/import/import.h"
#include "mount/memory/memory.h"
#include "mount/point/point.h"
#include "mount/words/words.h"

struct import_command {
	struct options options;
	struct fs_import_options import;
	char path[PATH_MAX], author[FIELD_MAX + 1];
	bool exact, follows;
	bool quiet;  /* says nothing but what fails */
	bool plain;  /* nobody can stop it: nothing without an end is read */
	bool beside; /* never as the owner, who would keep others out */
	bool later;  /* what was left out of a file is told once, not each time it grows */
	struct import_run run;
};

static int tools_of(const char *word, enum fs_tools *out)
{
	static const char *const words[] = { [FS_TOOLS_NAMES] = "names", [FS_TOOLS_FULL] = "full",
		[FS_TOOLS_NONE] = "none" };
	for (int i = 0; i < 3; i++)
		if (strcmp(word, words[i]) == 0) {
			*out = (enum fs_tools)i;
			return EXIT_FINE;
		}
	return usage("import", "import: --tools %s: one of names, full, none", word);
}

static int parse(int argc, char **argv, struct import_command *c)
{
	static const struct option longs[] = { { "tools", required_argument, NULL, 't' },
		{ "session", required_argument, NULL, 's' },
		{ "exact", no_argument, NULL, 'e' }, { "follow", no_argument, NULL, 'f' },
		{ NULL, 0, NULL, 0 } };
	int status = EXIT_FINE;
	opterr = 0;
	for (int opt; status == EXIT_FINE &&
	              (opt = getopt_long(argc, argv, ":no:d:", longs, NULL)) != -1;) {
		if (opt == 'n')
			c->import.dry = true;
		else if (opt == 't')
			status = tools_of(optarg, &c->import.tools);
		else if (opt == 'e')
			c->exact = true;
		else if (opt == 'f')
			c->follows = true;
		else if (opt == 's')
			c->import.session = optarg;
		else if (opt == 'd')
			c->options.database = optarg;
		else if (opt == 'o')
			status = database_options("import", OPTIONS_WRITE, &c->options, optarg);
		else
			status = usage_option("import", argv, opt);
	}
	if (status == EXIT_FINE && c->exact && (argc - optind != 2 || c->options.database))
		status = usage("import", "import: --exact takes two words: OTHER.db NEW.db");
	if (status == EXIT_FINE && c->follows && (c->exact || c->import.dry))
		status = usage("import", "import: --follow goes with neither -n nor --exact");
	if (status == EXIT_FINE && optind == argc)
		status = usage("import", "import: name a file or directory to take in");
	return status;
}

/* True if the last word is the memory, and not a source: a mount, or a tape. */
static bool is_target(const char *word)
{
	char path[PATH_MAX];
	struct why why;
	struct stat st;
	if (stat(word, &st))
		return false;
	if (S_ISDIR(st.st_mode))
		return database_mounted(word, path);
	return store_look(word, &why) > 0;
}

/*
 * Before anything is taken in: a name that is none is mostly that of the memory, mistyped.
 * `unnamed`: no word names it.
 */
static int check_sources(const struct import_command *c, char *const *source, int count,
                         bool unnamed)
{
	int status = EXIT_FINE;
	for (int i = 0; i < count; i++) {
		struct why why = { 0 };
		if (import_source_there(source[i], c->follows, c->options.database, &why))
			continue;
		complain("%s: %s; nothing was taken in; %s", source[i], why.text, why.todo);
		status = EXIT_FAULT;
	}
	if (status == EXIT_FINE && !c->follows && unnamed && count > 1 &&
	    point_is_empty(source[count - 1]) > 0) {
		complain("%s: no memory is mounted there; nothing was taken in; mount it, or name its "
		         "database with -d DB", source[count - 1]);
		status = EXIT_FAULT;
	}
	return status;
}

static void import_tell(void *ctx, const char *file, int64_t at, const char *reason)
{
	struct import_run *r = ctx;
	if (r->progress)
		fputc('\n', stderr);
	if (at > 0)
		complain("%s:%lld: left out: %s", file, (long long)at, reason);
	else
		complain("%s: left out: %s", file, reason);
}

static void sum_up(const struct import_command *c)
{
	const struct fs_import_counts *n = fs_import_counts(c->run.import);
	if (c->run.progress)
		fputc('\n', stderr);
	printf("%s: %lld conversations, %lld messages, %lld notes; %lld were here",
	       c->import.dry ? "Would take in" : "Taken in", (long long)n->sessions,
	       (long long)n->messages, (long long)n->notes, (long long)n->known);
	if (n->pruned > 0)
		printf("; %lld were taken back and are pruned", (long long)n->pruned);
	if (n->skipped > 0)
		printf("; %lld left out", (long long)n->skipped);
	if (n->secrets > 0)
		printf("; %lld hold what looks like secrets: see errors.log", (long long)n->secrets);
	if (c->run.failed > 0)
		printf("; %lld sources failed", (long long)c->run.failed);
	printf("\n");
}

static int take_in(struct import_command *c, struct store *s, char *const *source, int count)
{
	c->import.author = c->author;
	c->import.tell = c->later ? NULL : import_tell;
	c->import.ctx = &c->run;
	c->run.plain = c->plain;
	c->run.progress = !c->quiet && isatty(STDERR_FILENO);
	int err = fs_import_new(s, &c->import, &c->run.import);
	if (err) {
		complain("import: %s", strerror(-err));
		return EXIT_FAULT;
	}
	for (int i = 0; !c->run.error && i < count; i++)
		import_source(&c->run, source[i]);
	if (!c->quiet)
		sum_up(c);
	fs_import_free(c->run.import);
	return c->run.failed || c->run.error ? EXIT_FAULT : EXIT_FINE;
}

/* As the owner, or beside the daemon that is. */
static int import_sources(struct import_command *c, char *const *source, int count)
{
	int lock = -1;
	int error = c->import.dry || c->beside ? -EWOULDBLOCK : owner_take(c->path, &lock);
	int status = EXIT_FAULT;
	if (error && error != -EWOULDBLOCK) {
		complain("%s.lock: %s", c->path, strerror(-error));
		return EXIT_FAULT;
	}
	struct store *s = c->import.dry ? database_read(c->path, c->options.key_dir) :
		error ? database_append(c->path, c->options.key_dir) :
		database_own(c->path, c->options.key_dir);
	if (s) {
		status = take_in(c, s, source, count);
		store_close(s);
	}
	if (lock >= 0)
		close(lock);
	return status;
}

int import_quietly(const char *database, const struct options *o, const char *directory,
                   char *source)
{
	struct import_command *c = calloc(1, sizeof *c);
	if (!c)
		return EXIT_FAULT;
	c->quiet = c->plain = true;
	c->options = *o;
	(void)snprintf(c->path, sizeof c->path, "%s", database);
	c->import.directory = directory;
	database_author(o, c->author);
	int status = import_sources(c, &source, 1);
	free(c); /* its options are the caller's */
	return status;
}

static int take_changed(void *ctx, char *const *changed, int count)
{
	struct import_command *c = ctx;
	c->run = (struct import_run){ .files = 0 };
	(void)import_sources(c, changed, count); /* what fails is told, and tried again when it grows */
	c->later = true;
	return 0;
}

/* Until it is ended.  The first pass is all there is. */
static int take_for_ever(struct import_command *c, char *const *source, int count)
{
	c->quiet = c->beside = c->plain = true;
	int err = follow(source, count, import_takes, take_changed, c);
	complain("import: --follow: %s%s", strerror(-err),
	         err == -ENOSPC ? "; raise fs.inotify.max_user_watches" : "");
	return EXIT_FAULT;
}

/* The memory is the last word, if that is one and not the only one. */
static int take_all(struct import_command *c, int argc, char **argv)
{
	const char *named = c->options.database;
	int last = argc;
	if (!named && argc - optind > 1 && is_target(argv[argc - 1]))
		named = argv[--last];
	int status = check_sources(c, argv + optind, last - optind, !named);
	if (status == EXIT_FINE)
		status = database_named(named, c->path);
	if (status != EXIT_FINE)
		return status;
	database_author(&c->options, c->author);
	return c->follows ? take_for_ever(c, argv + optind, last - optind) :
		import_sources(c, argv + optind, last - optind);
}

int cmd_import(int argc, char **argv)
{
	struct import_command *c = calloc(1, sizeof *c);
	int status = c ? parse(argc, argv, c) : EXIT_FAULT;
	if (status == EXIT_FINE)
		status = c->exact ? import_exact(argv[optind], argv[optind + 1], &c->options) :
			take_all(c, argc, argv);
	if (c)
		options_release(&c->options);
	free(c);
	return finish(status);
}

/* SPDX-License-Identifier: MIT */
/*
 * cinta rebuild [-q] [--keep] [--compact] [-d DB] [-o key_dir=DIR] [DB]
 * cinta rebuild [-q] --salvage NEW.db [-d DB] [-o key_dir=DIR] [DB]
 *
 * Owns the database while it runs: a mounted one is refused.  Until its last step, one rename,
 * the file is as it was; Ctrl-C before that leaves nothing behind.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fs/fs.h"
#include "mount/memory/memory.h"
#include "mount/verbs.h"
#include "store/store.h"

struct rebuild_command {
	struct options options;
	struct rebuild_options what;
	bool quiet, shows; /* shows: progress, on a terminal */
	bool missing, found; /* the head of the list was printed */
	sigset_t stops;    /* signals that end the work, cleanly */
};

/* ---- progress ------------------------------------------------------------- */

/* Which are blocked: the work looks for them, and puts away what it made. */
static void hold_signals(struct rebuild_command *c)
{
	sigemptyset(&c->stops);
	sigaddset(&c->stops, SIGINT);
	sigaddset(&c->stops, SIGTERM);
	sigaddset(&c->stops, SIGHUP);
	(void)sigprocmask(SIG_BLOCK, &c->stops, NULL);
}

static bool is_stopped(const struct rebuild_command *c)
{
	const struct timespec now = { 0, 0 };
	return sigtimedwait(&c->stops, NULL, &now) > 0;
}

static bool go_on(void *ctx, enum rebuild_step step, int64_t done, int64_t all)
{
	static const char *const names[] = { [REBUILD_ROWS] = "entries", [REBUILD_VIEWS] = "views",
		[REBUILD_PACK] = "packing", [REBUILD_CHECK] = "checking",
		[REBUILD_SEARCH] = "search index" };
	struct rebuild_command *c = ctx;
	if (c->shows && all > 0)
		fprintf(stderr, "\r\033[K%s: %" PRId64 " of %" PRId64, names[step], done, all);
	else if (c->shows)
		fprintf(stderr, "\r\033[K%s", names[step]);
	if (step != REBUILD_SEARCH)
		return !is_stopped(c);
	(void)sigprocmask(SIG_UNBLOCK, &c->stops, NULL); /* the file is in its place */
	return true;
}

static void clear_line(const struct rebuild_command *c)
{
	if (c->shows)
		fputs("\r\033[K", stderr);
}

/* ---- what came out ---------------------------------------------------------- */

static void print_missing(void *ctx, int64_t first, int64_t last, const char *stream,
                          int64_t stream_seq)
{
	struct rebuild_command *c = ctx;
	clear_line(c);
	if (!c->missing)
		printf("missing:\n");
	c->missing = true;
	if (stream)
		printf("  entry %" PRId64 ", number %" PRId64 " of %s\n", first, stream_seq + 1, stream);
	else if (first == last)
		printf("  entry %" PRId64 "\n", first);
	else
		printf("  entries %" PRId64 " to %" PRId64 "\n", first, last);
}

static void print_found(void *ctx, int64_t first, int64_t last)
{
	struct rebuild_command *c = ctx;
	clear_line(c);
	if (!c->found)
		printf("found in pages that damage had cut off:\n");
	c->found = true;
	if (first == last)
		printf("  entry %" PRId64 "\n", first);
	else
		printf("  entries %" PRId64 " to %" PRId64 "\n", first, last);
}

static int tell_salvaged(const struct rebuild_command *c, const struct rebuild_report *r)
{
	if (r->notes_lost > 0)
		printf("  signed notes between those that could be read\n");
	if (r->notes_false > 0)
		printf("left out: %" PRId64 " of the notes, which the tape's key did not sign\n",
		       r->notes_false);
	printf("%s: %" PRId64 " entries, %" PRId64 " missing; verify says %s%s%s\n", c->what.salvage,
	       r->entries, r->lost, r->verdict, r->detail[0] ? ": " : "", r->detail);
	if (r->leaning > 0)
		printf("of %" PRId64 " of them the text is packed beside a body that is missing, and"
		       " cannot be read\n", r->leaning);
	if (r->first_lost == 0)
		printf("without entry 0, which says what tape this is, it cannot be mounted; all it has:"
		       " sqlite3 %s .dump\n", c->what.salvage);
	return r->lost > 0 || r->leaning > 0 || r->notes_lost > 0 || !r->holds ? EXIT_FAULT : EXIT_FINE;
}

static int rebuild_tell(const char *path, const struct rebuild_command *c,
                        const struct rebuild_report *r)
{
	if (c->what.salvage)
		return tell_salvaged(c, r);
	if (c->what.compact)
		printf("%" PRId64 " bytes before, %" PRId64 " after\n", r->bytes_before, r->bytes_after);
	if (r->holds)
		return EXIT_FINE;
	complain("%s was rebuilt, but its tape does not hold, as it did not before: %s%s%s; restore a "
	         "copy, or find out who changed it", path, r->verdict, r->detail[0] ? ": " : "",
	         r->detail);
	return EXIT_FAULT;
}

static int rebuild(const char *path, struct rebuild_command *c)
{
	struct store_config config = { .flags = STORE_OWNER, .key_dir = c->options.key_dir,
		.text_size = fs_text_size, .plain_text = fs_plain_text };
	struct why why = { 0 };
	struct rebuild_report *report = calloc(1, sizeof *report);
	if (!report)
		return EXIT_FAULT;
	c->shows = !c->quiet && isatty(STDERR_FILENO);
	c->what.go_on = go_on;
	c->what.missing = print_missing;
	c->what.found = print_found;
	c->what.ctx = c;
	hold_signals(c);
	int error = store_remake(path, &config, &c->what, report, &why);
	clear_line(c);
	int status = error ? EXIT_FAULT : rebuild_tell(path, c, report);
	if (error)
		complain_why(path, &why, store_strerror(error));
	free(report);
	return status;
}

/* What can only be read is nobody's, and can only be salvaged. */
static int rebuild_path(const char *path, struct rebuild_command *c)
{
	int lock = -1, status = EXIT_FINE;
	if (!c->what.salvage || !store_is_still(path))
		status = database_lock(path, &lock);
	if (status == EXIT_FINE)
		status = rebuild(path, c);
	if (lock >= 0)
		close(lock);
	return status;
}

static int parse(int argc, char **argv, struct rebuild_command *c)
{
	static const struct option longs[] = { { "keep", no_argument, NULL, 'k' },
		{ "compact", no_argument, NULL, 'c' }, { "salvage", required_argument, NULL, 's' },
		{ "quiet", no_argument, NULL, 'q' }, { NULL, 0, NULL, 0 } };
	int status = EXIT_FINE;
	opterr = 0;
	for (int opt; status == EXIT_FINE &&
	     (opt = getopt_long(argc, argv, ":qo:d:", longs, NULL)) != -1;)
		switch (opt) {
		case 'k': c->what.keep = true; break;
		case 'c': c->what.compact = true; break;
		case 's': c->what.salvage = optarg; break;
		case 'q': c->quiet = true; break;
		case 'd': c->options.database = optarg; break;
		case 'o': status = database_options("rebuild", OPTIONS_KEYS, &c->options, optarg); break;
		default: status = usage_option("rebuild", argv, opt);
		}
	if (status == EXIT_FINE && c->what.salvage && (c->what.keep || c->what.compact))
		status = usage("rebuild", "rebuild: --salvage leaves the old file as it is; leave %s away",
		               c->what.keep ? "--keep" : "--compact");
	return status;
}

int cmd_rebuild(int argc, char **argv)
{
	char path[PATH_MAX];
	struct rebuild_command c = { .quiet = false };
	int status = parse(argc, argv, &c);
	if (status == EXIT_FINE)
		status = database_operand("rebuild", c.options.database, argc, argv, path);
	if (status == EXIT_FINE)
		status = rebuild_path(path, &c);
	options_release(&c.options);
	return finish(status);
}

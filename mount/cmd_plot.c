/* SPDX-License-Identifier: MIT */
/*
 * cinta plot NAME [--svg|--text] [-d DB] [DB]     how a memory grew and stands
 *
 * It works while the memory is mounted, and writes nothing but what the views have to catch up.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "fs/fs.h"
#include "mount/memory/memory.h"
#include "mount/verbs.h"
#include "store/store.h"

enum { WIDTH = 80, WIDTH_MOST = 120 };

static void print(void *ctx, const char *bytes, size_t len)
{
	(void)fwrite(bytes, 1, len, ctx); /* finish() sees whether it went out */
}

/* Characters of a line: the terminal's, if it is one. */
static int width(void)
{
	struct winsize w;
	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_col == 0)
		return WIDTH;
	return w.ws_col > WIDTH_MOST ? WIDTH_MOST : w.ws_col;
}

static int plot(const char *path, enum fs_plot which, bool svg)
{
	struct store *s = database_look(path, NULL);
	if (!s)
		return EXIT_FAULT;
	int err = fs_plot(s, which, svg, width(), print, stdout);
	store_close(s);
	if (err)
		complain("%s: %s", path, strerror(-err));
	return err ? EXIT_FAULT : EXIT_FINE;
}

/* The plot of that name; EXIT_USAGE after complaining. */
static int plot_named(const char *name, enum fs_plot *which)
{
	const char *meant = NULL;
	size_t best = NEAR_NOT;
	for (int i = 0; i < FS_PLOTS; i++) {
		const char *known = fs_plot_name((enum fs_plot)i);
		size_t slips = near_slips(name, strlen(name), known);
		if (slips < best) {
			best = slips;
			meant = known;
		}
		*which = (enum fs_plot)i;
		if (strcmp(name, known) == 0)
			return EXIT_FINE;
	}
	if (meant)
		return usage("plot", "plot: there is no `%s`; did you mean `%s`?", name, meant);
	return usage("plot", "plot: there is no `%s`; say %s", name,
	             "growth, facts, pressure, sessions, days or weeks");
}

int cmd_plot(int argc, char **argv)
{
	static const struct option longs[] = { { "svg", no_argument, NULL, 's' },
		{ "text", no_argument, NULL, 't' }, { NULL, 0, NULL, 0 } };
	const char *named = NULL;
	char path[PATH_MAX];
	enum fs_plot which = FS_PLOTS;
	bool svg = false, text = false;
	int status = EXIT_FINE;
	opterr = 0;
	for (int opt; status == EXIT_FINE &&
	              (opt = getopt_long(argc, argv, ":d:", longs, NULL)) != -1;) {
		if (opt == 'd')
			named = optarg;
		else if (opt != 's' && opt != 't')
			status = usage_option("plot", argv, opt);
		svg |= opt == 's';
		text |= opt == 't';
	}
	if (status == EXIT_FINE && svg && text)
		status = usage("plot", "plot: --svg or --text, not both");
	if (status == EXIT_FINE && optind == argc)
		status = usage("plot", "plot: say which: growth, facts, pressure, sessions, days or weeks");
	if (status == EXIT_FINE)
		status = plot_named(argv[optind++], &which);
	if (status == EXIT_FINE)
		status = database_operand("plot", named, argc, argv, path);
	if (status == EXIT_FINE)
		status = plot(path, which, svg);
	return finish(status);
}

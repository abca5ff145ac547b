/* SPDX-License-Identifier: MIT */
/*
 * cinta ls [-l] [-d DB] [PATH...]: what a directory of the memory lists, in the order of the
 * bytes; -l with mode, size, time in UTC, and where a link leads.  To a terminal
 * names are sent as pages show them.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mount/files/files.h"

static void print_mode(mode_t mode)
{
	static const char letters[] = "rwxrwxrwx";
	putchar(S_ISDIR(mode) ? 'd' : S_ISLNK(mode) ? 'l' : '-');
	for (int i = 0; i < 9; i++)
		putchar(mode & (0400U >> i) ? letters[i] : '-');
}

/* Exact in a pipe; a terminal obeys some names, and lets others look like something else. */
static void print_name(const char *name)
{
	char *seen = isatty(STDOUT_FILENO) ? fs_seen(name) : NULL;
	(void)fputs(seen ? seen : name, stdout);
	free(seen);
}

/* `path`: where it is, `name`: how it is shown. */
static int print_one(struct files *f, const char *path, const char *name, bool lengthy)
{
	struct stat st;
	char when[32], target[PATH_MAX];
	struct tm t;
	if (!lengthy) {
		print_name(name);
		putchar('\n');
		return EXIT_FINE;
	}
	int err = files_stat(f, path, false, &st);
	if (!err && S_ISLNK(st.st_mode))
		err = files_link(f, path, target, sizeof target);
	if (err)
		return files_complain(f, path, err);
	gmtime_r(&st.st_mtim.tv_sec, &t);
	(void)strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &t);
	print_mode(st.st_mode);
	printf(" %9lld %s ", (long long)st.st_size, when);
	print_name(name);
	if (S_ISLNK(st.st_mode)) {
		(void)fputs(" -> ", stdout);
		print_name(target);
	}
	putchar('\n');
	return EXIT_FINE;
}

static int print_directory(struct files *f, const char *path, bool lengthy)
{
	struct names n = { .count = 0 };
	char below[PATH_MAX];
	int status = EXIT_FINE, err = files_names(f, path, &n);
	if (err)
		status = files_complain(f, path, err);
	for (size_t i = 0; i < n.count; i++) {
		int len = snprintf(below, sizeof below, "%s/%s", path, n.name[i]);
		if (len > 0 && (size_t)len < sizeof below &&
		    print_one(f, below, n.name[i], lengthy) != EXIT_FINE)
			status = EXIT_FAULT;
	}
	names_release(&n);
	return status;
}

static int list(struct files *f, const char *path, bool lengthy, bool headed)
{
	struct stat st;
	int err = files_stat(f, path, !lengthy, &st);
	if (err)
		return files_complain(f, path, err);
	if (!S_ISDIR(st.st_mode))
		return print_one(f, path, path, lengthy);
	if (headed) {
		print_name(path);
		(void)fputs(":\n", stdout);
	}
	return print_directory(f, path, lengthy);
}

int cmd_ls(int argc, char **argv)
{
	struct files_command c = { .makes = false };
	struct files *f = NULL;
	int status = files_parse(argv, argc, "la1", &c);
	if (status == EXIT_FINE)
		status = files_start(&c, false, &f);
	if (f && optind == argc)
		status = list(f, ".", c.lengthy, false);
	for (int i = optind; f && i < argc; i++) {
		if (i > optind)
			putchar('\n');
		if (list(f, argv[i], c.lengthy, argc - optind > 1) != EXIT_FINE)
			status = EXIT_FAULT;
	}
	return files_finish(&c, f, status);
}

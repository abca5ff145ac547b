/* SPDX-License-Identifier: MIT */
/*
 * cinta append [-p] [-d DB] PATH < LINES     what `>>` does in a mount
 * cinta write [-p] [-d DB] PATH < FILE       what `>` does
 *
 * Standard input is read to its end before the memory is touched, so that nobody waits for a pipe.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount/files/files.h"

static int put_bytes(struct files *f, const char *path, int flags, bool makes, const char *bytes,
                     size_t len)
{
	int64_t stored = 0;
	int err = makes ? files_make_parents(f, path) : 0;
	if (!err)
		err = files_put(f, path, flags, bytes, len, &stored);
	if (!err)
		return EXIT_FINE;
	int status = files_complain(f, path, err);
	if (stored > 0 && flags & O_APPEND)
		complain("%s: the %lld lines before that piece of 128 KiB are stored", path,
		         (long long)stored);
	return status;
}

static int put_command(int argc, char **argv, int flags)
{
	struct files_command c = { .makes = false };
	struct files *f = NULL;
	char *bytes = NULL;
	size_t len = 0;
	int status = files_parse(argv, argc, "p", &c);
	if (status == EXIT_FINE && argc - optind != 1)
		status = usage(argv[0], "%s: give one PATH, not %d words", argv[0], argc - optind);
	int err = status == EXIT_FINE ? slurp(STDIN_FILENO, &bytes, &len) : 0;
	if (err) {
		complain("%s: standard input: %s", argv[0], strerror(-err));
		status = EXIT_FAULT;
	}
	if (status == EXIT_FINE && len == 0 && flags & O_APPEND) {
		complain("append: nothing came on standard input; nothing was changed");
		status = EXIT_FAULT;
	}
	if (status == EXIT_FINE)
		status = files_start(&c, true, &f);
	if (f)
		status = put_bytes(f, argv[optind], flags | O_CREAT, c.makes, bytes, len);
	free(bytes);
	return files_finish(&c, f, status);
}

int cmd_append(int argc, char **argv)
{
	return put_command(argc, argv, O_APPEND);
}

int cmd_write(int argc, char **argv)
{
	return put_command(argc, argv, O_TRUNC);
}

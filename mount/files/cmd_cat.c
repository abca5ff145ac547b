/* SPDX-License-Identifier: MIT */
/* cinta cat [-d DB] PATH...: the bytes of files of the memory, as a mount gives them. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mount/files/files.h"

enum { PIECE = 128 << 10 };

static int print(struct files *f, const char *path, char *piece)
{
	struct file file;
	int err = files_open(f, path, O_RDONLY, &file);
	if (err)
		return files_complain(f, path, err);
	ssize_t got = 1;
	while (got > 0 && !ferror(stdout)) {
		got = files_read(f, &file, piece, PIECE);
		if (got > 0)
			(void)fwrite(piece, 1, (size_t)got, stdout); /* finish() sees whether it went out */
	}
	err = files_close(f, &file);
	if (got < 0 || err)
		return files_complain(f, path, got < 0 ? (int)got : err);
	return EXIT_FINE;
}

int cmd_cat(int argc, char **argv)
{
	struct files_command c = { .makes = false };
	struct files *f = NULL;
	char *piece = malloc(PIECE);
	int status = piece ? files_parse(argv, argc, "", &c) : EXIT_FAULT;
	if (status == EXIT_FINE && optind == argc)
		status = usage("cat", "cat: name a file of the memory: cinta cat context.md");
	if (status == EXIT_FINE)
		status = files_start(&c, false, &f);
	for (int i = optind; f && i < argc; i++)
		if (print(f, argv[i], piece) != EXIT_FINE)
			status = EXIT_FAULT;
	free(piece);
	return files_finish(&c, f, status);
}

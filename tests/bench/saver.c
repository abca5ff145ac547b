/* SPDX-License-Identifier: MIT */
/*
 * Times saving one document of 4 KB again and again, as programs do it: `saver MODE
 * COUNT FILE` prints the seconds of all saves.  Run by tests/bench/run on a mount, on
 * barefs and on the directory below.
 *
 *   place    open with O_TRUNC, write, close
 *   rename   the same of FILE.tmp, then rename it
 *   synced   the same with an fsync before the close
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 4096 };
enum mode { PLACE, RENAME, SYNCED, MODES };
static const char *const mode_names[MODES] = { "place", "rename", "synced" };

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* A text that no save before had: about 60 lines, each numbered. */
static void make_text(char text[SIZE], long run, long n)
{
	char line[128];
	size_t len = (size_t)snprintf(line, sizeof line, "%ld.%ld a line of a document that a person "
	                              "or an agent keeps and edits\n", run, n);
	for (size_t at = 0; at < SIZE; at++)
		text[at] = line[at % len];
	text[SIZE - 1] = '\n';
}

static void save(enum mode mode, const char *path, const char *tmp, const char *text)
{
	const char *name = mode == PLACE ? path : tmp;
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, SIZE) != SIZE || (mode == SYNCED && fsync(fd)) || close(fd))
		fail(name);
	if (mode != PLACE && rename(tmp, path))
		fail(path);
}

int main(int argc, char **argv)
{
	char text[SIZE], tmp[4096];
	int mode = 0;
	while (argc == 4 && mode < MODES && strcmp(argv[1], mode_names[mode]) != 0)
		mode++;
	if (argc != 4 || mode == MODES) {
		fprintf(stderr, "usage: saver place|rename|synced COUNT FILE\n");
		return 2;
	}
	(void)snprintf(tmp, sizeof tmp, "%s.tmp", argv[3]);
	double spent = 0;
	for (long n = atol(argv[2]); n > 0; n--) {
		make_text(text, (long)getpid(), n);
		double start = now();
		save((enum mode)mode, argv[3], tmp, text);
		spent += now() - start;
	}
	printf("%.9f\n", spent);
	return 0;
}

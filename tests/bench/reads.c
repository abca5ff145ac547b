/* SPDX-License-Identifier: MIT */
/*
 * Times reading through plain system calls; run by tests/bench/run on a mount
 * and on its copy.  Prints seconds for all of the work.
 *
 *   reads whole          open, read all and close each path on standard input
 *   reads end            the same for the last 4 KiB, after appending a line to the
 *                        log (not timed), so that nothing is cached
 *   reads at FILE COUNT  COUNT preads of 4 KiB at random places of FILE
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { END = 4096 };

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

static void read_whole(const char *path)
{
	static char data[1 << 16];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;
	if (fd < 0)
		fail(path);
	while ((got = read(fd, data, sizeof data)) > 0) {
	}
	if (got < 0 || close(fd))
		fail(path);
}

static void add_line(const char *path)
{
	static const char line[] = "{\"role\":\"user\",\"content\":\"one line more\"}\n";
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0 || write(fd, line, sizeof line - 1) != sizeof line - 1 || close(fd))
		fail(path);
}

static void read_end(const char *path)
{
	char data[END];
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		fail(path);
	off_t from = st.st_size > END ? st.st_size - END : 0;
	if (pread(fd, data, sizeof data, from) != (ssize_t)(st.st_size - from))
		fail(path);
	if (data[st.st_size - from - 1] != '\n' || close(fd))
		fail(path);
}

static double each_path(int end)
{
	char path[4096];
	double spent = 0;
	while (fgets(path, sizeof path, stdin)) {
		path[strcspn(path, "\n")] = 0;
		if (end)
			add_line(path);
		double start = now();
		if (end)
			read_end(path);
		else
			read_whole(path);
		spent += now() - start;
	}
	return spent;
}

static double at_random(const char *path, long count)
{
	char data[END];
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) || st.st_size <= END)
		fail(path);
	srandom(1);
	double start = now();
	for (long i = 0; i < count; i++) {
		off_t from = ((off_t)random() << 16 ^ random()) % (st.st_size - END);
		if (pread(fd, data, sizeof data, from) != END)
			fail(path);
	}
	double spent = now() - start;
	close(fd);
	return spent;
}

int main(int argc, char **argv)
{
	double spent;
	if (argc == 2 && strcmp(argv[1], "whole") == 0) {
		spent = each_path(0);
	} else if (argc == 2 && strcmp(argv[1], "end") == 0) {
		spent = each_path(1);
	} else if (argc == 4 && strcmp(argv[1], "at") == 0) {
		spent = at_random(argv[2], atol(argv[3]));
	} else {
		fprintf(stderr, "usage: reads whole | reads end | reads at FILE COUNT\n");
		return 2;
	}
	printf("%.9f\n", spent);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Times appending lines: `writes MODE COUNT FILE…`, one process a FILE, each
 * appending COUNT messages of about 300 bytes.  Run by tests/bench/run on a
 * mount and on the directory below; prints the seconds from the common start to
 * the last writer's end.  Never makes a FILE on a mount: the log must be there.
 *
 *   kept       one open, one write(2) a line
 *   reopen     open, write, close for each line, as a shell's >>
 *   fsync      one open; write and fsync for each line
 *   fdatasync  the same with fdatasync
 *   files      FILE is a directory: a file of about 300 bytes is made in it for each line
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum mode { KEPT, REOPEN, FSYNC, FDATASYNC, NEW_FILES, MODES };
static const char *const mode_names[MODES] = { "kept", "reopen", "fsync", "fdatasync", "files" };

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fail(const char *what)
{
	perror(what);
	_exit(1);
}

static size_t make_line(char *line, size_t room, int writer, long n)
{
	int len = snprintf(line, room,
	                   "{\"role\":\"user\",\"content\":\"line %ld of writer %d: we agreed to keep the "
	                   "notes of each week in one place, to write down who decided what and why, and "
	                   "to look there before asking again; what changes later is written below it and "
	                   "the older text stays where it is, so that both can be read\"}\n", n, writer);
	return (size_t)len;
}

static int open_log(const char *path)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		fail(path);
	return fd;
}

static void make_files(const char *dir, int writer, long count)
{
	char line[512], path[4096];
	for (long i = 0; i < count; i++) {
		(void)snprintf(path, sizeof path, "%s/module%06ld.js", dir, i);
		int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		size_t len = make_line(line, sizeof line, writer, i);
		if (fd < 0 || write(fd, line, len) != (ssize_t)len || close(fd))
			fail(path);
	}
}

static void write_lines(enum mode mode, const char *path, int writer, long count)
{
	char line[512];
	int fd = mode == REOPEN ? -1 : open_log(path);
	for (long i = 0; i < count; i++) {
		size_t len = make_line(line, sizeof line, writer, i);
		if (mode == REOPEN)
			fd = open_log(path);
		if (write(fd, line, len) != (ssize_t)len)
			fail(path);
		if ((mode == FSYNC && fsync(fd)) || (mode == FDATASYNC && fdatasync(fd)))
			fail(path);
		if (mode == REOPEN && close(fd))
			fail(path);
	}
	if (mode != REOPEN && close(fd))
		fail(path);
}

/* The writers stand at a pipe until its writing end is closed. */
static pid_t start_writer(enum mode mode, const char *path, int writer, long count, int gate[2])
{
	pid_t pid = fork();
	if (pid < 0)
		fail("fork");
	if (pid > 0)
		return pid;
	char byte;
	close(gate[1]);
	if (read(gate[0], &byte, 1) != 0)
		fail("gate");
	if (mode == NEW_FILES)
		make_files(path, writer, count);
	else
		write_lines(mode, path, writer, count);
	_exit(0);
}

int main(int argc, char **argv)
{
	int mode = 0, gate[2], bad = 0;
	while (argc > 3 && mode < MODES && strcmp(argv[1], mode_names[mode]) != 0)
		mode++;
	if (argc < 4 || mode == MODES) {
		fprintf(stderr, "usage: writes kept|reopen|fsync|fdatasync|files COUNT FILE...\n");
		return 2;
	}
	if (pipe(gate))
		fail("pipe");
	for (int i = 3; i < argc; i++)
		(void)start_writer((enum mode)mode, argv[i], i - 3, atol(argv[2]), gate);
	usleep(20000); /* all of them at the gate */
	double start = now();
	close(gate[1]);
	for (int i = 3, status; i < argc; i++)
		bad |= wait(&status) < 0 || status != 0;
	printf("%.9f\n", now() - start);
	return bad;
}

/* SPDX-License-Identifier: MIT */
/* What /proc says of the processes that ask (base.h). */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fs/base/base.h"

size_t proc_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd >= 0 ? read(fd, text, size - 1) : -1;
	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	return got > 0 ? (size_t)got : 0;
}

size_t proc_read_all(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	for (ssize_t got = 1; fd >= 0 && got > 0 && len + 1 < size; len += got > 0 ? (size_t)got : 0)
		got = read(fd, text + len, size - 1 - len);
	if (fd >= 0)
		close(fd);
	text[len] = '\0';
	return len;
}

/* A line of a thread's status, as "\nTgid:": 0 if there is none. */
static pid_t status_number(pid_t thread, const char *line)
{
	char path[48], text[512]; /* what is asked for stands among the first lines */
	(void)snprintf(path, sizeof path, "/proc/%d/status", (int)thread);
	const char *at = thread > 0 && proc_read(path, text, sizeof text) ?
		strstr(text, line) : NULL;
	return at ? atoi(at + strlen(line)) : 0;
}

pid_t process_of(pid_t thread)
{
	/* A first thread, as most are, can be told by less than a status that the kernel must write. */
	int first = thread > 0 ? (int)syscall(SYS_pidfd_open, thread, 0) : -1;
	if (first >= 0) {
		close(first);
		return thread;
	}
	pid_t process = status_number(thread, "\nTgid:");
	return process > 0 ? process : thread;
}

/*
 * FUSE tells the thread, which may have a name of its own ("tokio-runtime-w"): the process's is
 * that of its first thread.
 */
void program_of(pid_t thread, char name[64])
{
	char path[48];
	(void)snprintf(path, sizeof path, "/proc/%d/comm", (int)process_of(thread));
	(void)proc_read(path, name, 64);
	name[strcspn(name, "\n")] = '\0';
}

/* Where field `n` of a process's stat begins, with a blank before it; NULL: it has none. */
static const char *stat_field(const char *text, int n)
{
	const char *at = strrchr(text, ')'); /* the name, field 2, may hold anything */
	for (int field = 2; at && field < n; field++)
		at = strchr(at + 1, ' ');
	return at;
}

/*
 * exec closes files, and with that waits for us, while it keeps a lock of the process that stat,
 * exe and environ wait for (exec_update_lock): whoever asked for these then would wait for ever.
 * statm waits for nobody.  A program whose code is not there yet is being begun; without memory it
 * ends.
 */
enum phase { RUNS, BEGINS, ENDS };

static enum phase phase_of(pid_t pid)
{
	char path[48], text[128];
	long size = 0, code = 0;
	(void)snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
	(void)proc_read(path, text, sizeof text);
	(void)sscanf(text, "%ld %*d %*d %ld", &size, &code);
	return size == 0 ? ENDS : code == 0 ? BEGINS : RUNS;
}

void process_look(pid_t thread, struct process *out)
{
	enum { STARTED = 22 };
	char path[48], text[1024];
	*out = (struct process){ .pid = process_of(thread) };
	if (phase_of(out->pid) == BEGINS) {
		program_of(thread, out->program);
		return;
	}
	(void)snprintf(path, sizeof path, "/proc/%d/stat", (int)out->pid);
	(void)proc_read(path, text, sizeof text);
	const char *name = strchr(text, '('), *end = strrchr(text, ')');
	const char *began = stat_field(text, STARTED);
	if (name && end > name)
		(void)snprintf(out->program, sizeof out->program, "%.*s", (int)(end - name - 1), name + 1);
	out->began = began ? strtoull(began, NULL, 10) : 0;
}

static bool is_one_of(const char *program, const char *const names[])
{
	for (size_t i = 0; names[i]; i++)
		if (strcmp(program, names[i]) == 0)
			return true;
	return false;
}

static const char *const copiers[] = { "cp", "mv", "tar", "bsdtar", "star", "cpio", "pax",
	"rsync", "rclone", "unzip", "7z", "7za", "busybox", NULL };
static const char *const searchers[] = { "zip", "git", "restic", "borg", "diff", "grep", "egrep",
	"fgrep", "rg", "ag", "ugrep", "find", "file", "sha256sum", "md5sum", NULL };

bool copies_trees(pid_t thread)
{
	char program[64];
	program_of(thread, program);
	return is_one_of(program, copiers);
}

bool reads_trees(pid_t thread)
{
	char program[64];
	program_of(thread, program);
	return is_one_of(program, copiers) || is_one_of(program, searchers);
}

/* The low bits of a process's exit code, field 52 of its stat, are the signal that ends it. */
bool is_killed(pid_t pid)
{
	enum { CODE = 52, SIGNAL = 0x7F };
	char path[48], text[1024];
	if (pid <= 0 || phase_of(pid) != ENDS)
		return false;
	(void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	(void)proc_read(path, text, sizeof text);
	const char *at = stat_field(text, CODE);
	return at && (atoi(at) & SIGNAL);
}

bool is_same_process(pid_t a, pid_t b)
{
	char path[64];
	(void)snprintf(path, sizeof path, "/proc/%d/task/%d", (int)a, (int)b);
	return a == b || access(path, F_OK) == 0;
}

bool is_begun_by(pid_t thread, pid_t process)
{
	enum { UP = 16 };
	bool is = is_same_process(process, thread);
	pid_t pid = thread;
	for (int i = 0; !is && i < UP && (pid = status_number(pid, "\nPPid:")) > 0; i++)
		is = pid == process;
	return is;
}

bool is_child(pid_t pid, pid_t process)
{
	char path[64];
	if (process <= 0 || is_same_process(process, pid))
		return false;
	(void)snprintf(path, sizeof path, "/proc/%d", (int)process);
	return access(path, F_OK) == 0;
}

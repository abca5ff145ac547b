/* SPDX-License-Identifier: MIT */
/* The door of fs/base: what every file of the room may use; it calls none of them. */
#ifndef CINTA_FS_BASE_H
#define CINTA_FS_BASE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "fs/base/client.h"
#include "fs/base/ino.h"
#include "fs/base/talk.h"
#include "fs/base/told.h"
#include "store/entry.h"

/* STORE_ and RENDER_ codes to negative errno: the one place. */
int errno_of_store(int code);
int errno_of_render(int code);
/* If `why` says nothing yet: that a write failed with this errno, and to do what `again`. */
void why_not_stored(int err, const char *again, struct why *why);
/* The same of the two errors of a memory's server alone; of others nothing. */
void why_no_answer(int err, const char *again, struct why *why);

/* Milliseconds of a clock that only goes forward. */
int64_t now_ms(void);
/* Microseconds of the calendar's clock, UTC. */
int64_t now_us(void);
/* Microseconds, before 1970 too, as stat tells them. */
struct timespec timespec_of(int64_t us);

/* The beginning of a file of /proc as a string, and its length; "" and 0 if there is none. */
size_t proc_read(const char *path, char *text, size_t size);
/*
 * The same of one that is given in pieces: as many bytes as there are and `size` - 1 hold, a NUL
 * behind them.
 */
size_t proc_read_all(const char *path, char *text, size_t size);
/* The process of a thread; the thread itself if that cannot be told. */
pid_t process_of(pid_t thread);
/* The name of a thread's program, "" if it cannot be known. */
void program_of(pid_t thread, char name[64]);
/* A process: the program is "" and the time 0 if it cannot be known, the time also in its exec. */
struct process {
	pid_t pid;
	uint64_t began; /* in ticks of the kernel: a number is given again */
	char program[64];
};
/* That of a thread: all of it in one read of /proc. */
void process_look(pid_t thread, struct process *out);
/*
 * True if it is one of the programs that copy and pack whole trees, or compare and search them; and
 * of those that put copies back: by their names, all anybody can tell.
 */
bool reads_trees(pid_t thread);
bool copies_trees(pid_t thread);
/* True if the process is being ended by a signal. */
bool is_killed(pid_t pid);
/* True if the thread is of that process, or of one that it began, or one of those did. */
bool is_begun_by(pid_t thread, pid_t process);
/* True if `pid` is of another process than this one, which still runs. */
bool is_child(pid_t pid, pid_t process);
/* True if these are threads of one process. */
bool is_same_process(pid_t a, pid_t b);

#endif

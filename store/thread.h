/* SPDX-License-Identifier: MIT */
/*
 * What a thread leaves behind when it waits: its dead stack frames and its vector registers
 * still hold what it copied last.  A thread that has served one request waits for the next one,
 * perhaps for days; what is redacted meanwhile must not be in its memory, nor in a core of it.
 * (A door, as ticker.h is: threads of mount/ and fs/ wait, too.)
 */
#ifndef CINTA_STORE_THREAD_H
#define CINTA_STORE_THREAD_H

/* So many bytes of the stack below the caller are cleared: a mount left 36 at most. */
enum { THREAD_STACK_CLEARED = 64 * 1024 };

/*
 * For a thread that is about to wait for work, not for an answer in the middle of it: clears the
 * stack below the caller's frame and the registers that memcpy() and its like go through.  Nothing
 * of what it clears may be in use, so what the caller needs is in its own frame or on the heap.
 * The thread has to have THREAD_STACK_CLEARED bytes of stack left.  Takes no lock, does not fail,
 * and keeps errno; about two microseconds.
 */
void thread_clear(void);

#endif

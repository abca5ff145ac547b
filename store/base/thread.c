/* SPDX-License-Identifier: MIT */
/*
 * Clearing what a thread leaves behind (thread.h).  What is cleared is an array of the function's
 * own frame: it lies where the frames of all that has returned have lain.
 *
 * Sanitizers give arrays a place elsewhere, so none looks at this function; the empty statement
 * that is told of the array keeps the compiler from leaving out the clearing of what nobody reads.
 */
#include "store/thread.h"

#include <string.h>

#include "store/base/registers.h"

__attribute__((noinline, no_sanitize("address", "undefined", "thread"))) void thread_clear(void)
{
	unsigned char below[THREAD_STACK_CLEARED];
	registers_clear(); /* first: on the way to memset() the linker may keep them on the stack */
	memset(below, 0, sizeof below);
	__asm__ volatile("" ::"r"(below) : "memory");
}

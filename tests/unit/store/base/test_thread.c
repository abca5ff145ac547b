/* SPDX-License-Identifier: MIT */
/*
 * What a thread leaves behind when it waits (store/thread.h): a child process leaves a pattern in
 * dead frames of its stack and in its registers and stops; the parent looks for it as a debugger
 * or a core does.  Without thread_clear() it is found there, so the looking is tested as well.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/thread.h"

enum { PATTERN = 64, PAGE = 4096, LOOK = 256 * 1024, REGISTERS = 16 * 1024 };

/* Made when the test runs, and never on a stack but by leave(). */
static unsigned char pattern[PATTERN];

static void make_pattern(void)
{
	for (int i = 0; i < PATTERN; i++)
		pattern[i] = (unsigned char)(0xa1 + 37 * i);
}

#if defined(__x86_64__)
#define IN_REGISTERS 1
static inline void fill_registers(void)
{
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vmovdqu (%0), %%ymm3" ::"r"(pattern) : "xmm3");
	if (__builtin_cpu_supports("avx512vl"))
		__asm__ volatile("vmovdqu64 (%0), %%zmm21" ::"r"(pattern));
	__asm__ volatile("movdqu (%0), %%xmm11" ::"r"(pattern) : "xmm11");
}
#elif defined(__aarch64__)
#define IN_REGISTERS 1
static inline void fill_registers(void)
{
	__asm__ volatile("ld1 {v3.16b}, [%0]\n\tld1 {v21.16b}, [%0]" ::"r"(pattern) : "v3", "v21");
}
#else
#define IN_REGISTERS 0
static inline void fill_registers(void)
{
}
#endif

/* Fills so much of the stack below the caller, most of it deep down, and registers. */
__attribute__((noinline, no_sanitize("address", "undefined"))) static void leave(size_t size)
{
	unsigned char deep[48 * 1024];
	for (size_t i = 0; i < size; i++)
		deep[i] = pattern[i % PATTERN];
	__asm__ volatile("" ::"r"(deep) : "memory");
	fill_registers();
}

static void stop_after(bool clear)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(1);
	leave(48 * 1024);
	if (clear)
		thread_clear();
	(void)kill(getpid(), SIGSTOP);
	_exit(0);
}

static int count(const unsigned char *bytes, size_t size)
{
	int found = 0;
	const unsigned char *at = bytes, *end = bytes + size;
	while ((at = memmem(at, (size_t)(end - at), pattern, 16))) {
		found++;
		at += 16;
	}
	return found;
}

/* How often it stands in the stack of a stopped child, below an address. */
static int in_stack(pid_t child, const unsigned char *top)
{
	static unsigned char page[PAGE];
	char path[64];
	int found = 0, seen = 0;
	(void)snprintf(path, sizeof path, "/proc/%d/mem", (int)child);
	int fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	for (off_t at = (off_t)(uintptr_t)top - LOOK; at < (off_t)(uintptr_t)top; at += PAGE)
		if (pread(fd, page, sizeof page, at) == PAGE) { /* else the stack has not grown so far */
			found += count(page, sizeof page);
			seen++;
		}
	close(fd);
	assert_true(seen > 0);
	return found;
}

/* A set of the registers of a stopped child; what this processor does not have is empty. */
static int in_registers(pid_t child, long set)
{
	static unsigned char bytes[REGISTERS];
	struct iovec v = { bytes, sizeof bytes };
	if (ptrace(PTRACE_GETREGSET, child, (void *)set, &v))
		return 0;
	return count(bytes, v.iov_len);
}

static void look(bool clear, int *stack, int *registers)
{
	int status = 0;
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0)
		stop_after(clear);
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	assert_true(WIFSTOPPED(status));
	*stack = in_stack(child, __builtin_frame_address(0));
	*registers = in_registers(child, NT_PRFPREG) + in_registers(child, NT_X86_XSTATE);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
}

static void test_left(void **state)
{
	int stack, registers;
	(void)state;
	look(false, &stack, &registers);
	assert_true(stack > 100);
	assert_true(registers > 0 || !IN_REGISTERS);
}

static void test_cleared(void **state)
{
	int stack, registers;
	(void)state;
	look(true, &stack, &registers);
	assert_int_equal(stack, 0);
	assert_int_equal(registers, 0);
}

/* What the caller has in use, and errno, stays. */
__attribute__((noinline)) static int use(int x)
{
	volatile int kept[100];
	double d = x / 2.0;
	for (int i = 0; i < 100; i++)
		kept[i] = x * i;
	errno = 77;
	thread_clear();
	assert_int_equal(errno, 77);
	assert_true(d == x / 2.0);
	for (int i = 0; i < 100; i++)
		assert_int_equal(kept[i], x * i);
	return kept[99];
}

static void *use_in_thread(void *arg)
{
	for (int i = 0; i < 1000; i++)
		if (use(i) != 99 * i)
			return NULL;
	return arg;
}

static void test_used(void **state)
{
	pthread_t thread;
	void *same = NULL;
	int here = use(7);
	(void)state;
	assert_int_equal(here, 693);
	assert_int_equal(pthread_create(&thread, NULL, use_in_thread, &here), 0);
	assert_int_equal(pthread_join(thread, &same), 0);
	assert_ptr_equal(same, &here);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_left),
		cmocka_unit_test(test_cleared),
		cmocka_unit_test(test_used),
	};
	make_pattern();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/*
 * Clears the registers that bytes are copied through; called by thread.c alone.  By the calling
 * conventions no function keeps anything in them over a call, so nobody misses what they held.
 */
#ifndef CINTA_STORE_BASE_REGISTERS_H
#define CINTA_STORE_BASE_REGISTERS_H

#if defined(__x86_64__)

/* Those that came with AVX-512, which the C library copies through where the processor has them. */
#define CLEAR_HIGH(n) "vpxorq %%xmm" #n ", %%xmm" #n ", %%xmm" #n "\n\t" /* and all above */
#define CLEAR_LOW(n)  "pxor %%xmm" #n ", %%xmm" #n "\n\t"

static inline void registers_clear(void)
{
	if (__builtin_cpu_supports("avx512vl"))
		__asm__ volatile(CLEAR_HIGH(16) CLEAR_HIGH(17) CLEAR_HIGH(18) CLEAR_HIGH(19)
		                 CLEAR_HIGH(20) CLEAR_HIGH(21) CLEAR_HIGH(22) CLEAR_HIGH(23)
		                 CLEAR_HIGH(24) CLEAR_HIGH(25) CLEAR_HIGH(26) CLEAR_HIGH(27)
		                 CLEAR_HIGH(28) CLEAR_HIGH(29) CLEAR_HIGH(30) CLEAR_HIGH(31)
		                 ::: "memory");
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vzeroall" ::: "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
		                 "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
		                 "xmm13", "xmm14", "xmm15");
	else
		__asm__ volatile(CLEAR_LOW(0) CLEAR_LOW(1) CLEAR_LOW(2) CLEAR_LOW(3) CLEAR_LOW(4)
		                 CLEAR_LOW(5) CLEAR_LOW(6) CLEAR_LOW(7) CLEAR_LOW(8) CLEAR_LOW(9)
		                 CLEAR_LOW(10) CLEAR_LOW(11) CLEAR_LOW(12) CLEAR_LOW(13)
		                 CLEAR_LOW(14) CLEAR_LOW(15)
		                 ::: "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",
		                 "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
		                 "xmm13", "xmm14", "xmm15");
}

#undef CLEAR_HIGH
#undef CLEAR_LOW

#elif defined(__aarch64__)

#define CLEAR(n) "movi v" #n ".2d, #0\n\t" /* and all above, where it has SVE */

static inline void registers_clear(void)
{
	__asm__ volatile(CLEAR(0) CLEAR(1) CLEAR(2) CLEAR(3) CLEAR(4) CLEAR(5) CLEAR(6) CLEAR(7)
	                 ::: "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7");
	__asm__ volatile(CLEAR(16) CLEAR(17) CLEAR(18) CLEAR(19) CLEAR(20) CLEAR(21) CLEAR(22)
	                 CLEAR(23) CLEAR(24) CLEAR(25) CLEAR(26) CLEAR(27) CLEAR(28) CLEAR(29)
	                 CLEAR(30) CLEAR(31)
	                 ::: "memory", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23",
	                 "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
}

#undef CLEAR

#else

#include <string.h>

/* The C library's own copying goes through them again, with nothing in it. */
static inline void registers_clear(void)
{
	char from[1024], to[1024];
	memset(from, 0, sizeof from);
	__asm__ volatile("" ::"r"(from) : "memory");
	for (volatile size_t size = sizeof from; size > 0; size /= 2) {
		memcpy(to, from, size);
		__asm__ volatile("" ::"r"(to) : "memory");
	}
}

#endif

#endif

/* SPDX-License-Identifier: MIT */
/* Puts the table that ranks.py made (RANKS_TABLE, a path in quotes) into the program. */
#ifdef __CET__
#include <cet.h> /* says that this object, which has no code, bears CET: one without it turns CET off for all */
#endif
	.section .rodata
	.balign 64
	.globl token_ranks
	.type token_ranks, %object
token_ranks:
	.incbin RANKS_TABLE
	.size token_ranks, . - token_ranks
	.section .note.GNU-stack, "", %progbits

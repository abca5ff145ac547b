/* SPDX-License-Identifier: MIT */
/*
 * What every fuzzer has: fuzz_NAME.c tries one input and aborts where a rule is broken.  `make fuzz
 * T=NAME` links it with libFuzzer, which looks for inputs; the tests link it with replay.c, which
 * tries those of corpus-NAME.  "Options: " in a fuzzer's head are libFuzzer's.
 */
#ifndef CINTA_FUZZ_H
#define CINTA_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define MUST(truth)              \
	do {                     \
		if (!(truth))    \
			abort(); \
	} while (0)

/* Tries one input: always 0, or no return at all. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif

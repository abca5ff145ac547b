/* SPDX-License-Identifier: MIT */
/* Where a test program keeps its files: tests/run gives each a directory, and takes it away. */
#ifndef CINTA_TESTS_PLACE_H
#define CINTA_TESTS_PLACE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Makes a new directory below CINTA_TEST_BASE, or /var/tmp; `path` has room for 64 bytes at least. */
static inline bool place_make(char *path, size_t size)
{
	const char *base = getenv("CINTA_TEST_BASE");
	int len = snprintf(path, size, "%s/cinta-XXXXXX", base ? base : "/var/tmp");
	return len > 0 && (size_t)len < size && mkdtemp(path);
}

#endif

/* SPDX-License-Identifier: MIT */
/* Times in names: NAME@TIME, .cinta/at/TIME. */
#ifndef CINTA_WHEN_H
#define CINTA_WHEN_H

#include <stddef.h>
#include <stdint.h>

/*
 * "2026-11-20", "2026-11-20T10:00", "…:00", "….123456", each but the day with an
 * optional Z: all UTC, in microseconds.  What is left out means its end: a day is
 * its last microsecond.  -EINVAL.
 */
int when_parse(const char *text, int64_t *us);
/* "2026-11-20T10:00:00.123456Z" */
void when_print(int64_t us, char *dst, size_t size);

#endif

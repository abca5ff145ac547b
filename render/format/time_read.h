/* SPDX-License-Identifier: MIT */
/* Times that people and programs write. */
#ifndef CINTA_TIME_READ_H
#define CINTA_TIME_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* RFC 3339 or YYYY-MM-DD (its midnight UTC) to microseconds; false: neither, or before 1970. */
bool time_read(const char *text, size_t len, int64_t *time_us);

#endif

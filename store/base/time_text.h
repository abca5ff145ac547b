/* SPDX-License-Identifier: MIT */
/* Times as programs write them (RFC 3339), read in the store as render/ reads them. */
#ifndef CINTA_STORE_TIME_TEXT_H
#define CINTA_STORE_TIME_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * "2023-05-08T10:00:00Z", with a fraction or an offset (+02:00) too, or "2023-05-08", its midnight
 * UTC, to microseconds since 1970.  False: it is neither, or before 1970.  tests/unit/test_saying.c
 * holds it to time_read() of render/, which checks what clients offer.
 */
bool time_of_text(const char *text, size_t len, int64_t *time_us);

#endif

/* SPDX-License-Identifier: MIT */
/* Dates in a query.  Private to render/, which has no clock and no calendar of libc's. */
#ifndef CINTA_QUERY_DATE_H
#define CINTA_QUERY_DATE_H

#include <stdint.h>

/*
 * 2026, 2026-01, 2026-01-31, 2026-01-31T10, …T10:00, …T10:00:59, those with a T with an
 * optional Z: the first microsecond of it, UTC.  RENDER_EINVAL; years 1970 to 9999.
 */
int query_date(const char *text, int64_t *us);

#endif

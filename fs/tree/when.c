/* SPDX-License-Identifier: MIT */
/* Times as people write them in a name, and back. */
#include "fs/tree/when.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "render/format/plain.h"

enum { SECOND = 1000000 };

/* "0000-00-00T00:00:00" with a digit for each 0, so that one time has one spelling a precision. */
static bool has_shape(const char *text, const char *shape, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		bool digit = text[i] >= '0' && text[i] <= '9';
		if (shape[i] == '0' ? !digit : text[i] != shape[i])
			return false;
	}
	return true;
}

/* ".1" to ".123456" at *at, which moves behind it; microseconds, -1: it is none. */
static int64_t fraction(const char **at)
{
	int64_t us = 0, unit = SECOND;
	for (++*at; **at >= '0' && **at <= '9' && unit > 1; ++*at) {
		unit /= 10;
		us += (**at - '0') * unit;
	}
	return unit < SECOND ? us + unit - 1 : -1;
}

int when_parse(const char *text, int64_t *us)
{
	static const struct {
		const char *shape, *format;
		int64_t rest; /* to its last microsecond */
	} form[] = {
		{ "0000-00-00T00:00:00", "%Y-%m-%dT%H:%M:%S", SECOND - 1 },
		{ "0000-00-00T00:00", "%Y-%m-%dT%H:%M", INT64_C(60) * SECOND - 1 },
		{ "0000-00-00", "%Y-%m-%d", INT64_C(86400) * SECOND - 1 },
	};
	for (int i = 0; i < 3; i++) {
		struct tm tm = { 0 }, same;
		size_t len = strlen(form[i].shape);
		if (!has_shape(text, form[i].shape, len))
			continue;
		const char *end = strptime(text, form[i].format, &tm);
		int64_t rest = form[i].rest;
		if (i == 0 && end && *end == '.')
			rest = fraction(&end);
		if (end && *end == 'Z' && i < 2)
			end++;
		if (!end || *end || rest < 0)
			return -EINVAL;
		same = tm;
		time_t t = timegm(&same);
		if (same.tm_mday != tm.tm_mday || same.tm_sec != tm.tm_sec)
			return -EINVAL; /* the 31st of a shorter month */
		*us = (int64_t)t * SECOND + rest;
		return 0;
	}
	return -EINVAL;
}

void when_print(int64_t us, char *dst, size_t size)
{
	struct buf text = BUF_INIT;
	buf_add_time(&text, us);
	(void)snprintf(dst, size, "%s", text.failed ? "?" : text.data);
	buf_release(&text);
}

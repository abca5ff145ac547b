/* SPDX-License-Identifier: MIT */
/* One finding of `cinta doctor`, in a line.  Called by its checks. */
#include <stdarg.h>
#include <stdio.h>

#include "mount/doctor/doctor.h"

void check_say(struct doctor *d, enum level level, const char *todo, const char *fmt, ...)
{
	static const char *const names[] = { "ok", "warn", "fail" };
	va_list ap;
	printf("%-4s ", names[level]);
	va_start(ap, fmt);
	(void)vprintf(fmt, ap);
	va_end(ap);
	printf("%s%s\n", todo[0] ? " — " : "", todo);
	d->failed |= level == LEVEL_FAIL;
}

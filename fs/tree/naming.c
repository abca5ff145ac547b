/* SPDX-License-Identifier: MIT */
/* Names that are refused when a file is made, so that nobody takes for kept what is not. */
#include "fs/tree/naming.h"

#include <errno.h>

int name_check(const struct place *p, const char *name, struct why *why)
{
	if (place_is_past(p, name)) {
		why_set(why, "save the document itself: that makes its next version",
		        "NAME@N, NAME@TIME and NAME@log are what a document was, and never written");
		return -EPERM;
	}
	return 0;
}

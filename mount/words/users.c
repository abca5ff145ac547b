/* SPDX-License-Identifier: MIT */
/* What users.h says. */
#include "mount/words/users.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>

/* The last number means none to the system's calls. */
static bool number(const char *text, unsigned *out)
{
	char *stop;
	errno = 0;
	unsigned long n = strtoul(text, &stop, 10);
	*out = (unsigned)n;
	return *text >= '0' && *text <= '9' && !*stop && !errno && n < (unsigned)-1;
}

bool user_by_name(const char *name, uid_t *out)
{
	const struct passwd *found = getpwnam(name);
	if (found)
		*out = found->pw_uid;
	return found || number(name, out);
}

bool group_by_name(const char *name, gid_t *out)
{
	const struct group *found = getgrnam(name);
	if (found)
		*out = found->gr_gid;
	return found || number(name, out);
}

/* SPDX-License-Identifier: MIT */
/* Who may use a mount (access.h); the kernel enforces it by the modes that fs/ shows. */
#include "mount/point/access.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "mount/words/words.h"

static int group_option(const char *name, struct fs_access *out, struct why *why)
{
	if (group_by_name(name, &out->gid))
		return 0;
	why_set(why, "name one that `getent group` lists, or make it with groupadd",
	        "group=%s: there is no such group", name);
	return -EINVAL;
}

static int uid_option(const char *name, struct fs_access *out, struct why *why)
{
	if (!user_by_name(name, &out->uid)) {
		why_set(why, "name one that `getent passwd` lists, or a number",
		        "uid=%s: there is no such user", name);
		return -EINVAL;
	}
	if (geteuid() == 0 || out->uid == geteuid())
		return 0;
	why_set(why, "leave it out, or mount as root", "uid=%s: only root can mount for another user",
	        name);
	return -EPERM;
}

static int umask_option(const struct options *o, struct fs_access *out, struct why *why)
{
	char *stop;
	unsigned long n = strtoul(o->umask, &stop, 8);
	if (*o->umask < '0' || *o->umask > '7' || *stop || n > 077) {
		why_set(why, "give what group and others lack, 000 to 077 in octal: 007 keeps others out",
		        "umask=%s: not such a number", o->umask);
		return -EINVAL;
	}
	if (!out->others) {
		why_set(why, "add allow_other or group=NAME", "umask=%s lets nobody in by itself",
		        o->umask);
		return -EINVAL;
	}
	out->umask = (mode_t)n;
	return 0;
}

int access_options(const struct options *o, struct fs_access *out, struct why *why)
{
	*out = (struct fs_access){ .uid = getuid(), .gid = getgid() };
	int error = o->group ? group_option(o->group, out, why) : 0;
	if (error == 0 && o->uid)
		error = uid_option(o->uid, out, why);
	out->others = o->allow_other || o->group || o->uid;
	/* The group of group= may all that the owner may, others read if they are let in. */
	out->umask = (o->group ? 0 : o->allow_other ? 020 : 070) | (o->allow_other ? 02 : 07);
	if (error == 0 && o->umask)
		error = umask_option(o, out, why);
	return error;
}

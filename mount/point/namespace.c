/* SPDX-License-Identifier: MIT */
/* Compares /proc/PID/ns/mnt (namespaces(7)).  Called by mount and umount.  It changes nothing. */
#include "mount/point/namespace.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount/memory/memory.h"

static bool read_namespace(const char *pid, char *dst, size_t size)
{
	char path[64];
	(void)snprintf(path, sizeof path, "/proc/%s/ns/mnt", pid);
	ssize_t n = readlink(path, dst, size - 1);
	dst[n > 0 ? n : 0] = '\0';
	return n > 0;
}

bool namespace_differs(pid_t pid)
{
	char name[32], ours[64], theirs[64];
	(void)snprintf(name, sizeof name, "%ld", (long)pid);
	return read_namespace("self", ours, sizeof ours) &&
	       read_namespace(name, theirs, sizeof theirs) && strcmp(ours, theirs) != 0;
}

struct hunt {
	const char *dir;
	struct mount_entry *out;
	bool found;
};

static int match(void *ctx, const struct mount_entry *e)
{
	struct hunt *h = ctx;
	if (strcmp(e->dir, h->dir) == 0) {
		*h->out = *e;
		h->found = true;
	}
	return 0;
}

bool namespace_find(const char *dir, struct mount_entry *e, pid_t *pid)
{
	struct hunt h = { dir, e, false };
	struct owner who;
	DIR *d = opendir("/proc");
	for (struct dirent *p; d && !h.found && (p = readdir(d));) {
		char *end;
		long id = strtol(p->d_name, &end, 10);
		if (*end || id <= 0 || !namespace_differs((pid_t)id))
			continue;
		(void)mounts_of_process((pid_t)id, match, &h);
		/* Any process of that namespace sees the mount; its owner is told by the lock. */
		*pid = h.found && owner_peek(e->source, &who) && who.pid > 0 ? who.pid : (pid_t)id;
	}
	if (d)
		closedir(d);
	return h.found;
}

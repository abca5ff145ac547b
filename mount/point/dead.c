/* SPDX-License-Identifier: MIT */
/* Frees what a dead daemon holds.  Called by mount and umount, after owner_state() said so. */
#include "mount/point/dead.h"

#include <errno.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "fs/fs.h"
#include "mount/memory/memory.h"
#include "mount/words/words.h"

/* DYING_MS: for one that is not stuck; PATIENCE_MS: after an abort, or until its supervisor, which
 * may do what we may not, has had its turn on a busy machine. */
enum { DYING_MS = 50, PATIENCE_MS = 5000, STEP_MS = 2 };

struct cut {
	const char *database;
	struct why *why;
	int error;
};

static int cut_one(void *ctx, const struct mount_entry *e)
{
	struct cut *c = ctx;
	if (strcmp(e->source, c->database))
		return 0;
	if (geteuid() != 0 && e->uid != geteuid()) {
		c->error = -EPERM;
		why_set(c->why, "ask its owner or root to unmount it",
		        "%s is a dead mount of user %u", e->dir, (unsigned)e->uid);
		return 0;
	}
	int error = fs_abort(e->device);
	/* With MNT_FORCE the kernel aborts first, and then finds it in use. */
	if (error && geteuid() == 0 && (umount2(e->dir, MNT_FORCE | UMOUNT_NOFOLLOW) == 0 ||
	                                errno == EBUSY))
		error = 0;
	if (error == 0)
		return 0;
	c->error = error;
	why_set(c->why, "as root: mount -t fusectl none /sys/fs/fuse/connections; then again",
	        "the daemon of %s died, a thread of it waits in the kernel, and its connection %u "
	        "cannot be aborted: %s", e->dir, e->device, strerror(-error));
	return 0;
}

/* True if the owner's last thread has ended within so many milliseconds. */
static bool wait_gone(const char *database, int ms, struct owner *who)
{
	for (int waited = 0; owner_state(database, who) == OWNER_DEAD; waited += STEP_MS) {
		if (waited >= ms)
			return false;
		usleep(STEP_MS * 1000);
	}
	return true;
}

int dead_free(const char *database, struct why *why)
{
	struct cut c = { .database = database, .why = why };
	struct owner who, now;
	if (owner_state(database, &who) != OWNER_DEAD || wait_gone(database, DYING_MS, &now))
		return 0;
	(void)mounts_each(cut_one, &c);
	if (wait_gone(database, PATIENCE_MS, &now)) {
		complain("note: the daemon (process %ld) died while a thread of it was waiting in the "
		         "kernel: its mounts were aborted", (long)who.pid);
		return 0;
	}
	if (c.error)
		return c.error;
	why_set(why, "restart the machine, if it stays; nothing is lost",
	        "process %ld, which served %s, is dead, but does not go", (long)who.pid, database);
	return -EBUSY;
}

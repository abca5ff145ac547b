/* SPDX-License-Identifier: MIT */
/*
 * cinta umount [-l] DIR
 *
 * Returns when the mount is gone and, if it was the last of its database, when
 * the daemon has put everything away.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fs/fs.h"
#include "mount/daemon.h"
#include "mount/dead.h"
#include "mount/mounts.h"
#include "mount/owner.h"
#include "mount/paths.h"
#include "mount/unmount.h"
#include "mount/verbs.h"

enum { PATIENCE_MS = 10000, STEP_MS = 20 };

static void explain(const char *dir, int error)
{
	char holders[512];
	if (error != -EBUSY) {
		complain("%s: %s", dir, error == -EPERM ? "mounted by another user" : strerror(-error));
		return;
	}
	unmount_holders(dir, holders, sizeof holders);
	if (holders[0])
		complain("%s is in use by these; end or move them, or use -l:", dir);
	else
		complain("%s is in use; `fuser -vm %s` as root tells by whom, -l unmounts anyway", dir,
		         dir);
	fputs(holders, stderr);
}

/* The last mount's daemon signs and closes before it lets go of the lock. */
static int wait_gone(const struct mount_entry *e)
{
	struct owner who;
	for (int waited = 0; waited < PATIENCE_MS; waited += STEP_MS) {
		if (mounts_of(e->source) > 0 || !owner_peek(e->source, NULL))
			return EXIT_FINE;
		usleep(STEP_MS * 1000);
	}
	if (!owner_peek(e->source, &who))
		return EXIT_FINE;
	complain("%s is unmounted, but its daemon (process %ld) is still busy", e->dir,
	         (long)who.pid);
	return EXIT_FAULT;
}

/*
 * Before the name goes, for without it nobody finds the connection.  A mount without an owner is
 * one of a read-only place: it is dead if it does not answer.
 */
static int free_dead(const struct mount_entry *e, bool *lazy, struct why *why)
{
	struct owner who;
	enum owner_state state = owner_state(e->source, &who);
	if (state == OWNER_DEAD) {
		*lazy = true;
		return dead_free(e->source, why);
	}
	if (state == OWNER_NONE && *lazy && daemon_probe(e->dir, PATIENCE_MS) == -ETIMEDOUT)
		(void)fs_abort(e->device);
	return 0;
}

static int umount_one(const char *given, bool lazy)
{
	char dir[PATH_MAX];
	int error = path_mount_point(given, dir);
	if (error) {
		complain("%s: %s", given, strerror(-error));
		return EXIT_FAULT;
	}
	struct mount_entry *e = malloc(sizeof *e);
	if (!e)
		return EXIT_FAULT;
	int status = EXIT_FAULT;
	if (!mounts_at(dir, e)) {
		complain("%s is not mounted by cinta", given);
		goto out;
	}
	struct why why = { 0 };
	error = free_dead(e, &lazy, &why);
	if (error) {
		complain_why(dir, &why, strerror(-error));
		goto out;
	}
	error = unmount_dir(dir, lazy);
	if (error)
		explain(dir, error);
	else
		status = wait_gone(e);
out:
	free(e);
	return status;
}

int cmd_umount(int argc, char **argv)
{
	bool lazy = false;
	opterr = 0;
	for (int opt; (opt = getopt(argc, argv, ":l")) != -1;) {
		if (opt != 'l')
			return usage_option("umount", argv, opt);
		lazy = true;
	}
	if (argc - optind != 1)
		return usage("umount", "umount: needs DIR");
	return umount_one(argv[optind], lazy);
}

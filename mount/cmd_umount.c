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
#include "mount/daemon/daemon.h"
#include "mount/memory/memory.h"
#include "mount/point/point.h"
#include "mount/verbs.h"

enum { PATIENCE_MS = 10000, BUSY_MS = 2000, STEP_MS = 20 };

/*
 * A mount is busy for a moment where somebody looks through /proc at who has what open.  So where
 * nobody is seen to use it, it is tried again; `holders`: who does, or empty.
 */
static int unmount_patiently(const char *dir, bool lazy, char *words, size_t size,
                             char *holders, size_t room)
{
	holders[0] = '\0';
	for (int waited = 0;; waited += STEP_MS) {
		int error = unmount_told(dir, lazy, words, size);
		if (error != -EBUSY)
			return error;
		unmount_holders(dir, holders, room);
		if (holders[0] || waited >= BUSY_MS)
			return error;
		usleep(STEP_MS * 1000);
	}
}

/* -l of a mount that is in use: *used.  Nobody looks for who it is, for that may wait for ever. */
static int unmount_lazily(const char *dir, bool *used, char *words, size_t size)
{
	int error = unmount_told(dir, false, words, size);
	*used = error == -EBUSY;
	return error ? unmount_told(dir, true, words, size) : 0;
}

static void explain(const char *dir, int error, const char *words, const char *holders)
{
	if (error != -EBUSY) {
		const char *todo = strstr(words, "/etc/mtab") ?
			"as root: ln -s ../proc/self/mounts /etc/mtab" :
			error == -ENOENT ? "install the package fuse3" : "see `cinta doctor`";
		if (error == -EPERM)
			complain("%s was mounted by another user; that user or root unmounts it", dir);
		else if (words[0])
			complain("%s stays mounted: fusermount3 says: %s; %s", dir, words, todo);
		else
			complain("%s stays mounted: %s; %s", dir, strerror(-error), todo);
		return;
	}
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

/* Nothing of ours is at `dir`, as far as this namespace can see. */
static void not_here(const char *given, const char *dir, struct mount_entry *e)
{
	pid_t pid = 0;
	if (namespace_find(dir, e, &pid))
		complain("%s is mounted in another mount namespace only, by process %ld (%s); end it "
		         "with `kill %ld`", given, (long)pid, e->source, (long)pid);
	else if (mounts_around(dir, e))
		complain("%s lies inside the memory at %s; unmount that", given, e->dir);
	else
		complain("%s is not mounted by cinta; `findmnt -t fuse.cinta` lists what is", given);
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
	if (state == OWNER_NONE && *lazy && mount_probe(e->dir, PATIENCE_MS) == -ETIMEDOUT)
		(void)fs_abort(e->device);
	return 0;
}

/*
 * Files that the daemon can keep nowhere would go with its last mount; whatever else is wrong with
 * the memory.  An older daemon is not asked.
 */
static bool would_lose(const struct mount_entry *e)
{
	struct owner who;
	struct control_kept kept = { 0 };
	struct why why = { 0 };
	if (mounts_of(e->source) != 1 || !owner_peek(e->source, &who) || !who.socket[0])
		return false;
	if (control_keep(who.socket, &kept, &why) == -ETIMEDOUT) {
		complain("%s: its daemon (process %ld) does not say whether it has kept all files off the"
		         " tape; try again, or go without them: cinta umount -l", e->dir, (long)who.pid);
		return true;
	}
	if (kept.unkept == 0)
		return false;
	complain("%s: %lld file%s off the tape would be gone: %s, or give %s up: cinta umount -l",
	         e->dir, (long long)kept.unkept, kept.unkept == 1 ? "" : "s", kept.why,
	         kept.unkept == 1 ? "it" : "them");
	return true;
}

static int umount_one(const char *given, bool asked_lazy)
{
	bool lazy = asked_lazy, used = false;
	char dir[PATH_MAX];
	int error = path_mount_point(given, dir);
	if (error) {
		complain("%s: %s; check the path", given, strerror(-error));
		return EXIT_FAULT;
	}
	struct mount_entry *e = malloc(sizeof *e);
	if (!e)
		return EXIT_FAULT;
	int status = EXIT_FAULT;
	if (!mounts_at(dir, e)) {
		not_here(given, dir, e);
		goto out;
	}
	struct why why = { 0 };
	char words[256], holders[512];
	if (chdir("/") < 0) /* who stands in the mount keeps it in use */
		complain("note: /: %s", strerror(errno));
	error = free_dead(e, &lazy, &why);
	if (error) {
		complain_why(dir, &why, strerror(-error));
		goto out;
	}
	if (!lazy && would_lose(e))
		goto out;
	holders[0] = '\0';
	if (asked_lazy)
		error = unmount_lazily(dir, &used, words, sizeof words);
	else
		error = unmount_patiently(dir, lazy, words, sizeof words, holders, sizeof holders);
	if (error)
		explain(dir, error, words, holders);
	else
		status = used ? EXIT_FINE : wait_gone(e); /* it goes with its users */
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
		return usage("umount", "umount: give one DIR, not %d words", argc - optind);
	if (!*argv[optind])
		return usage("umount", "umount: the name of DIR is empty; is a variable unset?");
	return umount_one(argv[optind], lazy);
}

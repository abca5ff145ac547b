/* SPDX-License-Identifier: MIT */
/*
 * cinta rescue DIR NEW.db
 * cinta rescue [REPLICA] postgresql://…    (mount/server)
 *
 * Asks the process that serves the mount on DIR to write all it holds to a new file, and verifies
 * that: for a database that was deleted or replaced under its mount.  The process is found by its
 * socket, because the lock may be deleted with the database.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount/daemon/daemon.h"
#include "mount/memory/memory.h"
#include "mount/server/server.h"
#include "mount/verbs.h"
#include "store/store.h"

struct asking {
	struct control_rescue request;
	struct why why;
	int error; /* of the daemon that has the mount; -ENODEV: none was found */
};

/* A socket that nobody listens at, and a daemon of other mounts, are passed by. */
static int ask_one(void *ctx, const char *path)
{
	struct asking *a = ctx;
	int error = control_ask_rescue(path, &a->request, &a->why);
	if (error == -ENODEV || error == -ENOENT || error == -ECONNREFUSED)
		return 0;
	a->error = error;
	return 1;
}

static void ask_all(struct asking *a, const struct mount_entry *e)
{
	struct owner who;
	if (owner_peek(e->source, &who) && who.socket[0] && ask_one(a, who.socket))
		return;
	(void)sockets_each(e->source, e->uid, ask_one, a);
}

static int write_new(const char *dir, const struct mount_entry *e, const char *to)
{
	struct asking a = { { e->device, to }, { 0 }, -ENODEV };
	ask_all(&a, e);
	if (a.error == 0)
		return EXIT_FINE;
	if (a.error == -ENODEV)
		complain("no process that serves %s answers; what a process held ends with it, what is on "
		         "disk is in %s", dir, e->source);
	else
		complain_why("rescue", &a.why, strerror(-a.error));
	return EXIT_FAULT;
}

static int find_mount(const char *given, struct mount_entry *e)
{
	char dir[PATH_MAX];
	int error = path_mount_point(given, dir);
	if (error == 0 && mounts_at(dir, e))
		return EXIT_FINE;
	complain("%s: %s; name the directory that the memory is mounted on", given,
	         error ? strerror(-error) : "nothing is mounted there by cinta");
	return EXIT_FAULT;
}

/* A daemon that writes the new file into a mount of its own waits for itself. */
static int outside(const char *to)
{
	struct mount_entry *e = calloc(1, sizeof *e);
	bool inside = !e || mounts_around(to, e);
	if (inside)
		complain("%s lies inside the memory at %s; name a file outside", to, e ? e->dir : "?");
	free(e);
	return inside ? EXIT_FAULT : EXIT_FINE;
}

static int rescue(const char *dir, const char *given)
{
	char *to = strdup(given);
	struct mount_entry *e = calloc(1, sizeof *e);
	int status = to && e ? find_mount(dir, e) : EXIT_FAULT;
	int error = status == EXIT_FINE ? path_absolute(&to) : 0;
	if (error) {
		complain("%s: %s", given, strerror(-error));
		status = EXIT_FAULT;
	}
	if (status == EXIT_FINE)
		status = outside(to);
	if (status == EXIT_FINE)
		status = write_new(dir, e, to);
	if (status == EXIT_FINE) {
		printf("%s\n", to);
		status = verify_new(to);
	}
	free(e);
	free(to);
	return status;
}

int cmd_rescue(int argc, char **argv)
{
	opterr = 0;
	for (int opt; (opt = getopt(argc, argv, ":")) != -1;)
		return usage_option("rescue", argv, opt);
	const char *last = argc > optind ? argv[argc - 1] : "";
	if (store_is_server(last) && argc - optind <= 2)
		return finish(rescue_to_server(argc - optind == 2 ? argv[optind] : NULL, last));
	if (argc - optind != 2)
		return usage("rescue", "rescue: give DIR and the new file, not %d words", argc - optind);
	if (!*argv[optind] || !*argv[optind + 1])
		return usage("rescue", "rescue: a name is empty; is a variable unset?");
	return finish(rescue(argv[optind], argv[optind + 1]));
}

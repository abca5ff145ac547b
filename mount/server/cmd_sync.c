/* SPDX-License-Identifier: MIT */
/*
 * cinta sync [--upto N] [-d DB] [DB]: what `cat .cinta/sync` is to a mount, with an exit status
 *
 * It takes the entries by itself, into the same file that a daemon serves.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mount/memory/memory.h"
#include "mount/server/server.h"
#include "store/store.h"

enum { STEP_MS = 100 };

static void print(const struct sync_state *now)
{
	printf("%lld ", (long long)now->entries - 1);
	for (int i = 0; i < HASH_SIZE; i++)
		printf("%02x", now->leaf[i]);
	printf("\n");
}

static int sync_path(const char *path, int64_t upto)
{
	struct sync_state now;
	struct status st;
	struct store *s = database_is_replica(path) ? database_append(path, NULL) :
		database_look(path, NULL);
	if (!s)
		return EXIT_FAULT;
	int err = store_catch_up_far(s, &now);
	if (!err && now.entries <= upto && !database_is_replica(path)) {
		complain("%s has entries up to %lld and is on no server that more could come from; leave "
		         "--upto out", path, (long long)now.entries - 1);
		store_close(s);
		return EXIT_FAULT;
	}
	while (!err && now.entries <= upto) {
		usleep(STEP_MS * 1000);
		err = store_catch_up_far(s, &now);
	}
	store_status(s, &st);
	store_close(s);
	print(&now);
	if (err)
		complain("behind: %s", st.trouble[0] ? st.trouble : store_strerror(err));
	return err ? EXIT_FAULT : EXIT_FINE;
}

int cmd_sync(int argc, char **argv)
{
	static const struct option longs[] = { { "upto", required_argument, NULL, 'u' },
		{ NULL, 0, NULL, 0 } };
	char path[PATH_MAX], *end = NULL;
	const char *named = NULL;
	long long upto = -1;
	opterr = 0;
	for (int opt; (opt = getopt_long(argc, argv, ":d:", longs, NULL)) != -1;) {
		if (opt == 'd')
			named = optarg;
		else if (opt != 'u')
			return usage_option("sync", argv, opt);
		else if ((upto = strtoll(optarg, &end, 10)) < 0 || *end || end == optarg)
			return usage("sync", "sync: --upto %s: not the number of an entry", optarg);
	}
	int status = database_operand("sync", named, argc, argv, path);
	return finish(status == EXIT_FINE ? sync_path(path, upto) : status);
}

/* SPDX-License-Identifier: MIT */
/*
 * cinta copy [-o key_dir=DIR] FROM TO: a whole memory, from a database to a server or back
 *
 * Entries keep their numbers, hashes and times.  Both sides are verified: what is on a server is
 * taken into this machine's replica, hash by hash, and the replica is verified.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fs/fs.h"
#include "mount/memory/memory.h"
#include "mount/server/server.h"
#include "store/store.h"

int server_verified(const char *path, const struct options *o, struct verify_report *r)
{
	const struct verify_options with = { .key_dir = o->key_dir, .text_size = fs_text_size,
		.plain_text = fs_plain_text };
	int err = store_verify(path, &with, r);
	if (!err && (r->verdict == VERDICT_OK || r->verdict == VERDICT_UNVERIFIABLE))
		return EXIT_FINE;
	complain("%s: %s: %s", path, err ? store_strerror(err) : verdict_name(r->verdict), r->detail);
	return EXIT_FAULT;
}

static int told(const struct verify_report *here, const struct verify_report *there)
{
	if (there->entries < here->entries || (there->entries == here->entries &&
	    memcmp(there->root, here->root, sizeof here->root) != 0)) {
		complain("the copy is not what was copied; do not use it");
		return EXIT_FAULT;
	}
	printf("Copied: %lld entries, both sides verified\n", (long long)here->entries);
	return EXIT_FINE;
}

static int to_server(const char *from, const char *url, const struct options *o)
{
	char path[PATH_MAX], replica[PATH_MAX];
	struct verify_report here, there;
	struct why why = { 0 };
	int lock = -1, status = database_named(from, path);
	if (status == EXIT_FINE) /* nobody appends meanwhile, who would then be on one of the two */
		status = database_lock(path, &lock);
	if (status == EXIT_FINE)
		status = server_verified(path, o, &here);
	int err = status == EXIT_FINE ? store_to_server(path, url, &why) : 0;
	if (err) {
		complain_why("server", &why, store_strerror(err));
		status = EXIT_FAULT;
	}
	if (status == EXIT_FINE)
		status = database_bring_up(url, o, replica);
	if (status == EXIT_FINE)
		status = server_verified(replica, o, &there);
	if (status == EXIT_FINE)
		status = told(&here, &there);
	if (lock >= 0)
		close(lock);
	return status;
}

static int from_server(const char *url, const char *to, const struct options *o)
{
	char path[PATH_MAX];
	struct verify_report here, there;
	struct why why = { 0 };
	if (access(to, F_OK) == 0) {
		complain("%s is there already; a copy makes a new file, and changes none", to);
		return EXIT_FAULT;
	}
	int status = database_bring_up(url, o, path);
	if (status == EXIT_FINE)
		status = server_verified(path, o, &here);
	struct store *s = status == EXIT_FINE ? database_read(path, o->key_dir) : NULL;
	int err = s ? store_rescue(s, to, &why) : 0;
	store_close(s);
	if (err)
		complain_why(to, &why, store_strerror(err));
	if (!s || err)
		return EXIT_FAULT;
	status = server_verified(to, o, &there);
	return status == EXIT_FINE ? told(&here, &there) : status;
}

int cmd_copy(int argc, char **argv)
{
	struct options o = { 0 };
	int status = EXIT_FINE;
	opterr = 0;
	for (int opt; status == EXIT_FINE && (opt = getopt(argc, argv, ":o:")) != -1;)
		status = opt == 'o' ? database_options("copy", OPTIONS_KEYS, &o, optarg) :
			usage_option("copy", argv, opt);
	const char *from = argc - optind == 2 ? argv[optind] : "", *to = *from ? argv[optind + 1] : "";
	if (status == EXIT_FINE && (!*from || !*to))
		status = usage("copy", "copy: give FROM and TO");
	if (status == EXIT_FINE && store_is_server(from) == store_is_server(to))
		status = usage("copy", "copy: one of the two is a server, postgresql://HOST/DATABASE; for a"
		               " file from a file there is cinta backup");
	if (status == EXIT_FINE)
		status = store_is_server(to) ? to_server(from, to, &o) : from_server(from, to, &o);
	options_release(&o);
	return finish(status);
}

/* SPDX-License-Identifier: MIT */
/*
 * cinta init [-o opt,…] [DB]      makes a tape and its key
 * cinta rebuild [-o opt,…] [DB]   makes all views again from the tape
 *
 * Both own the database while they run: a mounted one is refused.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs/fs.h"
#include "mount/database.h"
#include "mount/owner.h"
#include "mount/paths.h"
#include "mount/verbs.h"
#include "store/store.h"

/* Only -o; EXIT_FINE or EXIT_USAGE. */
static int parse(int argc, char **argv, unsigned where, struct options *o)
{
	opterr = 0;
	for (int opt; (opt = getopt(argc, argv, ":o:")) != -1;) {
		if (opt != 'o')
			return usage_option(argv[0], argv, opt);
		int status = database_options(argv[0], where, o, optarg);
		if (status != EXIT_FINE)
			return status;
	}
	if (argc - optind > 1)
		return usage(argv[0], "%s: one database at a time", argv[0]);
	return EXIT_FINE;
}

static int own(const char *database, int *lock)
{
	struct owner who;
	int error = owner_take(database, lock);
	if (error == 0)
		return EXIT_FINE;
	if (error == -EWOULDBLOCK && owner_peek(database, &who))
		complain("%s is in use by process %ld; `cinta umount` its mounts first", database,
		         (long)who.pid);
	else
		complain("%s.lock: %s", database, strerror(-error));
	return EXIT_FAULT;
}

static int make(const char *path, const struct options *o)
{
	struct store_config config = {
		.flags = STORE_OWNER | STORE_CREATE,
		.origin = o->origin,
		.key_dir = o->key_dir,
		.text_size = fs_text_size,
		.plain_text = fs_plain_text,
	};
	struct why why = { 0 };
	struct store *s = NULL;
	char vkey[512];
	int error = store_open(path, &config, &s, &why);
	if (error == 0)
		error = store_vkey(s, vkey, sizeof vkey);
	if (error)
		complain_why(path, &why, store_strerror(error));
	else
		printf("%s\n", vkey);
	if (s)
		store_close(s);
	return error ? EXIT_FAULT : EXIT_FINE;
}

static int init_path(const char *given, const struct options *o)
{
	char path[PATH_MAX];
	struct stat st;
	int lock = -1, error = path_database(given, true, path);
	if (error) {
		complain("%s: %s", given ? given : "the default database", strerror(-error));
		return EXIT_FAULT;
	}
	int status = own(path, &lock);
	if (status != EXIT_FINE)
		return status;
	if (stat(path, &st) == 0 && st.st_size > 0) {
		complain("%s exists; nothing was changed", path);
		status = EXIT_FAULT;
	} else {
		status = make(path, o);
	}
	close(lock);
	return status;
}

int cmd_init(int argc, char **argv)
{
	struct options o = { 0 };
	int status = parse(argc, argv, OPTIONS_INIT, &o);
	if (status == EXIT_FINE)
		status = init_path(optind < argc ? argv[optind] : NULL, &o);
	options_release(&o);
	return finish(status);
}

static int rebuild_path(const char *path, const struct options *o)
{
	struct store_config config = {
		.flags = STORE_OWNER,
		.key_dir = o->key_dir,
		.text_size = fs_text_size,
		.plain_text = fs_plain_text,
	};
	struct why why = { 0 };
	int lock = -1, status = own(path, &lock);
	if (status != EXIT_FINE)
		return status;
	int error = store_rebuild(path, &config, &why);
	if (error) {
		complain_why(path, &why, store_strerror(error));
		status = EXIT_FAULT;
	}
	close(lock);
	return status;
}

int cmd_rebuild(int argc, char **argv)
{
	char path[PATH_MAX];
	struct options o = { 0 };
	int status = parse(argc, argv, OPTIONS_KEYS, &o);
	if (status == EXIT_FINE)
		status = database_operand("rebuild", argc, argv, path);
	if (status == EXIT_FINE)
		status = rebuild_path(path, &o);
	options_release(&o);
	return status;
}

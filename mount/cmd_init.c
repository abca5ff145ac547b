/* SPDX-License-Identifier: MIT */
/*
 * cinta init [-o opt,…] [DB | URL]
 *
 * Makes a tape and its key, and owns the database meanwhile.  On a server: makes it here first, as
 * the replica it will be, and puts it there.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs/fs.h"
#include "mount/memory/memory.h"
#include "mount/verbs.h"
#include "store/store.h"

/* -o, -d and the operand; EXIT_FINE or EXIT_USAGE. */
static int parse(int argc, char **argv, unsigned where, struct options *o)
{
	int status = database_words(argc, argv, where, o);
	if (status != EXIT_FINE)
		return status;
	if (argc - optind > (o->database ? 0 : 1))
		return usage(argv[0], "%s: one database at a time, not also %s", argv[0], argv[argc - 1]);
	if (optind < argc)
		o->database = argv[optind];
	return EXIT_FINE;
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
	if (given && !*given) {
		complain("the name of the database is empty; is a variable unset?");
		return EXIT_FAULT;
	}
	if (error) {
		complain("%s: %s; %s", given ? given : "the default database", strerror(-error),
		         given && strstr(given, "://") ? "a server's name begins with postgresql://" :
		         error == -ENOENT ? "make its directory with mkdir -p" :
		         error == -EISDIR ? "name a file in it" : "check the path");
		return EXIT_FAULT;
	}
	/* Before the lock: nothing is left beside a file that is not ours. */
	if (stat(path, &st) == 0 && (!S_ISREG(st.st_mode) || st.st_size > 0)) {
		complain("%s exists, and nothing was changed; name a new file", path);
		return EXIT_FAULT;
	}
	bool new = access(path, F_OK) < 0;
	int status = database_lock(path, &lock);
	if (status == EXIT_FINE)
		status = make(path, o);
	if (status != EXIT_FINE && new && lock >= 0)
		database_unmake(path, o->key_dir);
	if (lock >= 0)
		close(lock);
	return status;
}

/* What is known to be nowhere is taken back, with its key. */
static int init_server(const char *url, const struct options *given)
{
	char path[PATH_MAX], origin[FIELD_MAX + 1];
	struct options o = *given;
	struct why why = { 0 };
	int lock = -1, error = store_replica_new(o.origin, origin, path, &why);
	if (error) {
		complain_why("init", &why, store_strerror(error));
		return EXIT_FAULT;
	}
	o.origin = origin;
	int status = database_lock(path, &lock);
	if (status == EXIT_FINE)
		status = make(path, &o);
	if (status == EXIT_FINE && (error = store_to_server(path, url, &why)) == 0)
		error = store_replica_of(path, url, &why);
	if (error)
		complain_why("server", &why, store_strerror(error));
	if (error == STORE_EUNKNOWN)
		complain("it may be there: `cinta mount %s DIR` tells; its key was kept", url);
	else if (lock >= 0 && (status != EXIT_FINE || error))
		database_unmake(path, o.key_dir);
	if (lock >= 0)
		close(lock);
	return error ? EXIT_FAULT : status;
}

int cmd_init(int argc, char **argv)
{
	struct options o = { 0 };
	struct why why = { 0 };
	int status = parse(argc, argv, OPTIONS_INIT, &o);
	if (status == EXIT_FINE && store_check_new(o.origin, o.key_dir, &why))
		status = usage("init", "%s; %s", why.text, why.todo);
	if (status == EXIT_FINE)
		status = o.database && store_is_server(o.database) ? init_server(o.database, &o) :
			init_path(o.database, &o);
	options_release(&o);
	return finish(status);
}

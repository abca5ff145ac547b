/* SPDX-License-Identifier: MIT */
/*
 * Operand, options, opening and author for the verbs without a mount.  It must never make a
 * database: only init and mount do.
 */
#include "mount/memory/database.h"

#include <errno.h>
#include <getopt.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs/fs.h"
#include "mount/memory/mounts.h"
#include "mount/memory/owner.h"
#include "mount/memory/paths.h"
#include "mount/words/words.h"
#include "store/store.h"

enum { FIRST_PAGE = 4096 }; /* of a database in which nothing is yet */

bool database_mounted(const char *given, char path[PATH_MAX])
{
	struct mount_entry *e = malloc(sizeof *e);
	char dir[PATH_MAX];
	bool found = e && path_mount_point(given, dir) == 0 && mounts_at(dir, e);
	if (found)
		memcpy(path, e->source, sizeof e->source);
	free(e);
	return found;
}

static struct store *database_open(const char *path, const char *key_dir, unsigned flags)
{
	struct store_config config = {
		.flags = flags,
		.key_dir = key_dir,
		.text_size = fs_text_size,
		.plain_text = fs_plain_text,
	};
	struct why why = { 0 };
	struct store *s = NULL;
	int error = store_open(path, &config, &s, &why);
	if (error == 0)
		return s;
	complain_why(path, &why, store_strerror(error));
	return NULL;
}

int database_replica(const char *url, char path[PATH_MAX])
{
	struct why why = { 0 };
	int error = store_replica(url, path, &why);
	if (error)
		complain_why("server", &why, store_strerror(error));
	return error ? EXIT_FAULT : EXIT_FINE;
}

int database_bring_up(const char *url, const struct options *o, char path[PATH_MAX])
{
	struct sync_state now;
	struct why why = { 0 };
	struct status st;
	int status = database_replica(url, path);
	struct store *s = status == EXIT_FINE ? database_open(path, o->key_dir, STORE_CREATE) : NULL;
	int err = s ? store_catch_up_far(s, &now) : 0;
	if (err) {
		store_status(s, &st);
		why_set(&why, "see that the server runs", "%s", st.trouble);
		complain_why("server", &why, store_strerror(err));
	}
	store_close(s);
	return s && !err ? EXIT_FINE : EXIT_FAULT;
}

bool database_is_replica(const char *path)
{
	char beside[PATH_MAX + 8];
	(void)snprintf(beside, sizeof beside, "%s.server", path);
	return access(beside, F_OK) == 0;
}

/* A new replica holds nothing until it was opened once, and who did may have been killed. */
static int fill_replica(const char *url, char path[PATH_MAX])
{
	struct stat st;
	int status = database_replica(url, path);
	if (status != EXIT_FINE || (stat(path, &st) == 0 && st.st_size > FIRST_PAGE))
		return status;
	struct store *s = database_open(path, NULL, STORE_CREATE);
	store_close(s);
	return s ? EXIT_FINE : EXIT_FAULT;
}

int database_named(const char *given, char path[PATH_MAX])
{
	struct why why = { 0 };
	if (given && !*given) {
		complain("the name of the database is empty; is a variable unset?");
		return EXIT_FAULT;
	}
	if (given && store_is_server(given))
		return fill_replica(given, path);
	if (given && database_mounted(given, path))
		return EXIT_FINE;
	int error = path_database(given, false, path);
	int kind = error ? 0 : store_look(path, &why);
	if (kind > 0)
		return EXIT_FINE;
	if (kind < 0)
		complain("%s; %s", why.text, why.todo);
	else if (error && error != -ENOENT)
		complain("%s: %s; check the path", given ? given : "the default database",
		         strerror(-error));
	else if (!error && access(path, F_OK) == 0)
		complain("%s is an empty file, not yet a memory; `cinta init %s` makes one", path, path);
	else if (given)
		complain("%s: no such file; check the path, or name the database with -d DB", given);
	else if (error)
		complain("no default database: neither XDG_DATA_HOME nor a home; name one with -d DB");
	else
		complain("there is no default database %s yet; `cinta mount DIR` makes it, -d DB "
		         "names another", path);
	return EXIT_FAULT;
}

bool database_is_alone(const char *path)
{
	static const char *const beside[] = { ".side", "-wal" };
	char name[PATH_MAX];
	struct stat st;
	for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
		if ((size_t)snprintf(name, sizeof name, "%s%s", path, beside[i]) < sizeof name &&
		    lstat(name, &st) == 0 && st.st_size > 0) {
			complain("%s is there, of another memory; name another file, or move it away", name);
			return false;
		}
	}
	return true;
}

int database_operand(const char *verb, const char *named, int argc, char **argv,
                     char path[PATH_MAX])
{
	if (argc - optind > (named ? 0 : 1))
		return usage(verb, "%s: one database at a time, not also %s", verb, argv[argc - 1]);
	return database_named(named ? named : optind < argc ? argv[optind] : NULL, path);
}

int database_options(const char *verb, unsigned where, struct options *o, const char *words)
{
	struct why why = { 0 };
	if (options_parse(o, where, words, &why) == 0)
		return EXIT_FINE;
	return usage(verb, "%s; %s", why.text, why.todo);
}

int database_words(int argc, char **argv, unsigned where, struct options *o)
{
	int status = EXIT_FINE;
	opterr = 0;
	for (int opt; status == EXIT_FINE && (opt = getopt(argc, argv, ":o:d:")) != -1;) {
		if (opt == 'd')
			o->database = optarg;
		else
			status = opt == 'o' ? database_options(argv[0], where, o, optarg) :
				usage_option(argv[0], argv, opt);
	}
	return status;
}

int database_lock(const char *database, int *lock)
{
	struct owner who;
	int error = owner_take(database, lock);
	if (error == 0)
		return EXIT_FINE;
	if (error == -EWOULDBLOCK && owner_peek(database, &who))
		complain("%s is in use by process %ld; `cinta umount` its mounts first", database,
		         (long)who.pid);
	else
		complain("%s: a lock beside it cannot be made: %s; %s", database, strerror(-error),
		         error == -EINVAL || error == -ELOOP ? "remove DB.lock: it is no plain file" :
		         "check the directory's owner and mode, or name a database elsewhere");
	return EXIT_FAULT;
}

struct store *database_read(const char *path, const char *key_dir)
{
	return database_open(path, key_dir, STORE_READONLY);
}

struct store *database_append(const char *path, const char *key_dir)
{
	return database_open(path, key_dir, 0);
}

struct store *database_look(const char *path, const char *key_dir)
{
	return store_is_still(path) ? database_read(path, key_dir) : database_append(path, key_dir);
}

struct store *database_own(const char *path, const char *key_dir)
{
	return database_open(path, key_dir, STORE_OWNER);
}

void database_author(const struct options *o, char author[FIELD_MAX + 1])
{
	const struct passwd *pw = getpwuid(getuid());
	const char *name = o->owner ? o->owner : pw ? pw->pw_name : "unknown";
	size_t used = 0;
	for (; *name && used < FIELD_MAX - 8; name++)
		if (*name > 0x20 && *name < 0x7F && *name != ':')
			author[used++] = *name;
	(void)snprintf(author + used, FIELD_MAX + 1 - used, ":cinta");
}

void database_unmake(const char *path, const char *key_dir)
{
	char lock[PATH_MAX + 8];
	(void)snprintf(lock, sizeof lock, "%s.lock", path);
	if (access(path, F_OK) < 0 || store_unmake(path, key_dir) == 0)
		(void)unlink(lock); /* last: who takes a new one finds nothing of ours */
}

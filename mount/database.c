/* SPDX-License-Identifier: MIT */
/*
 * Operand, options, opening and author for the verbs without a mount.  It must never make a
 * database: only init and mount do.
 */
#include "mount/database.h"

#include <errno.h>
#include <getopt.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fs/fs.h"
#include "mount/paths.h"
#include "mount/verbs.h"
#include "store/store.h"

int database_operand(const char *verb, int argc, char **argv, char path[PATH_MAX])
{
	if (argc - optind > 1)
		return usage(verb, "%s: one database at a time", verb);
	const char *given = optind < argc ? argv[optind] : NULL;
	int error = path_database(given, false, path);
	if (error == 0 && access(path, F_OK) < 0)
		error = -errno;
	if (error == 0)
		return EXIT_FINE;
	complain("%s: %s%s", given ? given : "the default database", strerror(-error),
	         error == -ENOENT ? "; `cinta init` makes one" : "");
	return EXIT_FAULT;
}

int database_options(const char *verb, unsigned where, struct options *o, const char *words)
{
	struct why why = { 0 };
	if (options_parse(o, where, words, &why) == 0)
		return EXIT_FINE;
	return usage(verb, "%s; %s", why.text, why.todo);
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

struct store *database_read(const char *path, const char *key_dir)
{
	return database_open(path, key_dir, STORE_READONLY);
}

struct store *database_append(const char *path, const char *key_dir)
{
	return database_open(path, key_dir, 0);
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

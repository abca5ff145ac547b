/* SPDX-License-Identifier: MIT */
/*
 * cinta identity [-o owner=NAME] [DB] < FILE     who the agent is: smma/identity.md
 *
 * The mount only shows the identity, so that no agent rewrites its own rules; this
 * verb is how a person sets it.  It works while the memory is mounted.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fs/fs.h"
#include "mount/memory/memory.h"
#include "mount/verbs.h"
#include "store/store.h"

enum { MOST = 1 << 21 };

/* Standard input, whole; NULL: it cannot be read, or is far too long. */
static char *read_all(size_t *len)
{
	char *bytes = malloc(MOST);
	*len = bytes ? fread(bytes, 1, MOST, stdin) : 0;
	if (bytes && !ferror(stdin) && *len < MOST)
		return bytes;
	if (bytes && ferror(stdin))
		complain("identity: cannot read standard input: %s; give it a text: cinta identity < FILE",
		         strerror(errno));
	else
		complain("identity: what came on standard input is longer than 2 MiB; give a shorter text");
	free(bytes);
	return NULL;
}

static int set(const char *path, const struct options *o)
{
	char author[FIELD_MAX + 1];
	struct why why = { 0 };
	size_t len = 0;
	char *bytes = read_all(&len);
	if (bytes && len == 0) {
		complain("identity: nothing came on standard input; nothing was changed");
		free(bytes);
		return EXIT_FAULT;
	}
	struct store *s = bytes ? database_append(path, o->key_dir) : NULL;
	int err = -1;
	if (s) {
		database_author(o, author);
		err = fs_identity(s, bytes, len, author, &why);
		store_close(s);
		if (err && why.line)
			complain("identity: line %d: %s; %s", why.line, why.text, why.todo);
		else if (err || why.text[0])
			complain("identity: %s; %s", why.text[0] ? why.text : strerror(-err), why.todo);
	}
	free(bytes);
	return err ? EXIT_FAULT : EXIT_FINE;
}

int cmd_identity(int argc, char **argv)
{
	char path[PATH_MAX];
	struct options o = { 0 };
	int status = database_words(argc, argv, OPTIONS_WRITE, &o);
	if (status == EXIT_FINE)
		status = database_operand("identity", o.database, argc, argv, path);
	if (status == EXIT_FINE)
		status = set(path, &o);
	options_release(&o);
	return finish(status);
}

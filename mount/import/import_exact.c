/* SPDX-License-Identifier: MIT */
/*
 * cinta import --exact OTHER.db NEW.db: a memory as it is, into a file that is not there yet: the
 * same entries with the same hashes, origin and notes.  Both are verified.  Called by cmd_import.c.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs/fs.h"
#include "mount/import/import.h"
#include "mount/memory/memory.h"
#include "store/store.h"

static int verified(const char *path, const struct options *o, struct verify_report *out)
{
	const struct verify_options with = { .key_dir = o->key_dir, .text_size = fs_text_size,
		.plain_text = fs_plain_text };
	int err = store_verify(path, &with, out);
	if (!err && out->verdict == VERDICT_OK)
		return EXIT_FINE;
	complain("%s: %s: %s; nothing was taken in", path,
	         err ? store_strerror(err) : verdict_name(out->verdict), out->detail);
	return err || out->verdict != VERDICT_UNVERIFIABLE ? EXIT_FAULT : EXIT_UNVERIFIABLE;
}

static int copy(const char *from, const char *to, const struct options *o)
{
	struct why why = { 0 };
	struct store *s = database_read(from, o->key_dir);
	if (!s)
		return EXIT_FAULT;
	int err = store_rescue(s, to, &why);
	store_close(s);
	if (err)
		complain_why("import", &why, store_strerror(err));
	return err ? EXIT_FAULT : EXIT_FINE;
}

int import_exact(const char *from, const char *to, const struct options *o)
{
	struct verify_report there, here;
	struct stat st;
	if (!import_is_memory(from)) {
		complain("%s is no memory's database: --exact takes one, and makes NEW.db of it", from);
		return EXIT_FAULT;
	}
	if (stat(to, &st) == 0 && st.st_size == 0)
		(void)unlink(to);
	else if (access(to, F_OK) == 0) {
		complain("%s is there already; --exact makes a new file, and changes none", to);
		return EXIT_FAULT;
	}
	int status = verified(from, o, &there);
	if (status == EXIT_FINE)
		status = copy(from, to, o);
	if (status == EXIT_FINE)
		status = verified(to, o, &here);
	if (status == EXIT_FINE && (here.entries < there.entries ||
	                            (here.entries == there.entries &&
	                             memcmp(here.root, there.root, sizeof here.root) != 0))) {
		complain("%s is not what %s was; remove it", to, from);
		status = EXIT_FAULT;
	}
	if (status == EXIT_FINE)
		printf("Taken in: %lld entries, signed up to %lld\n", (long long)here.entries,
		       (long long)here.signed_upto);
	return status;
}

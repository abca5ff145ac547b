/* SPDX-License-Identifier: MIT */
/*
 * cinta import --exact OTHER NEW.db: a memory as it is, into a file that is not there yet: the same
 * entries with the same hashes, origin and notes.  OTHER is a database, or its tape as lines; both
 * sides are verified.  Called by cmd_import.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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

/* ---- of a database ---------------------------------------------------------- */

static int take_database(const char *from, const char *to, const struct options *o,
                         int64_t *entries, uint8_t root[HASH_SIZE])
{
	struct verify_report there;
	int status = verified(from, o, &there);
	if (status == EXIT_FINE)
		status = copy(from, to, o);
	*entries = there.entries;
	memcpy(root, there.root, HASH_SIZE);
	return status;
}

/* ---- of lines ----------------------------------------------------------------- */

static int read_lines(FILE *f, struct store_carrier *c, struct why *why)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	int err = 0;
	while (!err && (len = getline(&line, &room, f)) > 0)
		err = store_carry_line(c, line, (size_t)len - (line[len - 1] == '\n'), why);
	free(line);
	return !err && ferror(f) ? STORE_EIO : err;
}

/* The views follow from the rows: made now, they need not be at the first mount. */
static int make_views(const char *to, const struct options *o)
{
	int lock = -1;
	int status = database_lock(to, &lock);
	struct store *s = status == EXIT_FINE ? database_own(to, o->key_dir) : NULL;
	if (s)
		store_close(s);
	if (lock >= 0)
		close(lock);
	return s ? EXIT_FINE : EXIT_FAULT;
}

static int take_lines(const char *from, const char *to, int64_t *entries, uint8_t root[HASH_SIZE])
{
	struct store_carrier *c = NULL;
	struct store_carried said = { .entries = 0 };
	struct why why = { 0 };
	FILE *f = strcmp(from, "-") == 0 ? stdin : fopen(from, "re");
	if (!f) {
		complain("%s: %s", from, strerror(errno));
		return EXIT_FAULT;
	}
	int err = store_carry_new(to, &c, &why);
	err = err ? err : read_lines(f, c, &why);
	err = err ? err : store_carry_end(c, &said, &why);
	store_carry_free(c);
	if (f != stdin)
		(void)fclose(f);
	if (err)
		complain_why(from, &why, store_strerror(err));
	*entries = said.entries;
	memcpy(root, said.root, HASH_SIZE);
	return err ? EXIT_FAULT : EXIT_FINE;
}

int import_exact(const char *from, const char *to, const struct options *o)
{
	struct verify_report here = { .entries = 0 };
	uint8_t root[HASH_SIZE];
	struct stat st;
	int64_t entries;
	bool lines = !import_is_memory(from);
	bool there = stat(to, &st) == 0;
	if (there && st.st_size > 0) {
		complain("%s is there already; --exact makes a new file, and changes none", to);
		return EXIT_FAULT;
	}
	if (!database_is_alone(to))
		return EXIT_FAULT;
	if (there)
		(void)unlink(to);
	int status = lines ? take_lines(from, to, &entries, root) :
		take_database(from, to, o, &entries, root);
	if (status != EXIT_FINE)
		return status;
	status = verified(to, o, &here);
	if (status == EXIT_FINE && (here.entries < entries ||
	                            (here.entries == entries &&
	                             memcmp(here.root, root, sizeof here.root) != 0))) {
		complain("%s is not what %s was; remove it", to, from);
		status = EXIT_FAULT;
	}
	if (lines && status != EXIT_FINE)
		(void)unlink(to);
	else if (lines && make_views(to, o) != EXIT_FINE)
		status = EXIT_FAULT;
	if (status == EXIT_FINE)
		printf("Taken in: %lld entries, signed up to %lld\n", (long long)here.entries,
		       (long long)here.signed_upto);
	return status;
}

/* SPDX-License-Identifier: MIT */
/*
 * cinta export --tape > FILE: every entry as a line of tape.jsonl, and a last line that seals them.
 * What is there is signed first, if somebody signs, for the seal has the newest note.
 */
#include <stdio.h>
#include <string.h>

#include "fs/fs.h"
#include "mount/export/export.h"
#include "mount/memory/memory.h"
#include "store/store.h"

static int tape_put(void *ctx, const char *line, size_t len)
{
	return fwrite(line, 1, len, ctx) != len;
}

static int carry(const char *path)
{
	struct store_carried out;
	int err = store_carry_out(path, tape_put, stdout, &out);
	if (err) {
		complain("export: %s: %s; what was written is no whole tape", path, store_strerror(err));
		return EXIT_FAULT;
	}
	fprintf(stderr, "%s: %lld entries, signed up to %lld\n", path, (long long)out.entries,
	        (long long)out.signed_upto);
	return EXIT_FINE;
}

int export_tape(const struct files_command *c, const struct export_order *o)
{
	char path[PATH_MAX];
	(void)o;
	int status = database_named(c->options.database, path);
	if (status == EXIT_FINE)
		status = export_settled(c);
	return status == EXIT_FINE ? carry(path) : status;
}

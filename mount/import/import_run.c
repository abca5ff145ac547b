/* SPDX-License-Identifier: MIT */
/* What the walks over a SOURCE and over an archive share: names, and what is told of files. */
#include "mount/import/import.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fs/fs.h"

bool import_ends(const char *name, const char *const *endings)
{
	size_t len = strlen(name);
	for (; *endings; endings++) {
		size_t n = strlen(*endings);
		if (len > n && strcasecmp(name + len - n, *endings) == 0)
			return true;
	}
	return false;
}

bool import_is_text(const char *name)
{
	return import_ends(name, (const char *const[]){ ".md", ".markdown", NULL });
}

bool import_is_talk(const char *name)
{
	return import_ends(name, (const char *const[]){ ".jsonl", ".json", ".ndjson", ".af", NULL });
}

const char *import_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* The last part without its ending. */
static void stem_of(const char *path, char stem[NAME_MAX + 1])
{
	(void)snprintf(stem, NAME_MAX + 1, "%s", import_last_part(path));
	char *dot = strrchr(stem, '.');
	if (dot && dot > stem)
		*dot = '\0';
}

void import_told(struct import_run *r, int err, const struct why *why)
{
	if (!err)
		return;
	if (err == -EINVAL && !r->named) { /* a directory may hold anything */
		complain("%s: left out: %s", r->shown, why->text);
		return;
	}
	r->failed++;
	if (*why->text)
		complain("%s: %s; %s", r->shown, why->text, why->todo);
	else
		complain("%s: %s", r->shown, strerror(-err));
	if (err != -EINVAL)
		r->error = err;
}

void import_tell_progress(struct import_run *r)
{
	const struct fs_import_counts *c = fs_import_counts(r->import);
	r->files++;
	if (r->progress)
		fprintf(stderr, "\r%lld files, %lld messages, %lld notes; %lld were here ",
		        (long long)r->files, (long long)c->messages, (long long)c->notes,
		        (long long)c->known);
}

int import_file_begin(struct import_run *r, const char *name)
{
	char stem[NAME_MAX + 1];
	stem_of(name, stem);
	return fs_import_begin(r->import, r->shown, stem, r->folder);
}

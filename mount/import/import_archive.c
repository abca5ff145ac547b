/* SPDX-License-Identifier: MIT */
/* An archive as a SOURCE of `cinta import`: each file in it is what it would be beside it. */
#include "mount/import/import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fs/fs.h"
#include "mount/import/archive.h"

struct in_archive {
	struct import_run *r;
	const char *path;
	char folder[NAME_MAX + 1]; /* of its texts: what it is called itself */
	/* The text that is read: its path there and its bytes, one more than a note may have. */
	char note[PATH_MAX];
	char *bytes;
	size_t len;
};

/* `vault.tar.gz`: vault. */
static void name_folder(struct in_archive *a)
{
	static const char *const endings[] = { ".zip", ".tar", ".tgz", ".tbz2", ".txz", ".tzst", ".gz",
		".bz2", ".xz", ".zst", NULL };
	(void)snprintf(a->folder, sizeof a->folder, "%s", import_last_part(a->path));
	while (import_ends(a->folder, endings))
		*strrchr(a->folder, '.') = '\0';
}

/* As in a directory: a dot name in it, or on the way to it, or another program's modules. */
static bool is_hidden(const char *name)
{
	for (const char *part = name; part; part = strchr(part, '/')) {
		part += strspn(part, "/");
		size_t len = strcspn(part, "/");
		bool here = len == 1 && *part == '.'; /* `tar c .` */
		if ((*part == '.' && !here) || (len == 12 && memcmp(part, "node_modules", len) == 0) ||
		    (len == 8 && memcmp(part, "__MACOSX", len) == 0))
			return true;
	}
	return false;
}

/* Its path below the folder, which an archive of a directory names once more. */
static const char *below(const struct in_archive *a, const char *name)
{
	size_t len = strlen(a->folder);
	while (strncmp(name, "./", 2) == 0)
		name += 2;
	return strncmp(name, a->folder, len) == 0 && name[len] == '/' ? name + len + 1 : name;
}

/* Texts only of an archive that was named: in a directory there are many, of anything. */
static int archive_begin(void *ctx, const char *name)
{
	struct in_archive *a = ctx;
	const char *last = name ? import_last_part(name) : NULL;
	if (!name)
		complain("%s: left out: a file without a name", a->path);
	if (!name || *last == '.')
		return 1;
	(void)snprintf(a->r->shown, sizeof a->r->shown, "%s:%s", a->path, name);
	*a->note = '\0';
	if (import_is_talk(last))
		return import_file_begin(a->r, name);
	if (!a->r->named || !import_is_text(last) || is_hidden(name))
		return 1;
	if (!a->bytes && !(a->bytes = malloc(IMPORT_NOTE_MOST + 1)))
		return -ENOMEM;
	(void)snprintf(a->note, sizeof a->note, "%s", below(a, name));
	a->len = 0;
	return 0;
}

static int archive_bytes(void *ctx, const char *bytes, size_t len)
{
	struct in_archive *a = ctx;
	if (!*a->note)
		return fs_import_bytes(a->r->import, bytes, len);
	size_t room = IMPORT_NOTE_MOST + 1 - a->len;
	memcpy(a->bytes + a->len, bytes, len < room ? len : room);
	a->len += len < room ? len : room;
	return 0;
}

/* Services put more into their exports than conversations: what is none is passed by. */
static int archive_end(void *ctx)
{
	struct in_archive *a = ctx;
	struct import_run *r = a->r;
	struct why why = { 0 };
	bool named = r->named;
	int err = !*a->note ? fs_import_end(r->import, &why) :
		!a->len ? 0 : fs_import_note(r->import, r->shown, a->folder, a->note, a->bytes, a->len,
			&why);
	r->named = false;
	import_told(r, err, &why);
	r->named = named;
	import_tell_progress(r);
	return r->error;
}

void import_archive(struct import_run *r, const char *path)
{
	struct in_archive a = { .r = r, .path = path };
	const struct archive_sink sink = { &a, archive_begin, archive_bytes, archive_end };
	const struct fs_import_counts *c = fs_import_counts(r->import);
	struct why why = { 0 };
	int64_t before = c->messages + c->known + c->notes;
	name_folder(&a);
	int err = archive_read_files(path, &sink, &why);
	(void)snprintf(r->shown, sizeof r->shown, "%s", path);
	if (!err && r->named && c->messages + c->known + c->notes == before) {
		why_set(&why, "cinta(1) lists the formats", "it holds nothing that is known here");
		err = -EINVAL;
	}
	if (err && !r->error) {
		r->failed++;
		complain("%s: %s; %s", path, *why.text ? why.text : strerror(-err), why.todo);
	}
	free(a.bytes);
}

/* SPDX-License-Identifier: MIT */
/*
 * Texts that others keep become notes, below notes/FOLDER/.  Bytes that were a version of the note
 * once are not saved over what it has become, nor beside it where it has another name now.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/import/import.h"
#include "fs/save/save.h"

/* Who has that name in a place, or had it last: it may have been renamed or retired since. */
static int last_at(struct fs_import *im, const struct place *p, const char *name, struct doc *d)
{
	int err = errno_of_store(store_doc_at(im->fs->store, p->key, name, d));
	return err == -ENOENT ? errno_of_store(store_doc_last_at(im->fs->store, p->key, name, d)) :
		err;
}

static int make_folder(struct fs_import *im, uint64_t parent, const struct place *p,
                       const char *name, struct doc *d, struct why *why)
{
	struct fs *fs = im->fs;
	char path[PATH_LIMIT + 1];
	struct buf body = BUF_INIT;
	if (secrets_refuse_name(fs, p, name, why))
		return -EINVAL;
	tree_path(fs, parent, name, path, sizeof path);
	render_make_body(&body, p->key, name, path, true);
	int err = folder_bring_back(fs, p, name, path, im->author, &d->id);
	if (err == -ENOENT)
		err = body.failed ? -ENOMEM : errno_of_store(store_doc_make(fs->store, p->key, name,
			(struct doc_text){ body.data, body.len }, NULL, im->author, &d->id));
	buf_release(&body);
	if (err == -EEXIST) /* another was faster */
		return errno_of_store(store_doc_at(fs->store, p->key, name, d));
	if (!err && secrets_tell_name(fs, "import", parent, name, im->author))
		im->counts.secrets++;
	return err;
}

/* The folder of that name in a place; its inode.  `make`: one that is there, made if need be. */
static int find_folder(struct fs_import *im, uint64_t parent, const char *name, bool make,
                       uint64_t *ino, struct why *why)
{
	struct place p;
	struct doc d;
	int err = place_of(im->fs, parent, &p);
	err = err ? err : make ? errno_of_store(store_doc_at(im->fs->store, p.key, name, &d)) :
		last_at(im, &p, name, &d);
	if (err == 0 && !d.folder)
		return -ENOTDIR;
	if (err == -ENOENT && make)
		err = make_folder(im, parent, &p, name, &d, why);
	*ino = err ? 0 : ino_make(KIND_FOLDER, d.id);
	return err;
}

struct had {
	char sha256[2 * HASH_SIZE + 1];
	bool found;
};

static void look(void *ctx, const struct doc_version *v)
{
	struct had *h = ctx;
	h->found = h->found || strcmp(v->sha256, h->sha256) == 0;
}

/* True if some version of what is or was there had these bytes. */
static int had_bytes(struct fs_import *im, uint64_t dir, const char *name, const char *bytes,
                     size_t len, bool *had)
{
	struct place p;
	struct doc d;
	struct had h = { .found = false };
	int err = place_of(im->fs, dir, &p);
	err = err ? err : last_at(im, &p, name, &d);
	store_sha256(bytes, len, h.sha256);
	if (!err)
		err = errno_of_store(store_doc_history(im->fs->store, d.id, look, &h));
	*had = h.found;
	return err;
}

/* Walks the folders of `path` below notes/FOLDER; `name` gets its last part. */
static int find_place(struct fs_import *im, const char *path, bool make, uint64_t *dir, char *name,
                      struct why *why)
{
	char part[NAME_LIMIT + 1];
	*dir = ino_make(KIND_NOTES, 0);
	import_note_name(part, im->folder, strlen(im->folder), true);
	int err = *part ? find_folder(im, *dir, part, make, dir, why) : -EINVAL;
	for (const char *slash; !err && (slash = strchr(path, '/')); path = slash + 1) {
		if (slash == path)
			continue;
		import_note_name(part, path, (size_t)(slash - path), true);
		err = *part ? find_folder(im, *dir, part, make, dir, why) : -EINVAL;
	}
	import_note_name(name, path, strlen(path), false);
	return err ? err : *name ? 0 : -EINVAL;
}

/* Of a dry run nothing but whether it is here. */
static int save(struct fs_import *im, const char *path, const char *bytes, size_t len, bool *had,
                struct why *why)
{
	char name[NAME_LIMIT + 1];
	struct saved saved;
	uint64_t dir;
	int err = find_place(im, path, false, &dir, name, why);
	err = err ? err : had_bytes(im, dir, name, bytes, len, had);
	if (*had || (err && err != -ENOENT && err != -ENOTDIR))
		return err;
	if (im->o.dry)
		return 0;
	err = find_place(im, path, true, &dir, name, why);
	if (err)
		return err;
	const struct save one = { .dir = dir, .name = name, .bytes = bytes, .len = len,
		.author = im->author, .uid = im->fs->uid, .base = -1 };
	return save_document(im->fs, &one, &saved, why);
}

void import_note(struct fs_import *im, const char *path, const char *bytes, size_t len)
{
	struct why why = { 0 };
	char reason[512], shown[256];
	bool had = false;
	told_hide(im->fs, path, shown, sizeof shown);
	if (im->error || import_refuses(im, 0, shown, bytes, len))
		return;
	lock_take(&im->fs->docs);
	int err = save(im, path, bytes, len, &had, &why);
	lock_give(&im->fs->docs);
	if (err == -ENOSPC || err == -EIO || err == -ENOMEM || err == -EROFS) {
		im->error = err;
	} else if (err) {
		(void)snprintf(reason, sizeof reason, "%.200s: %s", shown,
		               *why.text ? why.text : "no note can have such a name");
		import_skip(im, 0, reason);
	} else {
		*(had ? &im->counts.known : &im->counts.notes) += 1;
	}
}

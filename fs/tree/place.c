/* SPDX-License-Identifier: MIT */
/* Which directory is what, in both directions: inode to key, key to inode. */
#include "fs/tree/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"

enum { FOLDER_DEPTH = 64, ROUNDS = 8 };

static size_t count_names(const char *const *names)
{
	size_t count = 0;
	while (names && names[count])
		count++;
	return count;
}

int find_fixed(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	const struct node *row = node_of(fs, dir);
	for (int i = 0; row->names[i]; i++) {
		if (strcmp(row->names[i], name) == 0) {
			*ino = ino_make(row->named, i + 1);
			return 0;
		}
	}
	return -ENOENT;
}

int next_fixed(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
               uint64_t *ino)
{
	const struct node *row = node_of(fs, dir);
	if (*cursor < 0 || (size_t)*cursor >= count_names(row->names))
		return 0;
	(void)snprintf(name, NAME_LIMIT + 1, "%s", row->names[*cursor]);
	*ino = ino_make(row->named, ++*cursor);
	return 1;
}

void fixed_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	const char *const *names = fs->tree[node_of(fs, ino)->parent].names;
	int64_t id = ino_id(ino);
	bool known = id >= 1 && (size_t)id <= count_names(names);
	(void)snprintf(dst, size, "%s", known ? names[id - 1] : "?");
}

/* A folder's family is that of the tree it hangs in; its key is its number. */
static int folder_place(struct fs *fs, int64_t id, struct place *out)
{
	struct doc folder;
	int err = errno_of_store(store_doc_by_id(fs->store, id, &folder));
	if (err || !folder.folder)
		return err ? err : -ENOENT;
	(void)snprintf(out->key, sizeof out->key, "#%lld", (long long)id);
	(void)snprintf(out->dir, sizeof out->dir, "%s", folder.name);
	for (int depth = 0; folder.parent[0] == '#' && depth < FOLDER_DEPTH; depth++)
		if ((err = errno_of_store(store_doc_by_id(fs->store, atoll(folder.parent + 1), &folder))))
			return err;
	out->files = true;
	out->family = strcmp(folder.parent, "algorithms") == 0 ? FAMILY_ALGORITHM : FAMILY_NOTE;
	out->folders = out->family == FAMILY_NOTE;
	return 0;
}

int place_of(struct fs *fs, uint64_t dir, struct place *out)
{
	const struct place_row *row = &node_of(fs, dir)->place;
	char name[NAME_LIMIT + 1] = "";
	memset(out, 0, sizeof *out);
	if (!row->key)
		return -ENOENT;
	size_t len = strlen(row->key);
	char last = len ? row->key[len - 1] : '\0';
	if (last == '#')
		return folder_place(fs, ino_id(dir), out);
	out->family = row->family;
	out->files = row->flags & PLACE_FILES;
	out->folders = row->flags & PLACE_FOLDERS;
	out->lines = row->flags & PLACE_LINES;
	out->summaries = row->flags & PLACE_SUMMARIES;
	out->is_memory = row->is_memory;
	if (last == '/')
		fixed_name(fs, dir, name, sizeof name);
	else if (last == ':')
		(void)snprintf(name, sizeof name, "%lld", (long long)ino_id(dir));
	(void)snprintf(out->key, sizeof out->key, "%s%.20s", row->key, name);
	const char *slash = strchr(out->key, '/');
	(void)snprintf(out->dir, sizeof out->dir, "%s", slash ? slash + 1 : "");
	return 0;
}

int place_changed(struct fs *fs, uint64_t dir, int64_t *time_us)
{
	struct place p;
	*time_us = 0;
	int err = place_of(fs, dir, &p);
	if (err)
		return node_of(fs, dir)->place.key ? err : 0; /* a folder that is not there */
	return p.key[0] ? errno_of_store(store_doc_dir_changed(fs->store, p.key, time_us)) : 0;
}

/* QUESTION.md to KEY.md. */
static int question_name(const char *name, char key[NAME_LIMIT + 1])
{
	struct buf out = BUF_INIT;
	render_question_key(&out, name, strlen(name) - strlen(".md"));
	int err = out.failed ? -ENOMEM : out.len == 0 ? -EINVAL : 0;
	if (!err && out.len + strlen(".md") > NAME_LIMIT)
		err = -ENAMETOOLONG;
	if (!err)
		(void)snprintf(key, NAME_LIMIT + 1, "%.*s.md", (int)out.len, out.data);
	if (!err && (strlen(key) != out.len + strlen(".md") || strchr(key, '/') ||
	             !render_is_document(FAMILY_ANSWER, key)))
		err = -EINVAL;
	buf_release(&out);
	return err;
}

int place_name(const struct place *p, const char *name, char key[NAME_LIMIT + 1])
{
	char before[NAME_LIMIT + 1];
	int err = 0, rounds = 0;
	(void)snprintf(key, NAME_LIMIT + 1, "%s", name);
	if (p->family != FAMILY_ANSWER || p->dir[0] || !render_is_document(FAMILY_ANSWER, name))
		return 0;
	do { /* a key's key is itself: else what is listed could not be found */
		memcpy(before, key, sizeof before);
		err = question_name(before, key);
	} while (!err && strcmp(before, key) != 0 && ++rounds < ROUNDS);
	return err ? err : rounds < ROUNDS ? 0 : -EINVAL;
}

int place_doc(struct fs *fs, const struct place *p, const char *name, struct doc *out)
{
	char key[NAME_LIMIT + 1];
	int err = place_name(p, name, key);
	return err ? err : errno_of_store(store_doc_at(fs->store, p->key, key, out));
}

int place_retired(struct fs *fs, const struct place *p, const char *name, bool folder,
                  struct doc *out)
{
	char key[NAME_LIMIT + 1];
	int err = place_name(p, name, key);
	if (!err)
		err = errno_of_store(store_doc_last_at(fs->store, p->key, key, out));
	return err ? err : out->folder == folder && out->into == out->id &&
		strcmp(out->parent, p->key) == 0 && strcmp(out->name, key) == 0 ? 0 : -ENOENT;
}

bool place_is_memory(const struct place *p, const char *name)
{
	if (!p->files || p->is_memory)
		return p->files && p->is_memory(name);
	return render_is_document(p->family, name) ||
	       (p->family == FAMILY_SECTION && render_is_document(FAMILY_IDENTITY, name));
}

bool place_rests(const struct place *p, const char *name)
{
	return p->files && p->family == FAMILY_NOTE && !p->summaries && render_may_rest(name);
}

/* What stands behind the @ of a version or of a history. */
static bool is_version(const char *text)
{
	int64_t us;
	return strcmp(text, "log") == 0 || (*text && strspn(text, "0123456789") == strlen(text)) ||
	       when_parse(text, &us) == 0;
}

bool place_is_past(const struct place *p, const char *name)
{
	const char *at = strrchr(name, '@');
	char base[NAME_LIMIT + 1];
	if (!p->files || !at || at == name)
		return false;
	bool score = p->family == FAMILY_MEMORY && strcmp(at + 1, "score") == 0;
	if (!score && !is_version(at + 1))
		return false;
	(void)snprintf(base, sizeof base, "%.*s", (int)(at - name), name);
	return place_is_memory(p, base) || place_rests(p, base);
}

bool place_is_guarded(const struct place *p, const char *name)
{
	static const char *const open_to_all[] = { "plu", "hsu", "flu", "itu", "lou", "plx", "itx",
		"lox" };
	if (!p->files) /* scratch of any name */
		return false;
	if (p->family == FAMILY_SECTION)
		return render_is_document(FAMILY_IDENTITY, name);
	if (p->family != FAMILY_COMPONENT)
		return false;
	for (size_t i = 0; i < sizeof open_to_all / sizeof *open_to_all; i++)
		if (strcmp(p->dir, open_to_all[i]) == 0)
			return false;
	return true;
}

bool place_lets(const struct place *p, const char *name, const struct fs *fs, uid_t uid,
                struct why *why)
{
	if (!place_is_guarded(p, name))
		return true;
	if (p->family == FAMILY_SECTION) {
		why_set(why, "set it with: cinta identity -d DB < FILE",
		        "the identity is not written here");
		return uid == IDENTITY_UID;
	}
	why_set(why, "use a user's table (plu hsu flu itu lou) or a shared one (plx itx lox)",
	        "the system's tables are written by their owner");
	return uid == fs->uid || uid == 0;
}

uint64_t place_ino(struct fs *fs, const char *key)
{
	for (enum kind k = KIND_ROOT; k < KIND_COUNT; k++) {
		const char *start = fs->tree[k].place.key;
		size_t len = start ? strlen(start) : 0;
		uint64_t ino;
		if (!len || strncmp(key, start, len) != 0)
			continue;
		const char *rest = key + len;
		if (start[len - 1] == '#' || start[len - 1] == ':')
			return ino_make(k, atoll(rest));
		if (start[len - 1] == '/' &&
		    find_fixed(fs, ino_make(fs->tree[k].parent, 0), rest, &ino) == 0)
			return ino;
		if (!*rest)
			return ino_make(k, 0);
	}
	return 0;
}

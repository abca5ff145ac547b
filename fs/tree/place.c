/* SPDX-License-Identifier: MIT */
/* Which directory is what, in both directions: inode to key, key to inode. */
#include "fs/tree/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/facts/facts.h"
#include "fs/internal.h"

enum { NAMES_MOST = 16, FOLDER_DEPTH = 64, ROUNDS = 8 };

/* The typed families: a directory at the root, one below it for each name. */
static const struct fixed {
	enum kind root, dir;
	enum family family;
	const char *word;
	const char *names[NAMES_MOST + 1];
} fixed[] = {
	{ KIND_BLOCKS, KIND_BLOCK_DIR, FAMILY_BLOCK, "blocks",
	  { "persona", "rules", "capabilities", "instructions", "knowledge" } },
	{ KIND_MEMORIES, KIND_MEMORY_DIR, FAMILY_MEMORY, "memories",
	  { "preference", "decision", "fact", "entity", "temporal" } },
	{ KIND_COMPONENTS, KIND_COMPONENT_DIR, FAMILY_COMPONENT, "components",
	  { "ply", "plu", "plx", "hst", "spe", "vsn", "vue", "hsu", "flg", "flu", "itm", "itu",
	    "itx", "loc", "lou", "lox" } },
	/* No place: these are logs. */
	{ KIND_RECORDS, KIND_RECORD, FAMILY_NOTE, "records",
	  { [RECORD_ACCOUNTANT - 1] = "accountant.jsonl",
	    [RECORD_SECRETARY - 1] = "secretary.jsonl" } },
};
enum { FIXED = sizeof fixed / sizeof *fixed };

static const struct fixed *fixed_of(enum kind kind)
{
	for (int i = 0; i < FIXED; i++)
		if (fixed[i].root == kind || fixed[i].dir == kind)
			return &fixed[i];
	return NULL;
}

int find_fixed(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	const struct fixed *f = fixed_of(ino_kind(dir));
	(void)fs;
	for (int i = 0; f->names[i]; i++) {
		if (strcmp(f->names[i], name) == 0) {
			*ino = ino_make(f->dir, i + 1);
			return 0;
		}
	}
	return -ENOENT;
}

int next_fixed(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
               uint64_t *ino)
{
	const struct fixed *f = fixed_of(ino_kind(dir));
	(void)fs;
	if (*cursor >= NAMES_MOST || !f->names[*cursor])
		return 0;
	(void)snprintf(name, NAME_LIMIT + 1, "%s", f->names[*cursor]);
	*ino = ino_make(f->dir, ++*cursor);
	return 1;
}

const char *fixed_name(uint64_t ino)
{
	const struct fixed *f = fixed_of(ino_kind(ino));
	int64_t id = ino_id(ino);
	return f && id >= 1 && id <= NAMES_MOST && f->names[id - 1] ? f->names[id - 1] : "?";
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

static void named(struct place *out, enum family family, const char *key, const char *dir)
{
	out->family = family;
	out->files = true;
	(void)snprintf(out->key, sizeof out->key, "%s", key);
	(void)snprintf(out->dir, sizeof out->dir, "%s", dir);
}

int place_of(struct fs *fs, uint64_t dir, struct place *out)
{
	const struct fixed *f = fixed_of(ino_kind(dir));
	memset(out, 0, sizeof *out);
	switch (ino_kind(dir)) {
	case KIND_SMMA:
		named(out, FAMILY_SECTION, "smma", "");
		return 0;
	case KIND_NOTES:
		named(out, FAMILY_NOTE, "notes", "");
		out->folders = true;
		return 0;
	case KIND_ALGORITHMS:
		named(out, FAMILY_ALGORITHM, "algorithms", "");
		out->files = false;
		out->folders = true;
		return 0;
	case KIND_BLOCK_DIR:
	case KIND_MEMORY_DIR:
	case KIND_COMPONENT_DIR:
		named(out, f->family, "", fixed_name(dir));
		(void)snprintf(out->key, sizeof out->key, "%s/%.16s", f->word, out->dir);
		return 0;
	case KIND_SESSION:
		named(out, FAMILY_SESSION, "", "");
		(void)snprintf(out->key, sizeof out->key, "session:%lld", (long long)ino_id(dir));
		return 0;
	case KIND_FACTS:
		named(out, FAMILY_FACTS, "facts", "");
		return 0;
	case KIND_FOLDER:
		return folder_place(fs, ino_id(dir), out);
	case KIND_SUMMARIES:
		out->family = FAMILY_NOTE;
		out->files = out->summaries = true;
		return 0;
	case KIND_ANSWERS:
		named(out, FAMILY_ANSWER, "answers", "");
		return 0;
	case KIND_ANSWER_TOOLS:
		named(out, FAMILY_ANSWER, "answers/tools", "tools");
		return 0;
	case KIND_WORKSPACE:
	case KIND_LOGS:
	case KIND_SCRATCH:
		return 0; /* scratch only */
	default:
		return -ENOENT;
	}
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

bool place_is_memory(const struct place *p, const char *name)
{
	struct context_range r;
	if (!p->files)
		return false;
	if (p->summaries)
		return render_summary_name(name, &r);
	if (p->family == FAMILY_FACTS)
		return facts_domain(name) > 0;
	return render_is_document(p->family, name) ||
	       (p->family == FAMILY_SECTION && render_is_document(FAMILY_IDENTITY, name));
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
		why_set(why, "set it with: cinta identity < FILE", "the identity is not written here");
		return uid == IDENTITY_UID;
	}
	why_set(why, "use a user's table (plu hsu flu itu lou) or a shared one (plx itx lox)",
	        "the system's tables are written by their owner");
	return uid == fs->uid || uid == 0;
}

uint64_t place_ino(const char *key)
{
	uint64_t ino;
	if (key[0] == '#')
		return ino_make(KIND_FOLDER, atoll(key + 1));
	if (strncmp(key, "session:", 8) == 0)
		return ino_make(KIND_SESSION, atoll(key + 8));
	if (strcmp(key, "smma") == 0)
		return ino_make(KIND_SMMA, 0);
	if (strcmp(key, "notes") == 0)
		return ino_make(KIND_NOTES, 0);
	if (strcmp(key, "answers") == 0)
		return ino_make(KIND_ANSWERS, 0);
	if (strcmp(key, "answers/tools") == 0)
		return ino_make(KIND_ANSWER_TOOLS, 0);
	if (strcmp(key, "algorithms") == 0)
		return ino_make(KIND_ALGORITHMS, 0);
	for (int i = 0; i < FIXED; i++) {
		size_t len = strlen(fixed[i].word);
		if (strncmp(key, fixed[i].word, len) == 0 && key[len] == '/' &&
		    find_fixed(NULL, ino_make(fixed[i].root, 0), key + len + 1, &ino) == 0)
			return ino;
	}
	return 0;
}

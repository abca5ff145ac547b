/* SPDX-License-Identifier: MIT */
/*
 * Names that are not there: which was meant.  First where the file has gone that had the name, then
 * what is called nearly so, then what the directory holds where nobody can make another.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "fs/internal.h"
#include "fs/save/missing.h"
#include "fs/save/save.h"
#include "store/near.h"

enum {
	LOOKED_MOST = 2000, /* names of one directory */
	LISTED_MOST = 160,  /* bytes */
	WORD_MOST = 60,     /* bytes of a name in a command */
	VERSIONS_MOST = 16, /* that retire a note one after the other */
	ALIKE = 4
};

bool missing_is_probe(const char *name)
{
	static const char *const asked[] = { "autorun.inf", "desktop.ini", "thumbs.db", "folder.jpg",
		"rcs", "cvs", "sccs", "mcvs", "_mtn", "_darcs", "{arch}", "_fossil_", "lost+found",
		"system volume information", "$recycle.bin", "head", "log", "objects", "refs", "config",
		"package.json", "node_modules", "tsconfig.json", "jsconfig.json", "makefile",
		"gnumakefile", "tags", "claude.md", "claude.local.md", "gemini.md", "agent.md",
		"agents.override.md", "cargo.toml", "pyproject.toml", "setup.py", "setup.cfg", "tox.ini",
		"pom.xml", "build.gradle", "go.mod", "compile_commands.json", "__init__.py", "index.html",
		NULL };
	size_t len = strlen(name);
	bool versions = strncmp(name, "s.", 2) == 0 || (len > 2 && strcmp(name + len - 2, ",v") == 0);
	if (!*name || *name == '.' || *name == '-' || *name == '$' ||
	    versions || strchr(name, '@') || strpbrk(name, "*?[") ||
	    render_is_temporary(name) || name[strspn(name, "0123456789")] == '\0')
		return true;
	for (size_t i = 0; asked[i]; i++)
		if (strcasecmp(name, asked[i]) == 0)
			return true;
	return false;
}

/* True if both have the same digits: a name for another day or number is not mistyped. */
static bool same_digits(const char *a, const char *b)
{
	static const char digits[] = "0123456789";
	for (;; a++, b++) {
		a += strcspn(a, digits);
		b += strcspn(b, digits);
		if (*a != *b)
			return false;
		if (!*a)
			return true;
	}
}

static size_t lower(const char *name, char *dst, size_t size)
{
	size_t n = 0;
	for (; name[n] && n + 1 < size; n++)
		dst[n] = (char)tolower((unsigned char)name[n]);
	dst[n] = '\0';
	return n;
}

/* Without .md and the like. */
static size_t stem(const char *name, size_t len)
{
	const char *dot = strrchr(name, '.');
	return dot && dot > name ? (size_t)(dot - name) : len;
}

static bool has_part(const char *whole, size_t len, const char *part, size_t part_len)
{
	return part_len >= ALIKE && part_len < len && memmem(whole, len, part, part_len);
}

/* 0: the same but for its ending or capitals; up to NEAR_NOT. */
static size_t unlike(const char *asked, const char *known)
{
	char a[NAME_LIMIT + 1], b[NAME_LIMIT + 1];
	size_t m = lower(asked, a, sizeof a), n = lower(known, b, sizeof b);
	if (!same_digits(a, b))
		return NEAR_NOT;
	size_t am = stem(a, m), bn = stem(b, n);
	if (am == bn && memcmp(a, b, am) == 0)
		return 0;
	size_t slips = near_slips(a, m, b);
	if (slips == NEAR_NOT && (has_part(a, am, b, bn) || has_part(b, bn, a, am)))
		slips = NEAR_NOT - 1;
	return slips;
}

static bool find_near(struct fs *fs, uint64_t dir, const char *name, char near[NAME_LIMIT + 1])
{
	char one[NAME_LIMIT + 1];
	size_t best = NEAR_NOT;
	int64_t cursor = 0;
	uint64_t ino;
	for (int i = 0; best > 0 && i < LOOKED_MOST; i++) {
		if (tree_list(fs, dir, &cursor, one, &ino) <= 0)
			break;
		size_t slips = missing_is_probe(one) ? NEAR_NOT : unlike(name, one);
		if (slips < best) {
			best = slips;
			memcpy(near, one, sizeof one);
		}
	}
	return best < NEAR_NOT;
}

/* The first names there are, with blanks between, but for what stands there only for a while. */
static void list_names(struct fs *fs, uint64_t dir, char *text, size_t size)
{
	char one[NAME_LIMIT + 1];
	int64_t cursor = 0;
	uint64_t ino;
	size_t len = 0;
	*text = '\0';
	while (tree_list(fs, dir, &cursor, one, &ino) > 0) {
		if (ino_kind(ino) == KIND_SCRATCH)
			continue;
		if (len + strlen(one) + sizeof " …" >= size) {
			(void)snprintf(text + len, size - len, " …");
			return;
		}
		len += (size_t)snprintf(text + len, size - len, "%s%s", len ? " " : "", one);
	}
}

/* True if it is this version of a note that says `status: retired`. */
static bool says_retired(struct fs *fs, const struct doc *d, int64_t n)
{
	const struct document note = { .family = FAMILY_NOTE, .name = d->name };
	struct buf fields = BUF_INIT;
	struct why why = { 0 };
	char *bytes = NULL;
	size_t len;
	bool says = store_doc_content(fs->store, d->id, n, &bytes, &len) == 0 &&
		render_document_in(&note, bytes, len, fs->count_tokens, &fields, &why) == 0 &&
		strstr(fields.data, "retired");
	buf_release(&fields);
	free(bytes);
	return says;
}

static void set_retired(struct fs *fs, const struct place *p, const struct doc *was,
                        struct why *why)
{
	char todo[sizeof why->todo];
	struct buf word = BUF_INIT;
	int64_t n = was->versions, least = n > VERSIONS_MOST ? n - VERSIONS_MOST : 0;
	while (p->family == FAMILY_NOTE && n > least && says_retired(fs, was, n))
		n--;
	render_shell_word(&word, was->name);
	const char *name = word.len > 0 && word.len <= WORD_MOST && !word.failed ? word.data : "NAME";
	(void)snprintf(todo, sizeof todo, "cp %s@%lld %s brings it back; its history is in its @log",
	               name, (long long)n, name);
	why_set(why, n > least ? todo : "its history is in its @log", "it was retired");
	buf_release(&word);
}

/* It stood there, and was retired, or renamed, or gave its name up. */
static bool has_moved(struct fs *fs, uint64_t dir, const char *name, struct why *why)
{
	char path[PATH_LIMIT + 1];
	struct place p;
	struct doc was, now;
	if (place_of(fs, dir, &p) || !p.key[0] || store_doc_last_at(fs->store, p.key, name, &was) ||
	    was.folder)
		return false;
	if (was.into == was.id) {
		set_retired(fs, &p, &was, why);
		return true;
	}
	if (document_living(fs, was.id, &now) || is_hidden(fs, now.id) ||
	    (strcmp(now.parent, p.key) == 0 && strcmp(now.name, name) == 0))
		return false;
	tree_path(fs, ino_make(KIND_DOC, now.id), NULL, path, sizeof path);
	why_set(why, "read that; what it was is in NAME@log", "it was renamed: it is %.200s now", path);
	return true;
}

/* 000099.md of a session that has ten, or what is no message's name. */
static void set_no_message(struct fs *fs, int64_t session, const char *name, struct why *why)
{
	struct group g;
	size_t digits = strspn(name, "0123456789");
	if (digits < 6 || strcmp(name + digits, ".md") != 0 || session_now(fs, session, &g))
		why_set(why, "name it by six digits, as 000007.md", "no message has this name");
	else if (g.messages > 0)
		why_set(why, "the first is 000001.md", "there is no such message: the session has %lld",
		        (long long)g.messages);
	else
		why_set(why, "append one to its log.jsonl",
		        "there is no such message: the session has none");
}

/* Where no file can be made: what there is. */
static bool has_others(struct fs *fs, uint64_t dir, const char *name, struct why *why)
{
	char names[LISTED_MOST];
	struct place p;
	list_names(fs, dir, names, sizeof names);
	switch (ino_kind(dir)) {
	case KIND_ROOT:
		why_set(why, "free files and folders go below notes/", "there are: %s", names);
		return true;
	case KIND_SESSIONS:
		why_set(why, "mkdir sessions/NAME makes one", "no session has this name");
		return true;
	case KIND_THREADS:
		why_set(why, "append a message with \"thread\":\"NAME\" to a session's log",
		        "no thread has this name");
		return true;
	case KIND_MESSAGES:
		set_no_message(fs, ino_id(dir), name, why);
		return true;
	case KIND_SESSION:
	case KIND_FACTS:
	case KIND_MEMORIES:
	case KIND_BLOCKS:
	case KIND_COMPONENTS:
	case KIND_RECORDS:
		why_set(why, "use one of these, or write it into notes/", "there are: %s", names);
		return true;
	default:
		if (place_of(fs, dir, &p) || !p.folders || strchr(name, '.') ||
		    !render_is_folder(p.family, name))
			return false;
		why_set(why, p.family == FAMILY_NOTE ? "mkdir -p makes the folder, ls shows what there is" :
		        "mkdir algorithms/CODE makes it", "no file or folder has this name");
		return true;
	}
}

/* Directories of what is kept; others have any name, or such as nobody types. */
static bool is_asked_by_people(enum kind kind)
{
	switch (kind) {
	case KIND_ROOT: case KIND_SMMA: case KIND_SESSIONS: case KIND_SESSION: case KIND_MESSAGES:
	case KIND_THREADS: case KIND_THREAD: case KIND_FACTS: case KIND_MEMORIES:
	case KIND_MEMORY_DIR: case KIND_BLOCKS: case KIND_BLOCK_DIR: case KIND_COMPONENTS:
	case KIND_COMPONENT_DIR: case KIND_ALGORITHMS: case KIND_NOTES: case KIND_FOLDER:
	case KIND_RECORDS: case KIND_CINTA:
		return true;
	default:
		return false;
	}
}

bool missing_words(struct fs *fs, uint64_t dir, const char *name, struct why *why)
{
	char near[NAME_LIMIT + 1], path[PATH_LIMIT + 1];
	if (!is_asked_by_people(ino_kind(dir)))
		return false;
	if (has_moved(fs, dir, name, why))
		return true;
	if (!find_near(fs, dir, name, near))
		return has_others(fs, dir, name, why);
	tree_path(fs, dir, near, path, sizeof path);
	why_set(why, "type that, or ls its directory", "did you mean %.200s?", path);
	return true;
}

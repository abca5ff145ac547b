/* SPDX-License-Identifier: MIT */
/* The rules of a mount's bounds, and what was refused through it; see bounds.h. */
#include "fs/base/bounds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/array.h"
#include "store/lock.h"

struct rule {
	char *path;
	size_t len;
	enum reach reach;
};

struct bounds {
	struct rule *rule;
	size_t count, room;
	size_t given;          /* the first so many; the others are always there */
	enum reach rest;  /* of what no rule is about */
	bool hides;
	struct lock lock;
	/* guarded by lock: a ring, `next` is the oldest */
	struct bounds_line line[BOUNDS_LINES];
	size_t next;
};

/* What holds nothing but what the mount shows is there without being listed in only=. */
static const struct rule always[] = {
	{ "README.md", 9, REACH_READ }, { "AGENTS.md", 9, REACH_READ },
	{ "errors.log", 10, REACH_READ },
	{ "search", 6, REACH_WRITE }, { "context.md", 10, REACH_READ }, { "context", 7, REACH_READ },
};

/* ---- making ----------------------------------------------------------------- */

static int refuse_path(const char *word, const char *path, const char *todo, struct why *why)
{
	why_set(why, todo, "%s=%.150s: no path of the memory", word, path);
	return -EINVAL;
}

/* The next path of a list, without slashes at its ends; NULL: no memory. */
static char *next_path(const char **list)
{
	char *path = malloc(strlen(*list) + 1);
	size_t len = 0;
	if (!path)
		return NULL;
	const char *p = *list + strspn(*list, "/");
	for (; *p && *p != ':'; p++) {
		if (p[0] == '\\' && (p[1] == ':' || p[1] == '\\'))
			p++;
		path[len++] = *p;
	}
	*list = *p ? p + 1 : p;
	while (len > 0 && path[len - 1] == '/')
		len--;
	path[len] = '\0';
	return path;
}

/* False for a/../b, a//b, `.` and nothing at all. */
static bool is_path(const char *path)
{
	for (size_t n; ; path += n + 1) {
		n = strcspn(path, "/");
		if (n == 0 || (n == 1 && path[0] == '.') || (n == 2 && path[0] == '.' && path[1] == '.'))
			return false;
		if (!path[n])
			return true;
	}
}

static struct rule *find(struct bounds *b, const char *path)
{
	for (size_t i = 0; i < b->count; i++)
		if (strcmp(b->rule[i].path, path) == 0)
			return &b->rule[i];
	return NULL;
}

/* Takes `path`.  Named in only= and in ro=, it is read-only; hidden and shown, it is a mistake. */
static int add(struct bounds *b, const char *word, char *path, enum reach reach, struct why *why)
{
	struct rule *there = find(b, path);
	int err = 0;
	if (there && (there->reach == REACH_NONE) != (reach == REACH_NONE))
		err = refuse_path(word, path, "it is in hide= and in only= or ro=; leave one", why);
	else if (there && reach < there->reach)
		there->reach = reach;
	if (there || err) {
		free(path);
		return err;
	}
	if (!ARRAY_ROOM(b->rule, b->room, b->count)) {
		free(path);
		return -ENOMEM;
	}
	b->rule[b->count++] = (struct rule){ path, strlen(path), reach };
	return 0;
}

static int add_list(struct bounds *b, const char *word, const char *list, enum reach reach,
                    struct why *why)
{
	int err = 0;
	while (list && !err && *list) {
		char *path = next_path(&list);
		if (!path)
			return -ENOMEM;
		if (is_path(path)) {
			err = add(b, word, path, reach, why);
		} else {
			err = refuse_path(word, path, "name it from the root of the mount: notes/private", why);
			free(path);
		}
	}
	return err;
}

static int add_always(struct bounds *b)
{
	for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
		if (find(b, always[i].path))
			continue;
		char *path = strdup(always[i].path);
		int err = path ? add(b, "", path, always[i].reach, NULL) : -ENOMEM;
		if (err)
			return err;
	}
	return 0;
}

/* Facts are learned from what is said in all sessions: who does not see all of these sees the lists
 * that a word names. */
static int add_learned(struct bounds *b)
{
	bool named = bounds_whole(b, "sessions");
	for (size_t i = 0; i < b->given; i++)
		named = named || (b->rule[i].reach > REACH_NONE && strcmp(b->rule[i].path, "facts") == 0);
	if (named || find(b, "facts"))
		return 0;
	char *path = strdup("facts");
	return path ? add(b, "", path, REACH_NONE, NULL) : -ENOMEM;
}

int bounds_make(const char *only, const char *ro, const char *hide, struct bounds **out,
                struct why *why)
{
	*out = NULL;
	if (!only && !ro && !hide)
		return 0;
	struct bounds *b = calloc(1, sizeof *b);
	if (!b)
		return -ENOMEM;
	lock_init(&b->lock, RANK_BOUNDS);
	b->rest = only ? REACH_NONE : REACH_WRITE;
	b->hides = only || hide;
	int err = add_list(b, "only", only, REACH_WRITE, why);
	if (!err)
		err = add_list(b, "ro", ro, REACH_READ, why);
	if (!err)
		err = add_list(b, "hide", hide, REACH_NONE, why);
	b->given = b->count;
	if (!err && only)
		err = add_always(b);
	if (!err && b->hides)
		err = add_learned(b);
	if (err) {
		bounds_free(b);
		b = NULL;
	}
	*out = b;
	return err;
}

void bounds_free(struct bounds *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->count; i++)
		free(b->rule[i].path);
	free(b->rule);
	for (size_t i = 0; i < BOUNDS_LINES; i++)
		free(b->line[i].text);
	lock_destroy(&b->lock);
	free(b);
}

size_t bounds_rules(const struct bounds *b)
{
	return b ? b->given : 0;
}

const char *bounds_rule(const struct bounds *b, size_t i)
{
	return b->rule[i].path;
}

/* ---- asking ----------------------------------------------------------------- */

static const char *rooted(const char *path)
{
	return strcmp(path, ".") == 0 ? "" : path;
}

/* Behind the @: what a document was, NAME@3, is where the document is. */
static bool is_past(const char *text)
{
	return strcmp(text, "log") == 0 || strcmp(text, "score") == 0 ||
	       (*text && !text[strspn(text, "0123456789-:.+TZ")]);
}

static bool covers(const struct rule *r, const char *path)
{
	if (strncmp(r->path, path, r->len) != 0)
		return false;
	const char *end = path + r->len;
	return !*end || *end == '/' || (*end == '@' && is_past(end + 1));
}

static bool is_below(const struct rule *r, const char *path)
{
	size_t len = strlen(path);
	len -= len > 0 && path[len - 1] == '/';
	return !len || (strncmp(r->path, path, len) == 0 && r->path[len] == '/');
}

enum reach bounds_path(const struct bounds *b, const char *path)
{
	if (!b)
		return REACH_WRITE;
	const struct rule *best = NULL;
	bool leads = false;
	path = rooted(path);
	for (size_t i = 0; i < b->count; i++) {
		const struct rule *r = &b->rule[i];
		if (covers(r, path) && (!best || r->len > best->len))
			best = r;
		leads = leads || (r->reach > REACH_NONE && is_below(r, path));
	}
	enum reach reach = best ? best->reach : b->rest;
	return reach == REACH_NONE && leads ? REACH_WAY : reach;
}

bool bounds_whole(const struct bounds *b, const char *path)
{
	if (!b || !b->hides)
		return true;
	path = rooted(path);
	for (size_t i = 0; i < b->count; i++)
		if (b->rule[i].reach == REACH_NONE && is_below(&b->rule[i], path))
			return false;
	return *path && bounds_path(b, path) >= REACH_READ;
}

bool bounds_holds_still(const struct bounds *b, const char *path)
{
	if (!b)
		return false;
	path = rooted(path);
	for (size_t i = 0; i < b->count; i++)
		if (b->rule[i].reach < REACH_WRITE && is_below(&b->rule[i], path))
			return true;
	return bounds_path(b, path) < REACH_WRITE;
}

bool bounds_hides_in(const struct bounds *b, const char *dir)
{
	size_t len = strlen(rooted(dir));
	for (size_t i = 0; b && i < b->count; i++) {
		const struct rule *r = &b->rule[i];
		const char *name = r->path + len + (len > 0);
		if (r->reach == REACH_NONE && is_below(r, rooted(dir)) && !strchr(name, '/'))
			return true;
	}
	return false;
}

/* ---- what was refused --------------------------------------------------------- */

void bounds_note(struct bounds *b, int64_t time_us, char *text)
{
	lock_take(&b->lock);
	struct bounds_line *line = &b->line[b->next];
	free(line->text);
	*line = (struct bounds_line){ time_us, text };
	b->next = (b->next + 1) % BOUNDS_LINES;
	lock_give(&b->lock);
}

void bounds_each_note(struct bounds *b, bounds_line_fn *fn, void *ctx)
{
	lock_take(&b->lock);
	for (size_t i = 0; i < BOUNDS_LINES; i++) {
		const struct bounds_line *line = &b->line[(b->next + i) % BOUNDS_LINES];
		if (line->text)
			fn(ctx, line);
	}
	lock_give(&b->lock);
}

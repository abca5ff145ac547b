/* SPDX-License-Identifier: MIT */
/* The site's names: which page a name means, and the other way round. */
#include <stdio.h>

#include "fs/site/site_shared.h"

static const char *const dir_name[SITE_DIRS] = { NULL, "sessions", "threads", "doc", "search",
	"day", "fact" };

static const char ending[] = ".html";
enum { ENDING = sizeof ending - 1 };

/* The name without its ending; false: it has none. */
static bool stem_of(const char *name, char stem[NAME_LIMIT + 1])
{
	size_t len = strlen(name);
	if (len <= ENDING || len > NAME_LIMIT || strcmp(name + len - ENDING, ending) != 0)
		return false;
	(void)snprintf(stem, NAME_LIMIT + 1, "%.*s", (int)(len - ENDING), name);
	return true;
}

/* A number from 2 on, as it is written; 0: it is none. */
static int64_t number_of(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	if (digits == 0 || digits > 6 || text[digits] || *text == '0')
		return 0;
	int64_t n = strtol(text, NULL, 10);
	return n > 1 ? n : 0;
}

static uint64_t top_ino(enum site_page which, int64_t page)
{
	return ino_make(KIND_HTML_PAGE, (int64_t)which << PAGE_NUMBER_BITS | page);
}

static bool has_pages(enum site_page which)
{
	return which == SITE_SESSIONS || which == SITE_THREADS || which == SITE_FACTS ||
		which == SITE_DOCUMENTS;
}

int find_html(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	char stem[NAME_LIMIT + 1];
	(void)fs, (void)dir;
	for (int i = 1; i < SITE_DIRS; i++) {
		if (strcmp(name, dir_name[i]) == 0) {
			*ino = ino_make(KIND_HTML_SUB, i);
			return 0;
		}
	}
	if (!stem_of(name, stem))
		return -ENOENT;
	for (int i = 0; i < SITE_PAGES; i++) {
		size_t len = strlen(site_page_name[i]);
		if (strncmp(stem, site_page_name[i], len) != 0)
			continue;
		int64_t page = !stem[len] ? 1 : stem[len] == '-' ? number_of(stem + len + 1) : 0;
		if (page == 0 || (page > 1 && !has_pages((enum site_page)i)))
			continue;
		*ino = top_ino((enum site_page)i, page);
		return 0;
	}
	return -ENOENT;
}

int next_html(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
              uint64_t *ino)
{
	(void)fs, (void)dir;
	int64_t at = (*cursor)++;
	if (at < SITE_PAGES) {
		(void)snprintf(name, NAME_LIMIT + 1, "%s%s", site_page_name[at], ending);
		*ino = top_ino((enum site_page)at, 1);
	} else if (at - SITE_PAGES + 1 < SITE_DIRS) {
		(void)snprintf(name, NAME_LIMIT + 1, "%s", dir_name[at - SITE_PAGES + 1]);
		*ino = ino_make(KIND_HTML_SUB, at - SITE_PAGES + 1);
	} else {
		return 0;
	}
	return 1;
}

void html_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	(void)fs;
	int64_t which = ino_id(ino) >> PAGE_NUMBER_BITS, page = ino_id(ino) & UINT32_MAX;
	if (which >= SITE_PAGES)
		return;
	if (page > 1)
		(void)snprintf(dst, size, "%s-%lld%s", site_page_name[which], (long long)page, ending);
	else
		(void)snprintf(dst, size, "%s%s", site_page_name[which], ending);
}

void html_sub_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	(void)fs;
	if (ino_id(ino) > 0 && ino_id(ino) < SITE_DIRS)
		(void)snprintf(dst, size, "%s", dir_name[ino_id(ino)]);
}

/* ---- sessions/ and threads/ --------------------------------------------------- */

static int find_group_page(struct fs *fs, enum log_kind kind, const char *name, uint64_t *ino)
{
	char stem[NAME_LIMIT + 1];
	struct group g;
	struct why why;
	bool page = stem_of(name, stem);
	const char *of = page ? stem : name;
	if (render_check_name(of, strlen(of), "thread", &why))
		return -ENOENT;
	int err = store_group_by_name(fs->store, kind, of, &g);
	if (err || g.id >= 1 << GROUP_BITS)
		return err ? errno_of_store(err) : -ENOENT;
	const struct site_group at = { kind, g.id, page };
	*ino = ino_make(page ? KIND_HTML_GROUP : KIND_HTML_GROUP_DIR, site_group_id(at));
	return 0;
}

int find_html_group(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	char stem[NAME_LIMIT + 1];
	struct site_group g = site_group_of(ino_id(dir));
	struct group of;
	g.page = stem_of(name, stem) ? number_of(stem) : 0;
	int err = g.page ? errno_of_store(store_catch_up(fs->store)) : -ENOENT;
	if (!err)
		err = errno_of_store(store_group_by_id(fs->store, g.kind, g.id, &of));
	if (!err && (g.page - 1) * SITE_MESSAGES >= of.messages)
		err = -ENOENT;
	*ino = ino_make(KIND_HTML_GROUP, site_group_id(g));
	return err;
}

static void name_of_group(struct fs *fs, int64_t id, const char *after, char *dst, size_t size)
{
	struct site_group at = site_group_of(id);
	struct group g;
	if (store_group_by_id(fs->store, at.kind, at.id, &g) == 0)
		(void)snprintf(dst, size, "%s%s", g.name, after);
}

void html_group_dir_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	name_of_group(fs, ino_id(ino), "", dst, size);
}

void html_group_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	struct site_group g = site_group_of(ino_id(ino));
	if (g.page > 1)
		(void)snprintf(dst, size, "%lld%s", (long long)g.page, ending);
	else
		name_of_group(fs, ino_id(ino), ending, dst, size);
}

uint64_t html_group_dir_parent(struct fs *fs, uint64_t ino)
{
	(void)fs;
	return ino_make(KIND_HTML_SUB, site_group_of(ino_id(ino)).kind == LOG_THREAD ?
	                SITE_OF_THREADS : SITE_OF_SESSIONS);
}

uint64_t html_group_parent(struct fs *fs, uint64_t ino)
{
	struct site_group g = site_group_of(ino_id(ino));
	if (g.page <= 1)
		return html_group_dir_parent(fs, ino);
	g.page = 0;
	return ino_make(KIND_HTML_GROUP_DIR, site_group_id(g));
}

/* ---- doc/ --------------------------------------------------------------------- */

/* The id of a page's directory: the tree's own, as kind and id. */
enum { PLACE_BITS = INO_ID_BITS - INO_KIND_BITS };

static uint64_t place_of_dir(uint64_t dir)
{
	if (ino_kind(dir) == KIND_HTML_SUB)
		return ino_make(KIND_ROOT, 1);
	return ino_make((enum kind)(ino_id(dir) >> PLACE_BITS),
	                ino_id(dir) & ((INT64_C(1) << PLACE_BITS) - 1));
}

static uint64_t dir_of_place(uint64_t place)
{
	if (ino_kind(place) == KIND_ROOT)
		return ino_make(KIND_HTML_SUB, SITE_DOC);
	return ino_make(KIND_HTML_DOC_DIR, (int64_t)ino_kind(place) << PLACE_BITS | ino_id(place));
}

/* Directories in which documents stand, or directories of these. */
static bool leads_to_documents(uint64_t ino)
{
	switch (ino_kind(ino)) {
	case KIND_SMMA: case KIND_SESSIONS: case KIND_SESSION: case KIND_BLOCKS: case KIND_BLOCK_DIR:
	case KIND_MEMORIES: case KIND_MEMORY_DIR: case KIND_COMPONENTS: case KIND_COMPONENT_DIR:
	case KIND_ALGORITHMS: case KIND_NOTES: case KIND_FOLDER:
		return ino_id(ino) < INT64_C(1) << PLACE_BITS;
	default:
		return false;
	}
}

int find_html_document(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	char stem[NAME_LIMIT + 1];
	uint64_t found;
	bool page = stem_of(name, stem);
	int err = site_find_document(fs, place_of_dir(dir), page ? stem : name, &found);
	if (err)
		return err;
	if (page && ino_kind(found) == KIND_DOC)
		*ino = ino_make(KIND_HTML_DOC, ino_id(found));
	else if (page && ino_kind(found) == KIND_VERSION)
		*ino = ino_make(KIND_HTML_VERSION, ino_id(found));
	else if (!page && leads_to_documents(found))
		*ino = dir_of_place(found);
	else
		return -ENOENT;
	return 0;
}

void html_doc_dir_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	tree_name(fs, place_of_dir(ino), dst, size);
}

uint64_t html_doc_dir_parent(struct fs *fs, uint64_t ino)
{
	return dir_of_place(tree_parent(fs, place_of_dir(ino)));
}

static uint64_t document_of(uint64_t ino)
{
	return ino_make(ino_kind(ino) == KIND_HTML_VERSION ? KIND_VERSION : KIND_DOC, ino_id(ino));
}

void html_document_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	char name[NAME_LIMIT + 1];
	tree_name(fs, document_of(ino), name, sizeof name);
	(void)snprintf(dst, size, "%s%s", name, ending);
}

uint64_t html_document_parent(struct fs *fs, uint64_t ino)
{
	return dir_of_place(tree_parent(fs, document_of(ino)));
}

/* ---- day/ --------------------------------------------------------------------- */

static int find_day(const char *name, uint64_t *ino)
{
	enum { DATE = sizeof "2026-11-20" - 1 };
	char stem[NAME_LIMIT + 1], path[SITE_PATH];
	int64_t time_us, page = 1;
	if (!stem_of(name, stem) || strlen(stem) < DATE)
		return -ENOENT;
	if (stem[DATE])
		page = stem[DATE] == '-' ? number_of(stem + DATE + 1) : 0;
	stem[DATE] = '\0';
	if (page == 0 || when_parse(stem, &time_us) || time_us < 0)
		return -ENOENT;
	site_day_path(path, time_us / US_OF_DAY, page);
	if (strcmp(path + sizeof "day/" - 1, name) != 0)
		return -ENOENT;
	*ino = ino_make(KIND_HTML_DAY, page << DAY_BITS | time_us / US_OF_DAY);
	return 0;
}

void html_day_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	char path[SITE_PATH];
	(void)fs;
	site_day_path(path, ino_id(ino) & ((1 << DAY_BITS) - 1), ino_id(ino) >> DAY_BITS);
	(void)snprintf(dst, size, "%s", path + sizeof "day/" - 1);
}

uint64_t html_day_parent(struct fs *fs, uint64_t ino)
{
	(void)fs, (void)ino;
	return ino_make(KIND_HTML_SUB, SITE_DAY);
}

/* ---- fact/ -------------------------------------------------------------------- */

static void no_fact(void *ctx, const struct fact *f)
{
	(void)ctx, (void)f;
}

static int find_fact(struct fs *fs, const char *name, uint64_t *ino)
{
	char stem[NAME_LIMIT + 1], path[SITE_PATH], *end;
	if (!stem_of(name, stem))
		return -ENOENT;
	int64_t id = strtoll(stem, &end, 10);
	site_fact_path(path, id);
	if (*end || id < 0 || strcmp(path + sizeof "fact/" - 1, name) != 0)
		return -ENOENT;
	*ino = ino_make(KIND_HTML_FACT, id);
	return errno_of_store(store_fact_by_id(fs->store, id, no_fact, NULL));
}

void html_fact_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	char path[SITE_PATH];
	(void)fs;
	site_fact_path(path, ino_id(ino));
	(void)snprintf(dst, size, "%s", path + sizeof "fact/" - 1);
}

uint64_t html_fact_parent(struct fs *fs, uint64_t ino)
{
	(void)fs, (void)ino;
	return ino_make(KIND_HTML_SUB, SITE_FACT);
}

int find_html_sub(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	switch ((enum site_dir)ino_id(dir)) {
	case SITE_OF_SESSIONS:
		return find_group_page(fs, LOG_SESSION, name, ino);
	case SITE_OF_THREADS:
		return find_group_page(fs, LOG_THREAD, name, ino);
	case SITE_DOC:
		return find_html_document(fs, dir, name, ino);
	case SITE_DAY:
		return find_day(name, ino);
	case SITE_FACT:
		return find_fact(fs, name, ino);
	case SITE_SEARCH:
		return find_html_search(fs, dir, name, ino);
	default:
		return -ENOENT;
	}
}

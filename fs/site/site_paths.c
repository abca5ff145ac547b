/* SPDX-License-Identifier: MIT */
/* What all pages of the site share: addresses and pagers. */
#include <stdio.h>

#include "fs/facts/facts.h"
#include "fs/site/site_shared.h"

const char *const site_page_name[SITE_PAGES] = { "index", "sessions", "threads", "facts",
	"memories", "blocks", "documents", "context", "algorithms", "proof", "search" };

bool site_group_path(char dst[SITE_PATH], enum log_kind kind, const char *name, int64_t n)
{
	const char *dir = kind == LOG_THREAD ? "threads" : "sessions";
	int64_t page = (n - 1) / SITE_MESSAGES + 1;
	if (strlen(name) + sizeof ".html" - 1 > NAME_LIMIT)
		return false;
	if (page > 1)
		(void)snprintf(dst, SITE_PATH, "%s/%s/%lld.html", dir, name, (long long)page);
	else
		(void)snprintf(dst, SITE_PATH, "%s/%s.html", dir, name);
	return true;
}

/* False: a file name would be too long. */
static bool doc_path(const char *path, const char *version, char dst[SITE_PATH])
{
	const char *name = strrchr(path, '/');
	int n = snprintf(dst, SITE_PATH, "doc/%s%s.html", path, version);
	return n > 0 && n < SITE_PATH &&
	       strlen(name ? name + 1 : path) + strlen(version) + sizeof ".html" - 1 <= NAME_LIMIT;
}

int site_find_document(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	int err = tree_lookup(fs, dir, name, ino);
	if (!err && ino_kind(*ino) == KIND_PAGE) /* session.md, which somebody may have saved */
		err = find_document(fs, dir, name, ino);
	return err;
}

bool site_doc_path(struct fs *fs, int64_t doc, char *path, size_t size, char dst[SITE_PATH])
{
	const uint64_t ino = ino_make(KIND_DOC, doc);
	char name[NAME_LIMIT + 1];
	uint64_t found;
	tree_path(fs, ino, NULL, path, size);
	if (strncmp(path, "answers/", 8) == 0 || !doc_path(path, "", dst))
		return false;
	tree_name(fs, ino, name, sizeof name); /* one that is retired is not there any more */
	return site_find_document(fs, tree_parent(fs, ino), name, &found) == 0 && found == ino;
}

bool site_version_path(const char *path, int64_t n, char dst[SITE_PATH])
{
	char version[32];
	(void)snprintf(version, sizeof version, "@%lld", (long long)n);
	return doc_path(path, version, dst);
}

void site_fact_path(char dst[SITE_PATH], int64_t id)
{
	(void)snprintf(dst, SITE_PATH, "fact/%lld.html", (long long)id);
}

void site_day_path(char dst[SITE_PATH], int64_t day, int64_t page)
{
	struct buf name = BUF_INIT;
	char number[24] = "";
	buf_add_time(&name, day * US_OF_DAY);
	if (page > 1)
		(void)snprintf(number, sizeof number, "-%lld", (long long)page);
	(void)snprintf(dst, SITE_PATH, "day/%.10s%s.html", name.data ? name.data : "", number);
	buf_release(&name);
}

void site_fact_cell(struct site *s, int64_t id, const char *text)
{
	char path[SITE_PATH];
	site_fact_path(path, id);
	html_cell_link(&s->h, path, *text ? text : "[redacted]");
}

void site_source_cell(struct site *s, const struct fact *f)
{
	struct fact_source from;
	struct group g;
	char path[SITE_PATH], text[64];
	if (facts_source(s->fs, f->entry, &from) &&
	    store_group_by_id(s->fs->store, LOG_SESSION, from.session, &g) == 0 &&
	    site_group_path(path, LOG_SESSION, g.name, from.n)) {
		(void)snprintf(text, sizeof text, "message %lld of %.*s", (long long)from.n,
		               (int)utf8_fit(g.name, strlen(g.name), 30), g.name);
		html_cell_link_at(&s->h, path, "m", from.n, text);
	} else {
		html_cell(&s->h, f->explicit_ ? "said in the list" : "");
	}
}

void site_pager(struct site *s, const char *label, int64_t page, int64_t pages, site_path_fn *path,
                const void *ctx)
{
	static const char *const names[] = { "First", "Previous", "Next", "Last" };
	const int64_t to[] = { 1, page - 1, page + 1, pages };
	char dst[SITE_PATH], here[64];
	if (pages <= 1)
		return;
	html_pager(&s->h, label);
	for (int i = 0; i < 4; i++) {
		if (i == 2) {
			(void)snprintf(here, sizeof here, "page %lld of %lld", (long long)page,
			               (long long)pages);
			html_item(&s->h, NULL, here, NULL);
		}
		bool there = i < 2 ? page > 1 : page < pages;
		if (there)
			path(ctx, to[i], dst);
		if (there)
			html_item(&s->h, dst, names[i], NULL);
	}
	html_pager_end(&s->h);
}

static void list_path(enum site_page which, int64_t page, char dst[SITE_PATH])
{
	if (page > 1)
		(void)snprintf(dst, SITE_PATH, "%s-%lld.html", site_page_name[which], (long long)page);
	else
		(void)snprintf(dst, SITE_PATH, "%s.html", site_page_name[which]);
}

void site_list_pager(struct site *s, enum site_page which, int64_t page, bool more)
{
	char path[SITE_PATH];
	if (page == 1 && !more)
		return;
	html_pager(&s->h, "Pages of this list");
	if (page > 1) {
		list_path(which, 1, path);
		html_item(&s->h, path, "First", NULL);
		list_path(which, page - 1, path);
		html_item(&s->h, path, "Previous", NULL);
	}
	if (more) {
		list_path(which, page + 1, path);
		html_item(&s->h, path, "Next", NULL);
	}
	html_pager_end(&s->h);
}

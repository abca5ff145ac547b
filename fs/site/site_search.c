/* SPDX-License-Identifier: MIT */
/* search/QUERY.html: the hits of a search, each with a link to where it stands. */
#include <stdio.h>

#include "fs/search/search.h"
#include "fs/site/site_shared.h"

struct hits {
	struct site s;
	int count;
};

/* "sessions/NAME/messages/000017.md": that message's page; 0: it is none. */
static int64_t message_path(const char *path, char dst[SITE_PATH])
{
	static const char dir[] = "sessions/", within[] = "/messages/";
	char name[NAME_LIMIT + 1];
	const char *slash = strncmp(path, dir, sizeof dir - 1) == 0 ?
		strchr(path + sizeof dir - 1, '/') : NULL;
	if (!slash || strncmp(slash, within, sizeof within - 1) != 0)
		return 0;
	path += sizeof dir - 1;
	(void)snprintf(name, sizeof name, "%.*s", (int)(slash - path), path);
	int64_t n = strtol(slash + sizeof within - 1, NULL, 10);
	return n > 0 && site_group_path(dst, LOG_SESSION, name, n) ? n : 0;
}

static void link_to(struct site *s, const struct result *r)
{
	char path[SITE_PATH];
	const char *name = strrchr(r->path, '/');
	int64_t n = strcmp(r->kind, "message") == 0 ? message_path(r->path, path) : 0;
	bool fits = strlen(r->path) + sizeof "doc/.html" <= sizeof path &&
		strlen(name ? name + 1 : r->path) + sizeof ".html" - 1 <= NAME_LIMIT;
	if (n)
		html_link_at(&s->h, path, "m", n, r->path);
	else if (strcmp(r->kind, "fact") == 0)
		html_link(&s->h, "facts.html", r->path);
	else if (strcmp(r->kind, "document") == 0 && fits && strncmp(r->path, "answers/", 8) != 0) {
		(void)snprintf(path, sizeof path, "doc/%s.html", r->path);
		html_link(&s->h, path, r->path);
	} else {
		html_say(&s->h, r->path);
	}
}

static void add_hit(void *ctx, const struct result *r)
{
	struct hits *all = ctx;
	struct html *h = &all->s.h;
	all->count++;
	link_to(&all->s, r);
	html_pairs(h);
	if (*r->role)
		html_pair(h, "role", r->role);
	if (*r->by)
		html_pair(h, "said by", r->by);
	if (*r->author)
		html_pair(h, "by", r->author);
	html_pair_time(h, "when", r->time_us);
	if (r->life != LIFE_LIVE)
		html_pair(h, "state", life_name(r->life));
	html_pairs_end(h);
	html_markdown(h, r->snippet, strlen(r->snippet));
}

static int make(struct fs *fs, int64_t within, const char *text, struct found *out)
{
	struct buf page = BUF_INIT;
	struct hits all = { .s = { .fs = fs, .h = { .out = &page, .up = "../" } } };
	struct why why = { 0 };
	char title[NAME_LIMIT + 16];
	(void)within;
	(void)snprintf(title, sizeof title, "Search: %s", text);
	html_begin(&all.s.h, title, "");
	int err = found_make(fs, SEARCH_FOR_SITE, text, strlen(text), add_hit, &all, out, &why);
	if (err == -EINVAL && why.text[0]) {
		html_alert(&all.s.h, why.text);
		html_say(&all.s.h, why.todo);
	} else if (!err && all.count == 0) {
		html_say(&all.s.h, "Nothing was found.");
	}
	html_end(&all.s.h);
	buf_release(&out->page);
	out->page = page;
	return err ? err : page.failed ? -ENOMEM : 0;
}

int find_html_search(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	char as_page[NAME_LIMIT + 1];
	size_t len = strlen(name);
	(void)dir;
	if (len < 6 || len > NAME_LIMIT || strcmp(name + len - 5, ".html") != 0)
		return -ENOENT;
	(void)snprintf(as_page, sizeof as_page, "%.*s.md", (int)(len - 5), name);
	return search_find_page(fs, SEARCH_FOR_SITE, as_page, make, ino);
}

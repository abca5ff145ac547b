/* SPDX-License-Identifier: MIT */
/* facts.html: what holds and what does not any more, where each came from, what stands for it. */
#include <stdio.h>

#include "fs/site/shown.h"

/* A fact as it is kept while the store goes on. */
struct kept {
	struct fact fact; /* .text is `text` */
	char *text;
};

struct facts {
	struct kept *at;
	size_t count, room;
	bool failed;
};

static void keep(void *ctx, const struct fact *f)
{
	struct facts *all = ctx;
	char *text = strndup(f->text, f->len);
	if (all->failed || !text || !ARRAY_ROOM(all->at, all->room, all->count)) {
		free(text);
		all->failed = true;
		return;
	}
	all->at[all->count++] = (struct kept){ *f, text };
}

/* Live ones first, by domain; then the others; the newer first. */
static int by_order(const void *a, const void *b)
{
	const struct fact *x = &((const struct kept *)a)->fact, *y = &((const struct kept *)b)->fact;
	if (!x->retracted_us != !y->retracted_us)
		return x->retracted_us ? 1 : -1;
	if (!x->retracted_us && x->domain != y->domain)
		return x->domain - y->domain;
	return x->id < y->id ? 1 : -1;
}

/* The page on which a fact stands, as they are ordered; 0: it is none of these. */
static int64_t page_of(const struct facts *all, int64_t id)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->at[i].fact.id == id)
			return (int64_t)i / SITE_ROWS + 1;
	return 0;
}

static void other_cell(struct site *s, const struct facts *all, int64_t id, int64_t here)
{
	char path[SITE_PATH] = "", text[32];
	int64_t page = id ? page_of(all, id) : 0;
	(void)snprintf(text, sizeof text, "%lld", (long long)id);
	if (page > 1 && page != here)
		(void)snprintf(path, sizeof path, "facts-%lld.html", (long long)page);
	else if (page != here)
		(void)snprintf(path, sizeof path, "facts.html");
	if (page)
		html_cell_link_at(&s->h, path, "f", id, text);
	else
		html_cell(&s->h, id ? text : "");
}

static void row(struct site *s, const struct facts *all, const struct kept *k, int64_t page)
{
	static const char *const sure[] = { "low", "medium", "high" };
	static const char *const states[] = { "", "not shown by itself", "stale" };
	const struct fact *f = &k->fact;
	const int64_t now = store_time(s->fs->store);
	html_row(&s->h, "f", f->id);
	html_cell_number(&s->h, f->id);
	html_cell(&s->h, *k->text ? k->text : "[redacted]");
	html_cell_word(&s->h, store_fact_domain_name(f->domain));
	html_cell_word(&s->h, sure[f->confidence]);
	html_cell_time(&s->h, f->added_us);
	html_cell_time(&s->h, f->confirmed_us);
	if (f->retracted_us)
		html_cell_time(&s->h, f->retracted_us);
	else
		html_cell(&s->h, states[store_fact_state(f, now)]);
	other_cell(s, all, f->supersedes, page);
	other_cell(s, all, f->superseded_by, page);
	site_source_cell(s, f);
}

static void table(struct site *s, const struct facts *all, size_t from, size_t to, bool live,
                  int64_t page)
{
	static const char *const heads[][11] = {
		{ "#number", "fact", "domain", "sure", "said", "confirmed", "ended", "stands for",
		  "replaced by", "from", NULL },
		{ "#number", "fact", "domain", "sure", "said", "confirmed", "state", "stands for",
		  "replaced by", "from", NULL } };
	bool any = false;
	for (size_t i = from; i < to; i++) {
		if (!all->at[i].fact.retracted_us != live)
			continue;
		if (!any)
			html_table(&s->h, live ? "Facts that hold" : "Facts that ended", heads[live]);
		any = true;
		row(s, all, &all->at[i], page);
	}
	if (any)
		html_table_end(&s->h);
}

int site_facts(struct site *s, int64_t page)
{
	struct facts all = { .count = 0 };
	int err = errno_of_store(store_fact_all(s->fs->store, keep, &all));
	const size_t from = (size_t)(page - 1) * SITE_ROWS;
	err = err ? err : all.failed ? -ENOMEM : page > 1 && from >= all.count ? -ENOENT : 0;
	if (!err && all.count)
		qsort(all.at, all.count, sizeof *all.at, by_order);
	if (!err) {
		size_t to = from + SITE_ROWS < all.count ? from + SITE_ROWS : all.count;
		if (all.count == 0)
			html_say(&s->h, "Nobody has said anything for good yet.");
		table(s, &all, from, to, true, page);
		table(s, &all, from, to, false, page);
		site_list_pager(s, SITE_FACTS, page, to < all.count);
	}
	for (size_t i = 0; i < all.count; i++)
		free(all.at[i].text);
	free(all.at);
	return err;
}

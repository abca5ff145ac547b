/* SPDX-License-Identifier: MIT */
/*
 * facts.html: what holds and then what ended, a page reads what it shows.  fact/17.html: one of
 * them with all that it stands for and all that stand for it, and where each came from.
 */
#include <stdio.h>

#include "fs/site/site_shared.h"

enum { CHAIN_MOST = 100 /* facts on each side of one */, AUTHOR_WHOLE = 24 };

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

static void release(struct facts *all)
{
	for (size_t i = 0; i < all->count; i++)
		free(all->at[i].text);
	free(all->at);
}

/* ---- a row ----------------------------------------------------------------------- */

static void other_cell(struct site *s, int64_t id)
{
	char path[SITE_PATH], text[32];
	site_fact_path(path, id);
	(void)snprintf(text, sizeof text, "%lld", (long long)id);
	if (id)
		html_cell_link_at(&s->h, path, "f", id, text);
	else
		html_cell_word(&s->h, "");
}

/* When it ended, or how it stands. */
static void state_cell(struct site *s, const struct fact *f)
{
	static const char *const states[] = { "holds", "not shown by itself", "stale" };
	if (f->retracted_us)
		html_cell_day(&s->h, f->retracted_us);
	else
		html_cell(&s->h, states[store_fact_state(f, store_time(s->fs->store))]);
}

static const char *sure(const struct fact *f)
{
	static const char *const names[] = { "low", "medium", "high" };
	return f->explicit_ ? names[f->confidence] : "inferred";
}

static void row(struct site *s, const struct kept *k, int64_t other)
{
	const struct fact *f = &k->fact;
	html_row(&s->h, "f", f->id);
	html_cell_number(&s->h, f->id);
	site_fact_cell(s, f->id, k->text);
	html_cell_word(&s->h, store_fact_domain_name(f->domain));
	html_cell_word(&s->h, sure(f));
	html_cell_day(&s->h, f->added_us);
	html_cell_day(&s->h, f->confirmed_us);
	state_cell(s, f);
	other_cell(s, other);
	site_source_cell(s, f);
}

/* ---- the list ---------------------------------------------------------------------- */

static int table(struct site *s, bool ended, int64_t skip, int64_t most)
{
	static const char *const heads[][10] = {
		{ "#number", "fact", "domain", "sure", "said", "confirmed", "state", "stands for", "from",
		  NULL },
		{ "#number", "fact", "domain", "sure", "said", "confirmed", "ended", "replaced by", "from",
		  NULL } };
	struct facts all = { .count = 0 };
	int err = errno_of_store(store_fact_page(s->fs->store, ended, skip, most, keep, &all));
	err = err ? err : all.failed ? -ENOMEM : 0;
	if (!err && all.count) {
		html_table(&s->h, ended ? "Facts that ended, the last first" :
		           "Facts that hold, by list", heads[ended]);
		for (size_t i = 0; i < all.count; i++)
			row(s, &all.at[i], ended ? all.at[i].fact.superseded_by : all.at[i].fact.supersedes);
		html_table_end(&s->h);
	}
	release(&all);
	return err;
}

int site_facts(struct site *s, int64_t page)
{
	int64_t held, ended;
	const int64_t from = (page - 1) * SITE_ROWS, to = page * SITE_ROWS;
	int err = errno_of_store(store_fact_count(s->fs->store, &held, &ended));
	if (err || (page > 1 && from >= held + ended))
		return err ? err : -ENOENT;
	if (held + ended == 0)
		html_say(&s->h, "Nobody has said anything for good yet.");
	if (from < held)
		err = table(s, false, from, SITE_ROWS);
	if (!err && to > held)
		err = table(s, true, from > held ? from - held : 0, from > held ? SITE_ROWS : to - held);
	site_list_pager(s, SITE_FACTS, page, to < held + ended);
	return err;
}

/* ---- one of them ------------------------------------------------------------------- */

/* Adds a fact, and those that follow it on one side; `all` holds what was there before. */
static int follow(struct site *s, int64_t id, bool back, struct facts *all)
{
	for (size_t n = 0; id && n < CHAIN_MOST; n++) {
		int err = store_fact_by_id(s->fs->store, id, keep, all);
		if (err || all->failed)
			return err == STORE_ENOENT ? 0 : err ? errno_of_store(err) : -ENOMEM;
		const struct fact *f = &all->at[all->count - 1].fact;
		int64_t next = back ? f->supersedes : f->superseded_by;
		id = next && (next < f->id) == back ? next : 0;
	}
	return 0;
}

/* A name as it mostly is, in one piece. */
static void author_cell(struct site *s, const char *author)
{
	if (strlen(author) <= AUTHOR_WHOLE)
		html_cell_word(&s->h, author);
	else
		html_cell(&s->h, author);
}

static void chain_row(struct site *s, const struct kept *k)
{
	const struct fact *f = &k->fact;
	html_row(&s->h, "f", f->id);
	other_cell(s, f->id);
	html_cell(&s->h, *k->text ? k->text : "[redacted]");
	html_cell_word(&s->h, sure(f));
	html_cell_day(&s->h, f->added_us);
	author_cell(s, f->author);
	html_cell_number(&s->h, f->confirmations);
	html_cell_day(&s->h, f->confirmed_us);
	state_cell(s, f);
	site_source_cell(s, f);
}

static int chain(struct site *s, int64_t id)
{
	static const char *const heads[] = { "number", "fact", "sure", "said", "by",
		"#confirmed", "last", "ended", "from", NULL };
	struct facts before = { .count = 0 }, after = { .count = 0 };
	int err = follow(s, id, true, &before);
	if (!err && before.count == 0)
		err = -ENOENT;
	if (!err)
		err = follow(s, before.at[0].fact.superseded_by, false, &after);
	if (!err) {
		const struct kept *k = &before.at[0];
		html_pairs(&s->h);
		html_pair(&s->h, "fact", *k->text ? k->text : "[redacted]");
		html_pair(&s->h, "list", store_fact_domain_name(k->fact.domain));
		html_pair(&s->h, "state", k->fact.superseded_by ? "replaced" :
		          k->fact.retracted_us ? "ended" : "holds");
		html_pairs_end(&s->h);
		html_section(&s->h, "chain", "What it stands for, and what stands for it");
		html_table(&s->h, "The first at the top", heads);
		for (size_t i = before.count; i-- > 0;)
			chain_row(s, &before.at[i]);
		for (size_t i = 0; i < after.count; i++)
			chain_row(s, &after.at[i]);
		html_table_end(&s->h);
	}
	release(&before);
	release(&after);
	return err;
}

int page_html_fact(struct fs *fs, int64_t id, struct buf *out)
{
	struct site s = { .fs = fs, .h = { .out = out, .up = "../" } };
	char title[32];
	(void)snprintf(title, sizeof title, "Fact %lld", (long long)id);
	html_begin(&s.h, title, "facts");
	int err = chain(&s, id);
	html_end(&s.h);
	return err;
}

/* SPDX-License-Identifier: MIT */
/* day/DATE.html: what was said, learnt and saved on a day of UTC. */
#include <stdio.h>

#include "fs/site/site_shared.h"

enum { DAY_ENTRIES = 2000, DAY_FACTS = 500 }; /* that a page looks at, and shows */

struct learnt {
	struct {
		struct fact fact;
		char *text;
	} at[DAY_FACTS];
	size_t count;
	bool failed;
};

static void take_fact(void *ctx, const struct fact *f)
{
	struct learnt *all = ctx;
	char *text = strndup(f->text, f->len);
	all->failed |= !text;
	if (!text)
		return;
	all->at[all->count].fact = *f;
	all->at[all->count++].text = text;
}

static int facts(struct site *s, int64_t day, bool ended, int64_t skip)
{
	static const char *const heads[] = { "fact", "domain", "from", NULL };
	const int64_t time_us[2] = { day * US_OF_DAY, (day + 1) * US_OF_DAY };
	struct learnt *all = calloc(1, sizeof *all);
	int err = all ? 0 : -ENOMEM;
	if (!err)
		err = errno_of_store(store_fact_between(s->fs->store, ended, time_us, skip, DAY_FACTS,
		                                        take_fact, all));
	err = err ? err : all->failed ? -ENOMEM : 0;
	if (!err && all->count) {
		html_section(&s->h, ended ? "ended" : "facts", ended ? "Facts that ended" : "Facts");
		html_table(&s->h, ended ? "Ended on that day" : "Said on that day", heads);
	}
	for (size_t i = 0; !err && i < all->count; i++) {
		const struct fact *f = &all->at[i].fact;
		html_row(&s->h, NULL, 0);
		site_fact_cell(s, f->id, all->at[i].text);
		html_cell_word(&s->h, store_fact_domain_name(f->domain));
		site_source_cell(s, f);
	}
	if (!err && all->count)
		html_table_end(&s->h);
	for (size_t i = 0; all && i < all->count; i++)
		free(all->at[i].text);
	free(all);
	return err;
}

struct streams {
	struct day_stream *at; /* DAY_ENTRIES */
	size_t count;
	int64_t entries; /* of the day, in all */
};

static void take_stream(void *ctx, const struct day_stream *d)
{
	struct streams *all = ctx;
	all->at[all->count++] = *d;
}

static void item(struct site *s, const struct day_stream *d)
{
	char path[PATH_LIMIT + 1], address[SITE_PATH], note[64];
	struct group g;
	bool linked = false;
	(void)snprintf(note, sizeof note, "%lld %s%s", (long long)d->entries,
	               d->session ? "message" : "version", d->entries == 1 ? "" : "s");
	if (d->doc) {
		linked = site_doc_path(s->fs, d->doc, path, sizeof path, address);
		html_item(&s->h, linked ? address : NULL, path, note);
	} else if (store_group_by_id(s->fs->store, LOG_SESSION, d->session, &g) == 0) {
		linked = site_group_path(address, LOG_SESSION, g.name, d->first);
		html_item(&s->h, linked ? address : NULL, g.name, note);
	}
}

static void written(struct site *s, const struct streams *all)
{
	for (int doc = 0; doc < 2; doc++) {
		html_section(&s->h, doc ? "documents" : "sessions", doc ? "Documents saved" :
		             "Sessions written to");
		html_list(&s->h);
		for (size_t i = 0; i < all->count; i++)
			if (!all->at[i].doc != !!doc)
				item(s, &all->at[i]);
		html_list_end(&s->h);
	}
}

/* The day itself, and those before and after it that have something; 0: none. */
struct days {
	struct day of;
	int64_t before, after;
};

static void take_day(void *ctx, const struct day *d)
{
	struct days *all = ctx;
	if (d->day < all->of.day && d->day > 0)
		all->before = d->day;
	else if (d->day == all->of.day)
		all->of = *d;
	else if (d->day > all->of.day && !all->after)
		all->after = d->day;
}

static void neighbours(struct site *s, const struct days *all)
{
	char path[SITE_PATH];
	html_pager(&s->h, "Days");
	if (all->before) {
		site_day_path(path, all->before, 1);
		html_item(&s->h, path, "The day before", NULL);
	}
	if (all->after) {
		site_day_path(path, all->after, 1);
		html_item(&s->h, path, "The day after", NULL);
	}
	html_pager_end(&s->h);
}

static void numbers(struct site *s, const struct day *d)
{
	html_pairs(&s->h);
	html_pair_number(&s->h, "messages said", d->messages);
	html_pair_number(&s->h, "tokens said", d->tokens);
	html_pair_number(&s->h, "facts said", d->facts);
	html_pair_number(&s->h, "facts ended", d->retracted);
	html_pair_number(&s->h, "versions saved", d->versions);
	html_pair_number(&s->h, "entries written", d->entries);
	html_pairs_end(&s->h);
}

static int64_t pages_of(int64_t count, int64_t each)
{
	return (count + each - 1) / each;
}

/* As many as its entries or facts take; at least one. */
static int64_t pages_of_day(const struct day *d, int64_t entries)
{
	const int64_t count[] = { 1, pages_of(entries, DAY_ENTRIES), pages_of(d->facts, DAY_FACTS),
		pages_of(d->retracted, DAY_FACTS) };
	int64_t most = 1;
	for (size_t i = 0; i < sizeof count / sizeof *count; i++)
		most = count[i] > most ? count[i] : most;
	return most;
}

static void page_path(const void *ctx, int64_t page, char dst[SITE_PATH])
{
	site_day_path(dst, *(const int64_t *)ctx, page);
}

static int show_day(struct site *s, const struct days *all, const struct streams *streams,
                    int64_t page)
{
	const struct day *d = &all->of;
	const int64_t skip = (page - 1) * DAY_FACTS, pages = pages_of_day(d, streams->entries);
	if (page > pages)
		return -ENOENT;
	if (page == 1)
		numbers(s, d);
	neighbours(s, all);
	site_pager(s, "Pages, above", page, pages, page_path, &d->day);
	int err = facts(s, d->day, false, skip);
	err = err ? err : facts(s, d->day, true, skip);
	written(s, streams);
	site_pager(s, "Pages, below", page, pages, page_path, &d->day);
	return err;
}

int page_html_day(struct fs *fs, int64_t id, struct buf *out)
{
	const int64_t day = id & ((1 << DAY_BITS) - 1), page = id >> DAY_BITS;
	struct site s = { .fs = fs, .h = { .out = out, .up = "../" } };
	struct days all = { .of = { .day = day } };
	struct streams streams = { .at = calloc(DAY_ENTRIES, sizeof *streams.at) };
	char path[SITE_PATH], title[32];
	int err = streams.at ? errno_of_store(store_days(fs->store, INT64_MIN, INT64_MAX, take_day,
	                                                 &all)) : -ENOMEM;
	if (!err)
		err = errno_of_store(store_day_streams(fs->store, day, (page - 1) * DAY_ENTRIES,
		                                       DAY_ENTRIES, take_stream, &streams,
		                                       &streams.entries));
	site_day_path(path, day, 1);
	(void)snprintf(title, sizeof title, "%.10s", path + sizeof "day/" - 1);
	html_begin(&s.h, title, "");
	err = err ? err : show_day(&s, &all, &streams, page);
	html_end(&s.h);
	free(streams.at);
	return err;
}

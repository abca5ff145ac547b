/* SPDX-License-Identifier: MIT */
/* day/DATE.html: what was said, learnt and saved on a day of UTC. */
#include <stdio.h>

#include "fs/site/shown.h"

enum { DAY_STREAMS = 500, DAY_FACTS_MOST = 500 };

struct learnt {
	struct {
		struct fact fact;
		char *text;
	} at[DAY_FACTS_MOST];
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

static int facts(struct site *s, int64_t day)
{
	static const char *const heads[] = { "fact", "domain", "what", "from", NULL };
	struct learnt *all = calloc(1, sizeof *all);
	int err = all ? 0 : -ENOMEM;
	if (!err)
		err = errno_of_store(store_fact_between(s->fs->store, day * US_OF_DAY,
			(day + 1) * US_OF_DAY, DAY_FACTS_MOST, take_fact, all));
	err = err ? err : all->failed ? -ENOMEM : 0;
	if (!err && all->count) {
		html_section(&s->h, "facts", "Facts");
		html_table(&s->h, "Said or ended on that day", heads);
	}
	for (size_t i = 0; !err && i < all->count; i++) {
		const struct fact *f = &all->at[i].fact;
		html_row(&s->h, NULL, 0);
		site_fact_cell(s, f->id, all->at[i].text);
		html_cell_word(&s->h, store_fact_domain_name(f->domain));
		html_cell_word(&s->h, f->retracted_us && f->retracted_us / US_OF_DAY == day ?
		               f->added_us / US_OF_DAY == day ? "said, ended" : "ended" : "said");
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
	struct day_stream *at; /* DAY_STREAMS */
	size_t count;
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

static int written(struct site *s, int64_t day)
{
	struct streams all = { .at = calloc(DAY_STREAMS, sizeof *all.at) };
	int err = all.at ? errno_of_store(store_day_streams(s->fs->store, day, DAY_STREAMS,
	                                                    take_stream, &all)) : -ENOMEM;
	for (int doc = 0; !err && doc < 2; doc++) {
		html_section(&s->h, doc ? "documents" : "sessions", doc ? "Documents saved" :
		             "Sessions written to");
		html_list(&s->h);
		for (size_t i = 0; i < all.count; i++)
			if (!all.at[i].doc != !!doc)
				item(s, &all.at[i]);
		html_list_end(&s->h);
	}
	free(all.at);
	return err;
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
		site_day_path(path, all->before);
		html_item(&s->h, path, "The day before", NULL);
	}
	if (all->after) {
		site_day_path(path, all->after);
		html_item(&s->h, path, "The day after", NULL);
	}
	html_pager_end(&s->h);
}

int page_html_day(struct fs *fs, int64_t id, struct buf *out)
{
	struct site s = { .fs = fs, .h = { .out = out, .up = "../" } };
	struct days all = { .of = { .day = id } };
	char path[SITE_PATH], title[32];
	int err = errno_of_store(store_days(fs->store, INT64_MIN, INT64_MAX, take_day, &all));
	site_day_path(path, id);
	(void)snprintf(title, sizeof title, "%.10s", path + sizeof "day/" - 1);
	html_begin(&s.h, title, "");
	const struct day d = all.of;
	html_pairs(&s.h);
	html_pair_number(&s.h, "messages said", d.messages);
	html_pair_number(&s.h, "tokens said", d.tokens);
	html_pair_number(&s.h, "facts said", d.facts);
	html_pair_number(&s.h, "facts ended", d.retracted);
	html_pair_number(&s.h, "versions saved", d.versions);
	html_pair_number(&s.h, "entries written", d.entries);
	html_pairs_end(&s.h);
	neighbours(&s, &all);
	err = err ? err : facts(&s, id);
	err = err ? err : written(&s, id);
	html_end(&s.h);
	return err;
}

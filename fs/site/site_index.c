/* SPDX-License-Identifier: MIT */
/* index.html: how the memory stands. */
#include <stdio.h>

#include "fs/context/context.h"
#include "fs/facts/facts.h"
#include "fs/plots/plots.h"
#include "fs/site/site_shared.h"

enum { INDEX_ROWS = 12, INDEX_MEMORIES = 5, PASTED_MOST = 200, MEMORIES_READ = 1000,
       MEMORIES_NEWEST = 300 };

struct soon {
	struct site *s;
	int count;
	struct buf command; /* confirms the first; empty: it is too long to be pasted */
};

/* The current session's pressure, and what to do. */
static int pressure(struct site *s)
{
	struct dashboard *d = calloc(1, sizeof *d);
	struct group g;
	char path[SITE_PATH];
	int err = d ? current_session(s->fs, &g) : -ENOMEM;
	bool none = err == -ENOENT;
	html_section(&s->h, "pressure", "Memory pressure");
	if (!err)
		err = context_measure(s->fs, g.id, d);
	if (!err) {
		html_meter(&s->h, "Memory pressure", d->percent, d->threshold, 100);
		html_pairs(&s->h);
		if (site_group_path(path, LOG_SESSION, g.name, 1))
			html_pair_link(&s->h, "current session", path, g.name);
		html_pair_number(&s->h, "tokens used", d->used);
		html_pair_number(&s->h, "tokens that are safe", d->safe);
		html_pair(&s->h, "level", d->level);
		html_pairs_end(&s->h);
		for (int i = 0; i < d->alerts; i++)
			html_alert(&s->h, d->alert[i]);
		if (*d->action)
			html_say(&s->h, d->action);
		if (*d->command)
			html_pre(&s->h, d->command, strlen(d->command));
	} else if (none) {
		html_say(&s->h, "There is no session yet.");
		err = 0;
	}
	free(d);
	return err;
}

/* Rows of sessions and days lead to their pages. */
static void link_rows(struct series *series, enum fs_plot which)
{
	char path[SITE_PATH];
	for (size_t i = 0; i < series->plot.rows; i++) {
		struct plot_row *r = &series->row[i];
		bool linked = which == FS_PLOT_DAYS ||
			(which == FS_PLOT_SESSIONS && site_group_path(path, LOG_SESSION, r->label, 1));
		if (which == FS_PLOT_DAYS)
			site_day_path(path, r->from_us / US_OF_DAY, 1);
		r->link = linked ? strdup(path) : NULL;
	}
}

static int plot(struct site *s, enum fs_plot which)
{
	struct series series;
	int err = series_make(s->fs, which, &series);
	html_section(&s->h, fs_plot_name(which), series.plot.title);
	if (!err)
		link_rows(&series, which);
	if (!err && series.plot.rows)
		html_plot(&s->h, &series.plot, fs_plot_name(which));
	else if (!err)
		html_say(&s->h, "There is nothing yet.");
	series_release(&series);
	return err;
}

static void add_soon(void *ctx, const struct fact *f)
{
	struct soon *all = ctx;
	struct html *h = &all->s->h;
	static const char *const heads[] = { "fact", "list", "confirmed", "stale", NULL };
	if (all->count++ == 0)
		html_table(h, "Stale soon, unless somebody confirms them: the next first", heads);
	html_row(h, NULL, 0);
	site_fact_cell(all->s, f->id, f->text);
	html_cell_word(h, store_fact_domain_name(f->domain));
	html_cell_day(h, f->confirmed_us);
	html_cell_day(h, f->confirmed_us + FACT_STALE_DAYS * US_OF_DAY);
	if (all->count == 1 && f->len > 0 && f->len <= PASTED_MOST) {
		struct buf line = BUF_INIT;
		buf_addf(&line, "- %s%s", f->text, render_fact_marks(f->confidence, !f->explicit_));
		buf_adds(&all->command, "echo ");
		render_shell_word(&all->command, line.failed ? "" : line.data);
		buf_addf(&all->command, " >> facts/%s.md", store_fact_domain_name(f->domain));
		all->command.failed |= line.failed;
		buf_release(&line);
	}
}

/* What is about to go stale, and how it is confirmed. */
static int soon(struct site *s)
{
	struct soon all = { .s = s };
	const int64_t stale = store_time(s->fs->store) - FACT_STALE_DAYS * US_OF_DAY;
	int err = errno_of_store(store_fact_oldest(s->fs->store, stale, stale + FACT_SOON_DAYS *
	                                           US_OF_DAY, INDEX_ROWS, add_soon, &all));
	if (all.count)
		html_table_end(&s->h);
	if (all.command.len && !all.command.failed) {
		html_say(&s->h, "To confirm the first, say it once more:");
		html_pre(&s->h, all.command.data, all.command.len);
	}
	buf_release(&all.command);
	return err;
}

static int ageing(struct site *s)
{
	struct fact_ages ages;
	char text[160];
	int err = plot(s, FS_PLOT_FACTS);
	err = err ? err : fact_ages(s->fs, &ages);
	if (err)
		return err;
	(void)snprintf(text, sizeof text, "%lld facts hold; %lld of them are stale within 30 days "
	               "unless somebody confirms them.", (long long)ages.live, (long long)ages.soon);
	html_say(&s->h, text);
	err = soon(s);
	if (err)
		return err;
	html_list(&s->h);
	html_item(&s->h, "facts.html", "All facts", NULL);
	html_list_end(&s->h);
	struct buf undecided = BUF_INIT;
	err = facts_undecided(s->fs, &undecided);
	if (!err && undecided.len > 0)
		html_markdown(&s->h, undecided.data, undecided.len);
	buf_release(&undecided);
	return err;
}

static int memories(struct site *s)
{
	int64_t count;
	/* All are read to find the best: of many that takes longer than all else here. */
	int err = errno_of_store(store_doc_count(s->fs->store, "memories/", "memories0",
	                                         MEMORIES_READ + 1, &count));
	html_section(&s->h, "memories", "Top memories");
	bool many = count > MEMORIES_READ;
	if (!err && many)
		html_say(&s->h, "There are more than a thousand: these are the best of the three "
		         "hundred that were made last.");
	if (!err)
		err = site_best_memories(s, INDEX_MEMORIES, many ? MEMORIES_NEWEST : 0);
	html_list(&s->h);
	html_item(&s->h, "memories.html", "The best memories", NULL);
	html_list_end(&s->h);
	return err;
}

static int threads(struct site *s)
{
	struct group g;
	char path[SITE_PATH], note[64];
	int err = store_group_newest(s->fs->store, LOG_THREAD, &g), rows = 0;
	html_section(&s->h, "threads", "The newest threads");
	html_list(&s->h);
	g.id = !err && g.id > INDEX_ROWS ? g.id - INDEX_ROWS : 0;
	while (!err && rows++ < INDEX_ROWS &&
	       (err = store_group_next(s->fs->store, LOG_THREAD, g.id, &g)) == 0) {
		(void)snprintf(note, sizeof note, "%lld messages", (long long)g.messages);
		bool linked = site_group_path(path, LOG_THREAD, g.name, 1);
		html_item(&s->h, linked ? path : NULL, g.name, note);
	}
	html_item(&s->h, "threads.html", "All threads", NULL);
	html_list_end(&s->h);
	return err == STORE_ENOENT ? 0 : errno_of_store(err);
}

struct refused {
	struct site *s;
	int count;
};

static void add_refusal(void *ctx, const struct refusal *r)
{
	struct refused *all = ctx;
	static const char *const heads[] = { "when", "what", "path", "by", "why", "instead", NULL };
	if (all->count++ == 0)
		html_table(&all->s->h, "The newest last", heads);
	html_row(&all->s->h, NULL, 0);
	html_cell_time(&all->s->h, r->time_us);
	html_cell(&all->s->h, r->op);
	html_cell(&all->s->h, r->path);
	html_cell(&all->s->h, r->author);
	html_cell(&all->s->h, r->reason);
	html_cell(&all->s->h, r->todo);
}

static int refusals(struct site *s)
{
	struct refused all = { .s = s };
	html_section(&s->h, "refusals", "The last refusals");
	int err = store_refusals(s->fs->store, 10, add_refusal, &all);
	if (all.count)
		html_table_end(&s->h);
	else
		html_say(&s->h, "Nothing was refused.");
	return errno_of_store(err);
}

static void proof(struct site *s)
{
	struct status status;
	store_status(s->fs->store, &status);
	html_section(&s->h, "proof", "Proof");
	html_pairs(&s->h);
	html_pair_number(&s->h, "entries", status.entries);
	html_pair_number(&s->h, "signed up to", status.signed_upto);
	html_pair_number(&s->h, "verified up to", status.verified_upto);
	site_signed(s);
	html_pair_link(&s->h, "more", "proof.html", "Proof");
	html_pairs_end(&s->h);
	if (*status.trouble)
		html_alert(&s->h, status.trouble);
}

int site_index(struct site *s)
{
	int err = pressure(s);
	static const enum fs_plot plots[] = { FS_PLOT_SESSIONS, FS_PLOT_WEEKS, FS_PLOT_DAYS,
		FS_PLOT_GROWTH };
	for (size_t i = 0; !err && i < sizeof plots / sizeof *plots; i++)
		err = plot(s, plots[i]);
	err = err ? err : ageing(s);
	err = err ? err : threads(s);
	err = err ? err : memories(s);
	err = err ? err : refusals(s);
	if (!err)
		proof(s);
	return err;
}

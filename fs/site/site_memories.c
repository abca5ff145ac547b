/* SPDX-License-Identifier: MIT */
/* Memories by their score and its parts; versions of algorithms, by the scores they give. */
#include <stdio.h>

#include "fs/site/site_shared.h"

enum { MEMORIES_SHOWN = 20, MEMORIES_COMPARED = 10, SUMMARY_SHOWN = 252 /* bytes */ };

/* A memory as it is kept while others come. */
struct chosen {
	struct plot_row row;
	int64_t id, uses, used_us, tokens;
	char summary[SUMMARY_SHOWN + 4];
};

struct chosen_memories {
	struct chosen at[MEMORIES_SHOWN];
	size_t count, most;
};

static int take_memory(void *ctx, const struct memory_hit *h)
{
	struct chosen_memories *all = ctx;
	struct chosen *m = &all->at[all->count++];
	const struct scoring *w = h->by;
	const struct memory_score *of = &h->score;
	*m = (struct chosen){ .id = h->id, .uses = h->uses, .used_us = h->used_us,
		.tokens = h->tokens, .row = { .value = { w->importance * of->importance,
		w->recency * of->recency, w->relevance * of->relevance, w->frequency * of->frequency } } };
	size_t len = strlen(h->summary), fit = utf8_fit(h->summary, len, SUMMARY_SHOWN);
	(void)snprintf(m->summary, sizeof m->summary, "%.*s%s", (int)fit, h->summary,
	               fit < len ? "…" : "");
	return all->count == all->most;
}

static void memory_table(struct site *s, const struct chosen_memories *all)
{
	static const char *const heads[] = { "memory", "what it says", "#tokens", "#uses", "last used",
		NULL };
	html_table(&s->h, "The best first", heads);
	for (size_t i = 0; i < all->count; i++) {
		const struct chosen *m = &all->at[i];
		html_row(&s->h, NULL, 0);
		if (m->row.link)
			html_cell_link(&s->h, m->row.link, m->row.label);
		else
			html_cell(&s->h, m->row.label);
		html_cell(&s->h, m->summary);
		html_cell_number(&s->h, m->tokens);
		html_cell_number(&s->h, m->uses);
		html_cell_time(&s->h, m->used_us);
	}
	html_table_end(&s->h);
}

static int memory_plot(struct site *s, struct chosen_memories *all, const char *id,
                       const char *title)
{
	struct plot p = { .shape = PLOT_STACK, .title = title,
		.about = "What each memory's score is made of: its parts, weighed.", .of = "memory",
		.column = { "importance", "recency", "relevance", "frequency" }, .columns = 4,
		.fractions = true, .rows = all->count };
	struct plot_row rows[MEMORIES_SHOWN];
	char path[PATH_LIMIT + 1], address[SITE_PATH];
	for (size_t i = 0; i < all->count; i++) {
		struct plot_row *r = &all->at[i].row;
		bool linked = site_doc_path(s->fs, all->at[i].id, path, sizeof path, address);
		r->label = strdup(strncmp(path, "memories/", 9) == 0 ? path + 9 : path);
		r->link = linked ? strdup(address) : NULL;
		if (!r->label || (linked && !r->link))
			return -ENOMEM;
		rows[i] = *r;
	}
	p.row = rows;
	html_plot(&s->h, &p, id);
	return 0;
}

static void release(struct chosen_memories *all)
{
	for (size_t i = 0; all && i < all->count; i++) {
		free((char *)all->at[i].row.label);
		free((char *)all->at[i].row.link);
	}
	free(all);
}

/* Which memories are shown. */
struct which {
	const struct scoring *by; /* NULL: the numbers in use */
	size_t most;
	int64_t newest;           /* of so many that were made last; 0: of all */
};

/* The best as a plot, and a table if it is wanted. */
static int best(struct site *s, struct which w, const char *id, const char *title, bool table)
{
	const int64_t now = store_time(s->fs->store);
	struct chosen_memories *all = calloc(1, sizeof *all);
	int err = all ? 0 : -ENOMEM;
	if (!err)
		all->most = w.most;
	if (!err && w.by)
		err = store_rank_memories(s->fs->store, w.by, NULL, now, take_memory, all);
	else if (!err && w.newest)
		err = store_newest_memories(s->fs->store, w.newest, (int)w.most, now, take_memory, all);
	else if (!err)
		err = store_search_memories(s->fs->store, NULL, NULL, (int)w.most, 0, now, take_memory,
		                            all);
	err = all ? errno_of_store(err) : err;
	if (!err && all->count)
		err = memory_plot(s, all, id, title);
	else if (!err)
		html_say(&s->h, "There is no memory that would be chosen yet.");
	if (!err && all->count && table)
		memory_table(s, all);
	release(all);
	return err;
}

int site_best_memories(struct site *s, int most, int64_t newest)
{
	return best(s, (struct which){ .most = (size_t)most, .newest = newest }, "memories",
	            newest ? "The best of the newest memories" : "Top memories", false);
}

int site_memories(struct site *s)
{
	return best(s, (struct which){ .most = MEMORIES_SHOWN }, "memories", "Scores of memories",
	            true);
}

/* ---- algorithms ------------------------------------------------------------------ */

enum { VERSIONS_MOST = 100 };

struct version {
	char code[64], name[64], status[16];
	int64_t id, saved_us;
	bool scores;
	struct scoring by;
};
struct versions {
	struct version *at; /* VERSIONS_MOST */
	size_t count;
};

static int take_version(void *ctx, const struct algorithm *a)
{
	struct versions *all = ctx;
	struct version *v = &all->at[all->count++];
	*v = (struct version){ .id = a->id, .saved_us = a->saved_us, .scores = a->scores,
		.by = scoring_default };
	(void)snprintf(v->code, sizeof v->code, "%s", a->code);
	(void)snprintf(v->name, sizeof v->name, "%s", a->name);
	(void)snprintf(v->status, sizeof v->status, "%s", a->status);
	scoring_set(&v->by, a->config, strlen(a->config));
	return all->count == VERSIONS_MOST;
}

static void version_row(struct site *s, const struct version *v)
{
	char path[PATH_LIMIT + 1], address[SITE_PATH];
	html_row(&s->h, NULL, 0);
	if (site_doc_path(s->fs, v->id, path, sizeof path, address))
		html_cell_link(&s->h, address, v->name);
	else
		html_cell(&s->h, v->name);
	html_cell(&s->h, v->code);
	html_cell_word(&s->h, v->status);
	html_cell_time(&s->h, v->saved_us);
}

/* The weights of the versions that score memories, side by side. */
static void weights(struct site *s, const struct versions *all)
{
	struct plot_row rows[VERSIONS_MOST] = { 0 };
	char label[VERSIONS_MOST][160];
	struct plot p = { .shape = PLOT_STACK, .title = "Weights of the versions",
		.about = "How much each part counts in a memory's score, by version.", .of = "version",
		.column = { "importance", "recency", "relevance", "frequency" }, .columns = 4,
		.fractions = true, .row = rows };
	for (size_t i = 0; i < all->count; i++) {
		const struct version *v = &all->at[i];
		if (!v->scores)
			continue;
		(void)snprintf(label[i], sizeof label[i], "%s/%s", v->code, v->name);
		rows[p.rows++] = (struct plot_row){ .label = label[i], .value = { v->by.importance,
			v->by.recency, v->by.relevance, v->by.frequency } };
	}
	if (p.rows)
		html_plot(&s->h, &p, "weights");
}

/* The version to compare the active one (or the newest) with: the experiment, or the one before. */
static const struct version *other_of(const struct versions *all, const struct version *of)
{
	const struct version *other = NULL;
	for (size_t i = 0; i < all->count; i++) {
		const struct version *v = &all->at[i];
		bool same = v != of && v->scores && strcmp(v->code, of->code) == 0;
		if (same && (!other || strcmp(other->status, "experiment") != 0))
			other = v;
	}
	return other;
}

/* The best memories by a version, and by another or by the numbers that cinta brings. */
static int compare(struct site *s, const struct versions *all, const struct version *of)
{
	const struct version *other = other_of(all, of);
	char title[200], command[160];
	html_section(&s->h, "compared", "Two versions compared");
	(void)snprintf(title, sizeof title, "The best memories by %s/%s, which is %s", of->code,
	               of->name, of->status);
	html_subsection(&s->h, title);
	int err = best(s, (struct which){ &of->by, MEMORIES_COMPARED, 0 }, "one", title, false);
	if (other)
		(void)snprintf(title, sizeof title, "By %s/%s, which is %s", other->code, other->name,
		               other->status);
	else
		(void)snprintf(title, sizeof title, "By the numbers that cinta brings");
	html_subsection(&s->h, title);
	if (!err)
		err = best(s, (struct which){ other ? &other->by : &scoring_default, MEMORIES_COMPARED, 0 },
		           "other", title, false);
	(void)snprintf(command, sizeof command, "cinta algorithms compare -d DB %s", of->code);
	html_say(&s->h, "How they answer the questions that this memory holds:");
	html_pre(&s->h, command, strlen(command));
	return err;
}

/* The active version that scores memories, or the newest that does; NULL: none does. */
static const struct version *in_use(const struct versions *all)
{
	const struct version *found = NULL;
	for (size_t i = 0; i < all->count; i++)
		if (all->at[i].scores && (!found || strcmp(found->status, "active") != 0))
			found = &all->at[i];
	return found;
}

int site_algorithms(struct site *s)
{
	static const char *const heads[] = { "version", "algorithm", "status", "saved", NULL };
	struct versions all = { .at = calloc(VERSIONS_MOST, sizeof *all.at) };
	int err = all.at ? errno_of_store(store_algorithms(s->fs->store, NULL, take_version, &all)) :
		-ENOMEM;
	const struct version *of = err ? NULL : in_use(&all);
	if (!err && all.count == 0)
		html_say(&s->h, "There is none: all numbers are those that cinta brings.");
	if (!err && all.count) {
		html_table(&s->h, "By algorithm, the older first", heads);
		for (size_t i = 0; i < all.count; i++)
			version_row(s, &all.at[i]);
		html_table_end(&s->h);
		weights(s, &all);
	}
	if (of)
		err = compare(s, &all, of);
	free(all.at);
	return err;
}

/* SPDX-License-Identifier: MIT */
/*
 * What a model is given: memories by their score, blocks, the numbers by which it is chosen, the
 * context of the current session.
 */
#include <stdio.h>

#include "fs/context/context.h"
#include "fs/site/shown.h"

enum { MEMORIES_SHOWN = 20 };

/* A memory as it is kept while others come. */
struct chosen {
	struct plot_row row;
	int64_t id, uses, used_us, tokens;
	double days;
	char summary[256];
};

struct chosen_memories {
	struct chosen *at; /* MEMORIES_SHOWN */
	size_t count;
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
	(void)snprintf(m->summary, sizeof m->summary, "%.*s", (int)sizeof m->summary - 1, h->summary);
	return all->count == MEMORIES_SHOWN;
}

static int memory_table(struct site *s, const struct chosen_memories *all)
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
	return 0;
}

static int memory_plot(struct site *s, struct chosen_memories *all)
{
	struct plot p = { .shape = PLOT_STACK, .title = "Scores of memories",
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
	html_plot(&s->h, &p, "memories");
	return memory_table(s, all);
}

int site_memories(struct site *s)
{
	struct chosen_memories all = { .at = calloc(MEMORIES_SHOWN, sizeof *all.at) };
	int err = all.at ? errno_of_store(store_search_memories(s->fs->store, NULL, NULL,
		MEMORIES_SHOWN, 0, store_time(s->fs->store), take_memory, &all)) : -ENOMEM;
	if (!err && all.count)
		err = memory_plot(s, &all);
	else if (!err)
		html_say(&s->h, "There is no memory that would be chosen yet.");
	for (size_t i = 0; i < all.count; i++) {
		free((char *)all.at[i].row.label);
		free((char *)all.at[i].row.link);
	}
	free(all.at);
	return err;
}

/* ---- blocks -------------------------------------------------------------------- */

struct blocks {
	struct site *s;
	int count;
};

static void add_block(void *ctx, const struct doc_block *b)
{
	struct blocks *all = ctx;
	struct html *h = &all->s->h;
	char title[256];
	all->count++;
	(void)snprintf(title, sizeof title, "%.100s/%.100s", b->category, b->code);
	html_subsection(h, title);
	html_pairs(h);
	html_pair(h, "name", b->name);
	html_pair(h, "scope", b->scope);
	html_pair_number(h, "priority", b->priority);
	html_pair_number(h, "tokens", b->tokens);
	html_pairs_end(h);
	html_markdown(h, b->content, b->len);
}

int site_blocks(struct site *s)
{
	struct blocks all = { .s = s };
	html_say(&s->h, "The active blocks, which contexts begin with; the highest priority first.");
	html_section(&s->h, "active", "Active blocks");
	int err = store_active_blocks(s->fs->store, NULL, NULL, NULL, add_block, &all);
	if (all.count == 0)
		html_say(&s->h, "There are none.");
	return errno_of_store(err);
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

int site_algorithms(struct site *s)
{
	static const char *const heads[] = { "version", "algorithm", "status", "saved", NULL };
	static const char compare[] = "cinta algorithms compare CODE";
	struct versions all = { .at = calloc(VERSIONS_MOST, sizeof *all.at) };
	int err = all.at ? errno_of_store(store_algorithms(s->fs->store, NULL, take_version, &all)) :
		-ENOMEM;
	if (!err && all.count == 0)
		html_say(&s->h, "There is none: all numbers are those that cinta brings.");
	if (!err && all.count) {
		html_table(&s->h, "By algorithm, the older first", heads);
		for (size_t i = 0; i < all.count; i++)
			version_row(s, &all.at[i]);
		html_table_end(&s->h);
		weights(s, &all);
		html_say(&s->h, "How two versions choose memories for the same questions:");
		html_pre(&s->h, compare, sizeof compare - 1);
	}
	free(all.at);
	return err;
}

/* ---- context ---------------------------------------------------------------------- */

/* Why a part of a context is there, by its heading. */
static const char *why_there(const char *line, size_t len)
{
	static const char *const known[][2] = {
		{ "Found", "what a search of the whole memory has for the newest message" },
		{ "Remembered", "memories for what is asked, by their score" },
		{ "Facts", "facts for what is talked about, and others up to the least share" },
		{ "Summar", "what left the window, the newest last" },
		{ "Window", "the newest messages, as many as their share of tokens holds" },
		{ "Memory", "how full the memory is, and what to do about it" } };
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (len >= strlen(known[i][0]) && strncmp(line, known[i][0], strlen(known[i][0])) == 0)
			return known[i][1];
	return "";
}

static void part(struct site *s, const char *text, size_t len)
{
	char title[300];
	const char *end = memchr(text, '\n', len);
	size_t head = end ? (size_t)(end - text) : len, skip = strspn(text, "# ");
	skip = skip > head ? head : skip;
	int64_t tokens = s->fs->count_tokens(text, len);
	int shown = head - skip > 200 ? 200 : (int)(head - skip);
	(void)snprintf(title, sizeof title, "%.*s, %lld tokens", shown, text + skip,
	               (long long)tokens);
	html_subsection(&s->h, title);
	const char *why = why_there(text + skip, head - skip);
	if (*why)
		html_say(&s->h, why);
	html_pre(&s->h, text, len);
}

int site_context(struct site *s)
{
	struct buf page = BUF_INIT;
	struct group g;
	char path[SITE_PATH];
	int err = current_session(s->fs, &g);
	if (err == -ENOENT) {
		html_say(&s->h, "There is no session yet, and so no context.");
		return 0;
	}
	err = err ? err : context_page(s->fs, g.id, &page, NULL);
	if (!err) {
		html_pairs(&s->h);
		if (site_group_path(path, LOG_SESSION, g.name, 1))
			html_pair_link(&s->h, "of session", path, g.name);
		html_pair_number(&s->h, "tokens", s->fs->count_tokens(page.data, page.len));
		html_pairs_end(&s->h);
		html_section(&s->h, "parts", "What a model would be given, part by part");
	}
	for (const char *at = page.data, *end = page.data + page.len; !err && at < end;) {
		const char *next = strstr(at + 1, "\n## ");
		next = next ? next + 1 : end;
		part(s, at, (size_t)(next - at));
		at = next;
	}
	buf_release(&page);
	return err;
}

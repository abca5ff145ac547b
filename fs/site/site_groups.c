/* SPDX-License-Identifier: MIT */
/* Sessions and threads: the lists of them, and their messages, a hundred a page. */
#include <stdio.h>

#include "fs/site/site_shared.h"

struct spans {
	struct session_span *at; /* SITE_ROWS + 1 */
	size_t count;
};

static void take_span(void *ctx, const struct session_span *span)
{
	struct spans *all = ctx;
	all->at[all->count++] = *span;
}

static void name_cell(struct site *s, enum log_kind kind, const struct group *g)
{
	char path[SITE_PATH];
	if (site_group_path(path, kind, g->name, 1))
		html_cell_link(&s->h, path, g->name);
	else
		html_cell(&s->h, g->name);
}

static void session_row(struct site *s, const struct session_span *span)
{
	html_row(&s->h, NULL, 0);
	name_cell(s, LOG_SESSION, &span->group);
	html_cell_number(&s->h, span->group.messages);
	html_cell_number(&s->h, span->group.tokens);
	html_cell_time(&s->h, span->from_us);
	html_cell_time(&s->h, span->to_us);
	html_cell(&s->h, span->group.author);
	html_cell(&s->h, span->agent);
}

int site_sessions(struct site *s, int64_t page)
{
	static const char *const heads[] = { "session", "#messages", "#tokens", "first", "last",
		"begun by", "agent", NULL };
	struct group newest;
	struct spans all = { .at = calloc(SITE_ROWS + 1, sizeof *all.at) };
	int err = store_group_newest(s->fs->store, LOG_SESSION, &newest);
	int64_t before = err ? 1 : newest.id + 1 - (page - 1) * SITE_ROWS;
	if (err == STORE_ENOENT && page == 1)
		err = 0;
	if (!err && before < 2 && page > 1)
		err = STORE_ENOENT;
	if (!err)
		err = all.at ? store_sessions_back(s->fs->store, before, SITE_ROWS + 1, take_span, &all) :
			STORE_ENOMEM;
	if (!err) {
		html_table(&s->h, "The newest first", heads);
		for (size_t i = 0; i < all.count && i < SITE_ROWS; i++)
			session_row(s, &all.at[i]);
		html_table_end(&s->h);
		site_list_pager(s, SITE_SESSIONS, page, all.count > SITE_ROWS);
	}
	free(all.at);
	return errno_of_store(err);
}

int site_threads(struct site *s, int64_t page)
{
	static const char *const heads[] = { "thread", "#messages", "#tokens", "first", "last", NULL };
	struct group g = { .id = (page - 1) * SITE_ROWS };
	int err = store_group_next(s->fs->store, LOG_THREAD, g.id, &g), rows = 0;
	if (err && (err != STORE_ENOENT || page > 1))
		return errno_of_store(err);
	html_table(&s->h, "In the order in which they began", heads);
	while (!err && rows++ < SITE_ROWS) {
		html_row(&s->h, NULL, 0);
		name_cell(s, LOG_THREAD, &g);
		html_cell_number(&s->h, g.messages);
		html_cell_number(&s->h, g.tokens);
		html_cell_time(&s->h, g.first_us);
		html_cell_time(&s->h, g.last_us);
		err = store_group_next(s->fs->store, LOG_THREAD, g.id, &g);
	}
	html_table_end(&s->h);
	site_list_pager(s, SITE_THREADS, page, !err);
	return err == STORE_ENOENT ? 0 : errno_of_store(err);
}

/* ---- messages ------------------------------------------------------------------ */

struct messages {
	struct site *s;
	char where[NAME_LIMIT + 32]; /* sessions/NAME/messages */
	char anchor[32];
	struct site_refs refs;
};

static int show(void *ctx, const struct turn *t)
{
	struct messages *m = ctx;
	char whole[NAME_LIMIT + 64];
	struct buf *out = m->s->h.out;
	const size_t before = out->len;
	(void)snprintf(whole, sizeof whole, "%s/%06lld.md", m->where, (long long)t->n);
	struct html_message said = { .turn = t, .whole = whole, .anchor = m->anchor,
		.most = before < SITE_PAGE_SOFT ? SITE_MESSAGE_MOST : before < SITE_PAGE_HARD ?
			SITE_MESSAGE_LEAST : 0 };
	html_message(&m->s->h, &said);
	if (!out->failed && out->len - before > SITE_MESSAGE_HTML) { /* many small elements */
		out->len = before;
		said.most = SITE_MESSAGE_LEAST;
		html_message(&m->s->h, &said);
	}
	site_refs_show(&m->refs, &m->s->h, t->n, strcmp(t->role, "assistant") == 0);
	html_message_end(&m->s->h);
	return 0;
}

/* Messages `from` to `to` of a session, which has the page `alone`. */
static int show_session(struct site *s, const struct group *g, bool alone, int64_t from, int64_t to)
{
	struct messages *m = calloc(1, sizeof *m);
	if (!m)
		return -ENOMEM;
	m->s = s;
	if (alone)
		(void)snprintf(m->anchor, sizeof m->anchor, "m");
	else /* messages of several sessions may have one number */
		(void)snprintf(m->anchor, sizeof m->anchor, "s%lldm", (long long)g->id);
	(void)snprintf(m->where, sizeof m->where, "sessions/%s/messages", g->name);
	int err = site_refs_make(s, g->id, from, to, &m->refs);
	err = err ? err : errno_of_store(store_turns(s->fs->store, g->id, from, to, show, m));
	buf_release(&m->refs.html);
	free(m);
	return err;
}

struct lines {
	struct {
		int64_t session, n;
	} at[SITE_MESSAGES];
	size_t count;
};

static void take_line(void *ctx, int64_t session, int64_t n)
{
	struct lines *all = ctx;
	all->at[all->count].session = session;
	all->at[all->count++].n = n;
}

/* Messages of a thread: those that follow each other in a session stand under its name. */
static int show_thread(struct site *s, const struct group *thread, int64_t from)
{
	struct lines *all = calloc(1, sizeof *all);
	int err = all ? errno_of_store(store_thread_lines(s->fs->store, thread->id, from,
	                                                  SITE_MESSAGES, take_line, all)) : -ENOMEM;
	for (size_t i = 0, end; !err && i < all->count; i = end) {
		struct group g;
		char path[SITE_PATH];
		for (end = i + 1; end < all->count && all->at[end].session == all->at[i].session &&
		     all->at[end].n == all->at[end - 1].n + 1; end++)
			;
		err = errno_of_store(store_group_by_id(s->fs->store, LOG_SESSION, all->at[i].session, &g));
		if (err)
			break;
		html_pairs(&s->h);
		if (site_group_path(path, LOG_SESSION, g.name, all->at[i].n))
			html_pair_link(&s->h, "session", path, g.name);
		else
			html_pair(&s->h, "session", g.name);
		html_pairs_end(&s->h);
		err = show_session(s, &g, false, all->at[i].n, all->at[end - 1].n);
	}
	free(all);
	return err;
}

struct group_pages {
	enum log_kind kind;
	const char *name;
};

static void group_path(const void *ctx, int64_t page, char dst[SITE_PATH])
{
	const struct group_pages *g = ctx;
	(void)site_group_path(dst, g->kind, g->name, (page - 1) * SITE_MESSAGES + 1);
}

static int about_session(struct site *s, const struct group *g)
{
	struct context_state state;
	int err = errno_of_store(store_context_state(s->fs->store, g->id, &state));
	if (err)
		return err;
	html_pair(&s->h, "begun by", g->author);
	html_pair_number(&s->h, "active messages", state.active);
	html_pair_number(&s->h, "pruned", state.pruned);
	html_pair_number(&s->h, "summarized", state.summarized);
	html_pair_number(&s->h, "pinned", state.pinned);
	return 0;
}

static int about(struct site *s, enum log_kind kind, const struct group *g)
{
	html_pairs(&s->h);
	html_pair_number(&s->h, "messages", g->messages);
	html_pair_number(&s->h, "tokens", g->tokens);
	html_pair_time(&s->h, "first written", g->first_us);
	html_pair_time(&s->h, "last written", g->last_us);
	int err = kind == LOG_SESSION ? about_session(s, g) : 0;
	html_pairs_end(&s->h);
	return err;
}

struct summed {
	struct site *s;
	const char *name;
	int count;
};

static int add_summary(void *ctx, const struct summary *y)
{
	struct summed *all = ctx;
	char text[64], path[SITE_PATH];
	if (all->count++ == 0)
		html_section(&all->s->h, "summaries", "Summaries");
	(void)snprintf(text, sizeof text, "messages %lld to %lld", (long long)y->first,
	               (long long)y->last);
	if (site_group_path(path, LOG_SESSION, all->name, y->first))
		html_link_at(&all->s->h, path, "m", y->first, text);
	html_markdown(&all->s->h, y->text, y->len);
	return all->count == SITE_MESSAGES;
}

int page_html_group(struct fs *fs, int64_t id, struct buf *out)
{
	const struct site_group at = site_group_of(id);
	struct site s = { .fs = fs, .h = { .out = out, .up = at.page > 1 ? "../../" : "../" } };
	struct group g;
	int err = errno_of_store(store_catch_up(fs->store));
	if (!err)
		err = errno_of_store(store_group_by_id(fs->store, at.kind, at.id, &g));
	if (err)
		return err;
	const struct group_pages of = { at.kind, g.name };
	const int64_t first = (at.page - 1) * SITE_MESSAGES + 1, pages =
		(g.messages + SITE_MESSAGES - 1) / SITE_MESSAGES;
	const int64_t last = first + SITE_MESSAGES - 1 < g.messages ? first + SITE_MESSAGES - 1 :
		g.messages;
	html_begin(&s.h, g.name, at.kind == LOG_THREAD ? "threads" : "sessions");
	if (at.page == 1)
		err = about(&s, at.kind, &g);
	struct summed summed = { .s = &s, .name = g.name };
	if (!err && at.page == 1 && at.kind == LOG_SESSION)
		err = errno_of_store(store_summaries(fs->store, g.id, 0, add_summary, &summed));
	html_section(&s.h, "messages", "Messages");
	site_pager(&s, "Pages, above", at.page, pages, group_path, &of);
	if (!err && first <= last)
		err = at.kind == LOG_THREAD ? show_thread(&s, &g, first) :
			show_session(&s, &g, true, first, last);
	site_pager(&s, "Pages, below", at.page, pages, group_path, &of);
	html_end(&s.h);
	return err;
}

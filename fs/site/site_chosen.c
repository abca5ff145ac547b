/* SPDX-License-Identifier: MIT */
/* What a model is given: the active blocks, and the context of the current session. */
#include <stdio.h>

#include "fs/context/context.h"
#include "fs/site/site_shared.h"

/* ---- blocks -------------------------------------------------------------------- */

struct blocks {
	struct site *s;
	int count;
};

/* As much of each as of a message: a block may have 1 MiB. */
static void block_text(struct html *h, const struct doc_block *b)
{
	char more[256];
	const size_t before = h->out->len, most = before < SITE_PAGE_SOFT ? SITE_MESSAGE_MOST :
		before < SITE_PAGE_HARD ? SITE_MESSAGE_LEAST : 0;
	const size_t shown = utf8_fit(b->content, b->len, most);
	html_markdown(h, b->content, shown);
	if (shown == b->len)
		return;
	(void)snprintf(more, sizeof more, "%zu bytes more: blocks/%.100s/%.100s.md", b->len - shown,
	               b->category, b->code);
	html_say(h, more);
}

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
	block_text(h, b);
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

/* ---- context ---------------------------------------------------------------------- */

/* Why a part of a context is there, by its heading. */
static const char *why_there(const char *line, size_t len)
{
	static const char *const known[][2] = {
		{ "Context", "where what follows is from, and how to read it" },
		{ "Instructions", "the identity, and the active blocks for this session, those of the "
		  "highest priority first" },
		{ "State", "documents of smma/ that are always shown, up to their shares" },
		{ "Facts", "facts for what is talked about, and others up to the least share" },
		{ "Remembered", "memories for what is asked, by their score" },
		{ "Earlier", "summaries of what left the conversation's window, the newest last" },
		{ "Found", "what a search of the whole memory has for the newest message: it fills what "
		  "the other parts leave" },
		{ "Conversation", "pinned messages, and the newest ones, as many as their share of tokens "
		  "holds" },
		{ "Tool results", "results of tools that no answer followed yet" },
		{ "Refused", "what this author wrote last and was not stored" },
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
	int shown = (int)utf8_fit(text + skip, head - skip, 200);
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

/* SPDX-License-Identifier: MIT */
/* The page that a search answers with, and its hits as lines of JSON. */
#include <string.h>

#include "render/format/format.h"
#include "render/search/search.h"

enum { ASKED_SHOWN = 400 };

/* Text of the query; of a long one the beginning, and how many words there are. */
static void add_text(struct buf *out, const char *text, size_t len)
{
	struct markdown m = { .out = out, .from = out->len };
	size_t shown = utf8_fit(text, len, ASKED_SHOWN), words = 1;
	markdown_add(&m, text, shown);
	if (shown == len)
		return;
	for (size_t i = 0; i < len; i++)
		words += text[i] == ' ';
	buf_addf(out, "\xE2\x80\xA6 (%zu words)", words);
}

/* A middle dot of a name, which would part it in two, is shown; quote_name()'s rule. */
static void add_name(struct buf *out, const char *name)
{
	struct buf line = BUF_INIT;
	quote_name(&line, name, strlen(name));
	add_text(out, line.data ? line.data : "", line.len);
	out->failed = out->failed || line.failed;
	buf_release(&line);
}

/* Whom a writer says he speaks for; whole, as the quotes are to be. */
static void add_claim(struct buf *out, const char *name)
{
	struct buf line = BUF_INIT;
	struct markdown m = { .out = out, .from = out->len };
	quote_said(&line, name, strlen(name));
	markdown_add(&m, line.data ? line.data : "", line.len);
	out->failed = out->failed || line.failed;
	buf_release(&line);
}

static void separate(struct buf *out, size_t from)
{
	if (out->len > from)
		buf_adds(out, " \xC2\xB7 ");
}

static void add_list(struct buf *out, size_t from, const char *before, const char *after,
                     char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		separate(out, from);
		buf_adds(out, before);
		add_text(out, list[i], strlen(list[i]));
		buf_adds(out, after);
	}
}

static void add_filter(struct buf *out, size_t from, const char *name, const char *value)
{
	if (!*value)
		return;
	separate(out, from);
	buf_addf(out, "%s: ", name);
	add_text(out, value, strlen(value));
}

static void add_in(struct buf *out, size_t from, unsigned in)
{
	static const char *const places[] = { "messages", "facts", "documents", "memories", "blocks",
		"notes" };
	const char *before = "in: ";
	if (in)
		separate(out, from);
	for (int i = 0; i < 6; i++) {
		if (in & 1u << i) {
			buf_addf(out, "%s%s", before, places[i]);
			before = ", ";
		}
	}
}

static void add_status(struct buf *out, size_t from, unsigned status)
{
	const char *before = "status: ";
	if (status)
		separate(out, from);
	for (enum life life = LIFE_LIVE; life < LIFE_COUNT; life++)
		if (status & 1u << life) {
			buf_addf(out, "%s%s", before, life_name(life));
			before = ", ";
		}
}

/* Seconds are enough to read, unless there is more. */
static void add_time(struct buf *out, int64_t us)
{
	buf_add_time(out, us);
	if (!out->failed)
		out->len -= strlen(".123456Z");
	buf_addc(out, 'Z');
}

static void add_when(struct buf *out, size_t from, const char *name, int64_t us)
{
	if (!us)
		return;
	separate(out, from);
	buf_addf(out, "%s: ", name);
	add_time(out, us);
}

void render_query(struct buf *out, const struct query *q)
{
	size_t from = out->len;
	if (q->words.len > 0)
		add_text(out, q->words.data, q->words.len);
	add_list(out, from, "\"", "\"", q->phrases, q->phrase_count);
	add_list(out, from, "without \"", "\"", q->without, q->without_count);
	add_in(out, from, q->in);
	add_status(out, from, q->status);
	add_filter(out, from, "session", q->session);
	add_filter(out, from, "thread", q->thread);
	add_filter(out, from, "type", q->type);
	add_filter(out, from, "by", q->by);
	add_filter(out, from, "role", q->role);
	add_filter(out, from, "hash", q->hash);
	for (int i = 0; i < QUERY_NAMED; i++)
		add_filter(out, from, query_named[i], q->named[i]);
	add_when(out, from, "after", q->after_us);
	add_when(out, from, "before", q->before_us);
	if (q->limit != QUERY_HITS) {
		separate(out, from);
		buf_addf(out, "limit: %d", q->limit);
	}
	if (out->len == from)
		buf_adds(out, "nothing");
}

/* Of an index that is being made anew: what it lacks may hold the answer. */
static void add_extent(struct buf *out, const struct found_state *state)
{
	if (state->searched < state->entries)
		buf_addf(out, "The search index is being made: %lld of %lld entries searched, the oldest"
		         " ones. Ask again in a while.\n\n", (long long)state->searched,
		         (long long)state->entries);
}

void render_results(struct buf *out, const struct query *q, const char *within, size_t hits,
                    const struct found_state *state)
{
	enum found_how how = state->how;
	bool words = q->words.len > 0 || q->phrase_count > 0;
	const char *order = words ? "best" : "newest";
	buf_adds(out, *within ? "# Search\n\nAsked in session " : "# Search\n\nAsked");
	add_text(out, within, strlen(within));
	buf_adds(out, ": ");
	render_query(out, q);
	buf_adds(out, "\n\n");
	add_extent(out, state);
	if (state->by_words)
		buf_adds(out, "By words alone: the embedding endpoint did not answer.\n\n");
	if (q->unquoted)
		buf_adds(out, "What is quoted is too long for a phrase, and taken as words.\n\n");
	if (hits > 0 && how == FOUND_BY_WORDS)
		buf_adds(out, "Nothing has exactly what is quoted; by its words:\n\n");
	if (hits > 0 && how == FOUND_BY_BEGINNINGS)
		buf_adds(out, "Nothing has these words; by words that begin as they do:\n\n");
	if (hits == 0 && state->wordless)
		buf_adds(out, "No hits: signs alone are not looked for. `grep -rF` finds them.\n");
	else if (hits == 0)
		buf_adds(out, "No hits. Ask with other or fewer words, or leave out filters.\n");
	else if (hits == (size_t)q->limit)
		buf_addf(out, "The first %zu hits, the %s first (`limit:` asks for more):\n\n", hits,
		         order);
	else
		buf_addf(out, "%zu hit%s, the %s first:\n\n", hits, hits == 1 ? "" : "s", order);
}

void render_result(struct buf *out, const struct result *r)
{
	int indent = r->rank < 10 ? 3 : r->rank < 100 ? 4 : r->rank < 1000 ? 5 : 6;
	buf_addf(out, "%d. ", r->rank);
	markdown_name(out, r->path);
	buf_addf(out, " \xC2\xB7 score %.3f \xC2\xB7 ", r->score);
	if (*r->role) {
		(quote_is_word(r->role, strlen(r->role)) ? add_name : add_claim)(out, r->role);
		buf_adds(out, strcmp(r->role, "system") == 0 ? " (claimed)" : "");
		buf_adds(out, *r->author ? ", " : " \xC2\xB7 ");
	}
	if (r->by && *r->by) { /* whoever writes may say so */
		add_claim(out, r->by);
		buf_adds(out, ", by ");
	}
	if (*r->author) {
		add_name(out, r->author);
		buf_adds(out, " \xC2\xB7 ");
	}
	add_time(out, r->time_us);
	if (r->life != LIFE_LIVE)
		buf_addf(out, " \xC2\xB7 **%s%s**", life_name(r->life), *r->heir ? " by" : "");
	if (*r->heir) {
		buf_addc(out, ' ');
		markdown_name(out, r->heir);
	}
	buf_adds(out, "  \n");
	buf_addf(out, "%*s%s\n", indent, "", r->snippet);
}

void render_no_query(struct buf *out, const char *text, size_t len, const struct why *why)
{
	struct markdown m = { .out = out };
	buf_adds(out, "# Search\n\nAsked: ");
	m.from = out->len;
	markdown_add(&m, text, utf8_fit(text, len, ASKED_SHOWN));
	buf_adds(out, "\n\nThis was not searched for: ");
	m.from = out->len;
	markdown_add(&m, why->text, strlen(why->text));
	buf_adds(out, "; ");
	markdown_add(&m, why->todo, strlen(why->todo));
	buf_adds(out, ".\n");
}

void render_result_json(struct buf *out, const struct result *r)
{
	buf_addf(out, "{\"rank\":%d,\"score\":%.6f,\"kind\":\"%s\",\"path\":", r->rank, r->score,
	         r->kind);
	buf_add_json(out, r->path, strlen(r->path));
	buf_adds(out, ",\"role\":");
	buf_add_json(out, r->role, strlen(r->role));
	buf_adds(out, ",\"author\":");
	buf_add_json(out, r->author, strlen(r->author));
	if (r->by && *r->by) {
		buf_adds(out, ",\"said_by\":");
		buf_add_json(out, r->by, strlen(r->by));
	}
	buf_adds(out, ",\"time\":\"");
	buf_add_time(out, r->time_us);
	buf_addf(out, "\",\"status\":\"%s\"", life_name(r->life));
	if (*r->heir) {
		buf_adds(out, ",\"superseded_by\":");
		buf_add_json(out, r->heir, strlen(r->heir));
	}
	buf_adds(out, ",\"snippet\":");
	buf_add_json(out, r->snippet, strlen(r->snippet));
	buf_adds(out, "}\n");
}

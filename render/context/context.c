/* SPDX-License-Identifier: MIT */
/* The parts of context.md, and how a text is made to fit. */
#include "render/context/context.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "render/facts/facts.h"
#include "render/format/format.h"
#include "render/logs/logs.h"
#include "render/search/search.h"
#include "render/text/text.h"
#include "render/vectors/vectors.h"

static const char *const headings[CONTEXT_KINDS] = {
	[CONTEXT_BLOCK] = "Instructions",
	[CONTEXT_SECTION] = "State",
	[CONTEXT_FACTS] = "Facts",
	[CONTEXT_MEMORY] = "Remembered",
	[CONTEXT_SUMMARY] = "Earlier, in short",
	[CONTEXT_HIT] = "Found",
	[CONTEXT_TURN] = "Conversation",
	[CONTEXT_RESULT] = "Tool results to be answered",
	[CONTEXT_REFUSAL] = "Refused just now",
};

static void add_line(struct buf *out, const char *before, const char *name,
                     void (*quote)(struct buf *out, const char *text, size_t len))
{
	char line[NAME_LIMIT + 1];
	render_name(line, sizeof line, name ? name : "");
	if (!*line)
		return;
	buf_adds(out, before);
	quote(out, line, strlen(line));
}

/* A name that stands in a line of ours. */
static void add_name(struct buf *out, const char *before, const char *name)
{
	add_line(out, before, name, quote_dots);
}

/* The same within bold letters or a paragraph of such lines: it ends neither. */
static void add_bold(struct buf *out, const char *before, const char *name)
{
	add_line(out, before, name, quote_part);
}

/* A role, a tool: what the writer said. */
static void add_word(struct buf *out, const char *before, const char *name)
{
	if (!name || !*name)
		return;
	buf_adds(out, before);
	quote_word(out, name, strlen(name));
}

void render_context_head(struct buf *out, const char *of)
{
	buf_adds(out, "# Context");
	add_name(out, ": ", of); /* of a question anybody asked: it stays on its line */
	buf_adds(out, "\n\n");
	buf_adds(out, "Where these contradict each other, trust first what was said (Conversation), "
	              "then files (Instructions, State, Facts, Remembered), then summaries, last what "
	              "is marked "
	              "inferred.\n");
}

void render_context_of(struct buf *out, const char *group, bool thread)
{
	add_name(out, thread ? "\nThread: " : "\nSession: ", group);
	buf_addc(out, '\n');
}

void render_context_begin(struct buf *out, bool hidden, bool can)
{
	buf_adds(out, hidden ? "\nThis mount does not show the session last written to." :
	              "\nNobody has written to a session yet.");
	if (can)
		buf_adds(out, hidden ? " What is said in another stands in sessions/NAME/context.md." :
		              " The first line of a log makes one:\n"
		              "echo '{\"role\":\"user\",\"content\":\"...\"}' >> "
		              "sessions/current/log.jsonl");
	buf_addc(out, '\n');
}

void render_context_heading(struct buf *out, enum context_kind kind)
{
	buf_addf(out, "\n## %s\n", headings[kind]);
}

/* A text under a heading, with a newline at its end and no blank lines around it. */
static void add_text(struct buf *out, const char *text, size_t len)
{
	while (len > 0 && strchr("\r\n", *text)) {
		text++;
		len--;
	}
	while (len > 0 && strchr(" \t\r\n", text[len - 1]))
		len--;
	quote_text(out, text, len);
}

void render_quoted(struct buf *out, const char *text, size_t len)
{
	add_text(out, text, len);
}

/* To the minute: a line of each message pays for it. */
static void add_minute(struct buf *out, int64_t time_us)
{
	struct buf time = BUF_INIT;
	buf_add_time(&time, time_us);
	if (time.len > 16) /* 2026-11-20T10:00:00.000000Z */
		buf_addf(out, "%.10s %.5s", time.data, time.data + 11);
	buf_release(&time);
}

static void add_rest(struct buf *out, const struct context_part *p, const char *before,
                     const char *after)
{
	if (p->left <= 0)
		return;
	buf_addf(out, "%s[%lld tokens more: cat ", before, (long long)p->left);
	render_shell_word(out, p->where);
	buf_addf(out, "]%s", after);
}

static void add_day(struct buf *out, int64_t time_us)
{
	struct buf time = BUF_INIT;
	buf_add_time(&time, time_us);
	if (time.len > 10)
		buf_addf(out, "%.10s", time.data);
	buf_release(&time);
}

static void add_fact(struct buf *out, const struct context_part *p)
{
	buf_adds(out, "- ");
	quote_item(out, p->text, p->len); /* one line: an item may have paragraphs */
	buf_addf(out, "%s (%s, ", render_fact_marks(p->confidence, p->inferred), p->title);
	add_day(out, p->time_us);
	buf_adds(out, ")\n");
}

/* Whom a writer says he speaks for. */
static void add_said(struct buf *out, const char *said)
{
	char line[NAME_LIMIT + 1];
	render_name(line, sizeof line, said ? said : "");
	if (!*line)
		return;
	buf_addc(out, ' ');
	quote_claim(out, line, strlen(line));
}

/*
 * "#12 user: text", "#12 user "Caroline" · alice:sh: text", below its session and day;
 * "**notes/plan.md** 2026-11-20: text".
 */
static void add_hit(struct buf *out, const struct context_part *p)
{
	if (p->first > 0) {
		buf_addf(out, "#%lld", (long long)p->first);
		add_word(out, " ", p->role);
		buf_adds(out, p->claimed ? " (claimed)" : "");
		add_said(out, p->said);
		add_bold(out, " \xC2\xB7 ", p->author);
	} else {
		add_bold(out, "**", p->title);
		buf_adds(out, "** ");
		add_day(out, p->time_us);
	}
	buf_addc(out, ':');
	buf_adds(out, p->within ? " \xE2\x80\xA6 " : " ");
	quote_among(out, p->text, p->len);
	add_rest(out, p, " \xE2\x80\xA6 ", "");
	buf_addc(out, '\n');
}

bool render_context_together(const struct context_part *a, const struct context_part *b)
{
	const int64_t day = INT64_C(86400000000);
	if (a->first <= 0 || b->first <= 0)
		return a->first <= 0 && b->first <= 0;
	return a->time_us / day == b->time_us / day && strcmp(a->title, b->title) == 0;
}

void render_context_group(struct buf *out, const struct context_part *first)
{
	buf_addc(out, '\n');
	if (first->first <= 0)
		return;
	add_bold(out, "**sessions/", first->title);
	buf_adds(out, "** ");
	add_day(out, first->time_us);
	buf_addc(out, '\n');
}

void render_context_part(struct buf *out, const struct context_part *p)
{
	switch (p->kind) {
	case CONTEXT_REFUSAL:
		buf_addc(out, '\n');
		break;
	case CONTEXT_FACTS:
		add_fact(out, p);
		return;
	case CONTEXT_SUMMARY:
		buf_adds(out, "\n**");
		add_bold(out, "", p->title);
		buf_addf(out, "%s%lld–%lld**%s\n", *p->title ? " " : "", (long long)p->first,
		         (long long)p->last,
		         p->inferred ? " (by rule)" : p->by_command ? " (by command)" : "");
		break;
	case CONTEXT_TURN:
	case CONTEXT_RESULT:
		buf_addf(out, "\n**#%lld ", (long long)p->first);
		add_word(out, "", p->role);
		buf_adds(out, p->claimed ? " (claimed)" : "");
		add_word(out, " ", p->title);
		add_said(out, p->said);
		add_bold(out, " \xC2\xB7 ", p->author);
		buf_addf(out, "**%s ", p->pinned ? " (pinned)" : "");
		add_minute(out, p->time_us);
		buf_addc(out, '\n');
		break;
	case CONTEXT_MEMORY:
	case CONTEXT_HIT:
		add_hit(out, p);
		return;
	default:
		buf_adds(out, "\n### ");
		add_name(out, "", p->title);
		buf_addc(out, '\n');
	}
	add_text(out, p->text, p->len);
	add_rest(out, p, "", "\n");
}

/* "3 facts", after a comma if it is not the first. */
static void add_left(struct buf *out, bool *any, int64_t n, const char *one, const char *more)
{
	if (n <= 0)
		return;
	buf_addf(out, "%s%lld %s", *any ? ", " : "", (long long)n, n == 1 ? one : more);
	*any = true;
}

void render_context_left(struct buf *out, const struct context_left *l)
{
	bool any = false;
	buf_adds(out, "\nLeft out: ");
	add_left(out, &any, l->messages, "message", "messages");
	add_left(out, &any, l->pinned, "pinned message", "pinned messages");
	add_left(out, &any, l->results, "tool result", "tool results");
	add_left(out, &any, l->summaries, "summary", "summaries");
	add_left(out, &any, l->facts, "fact", "facts");
	if (l->repeated || l->stale)
		buf_addf(out, " (%lld said just now, %lld stale)", (long long)l->repeated,
		         (long long)l->stale);
	add_left(out, &any, l->sections, "section", "sections");
	add_left(out, &any, l->blocks, "block", "blocks");
	add_left(out, &any, l->known, "block of what is known by now",
	         "blocks of what is known by now");
	if (l->unsearched)
		buf_addf(out, "%swhat a search would find (it failed)", any ? ", " : "");
	any = any || l->unsearched;
	if (!any)
		buf_adds(out, "nothing");
	else if (*l->session) {
		buf_adds(out, ". All of it: sessions/");
		quote_name(out, l->session, strlen(l->session));
		buf_adds(out, "/transcript.md, facts/, blocks/");
	}
	buf_adds(out, ".\n");
}

void render_said(struct buf *said, const char *text, size_t len)
{
	fold_text(said, text, len);
}

bool render_says(const struct buf *said, const char *text, size_t len)
{
	struct buf folded = BUF_INIT;
	fold_text(&folded, text, len);
	bool says = said->len > 0 && folded.len > 2 && !folded.failed &&
	            strstr(said->data, folded.data);
	buf_release(&folded);
	return says;
}

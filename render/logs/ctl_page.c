/* SPDX-License-Identifier: MIT */
/* What ctl says when it is read, and smma/action_log.md.  Pure functions of what they are given. */
#include <string.h>

#include "render/format/format.h"
#include "render/logs/logs.h"

enum { SHOWN_RANGES = 40, ACTION_TEXT_MOST = 4096 };

static const char usage[] =
	"\n"
	"Write a command a line, with > or >>; all the lines of a write are done, or none:\n"
	"\n"
	"    prune 3 4 7-9          take messages out of the window\n"
	"    restore 3 7-9          put them back; what a summary covers is shown beside it\n"
	"    summarize 10-20 TEXT   TEXT stands for them from now on; or write the text to\n"
	"                           summaries/10-20.md.  Once: it cannot be written again\n"
	"    pin 1 17               never pruned nor summarized; unpin 1 17 takes it back\n"
	"    window 6               show the last 6 turns; window auto: as many as fit the talk\n"
	"    refer 12 context:3     message 12 refers to message 3, too; or accountant:17\n"
	"    reset                  the full window again, without summaries; pins stay\n"
	"\n"
	"prune_messages [3, 4] and summarize_range 10 20 TEXT are the same. The original of\n"
	"message 3 is always in messages/000003.md. What was refused, and why: errors.log.\n";

/* " 3-9", " 4" */
static void add_range(struct buf *out, struct context_range r)
{
	buf_addf(out, " %lld", (long long)r.first);
	if (r.last > r.first)
		buf_addf(out, "-%lld", (long long)r.last);
}

static void add_count(struct buf *out, const char *name, int64_t count, const struct buf *ranges,
                      size_t shown)
{
	buf_addf(out, "%-12s%lld", name, (long long)count);
	if (ranges && ranges->len > 0) {
		buf_addc(out, ':');
		buf_add(out, ranges->data, ranges->len);
		if (shown >= SHOWN_RANGES)
			buf_adds(out, " …");
	}
	buf_addc(out, '\n');
}

bool ctl_ranges_add(struct ctl_ranges *r, struct context_range range)
{
	add_range(&r->text, range);
	return ++r->count < SHOWN_RANGES;
}

void render_ctl_page(struct buf *out, const struct ctl_page *p)
{
	const struct context_state *s = &p->state;
	buf_adds(out, "# The window of session ");
	quote_name(out, p->session, strlen(p->session));
	buf_adds(out, "\n\n");
	add_count(out, "messages", s->messages, NULL, 0);
	add_count(out, "active", s->active, NULL, 0);
	add_count(out, "pruned", s->pruned, &p->pruned.text, p->pruned.count);
	add_count(out, "pinned", s->pinned, &p->pinned.text, p->pinned.count);
	add_count(out, "summaries", s->summaries, &p->summaries.text, p->summaries.count);
	add_count(out, "summarized", s->summarized, NULL, 0);
	if (s->window)
		add_count(out, "window", s->window, NULL, 0);
	else
		buf_adds(out, "window      auto\n");
	if (s->last_us) {
		buf_adds(out, "changed     ");
		buf_add_time(out, s->last_us);
		buf_addc(out, '\n');
	}
	buf_adds(out, usage);
}

static size_t word_len(const char *word)
{
	size_t len = 0;
	while (word[len] && (len < 120 || (word[len] & 0xC0) == 0x80))
		len++;
	return len;
}

/* A word that goes into a heading. */
static void add_word(struct buf *out, const char *before, const char *word,
                     void (*quote)(struct buf *out, const char *text, size_t len))
{
	if (!*word)
		return;
	buf_adds(out, before);
	quote(out, word, word_len(word));
}

/* Whom its writer says he speaks for. */
static void add_claim(struct buf *out, const char *by)
{
	buf_adds(out, *by ? " · " : "");
	quote_claim(out, by, word_len(by));
}

static void add_time(struct buf *out, int64_t time_us)
{
	struct buf time = BUF_INIT;
	buf_add_time(&time, time_us);
	if (time.data)
		buf_addf(out, " · %.10s %.8s UTC", time.data, time.data + 11);
	out->failed = out->failed || time.failed;
	buf_release(&time);
}

/* Ends in a newline, and a blank line. */
static void add_text(struct buf *out, const char *text, size_t len)
{
	buf_adds(out, "\n\n");
	quote_text(out, text, len);
}

void render_action_turn(struct buf *out, const struct turn *t)
{
	size_t len = utf8_fit(t->content, t->len, ACTION_TEXT_MOST);
	buf_addf(out, "## %lld · ", (long long)t->n);
	add_word(out, "", *t->role ? t->role : "message", quote_word);
	buf_adds(out, strcmp(t->role, "system") == 0 ? " (claimed)" : "");
	add_claim(out, t->by);
	add_word(out, *t->by ? ", by " : " · ", t->author, quote_part);
	add_time(out, t->time_us);
	add_word(out, " · tool ", t->tool, quote_word);
	buf_adds(out, t->error ? " · error" : "");
	buf_adds(out, t->pinned ? " · pinned" : "");
	add_text(out, t->content, len);
	if (len < t->len)
		buf_addf(out, "*(%zu of %zu bytes: messages/%06lld.md has all)*\n", len, t->len,
		         (long long)t->n);
	buf_addc(out, '\n');
}

void render_action_summary(struct buf *out, const struct summary *y)
{
	buf_addf(out, "## %lld-%lld · summary", (long long)y->first, (long long)y->last);
	add_word(out, " · ", y->author, quote_part);
	add_time(out, y->time_us);
	add_text(out, y->text, y->len);
	buf_addc(out, '\n');
}

void render_action_head(struct buf *out, const char *session, const struct context_state *s,
                        int64_t before)
{
	buf_adds(out, "# Action log\n\n");
	if (!session) {
		buf_adds(out, "There is no session yet.\n");
		return;
	}
	buf_adds(out, "Session ");
	quote_name(out, session, strlen(session));
	buf_addf(out, ": %lld of %lld messages are active, %lld pruned, %lld summarized.\n",
	         (long long)s->active, (long long)s->messages, (long long)s->pruned,
	         (long long)s->summarized);
	if (before) {
		buf_addf(out, "Left out here: all before message %lld; see sessions/", (long long)before);
		quote_name(out, session, strlen(session));
		buf_adds(out, "/transcript.md.\n");
	}
	buf_addc(out, '\n');
}

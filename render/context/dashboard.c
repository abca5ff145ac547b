/* SPDX-License-Identifier: MIT */
/* How full the memory is, for an agent and for a monitor. */
#include <string.h>

#include "render/context/context.h"
#include "render/format/format.h"
#include "render/vectors/vectors.h"

enum { BAR = 30 };

static void add_number(struct buf *out, int64_t n)
{
	char digits[32];
	int len = snprintf(digits, sizeof digits, "%lld", (long long)n);
	for (int i = 0; i < len; i++) {
		buf_addc(out, digits[i]);
		if ((len - 1 - i) % 3 == 0 && i + 1 < len && digits[i] != '-')
			buf_addc(out, ',');
	}
}

static void add_bar(struct buf *out, double percent)
{
	int full = percent >= 100 ? BAR : percent <= 0 ? 0 : (int)(percent * (double)BAR / 100 + 0.5);
	buf_addc(out, '[');
	for (int i = 0; i < BAR; i++)
		buf_addc(out, i < full ? '#' : '-');
	buf_addc(out, ']');
}

static void add_window(struct buf *out, const struct dashboard *d)
{
	const struct context_state *w = &d->window;
	buf_adds(out, "- Active messages: ");
	add_number(out, w->active);
	buf_adds(out, " of ");
	add_number(out, w->messages);
	buf_addf(out, " (%lld pruned, %lld summarized in %lld, %lld pinned)\n", (long long)w->pruned,
	         (long long)w->summarized, (long long)w->summaries, (long long)w->pinned);
}

/* What context.md saves at least against sending everything: it is not made for this line. */
static void add_savings(struct buf *out, const struct dashboard *d)
{
	buf_adds(out, "- context.md: at most ");
	add_number(out, d->context_most);
	buf_adds(out, " tokens; all messages: ");
	add_number(out, d->everything);
	if (d->everything > d->context_most)
		buf_addf(out, " (%.0f %% saved)", 100.0 * (double)(d->everything - d->context_most) /
		         (double)d->everything);
	buf_addc(out, '\n');
}

static void add_cell(struct buf *out, const char *text)
{
	struct buf line = BUF_INIT;
	quote_line(&line, text, strlen(text));
	for (size_t i = 0; i < line.len; i++) {
		if (line.data[i] == '|' || line.data[i] == '\\')
			buf_addc(out, '\\');
		buf_addc(out, line.data[i]);
	}
	out->failed = out->failed || line.failed;
	buf_release(&line);
}

static void add_sessions(struct buf *out, const struct dashboard *d)
{
	if (d->sessions == 0)
		return;
	buf_adds(out, "\n## Sessions\n\n| session | messages | tokens |\n|---|---:|---:|\n");
	for (int i = 0; i < d->sessions; i++) {
		buf_adds(out, "| ");
		add_cell(out, d->items[i].name);
		buf_adds(out, " | ");
		add_number(out, d->items[i].messages);
		buf_adds(out, " | ");
		add_number(out, d->items[i].tokens);
		buf_adds(out, " |\n");
	}
}

static void add_usage(struct buf *out, const struct dashboard *d)
{
	buf_adds(out, "- Context: ");
	add_number(out, d->used);
	buf_adds(out, " / ");
	add_number(out, d->safe);
	buf_addf(out, " tokens (%.1f %%)\n- Memory pressure: %s (act above %d %%)\n", d->percent,
	         d->level, d->threshold);
}

static void add_action(struct buf *out, const struct dashboard *d)
{
	buf_addf(out, "- Recommended action: %s", *d->action ? d->action : "none. Go on.");
}

void render_memory(struct buf *out, const struct dashboard *d)
{
	buf_adds(out, "\n## Memory\n\n");
	add_usage(out, d);
	buf_adds(out, d->alerts == 0 ? "- Alerts: none" : "- ALERT: ");
	for (int i = 0; i < d->alerts; i++)
		buf_addf(out, "%s%s", i ? "; " : "", d->alert[i]);
	buf_addc(out, '\n');
	add_action(out, d);
	if (*d->command) {
		buf_adds(out, ": ");
		markdown_code(out, d->command);
	}
	buf_addc(out, '\n');
}

void render_dashboard(struct buf *out, const struct dashboard *d)
{
	buf_addf(out, "# Memory%s", *d->session ? ": " : "");
	quote_name(out, d->session, strlen(d->session));
	buf_adds(out, "\n\n");
	add_bar(out, d->percent);
	buf_addf(out, " %.1f %%\n\n", d->percent);
	add_usage(out, d);
	add_window(out, d);
	buf_addf(out, "- Sections on disk loaded: %d/%d\n", d->sections, d->sections_most);
	if (d->subtasks > 0)
		buf_addf(out, "- Subtasks done: %lld/%lld\n", (long long)d->subtasks_done,
		         (long long)d->subtasks);
	if (d->workspace > 0)
		buf_addf(out, "- Workspace: about %lld tokens\n", (long long)d->workspace);
	add_savings(out, d);
	buf_addf(out, "- Facts: %lld live, %lld stale, %lld about to be\n", (long long)d->facts,
	         (long long)d->stale, (long long)d->expiring);
	if (d->alerts == 0)
		buf_adds(out, "- Alerts: none\n");
	for (int i = 0; i < d->alerts; i++)
		buf_addf(out, "- ALERT: %s\n", d->alert[i]);
	add_action(out, d);
	buf_addc(out, '\n');
	if (*d->command)
		buf_addf(out, "\n      %s\n", d->command);
	add_sessions(out, d);
}

static void add_metric(struct buf *out, const char *name, const char *type, const char *help,
                       double value)
{
	buf_addf(out, "# HELP cinta_%s %s\n# TYPE cinta_%s %s\ncinta_%s %.17g\n", name, help, name,
	         type, name, value);
}

/* A label's value in quotes: its own escapes (text format 0.0.4). */
static void add_label(struct buf *out, const char *value)
{
	buf_addc(out, '"');
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			buf_addc(out, '\\');
		buf_addc(out, *value);
	}
	buf_addc(out, '"');
}

/* Of the newest sessions; their names hold no control characters. */
static void add_by_session(struct buf *out, const struct dashboard *d, bool tokens)
{
	const char *name = tokens ? "session_tokens" : "session_messages";
	if (d->sessions > 0)
		buf_addf(out, "# HELP cinta_%s %s of a session.\n# TYPE cinta_%s gauge\n", name,
		         tokens ? "Tokens" : "Messages", name);
	for (int i = 0; i < d->sessions; i++) {
		buf_addf(out, "cinta_%s{session=", name);
		add_label(out, d->items[i].name);
		buf_addf(out, "} %lld\n", (long long)(tokens ? d->items[i].tokens : d->items[i].messages));
	}
}

static void add_embedding(struct buf *out, const struct embedding_status *e)
{
	add_metric(out, "embedding_up", "gauge", "1: the embedding endpoint works.", e->up);
	add_metric(out, "embedding_texts_total", "counter",
	           "Texts given a vector since the daemon started.", (double)e->texts);
	add_metric(out, "embedding_missing", "gauge", "Texts without a vector yet, at least.",
	           (double)e->missing);
	add_metric(out, "embedding_failures_total", "counter",
	           "Requests without a usable answer since the daemon started.",
	           (double)e->failures);
}

void render_metrics(struct buf *out, const struct status *s, const struct dashboard *d,
                    const struct embedding_status *e)
{
	const struct {
		const char *name, *type, *help;
		double value;
	} metrics[] = {
		{ "entries_total", "counter", "Entries on the tape.", (double)s->entries },
		{ "entries_viewed", "gauge", "Entries the views have seen.", (double)s->viewed_upto },
		{ "entries_signed", "gauge", "Entries below the newest checkpoint.",
		  (double)s->signed_upto },
		{ "sessions", "gauge", "Sessions.", (double)s->sessions },
		{ "threads", "gauge", "Threads.", (double)s->threads },
		{ "messages_total", "counter", "Messages of all sessions.", (double)s->messages },
		{ "refusals_total", "counter", "Refusals since the daemon started.",
		  (double)s->refusals },
		{ "database_bytes", "gauge", "Size of the database.", (double)s->database_bytes },
		{ "wal_bytes", "gauge", "Size of its write-ahead log.", (double)s->wal_bytes },
		{ "read_only", "gauge", "1: the memory takes nothing.", s->read_only ? 1 : 0 },
		{ "context_used_tokens", "gauge", "Tokens of the current session's active memory.",
		  (double)d->used },
		{ "context_safe_tokens", "gauge", "Safe limit of the model.", (double)d->safe },
		{ "context_pressure_percent", "gauge", "Memory pressure.", d->percent },
		{ "context_page_tokens", "gauge", "Tokens of the page opened last.",
		  (double)d->tokens_last },
		{ "messages_active", "gauge", "Active messages of the current session.",
		  (double)d->window.active },
		{ "context_pages_made_total", "counter", "Pages of context.md made since the start.",
		  (double)d->pages_made },
		{ "context_pages_opened_total", "counter", "Pages opened by readers.",
		  (double)d->pages_opened },
		{ "context_given_tokens_total", "counter", "Tokens of the pages opened.",
		  (double)d->tokens_given },
		{ "facts_live", "gauge", "Live facts.", (double)d->facts },
		{ "facts_stale", "gauge", "Stale facts.", (double)d->stale },
	};
	for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++)
		add_metric(out, metrics[i].name, metrics[i].type, metrics[i].help, metrics[i].value);
	add_by_session(out, d, false);
	add_by_session(out, d, true);
	if (e)
		add_embedding(out, e);
}

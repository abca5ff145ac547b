/* SPDX-License-Identifier: MIT */
/*
 * What an agent should do, in words and as a command that can be pasted.  A command is whole or
 * not there at all.
 */
#include <stdlib.h>
#include <string.h>

#include "fs/context/held.h"
#include "fs/facts/facts.h"

void dashboard_alert(struct dashboard *d, const char *fmt, ...)
{
	va_list ap;
	if (d->alerts == DASHBOARD_ALERTS)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(d->alert[d->alerts++], sizeof d->alert[0], fmt, ap);
	va_end(ap);
}

static void take_command(struct dashboard *d, const struct buf *command)
{
	if (!command->failed && command->len < sizeof d->command)
		memcpy(d->command, command->data, command->len + 1);
}

/* What to paste: lines for the session's ctl. */
static void set_command(const struct context *c, struct dashboard *d, const char *line)
{
	struct buf out = BUF_INIT, path = BUF_INIT;
	bool many = strchr(line, '\n') != NULL;
	buf_addf(&path, "sessions/%s/ctl", c->group.name);
	buf_adds(&out, many ? "printf '%s\\n'" : "echo");
	for (size_t n; *line; line += n + (line[n] == '\n')) {
		n = strcspn(line, "\n");
		buf_addf(&out, " '%.*s'", (int)n, line);
	}
	buf_adds(&out, " >> ");
	if (!path.failed)
		render_shell_word(&out, path.data);
	if (!path.failed)
		take_command(d, &out);
	buf_release(&out);
	buf_release(&path);
}

/* "3 5 7" of the failed messages, as ctl takes them, and their tokens. */
static int64_t list_failed(const struct held *h, const bool *failed, char *dst, size_t size)
{
	size_t at = 0;
	int64_t tokens = 0;
	*dst = '\0';
	for (size_t i = 0; i < h->of.count && at + 24 < size; i++)
		if (failed[i]) {
			at += (size_t)snprintf(dst + at, size - at, " %lld", (long long)h->message[i].id);
			tokens += h->message[i].tokens;
		}
	return tokens;
}

static void tell_failures(const struct held *h, struct dashboard *d, const struct advice *a,
                          bool first)
{
	char line[192], ids[160], tool[128];
	bool *failed = calloc(h->of.count + 1, sizeof *failed);
	render_word(tool, sizeof tool, a->tool);
	dashboard_alert(d, "%s failed %d times in a row", tool, h->c->policy.failures);
	if (!failed || !first) {
		free(failed);
		return;
	}
	(void)policy_failures(&h->c->policy, h->message, h->of.count, failed);
	int64_t saves = list_failed(h, failed, ids, sizeof ids);
	free(failed);
	(void)snprintf(line, sizeof line, "prune%s", ids);
	(void)snprintf(d->action, sizeof d->action, "prune the failed attempts of %s (saves %lld "
	               "tokens) and note the conclusion in smma/agent_notes.md", tool,
	               (long long)saves);
	set_command(h->c, d, line);
}

static void tell_facts(struct dashboard *d, const struct advice *a, bool first)
{
	if (a->stale)
		dashboard_alert(d, "%lld facts are stale: confirm or remove them in facts/",
		                (long long)a->stale);
	if (a->expiring)
		dashboard_alert(d, "%lld facts will be stale within a week", (long long)a->expiring);
	if (first)
		(void)snprintf(d->action, sizeof d->action, "look at facts/stale.md");
}

static void tell_summary(const struct held *h, struct dashboard *d, const struct advice *a)
{
	const long long first = a->range[0].first, last = a->range[0].last;
	char line[96];
	(void)snprintf(d->action, sizeof d->action, "summarize messages %lld-%lld (saves %lld tokens "
	               "with a summary of %lld)", first, last, (long long)a->saves,
	               (long long)h->c->policy.summary_tokens);
	(void)snprintf(line, sizeof line, "summarize %lld-%lld TEXT", first, last);
	set_command(h->c, d, line);
}

static void tell_prune(const struct held *h, struct dashboard *d, const struct advice *a)
{
	const long long first = a->range[0].first, last = a->range[0].last;
	char line[128];
	(void)snprintf(d->action, sizeof d->action, "%sprune messages %lld-%lld (saves %lld tokens)",
	               a->kind == ADVICE_UNPIN ? "unpin and " : "", first, last, (long long)a->saves);
	if (a->kind == ADVICE_UNPIN)
		(void)snprintf(line, sizeof line, "unpin %lld\nprune %lld", first, first);
	else
		(void)snprintf(line, sizeof line, "prune %lld-%lld", first, last);
	set_command(h->c, d, line);
}

static void tell_reset(const struct held *h, struct dashboard *d, const struct advice *a)
{
	char lines[64 * ADVICE_RANGES + 16] = "reset";
	size_t at = strlen(lines);
	for (int i = 0; i < a->ranges; i++)
		at += (size_t)snprintf(lines + at, sizeof lines - at, "\nsummarize %lld-%lld TEXT",
		                       (long long)a->range[i].first, (long long)a->range[i].last);
	(void)snprintf(d->action, sizeof d->action, "write the summaries anew, %d in all (saves %lld "
	               "tokens with %lld each)", a->ranges, (long long)a->saves,
	               (long long)h->c->policy.summary_tokens);
	set_command(h->c, d, lines);
}

/* A section's text is still found in notes/; a file of the workspace is no memory. */
static void tell_file(const struct held *h, struct dashboard *d, const struct advice *a)
{
	const struct held_file *f = &h->file[a->file];
	struct buf out = BUF_INIT;
	if (f->section) {
		(void)snprintf(d->action, sizeof d->action, "move what %.200s says to notes/ (saves %lld "
		               "tokens)", f->where, (long long)a->saves);
		buf_addf(&out, "cat %s >> notes/%s && : > %s", f->where, f->section, f->where);
	} else {
		(void)snprintf(d->action, sizeof d->action, "remove the largest file of smma/workspace "
		               "(saves about %lld tokens)", (long long)a->saves);
		buf_adds(&out, "rm ");
		render_shell_word(&out, f->where);
	}
	take_command(d, &out);
	buf_release(&out);
}

/* Under the first name that is free: "talk-2". */
static void tell_session(const struct held *h, struct dashboard *d, const struct advice *a)
{
	struct group g;
	struct buf path = BUF_INIT, out = BUF_INIT;
	char name[NAME_LIMIT + 16];
	int n = 2, err;
	do
		(void)snprintf(name, sizeof name, "%s-%d", h->c->group.name, n);
	while ((err = store_group_by_name(h->c->fs->store, LOG_SESSION, name, &g)) == 0 && ++n < 100);
	(void)snprintf(d->action, sizeof d->action, "go on in a new session, this one cannot be made "
	               "smaller (saves %lld tokens)", (long long)a->saves);
	if (err == STORE_ENOENT && strlen(name) <= NAME_LIMIT) {
		buf_addf(&path, "sessions/%s", name);
		buf_adds(&out, "mkdir "); /* which alone makes none the current one */
		render_shell_word(&out, path.data ? path.data : "");
		buf_adds(&out, " && echo '{\"role\":\"user\",\"content\":\"TEXT\"}' >> ");
		buf_adds(&path, "/log.jsonl");
		render_shell_word(&out, path.data ? path.data : "");
		if (!path.failed)
			take_command(d, &out);
	}
	buf_release(&out);
	buf_release(&path);
}

void advice_tell(const struct held *h, struct dashboard *d, const struct advice *a, bool first)
{
	switch (a->kind) {
	case ADVICE_SUMMARIZE: tell_summary(h, d, a); break;
	case ADVICE_PRUNE: case ADVICE_UNPIN: tell_prune(h, d, a); break;
	case ADVICE_RESET: tell_reset(h, d, a); break;
	case ADVICE_FILE: tell_file(h, d, a); break;
	case ADVICE_SESSION: tell_session(h, d, a); break;
	case ADVICE_FAILURES: tell_failures(h, d, a, first); break;
	case ADVICE_FACTS: tell_facts(d, a, first); break;
	case ADVICE_NONE: break;
	}
}

int context_undecided(struct fs *fs, struct dashboard *d, const char *where, struct buf *out)
{
	int err = facts_undecided(fs, out);
	if (err || out->len == 0)
		return err;
	dashboard_alert(d, "two facts may contradict each other%s", where);
	if (!*d->action) {
		(void)snprintf(d->action, sizeof d->action, "%s", "decide which of the two facts holds, by "
		               "one of the commands that this shows");
		(void)snprintf(d->command, sizeof d->command, "%s",
		               "sed -n '/^## To decide/,$p' dashboard.md");
	}
	return 0;
}

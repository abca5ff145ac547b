/* SPDX-License-Identifier: MIT */
/* A message of a session, and what became of it in its window. */
#include <stdio.h>
#include <string.h>

#include "render/format/format.h"
#include "render/html/html.h"

/* The class of a role; of one that we do not know none, whatever it is called. */
static const char *class_of(const struct turn *t)
{
	static const char *const roles[] = { "user", "assistant", "system", "tool" };
	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
		if (strcmp(t->role, roles[i]) == 0)
			return roles[i];
	return "other";
}

static void mark(struct html *h, const char *text)
{
	buf_adds(h->out, "<span class=\"mark\">");
	html_string(h->out, text);
	buf_adds(h->out, "</span>\n");
}

static void word(struct html *h, const char *text)
{
	if (!*text)
		return;
	buf_adds(h->out, "<bdi>");
	html_string(h->out, text);
	buf_adds(h->out, "</bdi>\n");
}

/* Whom its writer says he speaks for. */
static void claim(struct html *h, const char *by)
{
	struct buf name = BUF_INIT;
	quote_double(&name, by, strlen(by));
	buf_addc(&name, '\0');
	if (!name.failed)
		word(h, name.data);
	h->out->failed = h->out->failed || name.failed;
	buf_release(&name);
}

/* A tool or role: in quotes, too, if it is no plain word. */
static void said(struct html *h, const char *name)
{
	(quote_is_word(name, strlen(name)) ? word : claim)(h, name);
}

static void head(struct html *h, const struct turn *t, const char *anchor)
{
	char text[96];
	struct buf time = BUF_INIT;
	buf_add_time(&time, t->time_us);
	buf_addf(h->out, "<header><a href=\"#%s%lld\">%lld</a>\n", anchor, (long long)t->n,
	         (long long)t->n);
	said(h, *t->role ? t->role : "message");
	claim(h, t->by);
	word(h, t->author);
	said(h, t->tool);
	if (time.len >= 19)
		buf_addf(h->out, "<time datetime=\"%.19sZ\">%.10s %.8s</time>\n", time.data, time.data,
		         time.data + 11);
	buf_addf(h->out, "<span>%lld tokens</span>\n", (long long)t->tokens);
	if (t->pinned)
		mark(h, "pinned");
	if (t->error)
		mark(h, "failed");
	if (t->pruned)
		mark(h, "pruned: not shown to the model");
	else if (t->summary)
		(void)snprintf(text, sizeof text, "%ssummarized from message %lld on",
		               t->active ? "shown again, " : "", (long long)t->summary);
	if (!t->pruned && t->summary)
		mark(h, text);
	buf_adds(h->out, "</header>\n");
	buf_release(&time);
}

void html_message(struct html *h, const struct html_message *m)
{
	const struct turn *t = m->turn;
	const char *class = class_of(t);
	const size_t len = utf8_fit(t->content, t->len, m->most);
	bool tool = strcmp(class, "tool") == 0;
	buf_addf(h->out, "<article id=\"%s%lld\" class=\"%s%s\">\n", m->anchor, (long long)t->n,
	         class, t->active ? "" : " out");
	head(h, t, m->anchor);
	if (tool) {
		char said[64];
		(void)snprintf(said, sizeof said, "What it said, %zu bytes", t->len);
		html_fold(h, said);
		html_pre(h, t->content, len);
		html_fold_end(h);
	} else {
		html_markdown(h, t->content, len);
	}
	if (len < t->len) {
		buf_addf(h->out, "<p class=\"soft\">%zu bytes more: <code>", t->len - len);
		html_string(h->out, m->whole);
		buf_adds(h->out, "</code></p>\n");
	}
}

void html_message_end(struct html *h)
{
	buf_adds(h->out, "</article>\n");
}

/* SPDX-License-Identifier: MIT */
/* The parts a page is made of: lists, pairs, tables, links. */
#include <stdio.h>
#include <string.h>

#include "render/format/format.h"
#include "render/html/html.h"

/* Anybody's text, whose direction is its own. */
static void own_text(struct html *h, const char *text)
{
	buf_adds(h->out, "<bdi>");
	html_string(h->out, text);
	buf_adds(h->out, "</bdi>");
}

void html_say(struct html *h, const char *text)
{
	buf_adds(h->out, "<p>");
	own_text(h, text);
	buf_adds(h->out, "</p>\n");
}

void html_alert(struct html *h, const char *text)
{
	buf_adds(h->out, "<p class=\"mark\">");
	own_text(h, text);
	buf_adds(h->out, "</p>\n");
}

void html_pre(struct html *h, const char *text, size_t len)
{
	/* The line end behind the tag is no part of it, so that one that begins the text is. */
	buf_adds(h->out, "<pre dir=\"auto\">\n");
	html_text(h->out, text, len);
	buf_adds(h->out, "</pre>\n");
}

void html_link(struct html *h, const char *path, const char *text)
{
	buf_addf(h->out, "<a href=\"%s", h->up);
	html_path(h->out, path);
	buf_adds(h->out, "\">");
	own_text(h, *text ? text : "(no name)");
	buf_adds(h->out, "</a>");
}

void html_link_at(struct html *h, const char *path, const char *id, int64_t n, const char *text)
{
	buf_adds(h->out, "<a href=\"");
	if (*path)
		buf_adds(h->out, h->up);
	html_path(h->out, path);
	buf_addf(h->out, "#%s%lld\">", id, (long long)n);
	own_text(h, text);
	buf_adds(h->out, "</a>");
}

void html_list(struct html *h)
{
	buf_adds(h->out, "<ul>\n");
}

void html_item(struct html *h, const char *path, const char *text, const char *note)
{
	buf_adds(h->out, "<li>");
	if (path)
		html_link(h, path, text);
	else
		own_text(h, text);
	if (note && *note) {
		buf_adds(h->out, " <small>");
		own_text(h, note);
		buf_adds(h->out, "</small>");
	}
	buf_adds(h->out, "</li>\n");
}

void html_item_at(struct html *h, const char *path, const char *id, int64_t n, const char *text)
{
	buf_adds(h->out, "<li>");
	html_link_at(h, path, id, n, text);
	buf_adds(h->out, "</li>\n");
}

void html_list_end(struct html *h)
{
	buf_adds(h->out, "</ul>\n");
}

void html_words(struct html *h)
{
	buf_adds(h->out, "<ul class=\"words\">\n");
}

void html_word(struct html *h, const char *word, int64_t count)
{
	buf_adds(h->out, "<li id=\"q-");
	html_string(h->out, word);
	buf_addf(h->out, "\"><a href=\"%ssearch/", h->up);
	html_path(h->out, word);
	buf_adds(h->out, ".html\">");
	own_text(h, word);
	buf_addf(h->out, "</a> <small>%lld</small></li>\n", (long long)count);
}

void html_pager(struct html *h, const char *label)
{
	buf_adds(h->out, "<nav aria-label=\"");
	html_string(h->out, label);
	buf_adds(h->out, "\"><ul>\n");
}

void html_pager_end(struct html *h)
{
	buf_adds(h->out, "</ul></nav>\n");
}

/* ---- pairs ------------------------------------------------------------------ */

void html_pairs(struct html *h)
{
	buf_adds(h->out, "<dl>\n");
}

void html_pair(struct html *h, const char *name, const char *value)
{
	buf_adds(h->out, "<dt>");
	html_string(h->out, name);
	buf_adds(h->out, "</dt><dd>");
	own_text(h, value);
	buf_adds(h->out, "</dd>\n");
}

void html_pair_number(struct html *h, const char *name, int64_t value)
{
	char text[32];
	(void)snprintf(text, sizeof text, "%lld", (long long)value);
	html_pair(h, name, text);
}

/* "2026-11-20 10:00", or the day alone, as an element `time`. */
static void add_time(struct html *h, int64_t time_us, bool day)
{
	struct buf whole = BUF_INIT;
	buf_add_time(&whole, time_us);
	if (whole.len >= 19 && day)
		buf_addf(h->out, "<time datetime=\"%.19sZ\">%.10s</time>", whole.data, whole.data);
	else if (whole.len >= 19)
		buf_addf(h->out, "<time datetime=\"%.19sZ\">%.10s %.5s</time>", whole.data, whole.data,
		         whole.data + 11);
	h->out->failed |= whole.failed;
	buf_release(&whole);
}

void html_pair_time(struct html *h, const char *name, int64_t time_us)
{
	buf_adds(h->out, "<dt>");
	html_string(h->out, name);
	buf_adds(h->out, "</dt><dd>");
	if (time_us)
		add_time(h, time_us, false);
	else
		buf_adds(h->out, "never");
	buf_adds(h->out, "</dd>\n");
}

void html_pair_link(struct html *h, const char *name, const char *path, const char *text)
{
	buf_adds(h->out, "<dt>");
	html_string(h->out, name);
	buf_adds(h->out, "</dt><dd>");
	html_link(h, path, text);
	buf_adds(h->out, "</dd>\n");
}

void html_pairs_end(struct html *h)
{
	buf_adds(h->out, "</dl>\n");
}

/* ---- tables ------------------------------------------------------------------- */

void html_table(struct html *h, const char *caption, const char *const *heads)
{
	buf_adds(h->out, "<table>\n<caption>");
	html_string(h->out, caption);
	buf_adds(h->out, "</caption>\n<thead><tr>");
	for (; *heads; heads++) {
		bool number = **heads == '#';
		buf_adds(h->out, number ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
		html_string(h->out, *heads + number);
		buf_adds(h->out, "</th>");
	}
	buf_adds(h->out, "</tr></thead>\n<tbody>");
}

static void end_row(struct html *h)
{
	if (h->in_row)
		buf_adds(h->out, "</tr>");
	h->in_row = false;
}

void html_row(struct html *h, const char *id, int64_t n)
{
	end_row(h);
	h->in_row = true;
	if (id)
		buf_addf(h->out, "\n<tr id=\"%s%lld\">", id, (long long)n);
	else
		buf_adds(h->out, "\n<tr>");
}

void html_cell(struct html *h, const char *text)
{
	buf_adds(h->out, "<td>");
	own_text(h, text);
	buf_adds(h->out, "</td>");
}

void html_cell_word(struct html *h, const char *word)
{
	buf_adds(h->out, "<td class=\"w\">");
	html_string(h->out, word);
	buf_adds(h->out, "</td>");
}

void html_cell_link(struct html *h, const char *path, const char *text)
{
	buf_adds(h->out, "<td>");
	html_link(h, path, text);
	buf_adds(h->out, "</td>");
}

void html_cell_link_at(struct html *h, const char *path, const char *id, int64_t n,
                       const char *text)
{
	buf_adds(h->out, "<td class=\"s\">");
	html_link_at(h, path, id, n, text);
	buf_adds(h->out, "</td>");
}

void html_cell_number(struct html *h, int64_t value)
{
	buf_addf(h->out, "<td class=\"n\">%lld</td>", (long long)value);
}

static void time_cell(struct html *h, int64_t time_us, bool day)
{
	buf_adds(h->out, "<td>");
	if (time_us)
		add_time(h, time_us, day);
	buf_adds(h->out, "</td>");
}

void html_cell_time(struct html *h, int64_t time_us)
{
	time_cell(h, time_us, false);
}

void html_cell_day(struct html *h, int64_t time_us)
{
	time_cell(h, time_us, true);
}

void html_table_end(struct html *h)
{
	end_row(h);
	buf_adds(h->out, "\n</tbody>\n</table>\n");
}

/* ---- what is seen ----------------------------------------------------------------- */

void html_meter(struct html *h, const char *label, double value, double high, double most)
{
	value = value < 0 ? 0 : value;
	buf_adds(h->out, "<p><meter min=\"0\" aria-label=\"");
	html_string(h->out, label);
	buf_addf(h->out, "\" value=\"%.2f\" high=\"%.2f\" max=\"%.2f\"></meter> %.1f %%</p>\n",
	         value > most ? most : value, high, most, value);
}

void html_fold(struct html *h, const char *summary)
{
	buf_adds(h->out, "<details><summary>");
	own_text(h, summary);
	buf_adds(h->out, "</summary>\n");
}

void html_fold_end(struct html *h)
{
	buf_adds(h->out, "</details>\n");
}

void html_plot(struct html *h, const struct plot *p, const char *id)
{
	buf_adds(h->out, "<figure>\n<figcaption>");
	html_string(h->out, p->about);
	buf_adds(h->out, "</figcaption>\n");
	plot_svg(h->out, p, id, false);
	html_fold(h, "The numbers");
	plot_table(h->out, p);
	html_fold_end(h);
	buf_adds(h->out, "</figure>\n");
}

/* SPDX-License-Identifier: MIT */
/*
 * The door of render/html: how a page of `.cinta/html/` looks.  Part of the renderer's door
 * (render.h): pure.
 *
 * A page is one file that needs nothing else: no network, no font, no picture but what is drawn in
 * it, and no script but the search box's few lines, which its policy names by hash.  Whatever is
 * shown comes through html_text() (render/format/escape.h), markdown through html_markdown(): so of
 * anybody's text nothing is an element, an attribute or an address that we did not mean.
 *
 * Strings are the caller's and may hold anybody's text; a `path` is an address below the site's
 * root, as html_path() takes it.
 */
#ifndef CINTA_RENDER_HTML_H
#define CINTA_RENDER_HTML_H

#include "render/format/plain.h"
#include "render/plot/plot.h"
#include "store/entry.h"

/* A page while it is written. */
struct html {
	struct buf *out;
	const char *up; /* from the page to the site's root: "", "../", … */
	bool in_row;    /* html_parts.c's own */
};

/* html_frame.c: all around it.  `here` is the page's place in the menu, "": none. */
void html_begin(struct html *h, const char *title, const char *here);
void html_end(struct html *h);
/* A heading of the page; `id`, [a-z]+, may be linked to. */
void html_section(struct html *h, const char *id, const char *title);
void html_subsection(struct html *h, const char *title);

/* html_parts.c */
void html_say(struct html *h, const char *text);
/* What stands out, as an alert. */
void html_alert(struct html *h, const char *text);
/* Text that is shown as it is: a command to paste, a signed note. */
void html_pre(struct html *h, const char *text, size_t len);
void html_link(struct html *h, const char *path, const char *text);
/* The same to a place of a page ("": this one): the element with the id "m17". */
void html_link_at(struct html *h, const char *path, const char *id, int64_t n, const char *text);
/* A list of links; `note` stands behind one, NULL or "": nothing.  `path` NULL: the text alone. */
void html_list(struct html *h);
void html_item(struct html *h, const char *path, const char *text, const char *note);
/* One that leads to a place of a page, as html_link_at(). */
void html_item_at(struct html *h, const char *path, const char *id, int64_t n, const char *text);
void html_list_end(struct html *h);
/* A list of words, each with the page that answers a search for it, and a place "q-WORD". */
void html_words(struct html *h);
void html_word(struct html *h, const char *word, int64_t count);
/* Names and values. */
void html_pairs(struct html *h);
void html_pair(struct html *h, const char *name, const char *value);
void html_pair_number(struct html *h, const char *name, int64_t value);
void html_pair_time(struct html *h, const char *name, int64_t time_us);
void html_pair_link(struct html *h, const char *name, const char *path, const char *text);
void html_pairs_end(struct html *h);
/* A table: heads end with NULL, and one that begins with '#' is of numbers. */
void html_table(struct html *h, const char *caption, const char *const *heads);
/* The next row, with an id to link to ("f", 17; NULL: none); then as many cells as heads. */
void html_row(struct html *h, const char *id, int64_t n);
void html_cell(struct html *h, const char *text);
/* A word of ours, which is not broken. */
void html_cell_word(struct html *h, const char *word);
void html_cell_link(struct html *h, const char *path, const char *text);
/* The text is short and not broken within a word. */
void html_cell_link_at(struct html *h, const char *path, const char *id, int64_t n,
                       const char *text);
void html_cell_number(struct html *h, int64_t value);
void html_cell_time(struct html *h, int64_t time_us); /* 0: empty, as the next */
void html_cell_day(struct html *h, int64_t time_us);
void html_table_end(struct html *h);
/* Where one is among pages: each link as html_item(); the one without a path is this page. */
void html_pager(struct html *h, const char *label);
void html_pager_end(struct html *h);
/* How much of `most` there is, and where it begins to be too much. */
void html_meter(struct html *h, const char *label, double value, double high, double most);
/* A plot and, to be opened, its numbers; `id` as plot_svg(). */
void html_plot(struct html *h, const struct plot *p, const char *id);
/* What can be opened. */
void html_fold(struct html *h, const char *summary);
void html_fold_end(struct html *h);

/*
 * html_markdown.c: CommonMark as elements.  HTML within it is shown as text, headings are lines in
 * bold, pictures are their descriptions, and a link leads to http, https or mailto or is none.
 */
void html_markdown(struct html *h, const char *text, size_t len);

/* html_message.c: a message, folded if a tool said it; what belongs to it follows, to its end. */
struct html_message {
	const struct turn *turn;
	size_t most;        /* bytes of it that are shown */
	const char *anchor; /* its id is that and its number: [a-z0-9]+ */
	const char *whole;  /* the file that has all of it, below the mount point */
};
void html_message(struct html *h, const struct html_message *m);
void html_message_end(struct html *h);

/*
 * html_diff.c: two texts side by side, by lines, and by words within a line that changed; of very
 * many changes the first, and that there are more.
 */
void html_diff(struct html *h, const char *before, size_t before_len, const char *after,
               size_t after_len);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The door of plots: rows of numbers as a picture, as a table and as text.  Part of the renderer's
 * door (render.h): pure.
 *
 * A picture is SVG without script, font or address: it is drawn in the colours of the reader's
 * scheme, light or dark, and says its title, its sense and its numbers to who cannot see it.
 */
#ifndef CINTA_PLOT_H
#define CINTA_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "render/format/plain.h"

enum plot_shape {
	PLOT_LINE,  /* columns over time: a row is a moment, the earlier ones first */
	PLOT_BAR,   /* a bar a row, of the first column; the others stand in the table */
	PLOT_STACK, /* a bar a row, of all columns end to end */
	PLOT_TIME,  /* when each row began and ended */
	PLOT_DAYS   /* the first column by day: weeks side by side, from Monday to Sunday */
};

enum { PLOT_COLUMNS = 4 };

/* Strings are the caller's, and may be anybody's text. */
struct plot_row {
	const char *label;      /* not of LINE and DAYS, whose rows are called by their day */
	const char *link;       /* an address as html_path() takes it; NULL: none */
	int64_t from_us, to_us; /* LINE and DAYS: from_us alone; none of BAR and STACK */
	double value[PLOT_COLUMNS]; /* 0 or more */
	const char *note;       /* what else is said of it in the table; NULL: nothing */
};

struct plot {
	enum plot_shape shape;
	const char *title;      /* a few words */
	const char *about;      /* a sentence: what can be read from it */
	const char *of;         /* what a row is: "session" */
	const char *notes;      /* what the notes are: "by"; NULL: there are none */
	const char *column[PLOT_COLUMNS]; /* what the values are: "messages" */
	int columns;            /* 1..PLOT_COLUMNS */
	const struct plot_row *row;
	size_t rows;
	bool fractions;         /* values need not be whole: an axis may count in parts of 1 */
	const char *unit;       /* behind each value: "%"; "": none */
	double mark;            /* BAR: a line across at that value … */
	const char *mark_name;  /* … and what it means; NULL: there is none */
};

/*
 * An element `svg`.  `id` is its own within the page: [a-z]+.  `alone`: as a file, with its style
 * and its numbers in `desc`; else the page has plot_style, and plot_table() behind it.
 */
void plot_svg(struct buf *out, const struct plot *p, const char *id, bool alone);
/* The style of plots, for the element `style` of a page: constant. */
extern const char plot_style[];
/* The numbers: an element `table`. */
void plot_table(struct buf *out, const struct plot *p);
/* As lines of text of at most `width` characters, 40 at least. */
void plot_text(struct buf *out, const struct plot *p, int width);

#endif

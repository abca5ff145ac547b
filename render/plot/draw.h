/* SPDX-License-Identifier: MIT */
/* What the shapes share: measures of the picture, names of rows, frame and axes.  Private. */
#ifndef CINTA_PLOT_DRAW_H
#define CINTA_PLOT_DRAW_H

#include "render/format/format.h"
#include "render/plot/axis.h"
#include "render/plot/plot.h"

/* In pixels of the picture, which is scaled as a whole. */
enum {
	PLOT_WIDTH = 640, PLOT_RIGHT = 616, PLOT_TITLE = 26, /* height of the title of a file */
	ROW_HEIGHT = 22, BAR_HEIGHT = 14, LABEL_WIDTH = 192, LINE_HEIGHT = 200, AXIS_HEIGHT = 22
};
enum { LABEL_CHARS = 26, LABEL_SIZE = 4 * LABEL_CHARS + 8 };

/* What a row is called, as one line of at most `most` (up to LABEL_CHARS) characters. */
void row_label(char dst[LABEL_SIZE], const struct plot *p, const struct plot_row *r, int most);
/* How much a bar stands for: a stack's sum, and a second number beside it if there is one. */
enum { ROW_VALUE_SIZE = 2 * NUMBER_SIZE + 48 };
bool row_has_two(const struct plot *p);
void row_value(char dst[ROW_VALUE_SIZE], const struct plot *p, const struct plot_row *r);
/* Characters of a label. */
int label_chars(const char *label);
/* The first column's largest value, or the largest sum of a stack, or that of all lines. */
double plot_most(const struct plot *p);
/* First and last moment: *to is greater than *from. */
void plot_span(const struct plot *p, int64_t *from, int64_t *to);
/* A row's value as text with its unit. */
void plot_value(char dst[NUMBER_SIZE + 8], const struct plot *p, double value);
/* Where `value` of an axis with `top` stands between two places. */
double plot_place(double value, double top, double from, double to);

/* svg_frame.c */
void svg_open(struct buf *out, const struct plot *p, const char *id, bool alone, int height);
void svg_close(struct buf *out, bool alone);
/* A label that ends at x (`end`), or begins or is centred there; anybody's text. */
enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };
void svg_text(struct buf *out, double x, double y, enum anchor anchor, const char *text);
void svg_line(struct buf *out, const char *class, double x1, double y1, double x2, double y2);
/* Lines and numbers of an axis along the bottom, over rows of that height; the same of time. */
void svg_axis(struct buf *out, const struct plot *p, const struct axis *a, double from, int height);
void svg_time_axis(struct buf *out, int64_t from_us, int64_t to_us, double from, int height);
/* Names of the columns beside their colours. */
void svg_legend(struct buf *out, const struct plot *p, int y);
/* A row's label, linked in a page. */
void svg_label(struct buf *out, const struct plot *p, const struct plot_row *r, int y, bool alone);

/* The shapes; they know the height they took. */
int svg_rows_height(const struct plot *p);
void svg_rows(struct buf *out, const struct plot *p, bool alone);
void svg_times(struct buf *out, const struct plot *p, bool alone);
int svg_lines_height(const struct plot *p);
void svg_lines(struct buf *out, const struct plot *p);
int svg_days_height(void);
void svg_days(struct buf *out, const struct plot *p, bool alone);

/* days.c: the weeks of a heat map, of the rows' last 53. */
enum { WEEKS_MOST = 53, LEVELS = 5 };
struct weeks {
	int64_t first; /* a Monday */
	int count;     /* 0: there are no rows */
	double most;
	const struct plot_row *row[WEEKS_MOST][7]; /* NULL: nothing on that day */
};
void weeks_of(struct weeks *w, const struct plot *p);
/* The month to be written above a week: it begins there, and its name has room.  NULL: none. */
const char *weeks_month(const struct weeks *w, int week, int last);
/* 0: nothing, 4: a quarter of the largest value or more below it. */
int weeks_level(const struct weeks *w, const struct plot_row *r);

#endif

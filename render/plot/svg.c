/* SPDX-License-Identifier: MIT */
/* The pictures: bars, stacks, times, lines, days. */
#include <stdio.h>

#include "render/plot/draw.h"

int svg_rows_height(const struct plot *p)
{
	return (int)p->rows * ROW_HEIGHT + AXIS_HEIGHT +
		(p->shape == PLOT_STACK || p->mark_name ? ROW_HEIGHT : 0);
}

/* The segments of a row's bar; returns where it ends. */
static double bar(struct buf *out, const struct plot *p, const struct plot_row *r, double top,
                  int y)
{
	double sum = 0, x = LABEL_WIDTH;
	for (int c = 0; c < (p->shape == PLOT_STACK ? p->columns : 1); c++) {
		double from = x;
		sum += r->value[c];
		x = plot_place(sum, top, LABEL_WIDTH, PLOT_RIGHT);
		if (x > from)
			buf_addf(out, "<rect class=\"c%d\" x=\"%.1f\" y=\"%d\" width=\"%.1f\""
			         " height=\"%d\"/>\n", c, from, y, x - from, BAR_HEIGHT);
	}
	return x;
}

static void value_of_row(struct buf *out, const struct plot *p, const struct plot_row *r, double x,
                         int y)
{
	char text[ROW_VALUE_SIZE];
	row_value(text, p, r);
	bool inside = x + 7 * label_chars(text) > PLOT_WIDTH - 4; /* it ends where the picture does */
	svg_text(out, inside ? PLOT_WIDTH - 4 : x + 4, y, inside ? ANCHOR_END : ANCHOR_START, text);
}

void svg_rows(struct buf *out, const struct plot *p, bool alone)
{
	const double room = row_has_two(p) ? 1.4 : 1; /* for both numbers behind the longest bar */
	struct axis a = axis_of(room * plot_most(p), 6, p->fractions);
	int height = (int)p->rows * ROW_HEIGHT;
	svg_axis(out, p, &a, LABEL_WIDTH, height);
	for (size_t i = 0; i < p->rows; i++) {
		int y = (int)i * ROW_HEIGHT;
		svg_label(out, p, &p->row[i], y + 15, alone);
		double end = bar(out, p, &p->row[i], a.top, y + 4);
		value_of_row(out, p, &p->row[i], end, y + 15);
	}
	if (p->mark_name) {
		double x = plot_place(p->mark, a.top, LABEL_WIDTH, PLOT_RIGHT);
		int y = height + AXIS_HEIGHT + 12;
		svg_line(out, "mark", x, 0, x, height);
		svg_line(out, "mark", 16, y, 38, y);
		svg_text(out, 44, y + 4, ANCHOR_START, p->mark_name);
	}
	if (p->shape == PLOT_STACK)
		svg_legend(out, p, height + AXIS_HEIGHT + 16);
}

/* How much, and its note, beside a row's bar: behind it, or before it where there is no room. */
static void beside(struct buf *out, const struct plot *p, const struct plot_row *r, double x1,
                   double x2, int y)
{
	char value[NUMBER_SIZE + 8], note[LABEL_SIZE], text[2 * LABEL_SIZE];
	const struct plot_row as_label = { .label = r->note };
	plot_value(value, p, r->value[0]);
	row_label(note, p, &as_label, LABEL_CHARS);
	(void)snprintf(text, sizeof text, "%s %.20s%s%s", value, p->column[0], *note ? ", " : "", note);
	bool behind = x2 + 4 + 7 * label_chars(text) <= PLOT_WIDTH;
	svg_text(out, behind ? x2 + 4 : x1 - 4, y, behind ? ANCHOR_START : ANCHOR_END, text);
}

void svg_times(struct buf *out, const struct plot *p, bool alone)
{
	int64_t from, to;
	plot_span(p, &from, &to);
	svg_time_axis(out, from, to, LABEL_WIDTH, (int)p->rows * ROW_HEIGHT);
	for (size_t i = 0; i < p->rows; i++) {
		const struct plot_row *r = &p->row[i];
		int y = (int)i * ROW_HEIGHT;
		double span = (double)(to - from);
		double x1 = plot_place((double)(r->from_us - from), span, LABEL_WIDTH, PLOT_RIGHT);
		double x2 = plot_place((double)(r->to_us - from), span, LABEL_WIDTH, PLOT_RIGHT);
		if (x2 < x1 + 3) /* it is seen, however short it was */
			x2 = x1 + 3;
		svg_label(out, p, r, y + 15, alone);
		buf_addf(out, "<rect class=\"c0\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n",
		         x1, y + 4, x2 - x1, BAR_HEIGHT);
		beside(out, p, r, x1, x2, y + 15);
	}
}

enum { LINES_LEFT = 64, LINES_TOP = 8 };

int svg_lines_height(const struct plot *p)
{
	return LINE_HEIGHT + AXIS_HEIGHT + (p->columns > 1 ? ROW_HEIGHT : 0);
}

static void line(struct buf *out, const struct plot *p, int c, double top, int64_t from, int64_t to)
{
	buf_addf(out, "<polyline class=\"l%d\" points=\"", c);
	for (size_t i = 0; i < p->rows; i++) {
		double x = plot_place((double)(p->row[i].from_us - from), (double)(to - from), LINES_LEFT,
		                      PLOT_RIGHT);
		double y = plot_place(p->row[i].value[c], top, LINE_HEIGHT, LINES_TOP);
		buf_addf(out, "%s%.1f,%.1f", i ? " " : "", x, y);
		if (p->rows == 1) /* one point is no line */
			buf_addf(out, " %.1f,%.1f", x + 3, y);
	}
	buf_adds(out, "\"/>\n");
}

void svg_lines(struct buf *out, const struct plot *p)
{
	struct axis a = axis_of(plot_most(p), 5, p->fractions);
	int64_t from, to;
	plot_span(p, &from, &to);
	svg_time_axis(out, from, to, LINES_LEFT, LINE_HEIGHT);
	for (int i = 0; i <= a.steps; i++) {
		char number[NUMBER_SIZE];
		double y = plot_place(i, a.steps, LINE_HEIGHT, LINES_TOP);
		axis_number(number, i * a.step, a.step);
		svg_line(out, "grid", LINES_LEFT, y, PLOT_RIGHT, y);
		svg_text(out, LINES_LEFT - 6, y + 4, ANCHOR_END, number);
	}
	for (int c = 0; c < p->columns; c++)
		line(out, p, c, a.top, from, to);
	if (p->columns > 1)
		svg_legend(out, p, LINE_HEIGHT + AXIS_HEIGHT + 16);
}

enum { CELL = 11, DAYS_LEFT = 36, DAYS_TOP = 18 };

int svg_days_height(void)
{
	return DAYS_TOP + 7 * CELL + ROW_HEIGHT;
}

static void cell(struct buf *out, const struct plot *p, const struct weeks *w, int week, int day,
                 bool alone)
{
	const struct plot_row *r = w->row[week][day];
	char value[NUMBER_SIZE + 8], name[DAY_SIZE];
	bool linked = r && r->link && !alone;
	if (linked) {
		buf_adds(out, "<a href=\"");
		html_path(out, r->link);
		buf_adds(out, "\">");
	}
	buf_addf(out, "<rect class=\"d%d\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"",
	         weeks_level(w, r), DAYS_LEFT + week * CELL, DAYS_TOP + day * CELL, CELL - 2, CELL - 2);
	if (r) {
		plot_value(value, p, r->value[0]);
		day_name(name, day_of_us(r->from_us));
		buf_addf(out, "><title>%s: %s ", name, value);
		html_string(out, p->column[0]);
		if (p->columns > 1) {
			plot_value(value, p, r->value[1]);
			buf_addf(out, ", %s ", value);
			html_string(out, p->column[1]);
		}
		buf_adds(out, "</title></rect>");
	} else {
		buf_adds(out, "/>");
	}
	buf_adds(out, linked ? "</a>\n" : "\n");
}

void svg_days(struct buf *out, const struct plot *p, bool alone)
{
	struct weeks w;
	char text[NUMBER_SIZE + 64], most[NUMBER_SIZE + 8];
	weeks_of(&w, p);
	static const char *const days[7] = { "Mon", NULL, "Wed", NULL, "Fri", NULL, NULL };
	for (int d = 0; d < 7; d++)
		if (days[d])
			svg_text(out, DAYS_LEFT - 6, DAYS_TOP + d * CELL + 9, ANCHOR_END, days[d]);
	for (int i = 0; i < w.count; i++) {
		const char *month = weeks_month(&w, i, WEEKS_MOST);
		if (month)
			svg_text(out, DAYS_LEFT + i * CELL, 12, ANCHOR_START, month);
		for (int d = 0; d < 7; d++)
			cell(out, p, &w, i, d, alone);
	}
	plot_value(most, p, w.most);
	(void)snprintf(text, sizeof text, "at most %s %.40s a day", most, p->column[0]);
	svg_text(out, DAYS_LEFT, DAYS_TOP + 7 * CELL + 16, ANCHOR_START, text);
}

void plot_svg(struct buf *out, const struct plot *p, const char *id, bool alone)
{
	int height = p->shape == PLOT_LINE ? svg_lines_height(p) :
		p->shape == PLOT_DAYS ? svg_days_height() : svg_rows_height(p);
	svg_open(out, p, id, alone, height);
	if (p->shape == PLOT_LINE)
		svg_lines(out, p);
	else if (p->shape == PLOT_DAYS)
		svg_days(out, p, alone);
	else if (p->shape == PLOT_TIME)
		svg_times(out, p, alone);
	else
		svg_rows(out, p, alone);
	svg_close(out, alone);
}

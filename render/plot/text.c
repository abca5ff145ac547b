/* SPDX-License-Identifier: MIT */
/* Plots for terminals: bars of block characters. */
#include <stdio.h>
#include <string.h>

#include "render/plot/draw.h"

enum { WIDTH_LEAST = 40, LINE_ROWS = 24 };

static void times_of(struct buf *out, const char *what, int times)
{
	for (int i = 0; i < times; i++)
		buf_adds(out, what);
}

/* Text in a column of so many characters. */
static void pad(struct buf *out, const char *text, int width, bool right)
{
	int blanks = width - label_chars(text);
	times_of(out, " ", right ? blanks : 0);
	buf_adds(out, text);
	times_of(out, " ", right ? 0 : blanks);
}

/* A bar of `value` where `top` has `width` characters, in eighths. */
static void bar(struct buf *out, double value, double top, int width)
{
	static const char *const part[8] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	int eighths = (int)plot_place(value, top, 0, 8.0 * width + 0.5);
	if (eighths == 0 && value > 0)
		eighths = 1; /* it is seen that there is something */
	times_of(out, "█", eighths / 8);
	buf_adds(out, part[eighths % 8]);
}

static void stack(struct buf *out, const struct plot *p, const struct plot_row *r, double top,
                  int width)
{
	static const char *const fill[PLOT_COLUMNS] = { "█", "▓", "▒", "░" };
	double sum = 0;
	for (int c = 0, at = 0; c < p->columns; c++) {
		sum += r->value[c];
		int to = (int)plot_place(sum, top, 0, width + 0.5);
		times_of(out, fill[c], to - at);
		at = to;
	}
}

static void legend(struct buf *out, const struct plot *p)
{
	static const char *const fill[PLOT_COLUMNS] = { "█", "▓", "▒", "░" };
	for (int c = 0; c < p->columns; c++) {
		buf_addf(out, "%s%s ", c ? "   " : "", fill[c]);
		quote_line(out, p->column[c], strlen(p->column[c]));
	}
	buf_addc(out, '\n');
}

static int widest_label(const struct plot *p)
{
	char label[LABEL_SIZE];
	int widest = 0;
	for (size_t i = 0; i < p->rows; i++) {
		row_label(label, p, &p->row[i], LABEL_CHARS);
		widest = label_chars(label) > widest ? label_chars(label) : widest;
	}
	return widest;
}

/* Bars and stacks; of lines each row that is shown, with the first column as its bar. */
static void rows(struct buf *out, const struct plot *p, int width)
{
	const double top = plot_most(p);
	const size_t every = p->shape == PLOT_LINE ? (p->rows + LINE_ROWS - 1) / LINE_ROWS : 1;
	int label_width = widest_label(p), value_width = 0, room;
	char label[LABEL_SIZE], value[ROW_VALUE_SIZE];
	for (size_t i = 0; i < p->rows; i++) {
		row_value(value, p, &p->row[i]);
		value_width = label_chars(value) > value_width ? label_chars(value) : value_width;
	}
	room = width - label_width - value_width - 3;
	/* The last row is always shown: it is how things stand. */
	for (size_t i = p->rows ? (p->rows - 1) % (every ? every : 1) : 0; i < p->rows; i += every) {
		const struct plot_row *r = &p->row[i];
		row_label(label, p, r, LABEL_CHARS);
		row_value(value, p, r);
		pad(out, label, label_width, p->shape != PLOT_LINE);
		buf_addc(out, ' ');
		pad(out, value, value_width, true);
		if (strcmp(value, "0") != 0 && (r->value[0] > 0 || p->shape == PLOT_STACK))
			buf_addc(out, ' ');
		if (p->shape == PLOT_STACK)
			stack(out, p, r, top, room < 8 ? 8 : room);
		else
			bar(out, r->value[0], top, room < 8 ? 8 : room);
		buf_addc(out, '\n');
	}
	if (p->shape == PLOT_STACK)
		legend(out, p);
	if (p->mark_name) {
		plot_value(value, p, p->mark);
		buf_addf(out, "%s: %s\n", p->mark_name, value);
	}
}

static void times(struct buf *out, const struct plot *p, int width)
{
	int64_t from, to;
	char label[LABEL_SIZE], first[DAY_SIZE], last[DAY_SIZE], value[NUMBER_SIZE + 8];
	int label_width = widest_label(p), room = width - label_width - 14;
	room = room < 8 ? 8 : room;
	plot_span(p, &from, &to);
	for (size_t i = 0; i < p->rows; i++) {
		const struct plot_row *r = &p->row[i];
		const double span = (double)(to - from);
		int a = (int)plot_place((double)(r->from_us - from), span, 0, room - 1);
		int b = (int)plot_place((double)(r->to_us - from), span, 0, room - 1);
		row_label(label, p, r, LABEL_CHARS);
		plot_value(value, p, r->value[0]);
		pad(out, label, label_width, true);
		buf_addc(out, ' ');
		times_of(out, "·", a);
		times_of(out, "█", b > a ? b - a + 1 : 1);
		times_of(out, "·", room - (b > a ? b : a) - 1);
		buf_addc(out, ' ');
		pad(out, value, 10, true);
		buf_addc(out, '\n');
	}
	day_name(first, day_of_us(from));
	day_name(last, day_of_us(to));
	times_of(out, " ", label_width + 1);
	pad(out, first, room - (int)strlen(last), false);
	buf_adds(out, last);
	buf_addc(out, ' ');
	pad(out, p->column[0], 10, true);
	buf_addc(out, '\n');
}

static void days(struct buf *out, const struct plot *p, int width)
{
	static const char *const names[7] = { "Mon", "   ", "Wed", "   ", "Fri", "   ", "   " };
	static const char *const fill[LEVELS] = { "·", "░", "▒", "▓", "█" };
	struct weeks w;
	char most[NUMBER_SIZE + 8];
	weeks_of(&w, p);
	int first = w.count > width - 4 ? w.count - (width - 4) : 0, at = first;
	buf_adds(out, "   ");
	for (int i = first; i < w.count; i++) {
		const char *month = weeks_month(&w, i, w.count);
		if (!month)
			continue;
		times_of(out, " ", i - at + 1);
		buf_adds(out, month);
		at = i + 4;
	}
	buf_addc(out, '\n');
	for (int d = 0; d < 7; d++) {
		buf_addf(out, "%s ", names[d]);
		for (int i = first; i < w.count; i++)
			buf_adds(out, fill[weeks_level(&w, w.row[i][d])]);
		buf_addc(out, '\n');
	}
	plot_value(most, p, w.most);
	buf_addf(out, "    at most %s %s a day\n", most, p->column[0]);
}

void plot_text(struct buf *out, const struct plot *p, int width)
{
	width = width < WIDTH_LEAST ? WIDTH_LEAST : width;
	quote_line(out, p->title, strlen(p->title));
	buf_addc(out, '\n');
	if (p->rows == 0)
		buf_adds(out, "nothing yet\n");
	else if (p->shape == PLOT_TIME)
		times(out, p, width);
	else if (p->shape == PLOT_DAYS)
		days(out, p, width);
	else
		rows(out, p, width);
}

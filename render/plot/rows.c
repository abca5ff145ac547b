/* SPDX-License-Identifier: MIT */
/* What is known of the rows of a plot, whatever it is drawn as. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/plot/draw.h"

int label_chars(const char *label)
{
	int n = 0;
	for (; *label; label++)
		n += (*label & 0xC0) != 0x80;
	return n;
}

void row_label(char dst[LABEL_SIZE], const struct plot *p, const struct plot_row *r, int most)
{
	char whole[1024];
	size_t at = 0, len;
	if (p->shape == PLOT_LINE || p->shape == PLOT_DAYS) {
		char day[DAY_SIZE];
		day_name(day, day_of_us(r->from_us));
		(void)snprintf(dst, LABEL_SIZE, "%s", day);
		return;
	}
	render_name(whole, sizeof whole, r->label ? r->label : "");
	len = strlen(whole);
	bool fits = label_chars(whole) <= most;
	for (int n = 0; at < len && n < (fits ? most : most - 1); n++) {
		size_t size = utf8_size(whole + at, len - at);
		at += size ? size : 1;
	}
	(void)snprintf(dst, LABEL_SIZE, "%.*s%s", (int)at, whole, fits ? "" : "…");
}

static double sum_of(const struct plot *p, const struct plot_row *r)
{
	double sum = 0;
	for (int i = 0; i < p->columns; i++)
		sum += r->value[i];
	return sum;
}

double plot_most(const struct plot *p)
{
	double most = 0;
	for (size_t i = 0; i < p->rows; i++) {
		const struct plot_row *r = &p->row[i];
		if (p->shape == PLOT_STACK)
			most = fmax(most, sum_of(p, r));
		else
			most = fmax(most, r->value[0]);
		for (int c = 1; p->shape == PLOT_LINE && c < p->columns; c++)
			most = fmax(most, r->value[c]);
	}
	return p->mark_name ? fmax(most, p->mark) : most;
}

void plot_span(const struct plot *p, int64_t *from, int64_t *to)
{
	*from = p->rows ? p->row[0].from_us : 0;
	*to = *from;
	for (size_t i = 0; i < p->rows; i++) {
		const struct plot_row *r = &p->row[i];
		int64_t end = p->shape == PLOT_TIME && r->to_us > r->from_us ? r->to_us : r->from_us;
		*from = r->from_us < *from ? r->from_us : *from;
		*to = end > *to ? end : *to;
	}
	if (*to == *from)
		*to = *from + INT64_C(3600000000);
}

void plot_value(char dst[NUMBER_SIZE + 8], const struct plot *p, double value)
{
	char number[NUMBER_SIZE];
	value_number(number, value);
	(void)snprintf(dst, NUMBER_SIZE + 8, "%s%.4s", number, p->unit ? p->unit : "");
}

double plot_place(double value, double top, double from, double to)
{
	double part = top > 0 && isfinite(value) ? value / top : 0;
	return from + (part < 0 ? 0 : part > 1 ? 1 : part) * (to - from);
}

void weeks_of(struct weeks *w, const struct plot *p)
{
	int64_t last = 0, first = INT64_MAX;
	memset(w, 0, sizeof *w);
	for (size_t i = 0; i < p->rows; i++) {
		int64_t day = day_of_us(p->row[i].from_us);
		last = i == 0 || day > last ? day : last;
		first = day < first ? day : first;
	}
	if (p->rows == 0)
		return;
	const int64_t end = last - ((last + 3) % 7 + 7) % 7; /* the last Monday */
	const int64_t begin = first - ((first + 3) % 7 + 7) % 7;
	w->count = (end - begin) / 7 >= WEEKS_MOST ? WEEKS_MOST : (int)((end - begin) / 7) + 1;
	w->first = end - 7 * (w->count - 1);
	for (size_t i = 0; i < p->rows; i++) {
		int64_t day = day_of_us(p->row[i].from_us) - w->first;
		if (day < 0 || p->row[i].value[0] <= 0)
			continue;
		w->row[day / 7][day % 7] = &p->row[i];
		w->most = fmax(w->most, p->row[i].value[0]);
	}
}

const char *weeks_month(const struct weeks *w, int week, int last)
{
	const int month = civil_of(w->first + 7 * week).month;
	const int before = week > 0 ? civil_of(w->first + 7 * (week - 1)).month : 0;
	const int after = civil_of(w->first + 7 * (week + 3)).month;
	return month != before && month == after && week + 3 <= last ? month_name(month) : NULL;
}

int weeks_level(const struct weeks *w, const struct plot_row *r)
{
	if (!r || w->most <= 0)
		return 0;
	int level = 1 + (int)(r->value[0] / w->most * (LEVELS - 1));
	return level >= LEVELS ? LEVELS - 1 : level;
}

bool row_has_two(const struct plot *p)
{
	return p->shape == PLOT_BAR && p->columns > 1;
}

void row_value(char dst[ROW_VALUE_SIZE], const struct plot *p, const struct plot_row *r)
{
	char value[NUMBER_SIZE + 8], other[NUMBER_SIZE + 8];
	double sum = r->value[0];
	for (int c = 1; p->shape == PLOT_STACK && c < p->columns; c++)
		sum += r->value[c];
	plot_value(value, p, sum);
	plot_value(other, p, r->value[1]);
	if (row_has_two(p))
		(void)snprintf(dst, ROW_VALUE_SIZE, "%s, %s %.20s", value, other, p->column[1]);
	else
		(void)snprintf(dst, ROW_VALUE_SIZE, "%s", value);
}

/* SPDX-License-Identifier: MIT */
/* What stands around each picture: element, title, style, axes, legend. */
#include <stdio.h>
#include <string.h>

#include "render/plot/draw.h"

const char plot_style[] =
#include "render/plot/style.inc"
	;

enum { TOLD_MOST = 32 /* rows whose numbers stand in the description of a file */ };

/* The numbers, for who has the file alone and cannot see it. */
static void tell_rows(struct buf *out, const struct plot *p)
{
	char label[LABEL_SIZE], value[NUMBER_SIZE + 8];
	size_t every = p->rows / TOLD_MOST + 1;
	/* The last row is always told: it is how things stand. */
	for (size_t i = p->rows ? (p->rows - 1) % every : 0; i < p->rows; i += every) {
		row_label(label, p, &p->row[i], LABEL_CHARS);
		buf_addc(out, '\n');
		html_string(out, label);
		for (int c = 0; c < p->columns; c++) {
			plot_value(value, p, p->row[i].value[c]);
			buf_addf(out, "%s%s ", c ? ", " : ": ", value);
			html_string(out, p->column[c]);
		}
	}
}

/* What can be reached within a picture is no part of an image. */
static bool has_links(const struct plot *p)
{
	for (size_t i = 0; i < p->rows; i++)
		if (p->row[i].link)
			return true;
	return false;
}

void svg_open(struct buf *out, const struct plot *p, const char *id, bool alone, int height)
{
	int whole = height + (alone ? PLOT_TITLE : 0);
	buf_addf(out, "<svg class=\"plot\" xmlns=\"http://www.w3.org/2000/svg\" role=\"%s\""
	         " aria-labelledby=\"%s-title %s-about\" viewBox=\"0 0 %d %d\" width=\"%d\""
	         " height=\"%d\">\n<title id=\"%s-title\">", has_links(p) && !alone ? "group" : "img",
	         id, id, PLOT_WIDTH, whole, PLOT_WIDTH, whole, id);
	html_string(out, p->title);
	buf_addf(out, "</title>\n<desc id=\"%s-about\">", id);
	html_string(out, p->about);
	if (alone)
		tell_rows(out, p);
	buf_adds(out, "</desc>\n");
	if (!alone)
		return;
	buf_addf(out, "<style>%s</style>\n<rect class=\"back\" width=\"%d\" height=\"%d\"/>\n"
	         "<text class=\"head\" x=\"8\" y=\"18\">", plot_style, PLOT_WIDTH, whole);
	html_string(out, p->title);
	buf_addf(out, "</text>\n<g transform=\"translate(0 %d)\">\n", PLOT_TITLE);
}

void svg_close(struct buf *out, bool alone)
{
	buf_adds(out, alone ? "</g>\n</svg>\n" : "</svg>\n");
}

void svg_text(struct buf *out, double x, double y, enum anchor anchor, const char *text)
{
	static const char *const words[] = { "", " text-anchor=\"middle\"", " text-anchor=\"end\"" };
	buf_addf(out, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, words[anchor]);
	html_string(out, text);
	buf_adds(out, "</text>\n");
}

void svg_line(struct buf *out, const char *class, double x1, double y1, double x2, double y2)
{
	buf_addf(out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class,
	         x1, y1, x2, y2);
}

void svg_axis(struct buf *out, const struct plot *p, const struct axis *a, double from, int height)
{
	for (int i = 0; i <= a->steps; i++) {
		char number[NUMBER_SIZE], text[NUMBER_SIZE + 8];
		double x = plot_place(i, a->steps, from, PLOT_RIGHT);
		axis_number(number, i * a->step, a->step);
		(void)snprintf(text, sizeof text, "%s%.4s", number, p->unit ? p->unit : "");
		svg_line(out, "grid", x, 0, x, height);
		svg_text(out, x, height + 15, ANCHOR_MIDDLE, text);
	}
}

void svg_time_axis(struct buf *out, int64_t from_us, int64_t to_us, double from, int height)
{
	struct time_axis times;
	time_axis_of(&times, from_us, to_us, 8);
	for (int i = 0; i < times.count; i++) {
		double x = plot_place((double)(times.at_us[i] - from_us), (double)(to_us - from_us), from,
		                      PLOT_RIGHT);
		svg_line(out, "grid", x, 0, x, height);
		svg_text(out, x, height + 15, ANCHOR_MIDDLE, times.label[i]);
	}
}

void svg_legend(struct buf *out, const struct plot *p, int y)
{
	for (int i = 0; i < p->columns; i++) {
		int x = 16 + i * (PLOT_RIGHT - 16) / PLOT_COLUMNS;
		if (p->shape == PLOT_LINE)
			buf_addf(out, "<path class=\"l%d\" d=\"M%d %dh22\"/>\n", i, x, y - 4);
		else
			buf_addf(out, "<rect class=\"c%d\" x=\"%d\" y=\"%d\" width=\"12\" height=\"12\"/>\n",
			         i, x, y - 10);
		svg_text(out, x + 28, y, ANCHOR_START, p->column[i]);
	}
}

void svg_label(struct buf *out, const struct plot *p, const struct plot_row *r, int y, bool alone)
{
	char label[LABEL_SIZE];
	bool linked = r->link && !alone;
	row_label(label, p, r, LABEL_CHARS);
	if (linked) {
		buf_adds(out, "<a href=\"");
		html_path(out, r->link);
		buf_adds(out, "\">");
	}
	svg_text(out, LABEL_WIDTH - 8, y, ANCHOR_END, label);
	if (linked)
		buf_adds(out, "</a>\n");
}

/* SPDX-License-Identifier: MIT */
/* The numbers behind a picture, for who cannot see it or wants them exactly. */
#include "render/plot/draw.h"

static void head(struct buf *out, const struct plot *p)
{
	buf_adds(out, "<thead><tr><th scope=\"col\">");
	html_string(out, p->of);
	buf_adds(out, "</th>");
	if (p->shape == PLOT_TIME)
		buf_adds(out, "<th scope=\"col\">from</th><th scope=\"col\">to</th>");
	for (int c = 0; c < p->columns; c++) {
		buf_adds(out, "<th scope=\"col\" class=\"n\">");
		html_string(out, p->column[c]);
		buf_adds(out, "</th>");
	}
	if (p->notes) {
		buf_adds(out, "<th scope=\"col\">");
		html_string(out, p->notes);
		buf_adds(out, "</th>");
	}
	buf_adds(out, "</tr></thead>\n");
}

/* A row's name, linked, and not cut as in the picture. */
static void name(struct buf *out, const struct plot *p, const struct plot_row *r)
{
	char label[LABEL_SIZE];
	row_label(label, p, r, LABEL_CHARS);
	bool whole = r->label && p->shape != PLOT_LINE && p->shape != PLOT_DAYS;
	if (r->link) {
		buf_adds(out, "<a href=\"");
		html_path(out, r->link);
		buf_adds(out, "\">");
	}
	buf_adds(out, "<bdi>");
	html_string(out, whole ? r->label : label);
	buf_adds(out, r->link ? "</bdi></a>" : "</bdi>");
}

static void time_cell(struct buf *out, int64_t time_us)
{
	char day[DAY_SIZE];
	int64_t minute = time_us / 60000000;
	day_name(day, day_of_us(time_us));
	buf_addf(out, "<td>%s %02d:%02d</td>", day, (int)(minute / 60 % 24), (int)(minute % 60));
}

void plot_table(struct buf *out, const struct plot *p)
{
	buf_adds(out, "<table>\n<caption>");
	html_string(out, p->title);
	buf_adds(out, "</caption>\n");
	head(out, p);
	buf_adds(out, "<tbody>\n");
	for (size_t i = 0; i < p->rows; i++) {
		const struct plot_row *r = &p->row[i];
		buf_adds(out, "<tr><th scope=\"row\">");
		name(out, p, r);
		buf_adds(out, "</th>");
		if (p->shape == PLOT_TIME) {
			time_cell(out, r->from_us);
			time_cell(out, r->to_us);
		}
		for (int c = 0; c < p->columns; c++) {
			char value[NUMBER_SIZE + 8];
			plot_value(value, p, r->value[c]);
			buf_addf(out, "<td class=\"n\">%s</td>", value);
		}
		if (p->notes) {
			buf_adds(out, "<td><bdi>");
			html_string(out, r->note ? r->note : "");
			buf_adds(out, "</bdi></td>");
		}
		buf_adds(out, "</tr>\n");
	}
	buf_adds(out, "</tbody>\n</table>\n");
}

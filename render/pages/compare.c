/* SPDX-License-Identifier: MIT */
/* What `cinta algorithms` prints (compare.h).  Texts of the memory lose control characters. */
#include <math.h>
#include <string.h>

#include "render/context/context.h"
#include "render/format/format.h"
#include "render/pages/pages.h"

enum { SHOWN = 100 }; /* most bytes of a question in a line */

/* A line of the table; a number that is none is a dash. */
static void add_row(struct buf *out, const char *name, const double value[2], const char *format)
{
	buf_addf(out, "%-20s", name);
	for (int i = 0; i < 2; i++) {
		char cell[32] = "-";
		if (!isnan(value[i]))
			(void)snprintf(cell, sizeof cell, format, value[i]);
		buf_addf(out, " %14s", cell);
	}
	buf_addc(out, '\n');
}

static void add_number(struct buf *out, const char *name, double value)
{
	if (isnan(value))
		buf_addf(out, "%s -", name);
	else
		buf_addf(out, "%s %.3f", name, value);
}

static void add_shown(struct buf *out, const char *text)
{
	char line[SHOWN + 1];
	render_name(line, sizeof line, text);
	buf_adds(out, line);
	buf_adds(out, strlen(line) < strlen(text) ? "..." : "");
}

static void add_version(struct buf *out, const struct compare_side *s)
{
	buf_adds(out, s->version);
	if (s->status[0])
		buf_addf(out, " (%s)", s->status);
}

static void add_table(struct buf *out, const struct comparison *c)
{
	const struct compare_side *a = &c->side[0], *b = &c->side[1];
	char name[32];
	buf_addf(out, "\n%20s %14.14s %14.14s\n", "", a->version, b->version);
	if (c->judged > 0) {
		(void)snprintf(name, sizeof name, "recall@%zu", c->k);
		add_row(out, name, (double[]){ a->recall, b->recall }, "%.3f");
		(void)snprintf(name, sizeof name, "MRR@%zu", c->k);
		add_row(out, name, (double[]){ a->reciprocal, b->reciprocal }, "%.3f");
		(void)snprintf(name, sizeof name, "nDCG@%zu", c->k);
		add_row(out, name, (double[]){ a->ndcg, b->ndcg }, "%.3f");
		add_row(out, "better on", (double[]){ a->better, b->better }, "%.0f");
	}
	add_row(out, "us a question", (double[]){ a->cost_us, b->cost_us }, "%.0f");
}

static void add_likeness(struct buf *out, const struct comparison *c)
{
	char name[32];
	(void)snprintf(name, sizeof name, "overlap@%zu", c->k);
	buf_addc(out, '\n');
	add_number(out, name, c->overlap);
	add_number(out, ", rank correlation", c->tau);
	buf_addf(out, " (Kendall's tau-b)\nsame order on %zu of %zu, another first result on %zu\n",
	         c->same, c->answered, c->other_best);
	add_number(out, "nothing asked: overlap", c->unasked.overlap);
	add_number(out, ", rank correlation", c->unasked.tau);
	buf_addc(out, '\n');
}

static void add_case(struct buf *out, const struct comparison *c, const struct compare_case *one)
{
	buf_adds(out, "\n  ");
	add_shown(out, one->words[0] ? one->words : "(nothing asked)");
	add_number(out, "\n    overlap", one->overlap);
	add_number(out, ", rank correlation", one->tau);
	if (!isnan(one->ndcg[0])) {
		add_number(out, ", nDCG", one->ndcg[0]);
		add_number(out, " and", one->ndcg[1]);
	}
	bool same = strcmp(one->best[0], one->best[1]) == 0;
	for (int i = 0; i < (same ? 1 : 2); i++) {
		buf_addf(out, "\n    first%s%s: ", same ? "" : " of ", same ? "" : c->side[i].version);
		add_shown(out, one->best[i][0] ? one->best[i] : "nothing");
	}
	buf_addc(out, '\n');
}

void render_comparison(struct buf *out, const struct comparison *c)
{
	buf_addf(out, "algorithms/%s: ", c->code);
	add_version(out, &c->side[0]);
	buf_adds(out, " and ");
	add_version(out, &c->side[1]);
	buf_addf(out, "\n%zu question%s (%s), %zu with results, %zu with expected ones\n",
	         c->questions, c->questions == 1 ? "" : "s", c->source, c->answered, c->judged);
	if (c->alike)
		buf_adds(out, "both have the same numbers\n");
	add_table(out, c);
	add_likeness(out, c);
	if (c->unlikes > 0)
		buf_adds(out, "\nwhere they differ most:\n");
	for (size_t i = 0; i < c->unlikes; i++)
		add_case(out, c, &c->unlike[i]);
}

static void add_member(struct buf *out, const char *name, double value)
{
	if (!isnan(value))
		buf_addf(out, ", \"%s\": %.4f", name, value);
}

void render_comparison_metrics(struct buf *out, const struct comparison *c, int side)
{
	const struct compare_side *s = &c->side[side], *other = &c->side[!side];
	buf_adds(out, "{\"with\": ");
	buf_add_json(out, other->version, strlen(other->version));
	buf_adds(out, ", \"at\": \"");
	buf_add_time(out, c->time_us);
	buf_addf(out, "\", \"k\": %zu, \"questions\": %zu, \"answered\": %zu, \"judged\": %zu", c->k,
	         c->questions, c->answered, c->judged);
	add_member(out, "recall", s->recall);
	add_member(out, "mrr", s->reciprocal);
	add_member(out, "ndcg", s->ndcg);
	if (c->judged > 0)
		buf_addf(out, ", \"better\": %d, \"worse\": %d", s->better, other->better);
	add_member(out, "overlap", c->overlap);
	add_member(out, "tau", c->tau);
	if (!isnan(s->cost_us))
		buf_addf(out, ", \"us_a_question\": %.0f", s->cost_us);
	buf_addc(out, '}');
}

void render_algorithm_line(struct buf *out, const char *code, const char *version,
                           const char *status, bool scores, int64_t saved_us)
{
	buf_addf(out, "%-16s %-16s %-11s %-8s ", code, version, status, scores ? "scoring" : "-");
	buf_add_time(out, saved_us);
	buf_addc(out, '\n');
}

/* SPDX-License-Identifier: MIT */
/* memories/top.md, a memory at a time (memory.h). */
#include "render/pages/memory.h"

#include <string.h>

#include "render/context/context.h"
#include "render/format/format.h"
#include "render/pages/pages.h"

const char *const memory_part_names[MEMORY_PARTS] = { "recency", "importance", "relevance",
	"frequency" };

void render_memories_head(struct buf *out, size_t count)
{
	buf_adds(out, "# Memories\n\n");
	if (count == 0) {
		buf_adds(out, "No memory is active. Write memories/TYPE/KEY.md.\n");
		return;
	}
	buf_addf(out, "The best %zu active when nothing is asked, so without relevance; score = ",
	         count);
	render_memories_formula(out);
}

void render_memories_formula(struct buf *out)
{
	for (int i = 0; i < MEMORY_PARTS; i++)
		buf_addf(out, "%sweight \xC3\x97 %s", i ? " + " : "", memory_part_names[i]);
	buf_adds(out, ".\n\n");
}

/* Seconds are enough to read. */
static void add_time(struct buf *out, int64_t us)
{
	buf_add_time(out, us);
	if (!out->failed)
		out->len -= strlen(".123456Z");
	buf_addc(out, 'Z');
}

static void add_shown(struct buf *out, const struct memory_line *m)
{
	char line[MEMORY_SHOWN + 1], cut[4 * MEMORY_SHOWN + 1];
	const char *from = m->summary;
	if (!*from && m->len > 0) {
		size_t at = 0, end;
		while (at < m->len && strchr("# \t\r\n", m->text[at])) /* a heading's text alone */
			at++;
		for (end = at; end < m->len && m->text[end] != '\n' && end - at < sizeof cut - 1; end++)
			cut[end - at] = m->text[end];
		cut[end - at] = '\0';
		from = cut;
	}
	render_name(line, sizeof line, from);
	struct markdown md = { .out = out, .from = out->len };
	markdown_add(&md, line, strlen(line));
}

void render_memory_score(struct buf *out, const struct memory_scored *m)
{
	buf_adds(out, "# Score of ");
	markdown_code(out, m->path);
	buf_addf(out, "\n\nscore %.3f =", m->score);
	for (int i = 0; i < MEMORY_PARTS; i++)
		buf_addf(out, "%s %.2f \xC3\x97 %s %.3f", i ? " +" : "", m->weight[i],
		         memory_part_names[i], m->part[i]);
	buf_addf(out, "\n\n- recency: exp(-%g \xC3\x97 %.2f days), of a %s %s ", m->rate,
	         m->days > 0 ? m->days : 0.0, m->type, m->used_us > 0 ? "last used" : "made");
	add_time(out, m->used_us > 0 ? m->used_us : m->made_us);
	buf_adds(out, "\n- importance: its own\n- relevance: nothing is asked; for some words "
	              "memories/search/QUERY.md has it\n");
	buf_addf(out, "- frequency: log(1 + %lld) / log(1 + %lld), its uses and those of the one most "
	         "used\n- status: %s", (long long)m->uses, (long long)m->most, life_name(m->life));
	if (*m->heir) {
		buf_adds(out, " by ");
		markdown_code(out, m->heir);
	}
	buf_adds(out, m->life == LIFE_LIVE ? "\n" : ", so it is not chosen\n");
}

void render_memory_line(struct buf *out, const struct memory_line *m)
{
	int indent = m->rank < 10 ? 3 : 4;
	buf_addf(out, "%d. ", m->rank);
	markdown_name(out, m->path);
	buf_addf(out, " \xC2\xB7 score %.3f \xC2\xB7 %lld tokens \xC2\xB7 ", m->score,
	         (long long)m->tokens);
	if (m->uses > 0)
		buf_addf(out, "used %lld time%s, %s ", (long long)m->uses, m->uses == 1 ? "" : "s",
		         m->used_us > 0 ? "last" : "made");
	else
		buf_adds(out, "never used, made ");
	add_time(out, m->used_us > 0 ? m->used_us : m->made_us);
	buf_addf(out, "  \n%*s", indent, "");
	for (int i = 0; i < MEMORY_PARTS; i++)
		buf_addf(out, "%s%.2f \xC3\x97 %s %.3f", i ? " + " : "", m->weight[i],
		         memory_part_names[i], m->part[i]);
	buf_addf(out, "  \n%*s", indent, "");
	add_shown(out, m);
	buf_addc(out, '\n');
}

/* SPDX-License-Identifier: MIT */
/* A line of active.jsonl: a message of the working memory, or the summary in the place of some. */
#include <string.h>

#include "render/format/format.h"
#include "render/logs/logs.h"

static void add_said(struct buf *out, const char *role, const char *text, size_t len,
                     int64_t time_us)
{
	buf_adds(out, ",\"role\":");
	buf_add_json(out, role, strlen(role));
	buf_adds(out, ",\"content\":");
	buf_add_json(out, text, len);
	buf_adds(out, ",\"timestamp\":\"");
	buf_add_time(out, time_us);
	buf_addc(out, '"');
}

void render_working_message(struct buf *out, const struct turn *t, double continuity)
{
	buf_addf(out, "{\"id\":%lld", (long long)t->n);
	add_said(out, *t->role ? t->role : "user", t->content, t->len, t->time_us);
	buf_addf(out, ",\"token_count\":%lld,\"is_summary\":false", (long long)t->tokens);
	if (continuity < 0)
		buf_adds(out, ",\"semantic_continuity\":null");
	else
		buf_addf(out, ",\"semantic_continuity\":%.3f", continuity);
	buf_addf(out, ",\"summarized_at\":null,\"pinned\":%s}\n", t->pinned ? "true" : "false");
}

void render_working_summary(struct buf *out, const struct summary *y, int64_t tokens)
{
	buf_addf(out, "{\"id\":\"%lld-%lld\"", (long long)y->first, (long long)y->last);
	add_said(out, "system", y->text, y->len, y->time_us);
	buf_addf(out, ",\"token_count\":%lld,\"is_summary\":true,\"semantic_continuity\":null",
	         (long long)tokens);
	buf_adds(out, ",\"summarized_at\":\"");
	buf_add_time(out, y->time_us);
	buf_adds(out, "\",\"pinned\":false}\n");
}

/* SPDX-License-Identifier: MIT */
/*
 * transcript.md: a log for eyes and grep.  Each message is a heading and its text
 * as it was written, quoted where it could look like the page.  A pure function of
 * the entry: the store keeps where each part ends.  A body that cannot be read is shown
 * as well, never refused.
 */
#include <string.h>

#include "render/format/format.h"
#include "render/logs/logs.h"
#include "render/logs/saying.h"

enum { SHOWN = 120 }; /* most bytes of a value in a heading */

/* One line of at most SHOWN bytes, and for the rest "…". */
static void add_as(struct buf *out, const char *text, size_t len,
                   void (*quote)(struct buf *out, const char *text, size_t len))
{
	size_t end = utf8_fit(text, len, SHOWN);
	quote(out, text, end);
	if (end < len)
		buf_adds(out, "…");
}

static void add_short(struct buf *out, const char *text, size_t len)
{
	add_as(out, text, len, quote_part);
}

static void add_value(struct buf *out, const struct json *j, uint32_t n,
                      void (*quote)(struct buf *out, const char *text, size_t len))
{
	struct buf text = BUF_INIT;
	if (j->nodes[n].type == VALUE_STRING)
		json_unescape(j, j->nodes[n].value, &text);
	else
		buf_add(&text, json_at(j, j->nodes[n].value), j->nodes[n].value.len);
	if (text.data)
		add_as(out, text.data, text.len, quote);
	out->failed = out->failed || text.failed;
	buf_release(&text);
}

/* A member of the heading; absent, null, false and "" are left out. */
static void add_part(struct buf *out, const struct json *j, const char *name,
                     void (*quote)(struct buf *out, const char *text, size_t len))
{
	uint32_t n = json_member(j, 0, name);
	if (!n || j->nodes[n].type == VALUE_NULL || j->nodes[n].type == VALUE_FALSE ||
	    (j->nodes[n].type == VALUE_STRING && j->nodes[n].value.len == 0))
		return;
	buf_addf(out, " · %s", name);
	if (j->nodes[n].type == VALUE_TRUE)
		return;
	buf_addc(out, ' ');
	/* A tool given as an object is known by its name. */
	uint32_t inner = j->nodes[n].type == VALUE_OBJECT ? json_member(j, n, "name") : 0;
	add_value(out, j, inner ? inner : n, quote);
}

/* "## 2", in a thread "## name/2". */
static void add_number(struct buf *out, const struct entry *e)
{
	buf_adds(out, "## ");
	if (e->session) {
		add_short(out, e->session, strlen(e->session));
		buf_addc(out, '/');
	}
	buf_addf(out, "%lld", (long long)(e->stream_seq + 1));
}

static void add_heading(struct buf *out, const struct entry *e, const struct json *j)
{
	add_number(out, e);
	buf_adds(out, " · ");
	uint32_t role = j ? json_member(j, 0, "role") : 0;
	if (role && j->nodes[role].type == VALUE_STRING)
		add_value(out, j, role, quote_word);
	else
		buf_adds(out, "message");
	if (role && j->nodes[role].type == VALUE_STRING && json_is(j, j->nodes[role].value, "system"))
		buf_adds(out, " (claimed)"); /* the tape does not know who may speak for the system */
	struct saying said;
	saying_read(j, e, &said);
	buf_adds(out, " · ");
	if (said.by[0]) { /* whoever writes may say so */
		add_as(out, said.by, strlen(said.by), quote_claim);
		buf_adds(out, ", by ");
	}
	quote_part(out, e->author, strlen(e->author));
	buf_adds(out, " · ");
	struct buf time = BUF_INIT;
	buf_add_time(&time, said.time_us);
	if (time.data) {
		buf_add(out, time.data, 10);
		buf_addc(out, ' ');
		buf_add(out, time.data + 11, 8);
		buf_adds(out, " UTC");
	}
	if (said.told || said.by[0])
		buf_adds(out, " · imported");
	out->failed = out->failed || time.failed;
	buf_release(&time);
	if (j) {
		add_part(out, j, "tool", quote_word);
		add_part(out, j, "error", quote_part);
		add_part(out, j, "thread", quote_part);
	}
	buf_adds(out, "\n\n");
}

static void add_text(struct buf *out, const struct entry *e, const struct json *j)
{
	uint32_t content = j ? json_member(j, 0, "content") : 0;
	bool said = content && j->nodes[content].type == VALUE_STRING;
	struct buf text = BUF_INIT;
	struct json_span value = said ? j->nodes[content].value : (struct json_span){ 0, 0, false };
	if (value.escaped && buf_reserve(&text, value.len))
		json_unescape(j, value, &text);
	if (!e->body)
		buf_adds(out, "*(missing: the text is gone, and no redaction says why)*\n");
	else if (value.escaped)
		quote_text(out, text.data ? text.data : "", text.len);
	else if (said)
		quote_text(out, json_at(j, value), value.len);
	else
		quote_text(out, e->body, e->body_len);
	buf_addc(out, '\n');
	out->failed = out->failed || text.failed;
	buf_release(&text);
}

/* In the room that the part had, which what follows it counts on. */
static void add_damaged(struct buf *out, const struct entry *e)
{
	size_t from = out->len;
	add_number(out, e);
	buf_addf(out, " · damaged\n\n*%s*", DAMAGED_TEXT);
	if (e->room > 1 && !out->failed && out->len - from > e->room - 2) {
		out->len = from; /* "ok" had less */
		add_number(out, e);
		buf_adds(out, " · damaged");
		out->len = out->len - from > e->room - 2 ? from + e->room - 2 : out->len;
	}
	while (!out->failed && out->len - from + 2 < e->room)
		buf_addc(out, ' ');
	buf_adds(out, "\n\n");
}

void render_transcript(struct buf *out, const struct entry *e)
{
	if (e->damaged) {
		add_damaged(out, e);
		return;
	}
	struct json j;
	const struct json *body = json_read_body(&j, e, out);
	add_heading(out, e, body);
	add_text(out, e, body);
	if (e->body)
		json_release(&j);
}

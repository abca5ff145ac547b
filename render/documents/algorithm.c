/* SPDX-License-Identifier: MIT */
/*
 * An algorithm's version: its status is read, and retired when another is activated; results of
 * a comparison are put into its metrics.  All other bytes stay as they are.
 */
#include <string.h>

#include "render/documents/documents.h"
#include "render/format/format.h"

/*
 * Reads the file behind its byte order mark, of *mark bytes.  The value of the member "status";
 * 0: none, or no JSON object.
 */
static uint32_t status_of(struct json *j, const char *bytes, size_t len, size_t *mark)
{
	struct why why;
	*mark = front_skip_mark(bytes, len);
	if (json_read(j, bytes + *mark, len - *mark, DEPTH_LIMIT, &why) ||
	    j->nodes[0].type != VALUE_OBJECT)
		return 0;
	uint32_t at = json_member(j, 0, "status");
	return at && j->nodes[at].type == VALUE_STRING ? at : 0;
}

bool render_algorithm_active(const char *bytes, size_t len)
{
	struct json j;
	size_t mark;
	uint32_t at = status_of(&j, bytes, len, &mark);
	bool active = at && json_is(&j, j.nodes[at].value, "active");
	json_release(&j);
	return active;
}

void render_algorithm_retire(struct buf *out, const char *bytes, size_t len)
{
	struct json j;
	size_t mark;
	uint32_t at = status_of(&j, bytes, len, &mark);
	size_t from = at ? mark + j.nodes[at].value.at : len, cut = at ? j.nodes[at].value.len : 0;
	buf_add(out, bytes, from);
	if (at)
		buf_adds(out, "deprecated");
	buf_add(out, bytes + from + cut, len - from - cut);
	json_release(&j);
}

/* Where a node of the text begins and ends, a string with its quotes. */
static size_t begin_of(const struct json *j, uint32_t at)
{
	return j->nodes[at].value.at - (j->nodes[at].type == VALUE_STRING);
}

static size_t end_of(const struct json *j, uint32_t at)
{
	return j->nodes[at].value.at + j->nodes[at].value.len + (j->nodes[at].type == VALUE_STRING);
}

/* Where the last member of an object ends and what stands around its key, to do as it does. */
struct last_member {
	size_t end;      /* behind its value, or behind the brace of an empty object */
	size_t lead, lead_len;   /* blanks before its key */
	size_t colon, colon_len; /* from behind its key to its value */
};

static struct last_member last_of(const struct json *j, uint32_t object)
{
	struct last_member m = { .end = begin_of(j, object) + 1 };
	for (uint32_t n = object + 1; n < j->nodes[object].next; n = j->nodes[n].next) {
		size_t key = j->nodes[n].key.at - 1, behind = key + j->nodes[n].key.len + 2;
		size_t from = key;
		while (from > m.end && strchr(" \t\r\n", j->text[from - 1]))
			from--;
		m = (struct last_member){ .end = end_of(j, n), .lead = from, .lead_len = key - from,
			.colon = behind, .colon_len = begin_of(j, n) - behind };
	}
	return m;
}

/* The text with one member more at the end of an object, in the style of that before it. */
static void insert(struct buf *out, const struct json *j, uint32_t object, const char *name,
                   const char *value)
{
	struct last_member m = last_of(j, object);
	buf_add(out, j->text, m.end);
	if (m.colon)
		buf_addc(out, ',');
	if (m.colon_len > 1 && m.lead_len == 0) /* one that stands right behind the brace */
		buf_addc(out, ' ');
	buf_add(out, j->text + m.lead, m.lead_len);
	buf_addf(out, "\"%s\"", name);
	if (m.colon)
		buf_add(out, j->text + m.colon, m.colon_len);
	else
		buf_adds(out, ": ");
	buf_adds(out, value);
	buf_add(out, j->text + m.end, j->len - m.end);
}

static void replace(struct buf *out, const struct json *j, uint32_t at, const char *value)
{
	buf_add(out, j->text, begin_of(j, at));
	buf_adds(out, value);
	buf_add(out, j->text + end_of(j, at), j->len - end_of(j, at));
}

/* `metrics` may be missing, and what is null is as good as missing. */
static void metrics_put(struct buf *out, const struct json *j, uint32_t metrics, const char *value)
{
	struct buf whole = BUF_INIT;
	uint32_t old = metrics && j->nodes[metrics].type == VALUE_OBJECT ?
		json_member(j, metrics, "comparison") : 0;
	buf_addf(&whole, "{\"comparison\": %s}", value);
	out->failed |= whole.failed;
	if (old)
		replace(out, j, old, value);
	else if (metrics && j->nodes[metrics].type == VALUE_OBJECT)
		insert(out, j, metrics, "comparison", value);
	else if (metrics && whole.data)
		replace(out, j, metrics, whole.data);
	else if (whole.data)
		insert(out, j, 0, "metrics", whole.data);
	buf_release(&whole);
}

int render_algorithm_metrics(struct buf *out, const char *bytes, size_t len, const char *value,
                             struct why *why)
{
	static const char todo[] = "make it an object, or leave it out";
	size_t from = front_skip_mark(bytes, len);
	struct json j;
	int err = json_read(&j, bytes + from, len - from, DEPTH_LIMIT, why);
	uint32_t metrics = !err && j.nodes[0].type == VALUE_OBJECT ? json_member(&j, 0, "metrics") : 0;
	bool fits = !err && j.nodes[0].type == VALUE_OBJECT &&
		(!metrics || j.nodes[metrics].type == VALUE_OBJECT || j.nodes[metrics].type == VALUE_NULL);
	if (!err && !fits) {
		why_set(why, todo, "%s is not an object", metrics ? "`metrics`" : "the file");
		err = RENDER_EINVAL;
	}
	if (!err) {
		buf_add(out, bytes, from);
		metrics_put(out, &j, metrics, value);
	}
	json_release(&j);
	return err ? err : out->failed ? RENDER_ENOMEM : 0;
}

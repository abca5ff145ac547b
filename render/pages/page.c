/* SPDX-License-Identifier: MIT */
/*
 * Pages of one thing: a message with all its members, a session.  The front
 * matter is YAML 1.2, whose flow style holds JSON; strings are written anew so
 * that YAML 1.1 readers take them as well.
 */
#include <string.h>

#include "render/documents/documents.h"
#include "render/context/context.h"
#include "render/format/format.h"
#include "render/logs/logs.h"
#include "render/pages/pages.h"

/* What JSON lets stand in a string and YAML does not, or takes for a line end; what acts unseen. */
static uint32_t forbidden(const char *text, size_t at, size_t n)
{
	const unsigned char *s = (const unsigned char *)text + at;
	uint32_t cp = s[0];
	if (n == 2)
		cp = (uint32_t)(s[0] & 0x1F) << 6 | (s[1] & 0x3F);
	if (n == 3)
		cp = (uint32_t)(s[0] & 0x0F) << 12 | (uint32_t)(s[1] & 0x3F) << 6 | (s[2] & 0x3F);
	if (n == 4)
		cp = (uint32_t)(s[0] & 0x07) << 18 | (uint32_t)(s[1] & 0x3F) << 12 |
		     (uint32_t)(s[2] & 0x3F) << 6 | (s[3] & 0x3F);
	if (cp == 0x7F || cp == 0xFFFE || cp == 0xFFFF ||
	    (n > 1 && quote_is_control(text + at, n, quote_before(text, at))))
		return cp;
	return 0;
}

static void add_string(struct buf *out, const char *text, size_t len)
{
	struct buf json = BUF_INIT;
	size_t from = 0;
	buf_add_json(&json, text, len);
	for (size_t i = 0; i < json.len;) {
		size_t n = utf8_size(json.data + i, json.len - i);
		uint32_t cp = n ? forbidden(json.data, i, n) : 0;
		if (cp) {
			buf_add(out, json.data + from, i - from);
			buf_addf(out, cp > 0xFFFF ? "\\U%08x" : "\\u%04x", cp);
			from = i + n;
		}
		i += n ? n : 1;
	}
	if (json.data)
		buf_add(out, json.data + from, json.len - from);
	out->failed = out->failed || json.failed;
	buf_release(&json);
}

static void add_span(struct buf *out, const struct json *j, struct json_span s)
{
	struct buf text = BUF_INIT;
	json_unescape(j, s, &text);
	add_string(out, text.data ? text.data : "", text.len);
	out->failed = out->failed || text.failed;
	buf_release(&text);
}

enum { KEY_MOST = 1024 }; /* YAML looks no further for a colon, unless a `?` says that it comes */

/* `apart`: what stands between the key and the colon of one that is announced. */
static void add_named(struct buf *out, const struct buf *key, const char *apart)
{
	bool is_long = key->len > KEY_MOST;
	buf_adds(out, is_long ? "? " : "");
	buf_add(out, key->data ? key->data : "", key->len);
	buf_adds(out, is_long ? apart : "");
	buf_adds(out, ": ");
	out->failed = out->failed || key->failed;
}

/* Depth is bounded by the reader's limit. */
static void add_value(struct buf *out, const struct json *j, uint32_t at)
{
	const struct json_node *node = &j->nodes[at];
	bool object = node->type == VALUE_OBJECT;
	const char *comma = "";

	if (node->type == VALUE_STRING) {
		add_span(out, j, node->value);
		return;
	}
	if (!object && node->type != VALUE_ARRAY) {
		buf_add(out, json_at(j, node->value), node->value.len);
		return;
	}
	buf_addc(out, object ? '{' : '[');
	for (uint32_t n = at + 1; n < node->next; n = j->nodes[n].next) {
		buf_adds(out, comma);
		if (object) {
			struct buf key = BUF_INIT;
			add_span(&key, j, j->nodes[n].key);
			add_named(out, &key, " ");
			buf_release(&key);
		}
		add_value(out, j, n);
		comma = ", ";
	}
	buf_addc(out, object ? '}' : ']');
}

/* Words YAML 1.1 readers take for something else than a string are not plain, either. */
static bool plain_key(const char *s, size_t len)
{
	static const char *const words[] = { "y", "n", "yes", "no", "on", "off", "true", "false",
					     "null" };
	for (size_t i = 0; i < len; i++)
		if (!(s[i] >= 'a' && s[i] <= 'z') && !(s[i] == '_' && i > 0))
			return false;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strlen(words[i]) == len && memcmp(words[i], s, len) == 0)
			return false;
	return len > 0;
}

static void add_key(struct buf *out, const struct json *j, struct json_span name)
{
	struct buf key = BUF_INIT;
	if (json_is(j, name, "session")) /* the page's own `session` is the one it stands in */
		buf_adds(&key, "\"session (as written)\"");
	else if (!name.escaped && plain_key(json_at(j, name), name.len))
		buf_add(&key, json_at(j, name), name.len);
	else
		add_span(&key, j, name);
	add_named(out, &key, "\n");
	buf_release(&key);
}

static void add_members(struct buf *out, const struct json *j)
{
	for (uint32_t n = 1; n < j->nodes[0].next; n = j->nodes[n].next) {
		if (json_is(j, j->nodes[n].key, "content"))
			continue;
		add_key(out, j, j->nodes[n].key);
		add_value(out, j, n);
		buf_addc(out, '\n');
	}
}

static void add_front(struct buf *out, const struct entry *e, const char *session,
                      const struct json *j)
{
	buf_addf(out, "---\nid: %lld\nsession: ", (long long)(e->stream_seq + 1));
	add_string(out, session, strlen(session));
	buf_adds(out, "\ntimestamp: ");
	buf_add_time(out, e->time_us);
	buf_adds(out, "\nauthor: ");
	add_string(out, e->author, strlen(e->author));
	buf_addc(out, '\n');
	if (j)
		add_members(out, j);
	if (!e->body)
		buf_adds(out, "missing: true\n");
	buf_adds(out, "prev_hash: ");
	if (e->stream_seq > 0) {
		buf_addc(out, '"');
		buf_add_hex(out, e->prev, HASH_SIZE);
		buf_addc(out, '"');
	} else {
		buf_adds(out, "null");
	}
	buf_adds(out, "\nhash: \"");
	buf_add_hex(out, e->leaf_hash, HASH_SIZE);
	buf_adds(out, "\"\n---\n");
}

void render_message_page(struct buf *out, const struct entry *e, const char *session)
{
	struct json j;
	const struct json *body = json_read_body(&j, e, out);
	add_front(out, e, session, body);
	uint32_t content = body ? json_member(body, 0, "content") : 0;
	struct buf text = BUF_INIT;
	if (content && j.nodes[content].type == VALUE_STRING)
		json_unescape(&j, j.nodes[content].value, &text);
	else if (e->body && !body)
		buf_add(&text, e->body, e->body_len); /* unreadable: shown as it is */
	quote_controls(out, text.data ? text.data : "", text.len);
	out->failed = out->failed || text.failed;
	buf_release(&text);
	if (!out->failed && out->data[out->len - 1] != '\n')
		buf_addc(out, '\n');
	if (e->body)
		json_release(&j);
}

static void add_when(struct buf *out, const char *key, int64_t us)
{
	buf_addf(out, "%s: ", key);
	if (us)
		buf_add_time(out, us);
	else
		buf_adds(out, "null");
	buf_addc(out, '\n');
}

void render_session_page(struct buf *out, const struct group *session)
{
	/* Whoever saves it saves all of it: nothing that will be wrong after the next message. */
	buf_adds(out, "---\nname: ");
	add_string(out, session->name, strlen(session->name));
	buf_addc(out, '\n');
	add_when(out, "made", session->made_us);
	buf_adds(out, "author: ");
	add_string(out, session->author, strlen(session->author));
	buf_addf(out, "\n---\n# %s\n\n", session->name);
	buf_addf(out, "The messages are in `log.jsonl` (append here) and `transcript.md` (read "
	         "here).\n");
}

void render_session_body(struct buf *out, const char *name)
{
	buf_adds(out, "{\"name\":");
	buf_add_json(out, name, strlen(name));
	buf_addc(out, '}');
}

void render_taken_session_body(struct buf *out, const char *name, const struct talk *t)
{
	buf_adds(out, "{\"name\":");
	buf_add_json(out, name, strlen(name));
	buf_addc(out, ',');
	render_talk(out, t);
	buf_addc(out, '}');
}

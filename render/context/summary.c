/* SPDX-License-Identifier: MIT */
/*
 * Summaries as text: key and value, a line each, in YAML that is also read as JSON
 * would be.  Whoever writes one (an agent, a command, summarize.c) is held to
 * the form: known keys, one line a value, no prose.
 */
#include "render/context/summary.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "render/context/context.h"
#include "render/context/summary_item.h"
#include "render/format/format.h"
#include "render/text/text.h"

/* ---- items ------------------------------------------------------------------ */

/* What would end a line somewhere, or be refused by a reader of YAML, is a blank here. */
static bool is_blank(const char *s, size_t n)
{
	unsigned char a = (unsigned char)s[0], b = n > 1 ? (unsigned char)s[1] : 0;
	if (n <= 1)
		return n == 0 || a <= ' ' || a == 0x7F;
	if (n == 2)
		return a == 0xC2 && b <= 0xA0;
	if (n == 3)
		return memcmp(s, "\xE2\x80\xA8", 3) == 0 || memcmp(s, "\xE2\x80\xA9", 3) == 0 ||
		       memcmp(s, "\xEF\xBB\xBF", 3) == 0 || memcmp(s, "\xEF\xBF\xBE", 3) == 0 ||
		       memcmp(s, "\xEF\xBF\xBF", 3) == 0;
	return false;
}

char *summary_clean(const char *text, size_t len)
{
	char *copy = malloc(len + 1);
	size_t size = 0;
	for (size_t i = 0, n; copy && i < len; i += n ? n : 1) {
		n = utf8_size(text + i, len - i);
		if (!is_blank(text + i, n)) {
			memcpy(copy + size, text + i, n);
			size += n;
		} else if (size > 0 && copy[size - 1] != ' ') {
			copy[size++] = ' ';
		}
	}
	if (copy)
		copy[size - (size > 0 && copy[size - 1] == ' ')] = '\0';
	return copy;
}

bool summary_add(struct summary_list *list, char *item)
{
	bool fits = item && *item && list->count < SUMMARY_ITEMS;
	for (size_t i = 0; i < list->count && fits; i++)
		fits = strcasecmp(list->items[i], item) != 0;
	if (fits)
		list->items[list->count++] = item;
	else
		free(item);
	return fits;
}

void summary_list_release(struct summary_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	*list = (struct summary_list){ 0 };
}

void digest_release(struct digest *s)
{
	free(s->topic);
	free(s->outcome);
	summary_list_release(&s->discussed);
	summary_list_release(&s->decisions);
	summary_list_release(&s->open_questions);
	*s = (struct digest){ 0 };
}

/* ---- printing ----------------------------------------------------------------- */

/* True if it may stand without quotes, in a list too, and be read as a text. */
static bool is_plain(const char *text)
{
	static const char *const others[] = { "null", "true", "false" };
	unsigned char first = (unsigned char)*text;
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (strcasecmp(text, others[i]) == 0)
			return false;
	if (!((first | 32) >= 'a' && (first | 32) <= 'z') && first < 0x80)
		return false;
	for (const char *c = text; *c; c++) {
		bool letter = ((*c | 32) >= 'a' && (*c | 32) <= 'z') || (*c >= '0' && *c <= '9');
		if (!letter && !(*c & 0x80) && !strchr(" _.'()%/+=-", *c))
			return false;
	}
	return true;
}

static void put_text(struct buf *out, const char *text)
{
	if (is_plain(text))
		buf_adds(out, text);
	else
		buf_add_json(out, text, strlen(text));
}

static void put_list(struct buf *out, const char *key, const struct summary_list *list)
{
	if (list->count == 0)
		return;
	buf_adds(out, key);
	buf_adds(out, ": [");
	for (size_t i = 0; i < list->count; i++) {
		buf_adds(out, i ? ", " : "");
		put_text(out, list->items[i]);
	}
	buf_adds(out, "]\n");
}

static void put_member(struct buf *out, const char *key, const char *text)
{
	if (!text || !*text)
		return;
	buf_adds(out, key);
	buf_adds(out, ": ");
	put_text(out, text);
	buf_addc(out, '\n');
}

void render_digest(struct buf *out, const struct digest *s)
{
	put_member(out, "topic", s->topic);
	put_list(out, "discussed", &s->discussed);
	put_member(out, "outcome", s->outcome);
	put_list(out, "decisions", &s->decisions);
	put_list(out, "open_questions", &s->open_questions);
}

/* ---- reading -------------------------------------------------------------------- */

static const char how[] = "write topic, discussed, outcome, decisions, open_questions, a line each";

static int read_text(const struct json *j, const struct json_node *node, const char *key,
                     char **out, struct why *why)
{
	struct buf text = BUF_INIT;
	if (node->type == VALUE_ARRAY || node->type == VALUE_OBJECT) {
		why_set(why, how, "a text belongs in %s", key);
		return RENDER_EINVAL;
	}
	if (node->type == VALUE_STRING)
		json_unescape(j, node->value, &text);
	else if (node->type != VALUE_NULL)
		buf_add(&text, json_at(j, node->value), node->value.len);
	*out = text.failed ? NULL : summary_clean(text.data ? text.data : "", text.len);
	buf_release(&text);
	if (!*out)
		return RENDER_ENOMEM;
	if (strlen(*out) > SUMMARY_TEXT) {
		why_set(why, "a summary is key words, not prose: say it shorter",
		        "%s has a text of %zu bytes; at most %d", key, strlen(*out), SUMMARY_TEXT);
		return RENDER_EFBIG;
	}
	return 0;
}

static int read_list(const struct json *j, uint32_t at, const char *key, struct summary_list *out,
                     struct why *why)
{
	const struct json_node *nodes = j->nodes;
	if (nodes[at].type == VALUE_NULL)
		return 0;
	if (nodes[at].type != VALUE_ARRAY) {
		why_set(why, how, "a list belongs in %s: [one, two]", key);
		return RENDER_EINVAL;
	}
	for (uint32_t i = at + 1; i < nodes[at].next; i = nodes[i].next) {
		char *text = NULL;
		int rc = read_text(j, &nodes[i], key, &text, why);
		if (rc == 0 && out->count == SUMMARY_ITEMS) {
			why_set(why, "keep those that matter later", "%s has more than %d items", key,
			        SUMMARY_ITEMS);
			rc = RENDER_EFBIG;
		}
		if (rc != 0) {
			free(text);
			return rc;
		}
		(void)summary_add(out, text);
	}
	return 0;
}

static int read_member(struct digest *out, const struct json *j, uint32_t at, struct why *why)
{
	const struct json_node *node = &j->nodes[at];
	if (json_is(j, node->key, "topic"))
		return read_text(j, node, "topic", &out->topic, why);
	if (json_is(j, node->key, "outcome"))
		return read_text(j, node, "outcome", &out->outcome, why);
	if (json_is(j, node->key, "discussed"))
		return read_list(j, at, "discussed", &out->discussed, why);
	if (json_is(j, node->key, "decisions"))
		return read_list(j, at, "decisions", &out->decisions, why);
	if (json_is(j, node->key, "open_questions"))
		return read_list(j, at, "open_questions", &out->open_questions, why);
	why_set(why, how, "a summary has no \"%.*s\"", (int)(node->key.len < 40 ? node->key.len : 40),
	        json_at(j, node->key));
	return RENDER_EINVAL;
}

static int read_object(struct digest *out, const char *text, size_t len, struct why *why)
{
	struct json j;
	int rc = json_read(&j, text, len, FRONT_DEPTH, why);
	if (rc == 0 && j.nodes[0].type != VALUE_OBJECT) {
		why_set(why, how, "a summary is keys and values");
		rc = RENDER_EINVAL;
	}
	for (uint32_t i = 1; rc == 0 && i < j.nodes[0].next; i = j.nodes[i].next)
		rc = read_member(out, &j, i, why);
	json_release(&j);
	return rc;
}

/* YAML, with or without the lines of front matter around it. */
static int read_yaml(struct digest *out, const char *bytes, size_t len, struct why *why)
{
	struct buf text = BUF_INIT;
	struct front front = { 0 };
	int rc = RENDER_ENOMEM;
	bool framed = len >= 4 && memcmp(bytes, "---", 3) == 0 && strchr("\r\n", bytes[3]);
	buf_adds(&text, framed ? "" : "---\n");
	buf_add(&text, bytes, len);
	buf_adds(&text, framed ? "" : "\n---\n");
	if (!text.failed)
		rc = front_read(&front, text.data, text.len, why);
	if (rc != 0 && why && !framed && why->line > 0)
		why->line--;
	for (size_t i = front.body; rc == 0 && i < text.len; i++)
		if (!strchr(" \t\r\n", text.data[i])) {
			why_set(why, how, "there is text behind the summary");
			rc = RENDER_EINVAL;
		}
	if (rc == 0)
		rc = read_object(out, front.json.data, front.json.len, why);
	front_release(&front);
	buf_release(&text);
	return rc;
}

static int check_size(const struct digest *s, summary_count_fn *count, int64_t tokens,
                      struct why *why)
{
	struct buf text = BUF_INIT;
	render_digest(&text, s);
	int64_t has = text.failed ? 0 : count(text.data ? text.data : "", text.len);
	int rc = text.failed ? RENDER_ENOMEM : has > tokens ? RENDER_EFBIG : 0;
	if (rc == RENDER_EFBIG)
		why_set(why, "leave out what will not matter later",
		        "the summary has %lld tokens; at most %lld", (long long)has, (long long)tokens);
	buf_release(&text);
	return rc;
}

int render_digest_in(struct digest *out, const char *bytes, size_t len, summary_count_fn *count,
                      int64_t tokens, struct why *why)
{
	int rc;
	*out = (struct digest){ 0 };
	bytes = len ? bytes : "";
	size_t at = front_skip_mark(bytes, len);
	if (len > SUMMARY_LIMIT) {
		why_set(why, "a summary is a few lines", "%zu bytes; at most %d", len, SUMMARY_LIMIT);
		return RENDER_EFBIG;
	}
	if (memchr(bytes, '\0', len) || !signal_is_text(bytes, len)) {
		why_set(why, "write UTF-8", "a summary is text");
		return RENDER_EINVAL;
	}
	while (at < len && strchr(" \t\r\n", bytes[at]))
		at++;
	if (at < len && bytes[at] == '{')
		rc = read_object(out, bytes + at, len - at, why);
	else
		rc = read_yaml(out, bytes + at, len - at, why);
	if (rc == 0 && (!out->topic || !*out->topic)) {
		why_set(why, how, "a summary needs a topic");
		rc = RENDER_EINVAL;
	}
	return rc ? rc : check_size(out, count, tokens, why);
}

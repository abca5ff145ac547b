/* SPDX-License-Identifier: MIT */
/*
 * The JSON reader.  One pass over the text; recursion is bounded by the depth
 * limit.  On the road of every append: no allocation for common lines.
 */
#include "render/format/json.h"

#include <stdlib.h>
#include <string.h>

#include "render/format/buf.h"
#include "render/format/codes.h"
#include "render/format/json_key.h"
#include "render/format/utf8.h"
#include "store/base/ascii.h"

struct reader {
	struct json *j;
	const char *s;
	size_t at, len;
	unsigned depth, limit;
	struct why *why;
};

static int read_value(struct reader *r, struct json_span key);

#define BAD(r, todo, ...) (why_set((r)->why, (todo), __VA_ARGS__), RENDER_EINVAL)

static const char todo_json[] = "offer one complete JSON object on one line; "
                                "`jq -c .` shows where JSON is broken";

static int bad_byte(struct reader *r, const char *expected)
{
	if (r->at >= r->len)
		return BAD(r, todo_json, "the JSON ends at byte %zu, before %s", r->len, expected);
	unsigned char c = (unsigned char)r->s[r->at];
	if (c == 0)
		return BAD(r, "leave NUL bytes out; text cannot hold them",
		           "a NUL byte at byte %zu", r->at + 1);
	if (c > 0x20 && c < 0x7F)
		return BAD(r, todo_json, "expected %s at byte %zu, found '%c'", expected,
		           r->at + 1, c);
	return BAD(r, todo_json, "expected %s at byte %zu, found byte 0x%02x", expected,
	           r->at + 1, c);
}

static void skip_space(struct reader *r)
{
	while (r->at < r->len && (r->s[r->at] == ' ' || r->s[r->at] == '\t' ||
	                          r->s[r->at] == '\r' || r->s[r->at] == '\n'))
		r->at++;
}

static bool grow(struct json *j)
{
	uint32_t cap = j->cap * 2;
	struct json_node *old = j->nodes == j->few ? NULL : j->nodes;
	struct json_node *nodes = realloc(old, cap * sizeof *nodes);
	if (!nodes)
		return false;
	if (!old)
		memcpy(nodes, j->few, sizeof j->few);
	j->nodes = nodes;
	j->cap = cap;
	return true;
}

static int hex4(const struct reader *r, size_t at)
{
	int v = 0;
	if (at + 4 > r->len)
		return -1;
	for (size_t i = at; i < at + 4; i++) {
		int d = json_hex_digit(r->s[i]);
		if (d < 0)
			return -1;
		v = v * 16 + d;
	}
	return v;
}

/* At a backslash; leaves `at` after the escape. */
static int read_escape(struct reader *r)
{
	size_t at = r->at;
	if (at + 1 >= r->len) {
		r->at = r->len;
		return bad_byte(r, "the rest of an escape");
	}
	if (r->s[at + 1] != 'u') {
		if (!r->s[at + 1] || !strchr("\"\\/bfnrt", r->s[at + 1]))
			return BAD(r, "write a backslash in JSON as \\\\",
			           "a backslash at byte %zu that begins no JSON escape", at + 1);
		r->at += 2;
		return 0;
	}
	int v = hex4(r, at + 2);
	if (v < 0)
		return BAD(r, "write \\u with four hex digits", "a broken \\u escape at byte %zu",
		           at + 1);
	if (v == 0)
		return BAD(r, "leave NUL out; text cannot hold it", "\\u0000 at byte %zu", at + 1);
	r->at += 6;
	if (v < 0xD800 || v > 0xDFFF)
		return 0;
	if (v < 0xDC00 && r->at + 1 < r->len && r->s[r->at] == '\\' && r->s[r->at + 1] == 'u') {
		int low = hex4(r, r->at + 2);
		if (low >= 0xDC00 && low <= 0xDFFF) {
			r->at += 6;
			return 0;
		}
	}
	return BAD(r, "write the character itself in UTF-8, or both halves of the pair",
	           "half a surrogate pair at byte %zu", at + 1);
}

/* At the opening quote; leaves `at` after the closing one. */
static int read_string(struct reader *r, struct json_span *out)
{
	size_t open = r->at++;
	*out = (struct json_span){ (uint32_t)r->at, 0, false };
	for (;;) {
		r->at += ascii_in_json(r->s + r->at, r->len - r->at);
		if (r->at >= r->len)
			return BAD(r, todo_json, "the string that begins at byte %zu does not end",
			           open + 1);
		unsigned char c = (unsigned char)r->s[r->at];
		if (c == '"')
			break;
		if (c == '\\') {
			out->escaped = true;
			int rc = read_escape(r);
			if (rc)
				return rc;
		} else if (c == 0) {
			return bad_byte(r, "text");
		} else if (c < 0x20) {
			return BAD(r, "write a newline as \\n, a tab as \\t, others as \\u00XX",
			           "a raw control byte 0x%02x inside a string at byte %zu", c,
			           r->at + 1);
		} else {
			size_t n = utf8_size(r->s + r->at, r->len - r->at);
			if (n == 0)
				return BAD(r, "save the text as UTF-8 (`iconv -t UTF-8`)",
				           "invalid UTF-8 at byte %zu (0x%02x)", r->at + 1, c);
			r->at += n;
		}
	}
	out->len = (uint32_t)(r->at++ - out->at);
	return 0;
}

static size_t digits(struct reader *r)
{
	size_t from = r->at;
	while (r->at < r->len && r->s[r->at] >= '0' && r->s[r->at] <= '9')
		r->at++;
	return r->at - from;
}

/* At the sign or first digit; leaves `at` after the number. */
static int read_number(struct reader *r, struct json_node *node)
{
	size_t from = r->at;
	node->type = VALUE_INTEGER;
	if (r->s[r->at] == '-')
		r->at++;
	bool zero = r->at < r->len && r->s[r->at] == '0';
	size_t whole = digits(r);
	if (whole == 0)
		return bad_byte(r, "a digit");
	if (zero && whole > 1)
		return BAD(r, "write numbers without leading zeros, or as a string",
		           "a number with a leading zero at byte %zu", from + 1);
	if (r->at < r->len && r->s[r->at] == '.') {
		node->type = VALUE_REAL;
		r->at++;
		if (digits(r) == 0)
			return bad_byte(r, "a digit after the point");
	}
	if (r->at < r->len && (r->s[r->at] == 'e' || r->s[r->at] == 'E')) {
		node->type = VALUE_REAL;
		r->at++;
		if (r->at < r->len && (r->s[r->at] == '+' || r->s[r->at] == '-'))
			r->at++;
		if (digits(r) == 0)
			return bad_byte(r, "a digit of the exponent");
	}
	if (!json_number_fits(r->s + from, r->at - from))
		return BAD(r, "write numbers beyond 1.7e308 as a string",
		           "a number too large for any reader at byte %zu", from + 1);
	return 0;
}

static int read_word(struct reader *r, struct json_node *node)
{
	static const struct {
		const char *word;
		size_t len;
		enum json_type type;
	} words[] = { { "null", 4, VALUE_NULL },
	            { "true", 4, VALUE_TRUE },
	            { "false", 5, VALUE_FALSE } };

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (r->len - r->at >= words[i].len &&
		    memcmp(r->s + r->at, words[i].word, words[i].len) == 0) {
			node->type = words[i].type;
			r->at += words[i].len;
			return 0;
		}
	return bad_byte(r, "a JSON value");
}

static int read_key(struct reader *r, struct json_span *key)
{
	skip_space(r);
	if (r->at >= r->len || r->s[r->at] != '"')
		return bad_byte(r, "a member's name in double quotes");
	int rc = read_string(r, key);
	if (rc)
		return rc;
	skip_space(r);
	if (r->at >= r->len || r->s[r->at] != ':')
		return bad_byte(r, "':'");
	r->at++;
	return 0;
}

/* At the bracket; reads what the container `self` holds and its closing bracket. */
static int read_members(struct reader *r, uint32_t self, char close)
{
	uint32_t members = 0;
	r->at++;
	skip_space(r);
	if (r->at < r->len && r->s[r->at] == close) {
		r->at++;
		return 0;
	}
	for (;;) {
		struct json_span key = { 0, 0, false };
		int rc = close == '}' ? read_key(r, &key) : 0;
		if (!rc)
			rc = read_value(r, key);
		if (rc)
			return rc;
		members++;
		skip_space(r);
		if (r->at >= r->len || (r->s[r->at] != ',' && r->s[r->at] != close))
			return bad_byte(r, close == '}' ? "',' or '}'" : "',' or ']'");
		if (r->s[r->at++] == close)
			break;
	}
	return close == '}' ? json_check_keys(r->j, self, members, r->why) : 0;
}

static int read_container(struct reader *r, uint32_t self)
{
	bool object = r->s[r->at] == '{';
	r->j->nodes[self].type = object ? VALUE_OBJECT : VALUE_ARRAY;
	if (++r->depth > r->limit)
		return BAD(r, "flatten it, or give the inner part as a string",
		           "nested deeper than %u at byte %zu", r->limit, r->at + 1);
	int rc = read_members(r, self, object ? '}' : ']');
	r->depth--;
	return rc;
}

static int read_value(struct reader *r, struct json_span key)
{
	struct json *j = r->j;
	skip_space(r);
	if (r->at >= r->len)
		return bad_byte(r, "a JSON value");
	if (j->count == j->cap && !grow(j))
		return RENDER_ENOMEM;
	uint32_t self = j->count++, from = (uint32_t)r->at;
	struct json_node *node = &j->nodes[self];
	node->key = key;
	node->type = VALUE_STRING;
	int rc;
	char c = r->s[r->at];
	if (c == '"') {
		rc = read_string(r, &node->value);
	} else {
		if (c == '{' || c == '[')
			rc = read_container(r, self);
		else if (c == '-' || (c >= '0' && c <= '9'))
			rc = read_number(r, node);
		else
			rc = read_word(r, node);
		node = &j->nodes[self]; /* a container's values may have moved the nodes */
		node->value = (struct json_span){ from, (uint32_t)r->at - from, false };
	}
	node->next = j->count;
	return rc;
}

int json_read(struct json *j, const char *text, size_t len, unsigned depth_limit, struct why *why)
{
	struct reader r = { j, text, 0, len, 0, depth_limit, why };
	j->text = text;
	j->len = len;
	j->nodes = j->few;
	j->count = 0;
	j->cap = NODES_INLINE;
	if (len > UINT32_MAX / 2)
		return RENDER_EFBIG;
	int rc = read_value(&r, (struct json_span){ 0, 0, false });
	if (rc)
		return rc;
	skip_space(&r);
	return r.at == len ? 0 : bad_byte(&r, "the end of the line");
}

void json_release(struct json *j)
{
	if (j->nodes != j->few)
		free(j->nodes);
	j->nodes = j->few;
	j->count = 0;
}

const struct json *json_read_body(struct json *j, const struct entry *e, struct buf *out)
{
	/* Rows by other programs may nest deeper than what we let in. */
	int rc = e->body ? json_read(j, e->body, e->body_len, 2 * DEPTH_LIMIT, NULL) : RENDER_EINVAL;
	if (rc == RENDER_ENOMEM)
		out->failed = true;
	return rc == 0 && j->nodes[0].type == VALUE_OBJECT ? j : NULL;
}

/* SPDX-License-Identifier: MIT */
/* Keys, escapes and numbers of JSON that json.c has found well-formed. */
#include "render/format/json_key.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "render/format/buf.h"
#include "render/format/codes.h"
#include "render/format/json.h"
#include "render/format/utf8.h"

enum { WHOLE_DIGITS = 309 }; /* of the largest double */
enum { FEW = 16 }; /* up to here comparing each with each is faster than sorting */

static uint32_t hex4(const char *s)
{
	uint32_t v = 0;
	for (int i = 0; i < 4; i++)
		v = v * 16 + (uint32_t)json_hex_digit(s[i]);
	return v;
}

/* Decodes what stands at s into dst (4 bytes); sets *used, returns the decoded size. */
static size_t decode(const char *s, size_t *used, char *dst)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	if (*s != '\\') {
		*used = 1;
		*dst = *s;
		return 1;
	}
	if (s[1] != 'u') {
		const char *p = strchr(from, s[1]);
		*used = 2;
		*dst = p ? to[p - from] : s[1];
		return 1;
	}
	uint32_t cp = hex4(s + 2);
	*used = 6;
	if (cp >= 0xD800 && cp <= 0xDBFF) {
		cp = 0x10000 + ((cp - 0xD800) << 10) + (hex4(s + 8) - 0xDC00);
		*used = 12;
	}
	return utf8_put(dst, cp);
}

void json_unescape(const struct json *j, struct json_span s, struct buf *out)
{
	const char *p = json_at(j, s), *end = p + s.len;
	while (s.escaped && p < end) {
		const char *slash = memchr(p, '\\', (size_t)(end - p));
		if (!slash)
			break;
		buf_add(out, p, (size_t)(slash - p));
		char dst[4];
		size_t used;
		size_t n = decode(slash, &used, dst);
		buf_add(out, dst, n);
		p = slash + used;
	}
	buf_add(out, p, (size_t)(end - p));
}

/* A string's decoded bytes, one after the other. */
struct walk {
	const char *p, *end;
	char held[4];
	size_t count, next;
};

static int walk_next(struct walk *w)
{
	if (w->next == w->count) {
		size_t used;
		if (w->p == w->end)
			return -1;
		w->count = decode(w->p, &used, w->held);
		w->next = 0;
		w->p += used;
	}
	return (unsigned char)w->held[w->next++];
}

static int compare_spans(const char *a, size_t alen, const char *b, size_t blen)
{
	struct walk x = { .p = a, .end = a + alen }, y = { .p = b, .end = b + blen };
	for (;;) {
		int c = walk_next(&x), d = walk_next(&y);
		if (c != d)
			return c < d ? -1 : 1;
		if (c < 0)
			return 0;
	}
}

static int compare_keys(const struct json *j, struct json_span a, struct json_span b)
{
	if (a.escaped || b.escaped)
		return compare_spans(json_at(j, a), a.len, json_at(j, b), b.len);
	if (a.len != b.len)
		return a.len < b.len ? -1 : 1;
	return memcmp(json_at(j, a), json_at(j, b), a.len);
}

/* For qsort one order must hold for escaped and plain keys alike: by bytes. */
static int compare_nodes(const void *a, const void *b, void *ctx)
{
	const struct json *j = ctx;
	const struct json_node *x = &j->nodes[*(const uint32_t *)a];
	const struct json_node *y = &j->nodes[*(const uint32_t *)b];
	int rc;
	if (x->key.escaped || y->key.escaped) {
		rc = compare_keys(j, x->key, y->key);
	} else {
		uint32_t least = x->key.len < y->key.len ? x->key.len : y->key.len;
		rc = memcmp(json_at(j, x->key), json_at(j, y->key), least);
		if (rc == 0)
			rc = (x->key.len > y->key.len) - (x->key.len < y->key.len);
	}
	return rc;
}

static int twice(const struct json *j, uint32_t node, struct why *why)
{
	struct json_span key = j->nodes[node].key;
	int most = key.len > 80 ? 80 : (int)key.len;
	while (most > 0 && (uint32_t)most < key.len && (json_at(j, key)[most] & 0xC0) == 0x80)
		most--;
	why_set(why, "name each member once; put several values into an array",
	        "member `%.*s` stands twice in one object, again at byte %u", most,
	        json_at(j, key), key.at);
	return RENDER_EINVAL;
}

static int check_many(const struct json *j, uint32_t object, uint32_t members, struct why *why)
{
	int rc = 0;
	uint32_t *all = malloc(members * sizeof *all);
	if (!all)
		return RENDER_ENOMEM;
	for (uint32_t i = 0, n = object + 1; i < members; i++, n = j->nodes[n].next)
		all[i] = n;
	qsort_r(all, members, sizeof *all, compare_nodes, (void *)j);
	for (uint32_t i = 1; i < members && !rc; i++)
		if (compare_keys(j, j->nodes[all[i - 1]].key, j->nodes[all[i]].key) == 0)
			rc = twice(j, all[i] > all[i - 1] ? all[i] : all[i - 1], why);
	free(all);
	return rc;
}

int json_check_keys(const struct json *j, uint32_t object, uint32_t members, struct why *why)
{
	if (members > FEW)
		return check_many(j, object, members, why);
	for (uint32_t i = 1, b = object + 1; i < members; i++) {
		b = j->nodes[b].next;
		for (uint32_t a = object + 1; a != b; a = j->nodes[a].next)
			if (compare_keys(j, j->nodes[a].key, j->nodes[b].key) == 0)
				return twice(j, b, why);
	}
	return 0;
}

bool json_is(const struct json *j, struct json_span s, const char *name)
{
	size_t len = strlen(name);
	if (!s.escaped)
		return s.len == len && memcmp(json_at(j, s), name, len) == 0;
	struct walk w = { .p = json_at(j, s), .end = json_at(j, s) + s.len };
	for (size_t i = 0; i < len; i++)
		if (walk_next(&w) != (unsigned char)name[i])
			return false;
	return walk_next(&w) < 0;
}

uint32_t json_member(const struct json *j, uint32_t at, const char *name)
{
	for (uint32_t n = at + 1; n < j->nodes[at].next; n = j->nodes[n].next)
		if (json_is(j, j->nodes[n].key, name))
			return n;
	return 0;
}

bool json_number_fits(const char *s, size_t len)
{
	char lead[WHOLE_DIGITS + 1] = ""; /* the digits before the point */
	size_t kept = 0, i = *s == '-';
	int64_t whole = 0, exponent = 0;
	bool point = false, nonzero = false;
	if (len < 300 && !memchr(s, 'e', len) && !memchr(s, 'E', len))
		return true;
	for (; i < len && s[i] != 'e' && s[i] != 'E'; i++) {
		if (s[i] == '.') {
			point = true;
			continue;
		}
		nonzero = nonzero || s[i] != '0';
		if (nonzero && kept < WHOLE_DIGITS)
			lead[kept++] = s[i];
		if (nonzero && !point)
			whole++; /* digits before the point */
		if (!nonzero && point)
			whole--;
	}
	bool negative = i + 1 < len && s[i + 1] == '-';
	for (i++; i < len; i++)
		if (s[i] >= '0' && s[i] <= '9' && exponent < 100000000)
			exponent = exponent * 10 + (s[i] - '0');
	whole += negative ? -exponent : exponent;
	if (!nonzero || whole < WHOLE_DIGITS)
		return true;
	memset(lead + kept, '0', WHOLE_DIGITS - kept);
	return whole == WHOLE_DIGITS && strtod(lead, NULL) <= DBL_MAX;
}

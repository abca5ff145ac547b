/* SPDX-License-Identifier: MIT */
/*
 * `from` of an offered line, and what it tells when the line is shown.  The store reads the same
 * members for its views (store/logs/saying.c); tests/unit/test_saying.c holds the two together.
 */
#include "render/logs/saying.h"

#include <string.h>

static int wrong(const struct json *j, uint32_t n, const char *member, const char *wanted,
                 const char *todo, struct why *why)
{
	why_set(why, todo, "member `%s` at byte %u is not %s", member,
	        j->nodes[n].value.at + (j->nodes[n].type != VALUE_STRING), wanted);
	return RENDER_EINVAL;
}

/* The string of a member, unescaped; false: it is none, or there is no memory. */
static bool text_of(const struct json *j, uint32_t n, struct buf *out)
{
	buf_clear(out);
	if (!n || j->nodes[n].type != VALUE_STRING)
		return false;
	json_unescape(j, j->nodes[n].value, out);
	return !out->failed && out->len > 0;
}

static bool is_null(const struct json *j, uint32_t n)
{
	return !n || j->nodes[n].type == VALUE_NULL;
}

/* A date, or what begins like one, of a year that the tape's times do not reach. */
static bool is_early(const struct buf *text)
{
	return text->len > 4 && strspn(text->data, "0123456789") == 4 && text->data[4] == '-' &&
	       strncmp(text->data, "1970", 4) < 0;
}

static int check_time(const struct json *j, uint32_t at, struct buf *text, struct why *why)
{
	int64_t time_us;
	if (is_null(j, at) || (text_of(j, at, text) && time_read(text->data, text->len, &time_us)))
		return 0;
	return is_early(text) ?
		wrong(j, at, "from.at", "from 1970 on",
		      "times are counted from 1970: leave `at` out, and say in `content` when it was",
		      why) :
		wrong(j, at, "from.at", "a time",
		      "say when it was said as \"2023-05-08T10:00:00Z\", with a zone or Z, or as "
		      "\"2023-05-08\"; or leave `at` out", why);
}

int saying_check(const struct json *j, uint32_t from, struct why *why)
{
	struct buf text = BUF_INIT;
	int rc;
	if (is_null(j, from))
		return 0;
	if (j->nodes[from].type != VALUE_OBJECT)
		return wrong(j, from, "from", "an object",
		             "give `from` as {\"at\":\"2023-05-08T10:00:00Z\",\"author\":\"Bob\"}, or "
		             "leave it out", why);
	uint32_t at = json_member(j, from, "at"), author = json_member(j, from, "author");
	rc = check_time(j, at, &text, why);
	if (rc == 0 && !is_null(j, author) && (!text_of(j, author, &text) || text.len > FIELD_MAX))
		rc = wrong(j, author, "from.author", "a name",
		           "give who said it as a string of 1 to 128 bytes, or leave `author` out", why);
	if (text.failed)
		rc = RENDER_ENOMEM;
	buf_release(&text);
	return rc;
}

static bool take_time(const struct json *j, uint32_t n, int64_t latest, struct buf *text,
                      int64_t *time_us)
{
	int64_t us;
	if (!text_of(j, n, text) || !time_read(text->data, text->len, &us) || us > latest)
		return false;
	*time_us = us;
	return true;
}

static bool take_name(const struct json *j, uint32_t n, struct buf *text, char by[FIELD_MAX + 1])
{
	if (!text_of(j, n, text))
		return false;
	size_t len = utf8_fit(text->data, strnlen(text->data, text->len), FIELD_MAX);
	memcpy(by, text->data, len);
	by[len] = '\0';
	return len > 0;
}

static uint32_t object(const struct json *j, const char *name)
{
	uint32_t n = j ? json_member(j, 0, name) : 0;
	return n && j->nodes[n].type == VALUE_OBJECT ? n : 0;
}

/* A member of an object that may not be there. */
static uint32_t inner(const struct json *j, uint32_t of, const char *name)
{
	return of ? json_member(j, of, name) : 0;
}

/* As in store/logs/saying.c. */
static bool is_copied(const struct json *j, uint32_t source)
{
	uint32_t hash = inner(j, source, "hash");
	return hash && j->nodes[hash].type == VALUE_STRING && inner(j, source, "prev_hash");
}

static uint32_t first_source(const struct json *j, uint32_t source)
{
	while (is_copied(j, source)) {
		uint32_t next = inner(j, source, "source");
		if (!next || j->nodes[next].type != VALUE_OBJECT || !json_member(j, next, "timestamp"))
			break;
		source = next;
	}
	return source;
}

void saying_read(const struct json *j, const struct entry *e, struct saying *out)
{
	struct buf text = BUF_INIT;
	uint32_t from = object(j, "from"), source = object(j, "source");
	*out = (struct saying){ .time_us = e->time_us, .copied = is_copied(j, source) };
	source = first_source(j, source);
	out->told = take_time(j, inner(j, from, "at"), e->time_us, &text, &out->time_us) ||
	            take_time(j, inner(j, source, "timestamp"), e->time_us, &text, &out->time_us);
	if (!take_name(j, inner(j, from, "author"), &text, out->by))
		(void)take_name(j, inner(j, source, "author"), &text, out->by);
	buf_release(&text);
}

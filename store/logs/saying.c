/* SPDX-License-Identifier: MIT */
/*
 * When and by whom a message was said, as its line tells: `from`, else what a client gave of its
 * own under `timestamp` and `author` (moved to `source`).  Rows by other programs hold anything:
 * what makes no sense is not there.
 */
#include <jansson.h>
#include <string.h>

#include "store/base/base.h"
#include "store/logs/logs.h"

/* A time that is one and not after the entry's: nobody says tomorrow what was written today. */
static bool take_time(const json_t *value, int64_t latest, int64_t *time_us)
{
	int64_t us;
	if (!json_is_string(value) ||
	    !time_of_text(json_string_value(value), json_string_length(value), &us) || us > latest)
		return false;
	*time_us = us;
	return true;
}

/* Cut where it is too long, never within a character. */
static bool take_name(const json_t *value, char by[FIELD_MAX + 1])
{
	size_t len = json_string_length(value);
	if (!json_is_string(value) || len == 0)
		return false;
	const char *text = json_string_value(value);
	len = strnlen(text, len);
	if (len > FIELD_MAX)
		for (len = FIELD_MAX; len > 0 && (text[len] & 0xC0) == 0x80;)
			len--;
	memcpy(by, text, len);
	by[len] = '\0';
	return len > 0;
}

/* What a line of a log has, when it is copied into another. */
static bool is_copied(const json_t *source)
{
	return json_is_string(json_object_get(source, "hash")) && json_object_get(source, "prev_hash");
}

/* Of a copy of a copy, what the first line said. */
static const json_t *first_source(const json_t *source)
{
	while (is_copied(source)) {
		const json_t *next = json_object_get(source, "source");
		if (!json_object_get(next, "timestamp"))
			break;
		source = next;
	}
	return source;
}

void log_said(const json_t *body, const struct entry *e, struct saying *out)
{
	const json_t *from = json_object_get(body, "from"), *source = json_object_get(body, "source");
	*out = (struct saying){ .time_us = e->time_us, .copied = is_copied(source) };
	source = first_source(source);
	out->told = take_time(json_object_get(from, "at"), e->time_us, &out->time_us) ||
		take_time(json_object_get(source, "timestamp"), e->time_us, &out->time_us);
	if (!take_name(json_object_get(from, "author"), out->by))
		(void)take_name(json_object_get(source, "author"), out->by);
}

/* Most lines tell nothing: then the body need not be read. */
static bool may_tell(const struct entry *e)
{
	return e->body && (memmem(e->body, e->body_len, "\"from\"", 6) ||
	                   memmem(e->body, e->body_len, "\"source\"", 8) ||
	                   memmem(e->body, e->body_len, "\\u", 2)); /* "fr\u006fm" */
}

void store_said(const struct entry *e, struct saying *out)
{
	json_t *body = may_tell(e) ? json_loadb(e->body, e->body_len, JSON_DECODE_INT_AS_REAL, NULL) :
		NULL;
	log_said(body, e, out);
	json_decref(body);
}

/* SPDX-License-Identifier: MIT */
/* Rows to lines.  Knows bytes, never the database. */
#include "store/tape/line.h"

#include <assert.h>
#include <string.h>

enum { TIME_SIZE = 27, INT_SIZE = 20, HASH_HEX = 2 * HASH_SIZE, SALT_HEX = 2 * SALT_SIZE };

/* 9999-12-31T23:59:59.999999Z: later times are shown as this, so that a time is 27 bytes. */
#define TIME_LAST INT64_C(253402300799999999)

#define LITERAL_SIZE(text) (sizeof(text) - 1)

/* ---- sizes ------------------------------------------------------------ */

static size_t int_size(int64_t v)
{
	size_t n = v < 0 ? 2 : 1;
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	while (u >= 10) {
		u /= 10;
		n++;
	}
	return n;
}

/* Bytes more than one that a byte takes inside a JSON string. */
static const uint8_t escape_extra[256] = {
	5, 5, 5, 5, 5, 5, 5, 5, 1, 1, 1, 5, 1, 1, 5, 5,
	5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5,
	['"'] = 1, ['\\'] = 1,
};

static size_t string_size(const char *text, size_t len)
{
	size_t extra = 0;
	for (size_t i = 0; i < len; i++)
		extra += escape_extra[(unsigned char)text[i]];
	return 2 + len + extra;
}

/*
 * True if the body's members may stand in the line as they are.  Bodies are made by us
 * and are JSON; what is checked is what would break the line apart.
 */
static bool is_object(const struct entry *e)
{
	size_t len = e->body_len;
	return len >= 2 && e->body[0] == '{' && e->body[len - 1] == '}' &&
	       (len == 2 || e->body[1] == '"') && !memchr(e->body, '\n', len);
}

static size_t members_size(const struct entry *e)
{
	if (!e->body)
		return LITERAL_SIZE(",\"missing\":true");
	if (!is_object(e))
		return LITERAL_SIZE(",\"body\":") + string_size(e->body, e->body_len);
	return e->body_len == 2 ? 0 : e->body_len - 1; /* without braces, with a comma */
}

/* In place of a damaged row's line: shorter than any, so that blanks can fill the room it had. */
#define DAMAGED_HEAD "{\"id\":"
#define DAMAGED_REST ",\"damaged\":\"" DAMAGED_TEXT "\"}"

static size_t damaged_size(const struct entry *e)
{
	return e->room ? e->room : LITERAL_SIZE(DAMAGED_HEAD) + int_size(e->stream_seq + 1) +
	       LITERAL_SIZE(DAMAGED_REST "\n");
}

size_t line_size(const struct entry *e)
{
	if (e->damaged)
		return damaged_size(e);
	size_t prev = e->stream_seq == 0 ? LITERAL_SIZE("null") : HASH_HEX + 2;
	size_t session = e->session ?
		LITERAL_SIZE(",\"session\":") + string_size(e->session, strlen(e->session)) : 0;
	return LITERAL_SIZE("{\"id\":") + int_size(e->stream_seq + 1) +
	       LITERAL_SIZE(",\"timestamp\":\"\"") + TIME_SIZE +
	       LITERAL_SIZE(",\"author\":") + string_size(e->author, strlen(e->author)) +
	       members_size(e) + session +
	       LITERAL_SIZE(",\"prev_hash\":") + prev +
	       LITERAL_SIZE(",\"hash\":\"\"}\n") + HASH_HEX;
}

/* The tape's own lines show rows as they are: of a redacted one, no body. */
static bool shows_body(const struct entry *e)
{
	return e->salt && e->body;
}

static int64_t hashed_len(const struct entry *e)
{
	return (int64_t)(e->salt ? e->body_len : e->hashed_len);
}

size_t tape_line_size(const struct entry *e)
{
	return LITERAL_SIZE("{\"seq\":") + int_size(e->seq) +
	       LITERAL_SIZE(",\"stream\":") + string_size(e->stream, strlen(e->stream)) +
	       LITERAL_SIZE(",\"stream_seq\":") + int_size(e->stream_seq) +
	       LITERAL_SIZE(",\"prev\":\"\"") + HASH_HEX +
	       LITERAL_SIZE(",\"time_us\":") + int_size(e->time_us) +
	       LITERAL_SIZE(",\"kind\":") + string_size(e->kind, strlen(e->kind)) +
	       LITERAL_SIZE(",\"author\":") + string_size(e->author, strlen(e->author)) +
	       LITERAL_SIZE(",\"body_len\":") + int_size(hashed_len(e)) +
	       LITERAL_SIZE(",\"body_hash\":\"\"") + HASH_HEX +
	       LITERAL_SIZE(",\"hash\":\"\"") + HASH_HEX +
	       LITERAL_SIZE(",\"salt\":") + (e->salt ? SALT_HEX + 2 : LITERAL_SIZE("null")) +
	       LITERAL_SIZE(",\"body\":") +
	       (shows_body(e) ? string_size(e->body, e->body_len) : LITERAL_SIZE("null")) +
	       LITERAL_SIZE("}\n");
}

/* ---- bytes: each puts at p and returns where the next goes -------------- */

static char *line_put(char *p, const void *bytes, size_t len)
{
	memcpy(p, bytes, len);
	return p + len;
}

#define PUT_LITERAL(p, text) line_put((p), (text), LITERAL_SIZE(text))

static char *put_int(char *p, int64_t v)
{
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	char *end = p + int_size(v);
	if (v < 0)
		*p = '-';
	for (char *q = end; q > p + (v < 0); u /= 10)
		*--q = (char)('0' + u % 10);
	return end;
}

/* `n` digits with leading zeros */
static char *put_fixed(char *p, int64_t v, int n)
{
	for (int i = n; i-- > 0; v /= 10)
		p[i] = (char)('0' + v % 10);
	return p + n;
}

static const char digit[] = "0123456789abcdef";

static char *put_hex(char *p, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		*p++ = digit[bytes[i] >> 4];
		*p++ = digit[bytes[i] & 15];
	}
	return p;
}

static char *put_hash(char *p, const uint8_t hash[HASH_SIZE])
{
	*p++ = '"';
	p = put_hex(p, hash, HASH_SIZE);
	*p++ = '"';
	return p;
}

static char *put_escape(char *p, unsigned char c)
{
	static const char short_for[] = "\b\t\n\f\r\"\\", letter[] = "btnfr\"\\";
	*p++ = '\\';
	if (escape_extra[c] == 1) {
		*p++ = letter[strchr(short_for, c) - short_for];
		return p;
	}
	p = PUT_LITERAL(p, "u00");
	*p++ = digit[c >> 4];
	*p++ = digit[c & 15];
	return p;
}

static char *put_string(char *p, const char *text, size_t len)
{
	*p++ = '"';
	for (size_t i = 0; i < len; i++) {
		if (escape_extra[(unsigned char)text[i]])
			p = put_escape(p, (unsigned char)text[i]);
		else
			*p++ = text[i];
	}
	*p++ = '"';
	return p;
}

/* RFC 3339 with microseconds; days to a date in a calendar whose year begins in March. */
static char *put_time(char *p, int64_t us)
{
	us = us < 0 ? 0 : us > TIME_LAST ? TIME_LAST : us;
	int64_t second = us / 1000000, of_day = second % 86400, day = second / 86400 + 719468;
	int64_t era = day / 146097, of_era = day % 146097;
	int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * of_year + 2) / 153;
	int64_t mday = of_year - (153 * month + 2) / 5 + 1;
	month += month < 10 ? 3 : -9;
	year += era * 400 + (month <= 2);
	p = put_fixed(p, year, 4);
	*p++ = '-';
	p = put_fixed(p, month, 2);
	*p++ = '-';
	p = put_fixed(p, mday, 2);
	*p++ = 'T';
	p = put_fixed(p, of_day / 3600, 2);
	*p++ = ':';
	p = put_fixed(p, of_day / 60 % 60, 2);
	*p++ = ':';
	p = put_fixed(p, of_day % 60, 2);
	*p++ = '.';
	p = put_fixed(p, us % 1000000, 6);
	*p++ = 'Z';
	return p;
}

static char *put_members(char *p, const struct entry *e)
{
	if (!e->body)
		return PUT_LITERAL(p, ",\"missing\":true");
	if (!is_object(e)) {
		p = PUT_LITERAL(p, ",\"body\":");
		return put_string(p, e->body, e->body_len);
	}
	if (e->body_len == 2)
		return p;
	*p++ = ',';
	return line_put(p, e->body + 1, e->body_len - 2);
}

/* Only another program's view can have left too little room: then what fits. */
static void write_damaged(const struct entry *e, char *dst)
{
	char line[sizeof DAMAGED_HEAD DAMAGED_REST + INT_SIZE], *p = PUT_LITERAL(line, DAMAGED_HEAD);
	p = put_int(p, e->stream_seq + 1);
	p = PUT_LITERAL(p, DAMAGED_REST);
	size_t size = damaged_size(e), len = (size_t)(p - line) < size ? (size_t)(p - line) : size - 1;
	memcpy(dst, line, len);
	memset(dst + len, ' ', size - len - 1);
	dst[size - 1] = '\n';
}

void line_write(const struct entry *e, char *dst)
{
	if (e->damaged) {
		write_damaged(e, dst);
		return;
	}
	char *p = PUT_LITERAL(dst, "{\"id\":");
	p = put_int(p, e->stream_seq + 1);
	p = PUT_LITERAL(p, ",\"timestamp\":\"");
	p = put_time(p, e->time_us);
	p = PUT_LITERAL(p, "\",\"author\":");
	p = put_string(p, e->author, strlen(e->author));
	p = put_members(p, e);
	if (e->session) { /* behind the members: of two of one name, readers take the last */
		p = PUT_LITERAL(p, ",\"session\":");
		p = put_string(p, e->session, strlen(e->session));
	}
	p = PUT_LITERAL(p, ",\"prev_hash\":");
	p = e->stream_seq == 0 ? PUT_LITERAL(p, "null") : put_hash(p, e->prev);
	p = PUT_LITERAL(p, ",\"hash\":");
	p = put_hash(p, e->leaf_hash);
	p = PUT_LITERAL(p, "}\n");
	assert((size_t)(p - dst) == line_size(e));
	(void)p;
}

static char *put_salt(char *p, const uint8_t *salt)
{
	if (!salt)
		return PUT_LITERAL(p, "null");
	*p++ = '"';
	p = put_hex(p, salt, SALT_SIZE);
	*p++ = '"';
	return p;
}

void tape_line_write(const struct entry *e, char *dst)
{
	char *p = PUT_LITERAL(dst, "{\"seq\":");
	p = put_int(p, e->seq);
	p = PUT_LITERAL(p, ",\"stream\":");
	p = put_string(p, e->stream, strlen(e->stream));
	p = PUT_LITERAL(p, ",\"stream_seq\":");
	p = put_int(p, e->stream_seq);
	p = PUT_LITERAL(p, ",\"prev\":");
	p = put_hash(p, e->prev);
	p = PUT_LITERAL(p, ",\"time_us\":");
	p = put_int(p, e->time_us);
	p = PUT_LITERAL(p, ",\"kind\":");
	p = put_string(p, e->kind, strlen(e->kind));
	p = PUT_LITERAL(p, ",\"author\":");
	p = put_string(p, e->author, strlen(e->author));
	p = PUT_LITERAL(p, ",\"body_len\":");
	p = put_int(p, hashed_len(e));
	p = PUT_LITERAL(p, ",\"body_hash\":");
	p = put_hash(p, e->body_hash);
	p = PUT_LITERAL(p, ",\"hash\":");
	p = put_hash(p, e->leaf_hash);
	p = PUT_LITERAL(p, ",\"salt\":");
	p = put_salt(p, e->salt);
	p = PUT_LITERAL(p, ",\"body\":");
	p = shows_body(e) ? put_string(p, e->body, e->body_len) : PUT_LITERAL(p, "null");
	p = PUT_LITERAL(p, "}\n");
	assert((size_t)(p - dst) == tape_line_size(e));
	(void)p;
}

/* ---- references ------------------------------------------------------------ */

static char *put_text(char *p, const char *member, const char *value)
{
	*p++ = ',';
	p = put_string(p, member, strlen(member));
	*p++ = ':';
	return *value ? put_string(p, value, strlen(value)) : PUT_LITERAL(p, "null");
}

size_t ref_line(const struct ref *r, char *dst)
{
	char *p = PUT_LITERAL(dst, "{\"id\":");
	p = put_int(p, r->id);
	p = PUT_LITERAL(p, ",\"message\":");
	p = put_int(p, r->message);
	p = put_text(p, "message_hash", r->message_hash);
	p = put_text(p, "ref_hash", r->ref_hash);
	p = put_text(p, "ref_type", r->ref_type);
	p = PUT_LITERAL(p, ",\"position\":");
	p = put_int(p, r->position);
	p = put_text(p, "thread_hash", r->thread_hash);
	p = PUT_LITERAL(p, "}\n");
	assert(p - dst <= REF_LINE_MOST);
	return (size_t)(p - dst);
}

/* SPDX-License-Identifier: MIT */
/* SQL text of a call (text.h). */
#include "store/server/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 4096 };

void sql_release(struct sql_text *t)
{
	free(t->bytes);
	*t = (struct sql_text){ 0 };
}

/* Room for so many more, and a NUL. */
static bool reserve(struct sql_text *t, size_t more)
{
	size_t room = t->room ? t->room : FIRST_ROOM;
	while (room < t->len + more + 1)
		room *= 2;
	char *bytes = t->failed || room == t->room ? t->bytes : realloc(t->bytes, room);
	t->failed |= !bytes;
	if (t->failed)
		return false;
	t->bytes = bytes;
	t->room = room;
	return true;
}

static void add(struct sql_text *t, const char *bytes, size_t len)
{
	if (!reserve(t, len))
		return;
	memcpy(t->bytes + t->len, bytes, len);
	t->len += len;
	t->bytes[t->len] = '\0';
}

void sql_add(struct sql_text *t, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof text)
		t->failed = true;
	else
		add(t, text, (size_t)n);
}

void sql_add_quoted(struct sql_text *t, const char *text)
{
	add(t, "'", 1);
	for (; *text; text++)
		add(t, *text == '\'' ? "''" : text, *text == '\'' ? 2 : 1);
	add(t, "'", 1);
}

static void add_hex(struct sql_text *t, const void *bytes, size_t len)
{
	static const char digit[] = "0123456789abcdef";
	const uint8_t *from = bytes;
	if (!reserve(t, 2 * len))
		return;
	char *to = t->bytes + t->len;
	for (size_t i = 0; i < len; i++) {
		*to++ = digit[from[i] >> 4];
		*to++ = digit[from[i] & 15];
	}
	*to = '\0';
	t->len += 2 * len;
}

void sql_add_bytes(struct sql_text *t, const void *bytes, size_t len)
{
	if (!bytes) {
		sql_add(t, "NULL");
		return;
	}
	sql_add(t, "'\\x");
	add_hex(t, bytes, len);
	sql_add(t, "'::bytea");
}

/* ---- arrays: '{…}', each element quoted within the quoted text ------------------ */

static void add_field(struct sql_text *t, const char *text)
{
	add(t, "\"", 1);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			add(t, "\\", 1);
		add(t, *text == '\'' ? "''" : text, *text == '\'' ? 2 : 1);
	}
	add(t, "\"", 1);
}

static void add_hex_field(struct sql_text *t, const void *bytes, size_t len)
{
	sql_add(t, "\"\\\\x");
	add_hex(t, bytes, len);
	add(t, "\"", 1);
}

enum part { PART_REQUEST, PART_STREAM, PART_KIND, PART_AUTHOR, PART_SALT, PART_BODY };

static void add_part(struct sql_text *t, const struct engine_draft *d, enum part part)
{
	switch (part) {
	case PART_REQUEST:
		sql_add(t, "%zu", d->request + 1);
		break;
	case PART_STREAM:
		add_field(t, d->draft->stream);
		break;
	case PART_KIND:
		add_field(t, d->draft->kind);
		break;
	case PART_AUTHOR:
		add_field(t, d->draft->author);
		break;
	case PART_SALT:
		add_hex_field(t, d->salt, SALT_SIZE);
		break;
	case PART_BODY:
		add_hex_field(t, d->draft->body ? d->draft->body : "", d->draft->body_len);
		break;
	}
}

static void add_parts(struct sql_text *t, const struct engine_call *c, enum part part)
{
	sql_add(t, ", '{");
	for (size_t i = 0; i < c->draft_count; i++) {
		if (i > 0)
			add(t, ",", 1);
		add_part(t, &c->drafts[i], part);
	}
	sql_add(t, "}'");
}

static void add_numbers(struct sql_text *t, const struct engine_call *c, size_t member)
{
	sql_add(t, ", '{");
	for (size_t i = 0; i < c->request_count; i++) {
		int64_t value;
		memcpy(&value, (const char *)&c->requests[i] + member, sizeof value);
		sql_add(t, "%s%lld", i > 0 ? "," : "", (long long)value);
	}
	sql_add(t, "}'");
}

void sql_add_call(struct sql_text *t, int64_t mount, int64_t number, const struct engine_call *c,
                  int64_t have, bool early)
{
	sql_add(t, "%sSELECT * FROM tape.append(%lld, %lld, %lld, %lld", early ? "BEGIN; " : "",
	        (long long)mount, (long long)number, (long long)have, (long long)c->time_us);
	add_numbers(t, c, offsetof(struct engine_request, expect));
	add_numbers(t, c, offsetof(struct engine_request, seen));
	add_numbers(t, c, offsetof(struct engine_request, said));
	for (enum part part = PART_REQUEST; part <= PART_BODY; part++)
		add_parts(t, c, part);
	sql_add(t, early ? ", true); COMMIT; CALL tape.flush(-1)" : ")");
}

void sql_add_row(struct sql_text *t, const struct entry *e)
{
	sql_add(t, "(%lld, ", (long long)e->seq);
	sql_add_quoted(t, e->stream);
	sql_add(t, ", %lld, ", (long long)e->stream_seq);
	sql_add_bytes(t, e->prev, HASH_SIZE);
	sql_add(t, ", %lld, ", (long long)e->time_us);
	sql_add_quoted(t, e->kind);
	sql_add(t, ", ");
	sql_add_quoted(t, e->author);
	sql_add(t, ", %zu, ", e->hashed_len);
	sql_add_bytes(t, e->body_hash, HASH_SIZE);
	sql_add(t, ", ");
	sql_add_bytes(t, e->leaf_hash, HASH_SIZE);
	sql_add(t, ", ");
	sql_add_bytes(t, e->salt, SALT_SIZE);
	sql_add(t, ", ");
	sql_add_bytes(t, e->salt ? e->body : NULL, e->body_len);
	sql_add(t, ")");
}

/* SPDX-License-Identifier: MIT */
/*
 * Bodies of `document` entries, for reading a version (doc.c) and for the views
 * (view_doc.c).  Any program may have written them: nothing here may fail for
 * what it reads.
 */
#include "store/documents/doc_body.h"

#include <limits.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "store/array.h"
#include "store/base/hash.h"
#include "store/db/db.h"
#include "store/store.h"

/* Integers of any size are valid JSON, and a text may hold U+0000. */
enum { READ_FLAGS = JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL };

enum { TEXT_HASHED = 1024 }; /* bytes of a text */

int64_t doc_body_number(const json_t *value)
{
	double n = json_number_value(value);
	return n >= 0 && n <= 1e15 ? (int64_t)n : 0;
}

/* Bytes that are no UTF-8 travel as base64 with padding. */
static int decode(const char *text, size_t len, struct doc_body *out)
{
	int got = -1;
	out->bytes = malloc(len + 1);
	if (!out->bytes)
		return STORE_ENOMEM;
	if (len % 4 == 0 && len <= INT_MAX)
		got = EVP_DecodeBlock((unsigned char *)out->bytes, (const unsigned char *)text, (int)len);
	for (size_t pad = 0; got > 0 && pad < 2 && text[len - 1 - pad] == '='; pad++)
		got--;
	out->len = got > 0 ? (size_t)got : 0;
	out->bytes[out->len] = '\0';
	return 0;
}

static int read_bytes(struct doc_body *out)
{
	const json_t *text = json_object_get(out->json, "text");
	const json_t *code = json_object_get(out->json, "base64");
	if (!json_is_string(text) && json_is_string(code))
		return decode(json_string_value(code), json_string_length(code), out);
	out->len = json_string_length(text); /* 0 when it is none */
	out->bytes = bytes_copy(out->len ? json_string_value(text) : "", out->len);
	return out->bytes ? 0 : STORE_ENOMEM;
}

static const char lead[] = "{\"fields\":";
enum { LEAD = sizeof lead - 1 };

/* Where what begins behind `lead` ends; 0: the body does not begin like that. */
static size_t end_of_fields(const char *body, size_t len)
{
	json_error_t where;
	if (len <= LEAD || memcmp(body, lead, LEAD) != 0)
		return 0;
	json_t *first =
		json_loadb(body + LEAD, len - LEAD, READ_FLAGS | JSON_DISABLE_EOF_CHECK, &where);
	size_t end = first ? LEAD + (size_t)where.position : 0;
	json_decref(first);
	return end;
}

/*
 * The fields as they stand in the body: numbers written again would change their
 * spelling.  Our bodies begin with them; in others' the parsed object must do.
 */
static int read_fields(const char *body, size_t end, struct doc_body *out)
{
	const json_t *fields = json_object_get(out->json, "fields");
	out->fields = !json_is_object(fields) ? strdup("{}") :
		end ? bytes_copy(body + LEAD, end - LEAD) : json_dumps(fields, JSON_COMPACT);
	return out->fields ? 0 : STORE_ENOMEM;
}

/*
 * Our own bodies end with the text: jansson gets what is before it, with an empty one in its
 * place.  False, with nothing in `out`: it is no such body, and jansson must read all of it.
 */
static bool read_own(const char *body, size_t len, size_t fields, struct doc_body *out)
{
	static const char name[] = ",\"text\":\"", tail[] = "\"}";
	enum { NAME = sizeof name - 1, TAIL = sizeof tail - 1, BETWEEN = 512 };
	size_t span = len - fields < BETWEEN ? len - fields : BETWEEN;
	const char *at = fields ? memmem(body + fields, span, name, NAME) : NULL;
	size_t head = at ? (size_t)(at - body) + NAME : 0;
	if (!at || len - head < TAIL || memcmp(body + len - TAIL, tail, TAIL) != 0)
		return false;
	char *short_body = malloc(head + TAIL);
	out->bytes = malloc(len - head);
	if (short_body && out->bytes &&
	    json_text(at + NAME, len - head - TAIL, out->bytes, &out->len)) {
		memcpy(short_body, body, head);
		memcpy(short_body + head, tail, TAIL);
		out->json = json_loadb(short_body, head + TAIL, READ_FLAGS, NULL);
		out->bytes[out->len] = '\0';
	}
	free(short_body);
	if (!out->json)
		doc_body_release(out);
	return out->json;
}

int doc_body_read(const char *body, size_t len, struct doc_body *out)
{
	size_t fields = body ? end_of_fields(body, len) : 0;
	int err = 0;
	*out = (struct doc_body){ .json = NULL };
	if (!read_own(body, len, fields, out)) {
		out->json = body ? json_loadb(body, len, READ_FLAGS, NULL) : NULL;
		err = read_bytes(out);
	}
	if (!err)
		err = read_fields(body, fields, out);
	if (err)
		doc_body_release(out);
	return err;
}

void doc_body_release(struct doc_body *b)
{
	json_decref(b->json);
	free(b->bytes);
	free(b->fields);
	*b = (struct doc_body){ 0 };
}

/* The length of a line `---` with its end; 0 if it is another. */
static size_t dashes(const char *line, size_t len)
{
	if (len < 3 || memcmp(line, "---", 3) != 0)
		return 0;
	if (len == 3 || line[3] == '\n')
		return len == 3 ? 3 : 4;
	return line[3] == '\r' && len > 4 && line[4] == '\n' ? 5 : 0;
}

size_t doc_body_start(const char *text, size_t len)
{
	size_t mark = len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
	size_t at = mark + dashes(text + mark, len - mark);
	for (const char *end; at > mark && at < len; at = (size_t)(end - text) + 1) {
		size_t line = dashes(text + at, len - at);
		if (line > 0) {
			for (at += line; at < len && (text[at] == '\n' || text[at] == '\r'); at++)
				;
			return at;
		}
		if (!(end = memchr(text + at, '\n', len - at)))
			break;
	}
	return mark;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

int64_t doc_body_text(const char *bytes, size_t len)
{
	size_t at = doc_body_start(bytes, len);
	while (at < len && is_blank(bytes[at]))
		at++;
	while (len > at && is_blank(bytes[len - 1]))
		len--;
	/* Its beginning and length will do: who finds two alike compares them. */
	uint64_t hash = HASH_NONE ^ (len - at);
	for (size_t i = at; i < len && i < at + TEXT_HASHED; i++)
		hash = hash_byte(hash, (unsigned char)bytes[i]);
	return at < len ? (int64_t)(hash | 1) : 0;
}

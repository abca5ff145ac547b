/* SPDX-License-Identifier: MIT */
/* Requests to an embedding endpoint, and a strict look at what comes back. */
#include "render/format/format.h"
#include "render/vectors/vectors.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>


enum { NESTED = JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL };
#define TODO "see whether it is an OpenAI-compatible endpoint for embeddings"

static void add_text(struct buf *out, struct buf *clean, const struct embedding_text *t)
{
	buf_clear(clean);
	for (size_t at = 0; at < t->len;) {
		size_t size = utf8_size(t->text + at, t->len - at);
		if (size)
			buf_add(clean, t->text + at, size);
		else
			buf_adds(clean, "\xEF\xBF\xBD");
		at += size ? size : 1;
	}
	out->failed |= clean->failed;
	buf_add_json(out, clean->len ? clean->data : "", clean->len);
}

void render_embedding_request(struct buf *out, const char *model, int dims,
                              const struct embedding_text *texts, size_t count)
{
	struct buf clean = BUF_INIT;
	const struct embedding_text name = { model, strlen(model) };
	buf_adds(out, "{\"model\":");
	add_text(out, &clean, &name);
	if (dims)
		buf_addf(out, ",\"dimensions\":%d", dims);
	buf_adds(out, ",\"encoding_format\":\"float\",\"input\":[");
	for (size_t i = 0; i < count; i++) {
		if (i)
			buf_addc(out, ',');
		add_text(out, &clean, &texts[i]);
	}
	buf_adds(out, "]}");
	buf_release(&clean);
}

void embeddings_release(struct embeddings *e)
{
	free(e->values);
	*e = (struct embeddings){ .values = NULL };
}

/* ---- one vector ---------------------------------------------------------------- */

static int bad(struct why *why, const char *what)
{
	why_set(why, TODO, "the answer is no list of vectors: %s", what);
	return RENDER_EINVAL;
}

/* Six bits, or -1. */
static int sextet(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Bytes of a base64 text with its padding, or -1. */
static int64_t base64_size(const char *text, size_t len)
{
	size_t padding = 0;
	while (padding < 2 && padding < len && text[len - 1 - padding] == '=')
		padding++;
	if (len % 4)
		return -1;
	for (size_t i = 0; i < len - padding; i++)
		if (sextet(text[i]) < 0)
			return -1;
	return (int64_t)(len / 4 * 3 - padding);
}

static unsigned base64_byte(const char *text, size_t at)
{
	size_t from = at / 3 * 4 + at % 3, shift = 2 * (at % 3 + 1);
	unsigned two = (unsigned)(sextet(text[from]) << 6 | (sextet(text[from + 1]) & 63));
	return two >> (6 - shift) & 0xFF;
}

static float base64_float(const char *text, size_t at)
{
	uint32_t bits = 0;
	float value;
	for (size_t i = 4; i-- > 0;)
		bits = bits << 8 | base64_byte(text, 4 * at + i);
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* The numbers of an item: an array, a text, or NULL. */
static const json_t *numbers_of(const json_t *item)
{
	const json_t *v = json_object_get(item, "embedding");
	if (json_is_array(v) && json_array_size(v) == 1 && json_is_array(json_array_get(v, 0)))
		v = json_array_get(v, 0);
	return json_is_array(v) || json_is_string(v) ? v : NULL;
}

/* How many there are, or -1. */
static int64_t size_of(const json_t *numbers)
{
	if (json_is_array(numbers))
		return (int64_t)json_array_size(numbers);
	int64_t bytes = base64_size(json_string_value(numbers), json_string_length(numbers));
	return bytes % 4 ? -1 : bytes / 4;
}

static bool take_numbers(const json_t *numbers, float *out, size_t dims)
{
	const char *text = json_string_value(numbers);
	for (size_t i = 0; i < dims; i++) {
		if (text) {
			out[i] = base64_float(text, i);
		} else {
			const json_t *n = json_array_get(numbers, i);
			double value = json_is_number(n) ? json_number_value(n) : (double)NAN;
			out[i] = fabs(value) <= (double)FLT_MAX ? (float)value : NAN;
		}
		if (!isfinite(out[i]))
			return false;
	}
	return true;
}

/* ---- all of them ---------------------------------------------------------------- */

/* Where item `i` belongs: its index, or its place if it has none and none is `named`. */
static int64_t place_of(const json_t *item, size_t i, size_t count, bool named)
{
	const json_t *index = json_object_get(item, "index");
	if (!named)
		return index ? -1 : (int64_t)i;
	double at = json_is_number(index) ? json_number_value(index) : -1;
	return at >= 0 && at < (double)count && floor(at) == at ? (int64_t)at : -1;
}

static int take_item(const json_t *item, size_t at, struct embeddings *out, struct why *why)
{
	const json_t *numbers = numbers_of(item);
	if (!numbers)
		return bad(why, "an item has no embedding");
	if (size_of(numbers) != out->dims)
		return bad(why, "two vectors are not of one size");
	if (!take_numbers(numbers, out->values + at * (size_t)out->dims, (size_t)out->dims))
		return bad(why, "a number is none, or not finite");
	return 0;
}

static int take_items(const json_t *data, size_t count, struct embeddings *out, struct why *why)
{
	const json_t *first = json_array_get(data, 0), *numbers = numbers_of(first);
	int64_t dims = numbers ? size_of(numbers) : -1;
	if (dims < 1 || dims > EMBEDDING_DIMS_MOST)
		return bad(why, numbers ? "the first vector has too few or too many numbers" :
		                "the first item has no embedding");
	bool named = json_object_get(first, "index") != NULL;
	bool *seen = calloc(count, sizeof *seen);
	*out = (struct embeddings){ calloc(count * (size_t)dims, sizeof *out->values), count,
	                            (int)dims };
	int err = seen && out->values ? 0 : RENDER_ENOMEM;
	for (size_t i = 0; !err && i < count; i++) {
		const json_t *item = json_array_get(data, i);
		int64_t at = place_of(item, i, count, named);
		if (at < 0 || seen[at])
			err = bad(why, "an index is missing, wrong, or there twice");
		else
			err = take_item(item, (size_t)at, out, why);
		if (!err)
			seen[at] = true;
	}
	free(seen);
	return err;
}

int render_embeddings_in(const char *bytes, size_t len, size_t count, struct embeddings *out,
                         struct why *why)
{
	json_error_t error;
	*out = (struct embeddings){ .values = NULL };
	json_t *root = json_loadb(bytes, len, NESTED, &error);
	if (!root) {
		if (json_error_code(&error) == json_error_out_of_memory)
			return RENDER_ENOMEM;
		why_set(why, TODO, "the answer is not JSON: %.120s", error.text);
		return RENDER_EINVAL;
	}
	const json_t *data = json_is_array(root) ? root : json_object_get(root, "data");
	int err = 0;
	if (!json_is_array(data))
		err = bad(why, "there is no `data`");
	else if (json_array_size(data) != count || count == 0) {
		why_set(why, TODO, "the answer has %zu vectors for %zu texts", json_array_size(data),
		        count);
		err = RENDER_EINVAL;
	} else {
		err = take_items(data, count, out, why);
	}
	json_decref(root);
	return err;
}

/* ---- what it complains of ---------------------------------------------------------- */

/* {"error":{"message":…}}, {"error":…}, {"message":…} or {"detail":…} */
static const char *message_of(const json_t *root)
{
	const json_t *error = json_object_get(root, "error");
	const json_t *at[] = { json_object_get(error, "message"), error,
		json_object_get(root, "message"), json_object_get(root, "detail") };
	for (size_t i = 0; i < sizeof at / sizeof *at; i++)
		if (json_is_string(at[i]))
			return json_string_value(at[i]);
	return "";
}

void render_embedding_error(char *dst, size_t size, const char *bytes, size_t len,
                            const char *secret)
{
	struct buf text = BUF_INIT;
	json_t *root = json_loadb(bytes, len, 0, NULL);
	const char *from = message_of(root), *at;
	while (secret && *secret && (at = strstr(from, secret)) != NULL) {
		buf_add(&text, from, (size_t)(at - from));
		buf_adds(&text, "***");
		from = at + strlen(secret);
	}
	buf_adds(&text, from);
	render_name(dst, size, text.failed || !text.data ? "" : text.data);
	buf_release(&text);
	json_decref(root);
}

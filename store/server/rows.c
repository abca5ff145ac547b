/* SPDX-License-Identifier: MIT */
/* Rows of a result become entries (text.h).  What a server sends is input: any bytes. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "store/server/text.h"

static bool read_number(const struct libpq *pq, const PGresult *r, int row, int column,
                        int64_t *out)
{
	const char *text = pq->value(r, row, column);
	if (pq->is_null(r, row, column))
		return false;
	if (pq->format(r, column) == 1) {
		uint64_t big;
		if (pq->length(r, row, column) != sizeof big)
			return false;
		memcpy(&big, text, sizeof big);
		*out = (int64_t)be64toh(big);
		return true;
	}
	char *end;
	*out = strtoll(text, &end, 10);
	return end != text && *end == '\0';
}

int64_t result_cell(const struct libpq *pq, const PGresult *r, int row, int column,
                    int64_t missing)
{
	int64_t value;
	return row < pq->rows(r) && column < pq->columns(r) &&
	       read_number(pq, r, row, column, &value) ? value : missing;
}

int64_t result_number(const struct libpq *pq, const PGresult *r, int column, int64_t missing)
{
	return result_cell(pq, r, 0, column, missing);
}

static int nibble(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "\x…" to `to`; -1: it is none. */
static ptrdiff_t from_hex(const char *text, size_t len, uint8_t *to)
{
	if (len < 2 || len % 2 || text[0] != '\\' || text[1] != 'x')
		return -1;
	for (size_t i = 2; i < len; i += 2) {
		int high = nibble(text[i]), low = nibble(text[i + 1]);
		if (high < 0 || low < 0)
			return -1;
		to[i / 2 - 1] = (uint8_t)(high << 4 | low);
	}
	return (ptrdiff_t)(len / 2 - 1);
}

/* The bytes of a value; of text they go to *room, which moves on.  NULL and true: it is NULL. */
static bool read_bytes(const struct libpq *pq, const PGresult *r, int row, int column,
                       uint8_t **room, const void **out, size_t *len)
{
	const char *text = pq->value(r, row, column);
	size_t size = (size_t)pq->length(r, row, column);
	*out = NULL;
	*len = 0;
	if (pq->is_null(r, row, column))
		return true;
	if (pq->format(r, column) == 1) {
		*out = text;
		*len = size;
		return true;
	}
	ptrdiff_t n = from_hex(text, size, *room);
	if (n < 0)
		return false;
	*out = *room;
	*len = (size_t)n;
	*room += n;
	return true;
}

static bool read_hash(const struct libpq *pq, const PGresult *r, int row, int column,
                      uint8_t **room, uint8_t out[HASH_SIZE])
{
	const void *bytes;
	size_t len;
	if (!read_bytes(pq, r, row, column, room, &bytes, &len) || !bytes || len != HASH_SIZE)
		return false;
	memcpy(out, bytes, HASH_SIZE);
	return true;
}

static bool read_row(const struct libpq *pq, const PGresult *r, int row, uint8_t **room,
                     struct entry *e)
{
	const void *salt, *body;
	size_t salt_len;
	int64_t body_len;
	*e = (struct entry){ .stream = pq->value(r, row, 1), .kind = pq->value(r, row, 5),
		.author = pq->value(r, row, 6) };
	if (!read_number(pq, r, row, 0, &e->seq) || !read_number(pq, r, row, 2, &e->stream_seq) ||
	    !read_hash(pq, r, row, 3, room, e->prev) || !read_number(pq, r, row, 4, &e->time_us) ||
	    !read_number(pq, r, row, 7, &body_len) || body_len < 0 ||
	    !read_hash(pq, r, row, 8, room, e->body_hash) ||
	    !read_hash(pq, r, row, 9, room, e->leaf_hash) ||
	    !read_bytes(pq, r, row, 10, room, &salt, &salt_len) ||
	    !read_bytes(pq, r, row, 11, room, &body, &e->body_len) ||
	    (salt && salt_len != SALT_SIZE) || (salt == NULL) != (body == NULL))
		return false;
	e->salt = salt;
	e->body = body;
	e->hashed_len = (size_t)body_len;
	return true;
}

/* Bytes that all hex of a result becomes. */
static size_t hex_bytes(const struct libpq *pq, const PGresult *r)
{
	static const int hex[] = { 3, 8, 9, 10, 11 };
	size_t sum = 1;
	for (int row = 0; row < pq->rows(r); row++)
		for (size_t i = 0; i < sizeof hex / sizeof *hex; i++)
			if (pq->format(r, hex[i]) == 0)
				sum += (size_t)pq->length(r, row, hex[i]) / 2;
	return sum;
}

int row_list_read(const struct libpq *pq, const PGresult *r, int rows, struct row_list *out)
{
	*out = (struct row_list){ 0 };
	if (pq->columns(r) < COLUMN_FIRST)
		return STORE_EFORMAT;
	out->rows = calloc((size_t)rows + 1, sizeof *out->rows);
	out->bytes = malloc(hex_bytes(pq, r));
	uint8_t *room = out->bytes;
	if (!out->rows || !out->bytes) {
		row_list_release(out);
		return STORE_ENOMEM;
	}
	for (; out->count < (size_t)rows; out->count++) {
		if (!read_row(pq, r, (int)out->count, &room, &out->rows[out->count])) {
			row_list_release(out);
			return STORE_EFORMAT;
		}
	}
	return 0;
}

void row_list_release(struct row_list *l)
{
	free(l->rows);
	free(l->bytes);
	*l = (struct row_list){ 0 };
}

/* SPDX-License-Identifier: MIT */
/*
 * A growable run of bytes.  After a failed allocation `failed` is set, further
 * additions do nothing, and the caller checks once at the end.
 */
#ifndef CINTA_BUF_H
#define CINTA_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
	char *data; /* NUL-terminated when not NULL */
	size_t len, cap;
	bool failed;
};

#define BUF_INIT { NULL, 0, 0, false }

void buf_init(struct buf *b);
/* Frees the bytes; the buffer can be used again. */
void buf_release(struct buf *b);
/* Empties it, keeps the memory. */
void buf_clear(struct buf *b);
/* Makes it `len` bytes long: cut, or grown with zeros.  False: no memory, and it has failed. */
bool buf_resize(struct buf *b, size_t len);
/* Makes room for `more` bytes at once, where they come in pieces.  False: as above. */
bool buf_reserve(struct buf *b, size_t more);
void buf_add(struct buf *b, const void *bytes, size_t len);
void buf_adds(struct buf *b, const char *text);
void buf_addc(struct buf *b, char c);
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A JSON string with its quotes; `text` must be UTF-8. */
void buf_add_json(struct buf *b, const char *text, size_t len);
void buf_add_hex(struct buf *b, const uint8_t *bytes, size_t len);
/* RFC 3339 with microseconds, 27 bytes: 2026-11-20T10:00:00.123456Z */
void buf_add_time(struct buf *b, int64_t time_us);

#endif

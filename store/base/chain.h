/* SPDX-License-Identifier: MIT */
/*
 * The hashes of tape/1: body, leaf, node (docs/format.md §2; RFC 6962 §2.1).
 *
 * A `struct hasher` keeps one fetched digest and one context, because fetching
 * them for each hash costs more than hashing a row.  It belongs to one thread
 * at a time.
 */
#ifndef CINTA_CHAIN_H
#define CINTA_CHAIN_H

#include <openssl/evp.h>

#include "store/entry.h"

enum {
	HEX_SIZE = 2 * HASH_SIZE + 1, /* a hash in hex, with NUL */
	/* 3 fields of 128, a kind of 64, 4 integers of at most 20, 2 hashes, 11 newlines, "tape/1" */
	LEAF_TEXT_MAX = 3 * FIELD_MAX + KIND_MAX + 4 * 20 + 4 * HASH_SIZE + 11 + 6 + 1
};

struct hasher {
	EVP_MD *md;
	EVP_MD_CTX *ctx;
};

/* 0, or STORE_ENOMEM when OpenSSL cannot give a digest. */
int hasher_init(struct hasher *h);
void hasher_release(struct hasher *h);

void hasher_sha256(struct hasher *h, const void *bytes, size_t len, uint8_t out[HASH_SIZE]);
/* SHA-256(salt || body) */
void hasher_body(struct hasher *h, const uint8_t salt[SALT_SIZE], const void *body, size_t len,
                 uint8_t out[HASH_SIZE]);
/*
 * SHA-256(0x00 || text): Merkle leaf, the stream's next prev, and the hash users see; len is at
 * most LEAF_TEXT_MAX.
 */
void hasher_leaf(struct hasher *h, const char *text, size_t len, uint8_t out[HASH_SIZE]);
/* SHA-256(0x01 || left || right) */
void hasher_node(struct hasher *h, const uint8_t left[HASH_SIZE], const uint8_t right[HASH_SIZE],
                 uint8_t out[HASH_SIZE]);

/* Writes the 11 header lines of `e` to `dst` (LEAF_TEXT_MAX bytes); returns their length. */
size_t leaf_text(char *dst, const char *origin, const struct entry *e);

/* True if this is a legal origin, stream, kind or author: 1..max bytes of 0x21..0x7E. */
bool field_ok(const char *text, size_t len, size_t max);

void hex_of(const uint8_t *bytes, size_t len, char *dst); /* 2*len+1 bytes, NUL-terminated */

#endif

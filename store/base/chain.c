/* SPDX-License-Identifier: MIT */
/* The hashes of tape/1.  Knows bytes, never the database. */
#include "store/base/chain.h"

#include <assert.h>
#include <string.h>

#include "store/store.h"

int hasher_init(struct hasher *h)
{
	h->md = EVP_MD_fetch(NULL, "SHA256", NULL);
	h->ctx = EVP_MD_CTX_new();
	if (!h->md || !h->ctx || EVP_DigestInit_ex2(h->ctx, h->md, NULL) != 1) {
		hasher_release(h);
		return STORE_ENOMEM;
	}
	return 0;
}

void hasher_release(struct hasher *h)
{
	EVP_MD_CTX_free(h->ctx);
	EVP_MD_free(h->md);
	h->ctx = NULL;
	h->md = NULL;
}

/* OpenSSL's digest calls fail only on misuse once the digest is fetched. */
static void begin(struct hasher *h)
{
	int ok = EVP_DigestInit_ex2(h->ctx, NULL, NULL);
	assert(ok == 1);
	(void)ok;
}

static void add(struct hasher *h, const void *bytes, size_t len)
{
	int ok = EVP_DigestUpdate(h->ctx, bytes, len);
	assert(ok == 1);
	(void)ok;
}

static void end(struct hasher *h, uint8_t out[HASH_SIZE])
{
	unsigned len = 0;
	int ok = EVP_DigestFinal_ex(h->ctx, out, &len);
	assert(ok == 1 && len == HASH_SIZE);
	(void)ok;
}

void hasher_sha256(struct hasher *h, const void *bytes, size_t len, uint8_t out[HASH_SIZE])
{
	begin(h);
	add(h, bytes, len);
	end(h, out);
}

void hasher_body(struct hasher *h, const uint8_t salt[SALT_SIZE], const void *body, size_t len,
                 uint8_t out[HASH_SIZE])
{
	begin(h);
	add(h, salt, SALT_SIZE);
	add(h, body, len);
	end(h, out);
}

void hasher_leaf(struct hasher *h, const char *text, size_t len, uint8_t out[HASH_SIZE])
{
	char all[1 + LEAF_TEXT_MAX];
	assert(len <= LEAF_TEXT_MAX);
	all[0] = 0;
	memcpy(all + 1, text, len);
	hasher_sha256(h, all, 1 + len, out); /* a call less than for two pieces */
}

void hasher_node(struct hasher *h, const uint8_t left[HASH_SIZE], const uint8_t right[HASH_SIZE],
                 uint8_t out[HASH_SIZE])
{
	uint8_t all[1 + 2 * HASH_SIZE] = { 1 };
	memcpy(all + 1, left, HASH_SIZE);
	memcpy(all + 1 + HASH_SIZE, right, HASH_SIZE);
	hasher_sha256(h, all, sizeof all, out);
}

static char *chain_put(char *p, const char *text)
{
	size_t len = strlen(text);
	memcpy(p, text, len);
	p[len] = '\n';
	return p + len + 1;
}

static char *put_int(char *p, int64_t v)
{
	char digits[20];
	size_t n = 0;
	assert(v >= 0);
	do
		digits[n++] = (char)('0' + v % 10);
	while ((v /= 10) > 0);
	while (n > 0)
		*p++ = digits[--n];
	*p++ = '\n';
	return p;
}

static char *put_hash(char *p, const uint8_t hash[HASH_SIZE])
{
	hex_of(hash, HASH_SIZE, p);
	p[2 * HASH_SIZE] = '\n';
	return p + 2 * HASH_SIZE + 1;
}

size_t leaf_text(char *dst, const char *origin, const struct entry *e)
{
	char *p = chain_put(dst, "tape/1");
	p = chain_put(p, origin);
	p = put_int(p, e->seq);
	p = chain_put(p, e->stream);
	p = put_int(p, e->stream_seq);
	p = put_hash(p, e->prev);
	p = put_int(p, e->time_us);
	p = chain_put(p, e->kind);
	p = chain_put(p, e->author);
	p = put_int(p, (int64_t)e->body_len);
	p = put_hash(p, e->body_hash);
	assert((size_t)(p - dst) <= LEAF_TEXT_MAX);
	return (size_t)(p - dst);
}

bool field_ok(const char *text, size_t len, size_t max)
{
	if (len == 0 || len > max)
		return false;
	for (size_t i = 0; i < len; i++)
		if (text[i] < 0x21 || text[i] > 0x7E)
			return false;
	return true;
}

void hex_of(const uint8_t *bytes, size_t len, char *dst)
{
	static const char digit[] = "0123456789abcdef";
	for (size_t i = 0; i < len; i++) {
		dst[2 * i] = digit[bytes[i] >> 4];
		dst[2 * i + 1] = digit[bytes[i] & 15];
	}
	dst[2 * len] = '\0';
}

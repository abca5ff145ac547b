/* SPDX-License-Identifier: MIT */
/* zlib, each way in one call.  See pack.h. */
#include "store/base/pack.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

enum { ALONE = 0x78, /* the first byte of a stream with a window of 32 KiB */ MEMORY = 9 };

void pack_name(int64_t seq, uint8_t name[PACK_NAME])
{
	for (int i = 0; i < PACK_NAME; i++)
		name[i] = (uint8_t)((uint64_t)seq >> (8 * (PACK_NAME - 1 - i)));
}

int64_t pack_wants(const void *packed, size_t packed_len)
{
	const uint8_t *p = packed;
	uint64_t seq = 0;
	if (packed_len < PACK_NAME || p[0] == ALONE)
		return -1;
	for (int i = 0; i < PACK_NAME; i++)
		seq = seq << 8 | p[i];
	return seq > INT64_MAX ? -1 : (int64_t)seq; /* one entry has one name */
}

bool pack_may(int64_t packed_len, bool alone, int64_t len)
{
	return packed_len > 0 && packed_len < len && len <= INT_MAX &&
	       (alone ? (len - 1) / PACK_MOST < packed_len : len <= PACK_BESIDE);
}

void *pack_bytes(const void *bytes, size_t len, const struct pack_dictionary *d, size_t *out_len)
{
	size_t room = len - len / 8, named = d ? PACK_NAME : 0;
	bool may = len <= INT_MAX && room > named && (!d || d->len <= PACK_BESIDE);
	uint8_t *out = may ? malloc(room) : NULL;
	z_stream z = { .next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)len };
	if (!out || deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS, MEMORY,
	                         Z_DEFAULT_STRATEGY) != Z_OK) {
		free(out);
		return NULL;
	}
	z.next_out = out + named;
	z.avail_out = (uInt)(room - named);
	int rc = d ? deflateSetDictionary(&z, d->bytes, (uInt)d->len) : Z_OK;
	rc = rc == Z_OK ? deflate(&z, Z_FINISH) : rc;
	*out_len = named + z.total_out;
	(void)deflateEnd(&z);
	if (rc != Z_STREAM_END || !pack_may((int64_t)*out_len, !d, (int64_t)len)) {
		free(out);
		return NULL;
	}
	if (d)
		pack_name(d->seq, out);
	return out;
}

bool pack_open(const void *packed, size_t packed_len, const struct pack_dictionary *d, void *out,
               size_t len)
{
	size_t named = d ? PACK_NAME : 0;
	z_stream z = { .next_in = (Bytef *)(uintptr_t)packed + named,
		.avail_in = (uInt)(packed_len - named), .next_out = out, .avail_out = (uInt)len };
	if (packed_len < named || packed_len > INT_MAX || len > INT_MAX || inflateInit(&z) != Z_OK)
		return false;
	int rc = inflate(&z, Z_FINISH);
	if (rc == Z_NEED_DICT && d && inflateSetDictionary(&z, d->bytes, (uInt)d->len) == Z_OK)
		rc = inflate(&z, Z_FINISH);
	bool whole = rc == Z_STREAM_END && z.total_out == len && z.avail_in == 0;
	(void)inflateEnd(&z);
	return whole;
}

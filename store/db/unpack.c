/* SPDX-License-Identifier: MIT */
/* Packed bodies as SQL sees them.  See PLAIN() in row.h. */
#include "store/db/row.h"

/* For sqlite3_free(); NULL: that is none, or no memory (*lack). */
static char *open_with(sqlite3 *db, const void *packed, int64_t packed_len,
                       const struct pack_dictionary *d, int64_t len, bool *lack)
{
	if (!packed || len > sqlite3_limit(db, SQLITE_LIMIT_LENGTH, -1) ||
	    !pack_may(packed_len, !d, len))
		return NULL;
	char *plain = sqlite3_malloc64((uint64_t)len);
	*lack |= !plain;
	if (plain && pack_open(packed, (size_t)packed_len, d, plain, (size_t)len))
		return plain;
	sqlite3_free(plain);
	return NULL;
}

/* The same of what wants entry `seq`: a text, or packed alone. */
static char *open_beside(sqlite3 *db, const void *packed, int64_t packed_len, int64_t seq,
                         int64_t len, bool *lack)
{
	sqlite3_stmt *q = NULL;
	char *made = NULL, *plain = NULL;
	int rc = sqlite3_prepare_v2(db, "SELECT body, body_len FROM tape WHERE seq = ?1", -1, &q, NULL);
	if (rc == SQLITE_OK && sqlite3_bind_int64(q, 1, seq) == SQLITE_OK &&
	    (rc = sqlite3_step(q)) == SQLITE_ROW) {
		const void *body = sqlite3_column_blob(q, 0);
		int64_t have = sqlite3_column_bytes(q, 0);
		int64_t plain_len = sqlite3_column_int64(q, 1);
		struct pack_dictionary d = { seq, body, (size_t)have };
		bool small = plain_len <= PACK_BESIDE && have <= PACK_BESIDE;
		if (small && sqlite3_column_type(q, 0) == SQLITE_BLOB && pack_wants(body, d.len) < 0) {
			d.len = (size_t)plain_len;
			d.bytes = made = open_with(db, body, have, NULL, plain_len, lack);
		}
		if (small && d.bytes)
			plain = open_with(db, packed, packed_len, &d, len, lack);
	}
	*lack |= rc == SQLITE_NOMEM;
	sqlite3_free(made);
	sqlite3_finalize(q);
	return plain;
}

static void unpack(sqlite3_context *ctx, int count, sqlite3_value **v)
{
	(void)count;
	sqlite3 *db = sqlite3_context_db_handle(ctx);
	const void *packed = sqlite3_value_blob(v[0]);
	int64_t have = sqlite3_value_bytes(v[0]), len = sqlite3_value_int64(v[1]);
	int64_t beside = packed ? pack_wants(packed, (size_t)have) : -1;
	bool lack = false;
	char *plain = beside < 0 ? open_with(db, packed, have, NULL, len, &lack) :
		open_beside(db, packed, have, beside, len, &lack);
	if (plain)
		sqlite3_result_text64(ctx, plain, (uint64_t)len, sqlite3_free, SQLITE_UTF8);
	else if (lack)
		sqlite3_result_error_nomem(ctx);
	else
		sqlite3_result_value(ctx, v[0]);
}

int unpack_function(sqlite3 *db)
{
	int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;
	return sqlite3_create_function_v2(db, UNPACK_SQL, 2, flags, NULL, unpack, NULL, NULL, NULL);
}

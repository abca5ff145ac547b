/* SPDX-License-Identifier: MIT */
/* Packed bodies as SQL sees them.  See PLAIN() in row.h. */
#include "store/db/row.h"

/* For sqlite3_free(); NULL: that is none, or *rc says why it could not be seen. */
static char *open_with(sqlite3 *db, const void *packed, int64_t packed_len,
                       const struct pack_dictionary *d, int64_t len, int *rc)
{
	if (!packed || len > sqlite3_limit(db, SQLITE_LIMIT_LENGTH, -1) ||
	    !pack_may(packed_len, !d, len))
		return NULL;
	char *plain = sqlite3_malloc64((uint64_t)len);
	if (!plain)
		*rc = SQLITE_NOMEM;
	if (plain && pack_open(packed, (size_t)packed_len, d, plain, (size_t)len))
		return plain;
	sqlite3_free(plain);
	return NULL;
}

/* The same of what wants entry `seq`: a text, or packed alone. */
static char *open_beside(sqlite3 *db, const void *packed, int64_t packed_len, int64_t seq,
                         int64_t len, int *rc)
{
	sqlite3_stmt *q = NULL;
	char *made = NULL, *plain = NULL;
	const char *sql = "SELECT body, body_len FROM tape WHERE seq = ?1";
	int step = sqlite3_prepare_v2(db, sql, -1, &q, NULL);
	if (step == SQLITE_OK && sqlite3_bind_int64(q, 1, seq) == SQLITE_OK &&
	    (step = sqlite3_step(q)) == SQLITE_ROW) {
		const void *body = sqlite3_column_blob(q, 0);
		int64_t have = sqlite3_column_bytes(q, 0);
		int64_t plain_len = sqlite3_column_int64(q, 1);
		struct pack_dictionary d = { seq, body, (size_t)have };
		bool small = plain_len <= PACK_BESIDE && have <= PACK_BESIDE;
		if (small && sqlite3_column_type(q, 0) == SQLITE_BLOB && pack_wants(body, d.len) < 0) {
			d.len = (size_t)plain_len;
			d.bytes = made = open_with(db, body, have, NULL, plain_len, rc);
		}
		if (small && d.bytes)
			plain = open_with(db, packed, packed_len, &d, len, rc);
	}
	if (step != SQLITE_ROW && step != SQLITE_DONE && (step & 0xff) != SQLITE_CORRUPT)
		*rc = step; /* not to be taken for damage: the next look may see it */
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
	int rc = SQLITE_OK;
	char *plain = beside < 0 ? open_with(db, packed, have, NULL, len, &rc) :
		open_beside(db, packed, have, beside, len, &rc);
	if (plain)
		sqlite3_result_text64(ctx, plain, (uint64_t)len, sqlite3_free, SQLITE_UTF8);
	else if (rc != SQLITE_OK)
		sqlite3_result_error_code(ctx, rc);
	else
		sqlite3_result_value(ctx, v[0]);
}

int unpack_function(sqlite3 *db)
{
	int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;
	return sqlite3_create_function_v2(db, UNPACK_SQL, 2, flags, NULL, unpack, NULL, NULL, NULL);
}

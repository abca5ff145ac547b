/* SPDX-License-Identifier: MIT */
/* Where two tapes part, and which entries of one are on the other (lost_state.h). */
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "store/array.h"
#include "store/lost/lost_state.h"

static bool leaf_at(sqlite3 *db, int64_t seq, uint8_t leaf[HASH_SIZE])
{
	sqlite3_stmt *q = db_prepare(db, "SELECT leaf_hash FROM tape WHERE seq = ?1");
	sqlite3_bind_int64(q, 1, seq);
	const void *bytes = q && sqlite3_step(q) == SQLITE_ROW ? sqlite3_column_blob(q, 0) : NULL;
	bool found = bytes && sqlite3_column_bytes(q, 0) == HASH_SIZE;
	if (found)
		memcpy(leaf, bytes, HASH_SIZE);
	sqlite3_finalize(q);
	return found;
}

static bool same_at(sqlite3 *a, sqlite3 *b, int64_t seq)
{
	uint8_t one[HASH_SIZE], other[HASH_SIZE];
	return leaf_at(a, seq, one) && leaf_at(b, seq, other) && memcmp(one, other, HASH_SIZE) == 0;
}

/* A salt is of one entry alone: where two are the same, so is all before them. */
int lost_first(sqlite3 *a, sqlite3 *b, int64_t *first)
{
	int64_t ends = db_int(a, "SELECT max(seq) + 1 FROM tape", 0);
	int64_t there = db_int(b, "SELECT max(seq) + 1 FROM tape", 0), from = 0;
	ends = there < ends ? there : ends;
	while (from < ends) {
		int64_t middle = from + (ends - from) / 2;
		if (same_at(a, b, middle))
			from = middle + 1;
		else
			ends = middle;
	}
	*first = from > 0 ? from : -1;
	return 0;
}

int64_t lost_number(sqlite3 *db, const char *sql, const char *stream, int64_t n, int64_t missing)
{
	sqlite3_stmt *q = db_prepare(db, sql);
	sqlite3_bind_text(q, 1, stream, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 2, n);
	bool found = q && sqlite3_step(q) == SQLITE_ROW && sqlite3_column_type(q, 0) == SQLITE_INTEGER;
	int64_t value = found ? sqlite3_column_int64(q, 0) : missing;
	sqlite3_finalize(q);
	return value;
}

/* ---- which entry is which ------------------------------------------------------ */

int lost_pair_add(struct lost *l, int64_t was, int64_t is)
{
	if (!ARRAY_ROOM(l->pairs, l->pair_room, l->pair_count))
		return STORE_ENOMEM;
	l->pairs[l->pair_count++] = (struct lost_pair){ was, is };
	return 0;
}

int64_t lost_entry(const struct lost *l, int64_t was)
{
	size_t from = 0, to = l->pair_count;
	if (was < l->first)
		return was;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (l->pairs[middle].was == was)
			return l->pairs[middle].is;
		if (l->pairs[middle].was < was)
			from = middle + 1;
		else
			to = middle;
	}
	return 0;
}

int64_t lost_nth(const struct lost *l, const char *stream, int64_t n)
{
	int64_t was = lost_number(l->db, "SELECT seq FROM tape WHERE stream = ?1 AND stream_seq = ?2",
	                          stream, n - 1, -1);
	int64_t is = was < 0 ? 0 : lost_entry(l, was);
	return is <= 0 ? 0 : lost_number(l->now, "SELECT stream_seq + 1 FROM tape"
	                                 " WHERE ?1 <> '' AND seq = ?2", "s", is, 0);
}

/* ---- what is there already ------------------------------------------------------ */

static bool hash_of(const char *stream, const char *kind, const char *body, size_t len,
                    uint8_t out[HASH_SIZE])
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	bool done = c && EVP_DigestInit_ex(c, EVP_sha256(), NULL) &&
		EVP_DigestUpdate(c, stream, strlen(stream) + 1) &&
		EVP_DigestUpdate(c, kind, strlen(kind) + 1) && EVP_DigestUpdate(c, body, len) &&
		EVP_DigestFinal_ex(c, out, NULL);
	EVP_MD_CTX_free(c);
	return done;
}

static int by_hash(const void *a, const void *b)
{
	const struct lost_known *one = a, *other = b;
	int differ = memcmp(one->hash, other->hash, HASH_SIZE);
	return differ ? differ : one->seq < other->seq ? -1 : one->seq > other->seq;
}

int lost_read_known(struct lost *l)
{
	sqlite3_stmt *q = db_prepare(l->now, "SELECT t.seq, t.stream, t.kind, " PLAIN_BODY
		" FROM tape t WHERE t.seq >= ?1 AND t.body IS NOT NULL");
	int rc = q ? SQLITE_DONE : SQLITE_ERROR, err = 0;
	sqlite3_bind_int64(q, 1, l->first);
	while (q && !err && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct lost_known *k = ARRAY_ROOM(l->known, l->known_room, l->known_count) ?
			&l->known[l->known_count] : NULL;
		const char *body = (const char *)sqlite3_column_text(q, 3);
		if (!k || !body || !hash_of(db_text(q, 1), db_text(q, 2), body,
		                            (size_t)sqlite3_column_bytes(q, 3), k->hash)) {
			err = STORE_ENOMEM;
			break;
		}
		k->seq = sqlite3_column_int64(q, 0);
		k->met = false;
		l->known_count++;
	}
	sqlite3_finalize(q);
	if (l->known_count > 0)
		qsort(l->known, l->known_count, sizeof *l->known, by_hash);
	return err ? err : db_error(rc);
}

/* The first with at least this hash and number. */
static size_t place_of(const struct lost *l, const struct lost_known *k)
{
	size_t from = 0, to = l->known_count;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (by_hash(&l->known[middle], k) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

int64_t lost_meet(struct lost *l, const char *stream, const char *kind, const char *body,
                  size_t len)
{
	struct lost_known k = { .seq = 0 };
	if (!hash_of(stream, kind, body, len, k.hash))
		return 0;
	for (size_t i = place_of(l, &k); i < l->known_count; i++) {
		if (memcmp(l->known[i].hash, k.hash, HASH_SIZE) != 0)
			return 0;
		if (l->known[i].met)
			continue;
		l->known[i].met = true;
		return l->known[i].seq;
	}
	return 0;
}

static bool is_met(const struct lost *l, const char *stream, const char *body, size_t len,
                   int64_t seq)
{
	struct lost_known k = { .seq = seq };
	if (!hash_of(stream, "document", body, len, k.hash))
		return false;
	size_t i = place_of(l, &k);
	return i < l->known_count && l->known[i].seq == seq && l->known[i].met;
}

int64_t lost_saved_since(struct lost *l, int64_t doc)
{
	char stream[24];
	int64_t found = 0;
	sqlite3_stmt *q = db_prepare(l->now, "SELECT t.seq, " PLAIN_BODY " FROM tape t"
		" WHERE t.stream = ?1 AND t.seq >= ?2 AND t.seq < ?3 AND t.kind = 'document'"
		" AND t.body IS NOT NULL ORDER BY t.stream_seq DESC");
	(void)snprintf(stream, sizeof stream, "d%lld", (long long)doc);
	sqlite3_bind_text(q, 1, stream, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 2, l->first);
	sqlite3_bind_int64(q, 3, l->until);
	while (q && !found && sqlite3_step(q) == SQLITE_ROW) {
		int64_t seq = sqlite3_column_int64(q, 0);
		const char *body = (const char *)sqlite3_column_text(q, 1);
		if (body && !is_met(l, stream, body, (size_t)sqlite3_column_bytes(q, 1), seq))
			found = seq;
	}
	sqlite3_finalize(q);
	return found;
}

/* SPDX-License-Identifier: MIT */
/* Bodies that are gone, against the redactions on the tape.  See gone.h. */
#include "store/proof/gone.h"

#include <stdlib.h>

#include "store/array.h"
#include "store/db/db.h"
#include "store/proof/redaction.h"
#include "store/store.h"

static int compare_seq(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static bool is_proved(const struct gone *g, size_t count, int64_t seq)
{
	return count > 0 && bsearch(&seq, g->proved, count, sizeof *g->proved, compare_seq);
}

static int add(struct gone *g, int64_t seq)
{
	if (!ARRAY_ROOM(g->proved, g->cap, g->count))
		return STORE_ENOMEM;
	g->proved[g->count++] = seq;
	return 0;
}

/* Every redaction that stands where it counts and names a body that is gone (?1), or is there. */
static const char claims_sql[] =
	"SELECT t.seq, t.leaf_hash, c.body FROM tape c"
	" JOIN tape t ON t.seq = CAST(substr(c.body, 8, 19) AS INTEGER)"
	" WHERE c.stream = '" REDACTION_STREAM "' AND c.kind = '" REDACTION_KIND "'"
	" AND t.seq < c.seq AND t.stream <> '" REDACTION_STREAM "' AND (t.body IS NULL) = ?1";

static int prove(struct gone *g, sqlite3 *db, const struct note_key *key, bool gone)
{
	sqlite3_stmt *q = db_prepare(db, claims_sql);
	size_t known = g->count; /* what comes behind is not sorted yet */
	int err = q ? 0 : STORE_EIO, rc = SQLITE_DONE;
	sqlite3_bind_int(q, 1, gone);
	while (!err && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		int64_t seq = sqlite3_column_int64(q, 0);
		const void *leaf = sqlite3_column_blob(q, 1);
		const char *body = (const char *)sqlite3_column_text(q, 2);
		size_t len = (size_t)sqlite3_column_bytes(q, 2);
		if (!is_proved(g, known, seq) && leaf && sqlite3_column_bytes(q, 1) == HASH_SIZE &&
		    redaction_proves(key, key->name, body, len, seq, leaf))
			err = add(g, seq);
	}
	if (!err && q)
		err = db_error(rc);
	sqlite3_finalize(q);
	if (g->count > known)
		qsort(g->proved, g->count, sizeof *g->proved, compare_seq);
	return err;
}

static int find_unproved(const struct gone *g, sqlite3 *db, int64_t *seq)
{
	sqlite3_stmt *q = db_prepare(db, "SELECT seq FROM tape WHERE body IS NULL ORDER BY seq");
	int rc = SQLITE_ERROR;
	*seq = -1;
	while (q && *seq < 0 && (rc = sqlite3_step(q)) == SQLITE_ROW)
		if (!is_proved(g, g->count, sqlite3_column_int64(q, 0)))
			*seq = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	return q ? db_error(rc) : STORE_EIO;
}

int gone_check(struct gone *g, sqlite3 *db, const struct note_key *key, int64_t *seq)
{
	int err = find_unproved(g, db, seq);
	if (err || *seq < 0)
		return err;
	err = prove(g, db, key, true);
	return err ? err : find_unproved(g, db, seq);
}

/* What was packed with such a body for a dictionary stands for itself before that goes. */
static const char free_sql[] = "UPDATE tape AS t SET body = " PLAIN_BODY
	" FROM (SELECT stream AS s, stream_seq AS n FROM tape WHERE seq = ?1) WHERE t.stream = s"
	" AND t.stream_seq > n AND t.stream_seq < n - n % 16 + 16 AND typeof(t.body) = 'blob'"
	" AND substr(t.body, 1, 8) = ?2 AND typeof(" PLAIN_BODY ") = 'text'";

int gone_take(sqlite3 *db, const int64_t *seqs, size_t count)
{
	uint8_t name[PACK_NAME];
	sqlite3_stmt *free = db_prepare(db, free_sql);
	sqlite3_stmt *q = db_prepare(db, "UPDATE tape SET salt = NULL, body = NULL WHERE seq = ?1"
	                                 " AND body IS NOT NULL");
	int err = q && free ? 0 : STORE_EIO;
	for (size_t i = 0; !err && i < count; i++) {
		pack_name(seqs[i], name);
		sqlite3_bind_int64(free, 1, seqs[i]);
		sqlite3_bind_blob(free, 2, name, PACK_NAME, SQLITE_STATIC);
		sqlite3_bind_int64(q, 1, seqs[i]);
		err = db_error(sqlite3_step(free));
		err = err ? err : db_error(sqlite3_step(q));
		sqlite3_reset(free);
		sqlite3_reset(q);
	}
	sqlite3_finalize(free);
	sqlite3_finalize(q);
	return err;
}

int gone_take_again(sqlite3 *db, const struct note_key *key, size_t *count)
{
	struct gone back = { 0 };
	int err = prove(&back, db, key, false);
	*count = back.count;
	err = err ? err : gone_take(db, back.proved, back.count);
	gone_release(&back);
	return err;
}

void gone_release(struct gone *g)
{
	free(g->proved);
	*g = (struct gone){ 0 };
}

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

/* Every redaction that stands where it counts and names a body that is gone. */
static const char claims_sql[] =
	"SELECT t.seq, t.leaf_hash, c.body FROM tape c"
	" JOIN tape t ON t.seq = CAST(substr(c.body, 8, 19) AS INTEGER)"
	" WHERE c.stream = '" REDACTION_STREAM "' AND c.kind = '" REDACTION_KIND "'"
	" AND t.seq < c.seq AND t.stream <> '" REDACTION_STREAM "' AND t.body IS NULL";

static int prove(struct gone *g, sqlite3 *db, const struct note_key *key)
{
	sqlite3_stmt *q = db_prepare(db, claims_sql);
	size_t known = g->count; /* what comes behind is not sorted yet */
	int err = q ? 0 : STORE_EIO, rc = SQLITE_DONE;
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
	err = prove(g, db, key);
	return err ? err : find_unproved(g, db, seq);
}

void gone_release(struct gone *g)
{
	free(g->proved);
	*g = (struct gone){ 0 };
}

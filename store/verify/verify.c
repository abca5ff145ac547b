/* SPDX-License-Identifier: MIT */
/*
 * store_verify: opens the file by itself, read-only, and says whether the tape
 * holds.  Must never write, never trust a key that only the tape names, and
 * never call a tape good that nothing was checked against.
 */
#include "store/verify/verify.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "store/db/db.h"
#include "store/tape/tape.h"

enum { TRIES = 5 };

const char *verdict_name(enum verdict v)
{
	static const char *const names[] = {
		[VERDICT_OK] = "OK",
		[VERDICT_LINK] = "LINK",
		[VERDICT_CONTENT] = "CONTENT",
		[VERDICT_MISSING] = "MISSING",
		[VERDICT_ROLLBACK] = "ROLLBACK",
		[VERDICT_FORK] = "FORK",
		[VERDICT_DERIVED] = "DERIVED",
		[VERDICT_UNVERIFIABLE] = "UNVERIFIABLE",
		[VERDICT_FORMAT] = "FORMAT",
		[VERDICT_UNPROVED] = "REDACTED-UNPROVED",
	};
	return v >= VERDICT_OK && v <= VERDICT_UNPROVED ? names[v] : "?";
}

/* ---- opening ------------------------------------------------------------ */

/*
 * A file alone: SQLite makes -wal and -shm to read it, and takes away what it made only if it may
 * write.  Nothing is written (query_only).  Where there is a log it is evidence: it stays as it is.
 */
static int flags_for(const char *path)
{
	char name[PATH_MAX + 16];
	bool alone = true;
	for (const char *const *ending = (const char *const[]){ "-wal", "-journal", NULL }; *ending;
	     ending++) {
		(void)snprintf(name, sizeof name, "%s%s", path, *ending);
		alone = alone && access(name, F_OK) != 0;
	}
	return alone ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
}

/* The read of sqlite_schema is what takes the snapshot; *tables: of ours there are. */
static int open_as(struct verify *v, const char *path, bool still, int *tables)
{
	int rc = still ? db_open_still(path, &v->db) : db_open_file(path, flags_for(path), &v->db);
	if (rc != SQLITE_OK)
		return rc;
	if (db_harden(v->db) != 0)
		return sqlite3_extended_errcode(v->db);
	if (bulk_read(v->db) != 0)
		return SQLITE_NOMEM;
	rc = sqlite3_exec(v->db, "PRAGMA query_only=ON; BEGIN", NULL, NULL, NULL);
	if (rc != SQLITE_OK)
		return rc;
	sqlite3_stmt *q = db_prepare(v->db, "SELECT count(*) FROM sqlite_schema WHERE type = 'table'"
	                                    " AND name IN ('tape', 'tape_tile', 'tape_checkpoint')");
	rc = q ? sqlite3_step(q) : sqlite3_extended_errcode(v->db);
	*tables = rc == SQLITE_ROW ? sqlite3_column_int(q, 0) : 0;
	sqlite3_finalize(q);
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

/* The same; again where a rebuild, for which it waited, has put another file there. */
static int open_again(struct verify *v, const char *path, bool still, int *tables)
{
	for (int i = 0; i < TRIES; i++) {
		int rc = open_as(v, path, still, tables);
		if (!db_is_left(&v->db))
			return rc;
	}
	return SQLITE_BUSY;
}

static int open_tape(struct verify *v, const char *path)
{
	int tables = 0;
	if (access(path, F_OK) != 0) {
		(void)snprintf(v->out->detail, sizeof v->out->detail, "there is no %s", path);
		return STORE_ENOENT;
	}
	int rc = open_again(v, path, false, &tables), kind = rc & 0xff;
	/* On a full disk SQLite cannot make its index. */
	if (kind == SQLITE_IOERR || kind == SQLITE_FULL || kind == SQLITE_CANTOPEN) {
		sqlite3_close(v->db);
		rc = open_again(v, path, true, &tables);
	}
	if (rc == SQLITE_BUSY && !v->db)
		(void)snprintf(v->out->detail, sizeof v->out->detail,
		               "another file takes the place of %s whenever it is opened", path);
	if (rc != SQLITE_OK)
		return v->db ? verify_sqlite(v, -1) : rc == SQLITE_BUSY ? STORE_EBUSY : STORE_ENOMEM;
	return tables == 3 ? 0 : verify_fault(v, VERDICT_FORMAT, -1, "%s is not a tape", path);
}

/* ---- origin and key ------------------------------------------------------- */

static bool copy_text(sqlite3_stmt *q, int column, char *dst, size_t size)
{
	if (sqlite3_column_type(q, column) != SQLITE_TEXT)
		return false;
	const char *text = (const char *)sqlite3_column_text(q, column);
	size_t len = (size_t)sqlite3_column_bytes(q, column);
	if (!text || len >= size || strlen(text) != len)
		return false;
	memcpy(dst, text, len + 1);
	return true;
}

/* What seq 0 says of itself; empty strings for what it does not say. */
struct genesis {
	bool there, body_same, format;
	char origin[FIELD_MAX + 1];
	char vkey[VKEY_SIZE];
};

/* True if the body hashes to what the row says.  That needs no origin. */
static bool body_same(struct verify *v, sqlite3_stmt *q)
{
	uint8_t hash[HASH_SIZE];
	const void *salt = sqlite3_column_blob(q, 0), *said = sqlite3_column_blob(q, 2);
	if (!salt || sqlite3_column_bytes(q, 0) != SALT_SIZE || !said ||
	    sqlite3_column_bytes(q, 2) != HASH_SIZE)
		return false;
	const void *body = sqlite3_column_blob(q, 1);
	hasher_body(&v->h, salt, body ? body : "", (size_t)sqlite3_column_bytes(q, 1), hash);
	return memcmp(hash, said, HASH_SIZE) == 0;
}

static int read_genesis(struct verify *v, struct genesis *g)
{
	memset(g, 0, sizeof *g);
	sqlite3_stmt *q = db_prepare(
		v->db, "SELECT salt, body, body_hash,"
		       " CASE WHEN j THEN json_extract(body, '$.format') IS 'tape/1' END,"
		       " CASE WHEN j THEN json_extract(body, '$.origin') END,"
		       " CASE WHEN j THEN json_extract(body, '$.vkey') END"
		       " FROM (SELECT *, coalesce(json_valid(body), 0) AS j FROM tape WHERE seq = 0)");
	int rc = q ? sqlite3_step(q) : SQLITE_ERROR;
	int err = rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 : verify_sqlite(v, 0);
	if (rc == SQLITE_ROW) {
		g->there = true;
		g->body_same = body_same(v, q);
		g->format = sqlite3_column_int(q, 3) == 1;
		if (!copy_text(q, 4, g->origin, sizeof g->origin))
			g->origin[0] = '\0';
		if (!copy_text(q, 5, g->vkey, sizeof g->vkey))
			g->vkey[0] = '\0';
	}
	sqlite3_finalize(q);
	return err;
}

/* The key: given, or in the key directory, or else the tape's own word for it. */
static void find_key(struct verify *v, const struct genesis *g)
{
	char dir[PATH_MAX];
	const char *key_dir = v->options->key_dir;
	if (v->trusted)
		return;
	if (!key_dir && key_dir_default(dir, sizeof dir) == 0)
		key_dir = dir;
	if (key_dir && key_load(key_dir, v->origin, NULL, &v->key) == 0)
		v->has_key = v->trusted = true;
	else
		v->has_key = note_key_parse(&v->key, g->vkey) && strcmp(v->key.name, v->origin) == 0;
}

/* Every tape of the user has a good key; that this one belongs here is known beside the keys. */
static int look_whose(struct verify *v)
{
	char origin[FIELD_MAX + 1], file[PATH_MAX + 32];
	const char *path = sqlite3_db_filename(v->db, "main");
	if (mine_get(v->options->key_dir, path, origin, file, sizeof file) != 0 ||
	    strcmp(origin, v->origin) == 0)
		return 0;
	return verify_fault(v, VERDICT_FORK, 0,
	                    "this is the tape of %s; the one that was made or mounted here was %s"
	                    " (if you meant that, rm %.200s)",
	                    v->origin, origin, file);
}

/*
 * The genesis and the given key must agree on the origin: it is in every leaf.
 * A body that does not match its own hash is not asked: with a key the walk
 * finds it, as in any other row, and without one there is no origin to go by.
 */
static int find_origin(struct verify *v)
{
	struct genesis g;
	int err = read_genesis(v, &g);
	if (err)
		return err;
	if (g.there && !g.body_same)
		return v->trusted ? 0
		                  : verify_fault(v, VERDICT_CONTENT, 0,
		                                 "entry 0: the body is not the one hashed");
	if (g.there && (!g.format || !field_ok(g.origin, strlen(g.origin), FIELD_MAX)))
		return verify_fault(v, VERDICT_FORMAT, 0, "entry 0 is not the genesis of a tape/1");
	if (g.there && v->trusted && strcmp(g.origin, v->origin) != 0)
		return verify_fault(v, VERDICT_FORK, 0, "this is the tape of %s, the key is for %s",
		                    g.origin, v->origin);
	if (g.there)
		memcpy(v->origin, g.origin, sizeof v->origin);
	find_key(v, &g);
	return v->options->vkey ? 0 : look_whose(v);
}

/* ---- the run -------------------------------------------------------------- */

/* Nothing is wrong: what of it was proved. */
static int judge_proof(struct verify *v)
{
	if (v->unreadable[0])
		return verify_fault(v, VERDICT_UNVERIFIABLE, -1, "%s", v->unreadable);
	if (v->out->entries == 0)
		return verify_fault(v, VERDICT_UNVERIFIABLE, -1, "the tape has no entries");
	if (!v->trusted)
		return verify_fault(v, VERDICT_UNVERIFIABLE, -1,
		                    "no key of %s that you trust: pass its vkey (--vkey), as `cinta pubkey`"
		                    " printed it; the tape's own word for its key proves nothing",
		                    v->origin);
	if (v->out->signed_upto == 0)
		return verify_fault(v, VERDICT_UNVERIFIABLE, -1, "no checkpoint has been signed");
	(void)snprintf(v->out->detail, sizeof v->out->detail,
	               "%lld entries, signed up to %lld, anchored up to %lld",
	               (long long)v->out->entries, (long long)v->out->signed_upto,
	               (long long)v->out->anchored_upto);
	return 0;
}

static int verify_run(struct verify *v, const char *path)
{
	int err;
	if ((err = proofs_read_files(v, path)) || (err = open_tape(v, path)) ||
	    (err = find_origin(v)) || (err = proofs_read_tape(v)) || (err = tiles_read(v)))
		return err;
	proofs_open(v);
	if ((err = verify_rows(v)) || (err = proofs_judge(v)))
		return err;
	/* An empty tape has nothing that tiles could differ from. */
	if (v->out->entries > 0 && (err = tiles_judge(v)))
		return err;
	if (v->options->all && v->out->entries > 0 && (err = verify_all(v)))
		return err;
	return judge_proof(v);
}

int verify_tape(const char *path, const struct view_table *views, const struct verify_options *o,
                struct verify_report *out)
{
	struct verify v = { .views = views, .options = o, .out = out };
	memset(out, 0, sizeof *out);
	out->seq = out->since = -1;
	if (o->vkey && !note_key_parse(&v.key, o->vkey)) {
		(void)snprintf(out->detail, sizeof out->detail, "%.200s is not a verifier key", o->vkey);
		return STORE_EINVAL;
	}
	if (o->all && !o->text_size)
		return STORE_EINVAL;
	if (o->vkey) {
		v.has_key = v.trusted = true;
		memcpy(v.origin, v.key.name, sizeof v.origin);
	}
	int err = hasher_init(&v.h);
	if (!err) {
		err = verify_run(&v, path);
		redactions_report(&v);
		hasher_release(&v.h);
	}
	verify_rows_release(&v);
	redactions_release(&v);
	proofs_release(&v);
	tiles_release(&v);
	sqlite3_close(v.db);
	return err == 1 ? 0 : err;
}

/* SPDX-License-Identifier: MIT */
/*
 * Opening the search index, and letting it catch up with the tape.
 *
 * Invariants
 *   1. Below `upto`, every message with a text, the newest version of every document that is here,
 *      and every live fact is in `text` and in `word` under the seq of its entry; nothing else is.
 *   2. `leaf` is the hash of entry upto - 1: an index of another tape, or of one that was replaced
 *      by an older copy, is thrown away.
 *   3. FTS5 takes words out by being told again what went in.  `sum` says whether we still can;
 *      if not (a version was redacted), all is made anew.
 */
#include "store/search/search_index.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/facts/facts.h"
#include "store/internal.h"
#include "store/base/base.h"

static const char schema[] =
	"CREATE TABLE state(upto INTEGER NOT NULL, version INTEGER NOT NULL, clean INTEGER NOT NULL,"
	" leaf BLOB, back INTEGER NOT NULL);" /* times went back along the tape */
	"CREATE TABLE text(seq INTEGER PRIMARY KEY, session INTEGER, n INTEGER, words INTEGER NOT NULL,"
	" flags INTEGER NOT NULL, day INTEGER NOT NULL, doc INTEGER, root TEXT, name TEXT,"
	" sum INTEGER, said INTEGER NOT NULL);"
	"CREATE INDEX text_said ON text(said);"
	"CREATE INDEX text_told ON text(seq) WHERE flags & 128;" /* FLAG_TOLD */
	"CREATE INDEX text_doc ON text(doc) WHERE doc IS NOT NULL;"
	"CREATE VIRTUAL TABLE word USING fts5(body, scope, content='', columnsize=0, prefix='4',"
	" tokenize='cinta');" /* prefix: for words that begin alike */
	"CREATE VIRTUAL TABLE page USING fts5(body, scope, content='', columnsize=0, prefix='4',"
	" tokenize='cinta');"
	"INSERT INTO word(word, rank) VALUES('hashsize', 4194304);";

/* What matches in the tables that ?4 has bits of, enum search_tables. */
#define MATCHING \
	"SELECT rowid FROM word WHERE ?4 & 1 AND word MATCH ?1 AND rowid >= ?2 AND rowid <= ?3" \
	" UNION ALL " \
	"SELECT rowid FROM page WHERE ?4 & 2 AND page MATCH ?1 AND rowid >= ?2 AND rowid <= ?3" \
	" ORDER BY 1"
#define SEEN_IN(table) \
	"SELECT rowid, cinta_seen(" table ") FROM " table " WHERE " table " MATCH ?1" \
	" AND rowid >= ?2 AND rowid <= ?3 ORDER BY rowid"

static const char *const search_sql[SEARCH_STMTS] = {
	[SEARCH_STATE] = "SELECT upto, clean, leaf FROM state",
	[SEARCH_SET_STATE] = "UPDATE state SET upto = ?1, leaf = ?2, back = back OR ?3",
	[SEARCH_ADD_TEXT] = "INSERT INTO text VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,"
		" ?11)",
	[SEARCH_ADD_WORDS] = "INSERT INTO word(rowid, body, scope) VALUES(?1, ?2, ?3)",
	[SEARCH_DROP_TEXT] = "DELETE FROM text WHERE seq = ?1",
	[SEARCH_ADD_PAGE] = "INSERT INTO page(rowid, body, scope) VALUES(?1, ?2, ?3)",
	[SEARCH_DROP_PAGE] = "INSERT INTO page(page, rowid, body, scope)"
						 " VALUES('delete', ?1, ?2, ?3)",
	[SEARCH_DOC] = "SELECT seq, root, name, sum FROM text WHERE doc = ?1",
	[SEARCH_FACT] = "SELECT sum FROM text WHERE seq = ?1 AND flags & 3 = 2" /* HIT_FACT */,
	[SEARCH_ROW] = "SELECT session, n, words, flags, day, doc, root, name, said FROM text"
		" WHERE seq = ?1",
	[SEARCH_POSTINGS] = SEEN_IN("word") " DESC",
	[SEARCH_PAGE_POSTINGS] = SEEN_IN("page") " DESC",
	/* Oldest first is what FTS5 reads faster. */
	[SEARCH_WITHIN] = SEEN_IN("word"),
	[SEARCH_PAGE_WITHIN] = SEEN_IN("page"),
	[SEARCH_MATCHES] = MATCHING " DESC",
	[SEARCH_NEWEST] = "SELECT seq FROM text WHERE said >= ?1 AND said < ?2"
					  " ORDER BY said DESC, seq DESC",
	[SEARCH_ENTRY] = "SELECT seq FROM text WHERE said >= ?1 AND said < ?2 AND seq = ?3",
	[SEARCH_SAID] = "SELECT said FROM text WHERE seq = ?1",
	[SEARCH_TOLD] = "SELECT 1 FROM text WHERE flags & 128 LIMIT 1",
	[SEARCH_PASSING] = MATCHING,
	[SEARCH_CHANGED] = "PRAGMA data_version",
	[SEARCH_TIMES] = "SELECT upto, back FROM state",
	[TAPE_ENTRIES] =
		"SELECT " ENTRY_COLUMNS " FROM tape t WHERE t.seq >= ?1 AND t.seq < ?2 ORDER BY t.seq",
	[TAPE_DOC] = DOC_PLACE_SQL,
	[TAPE_FACT] = FACT_GONE_SQL,
	[TAPE_AROUND] = "SELECT seq, stream_seq + 1 FROM tape WHERE stream = ?1"
					" AND stream_seq BETWEEN ?2 - 1 AND ?3 - 1 ORDER BY stream_seq",
	[TAPE_TIME] = "SELECT time_us FROM tape WHERE seq >= ?1 ORDER BY seq LIMIT 1",
	[TAPE_ENTRY] = "SELECT " ENTRY_COLUMNS " FROM tape t WHERE t.seq = ?1",
	[TAPE_REDACTED] = "SELECT seq FROM tape WHERE body IS NULL",
};

/* ---- opening ----------------------------------------------------------- */

/* cinta_seen(word): how often the words' phrases occur in this row, and where. */
static void see_row(const Fts5ExtensionApi *api, Fts5Context *fts, sqlite3_context *out, int count,
                    sqlite3_value **args)
{
	struct search_seen *seen = api->xUserData(fts);
	(void)count, (void)args;
	int phrase = seen->phrase;
	seen->who = seen->alike = seen->same = 0;
	for (size_t t = 0; t < seen->words; t++) {
		Fts5PhraseIter it;
		int column = -1, offset;
		seen->body[t] = 0;
		int rc = api->xPhraseFirst(fts, phrase, &it, &column, &offset);
		for (; rc == SQLITE_OK && column >= 0; api->xPhraseNext(fts, &it, &column, &offset))
			seen->body[t] = (uint8_t)(seen->body[t] + (seen->body[t] < 255));
		column = -1;
		(void)api->xPhraseFirst(fts, phrase + 1, &it, &column, &offset);
		seen->who = (uint16_t)(seen->who | (column >= 0) << t);
		phrase += 2;
		column = -1;
		if (seen->like)
			(void)api->xPhraseFirst(fts, phrase++, &it, &column, &offset);
		seen->alike = (uint16_t)(seen->alike | (column >= 0) << t);
		column = -1;
		for (int i = 0; i < seen->likes[t]; i++, phrase++)
			if (column < 0)
				(void)api->xPhraseFirst(fts, phrase, &it, &column, &offset);
		seen->same = (uint16_t)(seen->same | (column >= 0) << t);
	}
	sqlite3_result_int(out, 0);
}

static int add_functions(struct search *x)
{
	int err = search_tokenizer_add(x->db);
	fts5_api *api = err ? NULL : search_fts5(x->db);
	if (!api)
		return err ? err : STORE_EIO;
	return db_error(api->xCreateFunction(api, "cinta_seen", &x->seen, see_row, NULL));
}

static int open_file(struct search *x, const char *path, enum search_mode mode)
{
	char name[PATH_MAX + 8] = "";
	int flags = SQLITE_OPEN_READWRITE;
	if (mode != SEARCH_PRIVATE)
		(void)snprintf(name, sizeof name, "%s.search", path);
	if (mode == SEARCH_READ && access(name, F_OK) != 0)
		return STORE_ENOENT;
	if (mode == SEARCH_WRITE) { /* private from the start, as the memory is */
		int made = private_create(name);
		if (made)
			return made == STORE_EFORMAT ? STORE_EROFS : made;
	}
	if (mode == SEARCH_PRIVATE)
		flags |= SQLITE_OPEN_CREATE;
	int err = db_error(mode == SEARCH_READ ? db_open_file(name, flags, &x->db) :
	                   db_connect(name, flags, &x->db));
	if (!err)
		err = db_harden(x->db);
	if (!err)
		err = db_exec(x->db, "PRAGMA temp_store=MEMORY");
	if (!err && mode == SEARCH_WRITE)
		err = db_exec(x->db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
							 "PRAGMA secure_delete=ON; PRAGMA cache_size=-8192");
	if (!err && mode == SEARCH_PRIVATE)
		err = db_exec(x->db, "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF");
	return err;
}

/* In a transaction: no table but ours, and nothing in it. */
static int make_tables(struct search *x, int64_t clean)
{
	x->page_changes++;
	if (x->sum)
		search_sum_like(x->sum, x->sum);
	int err = db_exec(x->db, "DROP TABLE IF EXISTS word; DROP TABLE IF EXISTS page;"
							 "DROP TABLE IF EXISTS text;"
							 "DROP TABLE IF EXISTS state");
	if (!err)
		err = db_exec(x->db, schema);
	if (!err) {
		char sql[96];
		(void)snprintf(sql, sizeof sql, "INSERT INTO state VALUES(0, %d, %lld, NULL, 0)",
		               SEARCH_VERSION, (long long)clean);
		err = db_exec(x->db, sql);
	}
	return err;
}

int search_reset(struct search *x, int64_t clean)
{
	int err = db_begin(x->db);
	if (err)
		return err;
	err = make_tables(x, clean);
	if (!err)
		return db_commit(x->db);
	db_rollback(x->db);
	return err;
}

/* Tables of this version, made if there are none. */
static int check_tables(struct search *x)
{
	if (db_int(x->db, "SELECT version FROM state", -1) == SEARCH_VERSION)
		return 0;
	if (x->fixed)
		return STORE_EFORMAT;
	int err = db_begin(x->db);
	if (err)
		return err;
	if (db_int(x->db, "SELECT version FROM state", -1) != SEARCH_VERSION) /* not made meanwhile */
		err = make_tables(x, 0);
	if (!err)
		return db_commit(x->db);
	/* Something else has a table's name: the file is worth nothing. */
	bool odd = (sqlite3_errcode(x->db) & 0xff) == SQLITE_ERROR;
	db_rollback(x->db);
	return odd ? STORE_EFORMAT : err;
}

static int prepare(struct search *x)
{
	for (int i = 0; i < SEARCH_STMTS; i++) {
		x->stmt[i] = db_prepare(i < SEARCH_TAPE ? x->db : x->tape, search_sql[i]);
		if (!x->stmt[i] && !(x->fixed && i < SEARCH_ROW))
			return STORE_EFORMAT;
	}
	return 0;
}

int search_open(const char *path, enum search_mode mode, plain_text_fn *plain, struct search **out)
{
	struct search *x = calloc(1, sizeof *x);
	if (!x)
		return STORE_ENOMEM;
	x->fixed = mode == SEARCH_READ;
	x->plain = plain;
	int err = open_file(x, path, mode);
	if (!err)
		err = add_functions(x);
	if (!err)
		err = check_tables(x);
	if (!err)
		err = db_open(path, DB_READ, &x->tape, NULL);
	if (!err)
		err = row_check_open(&x->check, x->tape, NULL);
	if (!err)
		err = db_exec(x->tape, "PRAGMA cache_size=-4096");
	if (!err)
		err = prepare(x);
	if (!err)
		err = search_tokens_open(x->db, &x->tokens);
	if (err) {
		search_close(x);
		return err;
	}
	*out = x;
	return 0;
}

static void scope_release(struct search_scope_kept *s)
{
	sqlite3_free(s->match);
	free(s->seqs);
}

void search_close(struct search *x)
{
	if (!x)
		return;
	for (int i = 0; i < SEARCH_STMTS; i++)
		sqlite3_finalize(x->stmt[i]);
	search_tokens_close(&x->tokens);
	for (int i = 0; i < SCOPES_KEPT; i++)
		scope_release(&x->scope[i]);
	row_check_release(&x->check);
	sqlite3_close(x->db);
	sqlite3_close(x->tape);
	free(x);
}

void search_remove(const char *path)
{
	db_remove_beside(path, "search");
}

int search_run(struct search *x, enum search_stmt which)
{
	int rc = sqlite3_step(x->stmt[which]);
	sqlite3_reset(x->stmt[which]);
	return db_error(rc);
}

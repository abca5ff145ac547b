/* SPDX-License-Identifier: MIT */
/* Views are a function of the tape: whatever the batches, rebuilt or not, the same tables. */
#include "tests/unit/doc_fixture.h"

#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/db/db.h"
#include "store/internal.h"
#include "store/views/views.h"

static const char *const tables[] = { "v_state", "v_mark", "v_day", "v_name", "v_group", "v_line", "v_message",
	"v_tag", "v_ref", "log_messages", "log_message_refs", "log_message_index" };

/* A digest of all rows of all views. */
static void digest(const char *path, uint8_t out[SHA256_DIGEST_LENGTH])
{
	sqlite3 *db = NULL;
	EVP_MD_CTX *sha = EVP_MD_CTX_new();
	/* As a person with a shell would: the views for people use functions db_open() does not trust. */
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(EVP_DigestInit_ex(sha, EVP_sha256(), NULL), 1);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		char sql[128];
		(void)snprintf(sql, sizeof sql, "SELECT * FROM %s ORDER BY 1, 2", tables[i]);
		sqlite3_stmt *q = db_prepare(db, sql);
		int rc;
		if (!q)
			fail_msg("%s: %s", tables[i], sqlite3_errmsg(db));
		while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
			for (int c = 0; c < sqlite3_column_count(q); c++) {
				const char *text = (const char *)sqlite3_column_text(q, c);
				EVP_DigestUpdate(sha, text ? text : "NULL", text ? strlen(text) + 1 : 4);
			}
		}
		assert_int_equal(rc, SQLITE_DONE);
		sqlite3_finalize(q);
	}
	assert_int_equal(EVP_DigestFinal_ex(sha, out, NULL), 1);
	EVP_MD_CTX_free(sha);
	sqlite3_close(db);
}

static void fill(struct memory *m, int rows)
{
	static const char *const more[] = { "", ",\"thread\":\"obra\"", ",\"owner\":\"bea\",\"flag\":\"f\"",
		",\"players\":[\"a\",\"plu/b\"],\"hashtags\":[\"x\",\"y\"],\"items\":[\"i\"]",
		",\"refs\":[{\"type\":\"context\",\"ref\":1},{\"type\":\"context\",\"ref\":\"dos/2\"}]",
		",\"location\":\"l\",\"master_player\":\"p\",\"master_item\":\"q\",\"thread\":\"casa\"" };
	uint64_t seed = 9;
	(void)make_session(m->s, "uno");
	(void)make_session(m->s, "dos");
	for (int i = 0; i < rows; i++) {
		char body[512];
		(void)snprintf(body, sizeof body, "{\"role\":\"user\",\"content\":\"%d\"%s,\"token_count\":%d}", i,
		               more[dice(&seed, 6)], i % 7);
		assert_int_equal(put(m->s, dice(&seed, 3) ? "s1" : "s2", "message", body), 0);
		if (i % 50 == 0)
			assert_int_equal(put(m->s, "other", "note", "anything"), 0);
	}
}

static void catch_up_by(const char *path, int64_t batch)
{
	sqlite3 *db = NULL;
	struct view *v = NULL;
	struct why why = { 0 };
	int64_t upto = 0, before = -1;
	assert_int_equal(db_open(path, DB_WRITE, &db, &why), 0);
	assert_int_equal(views_reset(db), 0);
	assert_int_equal(view_open(db, &store_views, body_text_size, &v), 0);
	while (upto != before) {
		before = upto;
		assert_int_equal(view_catch_up(v, batch, INT64_MAX / 2, &upto), 0);
	}
	view_close(v);
	sqlite3_close(db);
}

static void test_batches(void **state)
{
	static const int64_t batches[] = { 1, 2, 7, 63, 64, 65, 500, 100000 };
	struct memory *m = *state;
	uint8_t first[SHA256_DIGEST_LENGTH], again[SHA256_DIGEST_LENGTH];
	fill(m, 400);
	assert_int_equal(store_catch_up(m->s), 0);
	digest(m->path, first);
	for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
		catch_up_by(m->path, batches[i]);
		digest(m->path, again);
		assert_memory_equal(first, again, sizeof first);
	}
}

static void test_rebuild(void **state)
{
	struct memory *m = *state;
	uint8_t first[SHA256_DIGEST_LENGTH], again[SHA256_DIGEST_LENGTH];
	struct store_config config = { .text_size = body_text_size };
	struct verify_options o = { .key_dir = m->keys, .all = true, .text_size = body_text_size };
	struct verify_report r;
	struct why why = { 0 };
	fill(m, 150);
	assert_int_equal(store_catch_up(m->s), 0);
	digest(m->path, first);
	memory_reopen(m, STORE_OWNER);
	store_close(m->s); /* signs */
	m->s = NULL;
	assert_int_equal(remake(m->path, &config, &why), 0);
	digest(m->path, again);
	assert_memory_equal(first, again, sizeof first);
	assert_int_equal(store_verify(m->path, &o, &r), 0);
	assert_int_equal(r.verdict, VERDICT_OK);
}

static void test_status(void **state)
{
	struct memory *m = *state;
	struct status st;
	fill(m, 20);
	assert_int_equal(store_catch_up(m->s), 0);
	store_status(m->s, &st);
	assert_int_equal(st.entries, 1 + 2 + 20 + 1);
	assert_int_equal(st.viewed_upto, st.entries);
	assert_int_equal(st.messages, 20);
	assert_int_equal(st.sessions, 2);
	assert_true(st.threads <= 2 && st.database_bytes > 0);
	assert_string_equal(st.database, m->path);
	assert_string_equal(st.trouble, "");
}

/* Nobody reads, and the writer never rests: the views see it all the same, for who reads will not wait. */
static void test_trickle(void **state)
{
	struct memory *m = *state;
	memory_reopen(m, STORE_OWNER);
	(void)make_session(m->s, "uno");
	say(m->s, "first", "");
	int64_t before = entries_of(m->s), last = before;
	for (int i = 0; i < 500 && views_at(m->s) <= before + 25; i++) {
		say(m->s, "one more", "");
		usleep(20000);
		last = entries_of(m->s);
	}
	assert_true(last - before < 500);
}

/* What a column of log_messages holds for the newest message must be the SHA-256 of `path`. */
static void names(struct memory *m, const char *column, const char *path)
{
	char sql[256], hex[2 * HASH_SIZE + 1];
	sqlite3 *db = NULL;
	assert_int_equal(store_catch_up(m->s), 0);
	assert_int_equal(sqlite3_open_v2(m->path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	(void)snprintf(sql, sizeof sql, "SELECT %s FROM log_messages ORDER BY id DESC LIMIT 1", column);
	sqlite3_stmt *q = db_prepare(db, sql);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	store_sha256(path, strlen(path), hex);
	if (!strstr((const char *)sqlite3_column_text(q, 0), hex))
		fail_msg("%s is %s, not that of %s", column, (const char *)sqlite3_column_text(q, 0), path);
	sqlite3_finalize(q);
	sqlite3_close(db);
}

/* A code means the first component of its field's tables there was then, else the system's. */
static void test_components(void **state)
{
	static const char all[] = ",\"owner\":\"eva\",\"players\":[\"eva\",\"plu:ana\",\"zzz:b\"],"
		"\"master_player\":\"plu/ana\",\"hashtags\":[\"casa\",\"vue:paz\"],\"flag\":\"es\","
		"\"master_item\":\"taladro\",\"items\":[\"itx:\"],\"location\":\"lou:taller\"";
	struct memory *m = *state;
	int64_t id, other;
	(void)make_session(m->s, "uno");
	say(m->s, "nobody is there yet", all);
	names(m, "owner_id", "components/ply/eva.md");
	names(m, "players_id", "components/ply/eva.md");
	names(m, "players_id", "components/plu/ana.md");
	names(m, "players_id", "components/ply/zzz:b.md");
	names(m, "master_player", "components/plu/ana.md");
	names(m, "hashtags", "components/hst/casa.md");
	names(m, "hashtags", "components/vue/paz.md");
	names(m, "flag_id", "components/flg/es.md");
	names(m, "master_item_id", "components/itm/taladro.md");
	names(m, "item_id", "components/itm/itx:.md");
	names(m, "loc_id", "components/lou/taller.md");
	assert_int_equal(doc_make(m->s, "components/plx", "eva.md", "x", &id), 0);
	assert_int_equal(doc_make(m->s, "components/vsn", "casa.md", "x", &other), 0);
	assert_int_equal(doc_make(m->s, "components/flu", "es.md", "x", &other), 0);
	assert_int_equal(doc_make(m->s, "components/itu", "taladro.md", "x", &other), 0);
	assert_int_equal(doc_make(m->s, "components/loc", "eva.md", "not of that field", &other), 0);
	say(m->s, "now they are", all);
	names(m, "owner_id", "components/plx/eva.md");
	names(m, "players_id", "components/plx/eva.md");
	names(m, "hashtags", "components/vsn/casa.md");
	names(m, "flag_id", "components/flu/es.md");
	names(m, "master_item_id", "components/itu/taladro.md");
	assert_int_equal(doc_make(m->s, "components/plu", "eva.md", "x", &other), 0);
	say(m->s, "plu before plx", all);
	names(m, "owner_id", "components/plu/eva.md");
	assert_int_equal(doc_move(m->s, other, "components/plu", "eve.md"), 0);
	say(m->s, "a code that moved away", all);
	names(m, "owner_id", "components/plx/eva.md");
	assert_int_equal(doc_move(m->s, id, "components/plx", "ana.md"), 0);
	say(m->s, "the author is ana", "");
	names(m, "owner_id", "components/plx/ana.md");
	say(m->s, "gone", all);
	names(m, "owner_id", "components/ply/eva.md");
	views_hold(m); /* made anew they say the same: as it was then */
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, memory_open, memory_close)

int main(void)
{
	const struct CMUnitTest tests[] = { WITH(test_batches), WITH(test_rebuild), WITH(test_status), WITH(test_trickle),
		WITH(test_components) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Documents for people with a sqlite3 shell: cto_blocks, cto_memory, cto_algorithms, components; active blocks. */
#include "tests/unit/doc_fixture.h"

#include <jansson.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "store/documents/doc_body.h"

/* A document, or with NULL content a folder. */
static int64_t make(struct store *s, const char *parent, const char *name, const char *fields, const char *content)
{
	char place[512], *version = NULL;
	int64_t id = 0;
	(void)snprintf(place, sizeof place, "{\"parent\":\"%s\",\"name\":\"%s\",\"folder\":%s}", parent, name,
	               content ? "false" : "true");
	json_t *text = json_string(content ? content : "");
	char *quoted = json_dumps(text, JSON_ENCODE_ANY);
	assert_true(asprintf(&version, "{\"fields\":%s,\"size\":1,\"tokens\":7,\"text\":%s}", fields, quoted) > 0);
	struct doc_text v = { version, strlen(version) };
	assert_int_equal(store_doc_make(s, parent, name, (struct doc_text){ place, strlen(place) }, content ? &v : NULL,
	                                "ana:vim", &id), 0);
	json_decref(text);
	free(quoted);
	free(version);
	return id;
}

static void sql_is(const struct memory *m, const char *sql, const char *expected)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *q = NULL;
	assert_int_equal(store_catch_up(m->s), 0);
	assert_int_equal(sqlite3_open_v2(m->path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK); /* as the shell */
	if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) != SQLITE_OK)
		fail_msg("%s", sqlite3_errmsg(db));
	int rc = sqlite3_step(q);
	if (rc != SQLITE_ROW)
		fail_msg("%s: %s", sql, rc == SQLITE_DONE ? "no row" : sqlite3_errmsg(db));
	const char *got = (const char *)sqlite3_column_text(q, 0);
	if (!expected)
		assert_null(got);
	else
		assert_string_equal(got ? got : "NULL", expected);
	sqlite3_finalize(q);
	sqlite3_close(db);
}

static void columns_are(const struct memory *m, const char *table, const char *expected)
{
	char sql[128];
	(void)snprintf(sql, sizeof sql, "SELECT group_concat(name, ' ') FROM pragma_table_info('%s')", table);
	sql_is(m, sql, expected);
}

static const char *path_hash(const char *path, char hex[2 * HASH_SIZE + 1])
{
	store_sha256(path, strlen(path), hex);
	return hex;
}

static void test_columns(void **state)
{
	struct memory *m = *state;
	columns_are(m, "cto_blocks", "id hash code name session_hash owner_id block_type category content embedding"
	                             " priority scope server_code agent_code token_count status created_at updated_at");
	columns_are(m, "cto_memory", "id hash session_hash block_hash owner_id type content summary importance confidence"
	                             " embedding embedding_model access_count_v2 last_access source_hash expires_at status"
	                             " superseded_by related_to metadata owner_type created_at updated_at");
	columns_are(m, "cto_algorithms", "id code name version config enabled status parent_id metrics activated_at"
	                                 " deprecated_at created_at updated_at");
}

static void test_blocks(void **state)
{
	struct memory *m = *state;
	char hex[2 * HASH_SIZE + 1];
	make(m->s, "blocks/rules", "system_rules.md",
	     "{\"category\":\"rules\",\"name\":\"Reglas\",\"priority\":90,\"status\":\"active\",\"scope\":\"global\","
	     "\"session\":\"uno\"}",
	     "---\nname: Reglas\n---\n\nNunca borrar.\n");
	sql_is(m, "SELECT code||'|'||name||'|'||category||'|'||priority||'|'||scope||'|'||token_count FROM cto_blocks",
	       "system_rules|Reglas|rules|90|global|7");
	sql_is(m, "SELECT content FROM cto_blocks", "Nunca borrar.\n");
	sql_is(m, "SELECT owner_id FROM cto_blocks", path_hash("components/ply/ana.md", hex));
	sql_is(m, "SELECT session_hash FROM cto_blocks", path_hash("sessions/uno", hex));
	sql_is(m, "SELECT hash FROM cto_blocks", path_hash("---\nname: Reglas\n---\n\nNunca borrar.\n", hex));
	sql_is(m, "SELECT count(*) FROM cto_blocks WHERE created_at LIKE '20__-__-__T__:__:__.______Z'", "1");
}

static void test_front_matter(void **state)
{
	static const struct {
		const char *text, *content;
	} cases[] = {
		{ "plain", "plain" }, { "", "" }, { "---\n---\n", "" }, { "---\n---", "" }, { "---\na: 1\n---\nx", "x" },
		{ "---\r\na: 1\r\n---\r\nx\r\n", "x\r\n" }, { "---\nb: 2\n---\nx\n---\ny\n", "x\n---\ny\n" },
		{ "\xEF\xBB\xBF---\na: 1\n---\n\n\nx", "x" }, { "---\nopen", "---\nopen" },
		{ "----\na\n---\nx", "----\na\n---\nx" },
		{ "---\na: 1\n----\n---\nñ", "ñ" }, { "---\na: 1\r\n---\nx\n---\r\ny", "x\n---\r\ny" },
	};
	struct memory *m = *state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char name[32], sql[96];
		(void)snprintf(name, sizeof name, "n%zu.md", i);
		(void)snprintf(sql, sizeof sql, "SELECT content FROM v_content WHERE id = %lld",
		               (long long)make(m->s, "memories/fact", name, "{}", cases[i].text));
		sql_is(m, sql, cases[i].content);
		assert_string_equal(cases[i].text + doc_body_start(cases[i].text, strlen(cases[i].text)), cases[i].content);
	}
	assert_int_equal(put(m->s, "d1", "document", "{\"fields\":{},\"base64\":\"/wA=\"}"), 0);
	sql_is(m, "SELECT content FROM v_content WHERE id = 1", NULL);
}

static void test_memory(void **state)
{
	struct memory *m = *state;
	char hex[2 * HASH_SIZE + 1], old[24];
	make(m->s, "memories/preference", "editor.md",
	     "{\"importance\":0.70,\"confidence\":1.0,\"status\":\"superseded\",\"superseded_by\":\"vim\","
	     "\"owner_id\":\"plu/bob\","
	     "\"related_to\":[2,\"x\"],\"expires_at\":\"2027-01-01T00:00:00Z\",\"tags\":[\"a\"]}",
	     "emacs");
	(void)snprintf(old, sizeof old, "%lld", (long long)make(m->s, "memories/preference", "vim.md", "{}", "vim"));
	sql_is(m, "SELECT superseded_by FROM cto_memory WHERE id = 1", old);
	sql_is(m, "SELECT type||'|'||importance||'|'||confidence||'|'||status||'|'||related_to||'|'||metadata||'|'||content"
	          " FROM cto_memory WHERE id = 1", "preference|0.7|1.0|superseded|[2,\"x\"]|{}|emacs");
	sql_is(m, "SELECT owner_id FROM cto_memory WHERE id = 1", path_hash("components/plu/bob.md", hex));
	assert_int_equal(put(m->s, "d1", "document", "{\"fields\":{\"superseded_by\":\"fact/z\"},\"text\":\"x\"}"), 0);
	sql_is(m, "SELECT superseded_by FROM cto_memory WHERE id = 1", "fact/z");
	sql_is(m, "SELECT owner_id FROM cto_memory WHERE id = 1", path_hash("components/ply/ana.md", hex));
	make(m->s, "memories/fact", "z.md", "{}", "z");
	sql_is(m, "SELECT superseded_by FROM cto_memory WHERE id = 1", "3");
}

static void test_algorithms_and_components(void **state)
{
	struct memory *m = *state;
	char hex[2 * HASH_SIZE + 1];
	assert_int_equal(make(m->s, "algorithms", "scoring", "{}", NULL), 1);
	make(m->s, "#1", "1.0.json", "{\"status\":\"deprecated\"}", "{}");
	make(m->s, "#1", "2.0.json", "{\"status\":\"active\",\"parent_version\":\"1.0\",\"config\":{\"w\":0.20}}", "{}");
	sql_is(m, "SELECT code||'|'||version||'|'||config||'|'||enabled||'|'||status||'|'||parent_id||'|'||metrics"
	          " FROM cto_algorithms WHERE version = '2.0'", "scoring|2.0|{\"w\":0.20}|1|active|2|{}");
	make(m->s, "components/ply", "ana.md", "{\"name\":\"Ana\",\"description\":\"jefa\"}", "hola");
	sql_is(m, "SELECT id FROM components", path_hash("components/ply/ana.md", hex));
	sql_is(m, "SELECT table_name||'|'||code||'|'||name||'|'||description||'|'||status||'|'||content FROM components",
	       "ply|ana|Ana|jefa|active|hola");
	make_session(m->s, "uno");
	say(m->s, "x", "");
	sql_is(m, "SELECT c.name FROM log_messages l JOIN components c ON c.id = l.owner_id", "Ana");
}

static void add_code(void *ctx, const struct doc_block *b)
{
	char *codes = ctx;
	size_t len = strlen(codes);
	assert_int_equal(b->len, strlen(b->content));
	assert_string_equal(b->content, b->code);
	(void)snprintf(codes + len, 256 - len, "%s ", b->code);
}

static const char *active(struct store *s, const char *scope, const char *server, const char *agent, char codes[256])
{
	codes[0] = '\0';
	assert_int_equal(store_active_blocks(s, scope, server, agent, add_code, codes), 0);
	return codes;
}

static void test_active_blocks(void **state)
{
	static const char *const blocks[][2] = {
		{ "b", "{\"priority\":50,\"scope\":\"global\",\"status\":\"active\"}" },
		{ "a", "{\"priority\":50,\"scope\":\"global\",\"status\":\"active\"}" },
		{ "top", "{\"priority\":100,\"scope\":\"server\",\"server_code\":\"DECK\"}" },
		{ "corp", "{\"priority\":99,\"scope\":\"server\",\"server_code\":\"CORP\"}" },
		{ "mine", "{\"priority\":-5,\"scope\":\"agent\",\"agent_code\":\"x1\"}" },
		{ "off", "{\"priority\":500,\"scope\":\"global\",\"status\":\"inactive\"}" },
		{ "ses", "{\"priority\":500,\"scope\":\"session\",\"session\":\"uno\"}" },
	};
	struct memory *m = *state;
	char codes[256], name[32];
	assert_string_equal(active(m->s, NULL, NULL, NULL, codes), "");
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
		(void)snprintf(name, sizeof name, "%s.md", blocks[i][0]);
		make(m->s, "blocks/rules", name, blocks[i][1], blocks[i][0]);
	}
	make(m->s, "blocks.md", "no.md", "{}", "no");
	assert_string_equal(active(m->s, NULL, NULL, NULL, codes), "a b ");
	assert_string_equal(active(m->s, "global", NULL, NULL, codes), "a b ");
	assert_string_equal(active(m->s, NULL, "DECK", "x1", codes), "top a b mine ");
	assert_string_equal(active(m->s, "server", "CORP", NULL, codes), "corp ");
	assert_string_equal(active(m->s, "agent", NULL, "x1", codes), "mine ");
	assert_string_equal(active(m->s, "agent", NULL, NULL, codes), "");
}

struct seen {
	char codes[64];
};

static void see(void *ctx, const struct doc_block *b)
{
	struct seen *seen = ctx;
	size_t at = strlen(seen->codes);
	(void)snprintf(seen->codes + at, sizeof seen->codes - at, "%s:%.*s ", b->code, (int)b->len, b->content);
}

static void like_is(struct store *s, const char *name, const char *bytes, const char *expected)
{
	struct seen seen = { "" };
	assert_int_equal(store_blocks_like(s, name, bytes, strlen(bytes), see, &seen), 0);
	assert_string_equal(seen.codes, expected);
}

/* Who looks for a block of the same code or text reads those, not each that there is. */
static void test_blocks_like(void **state)
{
	struct memory *m = *state;
	char name[32], text[64];
	for (int i = 0; i < 40; i++) {
		(void)snprintf(name, sizeof name, "b%d.md", i);
		(void)snprintf(text, sizeof text, i % 2 ? "---\npriority: 1\n---\n\ntext %d\n\n" : "text %d", i);
		make(m->s, "blocks/rules", name, "{}", text);
	}
	make(m->s, "blocks/rules", "gone.md", "{\"status\":\"inactive\"}", "text 7");
	make(m->s, "blocks/persona", "empty.md", "{}", "---\npriority: 2\n---\n");
	int64_t moved = make(m->s, "notes", "moved.md", "{}", "a note");
	like_is(m->s, "other.md", "text 7", "b7:text 7\n\n ");
	like_is(m->s, "other.md", "\n\ntext 8\n", "b8:text 8 ");
	like_is(m->s, "b3.md", "text 4", "b3:text 3\n\n b4:text 4 ");
	like_is(m->s, "other.md", "text", "");
	like_is(m->s, "other.md", " \n", "");
	like_is(m->s, "other.md", "a note", "");
	assert_int_equal(doc_move(m->s, moved, "blocks/rules", "moved.md"), 0);
	like_is(m->s, "other.md", "a note", "moved:a note ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_columns, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_blocks, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_front_matter, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_memory, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_algorithms_and_components, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_active_blocks, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_blocks_like, memory_open, memory_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

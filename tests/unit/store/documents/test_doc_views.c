/* SPDX-License-Identifier: MIT */
/* The views of documents go on whatever other programs write, and whatever version they have. */
#include "tests/unit/doc_fixture.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/views/view.h"
#include "store/db/schema.h"

/* Whatever stands in a body, the views go on, and size and content agree. */
static void test_bodies_by_others(void **state)
{
	static const struct {
		const char *body, *content;
		size_t len;
	} bodies[] = {
		{ "{\"fields\":{\"a\":0.20},\"text\":\"ma\\u00f1ana \\ud83d\\ude00\\n\",\"size\":999}", "mañana 😀\n", 13 },
		{ "{\"base64\":\"/wAB\"}", "\xff\0\1", 3 },
		{ "{\"base64\":\"/wA=\"}", "\xff\0", 2 },
		{ "{\"base64\":\"/w==\",\"fields\":{\"x\":1}}", "\xff", 1 },
		{ "{\"base64\":\"\"}", "", 0 },
		{ "{\"base64\":\"/w=\"}", "", 0 },
		{ "{\"base64\":\"****\"}", "", 0 },
		{ "{\"base64\":\"====\"}", NULL, 0 },
		{ "{\"text\":\"a\\u0000b\"}", "a\0b", 3 },
		{ "{\"text\":5,\"base64\":[]}", "", 0 },
		{ "{\"text\":\"x\",\"tokens\":-1,\"lines\":[1e300,\"a\"],\"size\":123456789012345678901234567890}", "x", 1 },
		{ "[]", "", 0 },
		{ "", "", 0 },
		{ "{\"text\":\"cut", "", 0 },
		{ "{\"fields\":[],\"text\":\"y\"}", "y", 1 },
		{ "{\"fields\":{\"a\":{\"b\":\"}\"}} ,\"text\":\"z\"}", "z", 1 },
	};
	struct memory *m = *state;
	struct doc d;
	char places[1024];
	assert_int_equal(put(m->s, "d1", "document", "{\"text\":\"too early\"}"), 0);
	assert_int_equal(put(m->s, "documents", "document.make", doc_place(places, "notes", "a.md", false)), 0);
	assert_int_equal(doc_id_at(m->s, "notes", "a.md"), STORE_ENOENT); /* without a version it is not there */
	assert_int_equal(store_doc_by_id(m->s, 1, &d), STORE_ENOENT);
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		char *bytes = NULL;
		size_t len = 99;
		assert_int_equal(put(m->s, "d1", "document", bodies[i].body), 0);
		assert_int_equal(store_doc_content(m->s, 1, 0, &bytes, &len), 0);
		assert_int_equal(store_doc_at(m->s, "notes", "a.md", &d), 0);
		assert_int_equal(d.versions, i + 1);
		assert_int_equal(d.size, len);
		if (bodies[i].content) {
			assert_int_equal(len, bodies[i].len);
			assert_memory_equal(bytes, bodies[i].content, len);
		}
		assert_int_equal(bytes[len], 0);
		free(bytes);
	}
	views_hold(m);
}

static void test_entries_by_others(void **state)
{
	static const char *const makes[] = {
		"", "[]", "{}", "{\"parent\":\"notes\"}", "{\"parent\":\"\",\"name\":\"x\"}",
		"{\"parent\":\"notes\",\"name\":\"..\",\"folder\":true}",
		"{\"parent\":\"notes\",\"name\":\"a/b\",\"folder\":true}",
		"{\"parent\":\"#99\",\"name\":\"x\",\"folder\":true}", "{\"parent\":\"#x\",\"name\":\"x\",\"folder\":true}",
		"{\"parent\":\"#10\",\"name\":\"x\",\"folder\":true}", "{\"parent\":5,\"name\":6,\"folder\":true}",
	};
	static const char *const names[] = { "a.md", "a", ".a", "ñ.verylongextension1234" };
	struct memory *m = *state;
	char body[1024], shown[1024];
	int64_t next = 1;
	struct doc d;
	for (size_t i = 0; i < sizeof makes / sizeof *makes; i++, next++)
		assert_int_equal(put(m->s, "documents", "document.make", makes[i]), 0);
	assert_int_equal(put(m->s, "documents", "something.else",
	                     "{\"parent\":\"notes\",\"name\":\"q\",\"folder\":true}"), 0);
	next++;
	assert_string_equal(doc_list(m->s, "notes", shown), "");
	/* Twice the same name, by who does not look: both are found. */
	for (int twice = 0; twice < 2; twice++)
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			assert_int_equal(put(m->s, "documents", "document.make", doc_place(body, "notes", names[i], true)), 0);
	assert_string_equal(doc_list(m->s, "notes", shown), "a.md a .a ñ.verylongextension1234 a+d17.md a+d18 .a+d19 "
	                                                "ñ.verylongextension1234+d20 ");
	char longest[NAME_LIMIT + 1], beside[1024];
	for (size_t i = 0; i < NAME_LIMIT - 1; i += 2)
		memcpy(longest + i, "ñ", 2);
	longest[NAME_LIMIT - 1] = 'x';
	longest[NAME_LIMIT] = '\0';
	for (int twice = 0; twice < 2; twice++)
		assert_int_equal(put(m->s, "documents", "document.make", doc_place(body, "long", longest, true)), 0);
	assert_int_equal(store_doc_next(m->s, "long", 21, &d), 0);
	assert_int_equal(d.id, 22);
	assert_in_range(strlen(d.name), 200, NAME_LIMIT);
	(void)snprintf(beside, sizeof beside, "{\"parent\":\"long\",\"name\":\"%s\"}", d.name);
	json_t *valid = json_loads(beside, 0, NULL); /* still UTF-8 */
	assert_non_null(valid);
	json_decref(valid);
	static const char *const retires[] = { "", "{\"into\":-3}", "{\"into\":13}", "{\"into\":\"4\"}" };
	for (size_t i = 0; i < sizeof retires / sizeof *retires; i++)
		assert_int_equal(put(m->s, "d13", "retire", retires[i]), 0);
	assert_int_equal(put(m->s, "d13", "rename", "{\"name\":\"b\"}"), 0);
	assert_int_equal(put(m->s, "d13", "document", "{\"text\":\"a folder has no text\"}"), 0);
	assert_int_equal(put(m->s, "d13", "unknown", "{}"), 0);
	assert_int_equal(store_doc_by_id(m->s, 13, &d), 0);
	assert_int_equal(d.into, 0);
	assert_int_equal(d.versions, 0);
	assert_int_equal(d.entries, 7);
	assert_string_equal(d.name, "a.md");
	views_hold(m);
}

/* A file whose views are of another version: the writer makes them anew, a reader serves the rest. */
static void test_older_views(void **state)
{
	struct memory *m = *state;
	sqlite3 *db = NULL;
	struct group g;
	char names[1024];
	int64_t id;
	make_session(m->s, "uno");
	assert_int_equal(doc_make(m->s, "notes", "a.md", "A", &id), 0);
	store_close(m->s);
	m->s = NULL;
	assert_int_equal(sqlite3_open(m->path, &db), SQLITE_OK);
	assert_int_equal(db_exec(db, "DROP VIEW v_content; DROP VIEW cto_blocks; DROP VIEW cto_memory;"
	                             " DROP VIEW cto_algorithms; DROP VIEW components; DROP TABLE v_doc;"
	                             " DROP TABLE v_version; DROP TABLE v_place; DROP TABLE v_dir; DROP TABLE v_made;"), 0);
	assert_int_equal(views_version(db), 1);
	sqlite3_close(db);
	m->s = memory_store(m, STORE_READONLY);
	assert_int_equal(store_group_by_name(m->s, LOG_SESSION, "uno", &g), 0);
	assert_int_equal(doc_id_at(m->s, "notes", "a.md"), STORE_ENOENT);
	assert_string_equal(doc_list(m->s, "notes", names), "");
	assert_string_equal(doc_list_at(m->s, INT64_MAX, "notes", names), "");
	memory_reopen(m, 0);
	assert_int_equal(doc_id_at(m->s, "notes", "a.md"), id);
	assert_int_equal(store_group_by_name(m->s, LOG_SESSION, "uno", &g), 0);
	views_hold(m);
	assert_int_equal(db_open(m->path, DB_READ, &db, NULL), 0);
	assert_int_equal(views_version(db), VIEWS_VERSION);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_bodies_by_others, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_entries_by_others, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_older_views, memory_open, memory_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

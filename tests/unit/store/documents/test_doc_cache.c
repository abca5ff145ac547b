/* SPDX-License-Identifier: MIT */
/* Documents kept in memory are those on the tape: by the number of entries, through failures and others' writing. */
#include "tests/unit/doc_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "store/db/db.h"
#include "store/documents/doc_cache.h"

static void sql(const struct memory *m, const char *text)
{
	sqlite3 *db = NULL;
	assert_int_equal(db_open(m->path, DB_REDACT, &db, NULL), 0);
	assert_int_equal(db_exec(db, text), 0);
	sqlite3_close(db);
}

static struct doc row(int64_t id, const char *name, int64_t versions)
{
	struct doc d = { .id = id, .versions = versions };
	(void)strcpy(d.parent, "notes");
	(void)strcpy(d.name, name);
	return d;
}

static void test_rows(void **state)
{
	struct doc_cache l;
	struct doc d = row(3, "a.md", 2), out;
	int err = 7;
	(void)state;
	doc_cache_init(&l);
	assert_false(doc_cache_by_id(&l, 0, 0, &out, &err)); /* nothing is kept yet */
	assert_false(doc_cache_by_name(&l, 0, "", "", &out, &err));
	doc_cache_keep_id(&l, 10, &d, 0);
	doc_cache_keep_name(&l, 10, &d, 0);
	assert_true(doc_cache_by_id(&l, 10, 3, &out, &err));
	assert_int_equal(err, 0);
	assert_int_equal(out.versions, 2);
	assert_true(doc_cache_by_name(&l, 10, "notes", "a.md", NULL, &err));
	assert_false(doc_cache_by_id(&l, 11, 3, &out, &err)); /* something was appended */
	assert_false(doc_cache_by_id(&l, 9, 3, &out, &err));
	assert_false(doc_cache_by_id(&l, 10, 3 + DOC_CACHE_SLOTS / 2, &out, &err)); /* the same slot */
	assert_false(doc_cache_by_name(&l, 10, "notes", "b.md", &out, &err));
	assert_false(doc_cache_by_name(&l, 10, "note", "sa.md", &out, &err));
	d = row(0, "no.md", 0);
	doc_cache_keep_name(&l, 12, &d, STORE_ENOENT);
	assert_true(doc_cache_by_name(&l, 12, "notes", "no.md", &out, &err));
	assert_int_equal(err, STORE_ENOENT);
	doc_cache_advance(&l, 11); /* not its turn */
	assert_true(doc_cache_by_name(&l, 12, "notes", "no.md", &out, &err));
	doc_cache_advance(&l, 12);
	assert_false(doc_cache_by_name(&l, 12, "notes", "no.md", &out, &err));
	assert_true(doc_cache_by_name(&l, 13, "notes", "no.md", &out, &err));
	doc_cache_keep_name(&l, 0, &d, STORE_ENOENT); /* the views lagged: not known */
	assert_false(doc_cache_by_name(&l, 0, "notes", "no.md", &out, &err));
	doc_cache_release(&l);
}

static void test_texts(void **state)
{
	static char large[DOC_CACHE_TEXT_MOST + 1];
	struct doc_cache l;
	char *bytes = NULL;
	size_t len = 0;
	(void)state;
	doc_cache_init(&l);
	assert_false(doc_cache_text(&l, 0, 0, &bytes, &len));
	doc_cache_keep_text(&l, 1, 1, "a\0b", 3);
	assert_true(doc_cache_text(&l, 1, 1, &bytes, &len));
	assert_int_equal(len, 3);
	assert_memory_equal(bytes, "a\0b", 4);
	free(bytes);
	doc_cache_keep_text(&l, 1, 2, "", 0); /* takes the place of the version before */
	assert_false(doc_cache_text(&l, 1, 1, &bytes, &len));
	assert_true(doc_cache_text(&l, 1, 2, &bytes, &len));
	assert_int_equal(len, 0);
	free(bytes);
	doc_cache_keep_text(&l, 9, 1, large, sizeof large);
	assert_false(doc_cache_text(&l, 9, 1, &bytes, &len));
	for (int64_t doc = 2; doc < 2 + DOC_CACHE_TEXTS; doc++)
		doc_cache_keep_text(&l, doc, 1, "x", 1);
	assert_false(doc_cache_text(&l, 1, 2, &bytes, &len));
	assert_true(doc_cache_text(&l, 1 + DOC_CACHE_TEXTS, 1, &bytes, &len));
	free(bytes);
	doc_cache_forget(&l);
	assert_false(doc_cache_text(&l, 1 + DOC_CACHE_TEXTS, 1, &bytes, &len));
	doc_cache_release(&l);
}

/* Everything that is asked of documents, here and by a store that has just been opened. */
static void same_as_read(const struct memory *m, int64_t ids)
{
	static const char *const parents[] = { "notes", "#1", "smma" };
	struct store *fresh = memory_store(m, 0);
	for (int64_t id = 1; id <= ids + 1; id++) {
		struct doc kept = { .id = 0 }, read = { .id = 0 };
		char *bytes = NULL, *theirs = NULL;
		size_t len = 0, their_len = 0;
		int err = store_doc_by_id(fresh, id, &read);
		assert_int_equal(store_doc_by_id(m->s, id, &kept), err);
		assert_memory_equal(&kept, &read, offsetof(struct doc, parent));
		assert_string_equal(kept.parent, read.parent);
		assert_string_equal(kept.name, read.name);
		assert_int_equal(kept.versions, read.versions);
		assert_int_equal(kept.entries, read.entries);
		assert_int_equal(kept.size, read.size);
		assert_int_equal(kept.made_us, read.made_us);
		assert_int_equal(kept.saved_us, read.saved_us);
		err = store_doc_content(fresh, id, read.versions, &theirs, &their_len);
		assert_int_equal(store_doc_content(m->s, id, read.versions, &bytes, &len), err);
		assert_int_equal(len, their_len);
		assert_true(err || memcmp(bytes, theirs, len + 1) == 0);
		free(bytes);
		free(theirs);
	}
	for (int i = 0; i < 12; i++) {
		char name[16];
		int64_t us, their_us;
		(void)snprintf(name, sizeof name, "n%d.md", i / 2);
		assert_int_equal(doc_id_at(m->s, parents[i % 2], name), doc_id_at(fresh, parents[i % 2], name));
		assert_int_equal(store_doc_dir_changed(fresh, parents[i % 3], &their_us), 0);
		assert_int_equal(store_doc_dir_changed(m->s, parents[i % 3], &us), 0);
		assert_int_equal(us, their_us);
	}
	store_close(fresh);
}

/* Whatever is made, saved, moved, retired or said, by this store or another one. */
static void replace(struct store *s, int64_t source, int64_t target)
{
	struct doc from, to;
	if (store_doc_by_id(s, source, &from) == 0 && store_doc_by_id(s, target, &to) == 0)
		(void)store_doc_replace(s, &from, doc_text_of("{\"into\":2}"), &to,
		                        doc_text_of("{\"fields\":{},\"text\":\"of both\"}"), "ana:mv");
}

static void test_as_read(void **state)
{
	struct memory *m = *state;
	struct store *two = memory_store(m, 0);
	uint64_t seed = 11;
	int64_t id, ids = 1;
	assert_int_equal(doc_make_folder(m->s, "notes", "f", &id), 0);
	for (int round = 0; round < 250; round++) {
		struct store *s = dice(&seed, 4) ? m->s : two;
		int64_t doc = 2 + dice(&seed, 7);
		char name[16], text[32];
		const char *parent = dice(&seed, 2) ? "notes" : "#1";
		(void)snprintf(name, sizeof name, "n%u.md", dice(&seed, 6));
		(void)snprintf(text, sizeof text, "text %d", round);
		switch (dice(&seed, 8)) { /* what cannot be is refused */
		case 0:
			ids += doc_make(s, parent, name, text, &id) == 0;
			break;
		case 1:
			if (doc <= ids)
				(void)doc_move(s, doc, parent, name);
			break;
		case 2:
			if (doc + 1 <= ids)
				replace(s, doc, doc + 1);
			break;
		case 3:
			say(s, text, "");
			break;
		default:
			if (doc <= ids)
				(void)doc_save(s, doc, text, -1);
		}
		same_as_read(m, ids);
	}
	assert_true(ids > 5);
	store_close(two);
	views_hold(m);
}

/* Entry numbers of a save that did not happen are another's. */
static void test_rolled_back(void **state)
{
	struct memory *m = *state;
	struct doc d;
	int64_t id, other;
	assert_int_equal(doc_make(m->s, "notes", "a.md", "one", &id), 0);
	assert_int_equal(doc_make(m->s, "notes", "b.md", "two", &other), 0);
	struct doc_text good = doc_text_of("{\"fields\":{},\"text\":\"never\"}");
	struct doc_entry both[] = { { .id = id, .kind = "document", .body = good },
		{ .id = other, .kind = "document", .body = good } };
	/* The views see the first, then the second cannot be put: room for it is taken away. */
	sql(m, "CREATE TRIGGER full BEFORE UPDATE ON v_doc WHEN NEW.id = 2 BEGIN SELECT RAISE(ABORT, 'full'); END");
	assert_int_not_equal(store_doc_append_all(m->s, NULL, both, 2, "ana:cp"), 0);
	sql(m, "DROP TRIGGER full");
	assert_int_equal(put(m->s, "d2", "document", "{\"fields\":{},\"text\":\"three\"}"), 0);
	assert_int_equal(store_doc_by_id(m->s, id, &d), 0);
	assert_int_equal(d.versions, 1);
	doc_reads(m->s, id, 1, "one");
	doc_reads(m->s, id, 0, "one");
	doc_reads(m->s, other, 2, "three");
	views_hold(m);
}

#define IN_MEMORY(test) cmocka_unit_test_setup_teardown(test, memory_open, memory_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows), cmocka_unit_test(test_texts), IN_MEMORY(test_as_read),
		IN_MEMORY(test_rolled_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

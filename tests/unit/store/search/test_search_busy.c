/* SPDX-License-Identifier: MIT */
/* A search does not wait for those who write faster than words go into the index. */
#include "tests/unit/doc_fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { TEXTS = 16, AT_ONCE = 500, TALK = 2000 /* what the index takes at once */ };

/* The hook takes no context, so what it does is here. */
static struct {
	struct store *writer;
	int64_t doc;
	int texts;
} busy;

static int say_many(struct store *s)
{
	struct draft drafts[AT_ONCE];
	for (int i = 0; i < AT_ONCE; i++)
		drafts[i] = (struct draft){ "s1", "message", "ana", "{\"role\":\"user\",\"content\":\"hay\"}", 31, NULL };
	for (int done = 0; done < TALK; done += AT_ONCE) {
		struct append a = { .drafts = drafts, .count = AT_ONCE, .expect = -1 };
		int err = store_append_wait(s, &a);
		if (err)
			return err;
	}
	return 0;
}

/* What another process does: in a thread of its own, which holds nothing of the search's store. */
static void *write_on(void *failed)
{
	char content[64];
	(void)snprintf(content, sizeof content, "zebra %d", busy.texts);
	*(bool *)failed = doc_save(busy.writer, busy.doc, content, -1) || say_many(busy.writer) ||
		store_catch_up(busy.writer);
	return NULL;
}

/* Each time a document goes into the index, there is as much again to be taken in. */
static int save_another(const char *text, size_t len, char **plain, size_t *plain_len)
{
	pthread_t other;
	bool failed = true;
	(void)text, (void)len;
	*plain = NULL;
	*plain_len = 0;
	if (++busy.texts > TEXTS)
		return 0;
	assert_int_equal(pthread_create(&other, NULL, write_on, &failed), 0);
	assert_int_equal(pthread_join(other, NULL), 0);
	assert_false(failed);
	return 0;
}

static int count_hit(void *ctx, const struct search_hit *h)
{
	(void)h;
	++*(int *)ctx;
	return 0;
}

static void who_writes_on(void **state)
{
	struct memory *m = *state;
	struct store *s = NULL;
	struct why why = { 0 };
	struct store_config config = { .key_dir = m->keys, .text_size = body_text_size,
		.plain_text = save_another };
	struct search_query q = { .words = "zebra", .wait_us = INT64_MAX };
	int hits = 0;
	assert_int_equal(doc_make(m->s, "notes", "a.md", "zebra", &busy.doc), 0);
	make_session(m->s, "one");
	assert_int_equal(say_many(m->s), 0);
	assert_int_equal(store_catch_up(m->s), 0);
	busy.writer = m->s;
	assert_int_equal(store_open(m->path, &config, &s, &why), 0);
	assert_int_equal(store_search(s, &q, count_hit, &hits), 0);
	assert_int_equal(hits, 1);
	/* What was there when it was asked takes two turns; a turn puts out what was, and in what is. */
	assert_in_range(busy.texts, 1, 6);
	busy.texts = TEXTS;
	hits = 0;
	assert_int_equal(store_search(s, &q, count_hit, &hits), 0);
	assert_int_equal(hits, 1);
	store_close(s);
}

/* Who cannot write has views that others move, and still takes in all of them. */
static void who_only_reads(void **state)
{
	struct memory *m = *state;
	struct search_query q = { .words = "zebra", .wait_us = INT64_MAX };
	int64_t doc;
	int hits = 0;
	make_session(m->s, "one");
	struct store *r = memory_store(m, STORE_READONLY);
	assert_int_equal(say_many(m->s), 0);
	assert_int_equal(say_many(m->s), 0);
	assert_int_equal(doc_make(m->s, "notes", "a.md", "zebra", &doc), 0);
	assert_int_equal(store_catch_up(m->s), 0);
	assert_int_equal(store_search(r, &q, count_hit, &hits), 0);
	assert_int_equal(hits, 1);
	store_close(r);
}

/* An index that is made anew is not waited for as long as that may take: what it has is searched. */
static void who_does_not_wait(void **state)
{
	struct memory *m = *state;
	struct search_extent extent = { 0 };
	struct search_query q = { .words = "zebra", .wait_us = 1, .extent = &extent };
	int64_t doc;
	int hits = 0, asked = 0;
	make_session(m->s, "one");
	for (int i = 0; i < 3; i++)
		assert_int_equal(say_many(m->s), 0);
	assert_int_equal(doc_make(m->s, "notes", "a.md", "zebra", &doc), 0);
	assert_int_equal(store_catch_up(m->s), 0);
	struct store *r = memory_store(m, 0);
	int64_t searched = 0;
	do {
		assert_int_equal(store_search(r, &q, count_hit, &hits), 0);
		assert_true(extent.searched > searched && extent.searched <= extent.entries);
		assert_int_equal(hits, extent.searched == extent.entries);
		searched = extent.searched;
		asked++;
	} while (extent.searched < extent.entries);
	assert_in_range(asked, 3, 5); /* two thousand entries at a time */
	assert_in_range(extent.entries, 3 * TALK + 2, 3 * TALK + 8);
	store_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(who_writes_on, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(who_only_reads, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(who_does_not_wait, memory_open, memory_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

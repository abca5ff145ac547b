/* SPDX-License-Identifier: MIT */
/*
 * What a search finds: order, filters, what is new, what is gone, and what users may type.
 * Long because all its cases look at answers in one way.
 */
#include "tests/unit/fact_fixture.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/search/search_index.h"

struct seen {
	char line[4096];
	double last;
	int count, most;
};

/* "the text|" for each hit; a document's is cut at its first line's end. */
static int see(void *ctx, const struct search_hit *h)
{
	struct seen *s = ctx;
	size_t at = strlen(s->line);
	assert_true(s->count == 0 || h->score <= s->last);
	assert_true(h->seq > 0 && h->author && *h->author && h->role);
	assert_true(h->kind == HIT_MESSAGE ? h->session > 0 && h->n > 0 : h->id > 0);
	s->last = h->score;
	s->count++;
	assert_int_equal(strlen(h->text), h->len);
	(void)snprintf(s->line + at, sizeof s->line - at, "%.*s|", (int)strcspn(h->text, "\n"), h->text);
	return s->most && s->count >= s->most;
}

static int answer(struct store *s, const struct search_query *q)
{
	struct seen seen = { 0 };
	return store_search(s, q, see, &seen);
}

static void finds_all(struct store *s, const struct search_query *q, const char *expected)
{
	struct seen seen = { 0 };
	assert_int_equal(store_search(s, q, see, &seen), 0);
	assert_string_equal(seen.line, expected);
}

static void finds(struct store *s, const char *words, const char *expected)
{
	struct search_query q = { .words = words };
	finds_all(s, &q, expected);
}

static void say_as(struct store *s, const char *stream, const char *author, const char *body)
{
	struct draft d = { stream, "message", author, body, strlen(body), NULL };
	struct append a = { .drafts = &d, .count = 1, .expect = -1 };
	assert_int_equal(store_append_wait(s, &a), 0);
}

static void right_after_an_append(void **state)
{
	struct memory *m = *state;
	make_session(m->s, "one");
	finds(m->s, "deployment", "");
	say(m->s, "We decided on the deployment", "");
	finds(m->s, "deployments", "We decided on the deployment|");
	say(m->s, "rocket", "");
	finds(m->s, "ROCKET", "rocket|We decided on the deployment|"); /* a neighbour has it too, a little */
	finds(m->s, "nobody", "");
	memory_reopen(m, 0);
	finds(m->s, "decide", "We decided on the deployment|rocket|");
	struct store *other = memory_store(m, 0); /* another process */
	say(other, "balloon", "");
	struct search_query q = { .words = "balloon", .limit = 1 };
	finds_all(m->s, &q, "balloon|");
	store_close(other);
}

static void order(void **state)
{
	struct memory *m = *state;
	make_session(m->s, "one");
	make_session(m->s, "two");
	say_as(m->s, "s1", "ana", "{\"role\":\"user\",\"content\":\"apples and pears\"}");
	say_as(m->s, "s2", "bob", "{\"role\":\"user\",\"content\":\"pears\"}");
	struct search_query q = { .words = "apples pears" };
	finds_all(m->s, &q, "apples and pears|pears|");
	q.words = "the the the"; /* stop words, if there is nothing else */
	finds_all(m->s, &q, "");
	q.words = "bob";
	finds_all(m->s, &q, "pears|"); /* found by who said it */
	q.words = "pears";
	q.limit = 1;
	struct seen seen = { .most = 1 };
	assert_int_equal(store_search(m->s, &q, see, &seen), 0);
	assert_int_equal(seen.count, 1);
	say_as(m->s, "s2", "bob", "{\"role\":\"assistant\",\"content\":\"figs\"}");
	say_as(m->s, "s1", "bob", "{\"role\":\"user\",\"content\":\"figs\"}");
	q = (struct search_query){ .words = "figs", .limit = 2 };
	finds_all(m->s, &q, "figs|figs|");
	q.role = "assistant";
	finds_all(m->s, &q, "figs|");
	q.role = "nobody";
	finds_all(m->s, &q, "");
}

/* Only messages of one session lend each other words. */
static void windows(void **state)
{
	struct memory *m = *state;
	make_session(m->s, "one");
	make_session(m->s, "two");
	for (int i = 0; i < 12; i++) {
		char body[128];
		(void)snprintf(body, sizeof body, "{\"role\":\"user\",\"content\":\"%s%d\"}",
		               i == 6 ? "zebra " : "n", i);
		say_as(m->s, "s1", "ana", body);
		say_as(m->s, "s2", "ana", "{\"role\":\"user\",\"content\":\"other\"}");
	}
	finds(m->s, "zebra", "zebra 6|n7|n5|n8|n4|n9|n3|n10|n2|");
	struct search_query q = { .words = "zebra", .by = "bob" };
	finds_all(m->s, &q, "");
	q.by = NULL;
	q.role = "user";
	q.limit = 2;
	finds_all(m->s, &q, "zebra 6|n7|");
}

/* Between people, the answer to a question is worth more than the question; an agent is told by asking. */
static void questions(void **state)
{
	static const char *const said[][2] = { { "who did paint the fence?) ", "Zoe, on Sunday" },
		{ "we paint the fence", "well, on Monday" } };
	struct memory *m = *state;
	for (int i = 0; i < 4; i++) {
		char name[16], stream[16], body[128];
		(void)snprintf(name, sizeof name, "n%d", i);
		(void)snprintf(stream, sizeof stream, "s%d", i + 1);
		make_session(m->s, name);
		for (int k = -1; k < 2; k++) {
			(void)snprintf(body, sizeof body, "{\"role\":\"%s\",\"content\":\"%d %s\"}",
				i >= 2 && k != 0 ? "assistant" : "user", i, k < 0 ? "hello" : said[i % 2][k]);
			say_as(m->s, stream, "ana", body);
		}
	}
	struct search_query q = { .words = "paint fence", .session = 1, .limit = 2 };
	finds_all(m->s, &q, "0 Zoe, on Sunday|0 who did paint the fence?) |");
	q.session = 0;
	q.role = "user"; /* newest first among equals: 3 states it to an agent, 2 asks one, 1 states it */
	q.limit = 5;
	finds_all(m->s, &q, "3 we paint the fence|2 who did paint the fence?) |1 we paint the fence|"
			"0 Zoe, on Sunday|0 who did paint the fence?) |");
}

static void filters(void **state)
{
	struct memory *m = *state;
	make_session(m->s, "one");
	make_session(m->s, "two");
	clock_set(T(0));
	say_as(m->s, "s1", "ana:vim", "{\"role\":\"user\",\"content\":\"plan a\",\"thread\":\"red\"}");
	clock_set(T(1000000));
	say_as(m->s, "s1", "bob:sh", "{\"role\":\"assistant\",\"content\":\"plan b\",\"owner\":\"ply:eve\"}");
	clock_set(T(2000000));
	say_as(m->s, "s2", "Jos%C3%A9", "{\"role\":\"tool\",\"content\":\"plan c\",\"thread\":\"red\"}");
	static const struct {
		struct search_query q;
		const char *expected;
	} rows[] = {
		{ { .words = "plan", .session = 1, .by = "ana" }, "plan a|" },
		{ { .words = "plan", .session = 2 }, "plan c|" },
		{ { .words = "plan", .session = 9 }, "" },
		{ { .words = "plan", .by = "ana:vim" }, "plan a|" },
		{ { .words = "plan", .by = "ANA" }, "plan a|" },
		{ { .words = "plan", .by = "an" }, "" },
		{ { .words = "plan", .by = "eve" }, "plan b|" },
		{ { .words = "plan", .by = "ply:eve" }, "plan b|" },
		{ { .words = "plan", .by = "José" }, "plan c|" },
		{ { .words = "plan", .role = "assistant" }, "plan b|" },
		{ { .words = "plan", .thread = "red", .session = 1 }, "plan a|" },
		{ { .words = "plan", .thread = "blue" }, "" },
		{ { .words = "plan", .after_us = T(2000000) }, "plan c|" },
		{ { .words = "plan", .before_us = T(1) }, "plan a|" },
		{ { .words = "plan", .after_us = T(1), .before_us = T(2000000), .session = 1 }, "plan b|" },
		{ { .words = "plan", .in = SEARCH_DOCUMENTS }, "" },
		{ { .words = "plan", .in = SEARCH_DOCUMENTS | SEARCH_FACTS }, "" },
		{ { .words = "plan", .in = SEARCH_MESSAGES, .role = "tool" }, "plan c|" },
		{ { .words = "", .limit = 2 }, "plan c|plan b|" },
		{ { .words = "", .role = "user" }, "plan a|" },
		{ { .words = "", .by = "bob" }, "plan b|" },
		{ { .words = "", .before_us = T(1000000) }, "plan a|" },
		{ { .words = "?!" }, "" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		finds_all(m->s, &rows[i].q, rows[i].expected);
}

static void phrases(void **state)
{
	struct memory *m = *state;
	const char *const one[] = { "red apple" }, *const both[] = { "red apple", "green" };
	const char *const nothing[] = { "\"" }, *const none[] = { "apple red" };
	for (int i = 1; i <= 5; i++) { /* no neighbours: a session each */
		static const char *const said[] = { "a red apple", "apple of red", "green and a red apple pie", "green",
			"我们决定部署" };
		char stream[16], body[128];
		(void)snprintf(stream, sizeof stream, "s%d", i);
		(void)snprintf(body, sizeof body, "{\"role\":\"user\",\"content\":\"%s\"}", said[i - 1]);
		say_as(m->s, stream, "ana", body);
	}
	struct search_query q = { .words = "", .phrases = one, .phrase_count = 1 };
	finds_all(m->s, &q, "green and a red apple pie|a red apple|");
	q.words = "pie"; /* first those that have it */
	finds_all(m->s, &q, "green and a red apple pie|a red apple|");
	q = (struct search_query){ .words = "", .phrases = both, .phrase_count = 2 };
	finds_all(m->s, &q, "green and a red apple pie|");
	q = (struct search_query){ .words = "apple", .without = one, .without_count = 1 };
	finds_all(m->s, &q, "apple of red|");
	q = (struct search_query){ .words = "apple", .without = both, .without_count = 2 };
	finds_all(m->s, &q, "apple of red|");
	q = (struct search_query){ .words = "", .without = both, .without_count = 2 };
	finds_all(m->s, &q, "我们决定部署|apple of red|");
	q = (struct search_query){ .words = "green", .phrases = nothing, .phrase_count = 1, .limit = 1 };
	finds_all(m->s, &q, "green|");
	q.words = ""; /* nobody knows who has it */
	finds_all(m->s, &q, "");
	q = (struct search_query){ .words = "", .phrases = none, .phrase_count = 1 };
	finds_all(m->s, &q, "");
	const char *const chinese[] = { "决定" }, *const crossed[] = { "定决" };
	q = (struct search_query){ .words = "", .phrases = chinese, .phrase_count = 1 };
	finds_all(m->s, &q, "我们决定部署|");
	q.phrases = crossed;
	finds_all(m->s, &q, "");
}

static void documents(void **state)
{
	struct memory *m = *state;
	int64_t id, other, folder;
	assert_int_equal(doc_make(m->s, "memories/decision", "deploy.md", "---\nx: 1\n---\nblue green", &id), 0);
	struct search_query q = { .words = "green" };
	finds_all(m->s, &q, "deploy|");
	finds(m->s, "deploy", "deploy|"); /* its name */
	assert_int_equal(doc_save(m->s, id, "canary", -1), 0);
	finds_all(m->s, &q, ""); /* only the newest version */
	finds(m->s, "canary", "deploy|");
	assert_int_equal(doc_make_folder(m->s, "notes", "sub", &folder), 0);
	char parent[32];
	(void)snprintf(parent, sizeof parent, "#%lld", (long long)folder);
	assert_int_equal(doc_make(m->s, parent, "canary.txt", "yellow bird", &other), 0);
	q = (struct search_query){ .words = "canary", .type = "decision" };
	finds_all(m->s, &q, "deploy|");
	q.type = "memory";
	finds_all(m->s, &q, "deploy|");
	q.type = "memories";
	finds_all(m->s, &q, "deploy|");
	q.type = "note";
	finds_all(m->s, &q, "canary|");
	q.type = "block";
	finds_all(m->s, &q, "");
	assert_int_equal(doc_move(m->s, other, "blocks/rules", "bird.md"), 0);
	finds_all(m->s, &q, "");
	q.words = "yellow";
	finds_all(m->s, &q, "bird|");
	assert_int_equal(store_doc_append(m->s, other, "retire", doc_text_of("{\"into\":1}"), "ana", -1), 0);
	finds_all(m->s, &q, "");
	q = (struct search_query){ .words = "canary", .in = SEARCH_MESSAGES };
	finds_all(m->s, &q, "");
	q.in = SEARCH_DOCUMENTS;
	finds_all(m->s, &q, "deploy|");
	assert_int_equal(doc_make(m->s, "algorithms", "window.json", "canary", &other), 0);
	finds_all(m->s, &q, "deploy|"); /* settings are not memory */
}

static void facts(void **state)
{
	struct memory *m = *state;
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add("Ana works at Acme")), 0);
	finds(m->s, "acme", "Ana works at Acme|");
	struct search_query q = { .words = "acme", .type = "work", .in = SEARCH_FACTS };
	finds_all(m->s, &q, "Ana works at Acme|");
	q.type = "personal";
	finds_all(m->s, &q, "");
	int64_t id = entries_of(m->s) - 1;
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_about(FACT_RETRACT, id)), 0);
	finds(m->s, "acme", "");
	make_session(m->s, "one"); /* another program's entry retracts what is no fact */
	say(m->s, "Acme", "");
	finds(m->s, "acme", "Acme|");
	char body[64];
	(void)snprintf(body, sizeof body, "{\"save\":3,\"fact\":%lld}", (long long)entries_of(m->s) - 1);
	assert_int_equal(put(m->s, "f1", "fact.retract", body), 0);
	finds(m->s, "acme", "Acme|");
}

/* Which facts there are is kept between questions, until one comes or goes, whoever sees it first. */
static void kept_facts(void **state)
{
	struct memory *m = *state;
	const struct search_query q = { .words = "acme", .in = SEARCH_FACTS };
	make_session(m->s, "one");
	say(m->s, "Acme, says a message", "");
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add("Ana works at Acme")), 0);
	int64_t id = entries_of(m->s) - 1;
	finds_all(m->s, &q, "Ana works at Acme|");
	say(m->s, "Acme again", "");
	finds_all(m->s, &q, "Ana works at Acme|");
	struct store *other = memory_store(m, 0);
	assert_int_equal(fact_save_one(other, FACT_PERSONAL, fact_add("Acme sells anvils")), 0);
	finds_all(other, &q, "Acme sells anvils|Ana works at Acme|");
	finds_all(m->s, &q, "Acme sells anvils|Ana works at Acme|");
	assert_int_equal(fact_save_one(other, FACT_WORK, fact_about(FACT_RETRACT, id)), 0);
	finds_all(other, &q, "Acme sells anvils|");
	store_close(other);
	finds_all(m->s, &q, "Acme sells anvils|");
	const struct search_query messages = { .words = "acme", .in = SEARCH_MESSAGES };
	finds_all(m->s, &messages, "Acme, says a message|Acme again|");
	const struct search_query last = { .words = "", .in = SEARCH_MESSAGES, .limit = 1 };
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add("Bruno works at Acme")), 0);
	finds_all(m->s, &last, "Acme again|");
}

/* Nothing users type is syntax, and nothing is a fault. */
static void hostile(void **state)
{
	struct memory *m = *state;
	static const char *const typed[] = {
		"", "\"", "\"\"\"", "*", "a*", "NEAR(a b, 5)", "NEAR(", "a AND", "AND OR NOT", "NOT", "body : a",
		"{body} : a", "^a", "a + b", "-a", "(((((", ")", "col:", "'; DROP TABLE word; --", "a OR 1=1", "\\",
		"%s%n%99$n",
		"\xFF\xFE", "\xC3", "a\xE4\xBD", "\xF0\x9F\x9A", "\xF4\xBF\xBF\xBF", "🚀🚀", "مرحبا",
		"\xE2\x80\xAEx", "\x01\x02\x7F",
		"zqs", "cinta_seen(word)", "a\nb\rc\td", "word MATCH 'a'",
	};
	make_session(m->s, "one");
	say(m->s, "a b word 🚀", "");
	char *huge = malloc(70001);
	assert_non_null(huge);
	for (int i = 0; i < 70000; i++)
		huge[i] = (char)(i % 7 == 6 ? ' ' : 'a' + (i * 31 + i / 7) % 26); /* 10,000 words */
	huge[70000] = '\0';
	for (size_t i = 0; i <= sizeof typed / sizeof *typed; i++) {
		const char *text = i < sizeof typed / sizeof *typed ? typed[i] : huge;
		struct search_query q = { .words = text, .limit = 5 };
		assert_int_equal(answer(m->s, &q), 0);
		q = (struct search_query){ .words = "word", .phrases = &text, .phrase_count = 1 };
		assert_int_equal(answer(m->s, &q), text == huge ? STORE_EINVAL : 0);
		q = (struct search_query){ .words = "word", .without = &text, .without_count = 1 };
		assert_int_equal(answer(m->s, &q), text == huge ? STORE_EINVAL : 0);
		q = (struct search_query){ .words = "word", .by = text, .thread = text, .role = text, .type = text };
		assert_int_equal(answer(m->s, &q), 0);
	}
	free(huge);
	finds(m->s, "🚀", "a b word 🚀|");
	static const struct search_query wrong[] = {
		{ .words = "a", .limit = -1 }, { .words = "a", .limit = SEARCH_LIMIT_MOST + 1 }, { .words = "a", .in = 8 },
		{ .words = "a", .session = -1 }, { .words = "a", .after_us = -1 }, { .words = NULL },
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_int_equal(answer(m->s, &wrong[i]), STORE_EINVAL);
}

/* A store of a few hundred entries of all kinds, in any order. */
static void make_much(struct memory *m, uint64_t *seed, int steps)
{
	int64_t docs[64], facts_[64];
	size_t doc_count = 0, fact_count = 0;
	for (int i = 0; i < steps; i++) {
		char text[96];
		(void)snprintf(text, sizeof text, "w%u and w%u of %u", dice(seed, 30), dice(seed, 30), dice(seed, 9));
		uint32_t what = dice(seed, 8);
		if (what < 4) {
			say(m->s, text, dice(seed, 2) ? ",\"thread\":\"t\"" : "");
		} else if (what == 4 && doc_count < 64) {
			char name[32];
			(void)snprintf(name, sizeof name, "d%d-%u.md", i, dice(seed, 100000));
			assert_int_equal(doc_make(m->s, "notes", name, text, &docs[doc_count++]), 0);
		} else if (what == 5 && doc_count > 0) {
			assert_int_equal(doc_save(m->s, docs[dice(seed, (uint32_t)doc_count)], text, -1), 0);
		} else if (what == 6 && fact_count < 64) {
			assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add(text)), 0);
			facts_[fact_count++] = entries_of(m->s) - 1;
		} else if (fact_count > 0) {
			(void)fact_save_one(m->s, FACT_WORK, fact_about(FACT_RETRACT, facts_[--fact_count]));
		}
		if (dice(seed, 20) == 0)
			finds(m->s, "nothing at all", "");
	}
}

static void same_made_anew(void **state)
{
	struct memory *m = *state;
	uint64_t seed = 5;
	char detail[256] = "";
	struct search_query q = { .words = "w1 w2 w3", .limit = 50 };
	struct seen before = { 0 }, after = { 0 };
	make_session(m->s, "one");
	for (int round = 0; round < 4; round++) {
		make_much(m, &seed, 120);
		finds(m->s, "nothing", "");
		assert_int_equal(search_compare(m->path, NULL, detail, sizeof detail), 0);
	}
	assert_int_equal(store_search(m->s, &q, see, &before), 0);
	assert_true(before.count == 50);
	store_close(m->s);
	m->s = NULL;
	struct store_config config = { .key_dir = m->keys, .text_size = body_text_size };
	assert_int_equal(remake(m->path, &config, NULL), 0);
	assert_int_equal(search_compare(m->path, NULL, detail, sizeof detail), 0);
	m->s = memory_store(m, 0);
	assert_int_equal(store_search(m->s, &q, see, &after), 0);
	assert_string_equal(before.line, after.line);
}

/* What somebody changed is found by `verify --all`, and a lost or damaged index is made anew. */
static void tampered(void **state)
{
	struct memory *m = *state;
	char detail[256] = "", path[256];
	(void)snprintf(path, sizeof path, "%s.search", m->path);
	make_session(m->s, "one");
	say(m->s, "alpha", "");
	finds(m->s, "alpha", "alpha|");
	store_close(m->s);
	sql_in(path, "UPDATE text SET words = 77");
	assert_int_equal(search_compare(m->path, NULL, detail, sizeof detail), 1);
	sql_in(path, "UPDATE text SET words = 1");
	assert_int_equal(search_compare(m->path, NULL, detail, sizeof detail), 0);
	sql_in(path, "INSERT INTO word(rowid, body) SELECT seq, 'omega' FROM text");
	assert_int_equal(search_compare(m->path, NULL, detail, sizeof detail), 1);
	assert_string_equal(detail, "a word in the search index is not what the tape says");
	sql_in(path, "INSERT INTO word(word, rowid, body) SELECT 'delete', seq, 'omega' FROM text");
	assert_int_equal(search_compare(m->path, NULL, detail, sizeof detail), 0);
	sql_in(path, "INSERT INTO page(rowid, body) SELECT seq, 'omega' FROM text");
	assert_int_equal(search_compare(m->path, NULL, detail, sizeof detail), 1);
	sql_in(path, "UPDATE state SET version = 0"); /* another cinta's */
	m->s = memory_store(m, 0);
	finds(m->s, "omega", "");
	finds(m->s, "alpha", "alpha|");
	memory_reopen(m, 0);
	assert_int_equal(unlink(path), 0);
	finds(m->s, "alpha", "alpha|");
	store_close(m->s);
	FILE *f = fopen(path, "r+");
	assert_non_null(f);
	for (int i = 0; i < 3000; i++)
		(void)fputs("rubbish", f);
	(void)fclose(f);
	m->s = memory_store(m, 0);
	finds(m->s, "alpha", "alpha|");
	sql_in(path, "UPDATE state SET leaf = zeroblob(32)"); /* of another tape */
	say(m->s, "beta", "");
	finds(m->s, "beta", "beta|alpha|");
}

/* A damage that only a search comes upon: the index is made anew, or done without. */
static void damaged(void **state)
{
	struct memory *m = *state;
	static const char *const how[] = {
		"UPDATE word_data SET block = x'00000000ffffffffffff' WHERE id > 100",
		"UPDATE page_data SET block = x'00000000ffffffffffff' WHERE id > 100",
		"DELETE FROM word_data WHERE id > 100",
	};
	char detail[256] = "", path[256];
	(void)snprintf(path, sizeof path, "%s.search", m->path);
	make_session(m->s, "one");
	clock_set(T(0));
	for (int i = 0; i < 40; i++)
		say(m->s, "alpha", "");
	assert_int_equal(fact_save_one(m->s, FACT_WORK, fact_add("alpha beta")), 0);
	struct search_query fact = { .words = "beta", .in = SEARCH_FACTS };
	struct search_query message = { .words = "alpha", .in = SEARCH_MESSAGES, .limit = 2 };
	struct search_query again = { .words = "alpha", .phrases = (const char *const []){ "alpha" }, .phrase_count = 1,
		.in = SEARCH_MESSAGES, .limit = 1 };
	finds_all(m->s, &fact, "alpha beta|");
	for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
		store_close(m->s);
		sql_in(path, how[i]);
		m->s = memory_store(m, STORE_READONLY);
		for (int twice = 0; twice < 2; twice++) {
			finds_all(m->s, &fact, "alpha beta|");
			finds_all(m->s, &message, "alpha|alpha|");
			finds_all(m->s, &again, "alpha|");
		}
		store_close(m->s);
		m->s = memory_store(m, 0);
		finds_all(m->s, &message, "alpha|alpha|");
		finds_all(m->s, &fact, "alpha beta|");
		finds_all(m->s, &again, "alpha|");
		assert_int_equal(search_compare(m->path, NULL, detail, sizeof detail), 0);
		assert_string_equal(detail, "");
	}
}

static bool file_holds(const char *path, const char *word)
{
	char command[400];
	(void)snprintf(command, sizeof command, "grep -q -a %s '%s'", word, path);
	return system(command) == 0;
}

/* What was redacted is in no page of the index. */
static void redacted(void **state)
{
	struct memory *m = *state;
	char path[256];
	(void)snprintf(path, sizeof path, "%s.search", m->path);
	make_session(m->s, "one");
	say(m->s, "harmless", "");
	say(m->s, "xyzzyplugh", "");
	finds(m->s, "xyzzyplugh", "xyzzyplugh|harmless|");
	memory_reopen(m, 0);
	assert_true(file_holds(path, "xyzzyplugh"));
	char sql[128];
	(void)snprintf(sql, sizeof sql, "UPDATE tape SET salt = NULL, body = NULL WHERE seq = %lld",
	               (long long)entries_of(m->s) - 1);
	sql_in(m->path, sql);
	assert_int_equal(put(m->s, "tape", "tape.redact", "{}"), 0);
	finds(m->s, "xyzzyplugh", "");
	finds(m->s, "harmless", "harmless|");
	memory_reopen(m, 0);
	assert_false(file_holds(path, "xyzzyplugh"));
	finds(m->s, "harmless", "harmless|");
}

static void *search_on(void *arg)
{
	struct memory *m = arg;
	for (int i = 0; i < 60; i++) {
		struct search_query q = { .words = "grow w1 w2", .limit = 3 };
		if (answer(m->s, &q) != 0)
			return "failed";
	}
	return NULL;
}

/* Several search while one appends, the maintenance thread feeds the index, and another process does too. */
static void many_at_once(void **state)
{
	struct memory *m = *state;
	pthread_t threads[3];
	char detail[256] = "";
	memory_reopen(m, STORE_OWNER);
	make_session(m->s, "one");
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, search_on, m), 0);
	struct store *other = memory_store(m, 0);
	for (int i = 0; i < 200; i++) {
		char text[32];
		(void)snprintf(text, sizeof text, "grow w%d", i % 7);
		say(i % 2 ? other : m->s, text, "");
		if (i % 50 == 0)
			finds(other, "nothing", "");
	}
	for (int i = 0; i < 3; i++) {
		void *failed;
		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
	store_close(other);
	struct search_query q = { .words = "grow", .limit = 1000 };
	struct seen seen = { 0 };
	assert_int_equal(store_search(m->s, &q, see, &seen), 0);
	assert_int_equal(seen.count, 200);
	assert_int_equal(search_compare(m->path, NULL, detail, sizeof detail), 0);
}

/* Who may not write the memory still searches. */
static void reading_only(void **state)
{
	struct memory *m = *state;
	char path[256];
	(void)snprintf(path, sizeof path, "%s.search", m->path);
	make_session(m->s, "one");
	say(m->s, "alpha", "");
	store_catch_up(m->s);
	struct store *r = memory_store(m, STORE_READONLY);
	finds(r, "alpha", "alpha|");
	assert_int_not_equal(access(path, F_OK), 0); /* nothing was written */
	store_close(r);
	finds(m->s, "alpha", "alpha|");
	r = memory_store(m, STORE_READONLY);
	finds(r, "alpha", "alpha|");
	store_close(r);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, memory_open, memory_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(right_after_an_append), CASE(order), CASE(windows),
		CASE(questions), CASE(filters), CASE(phrases), CASE(documents),
		CASE(facts), CASE(kept_facts), CASE(hostile), CASE(same_made_anew), CASE(tampered), CASE(damaged),
		CASE(redacted), CASE(many_at_once),
		CASE(reading_only),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

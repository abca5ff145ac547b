/* SPDX-License-Identifier: MIT */
/*
 * Memories and their scores: the formula against SQL, parameters, what is chosen in which order,
 * chains and circles, expiry by the clock, uses that are counted in batches.
 * Long because its fixtures serve all of them.
 */
#include "tests/unit/doc_fixture.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define DAY INT64_C(86400000000)
#define NOW T(0)

/* ---- the formula ---------------------------------------------------------- */

/* Each part and the whole, as SQLite's own functions compute them. */
static void by_sql(sqlite3 *db, const struct scoring *c, const struct memory_state *m, double out[5])
{
	sqlite3_stmt *q = NULL;
	const double given[] = { c->decay[m->type], m->days, m->importance, m->relevance, (double)m->uses,
		(double)m->most, c->recency, c->importance, c->relevance, c->frequency };
	assert_int_equal(sqlite3_prepare_v2(db,
		"WITH part(recency, importance, relevance, frequency) AS (SELECT"
		" exp(-?1 * max(?2, 0.0)), min(max(?3, 0.0), 1.0), min(max(?4, 0.0), 1.0),"
		" CASE WHEN ?5 <= 0 OR ?6 <= 0 THEN 0.0 ELSE min(ln(1.0 + ?5) / ln(1.0 + ?6), 1.0) END)"
		" SELECT *, ?7 * recency + ?8 * importance + ?9 * relevance + ?10 * frequency FROM part",
		-1, &q, NULL), SQLITE_OK);
	for (int i = 0; i < (int)COUNT(given); i++)
		sqlite3_bind_double(q, i + 1, given[i]);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	for (int i = 0; i < 5; i++)
		out[i] = sqlite3_column_double(q, i);
	sqlite3_finalize(q);
}

static void same_score(sqlite3 *db, const struct scoring *c, const struct memory_state *m)
{
	double want[5];
	const struct memory_score s = memory_score(c, m);
	const double got[] = { s.recency, s.importance, s.relevance, s.frequency, s.total };
	by_sql(db, c, m, want);
	for (int i = 0; i < 5; i++)
		if (!(got[i] - want[i] < 1e-9 && want[i] - got[i] < 1e-9))
			fail_msg("part %d: %.12f, not %.12f (type %d, %f days, %lld of %lld)", i, got[i], want[i],
			         (int)m->type, m->days, (long long)m->uses, (long long)m->most);
}

static void test_formula(void **state)
{
	static const double days[] = { -3, 0, 0.25, 1, 7, 30.5, 365, 5000 }, units[] = { -1, 0, 0.123456789, 0.5, 1, 2 };
	static const int64_t uses[] = { 0, 1, 2, 17, 1000000, INT64_C(1000000000000000) };
	const struct scoring other = { 0.7, 0.05, 0.9, 0.3, { 0, 0.001, 3, 1000, 0.2 } };
	sqlite3 *db = NULL;
	int rows = 0;
	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	for (int type = 0; type < MEMORY_TYPES; type++)
		for (size_t d = 0; d < COUNT(days); d++)
			for (size_t i = 0; i < COUNT(units); i++)
				for (size_t u = 0; u < COUNT(uses); u++)
					for (size_t v = 0; v < COUNT(uses); v++, rows++) {
						const struct memory_state m = { (enum memory_type)type, days[d], units[i],
							units[COUNT(units) - 1 - i], uses[u], uses[v] };
						same_score(db, &scoring_default, &m);
						same_score(db, &other, &m);
					}
	sqlite3_close(db);
	assert_int_equal(rows, 5 * 8 * 6 * 6 * 6);
	/* By hand, with the seed's numbers: exp(-0.5) = 0.6065306597126334, ln 3 / ln 9 = 0.5. */
	const struct memory_state m = { MEMORY_DECISION, 10, 0.9, 0.25, 2, 8 };
	double total = memory_score(&scoring_default, &m).total;
	assert_true(total > 0.606306131942 && total < 0.606306131943);
}

static bool is(double a, double b)
{
	return a >= b && a <= b;
}

static void test_config(void **state)
{
	static const char *const nonsense[] = { "", "[]", "7", "{\"scoring\":[]}", "{\"scoring\":{\"weights\":7}}",
		"{\"scoring\":{},\"weights\":{\"recency\":0.9}}",
		("{\"scoring\":{\"weights\":{\"recency\":\"0.9\",\"importance\":-1,\"relevance\":1.5,"
		 "\"frequency\":null},\"decay_rates\":{\"fact\":-0.1,\"entity\":\"1\",\"temporal\":true}}}") };
	const char *config = "{\"scoring\":{\"weights\":{\"recency\":0.1,\"importance\":0.2,\"relevance\":0.3,"
		"\"frequency\":1},\"decay_rates\":{\"preference\":1,\"decision\":2,\"fact\":3,\"entity\":4,\"temporal\":0}}}";
	(void)state;
	for (size_t i = 0; i < COUNT(nonsense); i++) {
		struct scoring c = scoring_default;
		scoring_set(&c, nonsense[i], strlen(nonsense[i]));
		assert_memory_equal(&c, &scoring_default, sizeof c);
	}
	struct scoring c = scoring_default;
	scoring_set(&c, config, strlen(config));
	assert_true(is(c.recency, 0.1) && is(c.importance, 0.2) && is(c.relevance, 0.3) && is(c.frequency, 1));
	assert_true(is(c.decay[MEMORY_PREFERENCE], 1) && is(c.decay[MEMORY_DECISION], 2) && is(c.decay[MEMORY_FACT], 3) &&
	            is(c.decay[MEMORY_ENTITY], 4) && is(c.decay[MEMORY_TEMPORAL], 0));
	c = scoring_default;
	config = "{\"decay_rates\":{\"fact\":1e9}}"; /* without `scoring` around them */
	scoring_set(&c, config, strlen(config));
	assert_true(is(c.decay[MEMORY_FACT], 1e9) && is(c.recency, 0.2));
	c = scoring_default;
	config = "{\"scoring\":{\"weights\":{\"recency\":0.5}},\"seed\":-99999999999999999999}"; /* the rest stays */
	scoring_set(&c, config, strlen(config));
	assert_true(is(c.recency, 0.5) && is(c.importance, 0.4) && is(c.decay[MEMORY_TEMPORAL], 0.5));
}

/* ---- memories ------------------------------------------------------------- */

/* memories/TYPE/NAME.md with these members of `fields`, made at the clock's time. */
static int64_t make(struct store *s, const char *type, const char *name, const char *text, const char *fields)
{
	char place[1024], parent[64], file[300], all[1024];
	int64_t id = 0;
	(void)snprintf(parent, sizeof parent, "memories/%s", type);
	(void)snprintf(file, sizeof file, "%s.md", name);
	(void)snprintf(all, sizeof all, "{%s}", fields);
	char *version = doc_version_of(text, all);
	struct doc_text v = doc_text_of(version);
	assert_int_equal(store_doc_make(s, parent, file, doc_text_of(doc_place(place, parent, file, false)), &v, "ana:vim",
	                                &id), 0);
	free(version);
	return id;
}

static void save(struct store *s, int64_t id, const char *text, const char *fields)
{
	char all[1024];
	(void)snprintf(all, sizeof all, "{%s}", fields);
	char *version = doc_version_of(text, all);
	assert_int_equal(store_doc_append(s, id, "document", doc_text_of(version), "ana:vim", -1), 0);
	free(version);
}

struct found {
	char names[2048]; /* "b a ": without .md */
	struct memory_hit hit[64];
	int count;
};

static int add(void *ctx, const struct memory_hit *m)
{
	struct found *f = ctx;
	size_t len = strlen(f->names);
	assert_true(f->count < 64);
	f->hit[f->count++] = *m;
	(void)snprintf(f->names + len, sizeof f->names - len, "%.*s ", (int)strlen(m->name) - 3, m->name);
	return 0;
}

static struct found *look(struct store *s, const char *query, const char *owner, int limit, double least, int64_t now)
{
	static struct found f;
	memset(&f, 0, sizeof f);
	assert_int_equal(store_search_memories(s, query, owner, limit, least, now, add, &f), 0);
	return &f;
}

#define CHOSEN(now, want) assert_string_equal(look(s, NULL, NULL, 0, 0, now)->names, want)

static void test_order(void **state)
{
	struct store *s = ((struct memory *)*state)->s;
	clock_set(NOW);
	CHOSEN(NOW, "");
	make(s, "fact", "plain", "p", "");
	make(s, "fact", "weighty", "w", "\"importance\":0.9,\"summary\":\"It weighs.\"");
	make(s, "preference", "lasting", "l", "\"importance\":0.5");
	make(s, "temporal", "fleeting", "f", "\"importance\":0.6");
	make(s, "fact", "done", "d", "\"importance\":1,\"status\":\"deleted\"");
	make(s, "fact", "old", "d", "\"importance\":1,\"status\":\"expired\"");
	CHOSEN(NOW, "weighty fleeting plain lasting ");
	CHOSEN(NOW + 3 * DAY, "weighty lasting plain fleeting ");
	CHOSEN(NOW - 3 * DAY, "weighty fleeting plain lasting "); /* before they were made: no older than new */
	struct found *f = look(s, "  \n", NULL, 0, 0.5, NOW); /* blank: nothing is asked */
	assert_int_equal(f->count, 4);
	assert_true(is(f->hit[0].score.total, 0.2 + 0.4 * 0.9) && is(f->hit[0].score.relevance, 0));
	assert_true(f->hit[0].tokens == 3 && f->hit[0].made_us == NOW && f->hit[0].type == MEMORY_FACT);
	assert_string_equal(look(s, NULL, NULL, 2, 0, NOW)->names, "weighty fleeting ");
	static const char newest[][32] = { "", "", "fleeting ", "fleeting lasting ", "weighty fleeting lasting " };
	for (int n = 0; n < 5; n++) { /* the last two cannot be chosen */
		*f = (struct found){ .count = 0 };
		assert_int_equal(store_newest_memories(s, n + 1, 10, NOW, add, f), 0);
		assert_string_equal(f->names, newest[n]);
	}
	static const struct { int limit; double least; } bad[] = { { -1, 0 }, { 1001, 0 }, { 0, -0.1 }, { 0, 1.1 } };
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(store_search_memories(s, "x", NULL, bad[i].limit, bad[i].least, NOW, add, f), STORE_EINVAL);
}

static void test_owner(void **state)
{
	struct store *s = ((struct memory *)*state)->s;
	clock_set(NOW);
	make(s, "fact", "hers", "mango", "");
	make(s, "fact", "his", "mango", "\"owner_id\":\"bea\"");
	make(s, "fact", "bots", "mango", "\"owner_id\":\"plx:robot\",\"importance\":0.1");
	assert_string_equal(look(s, NULL, "ana", 0, 0, NOW)->names, "hers ");
	assert_string_equal(look(s, NULL, "bea", 0, 0, NOW)->names, "his ");
	assert_string_equal(look(s, "mango", "robot", 0, 0, NOW)->names, "bots ");
	assert_string_equal(look(s, NULL, "be", 0, 0, NOW)->names, "");
	assert_string_equal(look(s, NULL, "", 0, 0, NOW)->names, "hers his bots ");
	char hex[2 * HASH_SIZE + 1];
	store_sha256("components/plx/robot.md", 23, hex);
	assert_string_equal(look(s, NULL, hex, 0, 0, NOW)->names, "bots ");
}

/* A memory goes at its hour, whatever its type, and nothing has to be written for it. */
static void test_expiry(void **state)
{
	struct store *s = ((struct memory *)*state)->s;
	const int64_t noon = INT64_C(4102488000000000); /* 2100-01-01T12:00:00Z */
	clock_set(NOW);
	make(s, "temporal", "a", "melon", "\"expires_at\":\"2100-01-01T12:00:00.000000Z\"");
	make(s, "fact", "b", "melon", "\"expires_at\":\"2100-01-01T12:00:00.000001Z\"");
	make(s, "fact", "c", "melon", "\"expires_at\":\"2100-01-01T11:59:59.999999Z\"");
	make(s, "fact", "d", "melon", "\"expires_at\":\"soon\"");
	static const struct { int64_t after; int count; } table[] = { { -2, 4 }, { -1, 3 }, { 0, 2 }, { 1, 1 },
		{ DAY, 1 } };
	int64_t entries = entries_of(s);
	for (size_t i = 0; i < COUNT(table); i++) {
		assert_int_equal(look(s, NULL, NULL, 0, 0, noon + table[i].after)->count, table[i].count);
		assert_int_equal(look(s, "melon", NULL, 0, 0, noon + table[i].after)->count, table[i].count);
	}
	assert_int_equal(entries_of(s), entries);
}

static void test_chains(void **state)
{
	struct store *s = ((struct memory *)*state)->s;
	clock_set(NOW);
	int64_t a = make(s, "fact", "a", "papaya", "\"status\":\"superseded\",\"superseded_by\":\"b\"");
	make(s, "fact", "b", "papaya", "\"superseded_by\":\"decision/c\"");
	int64_t c = make(s, "decision", "c", "something else", "\"importance\":0.1");
	CHOSEN(NOW, "c ");
	struct found *f = look(s, "papaya", NULL, 0, 0, NOW); /* found by what it replaced, once */
	assert_string_equal(f->names, "c ");
	assert_true(is(f->hit[0].score.relevance, 1));
	/* by number; to nothing: who says it stays, if it is active */
	char fields[128];
	(void)snprintf(fields, sizeof fields, "\"superseded_by\":%lld", (long long)c);
	save(s, a, "papaya", fields);
	CHOSEN(NOW, "c ");
	save(s, a, "papaya", "\"superseded_by\":\"nobody\"");
	CHOSEN(NOW, "a c ");
	save(s, a, "papaya", "\"superseded_by\":999999");
	CHOSEN(NOW, "a c ");
	save(s, a, "papaya", "\"superseded_by\":\"a\"");
	CHOSEN(NOW, "a c ");
	save(s, a, "papaya", "\"status\":\"superseded\"");
	CHOSEN(NOW, "c ");
	/* who ends the chain is not active: nobody of it is */
	save(s, c, "x", "\"status\":\"deleted\"");
	CHOSEN(NOW, "");
	assert_string_equal(look(s, "papaya", NULL, 0, 0, NOW)->names, "");
	/* a deleted one is not found for its heir */
	save(s, c, "x", "");
	save(s, a, "kiwi", "\"status\":\"deleted\",\"superseded_by\":\"b\"");
	assert_string_equal(look(s, "kiwi", NULL, 0, 0, NOW)->names, "");
}

/* Of a circle, whichever way in, the one saved last; a tail that leads into it changes nothing. */
static void test_circles(void **state)
{
	struct store *s = ((struct memory *)*state)->s;
	int64_t id[4];
	static const char *const next[] = { "\"superseded_by\":\"n1\"", "\"superseded_by\":\"n2\"",
		"\"superseded_by\":\"n3\"", "\"superseded_by\":\"n1\"" };
	for (int i = 0; i < 4; i++) {
		char name[16];
		clock_set(NOW + i);
		(void)snprintf(name, sizeof name, "n%d", i);
		id[i] = make(s, "fact", name, "guava", next[i]);
	}
	CHOSEN(NOW + DAY, "n3 ");
	for (int i = 1; i < 4; i++) {
		char want[16];
		clock_set(NOW + 10 + i);
		(void)snprintf(want, sizeof want, "n%d ", i);
		save(s, id[i], "guava", next[i]);
		CHOSEN(NOW + DAY, want);
		assert_string_equal(look(s, "guava", NULL, 0, 0, NOW + DAY)->names, want);
	}
	save(s, id[0], "guava", next[0]); /* not in the circle */
	CHOSEN(NOW + DAY, "n3 ");
}

/* ---- with a query --------------------------------------------------------- */

static double score_of[64];
static char order_of[64][32];
static int order_count;
#define MANY 40

static int take(void *ctx, const struct search_hit *h)
{
	struct doc d;
	assert_int_equal(store_doc_by_id(ctx, h->id, &d), 0);
	score_of[order_count] = h->score;
	(void)snprintf(order_of[order_count++], 32, "%.*s ", (int)strlen(d.name) - 3, d.name);
	return order_count == 64;
}

/* The first twenty by the formula, the others as they were found; a smaller limit shows of these. */
static void test_query(void **state)
{
	struct store *s = ((struct memory *)*state)->s;
	char head[2048] = "", tail[2048] = "", text[1024], name[32], fields[64];
	int64_t id;
	clock_set(NOW);
	for (int i = 0; i < MANY; i++) {
		(void)snprintf(name, sizeof name, "m%d", i);
		size_t len = (size_t)snprintf(text, sizeof text, "lychee");
		for (int k = 0; k <= 2 * i; k++)
			len += (size_t)snprintf(text + len, sizeof text - len, " juice");
		(void)snprintf(fields, sizeof fields, "\"importance\":%.2f", (i * 7 % MANY) / (double)MANY);
		make(s, "fact", name, text, fields);
	}
	for (int i = 0; i < 300; i++)
		assert_int_equal(doc_make(s, "notes", (snprintf(name, sizeof name, "n%d.md", i), name), "water", &id), 0);
	const struct search_query q = { .words = "lychee", .in = SEARCH_DOCUMENTS, .type = "memory",
		.limit = 1000 };
	order_count = 0;
	assert_int_equal(store_search(s, &q, take, s), 0);
	assert_int_equal(order_count, MANY);
	struct found all = *look(s, "lychee", NULL, MANY, 0, NOW);
	assert_int_equal(all.count, MANY);
	bool moved = false;
	for (int i = 0; i < MANY; i++) {
		char *part = i < MEMORIES_REORDERED ? head : tail;
		(void)strncat(part, order_of[i], 32);
		if (i > 0 && i < MEMORIES_REORDERED)
			assert_true(all.hit[i].score.total <= all.hit[i - 1].score.total);
	}
	for (int i = 0, at = 0; i < MANY; i++) {
		char want[40], got[40];
		sscanf(all.names + at, "%31s", got);
		at += (int)strlen(got) + 1;
		(void)strcat(got, " ");
		(void)snprintf(want, sizeof want, "%.39s", order_of[i]);
		if (i < MEMORIES_REORDERED) {
			assert_non_null(strstr(head, got));
			moved |= strcmp(want, got) != 0;
		} else {
			assert_string_equal(got, want);
			assert_true(is(all.hit[i].score.relevance, score_of[i] / score_of[0]));
		}
	}
	assert_true(moved);
	struct found *few = look(s, "lychee", NULL, 5, 0, NOW);
	assert_int_equal(few->count, 5);
	assert_memory_equal(few->names, all.names, strlen(few->names));
	/* what is less relevant than asked for is left out */
	double least = score_of[9] / score_of[0];
	few = look(s, "lychee", NULL, 0, least, NOW);
	assert_in_range(few->count, 10, MANY - 1);
	for (int i = 0; i < few->count; i++)
		assert_true(few->hit[i].score.relevance >= least);
	assert_int_equal(look(s, "water", NULL, 0, 0, NOW)->count, 0); /* notes are no memories */
	assert_int_equal(look(s, "?!", NULL, 0, 0, NOW)->count, 0);
}

/* ---- the algorithm's numbers ---------------------------------------------- */

static void algorithm(struct store *s, int64_t folder, const char *name, const char *status, const char *config)
{
	char place[1024], parent[32], fields[1024];
	int64_t id;
	(void)snprintf(parent, sizeof parent, "#%lld", (long long)folder);
	(void)snprintf(fields, sizeof fields, "{\"status\":\"%s\",\"config\":%s}", status, config);
	char *version = doc_version_of("{}", fields);
	struct doc_text v = doc_text_of(version);
	assert_int_equal(store_doc_make(s, parent, name, doc_text_of(doc_place(place, parent, name, false)), &v, "ana:vim",
	                                &id), 0);
	free(version);
}

#define RECENCY(x) "{\"scoring\":{\"weights\":{\"recency\":" x "}}}"

static void test_algorithm(void **state)
{
	struct store *s = ((struct memory *)*state)->s;
	struct scoring c;
	int64_t folder, memory;
	clock_set(NOW);
	assert_int_equal(store_scoring(s, &c), 0);
	assert_memory_equal(&c, &scoring_default, sizeof c);
	assert_int_equal(doc_make_folder(s, "algorithms", "cto", &folder), 0);
	algorithm(s, folder, "1.json", "draft", RECENCY("0.9"));
	algorithm(s, folder, "2.json", "active", "{\"window\":4}");
	assert_int_equal(store_scoring(s, &c), 0);
	assert_true(is(c.recency, 0.2));
	algorithm(s, folder, "3.json", "active", "{\"weights\":{\"recency\":0.8}}");
	assert_int_equal(store_scoring(s, &c), 0);
	assert_true(is(c.recency, 0.8) && is(c.importance, 0.4));
	assert_int_equal(doc_make_folder(s, "algorithms", "memory", &memory), 0);
	algorithm(s, memory, "1.json", "active", RECENCY("0.7"));
	clock_set(NOW + DAY);
	algorithm(s, folder, "4.json", "active", RECENCY("0.6"));
	assert_int_equal(store_scoring(s, &c), 0);
	assert_true(is(c.recency, 0.7)); /* its own folder before one saved later */
	make(s, "fact", "a", "a", "\"importance\":0");
	assert_true(is(look(s, NULL, NULL, 0, 0, NOW + DAY)->hit[0].score.total, 0.7));
}

/* ---- uses ----------------------------------------------------------------- */

static int64_t rows_of_side(struct memory *m)
{
	char path[256];
	sqlite3 *db = NULL;
	sqlite3_stmt *q = NULL;
	(void)snprintf(path, sizeof path, "%s.side", m->path);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT coalesce(sum(uses), 0) FROM access", -1, &q, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	int64_t n = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	sqlite3_close(db);
	return n;
}

static void test_uses(void **state)
{
	struct memory *m = *state;
	clock_set(NOW);
	int64_t a = make(m->s, "fact", "a", "a", ""), b = make(m->s, "fact", "b", "b", "");
	int64_t ids[] = { a, a, b, a };
	int64_t entries = entries_of(m->s);
	assert_int_equal(store_memory_accessed(m->s, ids, 4, NOW + DAY), 0);
	assert_int_equal(store_memory_accessed(m->s, ids, 1, NOW + DAY - 1000000), 0); /* late: the last time stays */
	struct found *f = look(m->s, NULL, NULL, 0, 0, NOW + 3 * DAY);
	assert_string_equal(f->names, "a b ");
	assert_int_equal(f->hit[0].uses, 4);
	assert_int_equal(f->hit[0].used_us, NOW + DAY);
	const struct memory_state used = { MEMORY_FACT, 2, 0.5, 0, 1, 4 };
	assert_true(is(f->hit[1].score.total, memory_score(&scoring_default, &used).total));
	assert_true(is(f->hit[0].score.frequency, 1));
	assert_int_equal(rows_of_side(m), 0); /* they wait */
	memory_reopen(m, 0);
	assert_int_equal(rows_of_side(m), 5);
	assert_int_equal(store_memory_accessed(m->s, ids + 2, 1, NOW + 2 * DAY), 0);
	f = look(m->s, NULL, NULL, 0, 0, NOW + 3 * DAY); /* what is written, and what waits */
	assert_int_equal(f->hit[0].uses + f->hit[1].uses, 6);
	memory_reopen(m, 0);
	f = look(m->s, NULL, NULL, 0, 0, NOW + 3 * DAY);
	assert_int_equal(f->hit[0].uses, f->hit[0].id == a ? 4 : 2);
	assert_int_equal(f->hit[1].uses, f->hit[1].id == a ? 4 : 2);
	assert_int_equal(store_memory_accessed(m->s, &a, 1, NOW + DAY - 1000000), 0); /* late again, by the file */
	memory_reopen(m, 0);
	f = look(m->s, NULL, NULL, 0, 0, NOW + 3 * DAY);
	int at = f->hit[0].id == a ? 0 : 1;
	assert_int_equal(f->hit[at].uses, 5);
	assert_int_equal(f->hit[at].used_us, NOW + DAY);
	assert_int_equal(entries_of(m->s), entries); /* never on the tape */
	/* the side file is gone: nothing of the memory is */
	char path[256];
	store_close(m->s);
	for (int i = 0; i < 3; i++) {
		(void)snprintf(path, sizeof path, "%s.side%s", m->path, (const char *[]){ "", "-wal", "-shm" }[i]);
		(void)unlink(path);
	}
	m->s = memory_store(m, 0);
	f = look(m->s, NULL, NULL, 0, 0, NOW);
	assert_string_equal(f->names, "a b ");
	assert_int_equal(f->hit[0].uses, 0);
}

/* More than wait at once are written in between; none is lost. */
static void test_many_uses(void **state)
{
	struct memory *m = *state;
	enum { DOCS = 10000 };
	for (int64_t i = 1; i <= DOCS; i++)
		assert_int_equal(store_memory_accessed(m->s, &i, 1, NOW), 0);
	assert_in_range(rows_of_side(m), 4096, DOCS - 1);
	memory_reopen(m, STORE_READONLY);
	assert_int_equal(rows_of_side(m), DOCS);
	int64_t one = 1;
	assert_int_equal(store_memory_accessed(m->s, &one, 1, NOW), 0); /* takes none */
	memory_reopen(m, 0);
	assert_int_equal(rows_of_side(m), DOCS);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, memory_open, memory_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formula), cmocka_unit_test(test_config), TEST(test_order), TEST(test_owner),
		TEST(test_expiry), TEST(test_chains), TEST(test_circles), TEST(test_query), TEST(test_algorithm),
		TEST(test_uses), TEST(test_many_uses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

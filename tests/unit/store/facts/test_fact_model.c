/* SPDX-License-Identifier: MIT */
/* Facts against a model that saves at random; ten thousand of them; their SQL view; views of an older cinta. */
#include "tests/unit/doc_fixture.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/db/db.h"
#include "store/db/schema.h"
#include "store/internal.h"
#include "store/views/view.h"

enum { MOST_FACTS = 600, SAVES = 120, BIG = 10000 };

/* ---- a model: what is believed after each save ------------------------- */

struct belief {
	int64_t id, confirmations, supersedes;
	enum confidence confidence;
	bool live;
};

struct model {
	struct belief facts[MOST_FACTS];
	size_t count;
	uint64_t sum[SAVES + 1]; /* of the live facts after each save */
	int texts;
};

static uint64_t mix(uint64_t sum, int64_t id, int64_t confirmations, enum confidence confidence, int64_t supersedes)
{
	uint64_t x = (uint64_t)id * 1000003 + (uint64_t)confirmations * 101 + (uint64_t)confidence * 7;
	return (sum ^ (x + (uint64_t)supersedes * 31)) * UINT64_C(1099511628211);
}

static void add_up(void *ctx, const struct fact *f)
{
	uint64_t *sum = ctx;
	assert_int_equal(f->retracted_us, 0);
	*sum = mix(*sum, f->id, f->confirmations, f->confidence, f->supersedes);
}

/* Where it stands: a fact that stands for another has its place. */
static int64_t place_of(const struct model *m, const struct belief *b)
{
	for (size_t i = 0; b->supersedes && i < m->count; i++)
		if (m->facts[i].id == b->supersedes)
			return place_of(m, &m->facts[i]);
	return b->id;
}

/* True if `a` stands before `b`. */
static bool before(const struct model *m, const struct belief *a, const struct belief *b)
{
	int64_t x = place_of(m, a), y = place_of(m, b);
	return x != y ? x < y : a->id < b->id;
}

static uint64_t sum_of(const struct model *m)
{
	const struct belief *order[MOST_FACTS];
	size_t count = 0;
	uint64_t sum = 1;
	for (size_t i = 0; i < m->count; i++) {
		size_t at = count;
		if (!m->facts[i].live)
			continue;
		for (; at > 0 && before(m, &m->facts[i], order[at - 1]); at--)
			order[at] = order[at - 1];
		order[at] = &m->facts[i];
		count++;
	}
	for (size_t i = 0; i < count; i++)
		sum = mix(sum, order[i]->id, order[i]->confirmations, order[i]->confidence,
		          order[i]->supersedes);
	return sum;
}

/* A change at random, done to the model too; the next entry will be `seq`.  false: none to be had. */
static bool invent(struct model *m, uint64_t *seed, int64_t seq, struct fact_change *c)
{
	uint32_t verb = dice(seed, 6);
	struct belief *b = m->count ? &m->facts[dice(seed, (uint32_t)m->count)] : NULL;
	*c = (struct fact_change){ .confidence = (enum confidence)dice(seed, 3), .text = "a fact", .len = 6 };
	if (verb <= FACT_RETRACT - 1 || verb == 5 || !b || !b->live) {
		if (m->count == MOST_FACTS)
			return false;
		c->verb = FACT_ADD;
		c->supersedes = b && b->live ? b->id : 0;
		m->facts[m->count++] =
			(struct belief){ .id = seq, .confidence = c->confidence, .supersedes = c->supersedes, .live = true };
		return true;
	}
	c->verb = (enum fact_verb)verb;
	c->fact = b->id;
	b->live = verb != FACT_RETRACT;
	b->confirmations += verb == FACT_CONFIRM;
	if (verb == FACT_WEIGH)
		b->confidence = c->confidence;
	return true;
}

static void test_model(void **state)
{
	struct memory *m = *state;
	uint64_t seed = 20261121, sum;
	struct model *model = calloc(1, sizeof *model);
	assert_non_null(model);
	model->sum[0] = 1;
	for (int64_t n = 1; n <= SAVES; n++) {
		struct fact_change c[6];
		size_t count = 0, most = 1 + dice(&seed, 6);
		int64_t seq = entries_of(m->s), save;
		struct model before = *model;
		clock_set(T(n * 10));
		for (size_t i = 0; i < most; i++) {
			/* One save names only facts that were there before it. */
			struct model last = *model;
			if (!invent(model, &seed, seq + (int64_t)count, &c[count]) || c[count].fact >= seq ||
			    c[count].supersedes >= seq)
				*model = last;
			else
				count++;
		}
		if (count == 0) {
			*model = before;
			c[count++] = (struct fact_change){ .verb = FACT_TEXT, .text = "t", .len = 1 };
		}
		assert_int_equal(store_fact_commit(m->s, FACT_PERSONAL, c, count, "ana:vim", NULL, n - 1, &save), 0);
		assert_int_equal(save, n);
		model->sum[n] = sum_of(model);
		sum = 1;
		assert_int_equal(store_fact_live(m->s, FACT_PERSONAL, add_up, &sum), 0);
		assert_true(sum == model->sum[n]);
	}
	for (int64_t n = 1; n <= SAVES; n++) { /* and each as it was */
		int64_t save;
		assert_int_equal(store_fact_save_at(m->s, FACT_PERSONAL, T(n * 10 + 9), &save), 0);
		assert_int_equal(save, n);
		sum = 1;
		assert_int_equal(store_fact_at(m->s, FACT_PERSONAL, n, add_up, &sum), 0);
		assert_true(sum == model->sum[n]);
	}
	free(model);
	views_hold(m);
}

/* Views that catch up in small steps never show half a save. */
static void test_no_half_saves(void **state)
{
	struct memory *m = *state;
	sqlite3 *db = NULL;
	struct view *v = NULL;
	int64_t upto = 0, before = -1;
	struct fact_change c[10];
	for (int i = 0; i < 10; i++)
		c[i] = (struct fact_change){ .verb = FACT_ADD, .text = "a fact", .len = 6 };
	for (int n = 1; n <= 30; n++) {
		clock_set(T(n));
		assert_int_equal(store_fact_commit(m->s, 1 + n % 5, c, 10, "ana:vim", NULL, -1, NULL), 0);
		assert_int_equal(put(m->s, "other", "note", "anything"), 0);
	}
	int64_t entries = entries_of(m->s);
	store_close(m->s);
	assert_int_equal(db_open(m->path, DB_WRITE, &db, NULL), 0);
	assert_int_equal(views_reset(db), 0);
	assert_int_equal(view_open(db, &store_views, body_text_size, &v), 0);
	while (upto != before) {
		before = upto;
		assert_int_equal(view_catch_up(v, 3, entries, &upto), 0);
		assert_in_range(upto, 0, before + 13);
		assert_int_equal(db_int(db, "SELECT count(*) % 10 FROM v_fact", -1), 0);
	}
	assert_int_equal(upto, entries);
	view_close(v);
	sqlite3_close(db);
	m->s = memory_store(m, 0);
	views_hold(m);
}

/* ---- many -------------------------------------------------------------- */

/* What this process has worked: other work on the machine must not fail a test. */
static int64_t now_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void count_one(void *ctx, const struct fact *f)
{
	(void)f;
	++*(int64_t *)ctx;
}

static int64_t time_of_list(struct store *s, int64_t expected)
{
	int64_t best = INT64_MAX;
	for (int i = 0; i < 5; i++) {
		int64_t count = 0, from = now_us();
		assert_int_equal(store_fact_live(s, FACT_WORK, count_one, &count), 0);
		int64_t took = now_us() - from;
		assert_int_equal(count, expected);
		best = took < best ? took : best;
	}
	return best;
}

static struct fact_change *many(size_t count, enum fact_verb verb, int64_t first)
{
	struct fact_change *c = calloc(count, sizeof *c);
	assert_non_null(c);
	for (size_t i = 0; i < count; i++)
		c[i] = (struct fact_change){ .verb = verb, .fact = verb == FACT_ADD ? 0 : first + (int64_t)i,
			.text = "The build runs on two machines, and on Fridays on three.", .len = 56,
			.confidence = CONFIDENCE_HIGH };
	return c;
}

static void test_ten_thousand(void **state)
{
	struct memory *m = *state;
	int64_t best = INT64_MAX, from = now_us(), first = entries_of(m->s);
	struct fact_change *adds = many(BIG, FACT_ADD, 0);
	assert_int_equal(store_fact_commit(m->s, FACT_WORK, adds, BIG, "ana:vim", NULL, 0, NULL), 0);
	int64_t committed = now_us() - from;
	int64_t count = 0;
	from = now_us();
	assert_int_equal(store_fact_live(m->s, FACT_WORK, count_one, &count), 0);
	print_message("%d facts: saved in %lld ms, views after %lld ms, ", BIG, (long long)committed / 1000,
	              (long long)(now_us() - from) / 1000);
	int64_t plain = time_of_list(m->s, BIG);
	for (int i = 0; i < 20; i++) { /* one line changed: one entry, and a list to read */
		struct fact_change one = { .verb = FACT_CONFIRM, .fact = first + i };
		int64_t before = entries_of(m->s);
		from = now_us();
		assert_int_equal(store_fact_commit(m->s, FACT_WORK, &one, 1, "ana:vim", NULL, i + 1, NULL), 0);
		int64_t took = now_us() - from;
		assert_int_equal(entries_of(m->s), before + 1);
		best = took < best ? took : best;
	}
	/* As many again, all retracted: reading the list does not tell. */
	int64_t more = entries_of(m->s);
	struct fact_change *gone = many(BIG, FACT_RETRACT, more);
	assert_int_equal(store_fact_commit(m->s, FACT_WORK, adds, BIG, "ana:vim", NULL, -1, NULL), 0);
	assert_int_equal(store_fact_commit(m->s, FACT_WORK, gone, BIG, "ana:vim", NULL, -1, NULL), 0);
	int64_t after = time_of_list(m->s, BIG);
	from = now_us();
	count = 0;
	assert_int_equal(store_fact_at(m->s, FACT_WORK, 22, count_one, &count), 0);
	assert_int_equal(count, 2 * BIG);
	print_message("one change %lld us, list %lld us, with as many retracted %lld us, as it was %lld us\n",
	              (long long)best, (long long)plain, (long long)after, (long long)(now_us() - from));
	assert_in_range(best, 0, 5000);
	assert_in_range(after, 0, 2 * plain + 5000);
	free(adds);
	free(gone);
	views_hold(m);
}

/* ---- SQL, and older views ---------------------------------------------- */

static void sql_is(const struct memory *m, const char *sql, const char *expected)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *q = NULL;
	assert_int_equal(store_catch_up(m->s), 0);
	assert_int_equal(sqlite3_open_v2(m->path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(q, 0), expected);
	sqlite3_finalize(q);
	sqlite3_close(db);
}

static int64_t add_two(struct store *s, int domain)
{
	struct fact_change c[] = {
		{ .verb = FACT_ADD, .text = "uno", .len = 3, .confidence = CONFIDENCE_MEDIUM, .inferred = true, .entry = 5 },
		{ .verb = FACT_ADD, .text = "dos", .len = 3, .confidence = CONFIDENCE_HIGH },
	};
	int64_t first = entries_of(s);
	assert_int_equal(store_fact_commit(s, domain, c, 2, "ana:vim", NULL, -1, NULL), 0);
	return first;
}

static void test_sql(void **state)
{
	struct memory *m = *state;
	sql_is(m, "SELECT group_concat(name, ' ') FROM pragma_table_info('facts')",
	       "id domain fact confidence source source_entry created_at last_confirmed_at retracted_at supersedes "
	       "superseded_by author"
	          " agent conversation");
	clock_set(T(1));
	int64_t first = add_two(m->s, FACT_WORK);
	clock_set(T(2));
	struct fact_change change[] = {
		{ .verb = FACT_ADD, .text = "tres", .len = 4, .supersedes = first }, { .verb = FACT_RETRACT, .fact = first },
		{ .verb = FACT_CONFIRM, .fact = first + 1 },
	};
	assert_int_equal(store_fact_commit(m->s, FACT_WORK, change, 3, "bea:sh", NULL, -1, NULL), 0);
	for (int d = FACT_PREFERENCES; d <= FACT_PROJECTS; d++)
		add_two(m->s, d);
	sql_is(m, "SELECT group_concat(domain) FROM (SELECT DISTINCT domain FROM facts ORDER BY id)",
	       "work,preferences,decisions,personal,projects");
	sql_is(m, "SELECT id || '|' || fact || '|' || confidence || '|' || source || '|' || source_entry"
	          " || '|' || created_at || '|' || last_confirmed_at || '|' || retracted_at || '|'"
	          " || ifnull(supersedes, '-') || '|'"
	          " || superseded_by || '|' || author FROM facts ORDER BY id LIMIT 1",
	       "1|uno|medium|inferred|5|2100-01-01T00:00:00.000001Z|2100-01-01T00:00:00.000001Z|"
	       "2100-01-01T00:00:00.000002Z|-|3|ana:vim");
	sql_is(m, "SELECT fact || last_confirmed_at || (retracted_at IS NULL) || (source_entry IS NULL) || confidence"
	          " FROM facts WHERE id = 2", "dos2100-01-01T00:00:00.000002Z11high");
	sql_is(m, "SELECT fact || confidence || supersedes || (superseded_by IS NULL) || author FROM facts WHERE id = 3",
	       "treslow11bea:sh");
}

static void test_older_views(void **state)
{
	struct memory *m = *state;
	sqlite3 *db = NULL;
	int64_t count = 0, last;
	char *text = NULL, detail[256] = "";
	size_t len;
	int64_t first = add_two(m->s, FACT_WORK);
	assert_int_equal(store_catch_up(m->s), 0);
	store_close(m->s);
	m->s = NULL;
	assert_int_equal(sqlite3_open(m->path, &db), SQLITE_OK);
	assert_int_equal(db_exec(db, "DROP VIEW facts; DROP TABLE v_fact; DROP TABLE v_fact_event; DROP TABLE v_fact_save;"
	                             " DROP TABLE v_fact_list; DROP TABLE v_fact_text; UPDATE v_made SET version = 2"), 0);
	sqlite3_close(db);
	m->s = memory_store(m, STORE_READONLY);
	assert_int_equal(store_fact_live(m->s, FACT_WORK, count_one, &count), 0);
	assert_int_equal(store_fact_all(m->s, count_one, &count), 0);
	assert_int_equal(store_fact_all_at_time(m->s, INT64_MAX, count_one, &count), 0);
	assert_int_equal(store_fact_at(m->s, FACT_WORK, 0, count_one, &count), 0);
	assert_int_equal(count, 0);
	assert_int_equal(store_fact_at(m->s, FACT_WORK, 1, count_one, &count), STORE_ENOENT);
	assert_int_equal(store_fact_by_id(m->s, first, count_one, &count), STORE_ENOENT);
	assert_int_equal(store_fact_save_at(m->s, FACT_WORK, INT64_MAX, &count), STORE_ENOENT);
	assert_int_equal(store_fact_frame(m->s, FACT_WORK, 0, &text, &len), 0);
	assert_string_equal(text, "");
	free(text);
	assert_int_equal(db_open(m->path, DB_READ, &db, NULL), 0);
	/* what it has, it has right */
	assert_int_equal(view_compare(db, &store_views, body_text_size, detail, sizeof detail), 0);
	sqlite3_close(db);
	memory_reopen(m, 0);
	assert_int_equal(store_fact_saves(m->s, FACT_WORK, &count, &last), 0);
	assert_int_equal(count, 1);
	views_hold(m);
	assert_int_equal(db_open(m->path, DB_READ, &db, NULL), 0);
	assert_int_equal(views_version(db), VIEWS_VERSION);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_model, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_no_half_saves, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_ten_thousand, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_sql, memory_open, memory_close),
		cmocka_unit_test_setup_teardown(test_older_views, memory_open, memory_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

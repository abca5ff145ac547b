/* SPDX-License-Identifier: MIT */
/* The store's life and its appends: opening, group commit, EMOVED, other processes, checkpoints. */
#include "store/db/db.h"
#include "tests/unit/doc_fixture.h"
#include "tests/unit/store_fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS = 6, EACH = 150 };
#define SECOND INT64_C(1000000)

static void take_body(void *ctx, const struct entry *e)
{
	(void)snprintf(ctx, 512, "%lld %s %s %s %.*s", (long long)e->seq, e->stream, e->kind, e->author,
	               (int)e->body_len, e->body);
}

static void test_genesis(void **state)
{
	struct memory *m = *state;
	char text[512] = "", vkey[256], note[2048];
	struct stat st;
	assert_int_equal(entries_of(m->s), 1);
	assert_int_equal(store_entry(m->s, 0, take_body, text), 0);
	assert_int_equal(store_vkey(m->s, vkey, sizeof vkey), 0);
	assert_memory_equal(vkey, "cinta/test+", 11);
	assert_memory_equal(text, "0 tape tape.genesis cinta {\"format\":\"tape/1\"", 44);
	assert_non_null(strstr(text, vkey));
	assert_int_equal(store_entry(m->s, 1, take_body, text), STORE_ENOENT);
	assert_int_equal(store_entry(m->s, -1, take_body, text), STORE_ENOENT);
	assert_int_equal(store_checkpoint_note(m->s, note, sizeof note), STORE_ENOENT);
	assert_int_equal(stat(m->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void test_reopen(void **state)
{
	struct memory *m = *state;
	size_t len, again;
	struct status st;
	assert_int_equal(make_session(m->s, "uno"), 1);
	say(m->s, "hola", "");
	char *log = log_of(m->s, (struct log_id){ LOG_SESSION, 1 }, &len);
	for (int i = 0; i < 3; i++) {
		memory_reopen(m, i == 1 ? STORE_READONLY : STORE_CREATE);
		char *now = log_of(m->s, (struct log_id){ LOG_SESSION, 1 }, &again);
		assert_int_equal(again, len);
		assert_memory_equal(now, log, len);
		free(now);
		store_status(m->s, &st);
		assert_int_equal(st.entries, 3);
		assert_string_equal(st.origin, "cinta/test");
		assert_int_equal(st.read_only, i == 1);
		assert_int_equal(st.sessions, 1);
		assert_int_equal(st.messages, 1);
		if (i == 1)
			assert_int_equal(put(m->s, "s1", "message", "{}"), STORE_EROFS);
	}
	free(log);
}

static int try_open(const char *path, unsigned flags, const char *origin, struct why *why)
{
	struct store *s = NULL;
	struct store_config config = { .flags = flags, .origin = origin, .key_dir = "/nowhere/keys",
		.text_size = body_text_size };
	int err = store_open(path, &config, &s, why);
	if (!err)
		store_close(s);
	return err;
}

static void test_open_errors(void **state)
{
	struct memory *m = *state;
	char path[256];
	struct why why = { 0 };
	(void)snprintf(path, sizeof path, "%s/absent.db", m->dir);
	assert_int_equal(try_open(path, 0, NULL, &why), STORE_ENOENT);
	assert_true(why.text[0] && why.todo[0]);
	(void)snprintf(path, sizeof path, "%s/text.db", m->dir);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	for (int i = 0; i < 2000; i++)
		(void)fputs("this is no database\n", f);
	assert_int_equal(fclose(f), 0);
	memset(&why, 0, sizeof why);
	assert_int_equal(try_open(path, 0, NULL, &why), STORE_EFORMAT);
	assert_true(why.text[0] && why.todo[0]);
	assert_int_equal(try_open(path, STORE_CREATE, NULL, &why), STORE_EFORMAT);
	(void)snprintf(path, sizeof path, "%s/new.db", m->dir);
	memset(&why, 0, sizeof why);
	assert_int_equal(try_open(path, STORE_CREATE, "a b", &why), STORE_EINVAL);
	assert_int_equal(try_open(path, STORE_CREATE, "a+b", &why), STORE_EINVAL);
	assert_true(why.text[0] && why.todo[0]);
}

static void test_fields(void **state)
{
	struct memory *m = *state;
	char field[200];
	assert_int_equal(put(m->s, "", "message", "{}"), STORE_EINVAL);
	assert_int_equal(put(m->s, "a b", "message", "{}"), STORE_EINVAL);
	assert_int_equal(put(m->s, "s1", "", "{}"), STORE_EINVAL);
	memset(field, 'x', sizeof field);
	field[FIELD_MAX] = '\0';
	assert_int_equal(put(m->s, field, "message", "{}"), 0);
	assert_int_equal(put(m->s, "s1", field, "{}"), STORE_EINVAL);
	field[KIND_MAX] = '\0';
	assert_int_equal(put(m->s, "s1", field, "{}"), 0);
	field[KIND_MAX] = 'x';
	field[FIELD_MAX] = 'x';
	field[FIELD_MAX + 1] = '\0';
	assert_int_equal(put(m->s, field, "message", "{}"), STORE_EINVAL);
	assert_int_equal(entries_of(m->s), 3);
}

static void test_expect(void **state)
{
	struct memory *m = *state;
	struct draft d[2] = {
		{ .stream = "d1", .kind = "document", .author = "a", .body = "1", .body_len = 1 },
		{ .stream = "d2", .kind = "document", .author = "a", .body = "2", .body_len = 1 },
	};
	struct append a = { .drafts = d, .count = 2, .expect = 0 };
	assert_int_equal(store_append_wait(m->s, &a), 0);
	assert_int_equal(a.first_seq, 1);
	assert_int_equal(store_append_wait(m->s, &a), STORE_EMOVED);
	assert_int_equal(entries_of(m->s), 3); /* all or none */
	a.expect = 2;
	assert_int_equal(store_append_wait(m->s, &a), STORE_EMOVED);
	a.expect = 1;
	assert_int_equal(store_append_wait(m->s, &a), 0);
	assert_int_equal(a.first_seq, 3);
	/* A bad draft refuses its request whole. */
	d[1].stream = "not a field";
	a.expect = -1;
	assert_int_equal(store_append_wait(m->s, &a), STORE_EINVAL);
	assert_int_equal(entries_of(m->s), 5);
}

struct crowd {
	struct store *s;
	_Atomic int answered, next, emoved;
	_Atomic int64_t taken[THREADS * EACH * 3 + 8]; /* how often each seq was handed out */
};

struct ticket {
	struct append a;
	struct draft d[3];
	struct crowd *crowd;
	_Atomic int done;
};

static void answered(struct append *a)
{
	struct ticket *t = a->ctx;
	struct crowd *c = t->crowd;
	if (!a->error)
		for (size_t i = 0; i < a->count; i++)
			atomic_fetch_add(&c->taken[a->first_seq + (int64_t)i], 1);
	else if (a->error == STORE_EMOVED)
		atomic_fetch_add(&c->emoved, 1);
	atomic_fetch_add(&c->answered, 1);
	atomic_fetch_add(&t->done, 1);
}

static void *append_many(void *arg)
{
	struct crowd *c = arg;
	int me = atomic_fetch_add(&c->next, 1);
	struct ticket *t = calloc(EACH, sizeof *t);
	char stream[16];
	(void)snprintf(stream, sizeof stream, "s%d", me % 3 + 1);
	for (int i = 0; t && i < EACH; i++) {
		t[i].crowd = c;
		for (int k = 0; k < 3; k++)
			t[i].d[k] = (struct draft){ .stream = stream, .kind = "message", .author = "a",
				.body = "{\"content\":\"x\"}", .body_len = 15 };
		t[i].a = (struct append){ .drafts = t[i].d, .count = (size_t)(i % 3 + 1), .done = answered,
			.expect = i % 50 == 49 ? 1 << 20 : -1, .ctx = &t[i] };
		store_append(c->s, &t[i].a);
	}
	for (int i = 0; t && i < EACH; i++)
		while (atomic_load(&t[i].done) == 0)
			usleep(100);
	free(t);
	return NULL;
}

/* Each request is answered exactly once, each seq handed out exactly once, none is missing. */
static void test_group_commit(void **state)
{
	struct memory *m = *state;
	struct crowd *c = calloc(1, sizeof *c);
	pthread_t thread[THREADS];
	struct verify_options o = { .key_dir = m->keys };
	struct verify_report r;
	assert_non_null(c);
	c->s = m->s;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, append_many, c), 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(thread[i], NULL), 0);
	assert_int_equal(atomic_load(&c->answered), THREADS * EACH);
	assert_int_equal(atomic_load(&c->emoved), THREADS * EACH / 50);
	int64_t rows = 0;
	for (int i = 0; i < EACH; i++)
		rows += i % 50 == 49 ? 0 : THREADS * (i % 3 + 1);
	assert_int_equal(entries_of(m->s), rows + 1);
	for (int64_t seq = 1; seq <= rows; seq++)
		assert_int_equal(atomic_load(&c->taken[seq]), 1);
	free(c);
	memory_reopen(m, STORE_OWNER);
	memory_reopen(m, 0); /* closing the owner signed it */
	assert_int_equal(store_verify(m->path, &o, &r), 0);
	assert_int_equal(r.verdict, VERDICT_OK);
	assert_int_equal(r.entries, rows + 1);
}

static int scalar(const char *path, const char *sql)
{
	sqlite3 *db = NULL;
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	int value = (int)db_int(db, sql, -1);
	sqlite3_close(db);
	return value;
}

/* Who makes a memory may be killed before its first table is there; what others made stays. */
static void test_blank(void **state)
{
	struct memory *m = *state;
	static const char *const made[] = { "", "PRAGMA journal_mode=WAL", "PRAGMA application_id=7",
		"CREATE TABLE t (x)" };
	for (int i = 0; i < 4; i++) {
		char path[256];
		struct store *s = NULL;
		struct why why = { 0 };
		sqlite3 *db = NULL;
		(void)snprintf(path, sizeof path, "%s/blank%d.db", m->dir, i);
		assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
		assert_int_equal(db_exec(db, made[i]), 0);
		sqlite3_close(db);
		struct store_config config = { .flags = STORE_CREATE, .key_dir = m->keys,
			.text_size = body_text_size };
		assert_int_equal(store_open(path, &config, &s, &why), i < 2 ? 0 : STORE_EFORMAT);
		store_close(s);
		assert_int_equal(scalar(path, "SELECT count(*) FROM sqlite_schema WHERE name = 'tape'"), i < 2);
		assert_int_equal(scalar(path, "SELECT count(*) FROM sqlite_schema WHERE name = 't'"), i == 3);
	}
}

static _Atomic int foreign_calls;

static void count_foreign(void *ctx, int64_t seq)
{
	assert_true(seq > 0);
	atomic_fetch_add((_Atomic int *)ctx, 1);
}

/* A second store on the file appends: the owner is told, and its sizes are right at once after. */
static void test_foreign(void **state)
{
	struct memory *m = *state;
	struct store *owner = NULL;
	struct why why = { 0 };
	struct store_config config = { .flags = STORE_OWNER, .key_dir = m->keys,
		.text_size = body_text_size, .on_foreign = count_foreign, .ctx = &foreign_calls };
	struct log_stat here, there;
	struct log_id log = { LOG_SESSION, 1 };
	(void)make_session(m->s, "uno");
	assert_int_equal(store_open(m->path, &config, &owner, &why), 0);
	atomic_store(&foreign_calls, 0);
	for (int i = 0; i < 3; i++) {
		int before = atomic_load(&foreign_calls);
		say(owner, "mine", "");
		say(m->s, "of another", ",\"thread\":\"t\"");
		for (int k = 0; k < 300 && atomic_load(&foreign_calls) == before; k++)
			usleep(10000);
		assert_int_equal(atomic_load(&foreign_calls), before + 1);
		assert_int_equal(store_log_stat(owner, log, &here), 0);
		say(owner, "mine again", "");
		assert_int_equal(store_log_stat(owner, log, &there), 0);
		assert_true(there.bytes > here.bytes);
		memory_reopen(m, 0);
		assert_int_equal(store_log_stat(m->s, log, &here), 0);
		assert_int_equal(here.bytes, there.bytes);
		assert_int_equal(here.last_us, there.last_us);
	}
	assert_int_equal(entries_of(owner), 2 + 9);
	usleep(300000); /* one's own rows are nobody else's */
	assert_int_equal(atomic_load(&foreign_calls), 3);
	store_close(owner);
}

/* What was decided before somebody gave, moved or took a name away is refused; all else is not. */
static void test_names_moved(void **state)
{
	struct memory *m = *state;
	struct store *other = NULL;
	struct why why = { 0 };
	struct store_config config = { .key_dir = m->keys, .text_size = body_text_size };
	struct draft d = { .stream = "s1", .kind = "message", .author = "ana:test", .body = "{}", .body_len = 2 };
	int64_t doc;
	(void)make_session(m->s, "uno");
	assert_int_equal(store_open(m->path, &config, &other, &why), 0);
	struct append a = { .drafts = &d, .count = 1, .expect = -1, .seen = store_entries(m->s) };
	say(other, "no name", "");
	assert_int_equal(store_append_wait(m->s, &a), 0);
	a.seen = store_entries(m->s);
	(void)make_session(other, "dos");
	assert_int_equal(store_append_wait(m->s, &a), STORE_EMOVED);
	a.seen = store_entries(m->s);
	assert_int_equal(store_append_wait(m->s, &a), 0);
	a.seen = store_entries(m->s);
	assert_int_equal(doc_make(other, "notes", "a.md", "A", &doc), 0);
	assert_int_equal(store_append_wait(m->s, &a), STORE_EMOVED);
	a.seen = store_entries(m->s);
	assert_int_equal(doc_save(other, doc, "B", -1), 0);
	assert_int_equal(store_append_wait(m->s, &a), 0);
	assert_int_equal(doc_move(other, doc, "notes", "b.md"), 0);
	assert_int_equal(store_append_wait(m->s, &a), STORE_EMOVED);
	/* It was looked up before; the store sees the other's names first. */
	assert_int_equal(doc_make(m->s, "notes", "b.md", "mine", &doc), STORE_EEXIST);
	store_close(other);
}

static void test_clock(void **state)
{
	struct memory *m = *state;
	struct log_stat st;
	struct log_id log = { LOG_SESSION, 1 };
	(void)make_session(m->s, "uno");
	int64_t later = clock_now() + 3600 * SECOND;
	clock_set(later);
	say(m->s, "a", "");
	assert_int_equal(store_log_stat(m->s, log, &st), 0);
	assert_int_equal(st.last_us, later);
	clock_set(later - 60 * SECOND); /* a clock set back does not turn the log back */
	say(m->s, "b", "");
	assert_int_equal(store_log_stat(m->s, log, &st), 0);
	assert_int_equal(st.last_us, later + 1);
	clock_set(later + 2);
	say(m->s, "c", "");
	assert_int_equal(store_log_stat(m->s, log, &st), 0);
	assert_int_equal(st.last_us, later + 2);
}

static int64_t signed_upto(struct store *s)
{
	struct status st;
	store_status(s, &st);
	return st.signed_upto;
}

/* Three turns of the maintenance thread at least. */
static void let_keeper_turn(void)
{
	usleep(400000);
}

/* It signs that many, if only when a busy machine lets it. */
static void await_signed(struct store *s, int64_t entries)
{
	for (int i = 0; i < 600 && signed_upto(s) != entries; i++)
		usleep(100000);
	assert_int_equal(signed_upto(s), entries);
}

static void many(struct store *s, int rows)
{
	struct draft *d = calloc((size_t)rows, sizeof *d);
	assert_non_null(d);
	for (int i = 0; i < rows; i++)
		d[i] = (struct draft){ .stream = "s1", .kind = "message", .author = "a",
			.body = "{\"content\":\"x\"}", .body_len = 15 };
	struct append a = { .drafts = d, .count = (size_t)rows, .expect = -1 };
	assert_int_equal(store_append_wait(s, &a), 0);
	free(d);
}

/* Signed after ten seconds or a thousand rows, at most once a second, by the store's clock. */
static void test_checkpoints(void **state)
{
	struct memory *m = *state;
	int64_t now = clock_now() + 10 * SECOND;
	clock_set(now);
	memory_reopen(m, STORE_OWNER);
	int64_t size = entries_of(m->s);
	await_signed(m->s, size); /* nothing was ever signed: due at once */
	say(m->s, "a", "");
	clock_set(now += 9 * SECOND + 900000);
	let_keeper_turn();
	assert_int_equal(signed_upto(m->s), size);
	clock_set(now += 100000);
	size = entries_of(m->s);
	await_signed(m->s, size);
	many(m->s, 999);
	clock_set(now += 2 * SECOND);
	let_keeper_turn();
	assert_int_equal(signed_upto(m->s), size); /* not a thousand yet */
	many(m->s, 1);
	await_signed(m->s, size + 1000);
	size += 1000;
	many(m->s, 3000);
	clock_set(now += 900000); /* a thousand rows, but not a second */
	let_keeper_turn();
	assert_int_equal(signed_upto(m->s), size);
	clock_set(now += 100000);
	await_signed(m->s, size + 3000);
	clock_set(now += 3600 * SECOND); /* nothing new: nothing signed */
	char note[2048], again[2048];
	assert_int_equal(store_checkpoint_note(m->s, note, sizeof note), 0);
	let_keeper_turn();
	assert_int_equal(store_checkpoint_note(m->s, again, sizeof again), 0);
	assert_string_equal(note, again);
	say(m->s, "last", "");
	memory_reopen(m, 0); /* closing signs what is there */
	assert_int_equal(signed_upto(m->s), size + 3001);
	assert_int_equal(store_sign(m->s), 0);
}

static void test_sync(void **state)
{
	struct memory *m = *state;
	assert_int_equal(store_sync(m->s), 0);
	say(m->s, "a", "");
	assert_int_equal(store_sync(m->s), 0);
	assert_int_equal(store_sync(m->s), 0);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, memory_open, memory_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(test_genesis),      WITH(test_reopen), WITH(test_open_errors), WITH(test_fields),
		WITH(test_expect),       WITH(test_group_commit), WITH(test_foreign), WITH(test_clock),
		WITH(test_names_moved),
		WITH(test_checkpoints),  WITH(test_sync), WITH(test_blank),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/*
 * Database files made to hurt who opens them: cut short, with sizes that cannot be, pages that lead
 * to themselves, a foreign schema.  Each opens, or is refused, within bounded CPU time, and what is
 * read of it harms nobody (the sanitizers look on).
 */
#include "tests/unit/store_fixture.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, HEADER = 100, CPU_MOST = 120 /* seconds, with sanitizers */ };

struct image {
	uint8_t *bytes;
	size_t size;
};

static struct image file_read(const char *path)
{
	struct image f = { NULL, 0 };
	FILE *in = fopen(path, "rb");
	assert_non_null(in);
	assert_int_equal(fseek(in, 0, SEEK_END), 0);
	f.size = (size_t)ftell(in);
	rewind(in);
	/* Room for pages that a case adds. */
	f.bytes = calloc(1, f.size + 64 * PAGE);
	assert_non_null(f.bytes);
	assert_int_equal(fread(f.bytes, 1, f.size, in), f.size);
	fclose(in);
	return f;
}

static void file_write(const char *path, const struct image *f)
{
	FILE *out = fopen(path, "wb");
	assert_non_null(out);
	assert_int_equal(fwrite(f->bytes, 1, f->size, out), f->size);
	assert_int_equal(fclose(out), 0);
}

static void put32(uint8_t *at, uint32_t v)
{
	at[0] = (uint8_t)(v >> 24), at[1] = (uint8_t)(v >> 16), at[2] = (uint8_t)(v >> 8);
	at[3] = (uint8_t)v;
}

static void put16(uint8_t *at, unsigned v)
{
	at[0] = (uint8_t)(v >> 8), at[1] = (uint8_t)v;
}

static uint8_t *page(struct image *f, uint32_t n)
{
	return f->bytes + (size_t)(n - 1) * PAGE;
}

/* The number of the first page that `sql` finds in the good file. */
static uint32_t page_of(const char *path, const char *sql)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *q = NULL;
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	uint32_t n = (uint32_t)sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	sqlite3_close(db);
	return n;
}

/* ---- all that is done with a file -------------------------------------------- */

static int hit(void *ctx, const struct search_hit *h)
{
	(void)ctx, (void)h;
	return 0;
}

static void use(struct store *s)
{
	struct status *st = calloc(1, sizeof *st);
	struct search_query q = { .words = "line" };
	char *bytes = malloc(1 << 20);
	store_status(s, st);
	(void)store_log_read(s, (struct log_id){ LOG_TAPE, 0 }, 0, bytes, 1 << 20);
	(void)store_log_read(s, (struct log_id){ LOG_SESSION, 1 }, 0, bytes, 1 << 20);
	(void)store_search(s, &q, hit, NULL);
	(void)store_mark_set(s, "mark", 7);
	free(bytes);
	free(st);
}

static void try_store(const struct memory *m, const char *path, unsigned flags)
{
	struct store_config c = { .flags = flags, .key_dir = m->keys, .text_size = body_text_size };
	struct why why = { 0 };
	struct store *s = NULL;
	int err = store_open(path, &c, &s, &why);
	if (!err) {
		use(s);
		if (!(flags & STORE_READONLY))
			(void)put(s, "s1", "message", "{\"content\":\"one more\"}");
		store_close(s);
	} else {
		assert_true(err < 0 && why.text[0] && why.todo[0]);
	}
}

static void clean(const char *path)
{
	static const char *const parts[] = { "", "-wal", "-shm", ".side", ".side-wal", ".side-shm",
		".search", ".search-wal", ".search-shm", ".checkpoint", ".vectors", ".new" };
	char name[256];
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		(void)snprintf(name, sizeof name, "%s%s", path, parts[i]);
		(void)unlink(name);
	}
}

/* The verdict of verify, -1: an error. */
static int verdict(const struct memory *m, const char *path, bool all)
{
	struct verify_options o = { .key_dir = m->keys, .all = all, .text_size = body_text_size };
	struct verify_report r;
	return store_verify(path, &o, &r) == 0 ? (int)r.verdict : -1;
}

/* Every way a memory is opened, each on a copy of its own. */
static int try_all(const struct memory *m, const char *name, const struct image *f)
{
	struct store_config c = { .key_dir = m->keys, .text_size = body_text_size };
	struct rebuild_report r;
	struct why why = { 0 };
	char path[200], to[220], detail[160];
	(void)snprintf(path, sizeof path, "%s/hostile.db", m->dir);
	(void)snprintf(to, sizeof to, "%s.new", path);
	const struct rebuild_options salvage = { .salvage = to };
	clock_t before = clock();
	int got = -1;
	for (int way = 0; way < 6; way++) {
		clean(path);
		file_write(path, f);
		(void)store_look(path, &why);
		if (way < 2)
			try_store(m, path, way ? STORE_OWNER : STORE_READONLY);
		else if (way == 2)
			got = verdict(m, path, false);
		else if (way == 3)
			(void)verdict(m, path, true);
		else if (way == 4)
			(void)store_look_at_pages(path, detail, sizeof detail);
		else
			(void)store_remake(path, &c, &salvage, &r, &why);
	}
	(void)remake(path, &c, &why);
	clean(path);
	double took = (double)(clock() - before) / CLOCKS_PER_SEC;
	if (took > CPU_MOST)
		fail_msg("%s took %.0f s of CPU", name, took);
	return got;
}

static struct image fill(struct memory *m)
{
	char text[64];
	make_session(m->s, "one");
	for (int i = 0; i < 200; i++) {
		(void)snprintf(text, sizeof text, "line %d of the story", i);
		say(m->s, text, "");
	}
	char *body = malloc(30064); /* over pages of its own */
	(void)snprintf(body, 64, "{\"content\":\"");
	memset(body + 12, 'x', 30000);
	memcpy(body + 30012, "\"}", 3);
	assert_int_equal(put(m->s, "s1", "message", body), 0);
	free(body);
	memory_reopen(m, STORE_OWNER);
	store_close(m->s);
	m->s = NULL;
	return file_read(m->path);
}

/* ---- cases ------------------------------------------------------------------------ */

static void test_cut(void **state)
{
	struct memory *m = *state;
	struct image f = fill(m);
	const size_t whole = f.size;
	const size_t sizes[] = { 1, 15, 16, 50, 99, 100, 101, 511, 512, PAGE - 1, PAGE, PAGE + 1,
		whole / 2 / PAGE * PAGE, whole - PAGE, whole - 1 };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		char name[40];
		(void)snprintf(name, sizeof name, "cut to %zu bytes", sizes[i]);
		f.size = sizes[i];
		int got = try_all(m, name, &f);
		assert_true(sizes[i] > whole / 4 || got != VERDICT_OK);
	}
	free(f.bytes);
}

/* A byte or more of the header (sqlite.org/fileformat2.html, 1.3). */
static void test_header(void **state)
{
	static const struct {
		const char *name;
		int at, len;
		uint8_t bytes[4];
	} cases[] = {
		{ "page size 0", 16, 2, { 0, 0 } }, { "page size 1: 65,536", 16, 2, { 0, 1 } },
		{ "page size 3", 16, 2, { 0, 3 } }, { "page size 512", 16, 2, { 2, 0 } },
		{ "page size 65535", 16, 2, { 255, 255 } }, { "a format of the future", 18, 2, { 9, 9 } },
		{ "no log", 18, 2, { 1, 1 } }, { "255 bytes kept back on each page", 20, 1, { 255 } },
		{ "payload fractions", 21, 3, { 1, 255, 0 } },
		{ "2^32 pages", 28, 4, { 255, 255, 255, 255 } }, { "one page", 28, 4, { 0, 0, 0, 1 } },
		{ "a free page outside", 32, 4, { 127, 255, 255, 255 } },
		{ "2^32 free pages", 36, 4, { 255, 255, 255, 255 } },
		{ "a schema of the future", 44, 4, { 0, 0, 0, 9 } },
		{ "the largest root", 52, 4, { 0, 0, 0, 7 } }, { "UTF-16", 56, 4, { 0, 0, 0, 2 } },
		{ "no encoding", 56, 4, { 0, 0, 0, 77 } }, { "version 99", 60, 4, { 0, 0, 0, 99 } },
		{ "another's", 68, 4, { 1, 2, 3, 4 } },
	};
	struct memory *m = *state;
	struct image f = fill(m);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint8_t was[4];
		memcpy(was, f.bytes + cases[i].at, sizeof was);
		memcpy(f.bytes + cases[i].at, cases[i].bytes, (size_t)cases[i].len);
		(void)try_all(m, cases[i].name, &f);
		memcpy(f.bytes + cases[i].at, was, sizeof was);
	}
	free(f.bytes);
}

/* An inner page of a table, all whose ways lead to one page. */
static void make_inner(uint8_t *p, uint32_t child, unsigned cells)
{
	memset(p, 0, PAGE);
	p[0] = 5;
	put16(p + 3, cells);
	put16(p + 5, PAGE - 5 * cells);
	put32(p + 8, child);
	for (unsigned i = 0; i < cells; i++) {
		uint8_t *cell = p + PAGE - 5 * (i + 1);
		put16(p + 12 + 2 * i, PAGE - 5 * (i + 1));
		put32(cell, child);
		cell[4] = 1;
	}
}

static void test_trees(void **state)
{
	static const char tape_sql[] = "SELECT rootpage FROM sqlite_schema WHERE name = 'tape'";
	static const char leaf_sql[] = "SELECT pageno FROM dbstat WHERE name = 'tape'"
		" AND pagetype = 'leaf' ORDER BY path LIMIT 1 OFFSET 3";
	static const char over_sql[] = "SELECT pageno FROM dbstat WHERE name = 'tape'"
		" AND pagetype = 'overflow' ORDER BY path LIMIT 1";
	struct memory *m = *state;
	struct image f = fill(m);
	uint32_t root = page_of(m->path, tape_sql), leaf = page_of(m->path, leaf_sql);
	uint32_t over = page_of(m->path, over_sql), last = (uint32_t)(f.size / PAGE);
	uint8_t *kept = malloc(f.size);
	memcpy(kept, f.bytes, f.size);

	make_inner(page(&f, root), root, 300);
	assert_int_not_equal(try_all(m, "a tree that is its own branch", &f), VERDICT_OK);
	memcpy(f.bytes, kept, f.size);

	put32(page(&f, over), over);
	(void)try_all(m, "a body that has no end", &f);
	put32(page(&f, over), root);
	(void)try_all(m, "a body that goes on in a table", &f);
	memcpy(f.bytes, kept, f.size);

	put16(page(&f, leaf) + 3, 0xffff);
	assert_int_not_equal(try_all(m, "65,535 cells", &f), VERDICT_OK);
	memcpy(f.bytes, kept, f.size);
	put16(page(&f, leaf) + 3, 0);
	assert_int_not_equal(try_all(m, "no cells", &f), VERDICT_OK);
	memcpy(f.bytes, kept, f.size);
	put16(page(&f, leaf) + 8, 0);
	assert_int_not_equal(try_all(m, "a cell in the head", &f), VERDICT_OK);
	memcpy(f.bytes, kept, f.size);
	/* The first cell's payload becomes 2^62 bytes. */
	uint8_t *p = page(&f, leaf);
	memset(p + ((unsigned)p[8] << 8 | p[9]), 0xc0, 8);
	assert_int_not_equal(try_all(m, "a body of 2^62 bytes", &f), VERDICT_OK);
	memcpy(f.bytes, kept, f.size);

	/* A list of free pages that goes round, and says it is long. */
	put32(f.bytes + 32, last);
	put32(f.bytes + 36, 0x7fffffff);
	put32(page(&f, last), last);
	put32(page(&f, last) + 4, 0x7fffffff);
	(void)try_all(m, "free pages in a circle", &f);
	free(kept);
	free(f.bytes);
}

/* 300^8 rows in nine pages: whoever counts them never ends. */
static void test_bomb(void **state)
{
	struct memory *m = *state;
	struct image f = fill(m);
	uint32_t root = page_of(m->path, "SELECT rootpage FROM sqlite_schema WHERE name = 'v_group'");
	uint32_t next = (uint32_t)(f.size / PAGE) + 1;
	for (int i = 0; i < 8; i++, next++)
		make_inner(page(&f, next), next + 1, 300);
	memcpy(page(&f, next), page(&f, root), PAGE);
	make_inner(page(&f, root), next - 8, 300);
	f.size = (size_t)next * PAGE;
	put32(f.bytes + 28, next);
	(void)try_all(m, "a tree of 300^8 rows", &f);
	free(f.bytes);
}

static void test_schemas(void **state)
{
	static const char *const cases[] = {
		"DROP TABLE v_made; CREATE VIEW v_made(version) AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL"
		" SELECT i + 1 FROM n) SELECT count(*) FROM n",
		"CREATE TRIGGER z AFTER INSERT ON tape BEGIN SELECT count(*) FROM tape a, tape b, tape c, tape d;"
		" END",
		"PRAGMA writable_schema=ON; UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'tape'",
		"PRAGMA writable_schema=ON; UPDATE sqlite_schema SET rootpage = 0 WHERE name = 'v_group'",
		"PRAGMA writable_schema=ON; UPDATE sqlite_schema SET rootpage = 2147483647 WHERE name = 'v_line'",
		"PRAGMA writable_schema=ON; UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema"
		" WHERE name = 'tape') WHERE name = 'v_state'",
		"PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE tape(' WHERE name = 'tape'",
		"PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = NULL, type = 'view' WHERE name = 'v_name'",
		"PRAGMA writable_schema=ON; DELETE FROM sqlite_schema",
		"PRAGMA writable_schema=ON; INSERT INTO sqlite_schema SELECT * FROM sqlite_schema",
		"CREATE TABLE v_z(a, b AS (hex(zeroblob(100000000))))",
		"CREATE INDEX v_y ON tape(length(hex(zeroblob(200000)) || body))",
		"CREATE VIRTUAL TABLE v_x USING fts5(a)",
		"DROP TRIGGER tape_keep; DELETE FROM tape WHERE seq > 3",
		"UPDATE v_state SET upto = 9223372036854775807",
		"INSERT INTO tape_checkpoint VALUES(4611686018427387904, 'x')",
	};
	struct memory *m = *state;
	char path[200];
	(void)snprintf(path, sizeof path, "%s/made.db", m->dir);
	struct image good = fill(m);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		sqlite3 *db = NULL;
		clean(path);
		file_write(path, &good);
		assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
		sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, (int *)NULL);
		int rc = sqlite3_exec(db, cases[i], NULL, NULL, NULL);
		if (rc != SQLITE_OK)
			fail_msg("%s: %s", cases[i], sqlite3_errmsg(db));
		assert_int_equal(sqlite3_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(db);
		struct image f = file_read(path);
		(void)try_all(m, cases[i], &f);
		free(f.bytes);
	}
	clean(path);
	free(good.bytes);
}

/* The files beside it, each of them the memory's own tape, cut, random, or another's tables. */
static void test_beside(void **state)
{
	static const char *const parts[] = { "side", "search", "vectors" };
	struct memory *m = *state;
	struct image good = fill(m);
	char name[256];
	for (size_t part = 0; part < 3; part++)
		for (int how = 0; how < 4; how++) {
			struct image f = { malloc(good.size), good.size };
			memcpy(f.bytes, good.bytes, good.size);
			if (how == 1)
				f.size = 2 * PAGE + 5;
			else if (how == 2)
				put32(f.bytes + 28, 0xffffffff), put16(f.bytes + 16, 512);
			else if (how == 3)
				memset(f.bytes + HEADER, 0x5a, f.size - HEADER);
			clock_t before = clock();
			for (int way = 0; way < 2; way++) {
				clean(m->path);
				file_write(m->path, &good);
				(void)snprintf(name, sizeof name, "%s.%s", m->path, parts[part]);
				file_write(name, &f);
				try_store(m, m->path, way ? STORE_OWNER : STORE_READONLY);
			}
			assert_true((double)(clock() - before) / CLOCKS_PER_SEC < CPU_MOST);
			assert_int_equal(verdict(m, m->path, false), VERDICT_OK);
			free(f.bytes);
		}
	free(good.bytes);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, memory_open, memory_close)

int main(void)
{
	const struct CMUnitTest tests[] = { WITH(test_cut), WITH(test_header), WITH(test_trees),
		WITH(test_bomb), WITH(test_schemas), WITH(test_beside) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

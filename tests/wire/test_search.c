/* SPDX-License-Identifier: MIT */
/* Search over the wire: what is cached, that an answer does not change, and search/query's offsets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "render/render.h"
#include "tests/wire/documents.h"

static void say(struct world *w, const char *text)
{
	char line[300];
	(void)snprintf(line, sizeof line, "{\"content\":\"%s\"}\n", text);
	assert_int_equal(wire_append(&w->a, w->log, line), 0);
}

static struct fuse_entry_out look(struct world *w, uint64_t dir, const char *name)
{
	struct fuse_entry_out e;
	int err = wire_lookup(&w->a, dir, name, &e);
	if (err)
		fail_msg("%s: %s", name, strerror(-err));
	return e;
}

static char *text_of(struct world *w, uint64_t ino)
{
	size_t len = 0;
	char *text = wire_slurp(&w->a, ino, 100, &len);
	assert_non_null(text);
	struct fuse_attr attr;
	assert_int_equal(wire_getattr(&w->a, ino, &attr), 0);
	assert_int_equal(attr.size, len);
	return text;
}

static void count_name(void *ctx, const char *name, const struct fuse_dirent *entry,
                       const struct fuse_entry_out *plus)
{
	(void)entry, (void)plus;
	*(int *)ctx += strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int names_in(struct world *w, uint64_t dir)
{
	int count = 0;
	assert_int_equal(wire_list(&w->a, dir, FUSE_READDIRPLUS, 4096, count_name, &count), 0);
	return count;
}

/* The name is asked each time; the inode is the answer. */
static void test_answer(void **state)
{
	struct world *w = *state;
	uint64_t dir = wire_path(&w->a, "search");
	say(w, "zanzibar one");
	struct fuse_entry_out first = look(w, dir, "zanzibar.md"), again = look(w, dir, "zanzibar.md");
	assert_int_equal(first.entry_valid, 0);
	assert_int_equal(first.entry_valid_nsec, 0);
	assert_int_equal(first.nodeid, again.nodeid);
	char *old = text_of(w, first.nodeid);
	assert_int_equal(first.attr.size, strlen(old));
	assert_non_null(strstr(old, "1 hit, "));
	uint64_t none = look(w, dir, "nowhere.md").nodeid;
	say(w, "zanzibar two");
	assert_int_equal(look(w, dir, "nowhere.md").nodeid, none); /* answered the same */
	struct fuse_entry_out next = look(w, dir, "zanzibar.md");
	assert_int_not_equal(next.nodeid, first.nodeid);
	char *new = text_of(w, next.nodeid), *still = text_of(w, first.nodeid);
	assert_non_null(strstr(new, "2 hits, "));
	assert_string_equal(still, old);
	free(old);
	free(new);
	free(still);
}

static void test_links(void **state)
{
	struct world *w = *state;
	char target[300];
	say(w, "zanzibar one");
	uint64_t dir = wire_path(&w->a, "search/zanzibar"), own = wire_path(&w->a, "sessions/uno/search/zanzibar");
	assert_int_not_equal(dir, 0);
	assert_int_equal(names_in(w, dir), 1);
	assert_int_equal(look(w, wire_path(&w->a, "search"), "zanzibar").entry_valid, 0);
	struct fuse_entry_out link = look(w, dir, "01-uno-000001.md");
	assert_int_equal(wire_readlink(&w->a, link.nodeid, target, sizeof target), 0);
	assert_string_equal(target, "../../sessions/uno/messages/000001.md");
	assert_int_equal(link.attr.size, strlen(target));
	assert_int_equal(wire_readlink(&w->a, look(w, own, "01-uno-000001.md").nodeid, target, sizeof target), 0);
	assert_string_equal(target, "../../../../sessions/uno/messages/000001.md");
	static const char *const none[] = { "1-uno-000001.md", "01-uno-000002.md", "02-uno-000001.md", "01",
		"99999999999999999999-x", "x", "00-uno-000001.md" };
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
		struct fuse_entry_out e;
		assert_int_equal(wire_lookup(&w->a, dir, none[i], &e), -ENOENT);
	}
	say(w, "zanzibar two");
	assert_int_equal(names_in(w, dir), 2); /* a listing is the answer of now */
	assert_int_equal(names_in(w, wire_path(&w->a, "search/zanzibar")), 2);
}

/* How far the search index came: only a search lets it catch up here. */
static int64_t indexed(const struct world *w)
{
	char path[256];
	sqlite3 *db = NULL;
	sqlite3_stmt *q = NULL;
	(void)snprintf(path, sizeof path, "%s.search", w->path);
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT upto FROM state", -1, &q, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	int64_t upto = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	sqlite3_close(db);
	return upto;
}

struct names {
	struct world *w;
	int count;
	uint64_t dir;
};

static void look_same(void *ctx, const char *name, const struct fuse_dirent *entry,
                      const struct fuse_entry_out *plus)
{
	struct names *n = ctx;
	(void)entry, (void)plus;
	if (name[0] == '.')
		return;
	n->count++;
	(void)look(n->w, n->dir, name);
}

static void say_and_look(void *ctx, const char *name, const struct fuse_dirent *entry,
                         const struct fuse_entry_out *plus)
{
	struct names *n = ctx;
	say(n->w, "zanzibar meanwhile");
	if (n->count % 7 == 0) /* another listing begins, too */
		(void)names_in(n->w, n->dir);
	look_same(ctx, name, entry, plus);
}

/* What was listed is found for a while without a search for each link, however others write. */
static void test_listed(void **state)
{
	struct world *w = *state;
	char target[300];
	struct fuse_entry_out e;
	say(w, "zanzibar one");
	uint64_t search = wire_path(&w->a, "search"), dir = wire_path(&w->a, "search/zanzibar");
	assert_int_equal(names_in(w, dir), 1);
	int64_t upto = indexed(w);
	struct fuse_attr was = look(w, search, "zanzibar").attr, is;
	for (int i = 0; i < 5; i++) {
		say(w, "zanzibar, zanzibar");
		struct fuse_entry_out again = look(w, search, "zanzibar");
		assert_int_equal(again.nodeid, dir);
		is = again.attr; /* which tells the kernel to list it anew */
		assert_true(is.mtime != was.mtime || is.mtimensec != was.mtimensec);
		uint64_t link = look(w, dir, "01-uno-000001.md").nodeid;
		assert_int_equal(wire_readlink(&w->a, link, target, sizeof target), 0);
		assert_string_equal(target, "../../sessions/uno/messages/000001.md");
	}
	assert_int_equal(indexed(w), upto);
	/* A new listing tells all of it; then what was listed before is still found. */
	assert_int_equal(names_in(w, dir), 6);
	assert_true(indexed(w) > upto);
	assert_int_equal(wire_lookup(&w->a, dir, "01-uno-000001.md", &e), 0);
	/* Names that nobody listed here, but that are right now. */
	say(w, "nothing");
	say(w, "zanzibar zanzibar zanzibar zanzibar");
	uint64_t own = wire_path(&w->a, "sessions/uno/search/zanzibar");
	struct names now = { .w = w, .dir = dir };
	assert_int_equal(wire_list(&w->a, own, FUSE_READDIR, 4096, look_same, &now), 0);
	assert_int_equal(now.count, 8);
	assert_int_equal(wire_lookup(&w->a, dir, "09-uno-000001.md", &e), -ENOENT);
	/* Never listed: each look is a search. */
	uint64_t other = wire_path(&w->a, "search/one");
	upto = indexed(w);
	say(w, "one more of zanzibar");
	assert_int_not_equal(wire_path(&w->a, "search/one"), other);
	assert_true(indexed(w) > upto);
}

/* A listing in several parts is one answer. */
static void test_long_listing(void **state)
{
	struct world *w = *state;
	struct names n = { .w = w };
	for (int i = 0; i < 30; i++)
		say(w, "zanzibar");
	n.dir = wire_path(&w->a, "search/zanzibar limit:25");
	assert_int_equal(wire_list(&w->a, n.dir, FUSE_READDIR, 300, say_and_look, &n), 0);
	assert_int_equal(n.count, 25);
}

static void test_unlisted(void **state)
{
	struct world *w = *state;
	struct fuse_entry_out e;
	say(w, "zanzibar");
	assert_int_not_equal(wire_path(&w->a, "search/zanzibar.md"), 0);
	assert_int_equal(names_in(w, wire_path(&w->a, "search")), 0);
	assert_int_equal(names_in(w, wire_path(&w->a, "sessions/uno/search")), 0);
	assert_true(doc_listed(&w->a, "", "search") || doc_listed(&w->a, "/", "search"));
	assert_false(doc_listed(&w->a, "sessions/uno", "search"));
	assert_int_equal(wire_lookup(&w->a, wire_path(&w->a, "search"), ".git", &e), -ENOENT);
	char name[300];
	memset(name, 'a', sizeof name);
	name[256] = '\0';
	assert_int_equal(wire_lookup(&w->a, wire_path(&w->a, "search"), name, &e), -ENAMETOOLONG);
	name[255] = '\0';
	assert_int_equal(wire_lookup(&w->a, wire_path(&w->a, "search"), name, &e), 0);
}

/* The oldest answers go; their names are asked again. */
static void test_many(void **state)
{
	struct world *w = *state;
	struct fuse_attr attr;
	char name[32];
	say(w, "zanzibar");
	uint64_t dir = wire_path(&w->a, "search"), first = look(w, dir, "zanzibar.md").nodeid;
	uint64_t links = look(w, dir, "zanzibar").nodeid, link = look(w, links, "01-uno-000001.md").nodeid;
	struct fuse_open_out open;
	assert_int_equal(wire_open(&w->a, first, O_RDONLY, &open), 0);
	for (int i = 0; i < 300; i++) {
		(void)snprintf(name, sizeof name, "word%d.md", i);
		look(w, dir, name);
	}
	assert_int_equal(wire_getattr(&w->a, first, &attr), -ESTALE);
	assert_int_equal(wire_readlink(&w->a, link, name, sizeof name), -ESTALE);
	assert_int_equal(wire_list(&w->a, links, FUSE_READDIR, 4096, count_name, &(int){ 0 }), -ESTALE);
	char bytes[4096];
	assert_true(wire_read(&w->a, first, open.fh, 0, bytes, sizeof bytes) > 100); /* it was open */
	wire_release(&w->a, first, open.fh);
	assert_int_not_equal(look(w, dir, "zanzibar.md").nodeid, first);
	wire_forget(&w->a, first, 1);
}

/* ---- search/query --------------------------------------------------------- */

static uint64_t ask_open(struct wire *k, uint64_t *fh)
{
	uint64_t ino = wire_path(k, "search/query");
	struct fuse_open_out out;
	assert_int_equal(wire_open(k, ino, O_RDWR, &out), 0);
	assert_true(out.open_flags & FOPEN_DIRECT_IO);
	*fh = out.fh;
	return ino;
}

static void expect_at(struct wire *k, uint64_t ino, uint64_t fh, int64_t off, const char *text)
{
	char bytes[4096];
	ssize_t got = wire_read(k, ino, fh, off, bytes, sizeof bytes - 1);
	assert_true(got >= 0);
	bytes[got] = '\0';
	assert_string_equal(bytes, text);
}

static void test_offsets(void **state)
{
	struct world *w = *state;
	uint64_t fh, ino = ask_open(&w->a, &fh);
	say(w, "zanzibar one");
	char *page = text_of(w, wire_path(&w->a, "search/zanzibar.md"));
	char *none = text_of(w, wire_path(&w->a, "search/elsewhere.md"));
	int64_t len = (int64_t)strlen(page);
	expect_at(&w->a, ino, fh, 0, "");
	assert_int_equal(wire_write(&w->a, ino, fh, 0, O_RDWR, "zanz", 4), 4);
	assert_int_equal(wire_write(&w->a, ino, fh, 4, O_RDWR, "ibar\n", 5), 5);
	expect_at(&w->a, ino, fh, 9, page); /* where the descriptor stands after the writes */
	expect_at(&w->a, ino, fh, 9 + 5, page + 5);
	expect_at(&w->a, ino, fh, 9 + len, "");
	expect_at(&w->a, ino, fh, 0, page); /* rewound */
	expect_at(&w->a, ino, fh, 5, page + 5);
	expect_at(&w->a, ino, fh, len, "");
	say(w, "zanzibar two");
	expect_at(&w->a, ino, fh, 0, page); /* answered once */
	assert_int_equal(wire_write(&w->a, ino, fh, len, O_RDWR, "elsewhere", 9), 9);
	expect_at(&w->a, ino, fh, len + 9, none);
	/* A descriptor opened twice: two conversations. */
	uint64_t other, same = ask_open(&w->b, &other);
	assert_int_equal(wire_write(&w->b, same, other, 0, O_RDWR, "elsewhere", 9), 9);
	expect_at(&w->b, same, other, 0, none);
	assert_int_equal(wire_flush(&w->a, ino, fh), 0);
	assert_int_equal(wire_release(&w->a, ino, fh), 0);
	assert_int_equal(wire_release(&w->b, same, other), 0);
	assert_int_equal(wire_truncate(&w->a, ino, 0), 0);
	assert_int_equal(wire_truncate(&w->a, ino, 5), -EPERM);
	free(page);
	free(none);
}

static void test_too_much(void **state)
{
	struct world *w = *state;
	uint64_t fh, ino = ask_open(&w->a, &fh);
	char part[4096];
	ssize_t got = 0;
	memset(part, 'a', sizeof part);
	int64_t off = 0;
	while ((got = wire_write(&w->a, ino, fh, off, O_RDWR, part, sizeof part)) > 0)
		off += got;
	assert_int_equal(got, -EFBIG);
	assert_int_equal(off, QUERY_LIMIT);
	assert_int_equal(doc_errors(&w->a, "EFBIG"), 1);
	assert_true(wire_read(&w->a, ino, fh, off, part, sizeof part) > 0); /* what was taken is asked */
	assert_int_equal(wire_release(&w->a, ino, fh), 0);
}

/* Any bytes, in any pieces, with reads between: always a page, or an errno. */
static void test_any_bytes(void **state)
{
	struct world *w = *state;
	uint64_t fh, ino = ask_open(&w->a, &fh), seed = 17;
	static const char *const parts[] = {
		"zanzibar", "\"", "-", " ", "session:uno", "after:2026", "limit:", "0", "in:", "facts",
		"NEAR(",
		"*", "\xFF", "\xF0\x9F\x9A\x80", "\xE9\x83\xA8", "\n", "'", ";", ":", "type:decision", "by:x",
	};
	char bytes[4096];
	int64_t off = 0;
	say(w, "zanzibar one");
	for (int i = 0; i < 600; i++) {
		const char *part = parts[dice(&seed, sizeof parts / sizeof parts[0])];
		assert_int_equal(wire_write(&w->a, ino, fh, off, O_RDWR, part, strlen(part)), (int)strlen(part));
		off += (int64_t)strlen(part);
		if (dice(&seed, 4) > 0)
			continue;
		ssize_t got = wire_read(&w->a, ino, fh, off, bytes, sizeof bytes);
		assert_true(got > 0 && memcmp(bytes, "# Search\n", 9) == 0);
	}
	assert_int_equal(wire_release(&w->a, ino, fh), 0);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, world_open, world_close)
	const struct CMUnitTest tests[] = {
		CASE(test_answer), CASE(test_links), CASE(test_listed), CASE(test_long_listing), CASE(test_unlisted),
		CASE(test_many), CASE(test_offsets), CASE(test_too_much), CASE(test_any_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* See life.h. */
#include "tests/fault/life.h"
#include "tests/place.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define STREAM "s1"
enum { VERSION_SIZE = 6000 };

static size_t text_size(const struct entry *e)
{
	return e->body_len + 10;
}

static void shell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void shell(const char *fmt, ...)
{
	char command[1024];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(command, sizeof command, fmt, ap);
	va_end(ap);
	assert_int_equal(system(command), 0);
}

static int open_store(struct fault_life *l, unsigned flags, struct store **out)
{
	struct why why = { 0 };
	struct store_config c = { .flags = flags, .key_dir = l->keys, .text_size = text_size };
	return store_open(l->path, &c, out, &why);
}

/* `count` lines in one request: all or none. */
static int append(struct fault_life *l, struct store *s, const char *name, int count)
{
	char body[8][96], content[8][24];
	struct draft drafts[8];
	for (int i = 0; i < count; i++) {
		(void)snprintf(content[i], sizeof content[i], "%s.%d", name, i);
		int len = snprintf(body[i], sizeof body[i],
		                   "{\"role\":\"user\",\"content\":\"%s\",\"thread\":\"t%d\",\"token_count\":1}",
		                   content[i], i % 2);
		drafts[i] = (struct draft){ .stream = STREAM, .kind = "message", .author = "ana:test",
			.body = body[i], .body_len = (size_t)len };
	}
	struct append a = { .drafts = drafts, .count = (size_t)count, .expect = -1 };
	int err = store_append_wait(s, &a);
	if (err) {
		l->refused++;
		return err;
	}
	for (int i = 0; i < count; i++)
		memcpy(l->lines[l->acked++], content[i], sizeof *l->lines);
	return 0;
}

/* Version n of the document: its bytes fill many pages, all told apart by n. */
static void text_of(int n, char text[VERSION_SIZE + 1])
{
	for (int i = 0; i < VERSION_SIZE; i++)
		text[i] = (char)('a' + (i / 100 + n) % 26);
	text[VERSION_SIZE] = '\0';
}

/* Saves version `n`: makes the document, or adds to it. */
static int put_version(struct store *s, int n)
{
	static const char made[] = "{\"parent\":\"notes\",\"name\":\"a.md\",\"path\":\"notes/a.md\","
	                           "\"folder\":false}";
	char text[VERSION_SIZE + 1], body[VERSION_SIZE + 256], hex[2 * HASH_SIZE + 1];
	int64_t id;
	text_of(n, text);
	store_sha256(text, VERSION_SIZE, hex);
	int len = snprintf(body, sizeof body, "{\"fields\":{},\"size\":%d,\"tokens\":1,\"sha256\":\"%s\","
	                   "\"lines\":[1,1],\"text\":\"%s\"}", VERSION_SIZE, hex, text);
	struct doc_text version = { body, (size_t)len };
	if (n == 1)
		return store_doc_make(s, "notes", "a.md", (struct doc_text){ made, sizeof made - 1 }, &version,
		                      "ana:test", &id);
	return store_doc_append(s, 1, "document", version, "ana:test", -1);
}

static void save(struct fault_life *l, struct store *s)
{
	if (put_version(s, l->saved + 1))
		l->saves_refused++;
	else
		l->saved++;
}

void life_begin(struct fault_life *l)
{
	struct store *s = NULL;
	int64_t id = 0;
	memset(l, 0, sizeof *l);
	assert_true(place_make(l->dir, sizeof l->dir));
	shell("mkdir %s/memory", l->dir);
	(void)snprintf(l->path, sizeof l->path, "%s/memory/tape.db", l->dir);
	(void)snprintf(l->keys, sizeof l->keys, "%s/keys", l->dir);
	(void)snprintf(l->model, sizeof l->model, "%s/model", l->dir);
	assert_int_equal(open_store(l, STORE_CREATE | STORE_OWNER, &s), 0);
	assert_int_equal(store_session_make(s, "x", "{\"name\":\"x\"}", 12, "ana:test", &id), 0);
	assert_int_equal(id, 1);
	assert_int_equal(store_vkey(s, l->vkey, sizeof l->vkey), 0);
	assert_int_equal(append(l, s, "before", 3), 0);
	save(l, s);
	assert_int_equal(l->saved, 1);
	store_close(s);
	shell("cp -a %s/memory %s", l->dir, l->model);
}

void life_end(struct fault_life *l)
{
	shell("rm -rf %s", l->dir);
}

void life_again(struct fault_life *l)
{
	shell("rm -rf %s/memory && cp -a %s %s/memory", l->dir, l->model, l->dir);
	l->acked = 3;
	l->saved = 1;
	l->refused = l->saves_refused = 0;
}

static void look(struct store *s)
{
	char data[512];
	struct log_stat st;
	struct group g;
	(void)store_log_stat(s, (struct log_id){ LOG_SESSION, 1 }, &st);
	(void)store_log_read(s, (struct log_id){ LOG_SESSION, 1 }, 100, data, sizeof data);
	(void)store_group_by_name(s, LOG_THREAD, "t1", &g);
	(void)store_log_read(s, (struct log_id){ LOG_TAPE, 0 }, 0, data, sizeof data);
}

void life_run(struct fault_life *l)
{
	struct store *s = NULL;
	l->opened = open_store(l, STORE_OWNER, &s);
	if (l->opened)
		return;
	(void)append(l, s, "a", 1);
	(void)append(l, s, "b", 5);
	save(l, s);
	look(s);
	(void)append(l, s, "c", 2);
	(void)store_sync(s);
	(void)append(l, s, "d", 3);
	(void)store_sign(s);
	save(l, s);
	(void)append(l, s, "e", 1);
	(void)store_catch_up(s);
	(void)append(l, s, "f", 4);
	look(s);
	store_close(s);
}

static void check_lines(struct fault_life *l, struct store *s)
{
	enum { MOST = 1 << 16 };
	struct log_stat st;
	char *data = malloc(MOST), want[40], *at = data;
	assert_non_null(data);
	assert_int_equal(store_log_stat(s, (struct log_id){ LOG_SESSION, 1 }, &st), 0);
	ssize_t got = store_log_read(s, (struct log_id){ LOG_SESSION, 1 }, 0, data, MOST - 1);
	assert_int_equal(got, st.bytes);
	data[got] = '\0';
	for (int i = 0; i < l->acked; i++) {
		char *end = strchr(at, '\n');
		assert_non_null(end);
		*end = '\0';
		(void)snprintf(want, sizeof want, "\"content\":\"%s\"", l->lines[i]);
		if (!strstr(at, want))
			fail_msg("line %d should be %s: %s", i, want, at);
		at = end + 1;
	}
	if (*at)
		fail_msg("never acknowledged, and there: %s", at);
	free(data);
}

/* The newest is the last acknowledged, whole; those before it are as they were. */
static void check_document(struct fault_life *l, struct store *s)
{
	char want[VERSION_SIZE + 1];
	struct doc d;
	assert_int_equal(store_doc_at(s, "notes", "a.md", &d), 0);
	assert_int_equal(d.versions, l->saved);
	assert_int_equal(d.size, VERSION_SIZE);
	for (int n = 1; n <= l->saved; n++) {
		char *bytes = NULL;
		size_t len = 0;
		assert_int_equal(store_doc_content(s, d.id, n == l->saved ? 0 : n, &bytes, &len), 0);
		text_of(n, want);
		assert_int_equal(len, VERSION_SIZE);
		assert_string_equal(bytes, want);
		free(bytes);
	}
}

static void check_proof(struct fault_life *l)
{
	struct verify_report report;
	struct verify_options o = { .vkey = l->vkey, .key_dir = l->keys, .all = true,
		.text_size = text_size };
	assert_int_equal(store_verify(l->path, &o, &report), 0);
	if (report.verdict != VERDICT_OK)
		fail_msg("%s: %s", verdict_name(report.verdict), report.detail);
	assert_int_equal(report.entries, l->acked + 3 + l->saved); /* key, session, document */
}

void life_check(struct fault_life *l)
{
	struct store *s = NULL;
	struct status status;
	assert_int_equal(open_store(l, STORE_OWNER, &s), 0);
	store_status(s, &status);
	assert_string_equal(status.trouble, "");
	check_lines(l, s);
	check_document(l, s);
	assert_int_equal(append(l, s, "after", 2), 0);
	save(l, s);
	check_lines(l, s);
	check_document(l, s);
	store_close(s);
	check_proof(l);
}

/* SPDX-License-Identifier: MIT */
/* Records: lines on their way in, logs like a session's, references to them. */
#include "tests/unit/doc_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "render/render.h"
#include "store/tape/line.h"

/* ---- in -------------------------------------------------------------- */

static void comes(const char *line, const char *want)
{
	struct buf body = BUF_INIT;
	struct why why = { 0 };
	if (render_record_in(line, strlen(line), &body, &why))
		fail_msg("%s: %s", line, why.text);
	assert_int_equal(body.len, strlen(want));
	assert_memory_equal(body.data, want, body.len);
	buf_release(&body);
}

static void refused(const char *line, size_t len, int code, const char *text)
{
	struct buf body = BUF_INIT;
	struct why why = { 0 };
	assert_int_equal(render_record_in(line, len, &body, &why), code);
	if (!strstr(why.text, text) || !*why.todo)
		fail_msg("%s: %s (%s)", line, why.text, why.todo);
	assert_int_equal(body.len, 0);
	buf_release(&body);
}

static void test_in(void **state)
{
	(void)state;
	comes("{}", "{}");
	comes(" { } \r", "{}");
	comes("{\"monto\": 1.10 , \"n\":[1,{ }]}", "{\"monto\": 1.10 , \"n\":[1,{ }]}");
	comes("{\"content\":7,\"role\":{},\"refs\":\"x\",\"token_count\":-1}",
	      "{\"content\":7,\"role\":{},\"refs\":\"x\",\"token_count\":-1}");
	comes("{ \"id\": 5, \"a\":\"b\" , \"hash\":null}", "{\"a\":\"b\",\"source\":{\"id\": 5,\"hash\":null}}");
	comes("{\"source\":{},\"timestamp\":\"x\",\"author\":1,\"prev_hash\":2,\"i\\u0064\":3}",
	      "{\"source\":{\"source\":{},\"timestamp\":\"x\",\"author\":1,\"prev_hash\":2,\"i\\u0064\":3}}");
#define REFUSED(line, text) refused(line, sizeof(line) - 1, RENDER_EINVAL, text)
	REFUSED("", "blank");
	REFUSED(" \t\r", "blank");
	REFUSED("[1]", "not a JSON object");
	REFUSED("\xEF\xBB\xBF{}", "byte order mark");
	REFUSED("{\"a\":1,\"\\u0061\":2}", "");
	REFUSED("{\"a\":{\"b\":1,\"b\":1}}", "");
	REFUSED("{\"a\":\"\xff\"}", "");
	REFUSED("{\"a\":\"\\u0000\"}", "");
	REFUSED("{\"a\":\"\\ud800\"}", "");
	REFUSED("{\"a\":1} x", "");
	REFUSED("{\"a\":1e999}", "");
	REFUSED("{\"a\":1\n}", "newline");
	for (int arrays = DEPTH_LIMIT - 1; arrays <= DEPTH_LIMIT; arrays++) {
		char deep[256] = "{\"a\":";
		size_t at = strlen(deep);
		memset(deep + at, '[', (size_t)arrays);
		memset(deep + at + arrays, ']', (size_t)arrays);
		deep[at + 2 * (size_t)arrays] = '}';
		if (arrays < DEPTH_LIMIT)
			comes(deep, deep);
		else
			refused(deep, strlen(deep), RENDER_EINVAL, "nest");
	}
}

/* A line never shrinks, whatever blanks it had, and is taken up to its limit. */
static void test_size(void **state)
{
	static const size_t sizes[] = { 60, 149, 150, 151, 152, 153, 154, 155, 200, 1000, LINE_LIMIT };
	static const char *const starts[] = { "{", "{\"a\":1", "{\"id\":1", "{\"a\":1,   \"hash\":2" };
	(void)state;
	char *line = malloc(LINE_LIMIT + 1);
	assert_non_null(line);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		for (size_t k = 0; k < 4; k++) {
			static const uint8_t salt[SALT_SIZE];
			struct buf body = BUF_INIT;
			struct why why = { 0 };
			memset(line, ' ', sizes[i]);
			memcpy(line, starts[k], strlen(starts[k]));
			line[sizes[i] - 1] = '}';
			assert_int_equal(render_record_in(line, sizes[i], &body, &why), 0);
			struct entry e = { .stream = "r1", .kind = "record", .author = "a", .salt = salt,
				.body = body.data, .body_len = body.len };
			assert_true(line_size(&e) >= sizes[i] + 1);
			assert_true(line_size(&e) < sizes[i] + 300); /* and its members are members */
			char *out = malloc(line_size(&e));
			assert_non_null(out);
			line_write(&e, out);
			assert_null(memmem(out, line_size(&e), "\"body\"", 6));
			free(out);
			buf_release(&body);
		}
	}
	memset(line, ' ', LINE_LIMIT + 1);
	line[0] = '{';
	line[LINE_LIMIT] = '}';
	refused(line, LINE_LIMIT + 1, RENDER_EFBIG, "bytes");
	free(line);
}

/* ---- logs ------------------------------------------------------------ */

struct model {
	char *data;
	size_t len;
};

static void add_line(void *ctx, const struct entry *e)
{
	struct model *m = ctx;
	size_t size = line_size(e);
	m->data = realloc(m->data, m->len + size);
	assert_non_null(m->data);
	line_write(e, m->data + m->len);
	m->len += size;
}

static void record(struct memory *m, int64_t id, struct model *model, uint64_t *seed)
{
	char stream[24], body[2000] = "{\"x\":\"";
	size_t len = dice(seed, dice(seed, 9) ? 60 : 1900);
	memset(body + 6, 'a', len);
	memcpy(body + 6 + len, "\"}", 3);
	store_log_stream((struct log_id){ LOG_RECORD, id }, stream);
	assert_int_equal(put(m->s, stream, "record", body), 0);
	assert_int_equal(store_entry(m->s, entries_of(m->s) - 1, add_line, model), 0);
}

static void check(struct store *s, int64_t id, const struct model *m, uint64_t *seed)
{
	struct log_id log = { LOG_RECORD, id };
	struct log_stat st;
	char part[4000];
	assert_int_equal(store_log_stat(s, log, &st), 0);
	assert_int_equal(st.bytes, m->len);
	for (int i = 0; i < 40; i++) {
		size_t at = dice(seed, (uint32_t)m->len + 3), size = 1 + dice(seed, i % 2 ? 50 : sizeof part - 1);
		size_t left = at < m->len ? m->len - at : 0, want = left < size ? left : size;
		assert_int_equal(store_log_read(s, log, (int64_t)at, part, size), want);
		assert_memory_equal(part, m->data + (at < m->len ? at : m->len), want);
	}
}

static void test_logs(void **state)
{
	struct memory *m = *state;
	struct model model[3] = { { 0 } };
	struct status st;
	struct log_stat none = { 1, 1 };
	struct group g;
	uint64_t seed = 7;
	assert_int_equal(store_log_stat(m->s, (struct log_id){ LOG_RECORD, 2 }, &none), 0);
	assert_int_equal(none.bytes, 0);
	assert_int_equal(none.last_us, 0);
	(void)make_session(m->s, "uno");
	assert_int_equal(put(m->s, "r3", "record", "{\"nobody\":\"s\"}"), 0); /* no log of ours */
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 30; i++) {
			int64_t id = 1 + dice(&seed, 3) / 2;
			record(m, id, &model[id], &seed);
			if (i % 10 == 0)
				say(m->s, "x", "");
		}
		for (int64_t id = 1; id <= 2; id++)
			check(m->s, id, &model[id], &seed);
		if (round % 3 == 1)
			assert_int_equal(store_catch_up(m->s), 0);
		if (round % 4 == 3)
			memory_reopen(m, 0); /* no head is in memory */
		record(m, 1, &model[1], &seed);
		check(m->s, 1, &model[1], &seed);
	}
	assert_int_equal(store_catch_up(m->s), 0);
	assert_int_equal(store_group_by_id(m->s, LOG_RECORD, RECORD_SECRETARY, &g), 0);
	assert_string_equal(g.name, "secretary");
	assert_int_equal(g.bytes, model[2].len);
	store_status(m->s, &st); /* are no messages, no sessions */
	assert_int_equal(st.messages, 30);
	assert_int_equal(st.sessions, 1);
	assert_int_equal(st.threads, 0);
	assert_int_equal(store_group_current(m->s, &g), 0);
	assert_string_equal(g.name, "uno");
	views_hold(m);
	free(model[1].data);
	free(model[2].data);
}

static void test_streams(void **state)
{
	static const char *const others[] = { "r", "r0", "r3", "r10", "r1x", "x1", "d1", "tape", "sessions",
		"records" };
	struct log_id log;
	(void)state;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_false(store_stream_log(others[i], &log));
	assert_true(store_stream_log("r2", &log) && log.kind == LOG_RECORD && log.id == RECORD_SECRETARY);
	assert_true(store_stream_log("s12", &log) && log.kind == LOG_SESSION && log.id == 12);
}

/* ---- references ------------------------------------------------------- */

struct refs {
	int count;
	struct ref ref[16];
};

static void take_ref(void *ctx, const struct ref *r)
{
	struct refs *refs = ctx;
	assert_in_range(refs->count, 0, 15);
	refs->ref[refs->count++] = *r;
}

static void take_hash(void *ctx, const struct entry *e)
{
	for (int i = 0; i < HASH_SIZE; i++)
		(void)snprintf((char *)ctx + 2 * i, 3, "%02x", e->leaf_hash[i]);
}

static void test_refs(void **state)
{
	struct memory *m = *state;
	struct refs got = { .count = 0 };
	char account[65], letter[65], message[65], text[65];
	(void)make_session(m->s, "uno");
	say(m->s, "first", "");
	assert_int_equal(put(m->s, "r1", "record", "{\"a\":1}"), 0);
	assert_int_equal(put(m->s, "r1", "record", "{\"a\":2}"), 0);
	assert_int_equal(store_entry(m->s, entries_of(m->s) - 1, take_hash, account), 0);
	assert_int_equal(put(m->s, "r2", "record", "{\"a\":3}"), 0);
	assert_int_equal(store_entry(m->s, entries_of(m->s) - 1, take_hash, letter), 0);
	say(m->s, "second", ",\"refs\":[{\"type\":\"accountant\",\"ref\":2},{\"type\":\"secretary\",\"ref\":\"1\"},"
	    "{\"type\":\"secretary\",\"ref\":2},{\"type\":\"context\",\"ref\":1},"
	    "{\"type\":\"accountant\",\"ref\":\"uno/1\"},"
	    "{\"type\":\"accountant\",\"ref\":\"caja 3\"},{\"type\":\"accountant\",\"ref\":0}]");
	assert_int_equal(put(m->s, "r2", "record", "{\"a\":4}"), 0); /* too late to be meant */
	assert_int_equal(read_message(m->s, 1, 1, take_hash, message), 0);
	assert_int_equal(store_refs(m->s, 1, take_ref, &got), 0);
	assert_int_equal(got.count, 6); /* "uno/1" is that message once more */
	assert_string_equal(got.ref[0].ref_hash, account);
	assert_string_equal(got.ref[1].ref_hash, letter);
	store_sha256("2", 1, text);
	assert_string_equal(got.ref[2].ref_hash, text);
	assert_string_equal(got.ref[3].ref_hash, message);
	store_sha256("caja 3", 6, text);
	assert_string_equal(got.ref[4].ref_hash, text);
	store_sha256("0", 1, text);
	assert_string_equal(got.ref[5].ref_hash, text);
	views_hold(m);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, memory_open, memory_close)

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_in), cmocka_unit_test(test_size),
		WITH(test_logs), cmocka_unit_test(test_streams), WITH(test_refs) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Logs and transcripts at any offset against a plain concatenation, views lagging or not. */
#include "tests/unit/store_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 12, EACH = 40 };

/* What a session's log must hold, line by line, made here from the entries. */
struct model {
	char *data;
	size_t len;
};

static void grow(struct model *m, const char *bytes, size_t len)
{
	m->data = realloc(m->data, m->len + len + 1);
	assert_non_null(m->data);
	memcpy(m->data + m->len, bytes, len);
	m->len += len;
	m->data[m->len] = '\0';
}

static void hex(const uint8_t *bytes, char text[2 * HASH_SIZE + 1])
{
	for (int i = 0; i < HASH_SIZE; i++)
		(void)snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

/* The line of docs/format.md, "Messages", written a second time. */
static void add_line(void *ctx, const struct entry *e)
{
	char head[512], tail[256], hash[2 * HASH_SIZE + 1], prev[2 * HASH_SIZE + 1], day[32];
	time_t seconds = (time_t)(e->time_us / 1000000);
	struct tm tm;
	hex(e->leaf_hash, hash);
	hex(e->prev, prev);
	gmtime_r(&seconds, &tm);
	strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &tm);
	int n = snprintf(head, sizeof head, "{\"id\":%lld,\"timestamp\":\"%s.%06dZ\",\"author\":\"%s\",",
	                 (long long)e->stream_seq + 1, day, (int)(e->time_us % 1000000), e->author);
	grow(ctx, head, (size_t)n);
	grow(ctx, e->body + 1, e->body_len - 2); /* the members, without the braces */
	n = e->session ? snprintf(tail, sizeof tail, ",\"session\":\"%s\"", e->session) : 0;
	grow(ctx, tail, (size_t)n);
	n = e->stream_seq ? snprintf(tail, sizeof tail, ",\"prev_hash\":\"%s\",\"hash\":\"%s\"}\n", prev, hash) :
		snprintf(tail, sizeof tail, ",\"prev_hash\":null,\"hash\":\"%s\"}\n", hash);
	grow(ctx, tail, (size_t)n);
}

static void add_body(void *ctx, const struct entry *e)
{
	grow(ctx, e->body, e->body_len);
}

static void check_reads(struct store *s, struct log_id log, const struct model *m, uint64_t *seed)
{
	struct log_stat st;
	char *part = malloc(20000);
	assert_non_null(part);
	assert_int_equal(store_log_stat(s, log, &st), 0);
	assert_int_equal(st.bytes, m->len);
	for (int i = 0; i < 40; i++) {
		size_t at = dice(seed, (uint32_t)m->len + 3), size = 1 + dice(seed, i % 2 ? 50 : 20000);
		size_t left = at < m->len ? m->len - at : 0, want = left < size ? left : size;
		assert_int_equal(store_log_read(s, log, (int64_t)at, part, size), want);
		assert_memory_equal(part, m->data + (at < m->len ? at : m->len), want);
	}
	/* The end and what lies past it. */
	assert_int_equal(store_log_read(s, log, (int64_t)m->len - 1, part, 10), 1);
	assert_int_equal(store_log_read(s, log, (int64_t)m->len, part, 10), 0);
	assert_int_equal(store_log_read(s, log, INT64_MAX - 100, part, 10), 0);
	assert_int_equal(store_log_read(s, log, 0, part, 0), 0);
	free(part);
}

struct seen {
	const struct model *m;
	int64_t offset, first, end;
};

static int see_text(void *ctx, const struct entry *e, int64_t start)
{
	struct seen *s = ctx;
	assert_true(start + (int64_t)e->body_len > s->offset);
	assert_true(s->first < 0 ? start <= s->offset || start == 0 : start == s->end);
	assert_memory_equal(s->m->data + start, e->body, e->body_len);
	if (s->first < 0)
		s->first = start;
	s->end = start + (int64_t)e->body_len;
	return 0;
}

static void check_text(struct store *s, struct log_id log, const struct model *m, uint64_t *seed)
{
	for (int i = 0; i < 20; i++) {
		struct seen seen = { .m = m, .offset = dice(seed, (uint32_t)m->len), .first = -1 };
		assert_int_equal(store_text_each(s, log, seen.offset, see_text, &seen), 0);
		assert_in_range(seen.first, 0, seen.offset);
		assert_int_equal(seen.end, m->len);
	}
	struct seen past = { .m = m, .offset = (int64_t)m->len, .first = -1 };
	assert_int_equal(store_text_each(s, log, past.offset, see_text, &past), 0);
	assert_int_equal(past.first, -1);
}

static void say_random(struct store *s, uint64_t *seed, bool thread)
{
	char content[3000];
	size_t len = dice(seed, dice(seed, 9) ? 60 : 2900);
	memset(content, 'a', len);
	content[len] = '\0';
	say(s, content, thread ? ",\"thread\":\"obra\"" : "");
}

/* Appends without letting the views catch up, then with: the same bytes. */
static void test_session(void **state)
{
	struct memory *m = *state;
	struct log_id log = { LOG_SESSION, 1 };
	struct model lines = { 0 }, text = { 0 };
	uint64_t seed = 3;
	int64_t n = 0;
	(void)make_session(m->s, "uno");
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < EACH; i++) {
			say_random(m->s, &seed, false);
			assert_int_equal(read_message(m->s, 1, ++n, add_line, &lines), 0);
			assert_int_equal(read_message(m->s, 1, n, add_body, &text), 0);
		}
		check_reads(m->s, log, &lines, &seed); /* needs no view */
		if (round % 3 == 1)
			assert_int_equal(store_catch_up(m->s), 0);
		if (round % 4 == 3)
			memory_reopen(m, 0); /* no head is in memory */
		check_reads(m->s, log, &lines, &seed);
		if (round % 3 == 2)
			check_text(m->s, log, &text, &seed);
	}
	assert_int_equal(read_message(m->s, 1, n + 1, add_line, &lines), STORE_ENOENT);
	assert_int_equal(read_message(m->s, 1, 0, add_line, &lines), STORE_ENOENT);
	assert_int_equal(read_message(m->s, 2, 1, add_line, &lines), STORE_ENOENT);
	free(lines.data);
	free(text.data);
}

/* A line of a thread names the session it is of. */
static void add_thread_line(void *ctx, const struct entry *e)
{
	struct entry line = *e;
	line.session = strcmp(e->stream, "s1") == 0 ? "uno" : "dos";
	add_line(ctx, &line);
}

/* A thread's log is the lines of its messages, whatever session, in order of the tape. */
static void test_thread(void **state)
{
	struct memory *m = *state;
	struct model lines = { 0 }, text = { 0 };
	uint64_t seed = 4;
	int64_t at[3] = { 0 };
	struct group g;
	(void)make_session(m->s, "uno");
	(void)make_session(m->s, "dos");
	for (int i = 0; i < 200; i++) {
		int session = 1 + (int)dice(&seed, 2);
		bool in = dice(&seed, 3) == 0;
		char body[128], stream[8];
		(void)snprintf(stream, sizeof stream, "s%d", session);
		(void)snprintf(body, sizeof body, "{\"content\":\"%d\"%s,\"token_count\":2}", i,
		               in ? ",\"thread\":\"obra\"" : "");
		assert_int_equal(put(m->s, stream, "message", body), 0);
		at[session]++;
		if (in) {
			assert_int_equal(read_message(m->s, session, at[session], add_thread_line, &lines), 0);
			assert_int_equal(read_message(m->s, session, at[session], add_body, &text), 0);
		}
		if (i % 50 == 49) {
			assert_int_equal(store_group_by_name(m->s, LOG_THREAD, "obra", &g), 0);
			check_reads(m->s, (struct log_id){ LOG_THREAD, g.id }, &lines, &seed);
			check_text(m->s, (struct log_id){ LOG_THREAD, g.id }, &text, &seed);
		}
	}
	assert_int_equal(store_group_by_id(m->s, LOG_THREAD, g.id, &g), 0);
	assert_int_equal(store_catch_up(m->s), 0);
	assert_int_equal(store_group_by_id(m->s, LOG_THREAD, g.id, &g), 0);
	assert_int_equal(g.bytes, lines.len);
	assert_int_equal(g.text_bytes, text.len);
	assert_int_equal(g.tokens, 2 * g.messages);
	free(lines.data);
	free(text.data);
}

/* tape.jsonl: one line an entry, in order, the same at each offset. */
static void test_tape(void **state)
{
	struct memory *m = *state;
	struct log_id log = { LOG_TAPE, 0 };
	struct model tape = { 0 };
	uint64_t seed = 5;
	(void)make_session(m->s, "uno");
	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < 70; i++)
			say_random(m->s, &seed, i % 3 == 0);
		size_t len;
		char *now = log_of(m->s, log, &len);
		assert_true(len > tape.len);
		if (tape.data)
			assert_memory_equal(now, tape.data, tape.len); /* what was stays */
		free(tape.data);
		tape = (struct model){ now, len };
		if (round % 2)
			memory_reopen(m, 0);
		check_reads(m->s, log, &tape, &seed);
	}
	int64_t lines = 0;
	for (char *p = tape.data; p < tape.data + tape.len; p = strchr(p, '\n') + 1) {
		char want[64];
		(void)snprintf(want, sizeof want, "{\"seq\":%lld,\"stream\":", (long long)lines++);
		assert_memory_equal(p, want, strlen(want));
	}
	assert_int_equal(lines, entries_of(m->s));
	free(tape.data);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, memory_open, memory_close)

static void take_name(void *ctx, const struct entry *e)
{
	(void)snprintf(ctx, 64, "%s %lld", e->session ? e->session : "none", (long long)e->stream_seq);
}

/* A message is told with its session's name, also when no view has seen either. */
static void test_message(void **state)
{
	struct memory *m = *state;
	char got[64] = "";
	int64_t seq;
	(void)make_session(m->s, "uno");
	say(m->s, "first", "");
	assert_int_equal(store_message_seq(m->s, 1, 1, &seq), 0);
	assert_int_equal(seq, entries_of(m->s) - 1);
	assert_int_equal(store_message(m->s, seq, take_name, got), 0);
	assert_string_equal(got, "uno 0");
	assert_int_equal(put(m->s, "r1", "record", "{\"a\":1}"), 0);
	assert_int_equal(store_message(m->s, seq + 1, take_name, got), 0);
	assert_string_equal(got, "none 0");
	assert_int_equal(store_message(m->s, seq + 2, take_name, got), STORE_ENOENT);
	assert_int_equal(store_message_seq(m->s, 1, 2, &seq), STORE_ENOENT);
	assert_int_equal(store_message_seq(m->s, 1, 0, &seq), STORE_ENOENT);
	assert_int_equal(store_message_seq(m->s, 7, 1, &seq), STORE_ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = { WITH(test_session), WITH(test_thread), WITH(test_tape),
		                            WITH(test_message) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

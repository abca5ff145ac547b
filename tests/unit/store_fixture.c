/* SPDX-License-Identifier: MIT */
/* Makes stores for tests; see store_fixture.h. */
#include "tests/unit/store_fixture.h"
#include "store/words/words.h"
#include "tests/place.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The clock hook takes no context, so what it tells is here; 0: the system's time. */
static _Atomic int64_t fake_us;

void clock_set(int64_t us)
{
	atomic_store(&fake_us, us);
}

int64_t clock_now(void)
{
	int64_t us = atomic_load(&fake_us);
	struct timespec now;
	if (us)
		return us;
	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

size_t body_text_size(const struct entry *e)
{
	return e->body && e->body_len ? e->body_len : 1;
}

struct store *memory_store(const struct memory *m, unsigned flags)
{
	struct store *s = NULL;
	struct why why = { 0 };
	struct store_config config = { .flags = flags, .origin = "cinta/test", .key_dir = m->keys,
		.text_size = body_text_size, .clock = clock_now };
	if (store_open(m->path, &config, &s, &why) != 0)
		fail_msg("%s", why.text);
	return s;
}

int memory_open(void **state)
{
	struct memory *m = calloc(1, sizeof *m);
	assert_non_null(m);
	assert_true(place_make(m->dir, sizeof m->dir));
	(void)snprintf(m->path, sizeof m->path, "%s/memory.db", m->dir);
	(void)snprintf(m->keys, sizeof m->keys, "%s/keys", m->dir);
	clock_set(0);
	m->s = memory_store(m, STORE_CREATE);
	*state = m;
	return 0;
}

int memory_close(void **state)
{
	struct memory *m = *state;
	char command[192];
	store_close(m->s);
	(void)snprintf(command, sizeof command, "rm -rf -- '%s'", m->dir);
	int rc = system(command);
	free(m);
	return rc;
}

void memory_reopen(struct memory *m, unsigned flags)
{
	store_close(m->s);
	m->s = NULL;
	m->s = memory_store(m, flags);
}

int remake(const char *path, const struct store_config *config, struct why *why)
{
	const struct rebuild_options plain = { .keep = false };
	struct rebuild_report report;
	return store_remake(path, config, &plain, &report, why);
}

void sql_in(const char *path, const char *sql)
{
	sqlite3 *db = NULL;
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	sqlite3_busy_timeout(db, 5000);
	assert_int_equal(search_tokenizer_add(db), 0);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

int put(struct store *s, const char *stream, const char *kind, const char *body)
{
	struct draft d = { .stream = stream, .kind = kind, .author = "ana:sh", .body = body,
		.body_len = strlen(body) };
	struct append a = { .drafts = &d, .count = 1, .expect = -1 };
	return store_append_wait(s, &a);
}

int read_message(struct store *s, int64_t session, int64_t n, entry_fn *fn, void *ctx)
{
	int64_t seq;
	int err = store_message_seq(s, session, n, &seq);
	return err ? err : store_entry(s, seq, fn, ctx);
}

void say(struct store *s, const char *content, const char *more)
{
	char body[4096];
	int len = snprintf(body, sizeof body, "{\"role\":\"user\",\"content\":\"%s\"%s,\"token_count\":1}",
	                   content, more);
	assert_in_range(len, 1, sizeof body - 1);
	assert_int_equal(put(s, "s1", "message", body), 0);
}

int64_t make_session(struct store *s, const char *name)
{
	char body[NAME_LIMIT + 32];
	int64_t id = 0;
	int len = snprintf(body, sizeof body, "{\"name\":\"%s\"}", name);
	assert_int_equal(store_session_make(s, name, body, (size_t)len, "ana:sh", &id), 0);
	return id;
}

int64_t entries_of(struct store *s)
{
	struct status st;
	store_status(s, &st);
	return st.entries;
}

char *log_of(struct store *s, struct log_id log, size_t *len)
{
	struct log_stat st;
	assert_int_equal(store_log_stat(s, log, &st), 0);
	char *data = malloc((size_t)st.bytes + 2);
	assert_non_null(data);
	ssize_t got = store_log_read(s, log, 0, data, (size_t)st.bytes + 1);
	assert_int_equal(got, st.bytes);
	*len = (size_t)got;
	data[got] = '\0';
	return data;
}

/* SPDX-License-Identifier: MIT */
/*
 * A sync fails, and the kernel forgets what it could not write: after that nothing may be called
 * durable that would not be there when the power went.  The power goes at each step, and all that
 * a sync answered for is there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/store.h"
#include "tests/fault/fault_vfs.h"
#include "tests/place.h"

struct disk {
	char dir[64], path[96], keys[96], cut[96];
	struct store *s;
	int said;    /* lines that were accepted */
	int durable; /* of these, before the last sync that answered 0 */
};

static size_t text_size(const struct entry *e)
{
	return e->body_len + 10;
}

static struct store *open_store(const char *path, const char *keys, unsigned flags)
{
	struct store *s = NULL;
	struct why why = { 0 };
	struct store_config c = { .flags = flags, .key_dir = keys, .text_size = text_size };
	if (store_open(path, &c, &s, &why))
		fail_msg("%s", why.text);
	return s;
}

static void begin(struct disk *d)
{
	int64_t id = 0;
	memset(d, 0, sizeof *d);
	assert_true(place_make(d->dir, sizeof d->dir));
	(void)snprintf(d->path, sizeof d->path, "%s/tape.db", d->dir);
	(void)snprintf(d->keys, sizeof d->keys, "%s/keys", d->dir);
	(void)snprintf(d->cut, sizeof d->cut, "%s/cut.db", d->dir);
	fault_watch(NULL);
	d->s = open_store(d->path, d->keys, STORE_CREATE);
	assert_int_equal(store_session_make(d->s, "x", "{\"name\":\"x\"}", 12, "ana:test", &id), 0);
	store_close(d->s); /* its WAL is copied back, and gone */
	fault_watch("tape.db-wal");
	d->s = open_store(d->path, d->keys, 0);
}

static void end(struct disk *d)
{
	char command[128];
	store_close(d->s);
	fault_watch(NULL);
	(void)snprintf(command, sizeof command, "rm -rf %s", d->dir);
	assert_int_equal(system(command), 0);
}

static int say(struct disk *d)
{
	char body[64];
	int len = snprintf(body, sizeof body, "{\"role\":\"user\",\"content\":\"line %d\"}", d->said);
	struct draft draft = { .stream = "s1", .kind = "message", .author = "ana:test", .body = body,
		.body_len = (size_t)len };
	struct append a = { .drafts = &draft, .count = 1, .expect = -1 };
	int err = store_append_wait(d->s, &a);
	d->said += err == 0;
	return err;
}

static int sync_all(struct disk *d)
{
	int err = store_sync(d->s);
	if (!err)
		d->durable = d->said;
	return err;
}

/* The power goes: what stands on the disk, opened by another. */
static int lines_left(const struct disk *d)
{
	char command[512], wal[128];
	struct log_stat st;
	struct group g;
	(void)snprintf(command, sizeof command, "rm -f %s*; cp %s %s", d->cut, d->path, d->cut);
	assert_int_equal(system(command), 0);
	(void)snprintf(wal, sizeof wal, "%s-wal", d->cut);
	assert_true(fault_cut(wal));
	struct store *s = open_store(d->cut, d->keys, 0);
	assert_int_equal(store_catch_up(s), 0);
	assert_int_equal(store_group_by_id(s, LOG_SESSION, 1, &g), 0);
	assert_int_equal(store_log_stat(s, (struct log_id){ LOG_SESSION, 1 }, &st), 0);
	store_close(s);
	return (int)g.messages;
}

static void trouble_of(struct store *s, char text[256])
{
	struct status st;
	store_status(s, &st);
	(void)snprintf(text, 256, "%s", st.trouble);
}

/* Without a fault: the model itself keeps what was synced, and loses the rest. */
static void test_model(void **state)
{
	struct disk d;
	(void)state;
	begin(&d);
	for (int i = 0; i < 5; i++)
		assert_int_equal(say(&d), 0);
	assert_int_equal(sync_all(&d), 0);
	assert_int_equal(lines_left(&d), 5);
	for (int i = 0; i < 5; i++)
		assert_int_equal(say(&d), 0);
	assert_int_equal(lines_left(&d), 5);
	end(&d);
}

/* The first sync fails, the disk is well again: what the second one answers for is there. */
static void test_once(void **state)
{
	struct disk d;
	char text[256];
	(void)state;
	begin(&d);
	for (int i = 0; i < 5; i++)
		assert_int_equal(say(&d), 0);
	fault_arm(FAULT_SYNC, 1, SQLITE_IOERR_FSYNC, false);
	(void)sync_all(&d);
	assert_true(fault_struck());
	assert_true(lines_left(&d) >= d.durable);
	for (int i = 0; i < 11; i++)
		assert_int_equal(say(&d), 0);
	assert_int_equal(sync_all(&d), 0);
	assert_int_equal(d.durable, 16);
	assert_int_equal(lines_left(&d), 16);
	trouble_of(d.s, text);
	assert_int_equal(strncmp(text, "sync: the disk failed once", 26), 0);
	end(&d);
}

/* Syncs fail for long: no sync answers 0, nothing is taken any more, until the disk is well. */
static void test_for_long(void **state)
{
	struct disk d;
	char text[256];
	(void)state;
	begin(&d);
	for (int i = 0; i < 3; i++)
		assert_int_equal(say(&d), 0);
	assert_int_equal(sync_all(&d), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(say(&d), 0);
	fault_arm(FAULT_SYNC, 1, SQLITE_IOERR_FSYNC, true);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(sync_all(&d), STORE_EIO);
		assert_int_equal(say(&d), STORE_EROFS);
		assert_int_equal(lines_left(&d), 3);
	}
	trouble_of(d.s, text);
	assert_non_null(strstr(text, "read-only until it does"));
	fault_arm(0, 0, 0, false);
	assert_int_equal(say(&d), 0); /* the log is written anew before it */
	assert_true(lines_left(&d) >= 7);
	assert_int_equal(sync_all(&d), 0);
	assert_int_equal(lines_left(&d), 8);
	end(&d);
}

static void see(void *ctx, const struct refusal *r)
{
	if (strcmp(r->code, "SYNC") == 0)
		++*(int *)ctx;
}

/* The maintenance thread mends by itself, and says so in errors.log. */
static void test_keeper(void **state)
{
	struct disk d;
	char text[256] = "";
	int told = 0;
	(void)state;
	begin(&d);
	store_close(d.s);
	d.s = open_store(d.path, d.keys, STORE_OWNER);
	for (int i = 0; i < 5; i++)
		assert_int_equal(say(&d), 0);
	fault_arm(FAULT_SYNC, 1, SQLITE_IOERR_FSYNC, true);
	assert_int_equal(sync_all(&d), STORE_EIO);
	fault_arm(0, 0, 0, false);
	for (int i = 0; i < 200 && !strstr(text, "failed once"); i++) {
		usleep(50000);
		trouble_of(d.s, text);
	}
	assert_non_null(strstr(text, "failed once"));
	for (int i = 0; i < 200 && told == 0; i++) {
		usleep(50000);
		assert_int_equal(store_refusals(d.s, 10, see, &told), 0);
	}
	assert_true(told > 0);
	assert_int_equal(say(&d), 0);
	end(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_once),
		cmocka_unit_test(test_for_long),
		cmocka_unit_test(test_keeper),
	};
	fault_vfs_install();
	return cmocka_run_group_tests_name("sync", tests, NULL, NULL);
}

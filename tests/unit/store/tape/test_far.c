/* SPDX-License-Identifier: MIT */
/*
 * A tape that lives elsewhere: its file is a prefix of it whatever comes between, errors mean what
 * they say, and what does not follow is not taken.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/fake_engine.h"
#include "tests/unit/store_fixture.h"
#include "store/tape/far.h"
#include "store/tape/far_state.h"

struct far_case {
	struct memory m;
	struct fake_tape tape;
	struct fake *fake;
};

static struct store *open_replica(struct far_case *c, const char *name, struct fake **fake, int expect)
{
	char path[256];
	struct store *s = NULL;
	struct why why = { 0 };
	(void)snprintf(path, sizeof path, "%s/%s", c->m.dir, name);
	struct store_config config = { .flags = STORE_CREATE, .key_dir = c->m.keys, .text_size = body_text_size,
		.clock = clock_now, .engine = fake_new(&c->tape, fake) };
	assert_int_equal(store_open(path, &config, &s, &why), expect);
	return s;
}

static int begin(void **state)
{
	struct far_case *c = calloc(1, sizeof *c);
	void *m = NULL;
	assert_int_equal(memory_open(&m), 0); /* for its directory and key */
	c->m = *(struct memory *)m;
	free(m);
	struct status st;
	store_status(c->m.s, &st);
	(void)snprintf(c->tape.origin, sizeof c->tape.origin, "%s", st.origin);
	char vkey[512], body[1024];
	assert_int_equal(store_vkey(c->m.s, vkey, sizeof vkey), 0);
	(void)snprintf(body, sizeof body, "{\"format\":\"tape/1\",\"origin\":\"%s\",\"vkey\":\"%s\"}", st.origin, vkey);
	fake_append(&c->tape, "tape", "tape.genesis", body);
	store_close(c->m.s);
	c->m.s = open_replica(c, "a.db", &c->fake, 0);
	*state = c;
	return 0;
}

static int finish(void **state)
{
	struct far_case *c = *state;
	fake_release(&c->tape);
	void *m = malloc(sizeof c->m);
	memcpy(m, &c->m, sizeof c->m);
	free(c);
	return memory_close(&m);
}

/* Each row of the tape is here, and no other. */
static void same(struct store *s, const struct fake_tape *t)
{
	struct sync_state now;
	assert_int_equal(store_catch_up_far(s, &now), 0);
	assert_int_equal(now.entries, t->next);
	assert_memory_equal(now.leaf, t->row[t->next - 1].e.leaf_hash, HASH_SIZE);
	assert_int_equal(entries_of(s), t->next);
}

static void test_interleaved(void **state)
{
	struct far_case *c = *state;
	uint64_t seed = 7;
	assert_int_equal(make_session(c->m.s, "uno"), 1);
	for (int i = 0; i < 60; i++) {
		for (uint32_t n = dice(&seed, 3); n > 0; n--)
			fake_append(&c->tape, dice(&seed, 2) ? "s1" : "x9", "message", "{\"role\":\"user\",\"content\":\"far\"}");
		c->fake->few = dice(&seed, 2);
		assert_int_equal(put(c->m.s, dice(&seed, 2) ? "s1" : "x1", "message",
		                     "{\"role\":\"user\",\"content\":\"near\"}"), 0);
		assert_int_equal(entries_of(c->m.s), c->tape.next);
	}
	same(c->m.s, &c->tape);
	/* sizes that were told are those that can be read, of our own and others' lines */
	size_t len;
	struct log_stat st;
	struct log_id log = { LOG_SESSION, 1 };
	assert_int_equal(store_log_stat(c->m.s, log, &st), 0);
	free(log_of(c->m.s, log, &len));
	assert_int_equal(st.bytes, len);
	/* another machine, from nothing */
	struct fake *fake;
	struct store *other = open_replica(c, "b.db", &fake, 0);
	same(other, &c->tape);
	store_close(other);
}

static void test_refused(void **state)
{
	struct far_case *c = *state;
	fake_append(&c->tape, "x1", "note", "{}");
	struct draft d = { .stream = "x1", .kind = "note", .author = "a:b", .body = "{}", .body_len = 2 };
	struct append a = { .drafts = &d, .count = 1, .expect = 0 };
	assert_int_equal(store_append_wait(c->m.s, &a), STORE_EMOVED); /* and what moved is here */
	assert_int_equal(entries_of(c->m.s), c->tape.next);
	a.expect = 1;
	assert_int_equal(store_append_wait(c->m.s, &a), 0);
	assert_int_equal(a.first_seq, 2);
	a.expect = -1;
	a.seen = entries_of(c->m.s);
	fake_append(&c->tape, "sessions", "session", "{\"name\":\"else\"}");
	assert_int_equal(store_append_wait(c->m.s, &a), STORE_EMOVED);
	a.seen = entries_of(c->m.s);
	assert_int_equal(store_append_wait(c->m.s, &a), 0);
	d.stream = "no field";
	a.seen = 0;
	int asked = c->fake->appends;
	assert_int_equal(store_append_wait(c->m.s, &a), STORE_EINVAL);
	assert_int_equal(c->fake->appends, asked);
	same(c->m.s, &c->tape);
}

static void test_away(void **state)
{
	struct far_case *c = *state;
	struct sync_state now;
	struct status st;
	assert_int_equal(put(c->m.s, "x1", "note", "{}"), 0);
	c->fake->away = true;
	assert_int_equal(put(c->m.s, "x1", "note", "{}"), STORE_EAWAY);
	assert_int_equal(store_catch_up_far(c->m.s, &now), STORE_EAWAY);
	assert_int_equal(now.entries, 2);
	assert_true(now.away_us > 0);
	store_status(c->m.s, &st);
	assert_true(strncmp(st.trouble, "server: ", 8) == 0 && st.away_us > 0);
	assert_false(st.read_only);
	c->fake->away = false;
	assert_int_equal(put(c->m.s, "x1", "note", "{}"), 0);
	same(c->m.s, &c->tape);
	store_status(c->m.s, &st);
	assert_string_equal(st.trouble, "");
	assert_int_equal(c->tape.next, 3);
}

static void keep_last(void *ctx, const struct refusal *r)
{
	(void)snprintf(ctx, 256, "%s %s", r->code, r->reason);
}

static void test_unanswered(void **state)
{
	struct far_case *c = *state;
	char last[256] = "";
	for (int stores = 0; stores < 2; stores++) {
		c->fake->no_answer = true;
		c->fake->stores = stores;
		assert_int_equal(put(c->m.s, "x1", "note", "{}"), STORE_EUNKNOWN);
		assert_int_equal(put(c->m.s, "x2", "note", "{}"), 0); /* settles first */
		assert_int_equal(store_refusals(c->m.s, 1, keep_last, last), 0);
		assert_non_null(strstr(last, stores ? "SETTLED the write whose answer did not come was stored" :
		                                      "SETTLED the write whose answer did not come was not"));
		same(c->m.s, &c->tape);
	}
	assert_int_equal(c->tape.next, 1 + 1 + 2);
}

/* Another machine may have what was sent: nobody here can say that it is not stored. */
static void test_split_unanswered(void **state)
{
	struct far_case *c = *state;
	struct status st;
	char last[256] = "";
	c->fake->splits = true;
	assert_int_equal(put(c->m.s, "x1", "note", "{}"), STORE_EUNKNOWN);
	assert_int_equal(store_refusals(c->m.s, 1, keep_last, last), 0);
	assert_true(strncmp(last, "SETTLED sent to a server whose tape is another", 46) == 0);
	store_status(c->m.s, &st);
	assert_true(strncmp(st.trouble, "ROLLBACK: ", 10) == 0 && st.read_only);
	assert_int_equal(put(c->m.s, "x2", "note", "{}"), STORE_EROFS); /* of this nothing was sent */
	assert_int_equal(c->fake->appends, 1);
}

static void split_with(struct far_case *c, const char *word)
{
	struct sync_state now;
	struct status st;
	assert_int_equal(store_catch_up_far(c->m.s, &now), STORE_EFORMAT);
	store_status(c->m.s, &st);
	assert_true(strncmp(st.trouble, word, strlen(word)) == 0 && st.read_only);
	int asked = c->fake->appends;
	assert_int_equal(put(c->m.s, "x1", "note", "{}"), STORE_EROFS);
	assert_int_equal(c->fake->appends, asked);
}

static void test_rollback(void **state)
{
	struct far_case *c = *state;
	assert_int_equal(put(c->m.s, "x1", "note", "{\"n\":1}"), 0);
	assert_int_equal(put(c->m.s, "x1", "note", "{\"n\":2}"), 0);
	free(c->tape.row[--c->tape.next].body);
	split_with(c, "ROLLBACK: ");
	assert_int_equal(entries_of(c->m.s), 3);
}

static void test_fork(void **state)
{
	struct far_case *c = *state;
	assert_int_equal(put(c->m.s, "x1", "note", "{\"n\":1}"), 0);
	free(c->tape.row[--c->tape.next].body);
	fake_append(&c->tape, "x1", "note", "{\"n\":2}");
	split_with(c, "FORK: ");
}

/* Each field of a row that comes, and a gap: nothing of such rows is taken. */
static void test_not_taken(void **state)
{
	struct far_case *c = *state;
	for (int what = 0; what < 9; what++) {
		struct fake *fake;
		char name[16];
		int64_t before = c->tape.next;
		(void)snprintf(name, sizeof name, "n%d.db", what);
		struct store *s = open_replica(c, name, &fake, 0);
		fake_append(&c->tape, "x1", "note", "{\"n\":1}");
		fake_append(&c->tape, "x1", "note", "{\"n\":2}");
		struct fake_row *r = &c->tape.row[c->tape.next - 1];
		struct entry good = r->e;
		char *body = r->body;
		switch (what) {
		case 0: r->e.seq++; break;
		case 1: r->e.stream = "x2"; break;
		case 2: r->e.stream_seq++; break;
		case 3: r->e.prev[0] ^= 1; break;
		case 4: r->e.time_us++; break;
		case 5: r->e.author = "some:body"; break;
		case 6: r->e.body = "{\"n\":3}"; break;
		case 7: r->e.leaf_hash[31] ^= 1; break;
		case 8: r->e.kind = "two words"; break;
		}
		struct sync_state now;
		assert_int_equal(store_catch_up_far(s, &now), STORE_EFORMAT);
		assert_int_equal(now.entries, before);
		store_close(s);
		r->e = good;
		r->body = body;
		same(c->m.s, &c->tape);
	}
}

/* One with the key signs; a replica without it gets the note, and no false one. */
static void test_notes(void **state)
{
	struct far_case *c = *state;
	struct sync_state now;
	struct status st;
	char note[2048];
	assert_int_equal(put(c->m.s, "x1", "note", "{}"), 0);
	assert_int_equal(store_sign(c->m.s), 0);
	assert_int_equal(store_catch_up_far(c->m.s, &now), 0);
	assert_int_equal(c->tape.noted, 0); /* something was told less than a second ago */
	c->m.s->tape->far->note_at -= 1000000;
	assert_int_equal(store_catch_up_far(c->m.s, &now), 0);
	assert_int_equal(c->tape.noted, 2);
	struct fake *fake;
	(void)snprintf(c->m.keys, sizeof c->m.keys, "%s/none", c->m.dir);
	struct store *other = open_replica(c, "k.db", &fake, 0);
	store_status(other, &st);
	assert_int_equal(st.signed_upto, 2);
	assert_int_equal(store_checkpoint_note(other, note, sizeof note), 0);
	assert_string_equal(note, c->tape.note);
	store_close(other);
	c->tape.note[40] ^= 1;
	other = open_replica(c, "l.db", &fake, 0);
	store_status(other, &st);
	assert_int_equal(st.signed_upto, 0);
	assert_false(st.read_only);
	store_close(other);
}

static void test_first(void **state)
{
	struct far_case *c = *state;
	struct fake *fake;
	char path[256];
	struct store *s = NULL;
	struct why why = { 0 };
	(void)snprintf(path, sizeof path, "%s/first.db", c->m.dir);
	struct store_config config = { .flags = STORE_CREATE, .key_dir = c->m.keys, .text_size = body_text_size,
		.engine = fake_new(&c->tape, &fake) };
	fake->away = true;
	assert_int_equal(store_open(path, &config, &s, &why), STORE_EAWAY); /* it has nothing to show */
	assert_string_equal(why.text, "the fake is away");
}

/* A machine that begins with much makes its views another way: they are the same. */
static void test_much(void **state)
{
	struct far_case *c = *state;
	struct fake *fake;
	char path[256];
	assert_int_equal(make_session(c->m.s, "uno"), 1);
	for (int i = 0; i < 300; i++)
		fake_append(&c->tape, i % 3 ? "s1" : "x9", "message", "{\"role\":\"user\",\"content\":\"far\"}");
	struct store *s = open_replica(c, "much.db", &fake, 0);
	struct status st;
	store_status(s, &st);
	assert_int_equal(st.viewed_upto, c->tape.next); /* before anybody reads */
	same(s, &c->tape);
	assert_int_equal(put(s, "s1", "message", "{\"role\":\"user\",\"content\":\"near\"}"), 0);
	assert_int_equal(store_sign(s), 0);
	store_close(s);
	(void)snprintf(path, sizeof path, "%s/much.db", c->m.dir);
	struct verify_options o = { .key_dir = c->m.keys, .all = true, .text_size = body_text_size };
	struct verify_report *r = calloc(1, sizeof *r);
	assert_int_equal(store_verify(path, &o, r), 0);
	assert_int_equal(r->verdict, VERDICT_OK);
	free(r);
}

struct told {
	int times;
	int64_t from;
};

static void tell(void *ctx, int64_t seq)
{
	struct told *t = ctx;
	t->times++;
	t->from = seq;
}

static struct store *open_told(struct far_case *c, struct fake **fake, struct told *told)
{
	char path[256];
	struct store *s = NULL;
	struct why why = { 0 };
	(void)snprintf(path, sizeof path, "%s/told.db", c->m.dir);
	struct store_config config = { .flags = STORE_CREATE, .key_dir = c->m.keys, .text_size = body_text_size,
		.on_foreign = tell, .ctx = told, .engine = fake_new(&c->tape, fake) };
	assert_int_equal(store_open(path, &config, &s, &why), 0);
	return s;
}

/* What others have appended is here and told of, once; what this one has is not told of. */
static void test_fresh(void **state)
{
	struct far_case *c = *state;
	struct fake *fake;
	struct told told = { 0 };
	struct status st;
	struct store *s = open_told(c, &fake, &told);
	assert_false(store_fresh(s, true));
	assert_int_equal(fake->heads, 1);
	fake_append(&c->tape, "x1", "note", "{}");
	fake_append(&c->tape, "x2", "note", "{}");
	assert_true(store_fresh(s, true));
	assert_int_equal(entries_of(s), 3);
	assert_int_equal(told.from, 1);
	assert_false(store_fresh(s, true));
	assert_int_equal(put(s, "x1", "note", "{}"), 0);
	assert_false(store_fresh(s, true));
	assert_int_equal(told.times, 1);
	/* it does not say how much it has: nobody waits for that, and status says so; the rest goes on */
	fake->blind = true;
	fake_append(&c->tape, "x1", "note", "{}");
	assert_false(store_fresh(s, true));
	store_status(s, &st);
	assert_non_null(strstr(st.trouble, "does not say how much it has"));
	assert_true(st.away_us > 0);
	int asked = fake->heads;
	assert_false(store_fresh(s, true));
	assert_int_equal(fake->heads, asked);
	assert_int_equal(put(s, "x1", "note", "{}"), 0);
	assert_true(store_fresh(s, true)); /* the other's has come by the way */
	assert_int_equal(told.from, 3);
	assert_int_equal(fake->heads, asked);
	fake->blind = false;
	far_follow(s, 0);
	store_status(s, &st);
	assert_true(st.away_us == 0 && !st.trouble[0]);
	/* the same when it is away, and when it has fewer */
	fake->away = true;
	assert_false(store_fresh(s, true));
	far_follow(s, 0);
	asked = fake->heads;
	assert_false(store_fresh(s, true));
	assert_int_equal(fake->heads, asked);
	fake->away = false;
	far_follow(s, 0);
	c->tape.next--;
	assert_false(store_fresh(s, true));
	store_status(s, &st);
	assert_true(strncmp(st.trouble, "ROLLBACK: ", 10) == 0);
	c->tape.next++;
	store_close(s);
}

/* Who shares shows what is here unasked, for as long as it has said so, and writes wait for others. */
static void test_share(void **state)
{
	struct far_case *c = *state;
	struct fake *fake;
	struct told told = { 0 };
	struct store *s = open_told(c, &fake, &told);
	assert_int_equal(put(s, "x1", "note", "{}"), 0);
	assert_int_equal(fake->unseens, 0);
	far_follow(s, 0);
	assert_int_equal(fake->shows, 0);
	store_share(s, true);
	assert_false(store_fresh(s, false));
	assert_int_equal(fake->heads, 1); /* nothing was said yet */
	fake->comes = &c->tape;
	far_follow(s, 0);
	assert_int_equal(fake->shows, 2); /* what came while it said so is here, and said */
	assert_int_equal(fake->shown, c->tape.next);
	assert_true(store_fresh(s, false));
	assert_int_equal(entries_of(s), c->tape.next);
	assert_int_equal(fake->heads, 1);
	assert_false(store_fresh(s, true)); /* fresh=open beside it asks all the same */
	assert_int_equal(fake->heads, 2);
	fake->laggards = 3;
	assert_int_equal(put(s, "x1", "note", "{}"), 0);
	assert_int_equal(fake->unseens, 4);
	/* not reached: no longer than it was said, then it is asked again */
	fake->away = true;
	far_follow(s, 0);
	assert_true(sharing_holds(s));
	usleep(3100000);
	assert_false(sharing_holds(s));
	fake->away = false;
	far_follow(s, 0);
	assert_true(sharing_holds(s));
	store_share(s, false);
	far_follow(s, 0);
	assert_int_equal(fake->shown, -1);
	assert_false(sharing_holds(s));
	fake->unseens = 0;
	assert_int_equal(put(s, "x1", "note", "{}"), 0);
	assert_int_equal(fake->unseens, 0);
	store_close(s);
}

int main(void)
{
#define FAR(f) cmocka_unit_test_setup_teardown(f, begin, finish)
	const struct CMUnitTest tests[] = {
		FAR(test_interleaved), FAR(test_refused), FAR(test_away), FAR(test_unanswered),
		FAR(test_split_unanswered), FAR(test_rollback),
		FAR(test_fork), FAR(test_not_taken), FAR(test_notes), FAR(test_first),
		FAR(test_fresh), FAR(test_much), FAR(test_share),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

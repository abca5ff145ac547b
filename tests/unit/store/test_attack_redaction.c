/* SPDX-License-Identifier: MIT */
/*
 * Bodies taken out without the owner's key: each way to make that look like a redaction.
 * store_verify, .cinta/verify.sh and tests/verify.py must say the same of all of them, and the
 * signer must not sign over one.  Runs from the top of the source tree.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "render/render.h"
#include "tests/unit/tape_fixture.h"

enum { ROWS = 24, VICTIM = 7, OTHER = 9 };

static void run(char *said, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void run(char *said, size_t size, const char *fmt, ...)
{
	char command[1024];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(command, sizeof command, fmt, ap);
	va_end(ap);
	FILE *p = popen(command, "r");
	assert_non_null(p);
	size_t len = fread(said, 1, size - 1, p);
	said[len] = '\0';
	(void)pclose(p);
}

static int make(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	char path[128], said[256];
	struct buf script = BUF_INIT;
	assert_non_null(f);
	fixture_make(f);
	fixture_fill(f, ROWS - 1, 60);
	fixture_sign(f, true);
	(void)snprintf(path, sizeof path, "%s/verify.sh", f->dir);
	render_verify_script(&script);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(script.data, 1, script.len, file), script.len);
	(void)fclose(file);
	buf_release(&script);
	run(said, sizeof said, "openssl pkey -in %s/*.pem -pubout -out %s/pub.pem 2>&1", f->keys, f->dir);
	assert_string_equal(said, "");
	*state = f;
	return 0;
}

static int drop(void **state)
{
	fixture_free(*state);
	free(*state);
	return 0;
}

/* The word before the first blank or colon must be the verdict. */
static void says(const char *who, const char *said, const char *verdict)
{
	size_t len = strcspn(said, ": \n");
	if (len != strlen(verdict) || memcmp(said, verdict, len) != 0)
		fail_msg("%s: wanted %s, got %s", who, verdict, said);
}

static void all_say(struct fixture *f, const char *verdict)
{
	struct verify_report r;
	char said[1024];
	fixture_verify(f, &r);
	says("store_verify", verdict_name(r.verdict), verdict);
	run(said, sizeof said, "sh %s/verify.sh %s %s/pub.pem 2>&1", f->dir, f->path, f->dir);
	says("verify.sh", said, verdict);
	run(said, sizeof said, "python3 tests/verify.py %s %s %s/pub.pem 2>&1", f->path, f->origin, f->dir);
	says("verify.py", said, verdict);
}

/* What the signer would do next: sign, or not. */
static void signs(struct fixture *f, bool yes)
{
	struct signer *s = NULL;
	bool read_only = false;
	char trouble[256], now[256];
	assert_int_equal(signer_open(f->db, f->path, f->origin, f->vkey, f->keys, &s, &read_only, trouble,
	                             sizeof trouble), 0);
	assert_false(read_only);
	assert_int_equal(strncmp(trouble, "REDACTED-UNPROVED: ", 19) == 0, !yes);
	assert_int_equal(signer_sign(s, f->db, 1790000009000000, 0), yes ? 0 : STORE_EUNPROVED);
	signer_trouble(s, now, sizeof now);
	assert_int_equal(now[0] != '\0', !yes);
	signer_close(s);
}

/* A claim that proves nothing, its body in place of %s. */
static void forged(struct fixture *f, const char *stream, const char *kind, const char *body)
{
	fixture_append(f, stream, kind, body);
	fixture_take(f, VICTIM);
	all_say(f, "REDACTED-UNPROVED");
	signs(f, false);
}

static void test_true_one(void **state)
{
	struct fixture *f = *state;
	struct verify_report r;
	fixture_redact(f, VICTIM, "a \"leaked\" \\ key, con eñe");
	all_say(f, "OK");
	fixture_verify(f, &r);
	assert_int_equal(r.redacted, 1);
	assert_int_equal(r.redacted_unsigned, 1);
	signs(f, true);
	all_say(f, "OK");
	fixture_verify(f, &r);
	assert_int_equal(r.redacted, 1);
	assert_int_equal(r.redacted_unsigned, 0);
}

static void test_no_claim(void **state)
{
	fixture_append(*state, "s1", "message", "{\"content\":\"later\"}");
	fixture_take(*state, VICTIM);
	all_say(*state, "MISSING");
	signs(*state, false);
}

static void test_unsigned(void **state)
{
	forged(*state, "tape", "tape.redact", "{\"seq\":7,\"reason\":\"a secret\"}");
}

/* Even with the owner's own signature it counts in one stream only. */
static void test_other_stream(void **state)
{
	char *body = fixture_redaction(*state, VICTIM, "a secret");
	forged(*state, "s1", "tape.redact", body);
	free(body);
}

static void test_other_kind(void **state)
{
	char *body = fixture_redaction(*state, VICTIM, "a secret");
	fixture_append(*state, "tape", "message", body);
	fixture_append(*state, "s1", "message", "{\"content\":\"later\"}");
	fixture_take(*state, VICTIM);
	all_say(*state, "MISSING");
	signs(*state, false);
	free(body);
}

static void test_other_entry(void **state)
{
	char *body = fixture_redaction(*state, OTHER, "a secret");
	char *named = strstr(body, "\"seq\":9");
	assert_non_null(named);
	named[6] = '7';
	forged(*state, "tape", "tape.redact", body);
	free(body);
}

/* The owner signed that entry 9 goes: its place in the text may be ours, its leaf not. */
static void test_other_leaf(void **state)
{
	struct fixture *f = *state;
	char *mine = fixture_redaction(f, VICTIM, "a secret"), *theirs = fixture_redaction(f, OTHER, "a secret");
	memcpy(strstr(theirs, "\"leaf\""), strstr(mine, "\"leaf\""), 73);
	theirs[7] = '7';
	forged(f, "tape", "tape.redact", theirs);
	free(mine);
	free(theirs);
}

static void test_other_reason(void **state)
{
	char *body = fixture_redaction(*state, VICTIM, "a secret");
	memcpy(strstr(body, "a secret"), "a SECRET", 8);
	forged(*state, "tape", "tape.redact", body);
	free(body);
}

static void test_other_time(void **state)
{
	char *body = fixture_redaction(*state, VICTIM, "a secret");
	strstr(body, "\"time_us\":")[10] ^= 1;
	forged(*state, "tape", "tape.redact", body);
	free(body);
}

/* What stands behind the signature, and a signature spelled otherwise. */
static void test_more_behind(void **state)
{
	char more[1024];
	char *body = fixture_redaction(*state, VICTIM, "a secret");
	(void)snprintf(more, sizeof more, "%.*s,\"x\":1}", (int)strlen(body) - 1, body);
	forged(*state, "tape", "tape.redact", more);
	free(body);
}

static void test_other_base64(void **state)
{
	char *body = fixture_redaction(*state, VICTIM, "a secret");
	char *last = body + strlen(body) - 5; /* of "==\"}": its low four bits mean nothing */
	assert_int_equal(last[1], '=');
	*last = (char)(*last + 1);
	forged(*state, "tape", "tape.redact", body);
	free(body);
}

static void test_other_key(void **state)
{
	struct fixture *f = *state, other;
	fixture_make(&other);
	fixture_fill(&other, ROWS - 1, 60);
	char *body = fixture_redaction(&other, VICTIM, "a secret");
	forged(f, "tape", "tape.redact", body);
	free(body);
	fixture_free(&other);
}

/* The same key, the same entry, another tape: what was signed names the origin. */
static void test_other_tape(void **state)
{
	struct fixture *f = *state;
	char origin[sizeof f->origin], path[256], said[256];
	memcpy(origin, f->origin, sizeof origin);
	(void)snprintf(f->origin, sizeof f->origin, "cinta/0000000000000001");
	(void)snprintf(path, sizeof path, "%s/cinta%%2F0000000000000001.pem", f->keys);
	run(said, sizeof said, "cp %s/cinta%%2F5f3c9a1e7b2d4c60.pem %s 2>&1", f->keys, path);
	assert_string_equal(said, "");
	char *body = fixture_redaction(f, VICTIM, "a secret");
	memcpy(f->origin, origin, sizeof origin);
	forged(f, "tape", "tape.redact", body);
	free(body);
}

/* A redaction comes after what it takes out. */
static void test_before(void **state)
{
	struct fixture *f = *state;
	fixture_append(f, "tape", "tape.redact", "{\"seq\":25}");
	fixture_append(f, "s1", "message", "{\"content\":\"later\"}");
	fixture_take(f, ROWS + 1);
	all_say(f, "MISSING");
	signs(f, false);
}

/* Entries of the stream `tape` keep their bodies: the genesis, and the redactions themselves. */
static void test_genesis(void **state)
{
	struct fixture *f = *state;
	struct verify_report r;
	fixture_redact(f, 0, "a secret");
	fixture_verify(f, &r);
	assert_int_equal(r.verdict, VERDICT_UNPROVED);
	assert_int_equal(r.seq, 0);
	signs(f, false);
}

static void test_redaction_redacted(void **state)
{
	struct fixture *f = *state;
	fixture_redact(f, VICTIM, "a secret");
	fixture_redact(f, ROWS, "no trace");
	all_say(f, "MISSING"); /* entry 7: nothing names it any more */
	signs(f, false);
}

/* The whole signed history emptied behind the newest note, hashes and tiles made anew. */
static void test_emptied(void **state)
{
	struct fixture *f = *state;
	struct verify_report r;
	for (int64_t seq = 1; seq < ROWS; seq++) {
		char body[64];
		(void)snprintf(body, sizeof body, "{\"seq\":%lld,\"reason\":\"x\"}", (long long)seq);
		fixture_append(f, "tape", "tape.redact", body);
		fixture_take(f, seq);
	}
	fixture_rehash(f);
	all_say(f, "REDACTED-UNPROVED");
	signs(f, false);
	fixture_verify(f, &r);
	assert_int_equal(r.seq, 1);
	assert_int_equal(r.signed_upto, 0); /* it stops before the note */
	/* The owner may still say that it was so. */
	for (int64_t seq = 1; seq < ROWS; seq++)
		fixture_redact(f, seq, "it was me");
	all_say(f, "OK");
	signs(f, true);
}

static void count(void *ctx, const struct verify_redaction *r)
{
	struct verify_redaction *seen = ctx;
	seen->seq = seen->seq * 100 + r->seq;
	seen->by = r->by;
	assert_string_equal(r->reason, "a secret");
	assert_string_equal(r->author, "ana:sh");
}

/* A note that was kept tells which bodies have gone since; the copy beside the file is no anchor. */
static void test_since(void **state)
{
	struct fixture *f = *state;
	struct verify_redaction seen = { 0 };
	struct verify_report r;
	char kept[128], said[256];
	const char *notes[] = { kept, NULL };
	struct verify_options o = { .vkey = f->vkey, .on_gone = count, .ctx = &seen };
	fixture_redact(f, 3, "a secret");
	signs(f, true);
	struct signer *s = NULL;
	bool read_only = false;
	assert_int_equal(signer_open(f->db, f->path, f->origin, f->vkey, f->keys, &s, &read_only, said,
	                             sizeof said), 0);
	assert_int_equal(signer_publish(s), 0);
	signer_close(s);
	(void)snprintf(kept, sizeof kept, "%s/kept", f->dir);
	run(said, sizeof said, "cp %s.checkpoint %s 2>&1", f->path, kept);
	assert_string_equal(said, "");
	fixture_redact(f, VICTIM, "a secret");
	fixture_redact(f, OTHER, "a secret");
	fixture_append(f, "s1", "message", "{\"content\":\"later\"}");
	fixture_redact(f, ROWS + 3, "a secret"); /* it came after the note: that one never had it */
	assert_int_equal(store_verify(f->path, &o, &r), 0);
	assert_int_equal(r.verdict, VERDICT_OK);
	assert_int_equal(r.anchored_upto, 0);
	assert_int_equal(r.since, -1);
	assert_int_equal(seen.by, 0);
	o.notes = notes;
	assert_int_equal(store_verify(f->path, &o, &r), 0);
	assert_int_equal(r.verdict, VERDICT_OK);
	assert_int_equal(r.anchored_upto, ROWS + 1);
	assert_int_equal(r.since, ROWS + 1);
	assert_int_equal(r.redacted, 4);
	assert_int_equal(r.redacted_unsigned, 3);
	assert_int_equal(seen.seq, 709);
	assert_int_equal(seen.by, ROWS + 2);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_true_one), CASE(test_no_claim), CASE(test_unsigned), CASE(test_other_stream),
		CASE(test_other_kind), CASE(test_other_entry), CASE(test_other_leaf), CASE(test_other_reason),
		CASE(test_other_time), CASE(test_more_behind), CASE(test_other_base64), CASE(test_other_key),
		CASE(test_other_tape), CASE(test_before), CASE(test_genesis), CASE(test_redaction_redacted),
		CASE(test_emptied), CASE(test_since),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

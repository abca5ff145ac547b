/* SPDX-License-Identifier: MIT */
/*
 * Two verifiers, one answer: store_verify against tests/verify.py on 200 mutants
 * of one tape.  Runs from the top of the source tree; CINTA_SEED picks other mutants.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/tape_fixture.h"

enum { MUTANTS = 200, MUTANTS_LONG = 4000, ROWS = 300 };

/* A tape in one file without a -wal, its sidecar, and its public key as PEM. */
static void make(struct fixture *f, char *pem, size_t size)
{
	char command[512];
	fixture_make(f);
	fixture_fill(f, 119, 80);
	fixture_redact(f, 17, "test");
	fixture_sign(f, false);
	fixture_fill(f, ROWS - 121, 80);
	fixture_sign(f, true);
	fixture_fill(f, 4, 80);
	fixture_exec(f, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE");
	(void)snprintf(pem, size, "%s/pub.pem", f->dir);
	(void)snprintf(command, sizeof command, "openssl pkey -in %s/*.pem -pubout -out %s", f->keys, pem);
	assert_int_equal(system(command), 0);
}

static bool agree(struct fixture *f, const char *path, const char *verdict, long long seq)
{
	struct verify_report r;
	struct verify_options o = { .vkey = f->vkey };
	int err = store_verify(path, &o, &r);
	/* Where SQLite itself gives up, the two may have got a different way. */
	bool same = err == 0 && strcmp(verdict, verdict_name(r.verdict)) == 0 &&
	            (r.seq == seq || r.verdict == VERDICT_FORMAT);
	/* Nor does verify.py, which reads rows alone, look at what the schema says. */
	same = same || (err == 0 && r.verdict == VERDICT_FORMAT && strstr(r.detail, "schema"));
	if (!same)
		print_error("%s: verify.py %s %lld, store_verify %s %lld (%d, %s)\n", path, verdict, seq,
		            verdict_name(r.verdict), (long long)r.seq, err, r.detail);
	return same;
}

static void test_mutants(void **state)
{
	struct fixture f;
	char pem[128], command[1024], line[512], path[256], verdict[32];
	const char *seed = getenv("CINTA_SEED");
	long long seq;
	int count = 0, good = 0, different = 0, mutants = getenv("CINTA_LONG") ? MUTANTS_LONG : MUTANTS;
	(void)state;
	make(&f, pem, sizeof pem);
	(void)snprintf(command, sizeof command, "python3 tests/unit/mutants.py %.20s %d %s '%s' %s %s",
	               seed ? seed : "1", mutants, f.path, f.vkey, pem, f.dir);
	FILE *answers = popen(command, "r");
	assert_non_null(answers);
	while (fgets(line, sizeof line, answers)) {
		assert_int_equal(sscanf(line, "%255s %31s %lld", path, verdict, &seq), 3);
		good += strcmp(verdict, "OK") == 0;
		different += !agree(&f, path, verdict, seq);
		count++;
	}
	assert_int_equal(pclose(answers), 0);
	assert_int_equal(count, mutants);
	assert_int_equal(different, 0);
	/* Flips in unused bytes change nothing; but most mutants must have been seen. */
	print_message("%d of %d mutants hold no visible change\n", good, count);
	assert_true(good >= 1 && good < mutants / 2);
	fixture_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_mutants) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

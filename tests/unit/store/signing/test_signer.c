/* SPDX-License-Identifier: MIT */
/* Keys and checkpoints: what is signed, what is published, what is refused. */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/proof/key.h"
#include "store/signing/note_file.h"
#include "tests/unit/tape_fixture.h"

static struct signer *open_signer(struct fixture *f, const char *keys, bool *read_only, char trouble[256])
{
	struct signer *s = NULL;
	assert_int_equal(signer_open(f->db, f->path, f->origin, f->vkey, keys, &s, read_only, trouble, 256), 0);
	return s;
}

static int sign_new(struct fixture *f, int64_t *size)
{
	bool ro;
	char trouble[256];
	struct signer *s = open_signer(f, f->keys, &ro, trouble);
	int err = signer_sign(s, f->db, 5, 0);
	*size = signer_size(s);
	signer_close(s);
	return err;
}

static void test_keys(void **state)
{
	struct fixture f;
	struct stat st;
	struct why why;
	char path[PATH_MAX], vkey[VKEY_SIZE];
	struct note_key key;
	EVP_PKEY *pkey = NULL;
	(void)state;
	fixture_make(&f);
	assert_int_equal(key_path(f.keys, f.origin, path, sizeof path), 0);
	assert_non_null(strstr(path, "/keys/cinta%2F5f3c9a1e7b2d4c60.pem"));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(stat(f.keys, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(key_create(f.keys, f.origin, vkey, sizeof vkey, &why), STORE_EEXIST);
	assert_int_equal(key_load(f.keys, f.origin, &pkey, &key), 0);
	note_key_print(&key, vkey);
	assert_string_equal(vkey, f.vkey);
	EVP_PKEY_free(pkey);
	assert_int_equal(key_load(f.keys, "other", NULL, &key), STORE_ENOENT);
	assert_int_equal(key_create(f.keys, "a+b", vkey, sizeof vkey, &why), STORE_EINVAL);
	assert_int_equal(key_create(f.keys, "a b", vkey, sizeof vkey, &why), STORE_EINVAL);
	assert_int_equal(truncate(path, 10), 0);
	assert_int_equal(key_load(f.keys, f.origin, NULL, &key), STORE_EFORMAT);
	fixture_free(&f);
}

static void test_key_dir(void **state)
{
	char dir[64];
	(void)state;
	setenv("HOME", "/home/u", 1);
	setenv("XDG_CONFIG_HOME", "/x", 1);
	assert_int_equal(key_dir_default(dir, sizeof dir), 0);
	assert_string_equal(dir, "/x/cinta/keys");
	setenv("XDG_CONFIG_HOME", "relative", 1);
	assert_int_equal(key_dir_default(dir, sizeof dir), 0);
	assert_string_equal(dir, "/home/u/.config/cinta/keys");
	assert_int_equal(key_dir_default(dir, 8), STORE_EINVAL);
	/* Without HOME, as in a unit or below mount(8): what the system knows of the user. */
	char known[4096 + 64];
	const struct passwd *pw = getpwuid(geteuid());
	assert_non_null(pw);
	(void)snprintf(known, sizeof known, "%s/.config/cinta/keys", pw->pw_dir);
	unsetenv("HOME");
	assert_int_equal(key_dir_default(dir, sizeof dir), 0);
	assert_string_equal(dir, known);
}

static void test_sign_and_publish(void **state)
{
	struct fixture f;
	bool ro = true;
	char trouble[256], note[NOTE_OWN_SIZE], path[PATH_MAX];
	(void)state;
	fixture_make(&f);
	struct signer *s = open_signer(&f, f.keys, &ro, trouble);
	assert_false(ro);
	assert_string_equal(trouble, "");
	assert_int_equal(signer_size(s), 0);
	assert_int_equal(signer_note(f.db, note, sizeof note), STORE_ENOENT);
	assert_int_equal(signer_publish(s), 0); /* nothing yet */
	fixture_fill(&f, 300, 60);
	assert_int_equal(signer_sign(s, f.db, 1234, 0), 0);
	assert_int_equal(signer_size(s), 301);
	assert_int_equal(signer_time(s), 1234);
	assert_int_equal(signer_sign(s, f.db, 9999, 0), 0); /* nothing new: no second note */
	assert_int_equal(signer_time(s), 1234);
	assert_int_equal(db_int(f.db, "SELECT count(*) FROM tape_checkpoint", -1), 1);
	assert_int_equal(db_int(f.db, "SELECT count(*) FROM tape_tile", -1), 1);
	assert_int_equal(db_int(f.db, "PRAGMA synchronous", -1), 1); /* NORMAL again */
	assert_int_equal(signer_publish(s), 0);
	assert_int_equal(signer_note(f.db, note, sizeof note), 0);
	char *side = NULL;
	size_t len = 0;
	assert_true(note_file_name(f.path, path, sizeof path));
	assert_int_equal(note_file_read(path, &side, &len), 0);
	assert_string_equal(side, note);
	free(side);
	signer_close(s);
	/* What was signed and not published is published after the next open. */
	assert_int_equal(unlink(path), 0);
	s = open_signer(&f, f.keys, &ro, trouble);
	assert_int_equal(signer_size(s), 301);
	assert_int_equal(signer_publish(s), 0);
	assert_int_equal(access(path, F_OK), 0);
	signer_close(s);
	fixture_free(&f);
}

/* A FIFO in the sidecar's place does not hang us, a link in that of its temporary is not followed. */
static void test_hostile_sidecar(void **state)
{
	struct fixture f;
	struct stat st;
	bool ro = true;
	char trouble[256], path[PATH_MAX], tmp[PATH_MAX + 8], victim[256];
	(void)state;
	fixture_make(&f);
	fixture_fill(&f, 10, 60);
	assert_true(note_file_name(f.path, path, sizeof path));
	(void)snprintf(tmp, sizeof tmp, "%s.tmp", path);
	(void)snprintf(victim, sizeof victim, "%s/victim", f.dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	int fd = open(victim, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0 && write(fd, "mine", 4) == 4);
	close(fd);
	assert_int_equal(symlink(victim, tmp), 0);
	struct signer *s = open_signer(&f, f.keys, &ro, trouble);
	assert_int_equal(signer_unpublished(s), EINVAL); /* status tells, as long as it is so */
	assert_false(ro);
	assert_int_equal(signer_sign(s, f.db, 1, 0), 0);
	assert_int_equal(signer_publish(s), 0);
	assert_int_equal(signer_unpublished(s), 0);
	signer_close(s);
	assert_int_equal(stat(victim, &st), 0);
	assert_int_equal(st.st_size, 4);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	fixture_free(&f);
}

static void test_no_key(void **state)
{
	struct fixture f;
	bool ro = true;
	char trouble[256];
	(void)state;
	fixture_make(&f);
	struct signer *s = open_signer(&f, "/nonexistent", &ro, trouble);
	assert_false(ro);
	assert_non_null(strstr(trouble, "nothing is signed"));
	assert_int_equal(signer_sign(s, f.db, 1, 0), STORE_ENOENT);
	signer_close(s);
	struct fixture other;
	fixture_make(&other);
	s = open_signer(&f, other.keys, &ro, trouble);
	assert_false(ro);
	assert_non_null(strstr(trouble, "not the one its genesis names"));
	assert_int_equal(signer_sign(s, f.db, 1, 0), STORE_ENOENT);
	signer_close(s);
	fixture_free(&other);
	fixture_free(&f);
}

static void expect_refusal(struct fixture *f, const char *begins)
{
	bool ro = false;
	char trouble[256];
	struct signer *s = open_signer(f, f->keys, &ro, trouble);
	assert_true(ro);
	assert_memory_equal(trouble, begins, strlen(begins));
	assert_int_equal(signer_sign(s, f->db, 1, 0), STORE_EROFS);
	assert_int_equal(signer_publish(s), 0);
	signer_close(s);
}

static void test_rollback(void **state)
{
	struct fixture f;
	(void)state;
	fixture_make(&f);
	fixture_fill(&f, 30, 60);
	fixture_sign(&f, true);
	fixture_disarm(&f);
	fixture_exec(&f, "DELETE FROM tape WHERE seq >= 20");
	expect_refusal(&f, "ROLLBACK: the newest checkpoint");
	fixture_exec(&f, "DELETE FROM tape_checkpoint");
	expect_refusal(&f, "ROLLBACK: the sidecar");
	fixture_free(&f);
}

static void test_fork(void **state)
{
	struct fixture f;
	(void)state;
	fixture_make(&f);
	fixture_fill(&f, 30, 60);
	fixture_sign(&f, true);
	fixture_disarm(&f);
	fixture_exec(&f, "UPDATE tape SET body = '{}' WHERE seq = 9");
	fixture_rehash(&f);
	expect_refusal(&f, "FORK: the first 31 entries");
	fixture_exec(&f, "DELETE FROM tape_checkpoint");
	expect_refusal(&f, "FORK: the first 31 entries are not those that the sidecar");
	fixture_free(&f);
}

static void test_false_note(void **state)
{
	struct fixture f;
	(void)state;
	fixture_make(&f);
	fixture_sign(&f, true);
	fixture_disarm(&f);
	fixture_exec(&f, "UPDATE tape_checkpoint SET note = replace(note, 'cinta', 'Cinta')");
	expect_refusal(&f, "FORK: the newest checkpoint is not");
	fixture_free(&f);
}

/* Rows changed under a running signer: it refuses, and goes on refusing. */
static void test_never_signs_a_fork(void **state)
{
	struct fixture f;
	bool ro;
	char trouble[256];
	(void)state;
	fixture_make(&f);
	fixture_fill(&f, 300, 60);
	struct signer *s = open_signer(&f, f.keys, &ro, trouble);
	assert_int_equal(signer_sign(s, f.db, 1, 0), 0);
	fixture_disarm(&f);
	fixture_exec(&f, "UPDATE tape SET body = '{}' WHERE seq = 290");
	fixture_rehash(&f);
	fixture_fill(&f, 10, 60);
	assert_int_equal(signer_sign(s, f.db, 2, 0), STORE_EFORMAT);
	assert_int_equal(signer_sign(s, f.db, 3, 0), STORE_EFORMAT);
	assert_int_equal(signer_size(s), 301);
	assert_int_equal(db_int(f.db, "SELECT count(*) FROM tape_checkpoint", -1), 1);
	assert_true(sqlite3_get_autocommit(f.db));
	signer_close(s);
	fixture_free(&f);
}

/* An old note at the place of a later one: rows behind the old one were rewritten, and are no base. */
static void test_moved_note(void **state)
{
	struct fixture f;
	bool ro;
	char trouble[256], note[NOTE_OWN_SIZE];
	(void)state;
	fixture_make(&f);
	fixture_sign(&f, true);
	fixture_fill(&f, 20, 60);
	struct signer *s = open_signer(&f, f.keys, &ro, trouble);
	assert_int_equal(signer_sign(s, f.db, 1, 0), 0);
	fixture_disarm(&f);
	fixture_exec(&f, "UPDATE tape SET body = '{}' WHERE seq = 9");
	fixture_rehash(&f);
	fixture_exec(&f, "INSERT INTO tape_checkpoint SELECT 1000000, note FROM tape_checkpoint WHERE size = 1");
	fixture_fill(&f, 1, 60);
	assert_int_equal(signer_note(f.db, note, sizeof note), STORE_EFORMAT);
	assert_int_equal(signer_sign(s, f.db, 2, 0), STORE_EFORMAT);
	assert_int_equal(signer_sign(s, f.db, 3, 0), STORE_EFORMAT);
	assert_int_equal(signer_size(s), 21);
	signer_trouble(s, trouble, sizeof trouble);
	assert_memory_equal(trouble, "FORK: ", 6);
	signer_close(s);
	expect_refusal(&f, "FORK: the newest checkpoint is not");
	fixture_free(&f);
}

/* A note that the key has signed of other rows, and that is of more of them than we know, is no base. */
static void test_other_signed_rows(void **state)
{
	struct fixture f;
	bool ro;
	char trouble[256];
	int64_t size;
	(void)state;
	fixture_make(&f);
	fixture_fill(&f, 10, 60);
	struct signer *s = open_signer(&f, f.keys, &ro, trouble);
	assert_int_equal(signer_sign(s, f.db, 1, 0), 0);
	fixture_disarm(&f);
	fixture_exec(&f, "UPDATE tape SET body = '{}' WHERE seq = 9");
	fixture_rehash(&f);
	fixture_exec(&f, "DELETE FROM tape_checkpoint");
	fixture_fill(&f, 10, 60);
	assert_int_equal(sign_new(&f, &size), 0);
	assert_int_equal(size, 21);
	fixture_fill(&f, 1, 60);
	assert_int_equal(signer_sign(s, f.db, 2, 0), STORE_EFORMAT);
	signer_close(s);
	fixture_free(&f);
}

/* Another signer was faster: its checkpoint is the base, not an error. */
static void test_two_signers(void **state)
{
	struct fixture f;
	bool ro;
	char trouble[256];
	int64_t size = 0;
	(void)state;
	fixture_make(&f);
	fixture_fill(&f, 10, 60);
	struct signer *s = open_signer(&f, f.keys, &ro, trouble);
	assert_int_equal(sign_new(&f, &size), 0);
	assert_int_equal(size, 11);
	assert_int_equal(signer_sign(s, f.db, 1, 0), 0); /* nothing new */
	fixture_fill(&f, 10, 60);
	assert_int_equal(signer_sign(s, f.db, 2, 0), 0);
	assert_int_equal(signer_size(s), 21);
	signer_close(s);
	struct verify_report r;
	fixture_verify(&f, &r);
	assert_int_equal(r.verdict, VERDICT_OK);
	assert_int_equal(r.signed_upto, 21);
	fixture_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),         cmocka_unit_test(test_sign_and_publish),
		cmocka_unit_test(test_hostile_sidecar),
		cmocka_unit_test(test_no_key),       cmocka_unit_test(test_rollback),
		cmocka_unit_test(test_fork),         cmocka_unit_test(test_false_note),
		cmocka_unit_test(test_never_signs_a_fork), cmocka_unit_test(test_two_signers),
		cmocka_unit_test(test_moved_note),   cmocka_unit_test(test_other_signed_rows),
		cmocka_unit_test(test_key_dir), /* changes the environment: last */
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Signed notes: the standard's example, our vector, and what must be refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "store/base/chain.h"
#include "store/proof/note.h"

#define DASH "\xE2\x80\x94 "
#define ORIGIN "tape.example/5f3c9a1e7b2d4c60"
#define VKEY ORIGIN "+eac6cf46+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"
#define TEXT ORIGIN "\n3\nN7FPUYqjXtt7mQXj1HVGDxpu2bdWWzWXS6MrSRJPSRg=\n"
#define SIG "6sbPRpR+s2jlDnzySmuGBNzPxrK/z657WzyAYRUlMgntn92d9AcU1s2K2e0KXrJzX+22B8P34JGfv8oFKhWnXITu9Q4="
#define LINE DASH ORIGIN " " SIG "\n"
#define NOTE TEXT "\n" LINE

/* C2SP signed-note: key and note of its worked example. */
static const char spec_vkey[] =
	"example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
static const char spec_note[] =
	"This is an example message.\n\n" DASH "example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi"
	"2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n";

static enum note_error open_text(const char *note)
{
	struct note_key key;
	struct checkpoint c;
	assert_true(note_key_parse(&key, VKEY));
	/* An exact copy on the heap, so that a read past the end is seen by the sanitizer. */
	size_t len = strlen(note);
	char *copy = malloc(len ? len : 1);
	assert_non_null(copy);
	memcpy(copy, note, len);
	enum note_error err = note_checkpoint(copy, len, &key, &c);
	free(copy);
	return err;
}

static void test_spec_example(void **state)
{
	struct note_key key;
	char vkey[VKEY_SIZE];
	size_t len = 0;
	(void)state;
	assert_true(note_key_parse(&key, spec_vkey));
	assert_int_equal(note_open(spec_note, sizeof spec_note - 1, &key, &len), NOTE_OK);
	assert_int_equal(len, strlen("This is an example message.\n"));
	note_key_print(&key, vkey);
	assert_string_equal(vkey, spec_vkey);
	/* Each single byte of the note matters. */
	for (size_t i = 0; i < sizeof spec_note - 1; i++)
		for (int bit = 0; bit < 8; bit++) {
			char changed[sizeof spec_note];
			memcpy(changed, spec_note, sizeof changed);
			changed[i] = (char)(changed[i] ^ (1 << bit));
			assert_int_not_equal(note_open(changed, sizeof changed - 1, &key, &len), NOTE_OK);
		}
	/* And so does each prefix. */
	for (size_t n = 0; n < sizeof spec_note - 1; n++)
		assert_int_not_equal(note_open(spec_note, n, &key, &len), NOTE_OK);
}

/* Ed25519 is deterministic: the vector's seed signs the vector's note. */
static void test_sign(void **state)
{
	uint8_t seed[32], pub[NOTE_KEY_SIZE];
	size_t pub_len = sizeof pub;
	struct note_key key;
	struct checkpoint c;
	char note[NOTE_OWN_SIZE], vkey[VKEY_SIZE];
	(void)state;
	for (int i = 0; i < 32; i++)
		seed[i] = (uint8_t)i;
	EVP_PKEY *pkey = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, sizeof seed);
	assert_non_null(pkey);
	assert_int_equal(EVP_PKEY_get_raw_public_key(pkey, pub, &pub_len), 1);
	assert_true(note_key_make(&key, ORIGIN, pub));
	note_key_print(&key, vkey);
	assert_string_equal(vkey, VKEY);
	assert_int_equal(checkpoint_parse(TEXT, strlen(TEXT), &c), NOTE_OK);
	assert_int_equal(c.size, 3);
	assert_int_equal(note_sign(&c, &key, pkey, note), NOTE_OK);
	assert_string_equal(note, NOTE);
	EVP_PKEY_free(pkey);
}

static void test_accepted(void **state)
{
	(void)state;
	assert_int_equal(open_text(NOTE), NOTE_OK);
	/* Others' signatures before and after ours, of any type and length. */
	assert_int_equal(open_text(TEXT "\n" DASH "witness.example/w AAAAAAQ=\n" LINE), NOTE_OK);
	assert_int_equal(open_text(NOTE DASH ORIGIN " AAAAAAQ=\n"), NOTE_OK);
	assert_int_equal(open_text(NOTE DASH "w\xC3\xA9 AAAAAAQ=\n"), NOTE_OK);
	assert_int_equal(open_text(NOTE LINE), NOTE_OK);
}

static void test_sixteen(void **state)
{
	char note[16384] = NOTE;
	(void)state;
	for (int i = 1; i < 16; i++)
		strcat(note, DASH "w AAAAAAQ=\n");
	assert_int_equal(open_text(note), NOTE_OK);
	strcat(note, DASH "w AAAAAAQ=\n");
	assert_int_equal(open_text(note), NOTE_MALFORMED);
}

static void test_refused(void **state)
{
	static const struct {
		const char *note;
		enum note_error want;
	} cases[] = {
		{ "", NOTE_MALFORMED },
		{ "\n", NOTE_MALFORMED },
		{ "\n\n", NOTE_MALFORMED },
		{ "\n\n\n", NOTE_MALFORMED },
		{ TEXT, NOTE_MALFORMED },
		{ TEXT "\n", NOTE_MALFORMED },
		{ TEXT LINE, NOTE_MALFORMED },                    /* no empty line */
		{ TEXT "\n" LINE "\n", NOTE_MALFORMED },
		{ TEXT "\n" DASH ORIGIN " " SIG, NOTE_MALFORMED }, /* no newline at the end */
		{ TEXT "\n- " ORIGIN " " SIG "\n", NOTE_MALFORMED },
		{ TEXT "\n" DASH ORIGIN SIG "\n", NOTE_MALFORMED },
		{ TEXT "\n" DASH " " SIG "\n", NOTE_MALFORMED },
		{ TEXT "\n" DASH "a+b " SIG "\n", NOTE_MALFORMED },
		{ TEXT "\n" DASH "w AAAA\n" LINE, NOTE_MALFORMED },     /* shorter than an id */
		{ TEXT "\n" DASH "w AAAAAAR=\n" LINE, NOTE_MALFORMED }, /* unused bits set */
		{ TEXT "\n" DASH "w AAAAAA==\n" LINE, NOTE_MALFORMED },
		{ TEXT "\n" DASH "w AAAA=AAA\n" LINE, NOTE_MALFORMED },
		{ TEXT "\n" DASH "w A A A AQ=\n" LINE, NOTE_MALFORMED },
		{ TEXT "\n" DASH "witness.example/w AAAAAAQ=\n", NOTE_UNSIGNED },
		{ TEXT "\n" DASH ORIGIN " 6sbPRgQ=\n", NOTE_FORGED },
		{ NOTE DASH ORIGIN " 6sbPRgQ=\n", NOTE_FORGED }, /* one good does not excuse one false */
		{ ORIGIN "\n4\nN7FPUYqjXtt7mQXj1HVGDxpu2bdWWzWXS6MrSRJPSRg=\n\n" LINE, NOTE_FORGED },
		{ ORIGIN "\r\n3\n\n" LINE, NOTE_MALFORMED },
		{ "\xC3\n\n" LINE, NOTE_MALFORMED },
		{ "\xED\xA0\x80\n\n" LINE, NOTE_MALFORMED },
		{ "\xC0\x80\n\n" LINE, NOTE_MALFORMED },
		{ "\xF4\x90\x80\x80\n\n" LINE, NOTE_MALFORMED },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (open_text(cases[i].note) != cases[i].want)
			fail_msg("case %zu: %d", i, open_text(cases[i].note));
	/* A NUL inside, and more bytes than a note may have. */
	struct note_key key;
	struct checkpoint c;
	assert_true(note_key_parse(&key, VKEY));
	assert_int_equal(note_checkpoint("a\0\n\n", 4, &key, &c), NOTE_MALFORMED);
	char *big = calloc(1, NOTE_LIMIT + 1);
	assert_non_null(big);
	memset(big, '\n', NOTE_LIMIT + 1);
	assert_int_equal(note_checkpoint(big, NOTE_LIMIT + 1, &key, &c), NOTE_MALFORMED);
	free(big);
}

static void test_checkpoint_text(void **state)
{
	static const char *const bad[] = {
		"", "\n", "o\n", "o\n1\n", "o\n1\nAAAA\n",
		"o\n01\nN7FPUYqjXtt7mQXj1HVGDxpu2bdWWzWXS6MrSRJPSRg=\n",
		"o\n-1\nN7FPUYqjXtt7mQXj1HVGDxpu2bdWWzWXS6MrSRJPSRg=\n",
		"o\n\nN7FPUYqjXtt7mQXj1HVGDxpu2bdWWzWXS6MrSRJPSRg=\n",
		"o\n9223372036854775808\nN7FPUYqjXtt7mQXj1HVGDxpu2bdWWzWXS6MrSRJPSRg=\n",
		"o\n1\nN7FPUYqjXtt7mQXj1HVGDxpu2bdWWzWXS6MrSRJPSRg=",
		"o\n1\nN7FPUYqjXtt7mQXj1HVGDxpu2bdWWzWXS6MrSRJPSRg=\nmore\n",
		"o\n1\nN7FPUYqjXtt7mQXj1HVGDxpu2bdWWzWXS6MrSRJPSRgA\n",
		"o o\n1\nN7FPUYqjXtt7mQXj1HVGDxpu2bdWWzWXS6MrSRJPSRg=\n",
		"o+o\n1\nN7FPUYqjXtt7mQXj1HVGDxpu2bdWWzWXS6MrSRJPSRg=\n",
	};
	struct checkpoint c;
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(checkpoint_parse(bad[i], strlen(bad[i]), &c), NOTE_MALFORMED);
	const char *top = "o\n9223372036854775807\nN7FPUYqjXtt7mQXj1HVGDxpu2bdWWzWXS6MrSRJPSRg=\n";
	assert_int_equal(checkpoint_parse(top, strlen(top), &c), NOTE_OK);
	assert_true(c.size == INT64_MAX);
}

static void test_bad_keys(void **state)
{
	static const char *const bad[] = {
		"", "+", "++", "a", "a+eac6cf46", "+eac6cf46+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
		ORIGIN "+eac6cf47+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4", /* another id */
		ORIGIN "+EAC6CF46+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
		ORIGIN "+eac6cf4+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
		ORIGIN "+eac6cf46+AgOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4", /* another type */
		ORIGIN "+eac6cf46+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4AAAA",
		ORIGIN "+eac6cf46+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVT",
		"x" ORIGIN "+eac6cf46+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
	};
	struct note_key key;
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(note_key_parse(&key, bad[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spec_example), cmocka_unit_test(test_sign),
		cmocka_unit_test(test_accepted),     cmocka_unit_test(test_sixteen),
		cmocka_unit_test(test_refused),      cmocka_unit_test(test_checkpoint_text),
		cmocka_unit_test(test_bad_keys),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

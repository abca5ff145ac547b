/* SPDX-License-Identifier: MIT */
/* What looks like a secret, and what does not.  The secrets are made here: none opens anything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "render/render.h"

/* In two parts each, so that other scanners do not take this file for a leak. */
static const struct {
	const char *kind, *head, *tail;
} secrets[] = {
	{ "an AWS access key", "AKIA", "QZ3MJ7XK2LWD5PTV" },
	{ "an AWS access key", "ASIA", "QZ3MJ7XK2LWD5PTV" },
	{ "an AWS secret key", "aws_secret_access_key = ", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzKK12aBcD" },
	{ "an AWS secret key", "AWS_SECRET_ACCESS_KEY=\\\"", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzKK12aBcD" },
	{ "a GitHub token", "ghp_", "16C7e42F292c6912E7710c838347Ae178B4a" },
	{ "a GitHub token", "ghs_", "16C7e42F292c6912E7710c838347Ae178B4a" },
	{ "a GitHub token", "github_pat_", "11ABCDEFG0abcdefghijkl_MNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyzA" },
	{ "a Slack token", "xoxb-", "123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx" },
	{ "a Slack token", "xapp-", "1-A0123BCDEFG-1234567890123-abcdef0123456789abcdef" },
	{ "a Slack webhook", "hooks.slack.com/services/", "T0AB12CD3/B0EF45GH6/aBcDeFgHiJkLmNoPqRsTuVwX" },
	{ "an Anthropic key", "sk-ant-", "api03-Ab3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zAbCdEfGhIjKl" },
	{ "an OpenAI key", "sk-proj-", "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zAbCdEfGhIjKlMnOp" },
	{ "an OpenAI key", "sk-", "abcdEFGH1234ijklMNOPT3BlbkFJqrstUVWX5678yzABCDEF" },
	{ "a private key", "-----BEGIN OPENSSH PRIVATE KEY-----\\n",
	  "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\\n-----END OPENSSH PRIVATE KEY-----" },
	{ "a private key", "-----BEGIN RSA PRIVATE KEY-----\n> ",
	  "MIIEowIBAAKCAQEAxyzABCDEFGHIJKLMNOPQRSTUVWXYZ012345" },
	{ "a private key", "-----BEGIN RSA PRIVATE KEY-----\\n> > ",
	  "MIIEowIBAAKCAQEAxyzABCDEFGHIJKLMNOPQRSTUVWXYZ012345" },
	{ "a private key", "-----BEGIN PRIVATE KEY-----\n", "MC4CAQAwBQYDK2VwBCIEIAABBCCDDEEFFGGHHIIJJKKLLMM" },
	{ "a JSON web token", "eyJ", "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P" },
};

static const char *const harmless[] = {
	"AKIAIOSFODNN7EXAMPLE", "AKIAXXXXXXXXXXXXXXXX", "AKIAQZ3MJ7XK2LWD5PTVA", "XAKIAQZ3MJ7XK2LWD5PTV",
	"sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "sk-short", "risk-abcdEFGH1234ijklMNOPqrstUVWX5678yzABCDEF",
	"task-force-is-what-we-call-it-and-it-has-forty-letters-or-more", "a-XAKIAQZ3MJ7XK2LWD5PTV",
	"-----BEGIN PRIVATE KEY-----\n> begins a key",
	"ghp_abc", "ghx_16C7e42F292c6912E7710c838347Ae178B4a", "xoxb-not-a-token", "eyJhbGciOiJIUzI1NiJ9.eyJub3Q.x",
	"aws_secret_access_key is what it is called", "-----BEGIN PRIVATE KEY----- begins a key",
	"-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUAABBCCDDEEFFGGHHIIJJKKLLMMNNOO",
	"3f0c9e1b7a5d2c4e6f8091a2b3c4d5e6f708192a",
	"https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX", "", "-", "eyJ", "_", "I", "/",
};

static void take(void *ctx, const struct secret *s)
{
	*(struct secret *)ctx = *s;
}

static void test_found(void **state)
{
	static const char *const around[][2] = {
		{ "", "" }, { "{\"role\":\"user\",\"content\":\"my key:\\n", "\\nkeep it\"}" },
		{ "one\ntwo (", ")" }, { "KEY=", "\n" }, { "notes/key-", ".md" }, { "key_", " and" } };
	(void)state;
	for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
		for (size_t k = 0; k < sizeof around / sizeof *around; k++) {
			char text[512];
			struct secret s = { .kind = "none" };
			(void)snprintf(text, sizeof text, "%s%s%s%s", around[k][0], secrets[i].head, secrets[i].tail,
			               around[k][1]);
			if (render_secrets(text, strlen(text), take, &s) != 1 || strcmp(s.kind, secrets[i].kind) != 0)
				fail_msg("%s: %s", text, s.kind);
			assert_int_equal(s.at, strlen(around[k][0]));
			assert_int_equal(s.line, k == 2 ? 2 : 1);
			assert_true(s.at + s.len <= strlen(text));
			assert_non_null(memmem(text + s.at, s.len, secrets[i].tail, 16));
			/* Cut anywhere it may be found or not, but nothing behind the end is read (sanitizers). */
			for (size_t len = 0; len < strlen(text); len++) {
				char *part = malloc(len + 1);
				memcpy(part, text, len);
				(void)render_secrets(part, len, take, &s);
				free(part);
			}
		}
}

static void test_not_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
		if (render_secrets(harmless[i], strlen(harmless[i]), NULL, NULL) != 0)
			fail_msg("%s", harmless[i]);
}

/* JSON's escapes are what they stand for: a quote parts words, a letter does not. */
static void test_escaped(void **state)
{
	static const char *const parting[] = { "\\n", "\\r", "\\t", "\\b", "\\f", "\\\"", "\\/", "\\\\",
		"\\u201c", "\\u201C", "\\u00ab", "\\u0022", "\\u000a", "\\u003d", "\\u00e9", "\\\\u201c" };
	static const char *const joining[] = { "\\u0041", "\\u007a", "\\u0039", "u201c", "\\u201", "\\U201c",
		"\\u20gc", "\\x", "c" };
	char text[512];
	(void)state;
	for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
		for (size_t k = 0; k < sizeof parting / sizeof *parting; k++) {
			struct secret s = { .kind = "none" };
			(void)snprintf(text, sizeof text, "token: %s%s%s\\u201d", parting[k], secrets[i].head,
			               secrets[i].tail);
			if (render_secrets(text, strlen(text), take, &s) != 1)
				fail_msg("%s", text);
			assert_string_equal(s.kind, secrets[i].kind);
			assert_int_equal(s.at, 7 + strlen(parting[k]));
		}
	for (size_t k = 0; k < sizeof joining / sizeof *joining; k++) {
		(void)snprintf(text, sizeof text, "%s%s%s", joining[k], secrets[4].head, secrets[4].tail);
		if (render_secrets(text, strlen(text), NULL, NULL) != 0)
			fail_msg("%s", text);
	}
}

/* What nobody sees hides none, in it or before it, as it is or as JSON writes it. */
static void test_unseen(void **state)
{
	static const char *const unseen[] = { "\x1B[31m", "\x1B[0;1;32m", "\x1B[K", "\\u001b[31m", "\\u001B[m",
		"\xE2\x80\x8B", "\xE2\x81\xA0", "\xEF\xBB\xBF", "\\u200b", "\\u200D", "\\ufeff", "\x1B[31m\xE2\x80\x8B" };
	static const char *const before[] = { "", "my key: ", "colour" };
	char text[512];
	(void)state;
	for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
		for (size_t k = 0; k < sizeof unseen / sizeof *unseen; k++)
			for (size_t b = 0; b < sizeof before / sizeof *before; b++)
				for (size_t in = 0; in < 2; in++) {
					struct secret s = { .kind = "none" };
					size_t half = in ? strlen(secrets[i].tail) / 2 : 0;
					(void)snprintf(text, sizeof text, "one\n%s%s%s%.*s%s%s%s.", before[b], unseen[k], secrets[i].head,
					               (int)half, secrets[i].tail, in ? unseen[k] : "", secrets[i].tail + half, unseen[k]);
					if (in && b == 2)
						continue; /* before it a letter, in it a seam: that is too much */
					if (render_secrets(text, strlen(text), take, &s) != 1 || strcmp(s.kind, secrets[i].kind) != 0)
						fail_msg("%s: %s", text, s.kind);
					assert_int_equal(s.at, 4 + strlen(before[b]) + strlen(unseen[k]));
					assert_true(s.at + s.len >= strlen(text) - strlen(unseen[k]) - 1);
					assert_int_equal(s.line, 2);
				}
}

static void test_unseen_ends(void **state)
{
	char text[128];
	struct secret s;
	(void)state;
	(void)snprintf(text, sizeof text, "\\u0067\\u0068p_%s", secrets[4].tail); /* escapes of its own letters */
	assert_int_equal(render_secrets(text, strlen(text), take, &s), 1);
	assert_int_equal(s.at, 0);
	assert_int_equal(s.len, strlen(text));
	static const char *const none[] = { "\x1B", "\x1B[", "\x1B[31", "\\u001b", "\\u200b", "\\u001b[", "\\", "\\u",
		"\\u20", "\xE2\x80", "\xE2", "\xE2\x80\x8B", "\x1B[31mplain\x1B[0m", "a\xE2\x80\x8B" "b",
		"\xE2\x8B" "0" };
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		char *part = malloc(strlen(none[i])); /* nothing behind the end is read (sanitizers) */
		memcpy(part, none[i], strlen(none[i]));
		assert_int_equal(render_secrets(part, strlen(none[i]), NULL, NULL), 0);
		free(part);
	}
}

static void count_line(void *ctx, const struct secret *s)
{
	int *lines = ctx;
	lines[s->line]++;
}

static void test_many(void **state)
{
	char text[1024] = "";
	int lines[8] = { 0 };
	(void)state;
	for (int i = 0; i < 3; i++) {
		strncat(text, secrets[4].head, 64);
		strncat(text, secrets[4].tail, 64);
		strncat(text, " and\n", 8);
		strncat(text, secrets[0].head, 64);
		strncat(text, secrets[0].tail, 64);
		strncat(text, "\n", 8);
	}
	assert_int_equal(render_secrets(text, strlen(text), count_line, lines), 6);
	for (int i = 1; i <= 6; i++)
		assert_int_equal(lines[i], 1);
}

/* What begins like a secret again and again is looked at once: a mebibyte of it took a quarter of an hour. */
static void test_beginnings(void **state)
{
	static const char *const begins[] = { "xoxb-", "eyJ-", "sk-ant-", "ghp_", "-----BEGIN PRIVATE KEY-----" };
	enum { SIZE = 1 << 20 };
	char *text = malloc(SIZE + 256);
	(void)state;
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
		size_t len = 0, n = strlen(begins[i]);
		for (; len + n <= SIZE; len += n)
			memcpy(text + len, begins[i], n);
		len += (size_t)snprintf(text + len, 256, "\n%s%s", secrets[4].head, secrets[4].tail);
		assert_int_equal(render_secrets(text, len, NULL, NULL), 1);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_not_found),
		cmocka_unit_test(test_escaped),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_beginnings),
		cmocka_unit_test(test_unseen),
		cmocka_unit_test(test_unseen_ends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

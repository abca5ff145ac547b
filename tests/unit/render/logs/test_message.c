/* SPDX-License-Identifier: MIT */
/* Offered lines: what becomes of them, and which are refused with which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "render/format/json.h"
#include "render/render.h"
#include "store/store.h"
#include "tests/unit/hostile_fixture.h"

static struct buf body;
static char thread[NAME_LIMIT + 1];
static struct why why;

static int64_t count_bytes(const char *text, size_t len)
{
	(void)text;
	return (int64_t)len;
}

static int offer(const char *line, size_t len)
{
	buf_clear(&body);
	memset(&why, 0, sizeof why);
	return render_message_in(line, len, NULL, NULL, count_bytes, &body, thread, &why);
}

static void becomes(const char *line, const char *expected)
{
	int rc = offer(line, strlen(line));
	if (rc)
		fail_msg("refused: %s: %s", line, why.text);
	assert_string_equal(body.data, expected);
	json_t *parsed = json_loadb(body.data, body.len,
	                            JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
	assert_non_null(parsed);
	json_decref(parsed);
}

static void test_kept(void **state)
{
	(void)state;
	becomes("{\"content\":\"\"}", "{\"content\":\"\",\"token_count\":0}");
	becomes("\t { \"content\" : \"hi\"\t,\"role\":null } \r",
	        "{\"content\" : \"hi\"\t,\"role\":null,\"token_count\":2}");
	becomes("{\"z\":1e3,\"a\":-0.0,\"content\":\"x\",\"big\":123456789012345678901234567890}",
	        "{\"z\":1e3,\"a\":-0.0,\"content\":\"x\",\"big\":123456789012345678901234567890"
	        ",\"token_count\":1}");
	/* tokens are counted in what the text says, not in how it is written */
	becomes("{\"content\":\"\\u00e9\\ud83d\\ude00\\n\\/\"}",
	        "{\"content\":\"\\u00e9\\ud83d\\ude00\\n\\/\",\"token_count\":8}");
	becomes("{\"c\\u006fntent\":\"x\"}", "{\"c\\u006fntent\":\"x\",\"token_count\":1}");
}

static void test_source(void **state)
{
	(void)state;
	becomes("{\"id\":7,\"content\":\"x\"}",
	        "{\"content\":\"x\",\"source\":{\"id\":7},\"token_count\":1}");
	becomes("{ \"content\" : \"x\" , \"h\\u0061sh\" : [ 1 ] , \"a\" : {} , \"source\" : 1 }",
	        "{\"content\" : \"x\",\"a\" : {},\"source\":{\"h\\u0061sh\" : [ 1 ],\"source\" : 1}"
	        ",\"token_count\":1}");
	becomes("{\"id\":1,\"timestamp\":\"t\",\"author\":\"a\",\"role\":\"user\",\"content\":"
	        "\"x\",\"token_count\":9,\"prev_hash\":null,\"hash\":\"h\"}",
	        "{\"role\":\"user\",\"content\":\"x\",\"source\":{\"id\":1,\"timestamp\":\"t\","
	        "\"author\":\"a\",\"token_count\":9,\"prev_hash\":null,\"hash\":\"h\"}"
	        ",\"token_count\":1}");
	/* only at the top */
	becomes("{\"content\":\"x\",\"ambient\":{\"id\":1,\"hash\":2}}",
	        "{\"content\":\"x\",\"ambient\":{\"id\":1,\"hash\":2},\"token_count\":1}");
}

/* Much whitespace is left out, but the line must not become shorter than it was offered. */
static void test_never_shrinks(void **state)
{
	(void)state;
	static const char kept[] = "{\"content\":\"x\",\"source\":{\"id\":1}";
	char line[2000];
	for (size_t pad = 0; pad < 1000; pad += 7) {
		int len = snprintf(line, sizeof line, "%*s{\"content\":\"x\",%*s\"id\":1%*s}",
		                   (int)pad, "", (int)pad / 2, "", (int)pad / 3, "");
		assert_int_equal(offer(line, (size_t)len), 0);
		assert_true(body.len >= (size_t)len);
		assert_memory_equal(body.data, kept, sizeof kept - 1);
	}
}

static void test_members(void **state)
{
	(void)state;
	static const char full[] =
		"{\"role\":\"tool\",\"content\":\"x\",\"thread\":\"r\\u00e9lease 2\","
		"\"owner\":\"a\","
		"\"players\":[\"b\",\"c\"],\"master_player\":null,\"attachments\":{\"f\":[1]},"
		"\"hashtags\":[],\"flag\":\"ES\",\"master_item\":\"i\",\"items\":null,"
		"\"location\":\"l\",\"ambient\":null,\"refs\":["
		"{\"type\":\"context\",\"ref\":\"ab\"},"
		"{\"ref\":-3,\"type\":\"secretary\",\"more\":1}],\"pinned\":false,"
		"\"tool\":{\"a\":1},\"error\":[1],\"anything\":true}";
	assert_int_equal(offer(full, sizeof full - 1), 0);
	assert_memory_equal(body.data, full, sizeof full - 2);
	assert_string_equal(thread, "r\xC3\xA9lease 2");
	assert_int_equal(offer("{\"content\":\"\"}", 14), 0);
	assert_string_equal(thread, "");
	assert_int_not_equal(offer("{\"thread\":\"a\",\"content\":1}", 26), 0);
	assert_string_equal(thread, "");
}

/* ---- tests/hostile/lines: NAME.in is offered, NAME.why says what is answered ---- */

static int offer_hostile(const char *name, const char *line, size_t len, struct why *out)
{
	(void)name;
	int rc = offer(line, len);
	assert_int_equal(body.len, 0);
	*out = why;
	return rc;
}

static void add_words(struct buf *out, const struct why *of)
{
	buf_addf(out, "%s\n%s\n", of->text, of->todo);
}

static void test_hostile(void **state)
{
	(void)state;
	refuse_all("tests/hostile/lines", 50, offer_hostile, add_words);
}

/* ---- limits ---- */

static int offer_nested(int depth, const char *open, const char *close)
{
	struct buf line = BUF_INIT;
	buf_adds(&line, "{\"content\":\"x\",\"a\":");
	for (int i = 1; i < depth; i++)
		buf_adds(&line, open);
	buf_addc(&line, '1');
	for (int i = 1; i < depth; i++)
		buf_adds(&line, close);
	buf_addc(&line, '}');
	int rc = offer(line.data, line.len);
	buf_release(&line);
	return rc;
}

static void test_depth(void **state)
{
	(void)state;
	assert_int_equal(offer_nested(DEPTH_LIMIT, "[", "]"), 0);
	assert_int_equal(offer_nested(DEPTH_LIMIT, "{\"a\":", "}"), 0);
	assert_int_equal(offer_nested(DEPTH_LIMIT + 1, "[", "]"), RENDER_EINVAL);
	assert_non_null(strstr(why.text, "deeper than 64"));
	assert_int_equal(offer_nested(DEPTH_LIMIT + 1, "{\"a\":", "}"), RENDER_EINVAL);
	assert_int_equal(offer_nested(10000, "[", "]"), RENDER_EINVAL);
	assert_int_equal(offer_nested(100000, "[", ""), RENDER_EINVAL);
}

static int offer_long(size_t len)
{
	static const char head[] = "{\"content\":\"";
	char *line = malloc(len);
	assert_non_null(line);
	memset(line, 'a', len);
	memcpy(line, head, sizeof head - 1);
	memcpy(line + len - 2, "\"}", 2);
	int rc = offer(line, len);
	free(line);
	return rc;
}

static void test_length(void **state)
{
	(void)state;
	assert_int_equal(offer_long(LINE_LIMIT), 0);
	assert_int_equal(body.len, LINE_LIMIT + strlen(",\"token_count\":1048562"));
	assert_int_equal(offer_long(LINE_LIMIT + 1), RENDER_EFBIG);
	assert_int_equal(offer_long(5 << 20), RENDER_EFBIG);
}

/* 40,000 members: quadratic work would be noticed, and the last repeats an early one. */
static int64_t no_memory(const char *text, size_t len)
{
	(void)text, (void)len;
	return -1;
}

/* A counter that finds no memory refuses the line and the document. */
static void test_uncounted(void **state)
{
	(void)state;
	static const char *const lines[] = { "{\"content\":\"x\"}", "{\"content\":\"\\n\"}" };
	const struct document d = { FAMILY_SECTION, "smma", "user_profile.md", 0 };
	struct buf out = BUF_INIT;
	for (int i = 0; i < 2; i++)
		assert_int_equal(render_message_in(lines[i], strlen(lines[i]), NULL, NULL, no_memory, &out, thread, &why),
		                 RENDER_ENOMEM);
	assert_int_equal(render_document_in(&d, "x\n", 2, no_memory, &out, &why), RENDER_ENOMEM);
	buf_release(&out);
}

static void test_many_members(void **state)
{
	(void)state;
	struct buf line = BUF_INIT;
	buf_adds(&line, "{\"content\":\"x\"");
	for (int i = 0; i < 40000; i++)
		buf_addf(&line, ",\"m%d\":%d", i, i);
	buf_addc(&line, '}');
	assert_int_equal(offer(line.data, line.len), 0);
	line.len--;
	buf_adds(&line, ",\"\\u006d77\":1}");
	assert_int_equal(offer(line.data, line.len), RENDER_EINVAL);
	assert_non_null(strstr(why.text, "\\u006d77` stands twice"));
	buf_release(&line);
}

/* ---- the reader accepts just what jansson accepts (which swallows some NULs: none here) ---- */

static uint32_t seed = 2463534242;

static uint32_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

static void compare_readers(const char *text, size_t len)
{
	struct json j;
	int rc = json_read(&j, text, len, DEPTH_LIMIT, &why);
	json_release(&j);
	json_t *oracle = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY |
	                            JSON_DECODE_INT_AS_REAL, NULL);
	if ((rc == 0) != (oracle != NULL))
		fail_msg("%.*s: %s", (int)len, text, rc ? why.text : "jansson refuses it");
	json_decref(oracle);
}

static void test_against_jansson(void **state)
{
	(void)state;
	static const char *const seeds[] = {
		"{\"role\":\"user\",\"content\":\"h\xC3\xA9llo \\u00e9 \\ud83d\\ude00\","
		"\"a\":[1,2.5e-3]}",
		"{\"a\":{\"b\":[true,false,null,{}],\"a\":[]},\"b\":-0,"
		"\"\\u0061b\":1,\"ab \":\"\\\\\"}",
		"[1e308,1.7976931348623157e308,-1e-400,0.0,12345678901234567890,{\"x\":\"\\t\"}]",
	};
	static const char bytes[] = "\"\\{}[],:0123456789eE+-. \tunrtfalsd\x80\xC3\xED\xF0\xFF\n";
	char text[256];
	for (int i = 0; i < 200000; i++) {
		const char *from = seeds[next_random() % 3];
		size_t len = strlen(from);
		memcpy(text, from, len);
		for (uint32_t n = next_random() % 4; n > 0; n--) {
			size_t at = next_random() % len;
			size_t to = next_random() % len;
			switch (next_random() % 3) {
			case 0:
				text[at] = bytes[next_random() % (sizeof bytes - 1)];
				break;
			case 1:
				memmove(text + at, text + at + 1, len - at - 1);
				len--;
				break;
			default:
				text[at] = text[to];
			}
		}
		compare_readers(text, len);
	}
}

/* Up to half a step beyond the largest double; there, for jansson, infinity begins. */
static void test_largest(void **state)
{
	(void)state;
	char over[] = "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587"
		"207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730"
		"270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792";
	char text[400];
	const size_t last = strlen(over) - 1;
	static const char *const ends[] = { "", ".0", ".999e0", "e0", "e1", "e-1", "00e-2", "0e-2", ".5E+0" };
	for (char digit = '0'; digit <= '9'; digit++) {
		for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
			over[last] = digit;
			(void)snprintf(text, sizeof text, "[%s%s]", over, ends[i]);
			compare_readers(text, strlen(text));
			(void)snprintf(text, sizeof text, "[-0.00%se2%s]", over, digit & 1 ? "" : "0");
			compare_readers(text, strlen(text));
		}
	}
	struct json j;
	for (int i = 0; i < 5000; i++) { /* 18 digits that tell nothing, and more */
		(void)snprintf(text, sizeof text, "1.79769313486231580%.*se%d", (int)(next_random() % 9),
		               over + next_random() % 290, 308 - (int)(next_random() % 20 == 0));
		compare_readers(text, strlen(text));
	}
	assert_int_equal(json_read(&j, "1.7976931348623158e308", 22, DEPTH_LIMIT, &why), 0);
	json_release(&j);
	assert_int_equal(json_read(&j, "1.7976931348623158090e308", 25, DEPTH_LIMIT, &why), RENDER_EINVAL);
	json_release(&j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),          cmocka_unit_test(test_source),
		cmocka_unit_test(test_members),       cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_depth),         cmocka_unit_test(test_length),
		cmocka_unit_test(test_uncounted),     cmocka_unit_test(test_largest),
		cmocka_unit_test(test_many_members),  cmocka_unit_test(test_against_jansson),
		cmocka_unit_test(test_never_shrinks),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	buf_release(&body);
	return failed;
}

/* SPDX-License-Identifier: MIT */
/* What an embedding endpoint is sent, and which of its answers are taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "render/render.h"

static void test_request(void **state)
{
	static const struct embedding_text texts[] = { { "one \"quoted\"\n", 13 }, { "a\xff" "b\0c", 5 }, { "", 0 } };
	struct buf out = BUF_INIT;
	(void)state;
	render_embedding_request(&out, "m/1", 0, texts, 3);
	assert_false(out.failed);
	json_t *root = json_loadb(out.data, out.len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
	assert_non_null(root);
	assert_string_equal(json_string_value(json_object_get(root, "model")), "m/1");
	assert_string_equal(json_string_value(json_object_get(root, "encoding_format")), "float");
	assert_null(json_object_get(root, "dimensions"));
	const json_t *input = json_object_get(root, "input");
	assert_int_equal(json_array_size(input), 3);
	assert_string_equal(json_string_value(json_array_get(input, 0)), "one \"quoted\"\n");
	const json_t *odd = json_array_get(input, 1);
	assert_int_equal(json_string_length(odd), 7);
	assert_memory_equal(json_string_value(odd), "a\xef\xbf\xbd" "b\0c", 7);
	assert_string_equal(json_string_value(json_array_get(input, 2)), "");
	json_decref(root);
	buf_clear(&out);
	render_embedding_request(&out, "m", 256, texts, 1);
	assert_non_null(strstr(out.data, "\"dimensions\":256"));
	buf_release(&out);
}

/* Two vectors of two. */
#define GOOD(items) "{\"object\":\"list\",\"data\":[" items "],\"model\":\"m\",\"usage\":{\"total_tokens\":3}}"

static void test_taken(void **state)
{
	static const char *const good[] = {
		GOOD("{\"index\":0,\"embedding\":[1,-0.5]},{\"index\":1,\"embedding\":[2e3,0]}"),
		GOOD("{\"embedding\":[2000,0.0],\"index\":1},{\"index\":0,\"object\":\"embedding\",\"embedding\":[1,-0.5]}"),
		GOOD("{\"embedding\":[1,-0.5]},{\"embedding\":[2000,0]}"),
		"[{\"index\":0,\"embedding\":[[1,-0.5]]},{\"index\":1,\"embedding\":[[2000,0]]}]",
		GOOD("{\"index\":0,\"embedding\":\"AACAPwAAAL8=\"},{\"index\":1,\"embedding\":\"AAD6RAAAAAA=\"}"),
		" \n" GOOD("{\"index\":0.0,\"embedding\":[1,-0.5]},{\"index\":1,\"embedding\":[2000,-0]}") "\n",
	};
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct embeddings e;
		struct why why = { 0 };
		assert_int_equal(render_embeddings_in(good[i], strlen(good[i]), 2, &e, &why), 0);
		assert_int_equal(e.count, 2);
		assert_int_equal(e.dims, 2);
		assert_float_equal(e.values[0], 1, 0);
		assert_float_equal(e.values[1], -0.5, 0);
		assert_float_equal(e.values[2], 2000, 0);
		assert_float_equal(e.values[3], 0, 0);
		embeddings_release(&e);
	}
}

/* Base64 of three floats has no padding, of one has two signs of it. */
static void test_base64(void **state)
{
	static const struct {
		const char *text;
		int dims;
		float last;
	} table[] = {
		{ "AACAPw==", 1, 1 }, { "AACAPwAAAL8AAPpE", 3, 2000 }, { "AACAPwAAAL8=", 2, -0.5F },
	};
	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		char answer[128];
		struct embeddings e;
		struct why why = { 0 };
		int n = snprintf(answer, sizeof answer, "[{\"index\":0,\"embedding\":\"%s\"}]", table[i].text);
		assert_int_equal(render_embeddings_in(answer, (size_t)n, 1, &e, &why), 0);
		assert_int_equal(e.dims, table[i].dims);
		assert_float_equal(e.values[e.dims - 1], table[i].last, 0);
		embeddings_release(&e);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *answer, *why;
	} bad[] = {
		{ "", "not JSON" },
		{ "<html>502 Bad Gateway</html>", "not JSON" },
		{ "{\"data\":[", "not JSON" },
		{ GOOD("{\"index\":0,\"index\":1,\"embedding\":[1,2]},{\"index\":1,\"embedding\":[1,2]}"), "not JSON" },
		{ GOOD("{\"index\":0,\"embedding\":[1,NaN]},{\"index\":1,\"embedding\":[1,2]}"), "not JSON" },
		{ GOOD("{\"index\":0,\"embedding\":[1,1e999]},{\"index\":1,\"embedding\":[1,2]}"), "not JSON" },
		{ "[] []", "not JSON" },
		{ "{}", "no `data`" },
		{ "3", "not JSON" },
		{ "{\"data\":{}}", "no `data`" },
		{ "[]", "0 vectors for 2" },
		{ GOOD("{\"index\":0,\"embedding\":[1,2]}"), "1 vectors for 2" },
		{ GOOD("{\"index\":0,\"embedding\":[1]},{\"index\":1,\"embedding\":[1]},{\"index\":2,\"embedding\":[1]}"),
		  "3 vectors for 2" },
		{ GOOD("{\"index\":0,\"embedding\":[1,2]},{\"index\":0,\"embedding\":[1,2]}"), "index" },
		{ GOOD("{\"index\":0,\"embedding\":[1,2]},{\"index\":2,\"embedding\":[1,2]}"), "index" },
		{ GOOD("{\"index\":0,\"embedding\":[1,2]},{\"index\":-1,\"embedding\":[1,2]}"), "index" },
		{ GOOD("{\"index\":0,\"embedding\":[1,2]},{\"index\":0.5,\"embedding\":[1,2]}"), "index" },
		{ GOOD("{\"index\":0,\"embedding\":[1,2]},{\"index\":\"1\",\"embedding\":[1,2]}"), "index" },
		{ GOOD("{\"index\":0,\"embedding\":[1,2]},{\"embedding\":[1,2]}"), "index" },
		{ GOOD("{\"embedding\":[1,2]},{\"index\":1,\"embedding\":[1,2]}"), "index" },
		{ GOOD("{\"index\":0,\"embedding\":[1,2]},{\"index\":1,\"embedding\":[1]}"), "one size" },
		{ GOOD("{\"index\":0,\"embedding\":[1]},{\"index\":1,\"embedding\":\"AACAPwAAAL8=\"}"), "one size" },
		{ GOOD("{\"index\":0,\"embedding\":[]},{\"index\":1,\"embedding\":[]}"), "too few" },
		{ GOOD("{\"index\":0},{\"index\":1}"), "no embedding" },
		{ GOOD("{\"index\":0,\"embedding\":[1,2]},{\"index\":1,\"embedding\":null}"), "no embedding" },
		{ GOOD("1,2"), "no embedding" },
		{ GOOD("{\"index\":0,\"embedding\":[[1,2],[3,4]]},{\"index\":1,\"embedding\":[[1,2],[3,4]]}"), "is none" },
		{ GOOD("{\"index\":0,\"embedding\":[1,null]},{\"index\":1,\"embedding\":[1,2]}"), "is none" },
		{ GOOD("{\"index\":0,\"embedding\":[1,\"2\"]},{\"index\":1,\"embedding\":[1,2]}"), "is none" },
		{ GOOD("{\"index\":0,\"embedding\":[1,1e39]},{\"index\":1,\"embedding\":[1,2]}"), "not finite" },
		{ GOOD("{\"index\":0,\"embedding\":\"AACAfw==\"},{\"index\":1,\"embedding\":[1]}"), "not finite" },
		{ GOOD("{\"index\":0,\"embedding\":\"AACAP\"},{\"index\":1,\"embedding\":[1]}"), "too few" },
		{ GOOD("{\"index\":0,\"embedding\":\"AAC?Pw==\"},{\"index\":1,\"embedding\":[1]}"), "too few" },
		{ GOOD("{\"index\":0,\"embedding\":\"AACA\"},{\"index\":1,\"embedding\":[1]}"), "too few" },
		{ GOOD("{\"index\":0,\"embedding\":\"====\"},{\"index\":1,\"embedding\":[1]}"), "too few" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct embeddings e;
		struct why why = { 0 };
		int err = render_embeddings_in(bad[i].answer, strlen(bad[i].answer), 2, &e, &why);
		if (err != RENDER_EINVAL || !strstr(why.text, bad[i].why))
			print_message("%zu: %d %s\n", i, err, why.text);
		assert_int_equal(err, RENDER_EINVAL);
		assert_non_null(strstr(why.text, bad[i].why));
		assert_true(why.todo[0]);
		embeddings_release(&e);
	}
}

static void test_too_long(void **state)
{
	struct buf answer = BUF_INIT;
	struct embeddings e;
	struct why why = { 0 };
	(void)state;
	for (int dims = EMBEDDING_DIMS_MOST; dims <= EMBEDDING_DIMS_MOST + 1; dims++) {
		buf_clear(&answer);
		buf_adds(&answer, "[{\"index\":0,\"embedding\":[0.25");
		for (int i = 1; i < dims; i++)
			buf_adds(&answer, ",0.25");
		buf_adds(&answer, "]}]");
		assert_int_equal(render_embeddings_in(answer.data, answer.len, 1, &e, &why),
		                 dims > EMBEDDING_DIMS_MOST ? RENDER_EINVAL : 0);
		embeddings_release(&e);
	}
	buf_clear(&answer); /* deeper than the reader goes */
	for (int i = 0; i < 100000; i++)
		buf_addc(&answer, '[');
	assert_int_equal(render_embeddings_in(answer.data, answer.len, 1, &e, &why), RENDER_EINVAL);
	embeddings_release(&e);
	buf_release(&answer);
}

static void test_error(void **state)
{
	static const struct {
		const char *answer, *said;
	} table[] = {
		{ "{\"error\":{\"message\":\"Incorrect API key: sk-secret1 (sk-secret1)\",\"code\":401}}",
		  "Incorrect API key: *** (***)" },
		{ "{\"error\":\"model not\\nfound\"}", "model not found" },
		{ "{\"detail\":\"no\",\"message\":\"yes\"}", "yes" },
		{ "{\"detail\":[{\"msg\":\"x\"}]}", "" },
		{ "oops", "" },
		{ "", "" },
		{ "{\"message\":\"0123456789012345678901234567890123456789\"}", "0123456789012345678901234567890" },
	};
	char said[32];
	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		render_embedding_error(said, sizeof said, table[i].answer, strlen(table[i].answer), "sk-secret1");
		assert_string_equal(said, table[i].said);
	}
	render_embedding_error(said, sizeof said, "{\"error\":\"a\"}", 13, NULL);
	assert_string_equal(said, "a");
	render_embedding_error(said, sizeof said, "{\"error\":\"a\"}", 13, "");
	assert_string_equal(said, "a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_request), cmocka_unit_test(test_taken), cmocka_unit_test(test_base64),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_too_long), cmocka_unit_test(test_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

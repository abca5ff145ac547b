/* SPDX-License-Identifier: MIT */
/* Front matter as JSON, and every offered document that must be refused, with which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "render/format/frontmatter.h"
#include "render/render.h"
#include "store/store.h"
#include "tests/unit/exact.h"
#include "tests/unit/hostile_fixture.h"

static struct why why;

static int read_front(struct front *f, const char *text, size_t len)
{
	char *exact = exact_copy(text, len);
	memset(&why, 0, sizeof why);
	int rc = front_read(f, exact, len, &why);
	free(exact);
	return rc;
}

static void becomes(const char *text, const char *json, size_t body)
{
	struct front f;
	if (read_front(&f, text, strlen(text)))
		fail_msg("refused: %s: line %d: %s", text, why.line, why.text);
	assert_string_equal(f.json.data, json);
	assert_int_equal(f.body, body);
	json_t *parsed = json_loads(f.json.data, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
	assert_non_null(parsed);
	json_decref(parsed);
	front_release(&f);
}

static void test_where(void **state)
{
	(void)state;
	becomes("", "{}", 0);
	becomes("text\n", "{}", 0);
	becomes("\xEF\xBB\xBFtext\n", "{}", 3);
	becomes("----\n", "{}", 0);
	becomes("--- a\n", "{}", 0);
	becomes(" ---\n", "{}", 0);
	becomes("\n---\na: 1\n---\n", "{}", 0);
	becomes("---\n---\n", "{}", 8);
	becomes("---\n---", "{}", 7);
	becomes("---\n# nothing\n\n---\nx", "{}", 19);
	becomes("---\na: b\n---\ntext", "{\"a\":\"b\"}", 13);
	becomes("---\na: b\n---", "{\"a\":\"b\"}", 12);
	becomes("---\r\na: b\r\n---\r\ntext", "{\"a\":\"b\"}", 16);
	becomes("\xEF\xBB\xBF---\na: b\n---\ntext", "{\"a\":\"b\"}", 16);
	becomes("--- \na: b\n---\t\ntext\n---\n", "{\"a\":\"b\"}", 15);
	becomes("---\na: |\n  x\n  ---\n  y\n---\n", "{\"a\":\"x\\n---\\ny\\n\"}", 27);
}

static void test_scalars(void **state)
{
	(void)state;
	static const struct {
		const char *yaml, *json;
	} cases[] = {
		{ "", "null" },            { "~", "null" },          { "null", "null" },
		{ "Null", "null" },        { "''", "\"\"" },         { "\"~\"", "\"~\"" },
		{ "true", "true" },        { "True", "true" },       { "FALSE", "false" },
		{ "yes", "\"yes\"" },      { "off", "\"off\"" },     { "'true'", "\"true\"" },
		{ "0", "0" },              { "-0", "-0" },           { "+5", "5" },
		{ "12", "12" },            { "007", "\"007\"" },     { "0x1F", "\"0x1F\"" },
		{ "1_000", "\"1_000\"" },  { ".5", "0.5" },          { "-.5", "-0.5" },
		{ "5.", "5.0" },           { "1.50", "1.50" },       { "1e3", "1e3" },
		{ "1e", "\"1e\"" },        { "1.2.3", "\"1.2.3\"" }, { ".", "\".\"" },
		{ "-", NULL },             { ".inf", "\".inf\"" },   { "1e999", "\"1e999\"" },
		{ "1E-5", "1E-5" },        { "1e+5", "1e+5" },       { "2026-11-20", "\"2026-11-20\"" },
		{ "'12'", "\"12\"" },      { "a b", "\"a b\"" },     { "\"\\u00e9\\n\"", "\"\xC3\xA9\\n\"" },
		{ "12345678901234567890", "12345678901234567890" },  { "00.5", "\"00.5\"" },
		{ "[a, 1, ~]", "[\"a\",1,null]" },                   { "{b: {}, c: []}", "{\"b\":{},\"c\":[]}" },
		{ "\n  - x\n  - y: 1\n    z: 2", "[\"x\",{\"y\":1,\"z\":2}]" },
		{ ">\n  one\n  two", "\"one two\\n\"" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char text[128], json[128];
		int n = snprintf(text, sizeof text, "---\na: %s\n---\n", cases[i].yaml);
		if (!cases[i].json) { /* a list's dash without its item */
			struct front f;
			(void)read_front(&f, text, (size_t)n);
			front_release(&f);
			continue;
		}
		(void)snprintf(json, sizeof json, "{\"a\":%s}", cases[i].json);
		becomes(text, json, (size_t)n);
	}
}

static void whole_becomes(const char *text, const char *json)
{
	becomes(text, json, strlen(text));
}

static void test_keys(void **state)
{
	(void)state;
	whole_becomes("---\n1: a\ntrue: b\n~: c\n'': d\n\"q \\\"\": e\n---\n",
	              "{\"1\":\"a\",\"true\":\"b\",\"~\":\"c\",\"\":\"d\",\"q \\\"\":\"e\"}");
	/* the same key in different mappings is no second one */
	whole_becomes("---\na: {a: 1, b: {a: 2}}\nb: [{a: 1}, {a: 2}]\n---\n",
	              "{\"a\":{\"a\":1,\"b\":{\"a\":2}},\"b\":[{\"a\":1},{\"a\":2}]}");
	whole_becomes("---\n<<: {a: 1}\n---\n", "{\"<<\":{\"a\":1}}");
}

static void test_lines(void **state)
{
	(void)state;
	static const char text[] = "---\na: 1\nb:\n  c: 2\n  d:\n    - 3\n    - 4\n---\n";
	static const int lines[] = { 2, 2, 3, 4, 5, 6, 7 };
	struct front f;
	assert_int_equal(read_front(&f, text, sizeof text - 1), 0);
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		assert_int_equal(f.lines[i], lines[i]);
	front_release(&f);
}

/* libyaml ends a line there: what stands behind it would be a key of its own, and is none to an editor. */
static void test_odd_breaks(void **state)
{
	static const char *const breaks[] = { "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9" };
	char text[128];
	struct front f;
	(void)state;
	for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
		int n = snprintf(text, sizeof text, "---\na: b\nsummary: we ship%sstatus: deleted\n---\n", breaks[i]);
		assert_int_equal(front_read(&f, text, (size_t)n, &why), RENDER_EINVAL);
		assert_int_equal(why.line, 3);
		front_release(&f);
		n = snprintf(text, sizeof text, "---\na: b\n---\ntext%sbehind\n", breaks[i]);
		assert_int_equal(read_front(&f, text, (size_t)n), 0);
		front_release(&f);
	}
	whole_becomes("---\na: \"x\\u2028y\"\n---\n", "{\"a\":\"x\xE2\x80\xA8y\"}");
}

/* ---- limits ---- */

static int read_repeated(const char *open, const char *part, size_t count, const char *close)
{
	struct buf text = BUF_INIT;
	struct front f;
	buf_adds(&text, open);
	for (size_t i = 0; i < count; i++)
		buf_addf(&text, part, (int)i);
	buf_adds(&text, close);
	int rc = read_front(&f, text.data, text.len);
	front_release(&f);
	buf_release(&text);
	return rc;
}

static void test_limits(void **state)
{
	(void)state;
	/* values: the mapping, the list, and its items */
	assert_int_equal(read_repeated("---\na: [", "%d,", FRONT_VALUES - 2, "]\n---\n"), 0);
	assert_int_equal(read_repeated("---\na: [", "%d,", FRONT_VALUES - 1, "]\n---\n"), RENDER_EINVAL);
	assert_int_equal(read_repeated("---\na: {", "k%d: 1, ", FRONT_VALUES - 2, "}\n---\n"), 0);
	assert_int_equal(read_repeated("---\n{", "? k%d, ", FRONT_VALUES + 9, "}\n---\n"), RENDER_EINVAL);
	assert_int_equal(read_repeated("---\n", "k%d:\n", FRONT_LINES, "---\n"), 0);
	assert_int_equal(read_repeated("---\n", "k%d:\n", FRONT_LINES + 1, "---\n"), RENDER_EINVAL);
	assert_non_null(strstr(why.text, "too long"));
	assert_int_equal(read_repeated("---\na: '", "%1d", 0, "'\n---\n"), 0);
	assert_int_equal(read_repeated("---\na: ", "[", 7, "]]]]]]]\n---\n"), 0);
	assert_int_equal(read_repeated("---\na: ", "[", 8, "]]]]]]]]\n---\n"), RENDER_EINVAL);
	assert_int_equal(read_repeated("---\na: ", "[", 60000, "\n---\n"), RENDER_EINVAL);
	assert_int_equal(read_repeated("---\n", "{", 60000, "\n---\n"), RENDER_EINVAL);
	assert_int_equal(read_repeated("---\n", "- ", 30000, "\n---\n"), RENDER_EINVAL);
	assert_int_equal(read_repeated("---\na: ", "\" ", 30000, "\n---\n"), RENDER_EINVAL);
}

/* ---- tests/hostile/frontmatter: NAME.in is saved, NAME.why says what is answered ---- */

static const struct {
	const char *prefix;
	struct document d;
} documents[] = {
	{ "block-", { FAMILY_BLOCK, "rules", "house.md", 0 } },
	{ "memory-", { FAMILY_MEMORY, "preference", "coffee.md", 0 } },
	{ "item-", { FAMILY_COMPONENT, "itm", "cup.md", 0 } },
	{ "player-", { FAMILY_COMPONENT, "ply", "ana.md", 0 } },
	{ "task-", { FAMILY_SECTION, "", "current_task.md", 0 } },
	{ "session-", { FAMILY_SESSION, "monday", "session.md", 0 } },
	{ "algorithm-", { FAMILY_ALGORITHM, "score", "1.0.json", 0 } },
};

static const struct document *document_of(const char *name)
{
	for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++)
		if (strncmp(name, documents[i].prefix, strlen(documents[i].prefix)) == 0)
			return &documents[i].d;
	fail_msg("%s: whose document is that?", name);
	return NULL;
}

static int offer(const char *name, const char *bytes, size_t len, struct why *out)
{
	struct buf fields = BUF_INIT;
	int rc = render_document_in(document_of(name), bytes, len, store_token_count, &fields, out);
	assert_int_equal(fields.len, 0);
	buf_release(&fields);
	return rc;
}

static void add_words(struct buf *out, const struct why *of)
{
	buf_addf(out, "line %d: %s\n%s\n", of->line, of->text, of->todo);
}

static void test_hostile(void **state)
{
	(void)state;
	refuse_all("tests/hostile/frontmatter", 100, offer, add_words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_where), cmocka_unit_test(test_scalars), cmocka_unit_test(test_keys),
		cmocka_unit_test(test_lines), cmocka_unit_test(test_odd_breaks), cmocka_unit_test(test_limits),
		cmocka_unit_test(test_hostile),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

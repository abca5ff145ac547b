/* SPDX-License-Identifier: MIT */
/* Answers in the store: those that hold, newest first, by question; and the names that are questions. */
#include "tests/unit/doc_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "render/render.h"

#define AGAIN "{\"fields\":{\"asked\":\"Who IS Ana?\"},\"text\":\"a\"}"

static int64_t answer_as(struct store *s, const char *parent, const char *name, const char *asked, int64_t us)
{
	char make[512], body[512];
	int64_t id = 0;
	clock_set(us);
	int m = snprintf(make, sizeof make,
	                 "{\"parent\":\"%s\",\"name\":\"%s\",\"path\":\"x\",\"folder\":false}", parent, name);
	int b = snprintf(body, sizeof body,
	                 "{\"fields\":{%s%s%s},\"size\":1,\"tokens\":1,\"sha256\":\"\",\"lines\":[1,0],\"text\":\"a\"}",
	                 asked ? "\"asked\":\"" : "", asked ? asked : "", asked ? "\"" : "");
	struct doc_text version = { body, (size_t)b };
	assert_int_equal(store_doc_make(s, parent, name, (struct doc_text){ make, (size_t)m }, &version, "ana:sh", &id), 0);
	return id;
}

struct seen {
	int count, stop;
	int64_t id[8];
	char question[8][64];
};

static int take(void *ctx, const struct doc_answer *a)
{
	struct seen *s = ctx;
	s->id[s->count] = a->id;
	(void)snprintf(s->question[s->count], 64, "%s", a->question);
	assert_int_equal(a->versions, 1);
	return ++s->count == s->stop;
}

static void test_newest_first(void **state)
{
	struct memory *m = *state;
	char question[NAME_LIMIT + 1];
	struct doc d;
	int64_t a = answer_as(m->s, "answers", "who is ana.md", "Who is Ana?", T(1000));
	int64_t b = answer_as(m->s, "answers", "who is bo.md", "Who is Bo?", T(1000 + 10));
	int64_t c = answer_as(m->s, "answers", "who is c.md", NULL, T(1000 + 20));
	(void)answer_as(m->s, "answers/tools", "ls.md", "ls", T(1000 + 30));
	(void)answer_as(m->s, "notes", "n.md", NULL, T(1000 + 40));
	struct seen s = { 0 };
	assert_int_equal(store_answers(m->s, "answers", T(999), 8, take, &s), 0);
	assert_int_equal(s.count, 3);
	assert_true(s.id[0] == c && s.id[1] == b && s.id[2] == a);
	assert_string_equal(s.question[0], "who is c");
	assert_string_equal(s.question[2], "Who is Ana?");
	s = (struct seen){ 0 };
	assert_int_equal(store_answers(m->s, "answers", T(1000), 8, take, &s), 0); /* after, not at */
	assert_int_equal(s.count, 2);
	s = (struct seen){ 0 };
	assert_int_equal(store_answers(m->s, "answers", 0, 1, take, &s), 0);
	assert_int_equal(s.count, 1);
	s = (struct seen){ .stop = 2 };
	assert_int_equal(store_answers(m->s, "answers", 0, 8, take, &s), 0);
	assert_int_equal(s.count, 2);
	/* One saved again is the newest. */
	clock_set(T(1000 + 50));
	struct doc_text again = { AGAIN, sizeof AGAIN - 1 };
	assert_int_equal(store_doc_append(m->s, a, "document", again, "ana:sh", -1), 0);
	assert_int_equal(store_answer_question(m->s, a, question), 0);
	assert_string_equal(question, "Who IS Ana?");
	assert_int_equal(store_answer_question(m->s, c, question), STORE_ENOENT);
	assert_int_equal(store_answer_question(m->s, 99, question), STORE_ENOENT);
	/* By number, of those saved since. */
	assert_int_equal(store_doc_next_since(m->s, "answers", T(1000 + 20), 0, &d), 0);
	assert_int_equal(d.id, a);
	assert_int_equal(store_doc_next_since(m->s, "answers", T(1000 + 20), a, &d), 0);
	assert_int_equal(d.id, c);
	assert_int_equal(store_doc_next_since(m->s, "answers", T(1000 + 20), c, &d), STORE_ENOENT);
}

static void test_names(void **state)
{
	static const char *const is[] = { "What is x?.md", "a.md", "¿Qué?.md", "  .md", "x.tmp.md", "?.md", "50%.md" };
	static const char *const is_not[] = { ".md", "x", "x.txt", ".x.md", "#x.md", "x~.md", "x.md~", "x.md.tmp",
		"a\nb.md", "a/b.md", "\xff.md", "4913", "sedAbCdEf" };
	(void)state;
	for (size_t i = 0; i < sizeof is / sizeof *is; i++)
		assert_true(render_is_document(FAMILY_ANSWER, is[i]));
	for (size_t i = 0; i < sizeof is_not / sizeof *is_not; i++)
		assert_false(render_is_document(FAMILY_ANSWER, is_not[i]));
	char name[300];
	memset(name, 'n', sizeof name);
	memcpy(name + 252, ".md", 4);
	assert_true(render_is_document(FAMILY_ANSWER, name));
	memset(name, 'n', sizeof name);
	memcpy(name + 253, ".md", 4);
	assert_false(render_is_document(FAMILY_ANSWER, name));
}

static void test_fields(void **state)
{
	static const struct document d = { FAMILY_ANSWER, "", "What is X?.md", 0 };
	static const char text[] = "---\nsource: the wiki\nquestion: else\n---\nX.\n";
	struct buf out = BUF_INIT;
	struct why why = { 0 };
	(void)state;
	assert_int_equal(render_document_in(&d, text, sizeof text - 1, store_token_count, &out, &why),
	                 0);
	assert_non_null(strstr(out.data, "\"asked\":\"What is X?\""));
	assert_non_null(strstr(out.data, "\"source\":\"the wiki\""));
	buf_clear(&out);
	assert_int_equal(render_document_in(&d, "a\0b", 3, store_token_count, &out, &why), RENDER_EINVAL);
	buf_clear(&out);
	render_retrieved(&out, "X.\n", 3);
	assert_string_equal(out.data, "[Retrieved from an earlier conversation]\nX.\n");
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_newest_first, memory_open, memory_close),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_fields),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

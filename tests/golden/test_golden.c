/* SPDX-License-Identifier: MIT */
/*
 * Pages that are read by people, kept as files: FAMILY-NAME.in is given to the
 * renderer of its family and must give FAMILY-NAME.out, byte for byte.  With
 * CINTA_GOLDEN=write the .out files are made anew, to be read before they are
 * committed.  Families: message and record (an offered line), transcript and page
 * (a body), facts (a list, as somebody saved it), query (a query a line) and search (a
 * query, then hits: path, score, role, author, time, text, with tabs between).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "render/render.h"
#include "store/store.h"

static const char dir[] = "tests/golden";

static struct entry entry_of(const struct buf *in)
{
	static const uint8_t salt[SALT_SIZE];
	struct entry e = { .seq = 99, .stream = "s3", .stream_seq = 16, .time_us = 1795168800123456,
			   .kind = "message", .author = "alice:bash", .salt = salt,
			   .body = in->data ? in->data : "", .body_len = in->len };
	memset(e.prev, 0xAB, sizeof e.prev);
	memset(e.leaf_hash, 0x0C, sizeof e.leaf_hash);
	if (in->len >= 8 && memcmp(in->data, "REDACTED", 8) == 0) {
		e.body = NULL;
		e.salt = NULL;
		e.stream_seq = 0;
	}
	return e;
}

static void message(struct buf *out, struct buf *in)
{
	char thread[NAME_LIMIT + 1];
	struct why why = { 0 };
	while (in->len > 0 && in->data[in->len - 1] == '\n')
		in->len--;
	if (render_message_in(in->data, in->len, NULL, NULL, store_token_count, out, thread, &why))
		fail_msg("%s", why.text);
	buf_addf(out, "\nthread: %s\n", thread);
}

static void record(struct buf *out, struct buf *in)
{
	struct why why = { 0 };
	while (in->len > 0 && in->data[in->len - 1] == '\n')
		in->len--;
	if (render_record_in(in->data, in->len, out, &why))
		fail_msg("%s", why.text);
	buf_addc(out, '\n');
}

static void transcript(struct buf *out, struct buf *in)
{
	struct entry e = entry_of(in);
	render_transcript(out, &e);
}

static void page(struct buf *out, struct buf *in)
{
	struct entry e = entry_of(in);
	render_message_page(out, &e, "a \"session\"");
}

static void facts(struct buf *out, struct buf *in)
{
	struct fact_list list;
	struct why why = { 0 };
	if (render_facts_in(in->data, in->len, &list, &why))
		fail_msg("%s", why.text);
	render_facts(out, "work", list.frame.data, list.items, list.count);
	fact_list_release(&list);
}

static void query(struct buf *out, struct buf *in)
{
	char *rest = in->data;
	for (char *line; (line = strsep(&rest, "\n")) && rest;) {
		struct query q;
		struct why why = { 0 };
		int err = render_query_in(line, strlen(line), &q, &why);
		if (err)
			buf_addf(out, "%d: %s; %s", err, why.text, why.todo);
		else
			render_query(out, &q);
		buf_addc(out, '\n');
		query_release(&q);
	}
}

/* Letters, digits and all beyond ASCII; capitals are folded.  The index has better words. */
static int plain_words(const char *text, size_t len, word_fn *fn, void *ctx)
{
	char word[64];
	for (size_t i = 0, n = 0; i <= len; i++) {
		unsigned char c = i < len ? (unsigned char)text[i] : ' ';
		bool letter = c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
		if (letter && n < sizeof word)
			word[n++] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
		if (!letter && n > 0)
			fn(ctx, word, n, i - n, i);
		n = letter ? n : 0;
	}
	return 0;
}

static void add_found(struct buf *out, char *line, int rank, const struct terms *terms, bool json)
{
	struct buf snippet = BUF_INIT;
	struct result r = { .rank = rank, .kind = "message", .heir = "", .path = strsep(&line, "\t") };
	r.score = strtod(strsep(&line, "\t"), NULL);
	r.role = strsep(&line, "\t");
	r.author = strsep(&line, "\t");
	r.time_us = strtoll(strsep(&line, "\t"), NULL, 10);
	render_snippet(&snippet, line, strlen(line), terms);
	r.snippet = snippet.data ? snippet.data : "";
	if (json)
		render_result_json(out, &r);
	else
		render_result(out, &r);
	buf_release(&snippet);
}

static void search_as(struct buf *out, const struct buf *in, bool json)
{
	struct query q;
	struct terms terms;
	struct why why = { 0 };
	int rank = 0, hits = 0;
	char *copy = strndup(in->data, in->len), *rest = copy, *line = strsep(&rest, "\n");
	for (const char *c = rest; *c; c++)
		hits += *c == '\n';
	int err = render_query_in(line, strlen(line), &q, &why);
	if (err && !json)
		render_no_query(out, line, strlen(line), &why);
	else if (!json)
		render_results(out, &q, hits == 1 ? "a_session" : "", (size_t)hits,
		               &(struct found_state){ .by_words = hits == 1 });
	assert_int_equal(render_terms(&terms, &q, plain_words, plain_words, NULL), 0);
	while ((line = strsep(&rest, "\n")) && rest)
		add_found(out, line, ++rank, &terms, json);
	terms_release(&terms);
	query_release(&q);
	free(copy);
}

static void search(struct buf *out, struct buf *in)
{
	search_as(out, in, false);
	buf_adds(out, "----\n");
	search_as(out, in, true);
}

static const struct {
	const char *family;
	void (*render)(struct buf *out, struct buf *in);
} families[] = { { "message-", message }, { "record-", record }, { "transcript-", transcript }, { "page-", page },
	       { "facts-", facts }, { "query-", query }, { "search-", search } };

static bool slurp(const char *path, struct buf *b)
{
	char chunk[4096];
	FILE *f = fopen(path, "rb");
	if (!f)
		return false;
	for (size_t n; (n = fread(chunk, 1, sizeof chunk, f)) > 0;)
		buf_add(b, chunk, n);
	(void)fclose(f);
	return true;
}

static void compare(const char *path, const struct buf *got)
{
	const char *mode = getenv("CINTA_GOLDEN");
	struct buf expected = BUF_INIT;
	if (mode && strcmp(mode, "write") == 0) {
		FILE *f = fopen(path, "wb");
		assert_non_null(f);
		assert_int_equal(fwrite(got->data, 1, got->len, f), got->len);
		(void)fclose(f);
	}
	if (!slurp(path, &expected))
		fail_msg("%s is missing", path);
	if (expected.len != got->len || memcmp(expected.data, got->data, got->len) != 0)
		fail_msg("%s differs; got:\n%.*s", path, (int)got->len, got->data);
	buf_release(&expected);
}

static bool run_case(const char *name)
{
	char path[512];
	for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
		if (strncmp(name, families[i].family, strlen(families[i].family)) != 0)
			continue;
		struct buf in = BUF_INIT, out = BUF_INIT;
		(void)snprintf(path, sizeof path, "%s/%s.in", dir, name);
		assert_true(slurp(path, &in));
		families[i].render(&out, &in);
		(void)snprintf(path, sizeof path, "%s/%s.out", dir, name);
		compare(path, &out);
		buf_release(&in);
		buf_release(&out);
		return true;
	}
	return false;
}

static void test_cases(void **state)
{
	(void)state;
	int seen = 0;
	DIR *d = opendir(dir);
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));) {
		char *dot = strrchr(e->d_name, '.');
		if (!dot || strcmp(dot, ".in") != 0)
			continue;
		*dot = '\0';
		if (!run_case(e->d_name))
			fail_msg("%s is of no family", e->d_name);
		seen++;
	}
	closedir(d);
	assert_true(seen >= 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* The questions on which algorithms are compared: lines of a file, or what the memory holds. */
#include <stdlib.h>
#include <string.h>

#include "render/answers/answers.h"
#include "render/format/format.h"

static int bad(struct why *why, int line, int code, const char *reason, const char *todo)
{
	why_set(why, todo, "%s", reason);
	if (why)
		why->line = line;
	return code;
}

static struct asked_question *add(struct asked_questions *q, const char *text, size_t len)
{
	if (q->count == q->room) {
		size_t room = 2 * q->room + 16;
		struct asked_question *more = realloc(q->items, room * sizeof *more);
		if (!more)
			return NULL;
		q->items = more;
		q->room = room;
	}
	struct asked_question *one = &q->items[q->count];
	*one = (struct asked_question){ .words = strndup(text, len) };
	q->count += one->words != NULL;
	return one->words ? one : NULL;
}

int asked_questions_add(struct asked_questions *q, const char *text, size_t len)
{
	size_t used = 0;
	while (used < len && text[used]) {
		size_t n = utf8_size(text + used, len - used);
		if (used + (n ? n : 1) > QUESTION_LIMIT)
			break;
		used += n ? n : 1;
	}
	for (size_t i = 0; i < q->count; i++)
		if (strlen(q->items[i].words) == used && memcmp(q->items[i].words, text, used) == 0)
			return 0;
	return add(q, text, used) ? 0 : RENDER_ENOMEM;
}

static int add_expected(struct asked_question *q, const char *path, size_t len)
{
	for (size_t i = 0; i < q->count; i++)
		if (strlen(q->expected[i]) == len && memcmp(q->expected[i], path, len) == 0)
			return 0;
	if (q->count == EXPECTED_LIMIT)
		return RENDER_EFBIG;
	char **more = realloc(q->expected, (q->count + 1) * sizeof *more);
	if (!more)
		return RENDER_ENOMEM;
	q->expected = more;
	more[q->count] = strndup(path, len);
	if (!more[q->count])
		return RENDER_ENOMEM;
	q->count++;
	return 0;
}

static size_t without_blanks(const char **text, size_t len)
{
	while (len > 0 && (**text == ' ' || **text == '\r')) {
		(*text)++;
		len--;
	}
	while (len > 0 && ((*text)[len - 1] == ' ' || (*text)[len - 1] == '\r'))
		len--;
	return len;
}

static int check_line(const char *text, size_t len, int line, struct why *why)
{
	if (len > QUESTION_LIMIT)
		return bad(why, line, RENDER_EFBIG, "the line has more than 4096 bytes",
		           "ask in fewer words");
	for (size_t i = 0, n; i < len; i += n) {
		n = text[i] ? utf8_size(text + i, len - i) : 0;
		if (n == 0)
			return bad(why, line, RENDER_EINVAL, text[i] ? "invalid UTF-8" : "a NUL byte",
			           "give text: a question a line");
	}
	return 0;
}

static int add_line(struct asked_questions *q, const char *text, size_t len, int line,
                    struct why *why)
{
	const char *end = text + len, *tab = memchr(text, '\t', len), *words = text;
	size_t word_len = without_blanks(&words, (size_t)((tab ? tab : end) - text));
	int err = check_line(text, len, line, why);
	if (!err && q->count == QUESTIONS_LIMIT)
		return bad(why, line, RENDER_EFBIG, "more than 10000 questions", "ask fewer");
	struct asked_question *one = err ? NULL : add(q, words, word_len);
	if (!one)
		return err ? err : RENDER_ENOMEM;
	one->line = line;
	while (!err && tab) {
		const char *path = tab + 1;
		tab = memchr(path, '\t', (size_t)(end - path));
		size_t n = without_blanks(&path, (size_t)((tab ? tab : end) - path));
		err = n ? add_expected(one, path, n) : 0;
	}
	if (err == RENDER_EFBIG)
		return bad(why, line, err, "more than 64 results are expected", "name fewer");
	if (one->words[0] == '\0' && one->count == 0) { /* blank */
		free(one->words);
		q->count--;
	}
	return err;
}

int render_questions_in(const char *bytes, size_t len, struct asked_questions *out,
                        struct why *why)
{
	int err = 0, line = 1;
	*out = (struct asked_questions){ .count = 0 };
	size_t at = front_skip_mark(bytes, len);
	for (; !err && at < len; line++) {
		const char *end = memchr(bytes + at, '\n', len - at);
		size_t n = end ? (size_t)(end - bytes) - at : len - at;
		err = add_line(out, bytes + at, n, line, why);
		at += n + 1;
	}
	if (err == RENDER_ENOMEM)
		return bad(why, 0, err, "out of memory", "try again");
	if (!err && out->count == 0)
		return bad(why, 0, RENDER_EINVAL, "there is no question in it", "write one a line");
	return err;
}

void asked_questions_release(struct asked_questions *q)
{
	for (size_t i = 0; i < q->count; i++) {
		for (size_t j = 0; j < q->items[i].count; j++)
			free(q->items[i].expected[j]);
		free(q->items[i].expected);
		free(q->items[i].words);
	}
	free(q->items);
	*q = (struct asked_questions){ .count = 0 };
}

/* SPDX-License-Identifier: MIT */
/* Saves facts and shows them as short lines; see fact_fixture.h. */
#include "tests/unit/fact_fixture.h"

#include <stdlib.h>
#include <string.h>

struct fact_change fact_add(const char *text)
{
	return (struct fact_change){ .verb = FACT_ADD, .text = text, .len = strlen(text), .confidence = CONFIDENCE_HIGH };
}

struct fact_change fact_about(enum fact_verb verb, int64_t fact)
{
	return (struct fact_change){ .verb = verb, .fact = fact };
}

int fact_save_one(struct store *s, int domain, struct fact_change c)
{
	return store_fact_commit(s, domain, &c, 1, "ana:vim", NULL, -1, NULL);
}

void fact_tell(void *ctx, const struct fact *f)
{
	static const char *const marks[] = { "?", "~", "" };
	char *dst = ctx;
	size_t len = strlen(dst);
	assert_int_equal(f->len, strlen(f->text));
	(void)snprintf(dst + len, 1024 - len, "%s%s%s%.*s ", f->text, marks[f->confidence], f->retracted_us ? "-" : "",
	               (int)f->confirmations, "++++++++");
}

const char *fact_live(struct store *s, int domain, char dst[1024])
{
	dst[0] = '\0';
	assert_int_equal(store_fact_live(s, domain, fact_tell, dst), 0);
	return dst;
}

const char *fact_list_at(struct store *s, int domain, int64_t save, char dst[1024])
{
	dst[0] = '\0';
	assert_int_equal(store_fact_at(s, domain, save, fact_tell, dst), 0);
	return dst;
}

const char *fact_all_at(struct store *s, int64_t time_us, char dst[1024])
{
	dst[0] = '\0';
	assert_int_equal(store_fact_all_at_time(s, time_us, fact_tell, dst), 0);
	return dst;
}

void fact_frame_is(struct store *s, int domain, int64_t save, const char *expected)
{
	char *text = NULL;
	size_t len = 0;
	assert_int_equal(store_fact_frame(s, domain, save, &text, &len), 0);
	assert_string_equal(text, expected);
	assert_int_equal(len, strlen(expected));
	free(text);
}

void fact_keep(void *ctx, const struct fact *f)
{
	*(struct fact *)ctx = *f;
	((struct fact *)ctx)->text = NULL;
}

struct fact fact_get(struct store *s, int64_t id)
{
	struct fact f = { 0 };
	assert_int_equal(store_fact_by_id(s, id, fact_keep, &f), 0);
	return f;
}

int64_t fact_saves(struct store *s, int domain)
{
	int64_t count, last;
	assert_int_equal(store_fact_saves(s, domain, &count, &last), 0);
	return count;
}

/* SPDX-License-Identifier: MIT */
/* Dictionaries: what is taken for a meaning; files with any bytes in them do no harm. */
#include "tests/unit/store_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/db/db.h"
#include "store/words/words.h"

static const char text[] = "perro /p/\ndog, hound <n>\ncasa\n1. (in town) house; 2. to  home\n"
						   "  \"casa\" - cottage\nsee: hogar, hut\n";
/* dictd's digits: 25 bytes from 0 on, 72 from 25 on. */
static const char lines[] = "perro\tA\tZ\ncasa\tZ\tBI\n";

struct world {
	char base[64], index[80], dict[80];
	sqlite3 *db;
	struct search_tokens tokens;
};

static void put_file(const char *path, const void *bytes, size_t len)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	assert_non_null(w);
	(void)snprintf(w->base, sizeof w->base, "/tmp/cinta-words-XXXXXX");
	assert_non_null(mkdtemp(w->base));
	(void)snprintf(w->index, sizeof w->index, "%s/d.index", w->base);
	(void)snprintf(w->dict, sizeof w->dict, "%s/d.dict.dz", w->base);
	assert_int_equal(db_connect(":memory:", SQLITE_OPEN_READWRITE, &w->db), SQLITE_OK);
	assert_int_equal(search_tokenizer_add(w->db), 0);
	assert_int_equal(search_tokens_open(w->db, &w->tokens), 0);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;
	search_tokens_close(&w->tokens);
	sqlite3_close(w->db);
	(void)unlink(w->index);
	(void)unlink(w->dict);
	(void)rmdir(w->base);
	free(w);
	return 0;
}

static struct dictionary *opened(const struct world *w, struct why *why)
{
	char name[80];
	struct dictionary *d = NULL;
	(void)snprintf(name, sizeof name, "%s/d", w->base);
	int err = dictionary_open(name, &d, why);
	assert_true(err == 0 || (err == STORE_EINVAL && why->text[0] && why->todo[0]));
	assert_int_equal(err == 0, d != NULL);
	return d;
}

static void means(struct world *w, struct dictionary *d, const char *word, const char *expected)
{
	const char *out[TRANSLATIONS_MOST];
	char all[512] = "";
	size_t n = dictionary_look(d, &w->tokens, word, strlen(word), out);
	assert_true(n <= TRANSLATIONS_MOST);
	for (size_t i = 0; i < n; i++)
		(void)snprintf(all + strlen(all), sizeof all - strlen(all), "%s ", out[i]);
	assert_string_equal(all, expected);
}

static void meanings(void **state)
{
	struct world *w = *state;
	struct why why = { 0 };
	put_file(w->dict, text, sizeof text - 1);
	put_file(w->index, lines, sizeof lines - 1);
	struct dictionary *d = opened(w, &why);
	assert_non_null(d);
	means(w, d, "perros", "dog hound ");
	means(w, d, "DOGS", "perro ");
	means(w, d, "casa", "house home ");
	means(w, d, "homes", "casa ");
	means(w, d, "cottage", "");
	means(w, d, "hut", "");
	means(w, d, "nothing", "");
	dictionary_close(d);
	dictionary_close(NULL);
}

/* 4,000 pairs of files with bytes changed, cut or repeated. */
static void any_bytes(void **state)
{
	struct world *w = *state;
	unsigned taken = 0;
	srand(7);
	for (int run = 0; run < 4000; run++) {
		char index[2 * sizeof lines], dict[sizeof text];
		struct why why = { 0 };
		size_t len = sizeof lines - 1, cut = (size_t)rand() % (sizeof text);
		memcpy(index, lines, len);
		memcpy(dict, text, sizeof text - 1);
		for (int i = rand() % 4; i > 0; i--)
			index[(size_t)rand() % len] = (char)rand();
		for (int i = rand() % 6; i > 0; i--)
			dict[(size_t)rand() % (sizeof text - 1)] = (char)rand();
		if (rand() % 4 == 0)
			len = (size_t)rand() % len;
		put_file(w->index, index, len);
		put_file(w->dict, dict, rand() % 3 ? sizeof text - 1 : cut);
		struct dictionary *d = opened(w, &why);
		if (!d)
			continue;
		const char *out[TRANSLATIONS_MOST];
		taken++;
		(void)dictionary_look(d, &w->tokens, "perro casa", 10, out);
		dictionary_close(d);
	}
	assert_in_range(taken, 500, 3900);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(meanings, setup, teardown),
		cmocka_unit_test_setup_teardown(any_bytes, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

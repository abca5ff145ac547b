/* SPDX-License-Identifier: MIT */
/*
 * What meaning adds to words: `meaning FILE VECTORS [DIR]` reads conversations with questions
 * (talks.h), gives each turn its vector, and asks the questions of categories 1 to 4 by words alone
 * and by words and meaning.  VECTORS, a JSON object a line with "text" and "embedding", holds what a
 * model made of turns (text, blank, caption) and questions.  ONE=1 puts all conversations into one
 * memory.  The files are not part of the project.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/talks.h"

enum { HITS = 400 };

struct memory {
	struct talks talks;
	json_t *vectors;
	struct vector_model model;
};

/* A file's line is an object with "text" and "embedding"; by text. */
static json_t *load_vectors(const char *path, int *dims)
{
	FILE *f = fopen(path, "r");
	json_t *all = json_object();
	if (!f || !all)
		talk_die(path, "cannot be read");
	for (json_t *line; (line = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL)) != NULL; json_decref(line)) {
		const char *text = json_string_value(json_object_get(line, "text"));
		const json_t *from = json_object_get(line, "embedding");
		float *to = malloc((json_array_size(from) + 1) * sizeof *to);
		*dims = *dims ? *dims : (int)json_array_size(from);
		if (!text || !to || *dims < 1 || (int)json_array_size(from) != *dims)
			talk_die(path, "a line is no vector");
		for (int i = 0; i < *dims; i++)
			to[i] = (float)json_number_value(json_array_get(from, (size_t)i));
		json_object_set_new(all, text, json_stringn_nocheck((const char *)to, (size_t)*dims * sizeof *to));
		free(to);
	}
	(void)fclose(f);
	return all;
}

static const float *vector_of(const struct memory *m, const char *text)
{
	return (const float *)(const void *)json_string_value(json_object_get(m->vectors, text));
}

struct adding {
	struct memory *m;
	struct vector_add add[256];
	size_t count, without;
};

static int add_vector(void *ctx, const unsigned char hash[VECTOR_HASH], const char *text, size_t len)
{
	struct adding *a = ctx;
	struct vector_add *to = &a->add[a->count++];
	(void)len;
	memcpy(to->hash, hash, VECTOR_HASH);
	to->values = vector_of(a->m, text);
	a->without += to->values == NULL;
	return 0;
}

static void add_vectors(struct memory *m)
{
	struct adding a = { .m = m };
	size_t without = 0;
	for (int64_t left = 1; left > 0;) {
		a.count = 0;
		if (store_vectors_missing(m->talks.s, &m->model, 256, add_vector, &a, &left) ||
		    store_vectors_add(m->talks.s, &m->model, a.add, a.count))
			talk_die("vectors", "cannot be kept");
	}
	without = a.without;
	if (without > 0)
		fprintf(stderr, "meaning: %zu texts have no vector\n", without);
}

struct scores {
	struct talk_score lexical[TALK_KINDS], mixed[TALK_KINDS];
	size_t without; /* questions that have no vector */
};

static void ask(struct memory *m, const json_t *qa, struct scores *scores)
{
	struct search_query q = { .words = talk_question(qa), .limit = HITS };
	struct talk_answer a;
	size_t category = talk_asked(&m->talks, qa, &a);
	if (!category)
		return;
	struct talk_answer b = a;
	talk_search(&a, &q);
	talk_add(scores->lexical, category, &a);
	q.vector = vector_of(m, q.words);
	q.model = &m->model;
	scores->without += !q.vector;
	talk_search(&b, &q);
	talk_add(scores->mixed, category, &b);
}

/* Conversations [from, to) in a memory. */
static void one_memory(const json_t *root, size_t from, size_t to, const char *dir, struct memory *m,
                       struct scores *scores)
{
	size_t *at = &m->talks.conversation;
	talks_open(&m->talks, dir);
	for (*at = from; *at < to; ++*at)
		talks_add(&m->talks, json_object_get(json_array_get(root, *at), "conversation"));
	add_vectors(m);
	for (*at = from; *at < to; ++*at) {
		const json_t *qas = json_object_get(json_array_get(root, *at), "qa");
		for (size_t i = 0; i < json_array_size(qas); i++)
			ask(m, json_array_get(qas, i), scores);
	}
	talks_close(&m->talks);
}

int main(int argc, char **argv)
{
	struct scores scores = { 0 };
	struct memory *m = calloc(1, sizeof *m);
	const char *dir = argc > 3 ? argv[3] : "/var/tmp", *one = getenv("ONE");
	json_error_t error;
	json_t *root = argc > 2 ? json_load_file(argv[1], 0, &error) : NULL;
	if (!json_is_array(root) || !m)
		talk_die(argc > 1 ? argv[1] : "usage: meaning FILE VECTORS [DIR]", "conversations are missing");
	m->model.name = "meaning";
	m->vectors = load_vectors(argv[2], &m->model.dims);
	size_t count = json_array_size(root), each = one && *one == '1' ? count : 1;
	for (size_t i = 0; i < count; i += each)
		one_memory(root, i, i + each, dir, m, &scores);
	talk_tell_head();
	talk_tell_kinds("words", scores.lexical);
	talk_tell_kinds("and meaning", scores.mixed);
	if (scores.without > 0)
		printf("(%zu questions without a vector)\n", scores.without);
	json_decref(m->vectors);
	json_decref(root);
	free(m);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * What meaning adds to words: `meaning FILE VECTORS [DIR]` reads conversations with questions
 * (LoCoMo's JSON; a turn may have a "role"), puts each into a memory of its own, a conversation's
 * meetings as sessions, gives each turn its vector, asks the questions of categories 1 to 4 by words
 * alone and by words and meaning, and prints for each the share of evidence among the first 5, 10
 * and 20 messages, the mean reciprocal rank of the first, and the share within the first 2,000 and
 * 4,000 tokens.  VECTORS, a JSON object a line with "text" and "embedding", holds what a model made
 * of turns (text, blank, caption) and questions.  ONE=1 puts all conversations into one memory.  The
 * files are not part of the project.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/store.h"

enum { TURNS_MOST = 8192, HITS = 400 };

struct said {
	char id[16], author[64];
	const json_t *json;
	char *text;
	int64_t session, n, tokens;
	size_t conversation;
};

struct memory {
	struct store *s;
	struct said turns[TURNS_MOST];
	size_t count, conversation; /* the one at hand */
	json_t *vectors;
	struct vector_model model;
};

struct score {
	double at5, at10, at20, mrr, in2000, in4000;
	size_t questions;
};

static int64_t now_us; /* the clock of what is being said */

static int64_t clock_of_talk(void)
{
	return now_us++;
}

static void die(const char *what, const char *why)
{
	fprintf(stderr, "meaning: %s: %s\n", what, why);
	exit(1);
}

static size_t text_size(const struct entry *e)
{
	return e->body_len + 1;
}

/* "1:56 pm on 8 May, 2023" */
static int64_t time_of(const char *text)
{
	static const char *const months[] = { "January", "February", "March", "April", "May", "June",
		"July", "August", "September", "October", "November", "December" };
	int hour = 0, minute = 0, day = 1, year = 1970;
	char half[4] = "", month[16] = "";
	if (!text || sscanf(text, "%d:%d %3s on %d %15[A-Za-z], %d", &hour, &minute, half, &day, month, &year) != 6)
		die("a date", text ? text : "missing");
	struct tm tm = { .tm_year = year - 1900, .tm_mday = day, .tm_min = minute,
		.tm_hour = hour % 12 + (half[0] == 'p' ? 12 : 0) };
	while (tm.tm_mon < 12 && strcmp(months[tm.tm_mon], month) != 0)
		tm.tm_mon++;
	return (int64_t)timegm(&tm) * 1000000;
}

/* ---- what was said -------------------------------------------------------- */

static void add_turn(struct memory *m, const json_t *from, int64_t session, int64_t n)
{
	struct said *t = &m->turns[m->count++];
	const char *caption = json_string_value(json_object_get(from, "blip_caption"));
	const char *text = json_string_value(json_object_get(from, "text"));
	if (m->count == TURNS_MOST)
		die("conversation", "too many turns");
	(void)snprintf(t->id, sizeof t->id, "%s", json_string_value(json_object_get(from, "dia_id")));
	(void)snprintf(t->author, sizeof t->author, "%s", json_string_value(json_object_get(from, "speaker")));
	if (asprintf(&t->text, "%s%s%s", text ? text : "", caption ? " " : "", caption ? caption : "") < 0)
		die("memory", "none");
	t->session = session;
	t->n = n;
	t->conversation = m->conversation;
	t->tokens = store_token_count(t->text, strlen(t->text));
	const char *role = json_string_value(json_object_get(from, "role"));
	json_t *body = json_pack("{ss ss}", "role", role ? role : "user", "content", t->text);
	char *dump = json_dumps(body, JSON_COMPACT), stream[24];
	store_session_stream(session, stream);
	struct draft d = { stream, "message", t->author, dump, strlen(dump) };
	struct append a = { .drafts = &d, .count = 1, .expect = -1 };
	int err = store_append_wait(m->s, &a);
	if (err)
		die(t->id, store_strerror(err));
	free(dump);
	json_decref(body);
}

static void add_conversation(struct memory *m, const json_t *conversation)
{
	for (int k = 1; k < 100; k++) {
		char key[40], body[40];
		int64_t session;
		(void)snprintf(key, sizeof key, "session_%d_date_time", k);
		const char *when = json_string_value(json_object_get(conversation, key));
		(void)snprintf(key, sizeof key, "session_%d", k);
		const json_t *turns = json_object_get(conversation, key);
		if (!when || json_array_size(turns) == 0)
			continue;
		now_us = time_of(when);
		(void)snprintf(key, sizeof key, "session_%zu_%d", m->conversation, k);
		int len = snprintf(body, sizeof body, "{\"name\":\"%s\"}", key);
		if (store_session_make(m->s, key, body, (size_t)len, "bench", &session))
			die(key, "cannot be made");
		for (size_t i = 0; i < json_array_size(turns); i++)
			add_turn(m, json_array_get(turns, i), session, (int64_t)i + 1);
	}
}

/* ---- questions ---------------------------------------------------------------- */

struct answer {
	const struct memory *m;
	const json_t *evidence;
	size_t total, rank; /* evidence there is; hits so far */
	int64_t tokens;
	size_t at5, at10, at20, in2000, in4000, first;
};

static bool is_turn(const struct memory *m, const char *id)
{
	for (size_t i = 0; id && i < m->count; i++)
		if (m->turns[i].conversation == m->conversation && strcmp(m->turns[i].id, id) == 0)
			return true;
	return false;
}

static void count_hit(struct answer *a, const struct said *t)
{
	a->rank++;
	a->tokens += t->tokens;
	for (size_t i = 0; i < json_array_size(a->evidence); i++) {
		const char *id = json_string_value(json_array_get(a->evidence, i));
		if (!id || strcmp(id, t->id) != 0 || t->conversation != a->m->conversation)
			continue;
		a->first = a->first ? a->first : a->rank;
		a->at5 += a->rank <= 5;
		a->at10 += a->rank <= 10;
		a->at20 += a->rank <= 20;
		a->in2000 += a->tokens <= 2000;
		a->in4000 += a->tokens <= 4000;
		break;
	}
}

static int see_hit(void *ctx, const struct search_hit *h)
{
	struct answer *a = ctx;
	for (size_t i = 0; i < a->m->count; i++)
		if (h->kind == HIT_MESSAGE && a->m->turns[i].session == h->session && a->m->turns[i].n == h->n)
			count_hit(a, &a->m->turns[i]);
	return 0;
}

static void add_answer(struct score *s, const struct answer *a)
{
	double n = (double)a->total;
	s->questions++;
	s->at5 += (double)a->at5 / n;
	s->at10 += (double)a->at10 / n;
	s->at20 += (double)a->at20 / n;
	s->in2000 += (double)a->in2000 / n;
	s->in4000 += (double)a->in4000 / n;
	s->mrr += a->first ? 1 / (double)a->first : 0;
}

/* A file's line is an object with "text" and "embedding"; by text. */
static json_t *load_vectors(const char *path, int *dims)
{
	FILE *f = fopen(path, "r");
	json_t *all = json_object();
	if (!f || !all)
		die(path, "cannot be read");
	for (json_t *line; (line = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL)) != NULL; json_decref(line)) {
		const char *text = json_string_value(json_object_get(line, "text"));
		const json_t *from = json_object_get(line, "embedding");
		float *to = malloc((json_array_size(from) + 1) * sizeof *to);
		*dims = *dims ? *dims : (int)json_array_size(from);
		if (!text || !to || *dims < 1 || (int)json_array_size(from) != *dims)
			die(path, "a line is no vector");
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
		if (store_vectors_missing(m->s, &m->model, 256, add_vector, &a, &left) ||
		    store_vectors_add(m->s, &m->model, a.add, a.count))
			die("vectors", "cannot be kept");
	}
	without = a.without;
	if (without > 0)
		fprintf(stderr, "meaning: %zu texts have no vector\n", without);
}

enum { KINDS = 5 };
struct scores {
	struct score lexical[KINDS], mixed[KINDS];
	size_t without; /* questions that have no vector */
};

static void ask_store(struct memory *m, const char *question, const float *vector, struct answer *a)
{
	struct search_query q = { .words = question, .limit = HITS, .vector = vector, .model = &m->model };
	int err = store_search(m->s, &q, see_hit, a);
	if (err)
		die(question, store_strerror(err));
}

static void ask(struct memory *m, const json_t *qa, struct scores *scores)
{
	const json_t *evidence = json_object_get(qa, "evidence");
	const char *question = json_string_value(json_object_get(qa, "question"));
	json_int_t category = json_integer_value(json_object_get(qa, "category"));
	struct answer a = { .m = m, .evidence = evidence };
	for (size_t i = 0; i < json_array_size(evidence); i++)
		a.total += is_turn(m, json_string_value(json_array_get(evidence, i)));
	if (category < 1 || category > 4 || a.total == 0)
		return;
	struct answer b = a;
	ask_store(m, question, NULL, &a);
	add_answer(&scores->lexical[0], &a);
	add_answer(&scores->lexical[category], &a);
	const float *vector = vector_of(m, question);
	scores->without += !vector;
	ask_store(m, question, vector, &b);
	add_answer(&scores->mixed[0], &b);
	add_answer(&scores->mixed[category], &b);
}

static void tell(const char *name, const struct score *s)
{
	double n = s->questions ? (double)s->questions : 1;
	printf("%-26s %5zu  %.3f  %.3f  %.3f  %.3f  %.3f  %.3f\n", name, s->questions, s->at5 / n,
	       s->at10 / n, s->at20 / n, s->mrr / n, s->in2000 / n, s->in4000 / n);
}

/* Conversations [from, to) in a memory. */
static void one_memory(const json_t *root, size_t from, size_t to, const char *dir, struct memory *m,
                       struct scores *scores)
{
	char path[512], keys[512], command[600];
	struct why why = { 0 };
	struct store_config config = { .flags = STORE_CREATE, .origin = "cinta/meaning", .key_dir = keys,
		.text_size = text_size, .clock = clock_of_talk };
	(void)snprintf(path, sizeof path, "%s/meaning-XXXXXX", dir);
	if (!mkdtemp(path))
		die(path, "cannot be made");
	(void)snprintf(command, sizeof command, "rm -rf '%s'", path);
	(void)snprintf(keys, sizeof keys, "%.200s/keys", path);
	(void)snprintf(path + strlen(path), sizeof path - strlen(path), "/memory.db");
	now_us = 1600000000000000;
	if (store_open(path, &config, &m->s, &why))
		die(path, why.text);
	m->count = 0;
	for (m->conversation = from; m->conversation < to; m->conversation++)
		add_conversation(m, json_object_get(json_array_get(root, m->conversation), "conversation"));
	add_vectors(m);
	for (m->conversation = from; m->conversation < to; m->conversation++) {
		const json_t *qas = json_object_get(json_array_get(root, m->conversation), "qa");
		for (size_t i = 0; i < json_array_size(qas); i++)
			ask(m, json_array_get(qas, i), scores);
	}
	store_close(m->s);
	for (size_t i = 0; i < m->count; i++)
		free(m->turns[i].text);
	if (system(command))
		die(command, "failed");
}

static void tell_all(const char *how, const struct score *scores)
{
	static const char *const kinds[KINDS] = { "all", "1 several messages", "2 time", "3 open",
		"4 one message" };
	for (int k = 0; k < KINDS; k++) {
		char name[64];
		(void)snprintf(name, sizeof name, "%s, %s", how, kinds[k]);
		tell(name, &scores[k]);
	}
}

int main(int argc, char **argv)
{
	struct scores scores = { 0 };
	struct memory *m = calloc(1, sizeof *m);
	const char *dir = argc > 3 ? argv[3] : "/var/tmp", *one = getenv("ONE");
	json_error_t error;
	json_t *root = argc > 2 ? json_load_file(argv[1], 0, &error) : NULL;
	if (!json_is_array(root) || !m)
		die(argc > 1 ? argv[1] : "usage: meaning FILE VECTORS [DIR]", "conversations are missing");
	m->model.name = "meaning";
	m->vectors = load_vectors(argv[2], &m->model.dims);
	size_t count = json_array_size(root), each = one && *one == '1' ? count : 1;
	for (size_t i = 0; i < count; i += each)
		one_memory(root, i, i + each, dir, m, &scores);
	printf("%-26s %5s  %5s  %5s  %5s  %5s  %5s  %5s\n", "", "asked", "@5", "@10", "@20", "MRR", "2000t", "4000t");
	tell_all("words", scores.lexical);
	tell_all("and meaning", scores.mixed);
	if (scores.without > 0)
		printf("(%zu questions without a vector)\n", scores.without);
	json_decref(m->vectors);
	json_decref(root);
	free(m);
	return 0;
}

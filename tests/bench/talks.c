/* SPDX-License-Identifier: MIT */
/* Conversations with questions, and how well evidence is found: talks.h. */
#include "tests/bench/talks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t now_us; /* the clock of what is being said */

static int64_t clock_of_talk(void)
{
	return now_us++;
}

void talk_die(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, why);
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
		talk_die("a date", text ? text : "missing");
	struct tm tm = { .tm_year = year - 1900, .tm_mday = day, .tm_min = minute,
		.tm_hour = hour % 12 + (half[0] == 'p' ? 12 : 0) };
	while (tm.tm_mon < 12 && strcmp(months[tm.tm_mon], month) != 0)
		tm.tm_mon++;
	return (int64_t)timegm(&tm) * 1000000;
}

/* ---- what was said -------------------------------------------------------- */

void talks_open(struct talks *t, const char *dir)
{
	char path[512], keys[512];
	struct why why = { 0 };
	struct store_config config = { .flags = STORE_CREATE, .origin = "cinta/bench", .key_dir = keys,
		.text_size = text_size, .clock = clock_of_talk };
	(void)snprintf(t->dir, sizeof t->dir, "%.300s/talks-XXXXXX", dir);
	if (!mkdtemp(t->dir))
		talk_die(t->dir, "cannot be made");
	(void)snprintf(keys, sizeof keys, "%s/keys", t->dir);
	(void)snprintf(path, sizeof path, "%s/memory.db", t->dir);
	now_us = 1600000000000000;
	t->count = 0;
	if (store_open(path, &config, &t->s, &why))
		talk_die(path, why.text);
}

void talks_close(struct talks *t)
{
	char command[500];
	(void)snprintf(command, sizeof command, "rm -rf '%s'", t->dir);
	store_close(t->s);
	for (size_t i = 0; i < t->count; i++)
		free(t->turns[i].text);
	if (system(command))
		talk_die(command, "failed");
}

static void add_turn(struct talks *m, const json_t *said, int64_t session, int64_t n)
{
	struct talk_turn *t = &m->turns[m->count++];
	const char *caption = json_string_value(json_object_get(said, "blip_caption"));
	const char *text = json_string_value(json_object_get(said, "text"));
	const char *role = json_string_value(json_object_get(said, "role"));
	if (m->count == TALK_TURNS_MOST)
		talk_die("conversation", "too many turns");
	(void)snprintf(t->id, sizeof t->id, "%s", json_string_value(json_object_get(said, "dia_id")));
	(void)snprintf(t->author, sizeof t->author, "%s", json_string_value(json_object_get(said, "speaker")));
	if (asprintf(&t->text, "%s%s%s", text ? text : "", caption ? " " : "", caption ? caption : "") < 0)
		talk_die("memory", "none");
	t->session = session;
	t->n = n;
	t->conversation = m->conversation;
	t->tokens = store_token_count(t->text, strlen(t->text));
	json_t *body = json_pack("{ss ss}", "role", role ? role : "user", "content", t->text);
	char *dump = json_dumps(body, JSON_COMPACT), stream[24];
	store_session_stream(session, stream);
	struct draft d = { stream, "message", t->author, dump, strlen(dump), NULL };
	struct append a = { .drafts = &d, .count = 1, .expect = -1 };
	int err = store_append_wait(m->s, &a);
	if (err)
		talk_die(t->id, store_strerror(err));
	free(dump);
	json_decref(body);
}

void talks_add(struct talks *t, const json_t *conversation)
{
	for (int k = 1; k < 100; k++) {
		char key[40], body[60];
		int64_t session;
		(void)snprintf(key, sizeof key, "session_%d_date_time", k);
		const char *when = json_string_value(json_object_get(conversation, key));
		(void)snprintf(key, sizeof key, "session_%d", k);
		const json_t *turns = json_object_get(conversation, key);
		if (!when || json_array_size(turns) == 0)
			continue;
		now_us = time_of(when);
		(void)snprintf(key, sizeof key, "session_%zu_%d", t->conversation, k);
		int len = snprintf(body, sizeof body, "{\"name\":\"%s\"}", key);
		if (store_session_make(t->s, key, body, (size_t)len, "bench", &session))
			talk_die(key, "cannot be made");
		for (size_t i = 0; i < json_array_size(turns); i++)
			add_turn(t, json_array_get(turns, i), session, (int64_t)i + 1);
	}
}

/* ---- questions ---------------------------------------------------------------- */

static bool is_turn(const struct talks *t, const char *id)
{
	for (size_t i = 0; id && i < t->count; i++)
		if (t->turns[i].conversation == t->conversation && strcmp(t->turns[i].id, id) == 0)
			return true;
	return false;
}

size_t talk_asked(const struct talks *t, const json_t *qa, struct talk_answer *a)
{
	const json_t *evidence = json_object_get(qa, "evidence");
	json_int_t category = json_integer_value(json_object_get(qa, "category"));
	*a = (struct talk_answer){ .talks = t, .evidence = evidence };
	for (size_t i = 0; i < json_array_size(evidence); i++)
		a->total += is_turn(t, json_string_value(json_array_get(evidence, i)));
	return category >= 1 && category < TALK_KINDS && a->total > 0 ? (size_t)category : 0;
}

const char *talk_question(const json_t *qa)
{
	return json_string_value(json_object_get(qa, "question"));
}

void talk_hit(struct talk_answer *a, const struct talk_turn *t)
{
	a->rank++;
	a->tokens += t->tokens;
	for (size_t i = 0; i < json_array_size(a->evidence); i++) {
		const char *id = json_string_value(json_array_get(a->evidence, i));
		if (!id || strcmp(id, t->id) != 0 || t->conversation != a->talks->conversation)
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
	struct talk_answer *a = ctx;
	const struct talks *t = a->talks;
	for (size_t i = 0; i < t->count; i++)
		if (h->kind == HIT_MESSAGE && t->turns[i].session == h->session && t->turns[i].n == h->n)
			talk_hit(a, &t->turns[i]);
	return 0;
}

void talk_search(struct talk_answer *a, const struct search_query *q)
{
	int err = store_search(a->talks->s, q, see_hit, a);
	if (err)
		talk_die(q->words, store_strerror(err));
}

static void add_answer(struct talk_score *s, const struct talk_answer *a)
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

void talk_add(struct talk_score scores[TALK_KINDS], size_t category, const struct talk_answer *a)
{
	add_answer(&scores[0], a);
	add_answer(&scores[category], a);
}

/* ---- what is told --------------------------------------------------------------- */

void talk_tell_head(void)
{
	printf("%-26s %5s  %5s  %5s  %5s  %5s  %5s  %5s\n", "", "asked", "@5", "@10", "@20", "MRR", "2000t", "4000t");
}

void talk_tell(const char *name, const struct talk_score *s)
{
	double n = s->questions ? (double)s->questions : 1;
	printf("%-26s %5zu  %.3f  %.3f  %.3f  %.3f  %.3f  %.3f\n", name, s->questions, s->at5 / n,
	       s->at10 / n, s->at20 / n, s->mrr / n, s->in2000 / n, s->in4000 / n);
}

void talk_tell_kinds(const char *name, const struct talk_score scores[TALK_KINDS])
{
	static const char *const kinds[TALK_KINDS] = { "all", "1 several messages", "2 time", "3 open",
		"4 one message" };
	for (int k = 0; k < TALK_KINDS; k++) {
		char line[64];
		(void)snprintf(line, sizeof line, "%s, %s", name, kinds[k]);
		talk_tell(line, &scores[k]);
	}
}

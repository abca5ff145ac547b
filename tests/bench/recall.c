/* SPDX-License-Identifier: MIT */
/*
 * How much of the evidence a search finds: `recall FILE [DIR]` reads conversations with questions
 * (LoCoMo's JSON), puts each into a memory of its own, a conversation's meetings as sessions, asks
 * the questions of categories 1 to 4, and prints the share of evidence among the first 5, 10 and
 * 20 messages, the mean reciprocal rank of the first, and the share within the first 2,000 and
 * 4,000 tokens; beside it, the same from SQLite's FTS5 by itself (porter, OR, stop words out,
 * bm25).  The file is not part of the project.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>
#include <time.h>
#include <unistd.h>

#include "store/search_stop.h"
#include "store/store.h"

enum { TURNS_MOST = 4096, HITS = 400 };

struct turn {
	char id[16], author[64];
	const json_t *json;
	char *text;
	int64_t session, n, tokens;
};

struct memory {
	struct store *s;
	sqlite3 *plain;
	struct turn turns[TURNS_MOST];
	size_t count;
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
	fprintf(stderr, "recall: %s: %s\n", what, why);
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

static void exec(sqlite3 *db, const char *sql)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		die(sql, sqlite3_errmsg(db));
}

/* ---- what was said -------------------------------------------------------- */

static void add_turn(struct memory *m, const json_t *said, int64_t session, int64_t n)
{
	struct turn *t = &m->turns[m->count++];
	const char *caption = json_string_value(json_object_get(said, "blip_caption"));
	const char *text = json_string_value(json_object_get(said, "text"));
	if (m->count == TURNS_MOST)
		die("conversation", "too many turns");
	(void)snprintf(t->id, sizeof t->id, "%s", json_string_value(json_object_get(said, "dia_id")));
	(void)snprintf(t->author, sizeof t->author, "%s", json_string_value(json_object_get(said, "speaker")));
	if (asprintf(&t->text, "%s%s%s", text ? text : "", caption ? " " : "", caption ? caption : "") < 0)
		die("memory", "none");
	t->session = session;
	t->n = n;
	t->tokens = store_token_count(t->text, strlen(t->text));
	json_t *body = json_pack("{ss ss}", "role", "user", "content", t->text);
	char *dump = json_dumps(body, JSON_COMPACT), stream[24];
	store_session_stream(session, stream);
	struct draft d = { stream, "message", t->author, dump, strlen(dump) };
	struct append a = { .drafts = &d, .count = 1, .expect = -1 };
	int err = store_append_wait(m->s, &a);
	if (err)
		die(t->id, store_strerror(err));
	free(dump);
	json_decref(body);
	sqlite3_stmt *q = NULL;
	sqlite3_prepare_v2(m->plain, "INSERT INTO turn(rowid, body, who) VALUES(?1, ?2, ?3)", -1, &q, NULL);
	sqlite3_bind_int64(q, 1, (int64_t)m->count);
	sqlite3_bind_text(q, 2, t->text, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 3, t->author, -1, SQLITE_STATIC);
	sqlite3_step(q);
	sqlite3_finalize(q);
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
		if (strcmp(m->turns[i].id, id) == 0)
			return true;
	return false;
}

static void count_hit(struct answer *a, const struct turn *t)
{
	a->rank++;
	a->tokens += t->tokens;
	for (size_t i = 0; i < json_array_size(a->evidence); i++) {
		const char *id = json_string_value(json_array_get(a->evidence, i));
		if (!id || strcmp(id, t->id) != 0)
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

/* The question's words as FTS5 would be asked by hand: "a" OR "b" … */
static void plain_match(const char *question, char *out, size_t size)
{
	size_t used = 0;
	out[0] = '\0';
	for (const char *p = question; *p;) {
		size_t len = 0;
		while ((p[len] | 32) >= 'a' && (p[len] | 32) <= 'z')
			len++;
		while (p[len] >= '0' && p[len] <= '9')
			len++;
		if (len > 0 && !search_stop(p, len) && used + len + 8 < size)
			used += (size_t)snprintf(out + used, size - used, "%s\"%.*s\"", used ? " OR " : "", (int)len, p);
		p += len ? len : 1;
	}
}

static void ask_plain(struct memory *m, const char *question, struct answer *a)
{
	char match[4096];
	sqlite3_stmt *q = NULL;
	plain_match(question, match, sizeof match);
	sqlite3_prepare_v2(m->plain, "SELECT rowid FROM turn WHERE turn MATCH ?1 ORDER BY rank LIMIT 400", -1, &q, NULL);
	sqlite3_bind_text(q, 1, match, -1, SQLITE_STATIC);
	while (*match && sqlite3_step(q) == SQLITE_ROW)
		count_hit(a, &m->turns[sqlite3_column_int64(q, 0) - 1]);
	sqlite3_finalize(q);
}

static void ask(struct memory *m, const json_t *qa, struct score *ours, struct score *plain)
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
	struct search_query q = { .words = question, .limit = HITS };
	int err = store_search(m->s, &q, see_hit, &a);
	if (err)
		die(question, store_strerror(err));
	ask_plain(m, question, &b);
	add_answer(&ours[0], &a);
	add_answer(&ours[category], &a);
	add_answer(plain, &b);
}

static void tell(const char *name, const struct score *s)
{
	double n = s->questions ? (double)s->questions : 1;
	printf("%-26s %5zu  %.3f  %.3f  %.3f  %.3f  %.3f  %.3f\n", name, s->questions, s->at5 / n,
	       s->at10 / n, s->at20 / n, s->mrr / n, s->in2000 / n, s->in4000 / n);
}

static void one_conversation(const json_t *c, const char *dir, struct score *ours, struct score *plain)
{
	char path[512], keys[512], command[600];
	struct memory *m = calloc(1, sizeof *m);
	struct why why = { 0 };
	struct store_config config = { .flags = STORE_CREATE, .origin = "cinta/recall", .key_dir = keys,
		.text_size = text_size, .clock = clock_of_talk };
	(void)snprintf(path, sizeof path, "%s/recall-XXXXXX", dir);
	if (!m || !mkdtemp(path))
		die(path, "cannot be made");
	(void)snprintf(command, sizeof command, "rm -rf '%s'", path);
	(void)snprintf(keys, sizeof keys, "%.200s/keys", path);
	(void)snprintf(path + strlen(path), sizeof path - strlen(path), "/memory.db");
	now_us = 1600000000000000;
	if (store_open(path, &config, &m->s, &why))
		die(path, why.text);
	sqlite3_open(":memory:", &m->plain);
	exec(m->plain, "CREATE VIRTUAL TABLE turn USING fts5(body, who, tokenize='porter unicode61')");
	add_conversation(m, json_object_get(c, "conversation"));
	const json_t *qas = json_object_get(c, "qa");
	for (size_t i = 0; i < json_array_size(qas); i++)
		ask(m, json_array_get(qas, i), ours, plain);
	store_close(m->s);
	sqlite3_close(m->plain);
	for (size_t i = 0; i < m->count; i++)
		free(m->turns[i].text);
	free(m);
	if (system(command))
		die(command, "failed");
}

int main(int argc, char **argv)
{
	static const char *const kinds[] = { "all", "1 several messages", "2 time", "3 open", "4 one message" };
	struct score ours[5] = { 0 }, plain[5] = { 0 };
	json_error_t error;
	json_t *root = argc > 1 ? json_load_file(argv[1], 0, &error) : NULL;
	if (!json_is_array(root))
		die(argc > 1 ? argv[1] : "usage: recall FILE [DIR]", "conversations are missing");
	for (size_t i = 0; i < json_array_size(root); i++)
		one_conversation(json_array_get(root, i), argc > 2 ? argv[2] : "/var/tmp", ours, plain);
	json_decref(root);
	printf("%-26s %5s  %5s  %5s  %5s  %5s  %5s  %5s\n", "", "asked", "@5", "@10", "@20", "MRR", "2000t", "4000t");
	for (int k = 0; k < 5; k++) {
		char name[64];
		(void)snprintf(name, sizeof name, "cinta, %s", kinds[k]);
		tell(name, &ours[k]);
	}
	tell("FTS5, porter OR bm25", &plain[0]);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * How much of the evidence a search finds: `recall FILE [DIR]` reads conversations with questions
 * (LoCoMo's JSON), puts each into a memory of its own, a conversation's meetings as sessions, asks
 * the questions of categories 1 to 4, and prints the share of evidence among the first 5, 10 and
 * 20 messages, the mean reciprocal rank of the first, and the share within the first 2,000 and
 * 4,000 tokens.  Beside it, the same from SQLite's FTS5 by itself (porter, OR, stop words out,
 * bm25), and from what ripgrep tells: by how many of the question's words (stop words out) a
 * message holds in any place, the newest first among equals.  A turn may have a "role"; without
 * one it is a user's.
 *
 * Then the numbers of the formula are chosen anew, leave one conversation out: on all others, by
 * the sum of recall at 10 and the mean reciprocal rank, one number after the other until none
 * moves, from the plainest of each; and each choice is asked the questions of the conversation it
 * has not seen; before that, what each number alone moves.  The file is not part of the project.
 * Long because all that is asked is asked of the same memories and counted in the same way.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>
#include <time.h>
#include <unistd.h>

#include "store/internal.h"
#include "store/search/search.h"
#include "store/tape/tape.h"
#include "store/search/search_score.h"
#include "store/search/search_stop.h"

enum { TURNS_MOST = 4096, HITS = 200, TALKS_MOST = 16, TRIED_MOST = 4096 };

struct spoken {
	char id[16], author[64];
	const json_t *json;
	char *text;
	int64_t session, n, tokens;
};

struct memory {
	struct store *s;
	sqlite3 *plain;
	struct spoken turns[TURNS_MOST];
	size_t count;
	const json_t *questions;
	char dir[400];
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
	struct spoken *t = &m->turns[m->count++];
	const char *caption = json_string_value(json_object_get(said, "blip_caption"));
	const char *text = json_string_value(json_object_get(said, "text"));
	const char *role = json_string_value(json_object_get(said, "role"));
	if (m->count == TURNS_MOST)
		die("conversation", "too many turns");
	(void)snprintf(t->id, sizeof t->id, "%s", json_string_value(json_object_get(said, "dia_id")));
	(void)snprintf(t->author, sizeof t->author, "%s", json_string_value(json_object_get(said, "speaker")));
	if (asprintf(&t->text, "%s%s%s", text ? text : "", caption ? " " : "", caption ? caption : "") < 0)
		die("memory", "none");
	t->session = session;
	t->n = n;
	t->tokens = store_token_count(t->text, strlen(t->text));
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

static void count_hit(struct answer *a, const struct spoken *t)
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
	sqlite3_prepare_v2(m->plain, "SELECT rowid FROM turn WHERE turn MATCH ?1 ORDER BY rank LIMIT 200", -1, &q, NULL);
	sqlite3_bind_text(q, 1, match, -1, SQLITE_STATIC);
	while (*match && sqlite3_step(q) == SQLITE_ROW)
		count_hit(a, &m->turns[sqlite3_column_int64(q, 0) - 1]);
	sqlite3_finalize(q);
}

/* As often as the words of the question that a line holds: rg -i -F -c for each. */
static size_t words_in(const char *text, const char *question)
{
	size_t count = 0;
	for (const char *p = question; *p;) {
		char word[64];
		size_t len = 0;
		while ((p[len] | 32) >= 'a' && (p[len] | 32) <= 'z')
			len++;
		while (p[len] >= '0' && p[len] <= '9')
			len++;
		(void)snprintf(word, sizeof word, "%.*s", (int)len, p);
		count += len > 0 && !search_stop(p, len) && strcasestr(text, word) != NULL;
		p += len ? len : 1;
	}
	return count;
}

static void ask_grep(const struct memory *m, const char *question, struct answer *a)
{
	size_t words[TURNS_MOST], most = 0;
	for (size_t i = 0; i < m->count; i++) {
		words[i] = words_in(m->turns[i].text, question);
		most = words[i] > most ? words[i] : most;
	}
	for (size_t want = most, hits = 0; want > 0; want--)
		for (size_t i = m->count; i-- > 0;)
			if (words[i] == want && hits++ < HITS)
				count_hit(a, &m->turns[i]);
}

/* Evidence and category of a question that counts. */
static bool is_asked(const struct memory *m, const json_t *qa, struct answer *a, size_t *category)
{
	const json_t *evidence = json_object_get(qa, "evidence");
	json_int_t kind = json_integer_value(json_object_get(qa, "category"));
	*a = (struct answer){ .m = m, .evidence = evidence };
	for (size_t i = 0; i < json_array_size(evidence); i++)
		a->total += is_turn(m, json_string_value(json_array_get(evidence, i)));
	*category = (size_t)kind;
	return kind >= 1 && kind <= 4 && a->total > 0;
}

static const char *question_of(const json_t *qa)
{
	return json_string_value(json_object_get(qa, "question"));
}

/* All questions of a memory; ours[0] is all, else of a category. */
static void ask_ours(struct memory *m, struct score ours[5])
{
	for (size_t i = 0; i < json_array_size(m->questions); i++) {
		const json_t *qa = json_array_get(m->questions, i);
		struct search_query q = { .words = question_of(qa), .limit = HITS };
		struct answer a;
		size_t category;
		if (!is_asked(m, qa, &a, &category))
			continue;
		int err = store_search(m->s, &q, see_hit, &a);
		if (err)
			die(q.words, store_strerror(err));
		add_answer(&ours[0], &a);
		add_answer(&ours[category], &a);
	}
}

static void ask_others(struct memory *m, struct score *plain, struct score *grepped)
{
	for (size_t i = 0; i < json_array_size(m->questions); i++) {
		const json_t *qa = json_array_get(m->questions, i);
		struct answer a;
		size_t category;
		if (!is_asked(m, qa, &a, &category))
			continue;
		struct answer b = a;
		ask_plain(m, question_of(qa), &a);
		ask_grep(m, question_of(qa), &b);
		add_answer(plain, &a);
		add_answer(grepped, &b);
	}
}

static void tell(const char *name, const struct score *s)
{
	double n = s->questions ? (double)s->questions : 1;
	printf("%-26s %5zu  %.3f  %.3f  %.3f  %.3f  %.3f  %.3f\n", name, s->questions, s->at5 / n,
	       s->at10 / n, s->at20 / n, s->mrr / n, s->in2000 / n, s->in4000 / n);
}

static struct memory *open_conversation(const json_t *c, const char *dir)
{
	char path[512], keys[512];
	struct memory *m = calloc(1, sizeof *m);
	struct why why = { 0 };
	struct store_config config = { .flags = STORE_CREATE, .origin = "cinta/recall", .key_dir = keys,
		.text_size = text_size, .clock = clock_of_talk };
	if (!m)
		die("memory", "none");
	(void)snprintf(m->dir, sizeof m->dir, "%.300s/recall-XXXXXX", dir);
	if (!mkdtemp(m->dir))
		die(m->dir, "cannot be made");
	(void)snprintf(keys, sizeof keys, "%s/keys", m->dir);
	(void)snprintf(path, sizeof path, "%s/memory.db", m->dir);
	now_us = 1600000000000000;
	if (store_open(path, &config, &m->s, &why))
		die(path, why.text);
	sqlite3_open(":memory:", &m->plain);
	exec(m->plain, "CREATE VIRTUAL TABLE turn USING fts5(body, who, tokenize='porter unicode61')");
	add_conversation(m, json_object_get(c, "conversation"));
	m->questions = json_object_get(c, "qa");
	return m;
}

static void close_conversation(struct memory *m)
{
	char command[500];
	(void)snprintf(command, sizeof command, "rm -rf '%s'", m->dir);
	store_close(m->s);
	sqlite3_close(m->plain);
	for (size_t i = 0; i < m->count; i++)
		free(m->turns[i].text);
	free(m);
	if (system(command))
		die(command, "failed");
}

/* ---- choosing the numbers ------------------------------------------------------- */

/* What is tried of each number, the plainest first; the assistant's share is not: nobody is one. */
enum { WINDOWS = 7, VALUES = 5, NUMBERS = 7 };
static const double windows[WINDOWS][WINDOW + 1] = {
	{ 0, 0, 0, 0, 0 }, { 0, 0.5, 0.25, 0, 0 }, { 0, 0.5, 0.25, 0.125, 0.0625 },
	{ 0, 0.35, 0.25, 0.18, 0.1 }, { 0, 0.5, 0.35, 0.25, 0.15 }, { 0, 0.65, 0.45, 0.32, 0.2 },
	{ 0, 0.35, 0.35, 0.35, 0.35 }
};
static const struct {
	const char *name;
	int count;
	double value[VALUES];
} numbers[NUMBERS] = {
	{ "window", WINDOWS, { 0 } },
	{ "saturation", 5, { 1.2, 0.6, 0.9, 1.5, 2 } },
	{ "in_date", 5, { 0, 0.15, 0.3, 0.5, 1 } },
	{ "bonus", 5, { 0, 0.05, 0.1, 0.15, 0.2 } },
	{ "words", 5, { 1e9, 30, 60, 100, 200 } },
	{ "answered", 5, { 1, 1.25, 1.5, 2, 2.5 } },
	{ "asking", 5, { 1, 0.9, 0.8, 0.7, 0.6 } },
};

struct choice {
	int at[NUMBERS];
};

static struct search_weights weights_of(const struct choice *c)
{
	struct search_weights w = search_weights;
	memcpy(w.window, windows[c->at[0]], sizeof w.window);
	w.saturation = numbers[1].value[c->at[1]];
	w.in_date = numbers[2].value[c->at[2]];
	w.bonus = numbers[3].value[c->at[3]];
	w.words = numbers[4].value[c->at[4]];
	w.answered = numbers[5].value[c->at[5]];
	w.asking = numbers[6].value[c->at[6]];
	return w;
}

/* What was measured of each choice, a score for each conversation. */
struct trials {
	struct memory **memories;
	size_t talks, count;
	struct {
		struct choice choice;
		struct score of[TALKS_MOST];
	} tried[TRIED_MOST];
};

static const struct score *measure(struct trials *t, const struct choice *c)
{
	for (size_t i = 0; i < t->count; i++)
		if (memcmp(&t->tried[i].choice, c, sizeof *c) == 0)
			return t->tried[i].of;
	struct search_weights w = weights_of(c);
	if (t->count == TRIED_MOST)
		die("choices", "too many");
	t->tried[t->count].choice = *c;
	for (size_t k = 0; k < t->talks; k++) {
		struct score ours[5] = { 0 };
		t->memories[k]->s->index->search->weights = &w;
		ask_ours(t->memories[k], ours);
		t->memories[k]->s->index->search->weights = NULL;
		t->tried[t->count].of[k] = ours[0];
	}
	return t->tried[t->count++].of;
}

static void add_score(struct score *sum, const struct score *s)
{
	sum->at5 += s->at5;
	sum->at10 += s->at10;
	sum->at20 += s->at20;
	sum->mrr += s->mrr;
	sum->in2000 += s->in2000;
	sum->in4000 += s->in4000;
	sum->questions += s->questions;
}

/* Recall at 10 and the reciprocal rank, over the questions of all conversations but one. */
static double worth(struct trials *t, const struct choice *c, size_t but)
{
	const struct score *of = measure(t, c);
	struct score sum = { 0 };
	for (size_t k = 0; k < t->talks; k++)
		if (k != but)
			add_score(&sum, &of[k]);
	return (sum.at10 + sum.mrr) / (double)sum.questions;
}

static struct choice choose(struct trials *t, size_t but)
{
	struct choice best = { { 0 } };
	double most = worth(t, &best, but);
	bool moved;
	do {
		moved = false;
		for (int n = 0; n < NUMBERS; n++)
			for (int v = 0; v < numbers[n].count; v++) {
				struct choice c = best;
				c.at[n] = v;
				double now = worth(t, &c, but);
				if (now > most + 1e-9) {
					most = now;
					best = c;
					moved = true;
				}
			}
	} while (moved);
	return best;
}

static void tell_choice(const struct choice *c)
{
	struct search_weights w = weights_of(c);
	printf("window %.2f %.2f %.2f %.2f  saturation %.2g  in_date %.2g  bonus %.2g  words %g  "
	       "answered %.3g  asking %.2g\n",
	       w.window[1], w.window[2], w.window[3], w.window[4], w.saturation, w.in_date, w.bonus, w.words,
	       w.answered, w.asking);
}

/* The shipped numbers with one of them changed, over all conversations. */
static void one_by_one(struct trials *t)
{
	static const struct choice shipped = { { 4, 2, 2, 3, 2, 2, 2 } };
	struct search_weights w = weights_of(&shipped);
	if (memcmp(&w, &search_weights, sizeof w) != 0)
		die("the numbers shipped", "are others now");
	for (int n = 0; n < NUMBERS; n++)
		for (int v = 0; v < numbers[n].count; v++) {
			struct choice c = shipped;
			struct score sum = { 0 };
			char name[64];
			c.at[n] = v;
			const struct score *of = measure(t, &c);
			for (size_t k = 0; k < t->talks; k++)
				add_score(&sum, &of[k]);
			(void)snprintf(name, sizeof name, "%s %g%s", numbers[n].name,
			               n == 0 ? windows[v][1] : numbers[n].value[v], v == shipped.at[n] ? ", shipped" : "");
			tell(name, &sum);
		}
}

static void leave_one_out(struct trials *t)
{
	struct score held = { 0 }, shipped = { 0 };
	for (size_t k = 0; k < t->talks; k++) {
		struct choice c = choose(t, k);
		struct score ours[5] = { 0 };
		ask_ours(t->memories[k], ours);
		add_score(&shipped, &ours[0]);
		add_score(&held, &measure(t, &c)[k]);
		printf("without %zu: ", k + 1);
		tell_choice(&c);
		tell("  chosen, on it", &measure(t, &c)[k]);
		tell("  as shipped, on it", &ours[0]);
	}
	tell("held out, all", &held);
	tell("as shipped, all", &shipped);
	struct choice all = choose(t, t->talks);
	printf("on all: ");
	tell_choice(&all);
	printf("%zu choices tried\n", t->count);
}

int main(int argc, char **argv)
{
	static const char *const kinds[] = { "all", "1 several messages", "2 time", "3 open", "4 one message" };
	struct score ours[5] = { 0 }, plain = { 0 }, grepped = { 0 };
	struct memory *memories[TALKS_MOST];
	json_error_t error;
	json_t *root = argc > 1 ? json_load_file(argv[1], 0, &error) : NULL;
	struct trials *t = calloc(1, sizeof *t);
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	if (!t || !json_is_array(root) || json_array_size(root) > TALKS_MOST)
		die(argc > 1 ? argv[1] : "usage: recall FILE [DIR]", "no conversations, or too many");
	t->memories = memories;
	for (; t->talks < json_array_size(root); t->talks++) {
		struct memory *m = memories[t->talks] =
			open_conversation(json_array_get(root, t->talks), argc > 2 ? argv[2] : "/var/tmp");
		ask_ours(m, ours);
		ask_others(m, &plain, &grepped);
	}
	printf("%-26s %5s  %5s  %5s  %5s  %5s  %5s  %5s\n", "", "asked", "@5", "@10", "@20", "MRR", "2000t", "4000t");
	for (int k = 0; k < 5; k++) {
		char name[64];
		(void)snprintf(name, sizeof name, "cinta, %s", kinds[k]);
		tell(name, &ours[k]);
	}
	tell("FTS5, porter OR bm25", &plain);
	tell("ripgrep, by words", &grepped);
	one_by_one(t);
	if (t->talks > 1)
		leave_one_out(t);
	for (size_t k = 0; k < t->talks; k++)
		close_conversation(memories[k]);
	json_decref(root);
	free(t);
	return 0;
}

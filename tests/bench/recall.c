/* SPDX-License-Identifier: MIT */
/*
 * How much of the evidence a search finds: `recall FILE [DIR]` reads conversations with questions
 * (talks.h), each into a memory of its own, and asks the questions of categories 1 to 4.  Beside it,
 * the same from SQLite's FTS5 by itself (porter, OR, stop words out, bm25), and from what ripgrep
 * tells: by how many of the question's words (stop words out) a message holds in any place, the
 * newest first among equals.
 *
 * Then the numbers of the formula are chosen anew, leave one conversation out: on all others, by
 * the sum of recall at 10 and the mean reciprocal rank, one number after the other until none
 * moves, from the plainest of each; and each choice is asked the questions of the conversation it
 * has not seen; before that, what each number alone moves.  The file is not part of the project.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>

#include "store/internal.h"
#include "store/search/search.h"
#include "store/tape/tape.h"
#include "store/search/search_score.h"
#include "store/words/words.h"
#include "tests/bench/talks.h"

enum { HITS = 200, TALKS_MOST = 64, TRIED_MOST = 4096 };

struct memory {
	struct talks talks;
	sqlite3 *plain;
	const json_t *questions;
};

static void exec(sqlite3 *db, const char *sql)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		talk_die(sql, sqlite3_errmsg(db));
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
		if (len > 0 && !search_stop_word(p, len) && used + len + 8 < size)
			used += (size_t)snprintf(out + used, size - used, "%s\"%.*s\"", used ? " OR " : "", (int)len, p);
		p += len ? len : 1;
	}
}

static void ask_plain(struct memory *m, const char *question, struct talk_answer *a)
{
	char match[4096];
	sqlite3_stmt *q = NULL;
	plain_match(question, match, sizeof match);
	sqlite3_prepare_v2(m->plain, "SELECT rowid FROM turn WHERE turn MATCH ?1 ORDER BY rank LIMIT 200", -1, &q, NULL);
	sqlite3_bind_text(q, 1, match, -1, SQLITE_STATIC);
	while (*match && sqlite3_step(q) == SQLITE_ROW)
		talk_hit(a, &m->talks.turns[sqlite3_column_int64(q, 0) - 1]);
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
		count += len > 0 && !search_stop_word(p, len) && strcasestr(text, word) != NULL;
		p += len ? len : 1;
	}
	return count;
}

static void ask_grep(const struct talks *m, const char *question, struct talk_answer *a)
{
	size_t words[TALK_TURNS_MOST], most = 0;
	for (size_t i = 0; i < m->count; i++) {
		words[i] = words_in(m->turns[i].text, question);
		most = words[i] > most ? words[i] : most;
	}
	for (size_t want = most, hits = 0; want > 0; want--)
		for (size_t i = m->count; i-- > 0;)
			if (words[i] == want && hits++ < HITS)
				talk_hit(a, &m->turns[i]);
}

/* All questions of a memory. */
static void ask_ours(struct memory *m, struct talk_score ours[TALK_KINDS])
{
	for (size_t i = 0; i < json_array_size(m->questions); i++) {
		const json_t *qa = json_array_get(m->questions, i);
		const struct search_query q = { .words = talk_question(qa), .limit = HITS };
		struct talk_answer a;
		size_t category = talk_asked(&m->talks, qa, &a);
		if (!category)
			continue;
		talk_search(&a, &q);
		talk_add(ours, category, &a);
	}
}

static void ask_others(struct memory *m, struct talk_score plain[TALK_KINDS],
                       struct talk_score grepped[TALK_KINDS])
{
	for (size_t i = 0; i < json_array_size(m->questions); i++) {
		const json_t *qa = json_array_get(m->questions, i);
		struct talk_answer a;
		size_t category = talk_asked(&m->talks, qa, &a);
		if (!category)
			continue;
		struct talk_answer b = a;
		ask_plain(m, talk_question(qa), &a);
		ask_grep(&m->talks, talk_question(qa), &b);
		talk_add(plain, category, &a);
		talk_add(grepped, category, &b);
	}
}

static void add_plain(struct memory *m)
{
	sqlite3_stmt *q = NULL;
	sqlite3_open(":memory:", &m->plain);
	exec(m->plain, "CREATE VIRTUAL TABLE turn USING fts5(body, who, tokenize='porter unicode61')");
	sqlite3_prepare_v2(m->plain, "INSERT INTO turn(rowid, body, who) VALUES(?1, ?2, ?3)", -1, &q, NULL);
	for (size_t i = 0; i < m->talks.count; i++) {
		sqlite3_bind_int64(q, 1, (int64_t)i + 1);
		sqlite3_bind_text(q, 2, m->talks.turns[i].text, -1, SQLITE_STATIC);
		sqlite3_bind_text(q, 3, m->talks.turns[i].author, -1, SQLITE_STATIC);
		sqlite3_step(q);
		sqlite3_reset(q);
	}
	sqlite3_finalize(q);
}

static struct memory *open_conversation(const json_t *c, const char *dir)
{
	struct memory *m = calloc(1, sizeof *m);
	if (!m)
		talk_die("memory", "none");
	talks_open(&m->talks, dir);
	talks_add(&m->talks, json_object_get(c, "conversation"));
	add_plain(m);
	m->questions = json_object_get(c, "qa");
	return m;
}

static void close_conversation(struct memory *m)
{
	talks_close(&m->talks);
	sqlite3_close(m->plain);
	free(m);
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
		struct talk_score items[TALKS_MOST];
	} tried[TRIED_MOST];
};

static const struct talk_score *measure(struct trials *t, const struct choice *c)
{
	for (size_t i = 0; i < t->count; i++)
		if (memcmp(&t->tried[i].choice, c, sizeof *c) == 0)
			return t->tried[i].items;
	struct search_weights w = weights_of(c);
	if (t->count == TRIED_MOST)
		talk_die("choices", "too many");
	t->tried[t->count].choice = *c;
	for (size_t k = 0; k < t->talks; k++) {
		struct talk_score ours[TALK_KINDS] = { 0 };
		t->memories[k]->talks.s->index->search->weights = &w;
		ask_ours(t->memories[k], ours);
		t->memories[k]->talks.s->index->search->weights = NULL;
		t->tried[t->count].items[k] = ours[0];
	}
	return t->tried[t->count++].items;
}

static void add_score(struct talk_score *sum, const struct talk_score *s)
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
	const struct talk_score *of = measure(t, c);
	struct talk_score sum = { 0 };
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
		talk_die("the numbers shipped", "are others now");
	for (int n = 0; n < NUMBERS; n++)
		for (int v = 0; v < numbers[n].count; v++) {
			struct choice c = shipped;
			struct talk_score sum = { 0 };
			char name[64];
			c.at[n] = v;
			const struct talk_score *of = measure(t, &c);
			for (size_t k = 0; k < t->talks; k++)
				add_score(&sum, &of[k]);
			(void)snprintf(name, sizeof name, "%s %g%s", numbers[n].name,
			               n == 0 ? windows[v][1] : numbers[n].value[v], v == shipped.at[n] ? ", shipped" : "");
			talk_tell(name, &sum);
		}
}

static void leave_one_out(struct trials *t)
{
	struct talk_score held = { 0 }, shipped = { 0 };
	for (size_t k = 0; k < t->talks; k++) {
		struct choice c = choose(t, k);
		struct talk_score ours[TALK_KINDS] = { 0 };
		ask_ours(t->memories[k], ours);
		add_score(&shipped, &ours[0]);
		add_score(&held, &measure(t, &c)[k]);
		printf("without %zu: ", k + 1);
		tell_choice(&c);
		talk_tell("  chosen, on it", &measure(t, &c)[k]);
		talk_tell("  as shipped, on it", &ours[0]);
	}
	talk_tell("held out, all", &held);
	talk_tell("as shipped, all", &shipped);
	struct choice all = choose(t, t->talks);
	printf("on all: ");
	tell_choice(&all);
	printf("%zu choices tried\n", t->count);
}

int main(int argc, char **argv)
{
	struct talk_score ours[TALK_KINDS] = { 0 }, plain[TALK_KINDS] = { 0 }, grepped[TALK_KINDS] = { 0 };
	struct memory *memories[TALKS_MOST];
	json_error_t error;
	json_t *root = argc > 1 ? json_load_file(argv[1], 0, &error) : NULL;
	struct trials *t = calloc(1, sizeof *t);
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	if (!t || !json_is_array(root) || json_array_size(root) > TALKS_MOST)
		talk_die(argc > 1 ? argv[1] : "usage: recall FILE [DIR]", "no conversations, or too many");
	t->memories = memories;
	for (; t->talks < json_array_size(root); t->talks++) {
		struct memory *m = memories[t->talks] =
			open_conversation(json_array_get(root, t->talks), argc > 2 ? argv[2] : "/var/tmp");
		ask_ours(m, ours);
		ask_others(m, plain, grepped);
	}
	talk_tell_head();
	talk_tell_kinds("cinta", ours);
	talk_tell("FTS5, porter OR bm25", &plain[0]);
	talk_tell("ripgrep, by words", &grepped[0]);
	one_by_one(t);
	if (t->talks > 1)
		leave_one_out(t);
	for (size_t k = 0; k < t->talks; k++)
		close_conversation(memories[k]);
	json_decref(root);
	free(t);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* Reads the stories and lives them, with facts in memory as fs/facts/signals.c has them. */
#include "tests/unit/story_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/render.h"

enum { FACTS_MOST = 64, EFFECTS_MOST = 8, EFFECT_SIZE = 400 };

struct effects {
	int count;
	char items[EFFECTS_MOST][EFFECT_SIZE];
};

struct memory {
	struct {
		char domain[16];
		char text[EFFECT_SIZE];
		bool live;
	} items[FACTS_MOST];
	int count;
	struct effects *now;
};

static void put(struct effects *e, char sign, const char *text)
{
	if (e->count < EFFECTS_MOST)
		(void)snprintf(e->items[e->count++], EFFECT_SIZE, "%c%.*s", sign, EFFECT_SIZE - 2, text);
}

static enum fact_relation relation(const struct signal *s, const char *old)
{
	struct statement *a = render_statement(s->text, s->len, s->adds);
	struct statement *b = render_statement(old, strlen(old), false);
	enum fact_relation r = render_statement_relation(a, b);
	if (r == RELATION_APART && render_same_fact(s->text, s->len, old, strlen(old)))
		r = RELATION_SAME;
	render_statement_free(a);
	render_statement_free(b);
	return r;
}

static void hear(void *ctx, const struct signal *s)
{
	struct memory *m = ctx;
	bool again = false;
	char fact[EFFECT_SIZE];
	for (int i = 0; i < m->count; i++) {
		if (!m->items[i].live)
			continue;
		enum fact_relation r = relation(s, m->items[i].text);
		if (r == RELATION_SAME && !again) {
			put(m->now, '=', m->items[i].text);
			again = true;
		} else if (r == RELATION_ENDS) {
			put(m->now, '-', m->items[i].text);
			m->items[i].live = false;
		}
	}
	if (again || m->count == FACTS_MOST)
		return;
	(void)snprintf(fact, sizeof fact, "%s: %.*s", s->domain, (int)s->len, s->text);
	put(m->now, '+', fact);
	(void)snprintf(m->items[m->count].text, EFFECT_SIZE, "%.*s", (int)s->len, s->text);
	m->items[m->count++].live = true;
}

static bool is_among(const struct effects *e, const char *effect)
{
	for (int i = 0; i < e->count; i++)
		if (strcmp(e->items[i], effect) == 0)
			return true;
	return false;
}

static int ends(const struct effects *e)
{
	int n = 0;
	for (int i = 0; i < e->count; i++)
		n += e->items[i][0] == '-';
	return n;
}

static void compare(const struct effects *wanted, const struct effects *found, const char *message,
                    bool tell, struct story_score *s)
{
	int right = 0;
	for (int i = 0; i < wanted->count; i++) {
		bool hit = is_among(found, wanted->items[i]);
		right += hit;
		s->ends_right += hit && wanted->items[i][0] == '-';
	}
	s->messages++;
	s->wanted += wanted->count;
	s->found += found->count;
	s->right += right;
	s->ends_wanted += ends(wanted);
	s->ends_found += ends(found);
	if (!tell || (right == wanted->count && right == found->count))
		return;
	printf("# %s\n", message);
	for (int i = 0; i < wanted->count; i++)
		printf("#   wanted %s\n", wanted->items[i]);
	for (int i = 0; i < found->count; i++)
		printf("#   found  %s\n", found->items[i]);
}

static void live(struct memory *m, char *line, bool tell, struct story_score *s)
{
	struct effects wanted = { .count = 0 }, found = { .count = 0 };
	char *rest = line;
	(void)strsep(&rest, "\t");
	char *message = strsep(&rest, "\t");
	if (!message)
		return;
	for (char *effect; (effect = strsep(&rest, "\t")) != NULL;)
		put(&wanted, *effect, effect + 1);
	m->now = &found;
	(void)render_signals(message, strlen(message), hear, m);
	compare(&wanted, &found, message, tell, s);
}

bool story_set_score(const char *path, bool tell, struct story_score *s)
{
	FILE *f = fopen(path, "r");
	struct memory *m = calloc(1, sizeof *m);
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	if (!f || !m)
		return false;
	while ((len = getline(&line, &cap, f)) > 0) {
		line[len - 1] = '\0';
		if (!*line)
			m->count = 0;
		else if (*line != '#')
			live(m, line, tell, s);
	}
	free(line);
	free(m);
	(void)fclose(f);
	return true;
}

/* SPDX-License-Identifier: MIT */
/* Reads a labelled set and counts; used by test_signal and by tests/bench/signals. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/render.h"
#include "tests/unit/signal_set.h"

enum { FACTS_MOST = 8 };

struct facts {
	int count;
	struct fact_line {
		char text[512]; /* as in the file: "!domain: fact" */
	} lines[FACTS_MOST];
};

static void on_signal(void *ctx, const struct signal *s)
{
	struct facts *f = ctx;
	if (f->count == FACTS_MOST)
		return;
	(void)snprintf(f->lines[f->count++].text, sizeof f->lines[0].text, "%s%s: %.*s",
	               s->negates ? "!" : "", s->domain, (int)s->len, s->text);
}

/* \n becomes a newline, in place. */
static void unescape(char *text)
{
	char *to = text;
	for (const char *p = text; *p; p++) {
		if (p[0] == '\\' && p[1] == 'n') {
			*to++ = '\n';
			p++;
		} else {
			*to++ = *p;
		}
	}
	*to = '\0';
}

static void tell_facts(const char *what, const struct facts *f)
{
	for (int i = 0; i < f->count; i++)
		printf("#   %s %s\n", what, f->lines[i].text);
}

/* As in the file: one line. */
static void tell_message(const char *message)
{
	(void)fputs("# ", stdout);
	for (const char *p = message; *p; p++)
		(void)fputs(*p == '\n' ? "\\n" : (char[]){ *p, '\0' }, stdout);
	(void)putchar('\n');
}

static void compare(char *message, const struct facts *wanted, bool tell, struct score *s)
{
	struct facts found = { .count = 0 };
	int exact = 0;
	unescape(message);
	if (render_signals(message, strlen(message), on_signal, &found) != 0)
		printf("# refused: %s\n", message);
	for (int i = 0; i < wanted->count; i++)
		for (int j = 0; j < found.count; j++)
			if (strcmp(wanted->lines[i].text, found.lines[j].text) == 0) {
				exact++;
				break;
			}
	s->messages++;
	s->traps += wanted->count == 0;
	s->wanted += wanted->count;
	s->found += found.count;
	s->hit += wanted->count < found.count ? wanted->count : found.count;
	s->exact += exact;
	if (tell && (exact != wanted->count || found.count != wanted->count)) {
		tell_message(message);
		tell_facts("wanted", wanted);
		tell_facts("found ", &found);
	}
}

static void read_line(char *line, const char *language, bool tell, struct score *s)
{
	struct facts wanted = { .count = 0 };
	char *rest = line, *lang = strsep(&rest, "\t"), *message = strsep(&rest, "\t");
	if (!message || (language && strcmp(lang, language) != 0))
		return;
	for (char *fact; (fact = strsep(&rest, "\t")) && wanted.count < FACTS_MOST;)
		(void)snprintf(wanted.lines[wanted.count++].text, sizeof wanted.lines[0].text, "%s", fact);
	compare(message, &wanted, tell, s);
}

bool signal_set_score(const char *path, const char *language, bool tell, struct score *s)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	if (!f)
		return false;
	while ((len = getline(&line, &cap, f)) > 0) {
		if (line[len - 1] == '\n')
			line[len - 1] = '\0';
		if (*line && *line != '#')
			read_line(line, language, tell, s);
	}
	free(line);
	(void)fclose(f);
	return true;
}

double score_precision(const struct score *s, int right)
{
	return s->found ? (double)right / s->found : 1;
}

double score_recall(const struct score *s, int right)
{
	return s->wanted ? (double)right / s->wanted : 1;
}

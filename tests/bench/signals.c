/* SPDX-License-Identifier: MIT */
/*
 * Precision and recall of the signals on the labelled set and, beside it, on the
 * second set, which was written without knowing the patterns; what becomes of earlier facts, on
 * the stories; what is heard in conversations of other people; and what it costs.
 *
 *   signals [-v] [FILE]   from the top of the source tree; -v prints each miss (not of the second
 *                         set: nobody is to tune on it); FILE: conversations in LoCoMo's JSON, of
 *                         which each fact that is taken is printed, to be judged by a reader
 *
 * "found": a fact was found where one is.  "exact": with its domain, text and sign.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "render/render.h"
#include "tests/unit/signal_set.h"
#include "tests/unit/story_set.h"

enum { ROUNDS = 2000 };

static double now(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool report(const char *path, const char *language, bool tell)
{
	struct score s = { 0 };
	if (!signal_set_score(path, language, tell, &s)) {
		perror(path);
		return false;
	}
	printf("%-27s %-4s %5d %5d   %.3f %.3f   %.3f %.3f\n", path, language ? language : "all",
	       s.messages, s.traps, score_precision(&s, s.hit), score_recall(&s, s.hit),
	       score_precision(&s, s.exact), score_recall(&s, s.exact));
	return true;
}

static bool report_stories(const char *path, bool tell)
{
	struct story_score s = { 0 };
	if (!story_set_score(path, tell, &s)) {
		perror(path);
		return false;
	}
	printf("%-27s %5d messages: effects P %.3f R %.3f, of these facts that end P %.3f R %.3f\n", path,
	       s.messages, (double)s.right / s.found, (double)s.right / s.wanted,
	       (double)s.ends_right / s.ends_found, (double)s.ends_right / s.ends_wanted);
	return true;
}

static void tell_signal(void *ctx, const struct signal *s)
{
	++*(int *)ctx;
	printf("  %s: %.*s\n", s->domain, (int)s->len, s->text);
}

static bool report_talks(const char *path)
{
	json_error_t error;
	json_t *talks = json_load_file(path, 0, &error), *talk, *turns, *turn;
	const char *name;
	size_t i, k;
	int messages = 0, facts = 0;
	json_array_foreach(talks, i, talk)
		json_object_foreach(json_object_get(talk, "conversation"), name, turns)
			json_array_foreach(turns, k, turn) {
				const char *text = json_string_value(json_object_get(turn, "text"));
				messages += text != NULL;
				if (text)
					(void)render_signals(text, strlen(text), tell_signal, &facts);
			}
	printf("%-27s %5d messages: %d facts, above\n", path, messages, facts);
	json_decref(talks);
	if (!talks)
		(void)fprintf(stderr, "%s: %s\n", path, error.text);
	return talks != NULL;
}

static void ignore(void *ctx, const struct signal *s)
{
	(void)ctx;
	(void)s;
}

static void cost(const char *what, const char *message)
{
	double start = now();
	for (int i = 0; i < ROUNDS; i++)
		(void)render_signals(message, strlen(message), ignore, NULL);
	printf("%-40s %8.1f us a message\n", what, (now() - start) / ROUNDS * 1e6);
}

int main(int argc, char **argv)
{
	static const char *const sets[] = { "tests/signals/labelled.tsv", "tests/signals/second.tsv" };
	static const char *const languages[] = { "es", "en", NULL };
	bool tell = argc > 1 && strcmp(argv[1], "-v") == 0;
	printf("%-27s %-4s %5s %5s   %-11s   %-11s\n", "", "", "lines", "traps", "found P R",
	       "exact P R");
	for (size_t i = 0; i < 2; i++)
		for (size_t l = 0; l < 3; l++)
			if (!report(sets[i], languages[l], tell && i == 0 && !languages[l]))
				return EXIT_FAILURE;
	if (!report_stories("tests/signals/stories.tsv", tell))
		return EXIT_FAILURE;
	if (argc > 1 + tell && !report_talks(argv[1 + tell]))
		return EXIT_FAILURE;
	cost("no stem", "Can you look at the parser? It fails on empty input.");
	cost("one stem, no signal", "El build falla siempre en el mismo lugar.");
	cost("a signal", "Recordá que el cliente nuevo es de Chile.");
	return EXIT_SUCCESS;
}

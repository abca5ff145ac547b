/* SPDX-License-Identifier: MIT */
/*
 * The versions of algorithms, for `cinta algorithms` (fs.h): listed, and two of them compared on
 * questions, whose results may be written into their documents.  It never changes a status.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/algorithms/algorithms.h"
#include "fs/algorithms/compare.h"
#include "fs/internal.h"
#include "fs/documents/documents.h"
#include "fs/save/save.h"

enum { QUESTIONS_EACH = 100, TRIES = 8 };

/* ---- which two --------------------------------------------------------------- */

struct choice {
	const struct fs_compare *what;
	struct compared side[2];
	int64_t saved_us[2];
	bool scores[2];
	int versions, experiments; /* of the code */
};

static bool is_version(const struct algorithm *a, const char *given)
{
	size_t len = strlen(given);
	return strncmp(a->name, given, len) == 0 &&
	       (strcmp(a->name + len, ".json") == 0 || a->name[len] == '\0');
}

static void choose(struct choice *c, int side, const struct algorithm *a)
{
	struct compared *s = &c->side[side];
	s->doc = a->id;
	s->by = scoring_default;
	scoring_set(&s->by, a->config, strlen(a->config));
	(void)snprintf(s->version, sizeof s->version, "%.*s",
	               (int)(strlen(a->name) - strlen(".json")), a->name);
	(void)snprintf(s->status, sizeof s->status, "%s", a->status);
	c->saved_us[side] = a->saved_us;
	c->scores[side] = a->scores;
}

/* Of several that are active the one saved last, as where memories are chosen. */
static int consider(void *ctx, const struct algorithm *a)
{
	struct choice *c = ctx;
	bool experiment = strcmp(a->status, "experiment") == 0;
	c->versions++;
	c->experiments += experiment;
	for (int i = 0; i < 2; i++) {
		const char *given = c->what->versions[i];
		if (given ? is_version(a, given) : i ? experiment :
		    strcmp(a->status, "active") == 0 && a->saved_us >= c->saved_us[0])
			choose(c, i, a);
	}
	return 0;
}

static int none_such(const struct choice *c, struct why *why)
{
	const char *code = c->what->code;
	if (c->versions == 0) {
		why_set(why, "`cinta algorithms list DB` tells what there is",
		        "there is no algorithm %.100s", code);
		return -ENOENT;
	}
	for (int i = 0; i < 2; i++) {
		if (!c->what->versions[i] || c->side[i].doc)
			continue;
		why_set(why, "`cinta algorithms list DB` tells what there is",
		        "algorithms/%.100s has no version %.80s", code, c->what->versions[i]);
		return -ENOENT;
	}
	if (c->what->versions[1] || c->experiments == 1)
		return 0;
	why_set(why, c->experiments ? "name two of its versions with -v" :
	        "save one with \"status\": \"experiment\", or name two of its versions with -v",
	        "algorithms/%.100s has %s", code, c->experiments ? "several experiments" :
	        "no version that is an experiment");
	return c->experiments ? -EINVAL : -ENOENT;
}

static int choose_two(struct fs *fs, struct choice *c, struct why *why)
{
	int err = errno_of_store(store_algorithms(fs->store, c->what->code, consider, c));
	if (!err)
		err = none_such(c, why);
	for (int i = 0; !err && i < 2; i++) {
		if (!c->side[i].doc || c->scores[i])
			continue;
		why_set(why, "only algorithms that score memories can be compared: give its config "
		        "`scoring` with weights and decay_rates",
		        "algorithms/%.80s/%.80s.json says no numbers for scoring", c->what->code,
		        c->side[i].version);
		err = -EINVAL;
	}
	if (!err && c->side[0].doc == c->side[1].doc) {
		why_set(why, "name two versions", "it is one version, not two");
		err = -EINVAL;
	}
	if (err || c->side[0].doc)
		return err;
	(void)snprintf(c->side[0].version, sizeof c->side[0].version, "in use");
	return errno_of_store(store_scoring(fs->store, &c->side[0].by));
}

/* ---- what they are asked ------------------------------------------------------- */

struct gathering {
	struct asked_questions *asked;
	int err;
};

static int add_answer(void *ctx, const struct doc_answer *a)
{
	struct gathering *g = ctx;
	g->err = asked_questions_add(g->asked, a->question, strlen(a->question));
	return g->err;
}

static int add_message(void *ctx, const struct search_hit *h)
{
	struct gathering *g = ctx;
	g->err = asked_questions_add(g->asked, h->text, h->len);
	return g->err;
}

/* What was asked here: the questions of answers/, what users said last. */
static int own_questions(struct fs *fs, struct asked_questions *asked, struct why *why)
{
	const struct search_query said = { .words = "", .in = SEARCH_MESSAGES, .role = "user",
		.limit = QUESTIONS_EACH };
	struct gathering g = { .asked = asked };
	int err = errno_of_store(store_answers(fs->store, "answers", 0, QUESTIONS_EACH, add_answer,
	                                       &g));
	if (!err && !g.err)
		err = errno_of_store(store_search(fs->store, &said, add_message, &g));
	if (!err && !g.err && asked->count == 0) {
		why_set(why, "give questions with -q, or as arguments",
		        "this memory holds no question: no answers, no messages of users");
		err = -ENOENT;
	}
	return err ? err : errno_of_render(g.err);
}

/* As given; what is wrong with all of them is said with where they are from. */
static int given_questions(const struct fs_compare *what, struct asked_questions *asked,
                           struct why *why)
{
	int err = render_questions_in(what->questions, what->len, asked, why);
	if (err && !why->line) {
		const struct why as = *why;
		why_set(why, as.todo, "%.100s: %.120s", what->source, as.text);
	}
	return errno_of_render(err);
}

/* ---- the metrics ---------------------------------------------------------------- */

/* One more version of the document, unless somebody saved another meanwhile: -EAGAIN. */
static int write_once(struct fs *fs, int64_t id, const char *metrics, const char *author,
                      struct why *why)
{
	struct doc d;
	struct place p;
	struct buf now = BUF_INIT, fields = BUF_INIT, body = BUF_INIT;
	char *old = NULL;
	size_t len = 0;
	int err = document_living(fs, id, &d);
	if (!err)
		err = errno_of_store(store_doc_content(fs->store, d.id, d.versions, &old, &len));
	if (!err)
		err = place_of(fs, place_ino(fs, d.parent), &p);
	if (!err)
		err = errno_of_render(render_algorithm_metrics(&now, old, len, metrics, why));
	if (!err)
		err = save_check(fs, &p, d.name, now.data, now.len, &fields, why);
	if (!err) {
		save_body(fs, &body, &fields, NULL, now.data, now.len, old, len);
		int rc = body.failed ? STORE_ENOMEM :
			store_doc_append(fs->store, d.id, "document",
			                 (struct doc_text){ body.data, body.len }, author, d.entries);
		err = rc == STORE_EMOVED ? -EAGAIN : errno_of_store(rc);
	}
	free(old);
	buf_release(&now);
	buf_release(&fields);
	buf_release(&body);
	return err;
}

static int write_metrics(struct fs *fs, const struct choice *c, const struct comparison *of,
                         struct why *why)
{
	int err = 0;
	for (int i = 0; !err && i < 2; i++) {
		struct buf metrics = BUF_INIT;
		render_comparison_metrics(&metrics, of, i);
		err = metrics.failed ? -ENOMEM : c->side[i].doc ? -EAGAIN : 0;
		for (int tries = 0; err == -EAGAIN && tries < TRIES; tries++)
			err = write_once(fs, c->side[i].doc, metrics.data, c->what->author, why);
		buf_release(&metrics);
		if (err && !why->text[0])
			why_set(why, "see cinta status DB and cinta doctor DB, and try again",
			        "the metrics of %.100s were not written: %s", c->side[i].version,
			        strerror(-err));
	}
	return err;
}

/* ---- the door -------------------------------------------------------------------- */

int algorithms_compare(struct fs *fs, const struct fs_compare *what, struct buf *page,
                       struct why *why)
{
	struct choice c = { .what = what };
	struct asked_questions asked = { .count = 0 };
	struct comparison of = { .code = what->code, .k = what->k,
		.source = what->questions ? what->source : "answers/ and messages of users" };
	struct measured *in = NULL;
	int err = choose_two(fs, &c, why);
	if (!err && what->author && store_frozen(fs->store)) {
		why_set(why, "leave -w out", "nothing can be written: the database takes no entries");
		err = -EROFS;
	}
	if (!err)
		err = what->questions ? given_questions(what, &asked, why) :
			own_questions(fs, &asked, why);
	if (!err)
		err = compare_run(fs, c.side, &asked, &of, &in, why);
	if (!err)
		render_comparison(page, &of);
	if (!err && what->author) {
		lock_take(&fs->docs);
		err = write_metrics(fs, &c, &of, why);
		lock_give(&fs->docs);
	}
	measured_free(in);
	asked_questions_release(&asked);
	return err ? err : page->failed ? -ENOMEM : 0;
}

struct listing {
	struct buf lines;
	int count;
};

static int list_one(void *ctx, const struct algorithm *a)
{
	struct listing *l = ctx;
	char version[NAME_LIMIT + 1];
	(void)snprintf(version, sizeof version, "%.*s", (int)(strlen(a->name) - strlen(".json")),
	               a->name);
	render_algorithm_line(&l->lines, a->code, version, a->status, a->scores, a->saved_us);
	l->count++;
	return 0;
}

int fs_algorithms_list(struct store *store, fs_text_fn *emit, void *ctx)
{
	struct listing l = { .lines = BUF_INIT };
	int err = errno_of_store(store_algorithms(store, NULL, list_one, &l));
	if (!err && l.lines.failed)
		err = -ENOMEM;
	if (!err && l.lines.len > 0)
		emit(ctx, l.lines.data, l.lines.len);
	buf_release(&l.lines);
	return err ? err : l.count;
}

/* SPDX-License-Identifier: MIT */
/*
 * sessions/NAME/active.jsonl: the working memory as a list, for a program that keeps one: the
 * active messages in their order, and each summary in the place of the messages it stands for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"
#include "fs/window/window.h"

/* A summary, copied: who is called back asks the store nothing (store.h). */
struct cover {
	struct summary of;
	char *text;
};

struct working {
	struct fs *fs;
	struct buf *out;
	struct cover *cover;
	size_t covers, room;
	int64_t covered;      /* messages that have a summary */
	struct ngram_vector before; /* of the active message before this one */
	bool any;             /* there is one */
};

static int take_summary(void *ctx, const struct summary *y)
{
	struct working *w = ctx;
	char *text = ARRAY_ROOM(w->cover, w->room, w->covers) ? malloc(y->len + 1) : NULL;
	if (!text)
		return STORE_ENOMEM;
	memcpy(text, y->text, y->len);
	text[y->len] = '\0';
	w->cover[w->covers] = (struct cover){ *y, text };
	w->cover[w->covers++].of.text = text;
	w->covered += y->last - y->first + 1;
	return 0;
}

/* How near in its words it is to the active message before it, 0 to 1; below 0: there is none. */
static double continuity(struct working *w, const struct turn *t)
{
	struct ngram_vector now;
	double is = -1;
	if (ngram_vector_of(&now, t->content,
	                    t->len < POLICY_NGRAM_BYTES ? t->len : POLICY_NGRAM_BYTES)) {
		w->out->failed = true;
		return is;
	}
	if (w->any) {
		is = policy_calibrated(&calibration_turns, ngram_vector_similarity(&w->before, &now));
		ngram_vector_release(&w->before);
	}
	w->before = now;
	w->any = true;
	return is < 0 ? is : is > 1 ? 1 : is;
}

static int take_turn(void *ctx, const struct turn *t)
{
	struct working *w = ctx;
	if (t->active)
		render_working_message(w->out, t, continuity(w, t));
	return w->out->failed ? STORE_ENOMEM : 0;
}

static int turns(struct working *w, int64_t session, int64_t first, int64_t last)
{
	return first > last ? 0 : store_turns(w->fs->store, session, first, last, take_turn, w);
}

/* Of the messages that have a summary only those are read of which some are shown beside it. */
static int print(struct working *w, int64_t session, const struct context_state *state)
{
	bool shown = w->covered != state->summarized;
	int64_t from = 1;
	int err = 0;
	for (size_t i = 0; !err && i < w->covers; i++) {
		const struct summary *y = &w->cover[i].of;
		err = turns(w, session, from, y->first - 1);
		if (!err)
			render_working_summary(w->out, y, w->fs->count_tokens(y->text, y->len));
		if (!err && shown)
			err = turns(w, session, y->first, y->last);
		from = y->last + 1;
	}
	return err ? err : turns(w, session, from, state->messages);
}

int page_working(struct fs *fs, int64_t session, struct buf *out)
{
	struct working w = { .fs = fs, .out = out };
	struct context_state state;
	int err = store_catch_up(fs->store);
	if (!err)
		err = store_context_state(fs->store, session, &state);
	if (!err)
		err = store_summaries(fs->store, session, 0, take_summary, &w);
	if (!err)
		err = print(&w, session, &state);
	if (w.any)
		ngram_vector_release(&w.before);
	for (size_t i = 0; i < w.covers; i++)
		free(w.cover[i].text);
	free(w.cover);
	return errno_of_store(err);
}

/* SPDX-License-Identifier: MIT */
/* What ctl and smma/action_log.md say, now and then. */
#include "fs/window/window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"

enum { ACTIONS_MOST = 200, ACTION_BYTES_MOST = 256 << 10 };
#define NOW INT64_MAX

static int state_of(struct fs *fs, int64_t session, int64_t time_us, struct context_state *out)
{
	return errno_of_store(time_us == NOW ? store_context_state(fs->store, session, out) :
	                      store_context_state_at_time(fs->store, session, time_us, out));
}

/* ---- ctl ------------------------------------------------------------------- */

static int add_range(void *ctx, struct context_range r)
{
	return !ctl_ranges_add(ctx, r);
}

static int add_summary(void *ctx, const struct summary *y)
{
	return !ctl_ranges_add(ctx, (struct context_range){ y->first, y->last });
}

static int marked(struct fs *fs, int64_t session, int64_t time_us, enum context_mark mark,
                  struct ctl_ranges *out)
{
	return time_us == NOW ? store_context_marked(fs->store, session, mark, add_range, out) :
		store_context_marked_at_time(fs->store, session, time_us, mark, add_range, out);
}

int page_ctl_then(struct fs *fs, const struct group *g, int64_t time_us, struct buf *out)
{
	struct ctl_page p = { .session = g->name };
	int err = state_of(fs, g->id, time_us, &p.state);
	if (!err)
		err = errno_of_store(marked(fs, g->id, time_us, MARK_PRUNED, &p.pruned));
	if (!err)
		err = errno_of_store(marked(fs, g->id, time_us, MARK_PINNED, &p.pinned));
	if (!err)
		err = errno_of_store(time_us == NOW ?
			store_summaries(fs->store, g->id, 0, add_summary, &p.summaries) :
			store_summaries_at_time(fs->store, g->id, time_us, 0, add_summary, &p.summaries));
	if (!err)
		render_ctl_page(out, &p);
	buf_release(&p.pruned.text);
	buf_release(&p.pinned.text);
	buf_release(&p.summaries.text);
	return err;
}

int page_ctl(struct fs *fs, int64_t session, struct buf *out)
{
	struct group g;
	int err = session_now(fs, session, &g);
	return err ? err : page_ctl_then(fs, &g, NOW, out);
}

int changed_window_then(struct fs *fs, int64_t session, int64_t time_us, int64_t *us)
{
	struct context_state state;
	int err = state_of(fs, session, time_us, &state);
	*us = err ? 0 : state.last_us;
	return err;
}

int changed_window(struct fs *fs, int64_t session, int64_t *time_us)
{
	struct group g;
	int err = changed_window_then(fs, session, NOW, time_us);
	if (!err && !*time_us) {
		err = errno_of_store(store_group_by_id(fs->store, LOG_SESSION, session, &g));
		*time_us = err ? 0 : g.made_us;
	}
	return err;
}

int changed_ctl(struct fs *fs, int64_t session, int64_t *time_us)
{
	int64_t said;
	int err = changed_window(fs, session, time_us);
	if (!err)
		err = changed_session(fs, session, &said);
	if (!err && said > *time_us)
		*time_us = said;
	return err;
}

/* ---- smma/action_log.md ------------------------------------------------------ */

/* Parts of the page, newest first, until there are enough. */
struct actions {
	struct part {
		int64_t first; /* message it is, or begins with */
		size_t start, len;
	} turns[ACTIONS_MOST], covers[ACTIONS_MOST];
	size_t turn_count, cover_count;
	struct buf turn_text, cover_text;
	bool more_turns, more_covers; /* there are older ones */
};

static int see_turn(void *ctx, const struct turn *t)
{
	struct actions *a = ctx;
	if (a->turn_count == ACTIONS_MOST || a->turn_text.len > ACTION_BYTES_MOST) {
		a->more_turns = true;
		return 1;
	}
	size_t start = a->turn_text.len;
	render_action_turn(&a->turn_text, t);
	a->turns[a->turn_count++] = (struct part){ t->n, start, a->turn_text.len - start };
	return 0;
}

static int see_cover(void *ctx, const struct summary *y)
{
	struct actions *a = ctx;
	if (a->cover_count == ACTIONS_MOST || a->cover_text.len > ACTION_BYTES_MOST) {
		a->more_covers = true;
		return 1;
	}
	size_t start = a->cover_text.len;
	render_action_summary(&a->cover_text, y);
	a->covers[a->cover_count++] = (struct part){ y->first, start, a->cover_text.len - start };
	return 0;
}

static int see_cover_then(void *ctx, const struct summary *y)
{
	struct actions *a = ctx; /* these come oldest first: the last ones push the others out */
	if (a->cover_count == ACTIONS_MOST) {
		memmove(a->covers, a->covers + 1, (ACTIONS_MOST - 1) * sizeof *a->covers);
		a->cover_count--;
		a->more_covers = true;
	}
	size_t start = a->cover_text.len;
	render_action_summary(&a->cover_text, y);
	a->covers[a->cover_count++] = (struct part){ y->first, start, a->cover_text.len - start };
	return 0;
}

static void reverse(struct part *parts, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		struct part p = parts[i];
		parts[i] = parts[count - 1 - i];
		parts[count - 1 - i] = p;
	}
}

static int collect(struct fs *fs, int64_t session, int64_t time_us, struct actions *a)
{
	int err = time_us == NOW ? store_summaries_back(fs->store, session, 0, see_cover, a) :
		store_summaries_at_time(fs->store, session, time_us, 0, see_cover_then, a);
	if (time_us != NOW)
		reverse(a->covers, a->cover_count);
	if (!err)
		err = time_us == NOW ? store_active_back(fs->store, session, 0, see_turn, a) :
			store_active_back_at_time(fs->store, session, time_us, see_turn, a);
	return errno_of_store(err);
}

/*
 * Both lists go back from the newest; a summary stands where its first message stood.
 * Takes from them until there is enough, or what comes next is not known.
 */
static void put_actions(struct buf *out, const char *session, const struct context_state *state,
                        const struct actions *a)
{
	size_t t = 0, c = 0, bytes = 0;
	int64_t from = 0;
	while (t + c < ACTIONS_MOST && bytes < ACTION_BYTES_MOST) {
		bool no_turn = t == a->turn_count, no_cover = c == a->cover_count;
		if ((no_turn && (no_cover || a->more_turns)) || (no_cover && a->more_covers))
			break;
		bool turn = no_cover || (!no_turn && a->turns[t].first >= a->covers[c].first);
		const struct part *p = turn ? &a->turns[t++] : &a->covers[c++];
		from = p->first;
		bytes += p->len;
	}
	bool all = t == a->turn_count && c == a->cover_count && !a->more_turns && !a->more_covers;
	render_action_head(out, session, state, all ? 0 : from);
	while (t > 0 || c > 0) {
		bool turn = c == 0 || (t > 0 && a->turns[t - 1].first < a->covers[c - 1].first);
		const struct part *p = turn ? &a->turns[--t] : &a->covers[--c];
		buf_add(out, (turn ? a->turn_text.data : a->cover_text.data) + p->start, p->len);
	}
}

int page_action_log_then(struct fs *fs, const struct group *g, int64_t time_us, struct buf *out)
{
	struct context_state state = { 0 };
	struct actions *a = g ? calloc(1, sizeof *a) : NULL;
	if (!g) {
		render_action_head(out, NULL, &state, 0);
		return 0;
	}
	int err = a ? state_of(fs, g->id, time_us, &state) : -ENOMEM;
	if (!err)
		err = collect(fs, g->id, time_us, a);
	if (!err && (a->turn_text.failed || a->cover_text.failed))
		err = -ENOMEM;
	if (!err)
		put_actions(out, g->name, &state, a);
	if (a) {
		buf_release(&a->turn_text);
		buf_release(&a->cover_text);
	}
	free(a);
	return err;
}

int page_action_log(struct fs *fs, int64_t id, struct buf *out)
{
	struct group g;
	(void)id;
	int err = errno_of_store(store_catch_up(fs->store));
	if (!err)
		err = current_session(fs, &g);
	return err && err != -ENOENT ? err : page_action_log_then(fs, err ? NULL : &g, NOW, out);
}

int changed_action_log(struct fs *fs, int64_t id, int64_t *time_us)
{
	struct group g;
	(void)id;
	int err = current_session(fs, &g);
	*time_us = 0;
	return err == -ENOENT ? 0 : err ? err : changed_ctl(fs, g.id, time_us);
}

void window_on_saved(struct job *job, const struct saved *saved)
{
	enum kind kind = saved ? ino_kind(saved->ino) : KIND_ROOT;
	bool operation = kind == KIND_CTL || kind == KIND_SUMMARY;
	int64_t session = kind == KIND_SUMMARY ? ino_id(saved->dir) : saved ? ino_id(saved->ino) : 0;
	if (operation)
		job_inode(job, ino_make(KIND_SUMMARIES, session));
	if (operation || kind == KIND_LOG)
		job_inode(job, ino_make(KIND_CTL, session));
	if (operation || kind == KIND_LOG || kind == KIND_RECORD)
		job_inode(job, ino_make(KIND_ACTION_LOG, 0));
}

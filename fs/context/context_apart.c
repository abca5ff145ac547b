/* SPDX-License-Identifier: MIT */
/*
 * Contexts apart from a conversation.  Of a memory in which nobody has written to a session yet:
 * instructions, state, facts.  threads/NAME/context.md: what to know of a project before anybody
 * has said a word in a session of today.  The same; what its last sessions were about, in short,
 * the newest last; tool results that nobody has answered; and what is found for the last question.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/context/page.h"

enum {
	SESSIONS_MOST = 3,      /* of the newest */
	TURNS_MOST = 12,        /* of each, its last */
	RESULTS_MOST = 3, RESULT_TOKENS = 100,
	LOOK_BYTES = 256 << 10  /* of the transcript's end */
};

/* The sessions in which the thread was spoken last, the newest first. */
struct last {
	int64_t session[SESSIONS_MOST];
	size_t count;
};

static int see_session(void *ctx, const struct entry *e, int64_t start)
{
	struct last *l = ctx;
	int64_t session = store_stream_session(e->stream);
	size_t at = 0;
	(void)start;
	while (at < l->count && l->session[at] != session)
		at++;
	if (at == l->count)
		l->count += l->count < SESSIONS_MOST;
	at = at < l->count ? at : l->count - 1;
	memmove(&l->session[1], &l->session[0], at * sizeof l->session[0]);
	l->session[0] = session;
	return 0;
}

static int find_sessions(struct fs *fs, const struct group *thread, struct last *out)
{
	int64_t from = thread->text_bytes > LOOK_BYTES ? thread->text_bytes - LOOK_BYTES : 0;
	*out = (struct last){ .count = 0 };
	return errno_of_store(store_text_each(fs->store, (struct log_id){ LOG_THREAD, thread->id },
	                                      from, see_session, out));
}

/* The last turns of a session as one summary by rule; *text NULL: it has none. */
static int digest_of(const struct context *of, char **text, int64_t *first, int64_t *last)
{
	size_t at[POLICY_LOOK_BACK], n = context_candidates(of, at);
	size_t from = n > TURNS_MOST ? n - TURNS_MOST : 0, count = 0;
	struct summary_turn turns[TURNS_MOST];
	const struct summary_rules rules = { .count = of->fs->count_tokens,
		.tokens = 2 * of->policy.summary_tokens, .stop = policy_stop_word };
	struct digest digest = { 0 };
	struct buf page = BUF_INIT;
	*text = NULL;
	for (size_t i = from; i < n; i++)
		turns[count++] = (struct summary_turn){ .text = of->turn[at[i]].text,
			.len = of->turn[at[i]].len, .user = looked_by_user(&of->turn[at[i]]) };
	if (count == 0)
		return 0;
	*first = of->turn[at[from]].n;
	*last = of->turn[at[n - 1]].n;
	int err = errno_of_render(render_digest_of(&digest, turns, count, &rules));
	if (!err)
		render_digest(&page, &digest);
	if (!err && !page.failed && page.len > 0)
		*text = strdup(page.data);
	digest_release(&digest);
	buf_release(&page);
	return err;
}

static int add_digest(struct context *c, const struct context *of)
{
	char *text, where[NAME_LIMIT + 64], title[NAME_LIMIT + 16];
	int64_t first = 0, last = 0;
	int err = digest_of(of, &text, &first, &last);
	if (err || !text)
		return err;
	(void)snprintf(where, sizeof where, "sessions/%s/transcript.md", of->group.name);
	(void)snprintf(title, sizeof title, "sessions/%s", of->group.name);
	const struct context_part part = { .kind = CONTEXT_SUMMARY, .title = title, .where = where,
		.text = text, .len = strlen(text), .first = first, .last = last, .inferred = true,
		.role = "" };
	(void)context_add_fit(c, &part, 2 * c->policy.summary_tokens, 0, PART_SUMMARY, 0, 0);
	free(text);
	return 0;
}

static int add_session(struct context *c, int64_t session)
{
	struct context *of = context_new(c->fs);
	int err = of ? context_start(of, session) : -ENOMEM;
	if (!err)
		err = add_digest(c, of);
	context_free(of);
	return err;
}

/* Of the newest session: what a tool said last, and nobody has answered. */
static void add_results(struct context *c)
{
	int left = RESULTS_MOST;
	for (size_t i = c->turns; i-- > 0 && left > 0;) {
		if (!c->turn[i].waits)
			continue;
		context_add_message(c, &c->turn[i], RESULT_TOKENS);
		left--;
	}
}

static int gather(struct context *c, const struct group *thread)
{
	struct last last;
	int err = find_sessions(c->fs, thread, &last);
	if (!err && last.count == 0)
		err = -ENOENT;
	if (!err)
		err = context_start(c, last.session[0]);
	c->of = thread->name;
	c->of_thread = true;
	if (!err)
		err = context_blocks(c);
	if (!err)
		err = context_sections(c);
	for (size_t i = last.count; !err && i-- > 0;)
		err = add_session(c, last.session[i]);
	if (!err)
		add_results(c);
	if (!err)
		err = context_facts(c);
	if (!err)
		err = context_memories(c);
	return err ? err : context_found(c, c->policy.found_tokens);
}

int page_thread_context(struct fs *fs, int64_t id, struct buf *out)
{
	struct group thread;
	struct context *c = context_new(fs);
	int err = c ? errno_of_store(store_catch_up(fs->store)) : -ENOMEM;
	if (!err)
		err = errno_of_store(store_group_by_id(fs->store, LOG_THREAD, id, &thread));
	if (!err)
		err = gather(c, &thread);
	if (!err)
		err = context_fit(c, out);
	context_free(c);
	return err;
}

/* ---- of no session ---------------------------------------------------------------- */

static int gather_without(struct context *c, bool hidden)
{
	int err = context_start_for(c, hidden ? "no session" : "no session yet");
	if (!err)
		err = context_blocks(c);
	if (!err)
		err = context_sections(c);
	return err ? err : context_facts(c);
}

/* What is said of a session that is hidden, or of how to begin one, is true of this mount. */
static void tell_none(struct fs *fs, bool hidden, struct buf *out)
{
	const char *path = hidden ? "sessions" : "sessions/.new/log.jsonl";
	enum reach least = hidden ? REACH_WAY : REACH_WRITE;
	render_context_begin(out, hidden, bounds_path(client_of(fs)->bounds, path) >= least);
}

static int page_no_session(struct fs *fs, bool hidden, struct buf *out)
{
	struct context *c = context_new(fs);
	int err = c ? gather_without(c, hidden) : -ENOMEM;
	if (!err)
		tell_none(fs, hidden, &c->memory);
	if (!err)
		err = c->memory.failed ? -ENOMEM : context_fit(c, out);
	context_free(c);
	return err;
}

int context_session(struct fs *fs, struct group *out)
{
	int err = current_session(fs, out);
	return !err && !tree_shows(fs, ino_make(KIND_SESSION, out->id)) ? -ENOENT : err;
}

int page_context_now(struct fs *fs, int64_t id, struct buf *out)
{
	struct group g = { .id = 0 };
	int err = context_session(fs, &g);
	(void)id;
	return err == -ENOENT ? page_no_session(fs, g.id != 0, out) : err ? err :
		page_context(fs, g.id, out);
}

/* SPDX-License-Identifier: MIT */
/* The page: its pieces gathered, made to fit, printed. */
#include "fs/context/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { REFS_MOST = 48, LEAST_TOKENS = 16, NEWEST_LEAST = 128 };

int fs_policy(struct fs *fs, struct policy *out)
{
	int err = store_policy(fs->store, out);
	if (fs->threshold)
		out->threshold = fs->threshold;
	return errno_of_store(err);
}

int64_t context_section_max(struct fs *fs, const char *name)
{
	struct policy policy;
	int which = strcmp(name, "identity.md") == 0 ? SECTION_IDENTITY : -1;
	for (int i = 0; i < CONTEXT_SECTIONS; i++)
		if (strcmp(context_section[i].name, name) == 0)
			which = SECTION_PROFILE + i;
	return which >= 0 && fs_policy(fs, &policy) == 0 ? policy.section_max[which] : 0;
}

int context_start(struct context *c, int64_t session)
{
	struct fs *fs = c->fs;
	c->session = session;
	int err = fs_policy(fs, &c->policy);
	if (!err)
		err = store_group_by_id(fs->store, LOG_SESSION, session, &c->group);
	if (!err)
		err = store_context_state(fs->store, session, &c->state);
	c->of = c->left.session = c->group.name;
	return err ? errno_of_store(err) : context_look(c);
}

int context_start_for(struct context *c, const char *of)
{
	c->of = of;
	c->left.session = "";
	return fs_policy(c->fs, &c->policy);
}

/* One more that does not fit. */
static void leave_out(struct context *c, struct piece *p)
{
	int64_t *const of[] = { [PART_SUMMARY] = &c->left.summaries,
		[PART_WINDOW] = &c->left.messages, [PART_RESULT] = &c->left.results,
		[PART_FACT] = &c->left.facts, [PART_SECTION] = &c->left.sections,
		[PART_BLOCK] = &c->left.blocks };
	p->out = true;
	if (p->cut_as == PART_FOUND || p->cut_as == PART_MEMORY)
		return; /* a search has no end that could be told */
	++*(p->part.pinned ? &c->left.pinned : of[p->cut_as]);
}

/* Takes so many tokens off its text, or some more; false: it has not become shorter. */
static bool fit_text(struct context *c, struct piece *p, int64_t off)
{
	struct context_part *part = &p->part;
	int64_t before = c->fs->count_tokens(part->text, part->len), was = p->tokens;
	part->len = render_fit(part->text, part->len, before > off ? before - off : 0,
	                       c->fs->count_tokens);
	part->left += before - c->fs->count_tokens(part->text, part->len);
	p->tokens = piece_tokens(c, p);
	return p->tokens < was;
}

/* The order of cuts is policy's. */
static void cut(struct context *c, int64_t budget)
{
	struct policy_part *parts = calloc(c->count + 1, sizeof *parts);
	if (!parts) {
		c->failed = true;
		return;
	}
	for (size_t i = 0; i < c->count; i++)
		parts[i] = (struct policy_part){ .kind = c->piece[i].cut_as,
			.tokens = c->piece[i].out ? 0 : c->piece[i].tokens, .least = NEWEST_LEAST,
			.pinned = c->piece[i].part.pinned };
	(void)policy_cut(parts, c->count, budget);
	for (size_t i = 0; i < c->count; i++)
		if (parts[i].cut && !c->piece[i].out)
			leave_out(c, &c->piece[i]);
		else if (!c->piece[i].out && parts[i].tokens < c->piece[i].tokens)
			(void)fit_text(c, &c->piece[i], c->piece[i].tokens - parts[i].tokens);
	free(parts);
}

/*
 * Pinned messages go last of all, so first the largest piece gives half of its text, and when
 * what is around the texts is too much, it goes.  False: nothing is left.
 */
static bool shrink(struct context *c)
{
	struct piece *largest = NULL;
	for (size_t i = 0; i < c->count; i++)
		if (!c->piece[i].out && (!largest || c->piece[i].tokens > largest->tokens))
			largest = &c->piece[i];
	if (!largest)
		return false;
	if (largest->tokens <= LEAST_TOKENS || largest->part.len == 0) {
		leave_out(c, largest);
		return true;
	}
	int64_t tokens = c->fs->count_tokens(largest->part.text, largest->part.len);
	if (!fit_text(c, largest, tokens - tokens / 2))
		leave_out(c, largest);
	return true;
}

/* The sum of the pieces is not quite the page's tokens: heads and joints count, too. */
int context_fit(struct context *c, struct buf *out)
{
	int64_t most = c->policy.total_tokens, pieces = 0, page;
	context_print(c, out);
	page = c->fs->count_tokens(out->data, out->len);
	for (int tries = 0; page > most && tries < 4; tries++) {
		pieces = 0;
		for (size_t i = 0; i < c->count; i++)
			pieces += c->piece[i].out ? 0 : c->piece[i].tokens;
		cut(c, most - (page - pieces) - 16 * tries);
		context_print(c, out);
		page = c->fs->count_tokens(out->data, out->len);
	}
	while (page > most && !out->failed && shrink(c)) {
		context_print(c, out);
		page = c->fs->count_tokens(out->data, out->len);
	}
	if (page > most && !out->failed) { /* a long name alone, with a very small total */
		out->len = render_fit(out->data, out->len, most, c->fs->count_tokens);
		out->data[out->len] = '\0';
	}
	return c->failed || out->failed ? -ENOMEM : 0;
}

static void take_hash(void *ctx, const struct entry *e)
{
	buf_add_hex(ctx, e->leaf_hash, HASH_SIZE);
}

/* A reference for each piece shown, in the order of the page; what was found comes last. */
static void add_refs(const struct context *c, struct buf *refs)
{
	int n = 0;
	buf_addc(refs, '[');
	for (int k = 0; k <= CONTEXT_KINDS; k++) {
		int kind = k == CONTEXT_HIT ? CONTEXT_KINDS : k == CONTEXT_KINDS ? CONTEXT_HIT : k;
		for (size_t i = 0; i < c->count && n < REFS_MOST; i++) {
			const struct piece *p = &c->piece[i];
			struct doc_version v = { .hash = "" };
			struct buf hash = BUF_INIT;
			if (p->out || (int)p->part.kind != kind)
				continue;
			if (p->seq)
				(void)store_entry(c->fs->store, p->seq, take_hash, &hash);
			else if (p->doc && store_doc_version(c->fs->store, p->doc, 0, &v) == 0)
				buf_adds(&hash, v.hash);
			if (hash.len == 2 * HASH_SIZE && !strstr(refs->data, hash.data))
				buf_addf(refs, "%s{\"type\":\"context\",\"ref\":\"%s\"}", n++ ? "," : "",
				         hash.data);
			buf_release(&hash);
		}
	}
	buf_addc(refs, ']');
	if (n == 0)
		buf_clear(refs);
}

int context_ended(struct fs *fs, int64_t session, struct context_ended *out)
{
	struct context *c = context_new(fs);
	size_t most;
	*out = (struct context_ended){ .count = 0 };
	if (!c)
		return -ENOMEM;
	int err = context_start(c, session);
	if (!err)
		err = context_window(c);
	most = c->policy.summaries < CONTEXT_ENDED_MOST ? (size_t)c->policy.summaries :
		CONTEXT_ENDED_MOST;
	if (!err)
		err = context_segments(c, out->segment, most, &out->count);
	memcpy(out->name, c->group.name, sizeof out->name);
	out->tokens = c->policy.summary_tokens;
	context_free(c);
	return err;
}

static int gather(struct context *c, int64_t session, bool eager)
{
	int err = context_start(c, session);
	c->eager = eager;
	if (!err)
		err = context_blocks(c);
	if (!err)
		err = context_sections(c);
	if (!err)
		err = context_window(c);
	if (!err)
		err = context_summaries(c);
	if (!err)
		err = context_facts(c);
	if (!err)
		err = context_memories(c);
	return err ? err : context_refusal(c);
}

static int64_t all_tokens(const struct context *c)
{
	int64_t tokens = 0;
	for (size_t i = 0; i < c->count; i++)
		tokens += c->piece[i].tokens;
	return tokens;
}

/* Its last lines: how full the memory is, and what to do. */
static int tell_memory(struct context *c)
{
	struct dashboard *d = calloc(1, sizeof *d);
	struct buf undecided = BUF_INIT;
	int err = d ? context_pressure(c, d) : -ENOMEM;
	if (!err && client_sees_all(c->fs))
		err = context_undecided(c->fs, d, "", &undecided);
	if (!err)
		render_memory(&c->memory, d);
	buf_release(&undecided);
	free(d);
	return !err && c->memory.failed ? -ENOMEM : err;
}

/* A search that cannot be made takes nothing away from the page but what it would find. */
static int remember(struct context *c)
{
	int err = c->policy.found_tokens > 0 ? context_found(c, c->policy.found_tokens) : 0;
	c->left.unsearched = c->left.unsearched || (err && err != -ENOMEM);
	return err == -ENOMEM ? err : 0;
}

void context_used(const struct context *c, struct context_used *out)
{
	const size_t most = sizeof out->doc / sizeof out->doc[0];
	out->count = 0;
	for (size_t i = 0; i < c->count && out->count < most; i++) {
		const struct piece *p = &c->piece[i];
		bool asked = p->part.kind == CONTEXT_HIT || p->part.kind == CONTEXT_MEMORY;
		if (asked && p->doc && !p->out)
			out->doc[out->count++] = p->doc;
	}
}

static int make(struct fs *fs, int64_t session, struct buf *out, struct buf *refs,
                struct context_used *used)
{
	struct context *c = context_new(fs);
	int err = c ? gather(c, session, false) : -ENOMEM;
	if (!err && policy_is_eager(&c->policy, all_tokens(c))) {
		context_clear(c);
		err = gather(c, session, true);
	}
	if (!err)
		err = tell_memory(c);
	if (!err)
		err = remember(c);
	if (!err)
		err = context_fit(c, out);
	if (!err) {
		add_refs(c, refs);
		context_used(c, used);
	}
	if (!err && refs->failed)
		err = -ENOMEM;
	context_free(c);
	return err;
}

int context_page(struct fs *fs, int64_t session, struct buf *out, struct buf *refs)
{
	struct buf page = BUF_INIT, shown = BUF_INIT;
	struct cache_key now;
	struct context_used used;
	if (context_cache_get(fs, session, out, refs))
		return 0;
	context_cache_key(fs, &now);
	int err = make(fs, session, &page, &shown, &used);
	if (!err) {
		context_cache_keep(fs, session, &now, &page, &shown, &used);
		buf_add(out, page.data, page.len);
		if (refs)
			buf_add(refs, shown.data, shown.len);
	}
	buf_release(&page);
	buf_release(&shown);
	return err;
}

int page_context(struct fs *fs, int64_t session, struct buf *out)
{
	return context_page(fs, session, out, NULL);
}

int context_open(struct fs *fs, int64_t session, struct buf *out)
{
	struct buf refs = BUF_INIT;
	int err = context_page(fs, session, out, &refs);
	if (!err) {
		struct context_used used;
		context_counts_open(fs, fs->count_tokens(out->data, out->len));
		context_cache_used(fs, session, &used);
		/* A count that is lost is not worth a page that is. */
		(void)store_memory_accessed(fs->store, used.doc, used.count, store_time(fs->store));
	}
	if (!err && !refs.failed)
		exposure_put(fs, session, &refs);
	buf_release(&refs);
	return err;
}

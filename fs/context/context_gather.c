/* SPDX-License-Identifier: MIT */
/* Blocks, sections and facts of a context. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/context/page.h"

enum { DAY_DAYS = 7, REFUSAL_TOKENS = 80, PATH_SHOWN = 100 };
#define EXPIRES_WITHIN (DAY_DAYS * INT64_C(86400) * 1000000)

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* ---- blocks ------------------------------------------------------------------- */

static int64_t uses_of(const struct context *c, const char *tool)
{
	int64_t uses = 0;
	for (size_t i = 0; i < c->turns; i++)
		uses += strcmp(c->turn[i].tool, tool) == 0;
	return uses;
}

/* The newest answer of the assistant; `first`: of the whole session, if it is looked at. */
static const struct looked *answer(const struct context *c, bool first)
{
	for (size_t k = 0; k < c->turns; k++) {
		const struct looked *t = &c->turn[first ? k : c->turns - 1 - k];
		if (strcmp(t->role, "assistant") == 0)
			return t;
	}
	return NULL;
}

static struct policy_output output_of(const struct looked *t, enum output_format format)
{
	struct policy_output o = { .exists = t != NULL };
	if (t) {
		o.valid = o.parsed = !t->error;
		o.structure = render_output_check(format, t->text, t->len);
	}
	return o;
}

/* Does the session show that it knows what this block says? */
static bool is_known(const struct context *c, const struct doc_block *b)
{
	static const char *const formats[] = {
		[OUTPUT_TEXT] = "text", [OUTPUT_MARKDOWN] = "markdown", [OUTPUT_JSON] = "json" };
	if (*b->for_tool && policy_omits_tool(uses_of(c, b->for_tool)))
		return true;
	for (int f = OUTPUT_TEXT; f <= OUTPUT_JSON; f++) {
		struct policy_output o;
		if (strcmp(b->for_format, formats[f]) != 0)
			continue;
		o = output_of(answer(c, false), (enum output_format)f);
		if (policy_omits_format(&o))
			return true;
	}
	/* The first answer is looked at while the session is short; later it has long been given. */
	struct policy_output o = output_of(answer(c, true), OUTPUT_TEXT);
	return b->examples && policy_omits_examples(&o);
}

struct blocks {
	struct context *c;
	int64_t left; /* tokens */
};

static void add_block(void *ctx, const struct doc_block *b)
{
	struct blocks *blocks = ctx;
	char where[NAME_LIMIT + 64];
	if (is_known(blocks->c, b)) {
		blocks->c->left.known++;
		return;
	}
	if (blocks->left <= 0) {
		blocks->c->left.blocks++;
		return;
	}
	(void)snprintf(where, sizeof where, "blocks/%s/%s.md", b->category, b->code);
	const struct context_part part = { .kind = CONTEXT_BLOCK, .title = b->name, .where = where,
		.text = b->content, .len = b->len, .role = "" };
	int64_t most = least(POLICY_BLOCK_TOKENS, blocks->left);
	int64_t all = b->len > POLICY_TURN_BYTES ? b->tokens : 0;
	const struct piece *p = context_add_fit(blocks->c, &part, most, all, PART_BLOCK, 0, b->id);
	blocks->left -= p ? p->tokens : 0;
}

/* Text of a document below smma/; -ENOENT. */
static int section(struct context *c, const char *name, char **bytes, const char **text,
                   size_t *len, int64_t *doc)
{
	struct doc d;
	size_t size = 0;
	*bytes = NULL;
	int err = store_doc_at(c->fs->store, c->fs->tree[KIND_SMMA].place.key, name, &d);
	if (!err)
		err = store_doc_content(c->fs->store, d.id, d.versions, bytes, &size);
	if (err == STORE_EIO) {
		*bytes = strdup(DAMAGED_TEXT);
		size = *bytes ? strlen(*bytes) : 0;
		err = *bytes ? 0 : STORE_ENOMEM;
	}
	if (err)
		return errno_of_store(err);
	render_body_of(*bytes, size, text, len);
	*doc = d.id;
	return *len > 0 ? 0 : -ENOENT;
}

int context_blocks(struct context *c)
{
	struct blocks blocks = { c, POLICY_BLOCKS_TOKENS };
	char *bytes;
	const char *text;
	size_t len;
	int64_t doc;
	int err = section(c, "identity.md", &bytes, &text, &len, &doc);
	if (!err) {
		const struct context_part part = { .kind = CONTEXT_BLOCK, .title = "Who you are",
			.where = "smma/identity.md", .text = text, .len = len, .role = "" };
		const struct piece *p = context_add_fit(c, &part, POLICY_BLOCK_TOKENS, 0, PART_BLOCK, 0,
		                                        doc);
		blocks.left -= p ? p->tokens : 0;
	}
	free(bytes);
	if (err && err != -ENOENT)
		return err;
	return errno_of_store(store_session_blocks(c->fs->store, c->group.name, NULL, NULL, add_block,
	                                           &blocks));
}

/* ---- sections ------------------------------------------------------------------ */

const struct context_section context_section[CONTEXT_SECTIONS] = {
	{ "user_profile.md", "User profile" },
	{ "project_context.md", "Project" },
	{ "current_task.md", "Current task" },
	{ "agent_notes.md", "Notes" },
};

/* Short ones leave their share to the long ones. */
static void share(const int64_t want[CONTEXT_SECTIONS], int64_t all, int64_t got[CONTEXT_SECTIONS])
{
	bool done[CONTEXT_SECTIONS] = { false };
	for (int left = CONTEXT_SECTIONS; left > 0; left--) {
		int smallest = -1;
		for (int i = 0; i < CONTEXT_SECTIONS; i++)
			if (!done[i] && (smallest < 0 || want[i] < want[smallest]))
				smallest = i;
		got[smallest] = least(want[smallest], all / left);
		all -= got[smallest];
		done[smallest] = true;
	}
}

int context_sections(struct context *c)
{
	char *bytes[CONTEXT_SECTIONS] = { NULL };
	const char *text[CONTEXT_SECTIONS];
	size_t len[CONTEXT_SECTIONS] = { 0 };
	int64_t doc[CONTEXT_SECTIONS], want[CONTEXT_SECTIONS] = { 0 }, got[CONTEXT_SECTIONS];
	int err = 0;
	for (int i = 0; !err && i < CONTEXT_SECTIONS; i++) {
		err = section(c, context_section[i].name, &bytes[i], &text[i], &len[i], &doc[i]);
		if (!err)
			want[i] = c->fs->count_tokens(text[i], len[i]);
		err = err == -ENOENT ? 0 : err;
	}
	share(want, POLICY_SECTIONS_TOKENS, got);
	for (int i = 0; !err && i < CONTEXT_SECTIONS; i++) {
		char where[64];
		if (want[i] == 0)
			continue;
		(void)snprintf(where, sizeof where, "smma/%s", context_section[i].name);
		const struct context_part part = { .kind = CONTEXT_SECTION, .where = where,
			.title = context_section[i].title, .text = text[i], .len = len[i], .role = "" };
		(void)context_add_fit(c, &part, got[i], want[i], PART_SECTION, 0, doc[i]);
	}
	for (int i = 0; i < CONTEXT_SECTIONS; i++)
		free(bytes[i]);
	return err;
}

/* ---- facts --------------------------------------------------------------------- */

struct chosen {
	int64_t id, entry, confirmed_us;
	int domain;
	enum confidence confidence;
	bool inferred, relevant;
	char *text;
	size_t len;
};

struct choice {
	struct context *c;
	struct chosen *of;
	size_t count, room;
	int64_t now_us;
	unsigned relevant; /* bits by domain */
	struct buf said;   /* the last turns, as render_says() wants them */
};

/* Which lists belong to what is talked about. */
static unsigned relevant_domains(enum topic_domain talk)
{
	static const unsigned of[TALK_COUNT] = {
		[TALK_NONE] = ~0u,
		[TALK_WORK] = 1u << FACT_WORK | 1u << FACT_DECISIONS | 1u << FACT_PROJECTS,
		[TALK_PERSONAL] = 1u << FACT_PERSONAL,
		[TALK_CODE] = 1u << FACT_PROJECTS | 1u << FACT_DECISIONS | 1u << FACT_WORK,
		[TALK_PLANNING] = 1u << FACT_PROJECTS | 1u << FACT_DECISIONS };
	return of[talk] | 1u << FACT_PREFERENCES;
}

static void take_fact(void *ctx, const struct fact *f)
{
	struct choice *ch = ctx;
	struct context *c = ch->c;
	enum fact_state state = store_fact_state(f, ch->now_us);
	c->facts_live++;
	c->facts_stale += state == FACT_STALE;
	c->facts_expiring += state != FACT_STALE &&
	                     store_fact_state(f, ch->now_us + EXPIRES_WITHIN) == FACT_STALE;
	if (state != FACT_INJECTED || f->len == 0)
		return;
	if (ch->count == ch->room) {
		size_t room = ch->room * 2 + 64;
		struct chosen *more = realloc(ch->of, room * sizeof *more);
		if (!more) {
			c->failed = true;
			return;
		}
		ch->of = more;
		ch->room = room;
	}
	char *text = malloc(f->len + 1);
	if (!text) {
		c->failed = true;
		return;
	}
	memcpy(text, f->text, f->len + 1);
	ch->of[ch->count++] = (struct chosen){ f->id, f->entry, f->confirmed_us, f->domain,
		f->confidence, !f->explicit_, (ch->relevant >> f->domain & 1u) != 0, text, f->len };
}

static int by_relevance(const void *a, const void *b)
{
	const struct chosen *x = a, *y = b;
	if (x->relevant != y->relevant)
		return x->relevant ? -1 : 1;
	if (x->confidence != y->confidence)
		return x->confidence > y->confidence ? -1 : 1;
	if (x->confirmed_us != y->confirmed_us)
		return x->confirmed_us > y->confirmed_us ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Said in one of the last turns: by its own words, or in the message it came from. */
static bool said_lately(const struct choice *ch, const struct chosen *f)
{
	const struct context *c = ch->c;
	int64_t now = 0, seen = 0;
	for (size_t i = 0; i < c->turns; i++) {
		now++;
		if (c->turn[i].seq == f->entry)
			seen = now;
	}
	if (policy_omits_fact(&c->policy, now, seen))
		return true;
	return render_says(&ch->said, f->text, f->len);
}

static void add_facts(struct choice *ch)
{
	enum { MOST = 200 }; /* 150 tokens hold fewer */
	struct policy_fact fit[MOST];
	const struct chosen *of[MOST];
	size_t n = 0;
	for (size_t i = 0; i < ch->count && n < MOST; i++) {
		const struct chosen *f = &ch->of[i];
		if (said_lately(ch, f)) {
			ch->c->left.repeated++;
			continue;
		}
		of[n] = f;
		fit[n++] = (struct policy_fact){ .relevant = f->relevant,
			.tokens = ch->c->fs->count_tokens(f->text, f->len) + 4 };
	}
	(void)policy_facts_fit(&ch->c->policy, fit, n);
	int64_t shown = 0;
	for (size_t i = 0; i < n; i++) {
		const struct chosen *f = of[i];
		const struct context_part part = { .kind = CONTEXT_FACTS, .text = f->text, .len = f->len,
			.title = store_fact_domain_name(f->domain), .where = "facts/", .role = "",
			.inferred = f->inferred, .confidence = f->confidence };
		if (!fit[i].shown)
			continue;
		shown++;
		(void)context_add(ch->c, &part, PART_FACT, f->id, 0);
	}
	ch->c->left.facts = ch->c->facts_live - shown;
	ch->c->left.stale = ch->c->facts_stale;
}

/* Relevant by what the last turns are about. */
static void look_at_talk(struct choice *ch)
{
	struct context *c = ch->c;
	struct summary_turn last[TOPIC_SIDE];
	size_t n = 0;
	for (size_t i = c->turns > TOPIC_SIDE ? c->turns - TOPIC_SIDE : 0; i < c->turns; i++) {
		const struct looked *t = &c->turn[i];
		last[n++] = (struct summary_turn){ .text = t->text, .len = t->len,
			.user = strcmp(t->role, "user") == 0, .tool = strcmp(t->role, "tool") == 0 };
		render_said(&ch->said, t->text, t->len);
	}
	ch->relevant = relevant_domains(render_topic_domain(last, n));
}

int context_facts(struct context *c)
{
	struct choice ch = { .c = c, .now_us = store_time(c->fs->store), .said = BUF_INIT };
	int err = 0;
	look_at_talk(&ch);
	for (int d = 1; !err && store_fact_domain_name(d); d++)
		err = errno_of_store(store_fact_live(c->fs->store, d, take_fact, &ch));
	if (!err && ch.count)
		qsort(ch.of, ch.count, sizeof *ch.of, by_relevance);
	if (!err)
		add_facts(&ch);
	for (size_t i = 0; i < ch.count; i++)
		free(ch.of[i].text);
	free(ch.of);
	buf_release(&ch.said);
	return err;
}

/* ---- what went wrong --------------------------------------------------------------- */

/* A long path would leave no room for what is wrong: its end says enough. */
static void add_refusal(void *ctx, const struct refusal *r)
{
	struct buf text = BUF_INIT;
	size_t len = strlen(r->path);
	const char *end = len > PATH_SHOWN ? strchr(r->path + len - PATH_SHOWN, '/') : NULL;
	buf_addf(&text, "%s %s %s%s: %s%s%s", r->code, r->op, end ? "..." : "", end ? end : r->path,
	         r->reason, *r->todo ? "; " : "", r->todo);
	const struct context_part part = { .kind = CONTEXT_REFUSAL, .title = "", .where = "errors.log",
		.text = text.data ? text.data : "", .len = text.len, .role = "" };
	(void)context_add_fit(ctx, &part, REFUSAL_TOKENS, 0, PART_RESULT, 0, 0);
	buf_release(&text);
}

/* The last one only, and only while who wrote last has not got anything through since. */
int context_refusal(struct context *c)
{
	int err = c->writer[0] ? store_last_refusal(c->fs->store, c->writer, add_refusal, c) : 0;
	return err == STORE_ENOENT ? 0 : errno_of_store(err);
}

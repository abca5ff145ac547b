/* SPDX-License-Identifier: MIT */
/* Blocks and sections of a context, and what was refused last. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/context/page.h"

enum { REFUSAL_TOKENS = 80, PATH_SHOWN = 100 };

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

/* True if the session shows that it knows what this block says. */
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

/* Blocks stand so that what is the same for all sessions and turns comes first. */
enum block_pass { PASS_FOR_ALL, PASS_OF_SESSION, PASS_UNTIL_KNOWN, BLOCK_PASSES };

struct blocks {
	struct context *c;
	int64_t left; /* tokens */
	enum block_pass pass;
};

static enum block_pass pass_of(const struct doc_block *b)
{
	if (*b->for_tool || *b->for_format || b->examples)
		return PASS_UNTIL_KNOWN;
	return strcmp(b->scope, "session") == 0 ? PASS_OF_SESSION : PASS_FOR_ALL;
}

static void add_block(void *ctx, const struct doc_block *b)
{
	struct blocks *blocks = ctx;
	char where[NAME_LIMIT + 64];
	if (pass_of(b) != blocks->pass)
		return;
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
	int64_t most = least(blocks->c->policy.block_tokens, blocks->left);
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
		*bytes = strdup(DAMAGED_TEXT "\n");
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
	struct blocks blocks = { c, c->policy.blocks_tokens, PASS_FOR_ALL };
	char *bytes;
	const char *text;
	size_t len;
	int64_t doc;
	struct buf usual = BUF_INIT;
	int err = section(c, "identity.md", &bytes, &text, &len, &doc);
	if (err == -ENOENT && !bytes) { /* nobody has set it */
		render_identity(&usual);
		text = usual.data;
		len = usual.len;
		doc = 0;
		err = usual.failed ? -ENOMEM : 0;
	}
	if (!err) {
		const struct context_part part = { .kind = CONTEXT_BLOCK, .title = "Who you are",
			.where = "smma/identity.md", .text = text, .len = len, .role = "" };
		/* Whole, as it was set: of the blocks' share it takes no more than a block may. */
		int64_t most = c->policy.section_max[SECTION_IDENTITY] + context_quoted(c, text, len);
		const struct piece *p = context_add_fit(c, &part, most, 0, PART_BLOCK, 0, doc);
		blocks.left -= p ? least(p->tokens, c->policy.block_tokens) : 0;
	}
	free(bytes);
	buf_release(&usual);
	if (err && err != -ENOENT)
		return err;
	const struct client *who = client_of(c->fs);
	for (err = 0; !err && blocks.pass < BLOCK_PASSES; blocks.pass++)
		err = store_session_blocks(c->fs->store, c->group.name, *who->server ? who->server : NULL,
		                           *who->agent ? who->agent : NULL, add_block, &blocks);
	return errno_of_store(err);
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
	int64_t used = 0;
	int err = 0;
	for (size_t i = 0; i < c->count; i++)
		used += c->piece[i].tokens;
	for (int i = 0; !err && i < CONTEXT_SECTIONS; i++) {
		err = section(c, context_section[i].name, &bytes[i], &text[i], &len[i], &doc[i]);
		if (!err)
			want[i] = least(c->fs->count_tokens(text[i], len[i]),
			                c->policy.section_max[SECTION_PROFILE + i]) +
				context_quoted(c, text[i], len[i]);
		err = err == -ENOENT ? 0 : err;
	}
	share(want, policy_sections_share(&c->policy, used), got);
	for (int i = 0; !err && i < CONTEXT_SECTIONS; i++) {
		char where[64];
		c->left.sections += want[i] > 0 && got[i] <= 0;
		if (got[i] <= 0)
			continue;
		(void)snprintf(where, sizeof where, "smma/%s", context_section[i].name);
		const struct context_part part = { .kind = CONTEXT_SECTION, .where = where,
			.title = context_section[i].title, .text = text[i], .len = len[i], .role = "" };
		(void)context_add_fit(c, &part, got[i], 0, PART_SECTION, 0, doc[i]);
	}
	for (int i = 0; i < CONTEXT_SECTIONS; i++)
		free(bytes[i]);
	return err;
}

/* ---- what went wrong --------------------------------------------------------------- */

/* A long path would leave no room for what is wrong: its end says enough. */
static void add_refusal(void *ctx, const struct refusal *r)
{
	if (strcmp(r->code, "ENOENT") == 0) /* nothing was offered: a look for a name */
		return;
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
	/* What it was about may be out of sight. */
	bool asks = c->writer[0] && client_sees_all(c->fs);
	int err = asks ? store_last_refusal(c->fs->store, c->writer, add_refusal, c) : 0;
	return err == STORE_ENOENT ? 0 : errno_of_store(err);
}

/* SPDX-License-Identifier: MIT */
/*
 * Two facts of a list that may contradict each other: told on the dashboard, with a command for
 * each answer.  A pair is decided when one of them is gone, or when the older one was confirmed
 * after the newer one was said: then somebody has looked at both.
 *
 * Only what was added last is compared, with what was there before it: a list is long, and old
 * pairs were told when they were new.  And a pair is compared once: what was found is kept until
 * the list changes, and then only what is new in it is looked at.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/facts/facts.h"
#include "fs/internal.h"
#include "store/base/hash.h"

enum {
	NEWER_MOST = 12,   /* of a list: compared with those before them, */
	OLDER_MOST = 256,  /* as many of them */
	TEXT_MOST = 200    /* bytes of a fact: a longer one is no line to be pasted */
};

/* How far down a fact was compared: with all that have a higher id it is decided for good. */
struct compared {
	int64_t newer, down_to; /* newer 0: none */
};

/* What is known of a list: ids alone, so that no text outlives its redaction here. */
struct known_list {
	int64_t save;         /* as it was after this one, + 1; 0: never looked at */
	int64_t newer, older; /* its newest pair; 0: none */
	struct compared items[NEWER_MOST];
};

struct undecided {
	struct lock lock;
	struct known_list list[FACT_DOMAINS]; /* guarded by lock */
};

struct line {
	int64_t id, added_us, confirmed_us;
	int domain;
	enum confidence confidence;
	bool inferred;
	char *text;
	size_t len;
	uint64_t words; /* a bit for each, roughly: which two share any */
	struct statement *claim; /* NULL: not needed yet */
};

struct lines {
	struct line *items;
	size_t count, room;
	bool failed;
};

int undecided_start(struct fs *fs)
{
	fs->undecided = calloc(1, sizeof *fs->undecided);
	if (!fs->undecided)
		return -ENOMEM;
	lock_init(&fs->undecided->lock, RANK_UNDECIDED);
	return 0;
}

void undecided_stop(struct fs *fs)
{
	if (fs->undecided)
		lock_destroy(&fs->undecided->lock);
	free(fs->undecided);
}

/* ---- reading a list ---------------------------------------------------------------- */

/* Of its longer words; accents and all that are no letters or digits part them. */
static uint64_t words_of(const char *text, size_t len)
{
	uint64_t bits = 0;
	for (size_t i = 0, n; i < len; i += n + 1) {
		uint32_t hash = HASH32_NONE;
		for (n = 0; i + n < len && ((text[i + n] | 32) >= 'a' && (text[i + n] | 32) <= 'z'); n++)
			hash = hash32_byte(hash, (unsigned char)(text[i + n] | 32));
		if (n >= 4)
			bits |= UINT64_C(1) << (hash >> 26);
	}
	return bits;
}

static void undecided_take(void *ctx, const struct fact *f)
{
	struct lines *l = ctx;
	if (f->len > TEXT_MOST || memchr(f->text, '\n', f->len))
		return;
	char *text = ARRAY_ROOM(l->items, l->room, l->count) ? strndup(f->text, f->len) : NULL;
	l->failed = l->failed || !text;
	if (text)
		l->items[l->count++] = (struct line){ .id = f->id, .added_us = f->added_us,
			.confirmed_us = f->confirmed_us, .domain = f->domain,
			.confidence = f->confidence, .inferred = !f->explicit_, .text = text, .len = f->len,
			.words = words_of(f->text, f->len) };
}

static void lines_release(struct lines *l)
{
	for (size_t i = 0; i < l->count; i++) {
		render_statement_free(l->items[i].claim);
		free(l->items[i].text);
	}
	free(l->items);
}

static int newest_first(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	return x->id > y->id ? -1 : x->id < y->id;
}

/* ---- comparing ---------------------------------------------------------------------- */

/* NULL: no memory. */
static const struct statement *claim_of(struct line *l)
{
	if (!l->claim)
		l->claim = render_statement(l->text, l->len, false);
	return l->claim;
}

/* The letters are compared last: that takes longest. */
static bool may_contradict(struct line *newer, struct line *older)
{
	if ((newer->words & older->words) == 0 || older->confirmed_us > newer->added_us)
		return false;
	const struct statement *new = claim_of(newer), *old = claim_of(older);
	if (!new || !old)
		return false;
	return render_statement_relation(new, old) == RELATION_ENDS ||
	       (render_statements_near(new, old, 1) &&
	        render_statements_near(new, old, render_similarity(newer->text, newer->len,
	                                                           older->text, older->len)));
}

/* The first of those before line i that it may contradict; 0: none. */
static int64_t compare_with(struct lines *l, size_t i, struct compared *done)
{
	for (size_t k = i + 1; k < l->count && k - i <= OLDER_MOST; k++) {
		if (l->items[k].id > done->down_to)
			continue;
		done->down_to = l->items[k].id; /* of a pair that is told somebody may decide */
		if (may_contradict(&l->items[i], &l->items[k]))
			return l->items[k].id;
		done->down_to--;
	}
	return 0;
}

static struct compared done_before(const struct known_list *known, int64_t newer)
{
	for (int i = 0; i < NEWER_MOST; i++)
		if (known->items[i].newer == newer)
			return known->items[i];
	return (struct compared){ newer, INT64_MAX };
}

/* The newest pair of a list, after `known` became of it what it is. */
static void find_pair(struct lines *l, struct known_list *known)
{
	const struct known_list before = *known;
	memset(known->items, 0, sizeof known->items);
	known->newer = known->older = 0;
	if (l->count)
		qsort(l->items, l->count, sizeof *l->items, newest_first);
	for (size_t i = 0; i < l->count && i < NEWER_MOST; i++) {
		known->items[i] = done_before(&before, l->items[i].id);
		if (known->older)
			continue;
		known->older = compare_with(l, i, &known->items[i]);
		known->newer = known->older ? l->items[i].id : 0;
	}
}

/* Brings what is known of a list up to date. */
static int look_at_list(struct fs *fs, int domain, struct known_list *known)
{
	struct undecided *u = fs->undecided;
	struct lines l = { .items = NULL };
	int64_t save = facts_version(fs, domain);
	lock_take(&u->lock);
	*known = u->list[domain];
	lock_give(&u->lock);
	if (known->save == save + 1)
		return 0;
	int err = errno_of_store(store_fact_live(fs->store, domain, undecided_take, &l));
	if (!err && l.failed)
		err = -ENOMEM;
	if (!err) {
		find_pair(&l, known);
		known->save = save + 1;
		lock_take(&u->lock);
		u->list[domain] = *known;
		lock_give(&u->lock);
	}
	lines_release(&l);
	return err;
}

/* ---- telling ---------------------------------------------------------------------- */

/* The line as it stands in the list. */
static void add_line(struct buf *out, const struct line *l)
{
	buf_addf(out, "- %s%s", l->text, render_fact_marks(l->confidence, l->inferred));
}

/* A command that takes it out of its list; what means something to sed has a backslash. */
static void add_removal(struct buf *out, const struct line *l)
{
	struct buf line = BUF_INIT, script = BUF_INIT;
	add_line(&line, l);
	buf_adds(&script, "/^");
	for (size_t i = 0; i < line.len; i++) {
		if (strchr("\\/.*[]^$", line.data[i]))
			buf_addc(&script, '\\');
		buf_addc(&script, line.data[i]);
	}
	buf_adds(&script, "$/d");
	buf_adds(out, "\n      sed -i ");
	render_shell_word(out, script.failed ? "" : script.data);
	buf_addf(out, " facts/%s.md\n", store_fact_domain_name(l->domain));
	out->failed = out->failed || line.failed || script.failed;
	buf_release(&line);
	buf_release(&script);
}

static void undecided_tell(struct buf *out, const struct line *newer, const struct line *older)
{
	struct buf line = BUF_INIT;
	const char *list = store_fact_domain_name(newer->domain);
	buf_addf(out, "\n## To decide: do these two facts of facts/%s.md contradict each other?\n\n",
	         list);
	add_line(out, older);
	buf_addc(out, '\n');
	add_line(out, newer);
	buf_adds(out, "\n\nThe second holds, it was said last:\n");
	add_removal(out, older);
	buf_adds(out, "\nThe first holds:\n");
	add_removal(out, newer);
	/* echo of some shells takes a backslash in it for a newline or a tab. */
	buf_adds(out, "\nBoth do:\n\n      printf '%s\\n' ");
	add_line(&line, older);
	render_shell_word(out, line.failed ? "" : line.data);
	buf_addf(out, " >> facts/%s.md\n", list);
	out->failed = out->failed || line.failed;
	buf_release(&line);
}

/* The two as they are now: one that is gone or was redacted is no line to be told. */
static int tell_pair(struct fs *fs, const struct known_list *known, struct buf *out)
{
	struct lines l = { .items = NULL };
	int err = errno_of_store(store_fact_by_id(fs->store, known->newer, undecided_take, &l));
	if (!err)
		err = errno_of_store(store_fact_by_id(fs->store, known->older, undecided_take, &l));
	if (!err && l.failed)
		err = -ENOMEM;
	if (!err && l.count == 2)
		undecided_tell(out, &l.items[0], &l.items[1]);
	lines_release(&l);
	return err == -ENOENT ? 0 : err;
}

int facts_undecided(struct fs *fs, struct buf *out)
{
	int err = 0;
	for (int d = 1; !err && out->len == 0 && d < FACT_DOMAINS; d++) {
		struct known_list known;
		err = look_at_list(fs, d, &known);
		if (!err && known.older)
			err = tell_pair(fs, &known, out);
	}
	return err ? err : out->failed ? -ENOMEM : 0;
}

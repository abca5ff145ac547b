/* SPDX-License-Identifier: MIT */
/*
 * Two facts of a list that may contradict each other: told on the dashboard, with a command for
 * each answer.  A pair is decided when one of them is gone, or when the older one was confirmed
 * after the newer one was said: then somebody has looked at both.
 *
 * Only what was added last is compared, with what was there before it: a list is long, and old
 * pairs were told when they were new.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/facts/facts.h"
#include "fs/internal.h"

enum {
	NEWER_MOST = 12,   /* of a list: compared with those before them, */
	OLDER_MOST = 256,  /* as many of them */
	TEXT_MOST = 200    /* bytes of a fact: a longer one is no line to be pasted */
};

struct line {
	int64_t id, added_us, confirmed_us;
	int domain;
	enum confidence confidence;
	char *text;
	size_t len;
	uint64_t words; /* a bit for each, roughly: which two share any */
};

struct lines {
	struct line *of;
	size_t count, room;
	bool failed;
};

/* Of its longer words; accents and all that are no letters or digits part them. */
static uint64_t words_of(const char *text, size_t len)
{
	uint64_t bits = 0;
	for (size_t i = 0, n; i < len; i += n + 1) {
		uint32_t hash = UINT32_C(2166136261); /* FNV-1a */
		for (n = 0; i + n < len && ((text[i + n] | 32) >= 'a' && (text[i + n] | 32) <= 'z'); n++)
			hash = (hash ^ (unsigned char)(text[i + n] | 32)) * UINT32_C(16777619);
		if (n >= 4)
			bits |= UINT64_C(1) << (hash >> 26);
	}
	return bits;
}

static void take(void *ctx, const struct fact *f)
{
	struct lines *l = ctx;
	if (f->len > TEXT_MOST || memchr(f->text, '\n', f->len))
		return;
	char *text = ARRAY_ROOM(l->of, l->room, l->count) ? strndup(f->text, f->len) : NULL;
	l->failed = l->failed || !text;
	if (text)
		l->of[l->count++] = (struct line){ f->id, f->added_us, f->confirmed_us, f->domain,
			f->confidence, text, f->len, words_of(f->text, f->len) };
}

static int newest_first(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	return x->id > y->id ? -1 : x->id < y->id;
}

static bool may_contradict(const struct line *newer, const struct line *older)
{
	if ((newer->words & older->words) == 0 || older->confirmed_us > newer->added_us)
		return false;
	struct statement *new = render_statement(newer->text, newer->len, false);
	struct statement *old = render_statement(older->text, older->len, false);
	bool may = new && old &&
		(render_statement_relation(new, old) == RELATION_ENDS ||
		 render_statements_near(new, old, render_similarity(newer->text, newer->len, older->text,
		                                                    older->len)));
	render_statement_free(new);
	render_statement_free(old);
	return may;
}

/* ---- telling ---------------------------------------------------------------------- */

/* The line as it stands in the list. */
static void add_line(struct buf *out, const struct line *l)
{
	buf_addf(out, "- %s%s", l->text, render_confidence(l->confidence));
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

static void tell(struct buf *out, const struct line *newer, const struct line *older)
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
	buf_adds(out, "\nBoth do:\n\n      echo ");
	add_line(&line, older);
	render_shell_word(out, line.failed ? "" : line.data);
	buf_addf(out, " >> facts/%s.md\n", list);
	out->failed = out->failed || line.failed;
	buf_release(&line);
}

/* The newest pair of a list. */
static bool tell_pair(struct lines *l, struct buf *out)
{
	if (l->count)
		qsort(l->of, l->count, sizeof *l->of, newest_first);
	for (size_t i = 0; i < l->count && i < NEWER_MOST; i++)
		for (size_t k = i + 1; k < l->count && k - i <= OLDER_MOST; k++)
			if (may_contradict(&l->of[i], &l->of[k])) {
				tell(out, &l->of[i], &l->of[k]);
				return true;
			}
	return false;
}

int facts_undecided(struct fs *fs, struct buf *out)
{
	bool told = false;
	int err = 0;
	for (int d = 1; !err && !told && d < FACT_DOMAINS; d++) {
		struct lines l = { .of = NULL };
		err = errno_of_store(store_fact_live(fs->store, d, take, &l));
		if (!err && l.failed)
			err = -ENOMEM;
		told = !err && tell_pair(&l, out);
		for (size_t i = 0; i < l.count; i++)
			free(l.of[i].text);
		free(l.of);
	}
	return err ? err : out->failed ? -ENOMEM : 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * From messages to facts.  How far the tape was read is kept in the side database; if
 * that is lost it goes on after the newest message a fact came from.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/facts/facts.h"
#include "fs/internal.h"

enum { ENTRIES_A_TURN = 200 };
#define MARK "signals"
#define ALIKE 0.5

/* One message, and the list its signal belongs to. */
struct heard {
	struct fs *fs;
	struct job *job;
	int64_t seq;
	char author[FIELD_MAX + 1];
	struct buf content; /* "": not a user's */
	bool failed;        /* the store could not: try again later */
};

/* What a signal says, beside the live facts of its domain. */
struct match {
	const struct signal *signal;
	uint64_t key;       /* of its words: only who has the same can say the same */
	int64_t same;       /* a live fact that says the same */
	int64_t contradicted;
	double like;
	bool done;          /* it was taken from this message before */
	int64_t seq;
};

static void compare(void *ctx, const struct fact *f)
{
	struct match *m = ctx;
	const struct signal *s = m->signal;
	if (f->entry == m->seq && f->len == s->len && memcmp(f->text, s->text, s->len) == 0)
		m->done = true;
	if (render_fact_key(f->text, f->len) == m->key &&
	    render_same_fact(f->text, f->len, s->text, s->len)) {
		m->same = f->id;
		return;
	}
	double like = s->negates ? render_similarity(f->text, f->len, s->text, s->len) : 0;
	if (like > ALIKE && like > m->like) {
		m->like = like;
		m->contradicted = f->id;
	}
}

/* The signal's words as they stand in a list: one item's text. */
static bool as_item(const struct signal *s, struct fact_list *list)
{
	struct buf line = BUF_INIT;
	struct why why;
	buf_adds(&line, "- ");
	buf_add(&line, s->text, s->len);
	buf_addc(&line, '\n');
	bool one = !line.failed && render_facts_in(line.data, line.len, list, &why) == 0 &&
	           list->count == 1;
	buf_release(&line);
	return one;
}

/* Said again: confirmed.  "No longer …": the fact it is most like goes, linked to the new one. */
static void take_item(struct heard *h, const struct signal *s)
{
	struct fs *fs = h->fs;
	int domain = store_fact_domain(s->domain), err = STORE_EMOVED;
	for (int i = 0; domain && err == STORE_EMOVED && i < 8; i++) {
		struct match m = { .signal = s, .key = render_fact_key(s->text, s->len), .seq = h->seq };
		struct fact_change change[2];
		size_t count = 0;
		int64_t saves = facts_version(fs, domain);
		err = store_fact_live(fs->store, domain, compare, &m);
		if (err || m.done)
			break;
		if (m.same) {
			change[count++] = (struct fact_change){ .verb = FACT_CONFIRM, .fact = m.same,
				.entry = h->seq };
		} else {
			if (m.contradicted)
				change[count++] = (struct fact_change){ .verb = FACT_RETRACT,
					.fact = m.contradicted };
			change[count++] = (struct fact_change){ .verb = FACT_ADD, .text = s->text,
				.len = s->len, .confidence = s->confidence, .entry = h->seq,
				.supersedes = m.contradicted };
		}
		err = store_fact_commit(fs->store, domain, change, count, h->author, saves, NULL);
		if (!err)
			job_facts(h->job, domain);
	}
	h->failed = h->failed || (err && err != STORE_EINVAL);
}

static void take(void *ctx, const struct signal *said)
{
	struct fact_list list = { .items = NULL };
	struct signal s = *said;
	if (as_item(said, &list)) {
		s.text = list.items[0].text;
		s.len = list.items[0].len;
		take_item(ctx, &s);
	}
	fact_list_release(&list);
}

static void hear(void *ctx, const struct entry *e)
{
	struct heard *h = ctx;
	buf_clear(&h->content);
	if (strcmp(e->kind, "message") != 0 || !render_user_content(&h->content, e))
		buf_clear(&h->content);
	(void)snprintf(h->author, sizeof h->author, "%s", e->author);
}

static void newest(void *ctx, const struct fact *f)
{
	int64_t *seq = ctx;
	if (f->entry > *seq)
		*seq = f->entry;
}

/* The entry to go on with. */
static int where(struct fs *fs, int64_t *seq)
{
	int err = store_mark_get(fs->store, MARK, seq);
	if (err != STORE_ENOENT)
		return err;
	*seq = -1;
	err = store_fact_all(fs->store, newest, seq);
	++*seq;
	return err;
}

void signals_read(struct fs *fs, struct job *job)
{
	struct heard h = { .fs = fs, .job = job, .content = BUF_INIT };
	int64_t from, seq;
	if (where(fs, &from))
		return;
	for (seq = from; seq < from + ENTRIES_A_TURN && !h.failed; seq++) {
		h.seq = seq;
		if (store_entry(fs->store, seq, hear, &h))
			break; /* the end of the tape */
		if (h.content.len > 0)
			(void)render_signals(h.content.data, h.content.len, take, &h);
		if (h.failed)
			break;
	}
	if (seq > from)
		(void)store_mark_set(fs->store, MARK, seq);
	buf_release(&h.content);
}

/* SPDX-License-Identifier: MIT */
/*
 * From messages to facts.  How far the tape was read is kept in the side database; if
 * that is lost it goes on after the newest message a fact came from.
 *
 * A turn takes TURN_MS of messages, as they come; who calls goes on at once while there are more,
 * so an import is read as fast as the machine reads.  Messages are gathered some at a time in one
 * read of the store, and then heard: facts are saved while no reader is held.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/facts/facts.h"
#include "fs/internal.h"

enum {
	TURN_MS = 60,
	GATHER = 2000,       /* entries a read */
	GATHER_SAID = 64,    /* of users, in these … */
	GATHER_BYTES = 1 << 18, /* … and their bytes: one more may come on top */
	STEPS_MOST = 32
};
#define MARK "signals"

/* A user's message. */
struct user_message {
	int64_t seq;
	int64_t said_us; /* when it was said: what is imported is older than it is here */
	char author[FIELD_MAX + 1];
	size_t at, len;  /* in the bytes gathered */
};

/* Messages of a read, and the one that is heard. */
struct signal_batch {
	struct fs *fs;
	struct job *job;
	struct user_message said[GATHER_SAID];
	size_t count;
	struct buf bytes, content; /* contents gathered; the message at hand */
	int64_t next;    /* the entry to go on with when they are heard */
	int64_t seq;     /* of the message that is heard, as the next two */
	int64_t said_us;
	const char *author;
	bool failed;     /* the store could not: try again later */
};

/* What a signal says, beside all live facts. */
struct match {
	const struct signal *signal;
	struct statement *statement;
	uint64_t key;       /* of its words: only who has the same can say the same */
	int64_t seq;        /* the message */
	int64_t said_us;    /* when that was said */
	bool overtaken;     /* something said since contradicts it */
	int64_t taken;      /* the fact that was made of it before */
	struct { int64_t id; int domain; } same, ended; /* one of each, 0: none */
};

static bool says_the_same(const struct match *m, const struct fact *f)
{
	const struct signal *s = m->signal;
	return render_fact_key(f->text, f->len) == m->key &&
	       render_same_fact(f->text, f->len, s->text, s->len);
}

/* What was said earlier ends nothing that was said since: it is overtaken, if that contradicts. */
static enum fact_relation relation_to(struct match *m, const struct fact *f)
{
	if (says_the_same(m, f))
		return RELATION_SAME;
	struct statement *other = render_statement(f->text, f->len, false);
	enum fact_relation r = other ? render_statement_relation(m->statement, other) :
		RELATION_APART;
	if (other && f->confirmed_us > m->said_us && r != RELATION_SAME) {
		m->overtaken = m->overtaken || r == RELATION_ENDS ||
		               render_statement_relation(other, m->statement) == RELATION_ENDS;
		r = RELATION_APART;
	}
	render_statement_free(other);
	return r;
}

static void compare(void *ctx, const struct fact *f)
{
	struct match *m = ctx;
	const struct signal *s = m->signal;
	if (f->entry == m->seq && f->len == s->len && memcmp(f->text, s->text, s->len) == 0) {
		m->taken = f->id;
		return;
	}
	enum fact_relation r = relation_to(m, f);
	if (r == RELATION_SAME && !f->explicit_) /* now it is said: that takes its place */
		r = RELATION_ENDS;
	switch (r) {
	case RELATION_SAME:
		m->same.id = f->id;
		m->same.domain = f->domain;
		break;
	case RELATION_ENDS: /* one in its own list goes with the fact that takes its place */
		if (m->ended.id && m->ended.domain == store_fact_domain(s->domain))
			break;
		m->ended.id = f->id;
		m->ended.domain = f->domain;
		break;
	default:
		break;
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

static int look(struct signal_batch *h, struct match *m, int64_t saves[FACT_DOMAINS])
{
	int err = 0;
	m->taken = m->same.id = m->ended.id = 0;
	m->overtaken = false;
	for (int d = 1; !err && d < FACT_DOMAINS; d++) {
		saves[d] = facts_version(h->fs, d);
		err = store_fact_live(h->fs->store, d, compare, m);
	}
	return err;
}

static int commit(struct signal_batch *h, int domain, const struct fact_change *change,
                  size_t count, int64_t saves)
{
	int err = store_fact_commit(h->fs->store, domain, change, count, h->author, NULL, saves,
	                            NULL);
	if (!err)
		job_facts(h->job, domain);
	return err;
}

static int add(struct signal_batch *h, const struct match *m, const int64_t saves[FACT_DOMAINS])
{
	const struct signal *s = m->signal;
	struct fact_change change[2];
	size_t count = 0;
	int domain = store_fact_domain(s->domain);
	if (m->ended.id && m->ended.domain == domain)
		change[count++] = (struct fact_change){ .verb = FACT_RETRACT, .fact = m->ended.id };
	change[count++] = (struct fact_change){ .verb = FACT_ADD, .text = s->text, .len = s->len,
		.confidence = s->confidence, .entry = h->seq, .supersedes = m->ended.id };
	return commit(h, domain, change, count, saves[domain]);
}

/*
 * Said again: confirmed; else it is added.  Then what it ends goes, one after the other, linked to
 * it.  Each step looks anew, so that it may be begun again after a crash, and beside others.
 */
static void take_item(struct signal_batch *h, const struct signal *s)
{
	struct match m = { .signal = s, .key = render_fact_key(s->text, s->len), .seq = h->seq,
		.said_us = h->said_us,
		.statement = render_statement(s->text, s->len, s->adds) };
	int64_t saves[FACT_DOMAINS], heir = 0;
	bool added = false;
	int err = m.statement ? 0 : STORE_ENOMEM;
	for (int step = 0; !err && step < STEPS_MOST; step++) {
		err = look(h, &m, saves);
		heir = m.taken ? m.taken : heir;
		if (err || (heir ? !m.ended.id : added || (m.overtaken && !m.same.id)))
			break;
		const struct fact_change confirm = { .verb = FACT_CONFIRM, .fact = m.same.id,
			.entry = h->seq };
		const struct fact_change retract = { .verb = FACT_RETRACT, .fact = m.ended.id,
			.by = heir };
		if (heir)
			err = commit(h, m.ended.domain, &retract, 1, saves[m.ended.domain]);
		else if (m.same.id)
			err = commit(h, m.same.domain, &confirm, 1, saves[m.same.domain]);
		else
			err = add(h, &m, saves);
		added = added || (!err && !heir && !m.same.id);
		if (!err && !heir)
			heir = m.same.id;
		err = err == STORE_EMOVED ? 0 : err;
	}
	render_statement_free(m.statement);
	h->failed = h->failed || (err && err != STORE_EINVAL);
}

static void signal_take(void *ctx, const struct signal *said)
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

static int gather(void *ctx, const struct entry *e)
{
	struct signal_batch *h = ctx;
	struct saying saying;
	if (h->count == GATHER_SAID || h->bytes.len > GATHER_BYTES) {
		h->next = e->seq;
		return 1;
	}
	buf_clear(&h->content);
	if (!render_user_content(&h->content, e) || h->content.len == 0)
		return 0;
	struct user_message *said = &h->said[h->count];
	store_said(e, &saying);
	if (saying.copied) /* what came of it then is in the lists that were copied with it */
		return 0;
	*said = (struct user_message){ .seq = e->seq, .said_us = saying.time_us, .at = h->bytes.len,
		.len = h->content.len };
	(void)snprintf(said->author, sizeof said->author, "%s", e->author);
	buf_add(&h->bytes, h->content.data, h->content.len);
	h->count += !h->bytes.failed;
	return h->bytes.failed;
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
	bool ahead = !err && *seq > store_entries(fs->store); /* of a tape that this one replaced */
	if (err != STORE_ENOENT && !ahead)
		return err;
	*seq = -1;
	err = store_fact_all(fs->store, newest, seq);
	++*seq;
	return err;
}

/* Hears what was gathered; false, with h->seq the first that was not, if the store fails. */
static bool hear_batch(struct signal_batch *h)
{
	for (size_t i = 0; i < h->count; i++) {
		const struct user_message *said = &h->said[i];
		h->seq = said->seq;
		h->said_us = said->said_us;
		h->author = said->author;
		(void)render_signals(h->bytes.data + said->at, said->len, signal_take, h);
		if (h->failed)
			return false;
	}
	h->seq = h->next;
	return true;
}

/* The messages among entries [from, stop), or the first of them; then h->seq is where to go on. */
static bool read_some(struct signal_batch *h, int64_t from, int64_t stop)
{
	h->count = 0;
	h->seq = from;
	h->next = stop - from > GATHER ? from + GATHER : stop;
	buf_clear(&h->bytes);
	h->failed = store_said_each(h->fs->store, from, h->next, gather, h) || h->bytes.failed;
	return !h->failed && hear_batch(h);
}

bool signals_read(struct fs *fs, struct job *job)
{
	int64_t from, stop = store_entries(fs->store), began = now_ms();
	if (where(fs, &from) || from >= stop)
		return false;
	struct signal_batch *h = calloc(1, sizeof *h);
	if (!h)
		return false;
	h->fs = fs;
	h->job = job;
	int64_t at = from;
	bool good = true;
	while (good && at < stop && now_ms() - began < TURN_MS) {
		good = read_some(h, at, stop);
		at = h->seq;
	}
	if (at > from)
		(void)store_mark_set(fs->store, MARK, at);
	buf_release(&h->bytes);
	buf_release(&h->content);
	free(h);
	return good && at < stop;
}

/* SPDX-License-Identifier: MIT */
/* The fake of fake_engine.h. */
#include "tests/unit/fake_engine.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/store_fixture.h"

static int64_t add(struct fake_tape *t, const struct draft *d, const uint8_t salt[SALT_SIZE], int64_t time_us)
{
	struct hasher h;
	char text[LEAF_TEXT_MAX];
	assert_true(t->next < FAKE_ROWS);
	struct fake_row *r = &t->row[t->next];
	memset(r, 0, sizeof *r);
	(void)snprintf(r->stream, sizeof r->stream, "%s", d->stream);
	(void)snprintf(r->kind, sizeof r->kind, "%s", d->kind);
	(void)snprintf(r->author, sizeof r->author, "%s", d->author);
	r->body = strndup(d->body, d->body_len);
	memcpy(r->salt, salt, SALT_SIZE);
	r->e = (struct entry){ .seq = t->next, .stream = r->stream, .kind = r->kind, .author = r->author,
		.time_us = time_us, .body_len = d->body_len, .hashed_len = d->body_len, .salt = r->salt, .body = r->body };
	for (int64_t i = 0; i < t->next; i++) {
		if (strcmp(t->row[i].stream, r->stream) != 0)
			continue;
		r->e.stream_seq = t->row[i].e.stream_seq + 1;
		memcpy(r->e.prev, t->row[i].e.leaf_hash, HASH_SIZE);
	}
	assert_int_equal(hasher_init(&h), 0);
	hasher_body(&h, r->salt, r->body, d->body_len, r->e.body_hash);
	hasher_leaf(&h, text, leaf_text(text, t->origin, &r->e), r->e.leaf_hash);
	hasher_release(&h);
	return t->next++;
}

void fake_append(struct fake_tape *t, const char *stream, const char *kind, const char *body)
{
	uint8_t salt[SALT_SIZE] = { (uint8_t)t->next };
	struct draft d = { .stream = stream, .kind = kind, .author = "else:where", .body = body,
		.body_len = strlen(body) };
	(void)add(t, &d, salt, 1000000 + t->next);
}

static struct fake *of(struct engine *e)
{
	return (struct fake *)e;
}

static int meet(struct fake *f, const struct engine_tip *have)
{
	if (f->away) {
		why_set(&f->engine.why, "wait", "the fake is away");
		return STORE_EAWAY;
	}
	(void)snprintf(f->engine.origin, sizeof f->engine.origin, "%s", f->tape->origin);
	if (have->next > f->tape->next || (have->next > 0 &&
	    memcmp(have->leaf, f->tape->row[have->next - 1].e.leaf_hash, HASH_SIZE) != 0)) {
		why_set(&f->engine.why, "look", have->next > f->tape->next ? "ROLLBACK: fake" : "FORK: fake");
		return STORE_EFORMAT;
	}
	return 0;
}

static int give(struct fake *f, int64_t from, int64_t stop, engine_rows_fn *rows, void *ctx)
{
	int err = 0;
	for (int64_t i = from; !err && i < stop; i += 7) {
		struct entry some[7];
		int64_t n = stop - i < 7 ? stop - i : 7;
		for (int64_t k = 0; k < n; k++)
			some[k] = f->tape->row[i + k].e;
		err = rows(ctx, some, (size_t)n);
	}
	return err;
}

static int pull(struct engine *e, const struct engine_tip *have, engine_rows_fn *rows, void *ctx)
{
	int err = meet(of(e), have);
	return err ? err : give(of(e), have->next, of(e)->tape->next, rows, ctx);
}

static bool moved(const struct fake_tape *t, const struct engine_request *r, const struct draft *first)
{
	int64_t count = 0;
	bool names = false;
	for (int64_t i = 0; i < t->next; i++) {
		count += strcmp(t->row[i].stream, first->stream) == 0;
		names |= r->seen > 0 && i >= r->seen && strcmp(t->row[i].kind, "session") == 0;
	}
	return names || (r->expect >= 0 && r->expect != count);
}

static int append(struct engine *e, const struct engine_tip *have, struct engine_call *c,
                  engine_rows_fn *rows, void *ctx)
{
	struct fake *f = of(e);
	int err = meet(f, have);
	if (err)
		return err;
	assert_false(f->pending);
	f->appends++;
	c->sent = true;
	if (f->splits) {
		why_set(&f->engine.why, "look", "ROLLBACK: fake");
		return STORE_EFORMAT;
	}
	c->first = f->tape->next;
	c->stored = 0;
	for (size_t i = 0; i < c->draft_count; i++) {
		struct engine_request *r = &c->requests[c->drafts[i].request];
		if (i == 0 || c->drafts[i].request != c->drafts[i - 1].request)
			r->refused = moved(f->tape, r, c->drafts[i].draft);
		if (r->refused || (f->no_answer && !f->stores))
			continue;
		(void)add(f->tape, c->drafts[i].draft, c->drafts[i].salt, c->time_us);
		c->stored++;
	}
	if (f->no_answer) {
		f->no_answer = false;
		f->pending = true;
		f->settled = f->stores ? c->first : -1;
		return STORE_EUNKNOWN;
	}
	return f->few ? 0 : give(f, have->next, f->tape->next, rows, ctx);
}

static int settle(struct engine *e, const struct engine_tip *have, int64_t *first)
{
	struct fake *f = of(e);
	*first = f->settled;
	int err = f->pending ? meet(f, have) : STORE_ENOENT;
	if (!err)
		f->pending = false;
	return err;
}

static int exchange(struct engine *e, const struct engine_tip *have, struct engine_news *n)
{
	struct fake_tape *t = of(e)->tape;
	int err = meet(of(e), have);
	n->newer[0] = '\0';
	n->signs = n->can_sign;
	if (!err && n->note && n->size > t->noted) {
		t->noted = n->size;
		(void)snprintf(t->note, sizeof t->note, "%s", n->note);
	} else if (!err && t->noted > n->size) {
		(void)snprintf(n->newer, sizeof n->newer, "%s", t->note);
	}
	return err;
}

static int tables(struct engine *e, const struct engine_tip *have, int64_t version, int64_t seen, int64_t at[2])
{
	(void)version;
	(void)seen;
	at[0] = -1;
	at[1] = 0;
	return meet(of(e), have);
}

static int fill(struct engine *e, const struct engine_tip *have, const char *what, int64_t seen,
                int64_t known, const char *rows)
{
	(void)what;
	(void)seen;
	(void)known;
	(void)rows;
	return meet(of(e), have);
}

static int machines(struct engine *e, const struct engine_tip *have, machine_fn *fn, void *ctx)
{
	(void)fn;
	(void)ctx;
	return meet(of(e), have);
}

static int head(struct engine *e, int ms, int64_t *next, struct why *why)
{
	struct fake *f = of(e);
	(void)ms;
	f->heads++;
	if (f->away || f->blind) {
		why_set(why, "wait", "the fake does not say");
		return STORE_EAWAY;
	}
	*next = f->tape->next;
	return 0;
}

static int show(struct engine *e, int ms, int64_t upto, struct why *why)
{
	struct fake *f = of(e);
	(void)ms;
	f->shows++;
	if (f->away) {
		why_set(why, "wait", "the fake does not hear");
		return STORE_EAWAY;
	}
	f->shown = upto;
	if (f->comes)
		fake_append(f->comes, "x9", "note", "{}");
	f->comes = NULL;
	return 0;
}

static int unseen(struct engine *e, int ms, int64_t upto, int64_t *count, struct why *why)
{
	struct fake *f = of(e);
	(void)ms, (void)why;
	assert_int_equal(upto, f->tape->next);
	f->unseens++;
	*count = f->laggards > 0 ? 1 : 0;
	f->laggards -= f->laggards > 0;
	return 0;
}

static int64_t wait_a_little(struct engine *e, int ms)
{
	(void)e, (void)ms;
	return 0;
}

static void end(struct engine *e)
{
	(void)e;
}

static void release(struct engine *e)
{
	free(e);
}

static const struct engine_ops ops = { pull, append, settle, exchange, tables, fill, machines, head, show, unseen,
	wait_a_little, end, release };

struct engine *fake_new(struct fake_tape *t, struct fake **out)
{
	struct fake *f = calloc(1, sizeof *f);
	assert_non_null(f);
	f->engine.ops = &ops;
	(void)snprintf(f->engine.name, sizeof f->engine.name, "fake");
	f->tape = t;
	f->shown = -1;
	*out = f;
	return &f->engine;
}

void fake_release(struct fake_tape *t)
{
	for (int64_t i = 0; i < t->next; i++)
		free(t->row[i].body);
}

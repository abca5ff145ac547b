/* SPDX-License-Identifier: MIT */
/* Looks up what policy_life() wants to know of facts and documents (life.h). */
#include "store/life/life.h"

#include <stdlib.h>
#include <string.h>

#include "store/documents/documents.h"
#include "store/policy/policy.h"

/* ---- facts ------------------------------------------------------------------ */

struct judging {
	struct life_of *of;
	int64_t now_us;
};

static void judge(void *ctx, const struct fact *f)
{
	const struct judging *j = ctx;
	j->of->life = store_fact_life(f, j->now_us);
}

static int look_at_fact(struct store *s, struct life_of *of, int64_t now_us)
{
	struct judging j = { of, now_us };
	of->life = LIFE_DELETED;
	int err = store_fact_by_id(s, of->id, judge, &j);
	return err == STORE_ENOENT ? 0 : err;
}

/* ---- documents -------------------------------------------------------------- */

/* `linked`: it may have an heir, which only all memories together tell. */
static int look_at_document(struct reader *r, struct life_of *of, int64_t now_us, bool *linked)
{
	sqlite3_stmt *q = doc_life(r);
	of->life = LIFE_DELETED;
	sqlite3_bind_int64(q, 1, of->id);
	int rc = q ? sqlite3_step(q) : SQLITE_DONE;
	if (rc == SQLITE_ROW) {
		const struct policy_thing t = { .status = db_text(q, 0),
			.expires_us = sqlite3_column_int64(q, 1) };
		of->life = policy_life(&t, now_us);
		*linked = *linked || sqlite3_column_int(q, 2) != 0;
	}
	sqlite3_reset(q);
	return db_error(rc);
}

struct heirs {
	struct kin *kin;
	struct found_heir {
		enum life life; /* its own, whoever stands for it */
		int64_t newest;
	} *own;
	size_t count, room, own_room;
};

static int take_memory(struct heirs *h, const struct doc_memory *m, int64_t now_us)
{
	const struct policy_thing t = { .status = m->status, .expires_us = m->expires_us };
	if (!ARRAY_ROOM(h->kin, h->room, h->count) || !ARRAY_ROOM(h->own, h->own_room, h->count))
		return STORE_ENOMEM;
	h->kin[h->count] = (struct kin){ .id = m->id, .link = m->link, .saved_us = m->saved_us };
	h->own[h->count++] = (struct found_heir){ policy_life(&t, now_us), m->newest };
	return 0;
}

static int read_heirs(struct reader *r, struct heirs *h, int64_t now_us)
{
	sqlite3_stmt *q = doc_memories(r, 0);
	int rc = SQLITE_DONE, err = 0;
	while (!err && q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct doc_memory m;
		doc_memory_of(q, &m);
		err = take_memory(h, &m, now_us);
	}
	sqlite3_reset(q);
	kin_follow(h->kin, h->count);
	return err ? err : db_error(rc);
}

/* Who is deleted or expired finds nobody; who has an heir is superseded, whatever it says. */
static void follow(const struct heirs *h, struct life_of *of)
{
	size_t at = kin_find(h->kin, h->count, of->id);
	if (at == NO_KIN || (of->life != LIFE_LIVE && of->life != LIFE_SUPERSEDED))
		return;
	size_t heir = h->kin[at].heir;
	if (heir == at)
		return;
	of->life = LIFE_SUPERSEDED;
	if (h->own[heir].life != LIFE_LIVE)
		return;
	of->heir = h->kin[heir].id;
	of->heir_seq = h->own[heir].newest;
}

static int look_at_documents(struct store *s, struct life_of *of, size_t n, int64_t now_us)
{
	struct heirs h = { .kin = NULL };
	struct reader *r;
	bool linked = false;
	int err = views_reader(s, &r);
	if (err)
		return err;
	for (size_t i = 0; !err && i < n; i++)
		if (of[i].kind == HIT_DOCUMENT)
			err = look_at_document(r, &of[i], now_us, &linked);
	if (!err && linked)
		err = read_heirs(r, &h, now_us);
	reader_put(s, r);
	for (size_t i = 0; !err && i < n; i++)
		if (of[i].kind == HIT_DOCUMENT)
			follow(&h, &of[i]);
	free(h.kin);
	free(h.own);
	return err;
}

int store_lives(struct store *s, struct life_of *of, size_t n, int64_t now_us)
{
	bool documents = false;
	int err = 0;
	for (size_t i = 0; !err && i < n; i++) {
		of[i].life = LIFE_LIVE;
		of[i].heir = of[i].heir_seq = 0;
		documents = documents || of[i].kind == HIT_DOCUMENT;
		if (of[i].kind == HIT_FACT)
			err = look_at_fact(s, &of[i], now_us);
	}
	return err || !documents ? err : look_at_documents(s, of, n, now_us);
}

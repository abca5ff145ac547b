/* SPDX-License-Identifier: MIT */
/* Looks up what policy_life() wants to know of facts and documents (life.h). */
#include "store/life/life.h"

#include "store/documents/documents.h"
#include "store/policy/policy.h"

/* ---- facts ------------------------------------------------------------------ */

struct judging {
	struct life_of *items;
	int64_t now_us;
};

static void judge(void *ctx, const struct fact *f)
{
	const struct judging *j = ctx;
	j->items->life = store_fact_life(f, j->now_us);
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

/* Who is deleted or expired finds nobody; who has an heir is superseded, whatever it says. */
static void follow(const struct kept_list *all, struct life_of *of, int64_t now_us)
{
	size_t at = kin_find(all->kin, all->count, of->id);
	if (at == NO_KIN || (of->life != LIFE_LIVE && of->life != LIFE_SUPERSEDED))
		return;
	size_t heir = all->kin[at].heir;
	if (heir == at)
		return;
	of->life = LIFE_SUPERSEDED;
	if (kept_life(&all->items[heir], now_us) != LIFE_LIVE)
		return;
	of->heir = all->items[heir].id;
	of->heir_seq = all->items[heir].newest;
}

static int follow_all(struct store *s, struct reader *r, struct life_of *of, size_t n,
                      int64_t now_us)
{
	const struct kept_list *all;
	int err = kept_take(s, r, &all);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		if (of[i].kind == HIT_DOCUMENT)
			follow(all, &of[i], now_us);
	kept_give(s);
	return 0;
}

static int look_at_documents(struct store *s, struct life_of *of, size_t n, int64_t now_us)
{
	struct reader *r;
	bool linked = false;
	int err = views_snapshot(s, &r);
	if (err)
		return err;
	for (size_t i = 0; !err && i < n; i++)
		if (of[i].kind == HIT_DOCUMENT)
			err = look_at_document(r, &of[i], now_us, &linked);
	if (!err && linked)
		err = follow_all(s, r, of, n, now_us);
	reader_put(s, r);
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

/* SPDX-License-Identifier: MIT */
/*
 * Verification in the background: after an opening maintenance walks the tape to its head, some
 * milliseconds a tick, by a connection that is open only meanwhile, so that it delays no reader,
 * holds no log back, and keeps nothing that is redacted later.  How far it came is kept in
 * PATH.side, signed by the owner's key, so that the next opening walks new rows alone.
 *
 *   begin ── `verified` by an earlier walk: leaf hashes only, up to there ── the root it had?
 *     │  none                                                                 │yes      │no: FORK
 *     └──────────────────────────► row by row ◄───────────────────────────────┘
 *                                       │ at the size of the note that was newest at the opening:
 *                                       │ has the tree the root that was signed?  no: FORK
 *                                       ▼
 *   at the head: `verified` is signed and kept; from then on it walks what is about to be signed.
 *
 * FORK: nothing is signed any more.  A row whose own hashes fail is told and passed over: it is
 * shown nowhere, and the tree can still be right; `upto` ends before the first such row.  A row
 * that was changed since an earlier walk is met by whoever reads it (row_entry()), if not its leaf
 * hash was changed with it, and then the root is another.  When it is met what was kept counts no
 * more: `upto` ends before it, and the next opening walks all rows.
 */
#include <stdlib.h>
#include <string.h>

#include "store/internal.h"
#include "store/tape/tape.h"

#define TURN_US 20000 /* of a tenth of a second; … */
#define BUSY_US 5000  /* … and while somebody writes */

static const char kept[] = "verified";

struct verifying {
	struct walk walk;
	struct checkpoint verified, signed_then; /* whose roots are to be compared; size 0: no more */
	bool began, over;         /* over: what it found forbids to go on */
	int64_t saved;            /* size in PATH.side */
	_Atomic int64_t upto;
};

int verifying_new(struct store *s)
{
	s->verifying = calloc(1, sizeof *s->verifying);
	return s->verifying ? 0 : STORE_ENOMEM;
}

void verifying_free(struct store *s)
{
	if (s->verifying)
		walk_release(&s->verifying->walk);
	free(s->verifying);
}

/* What was kept and signed; false: nothing that counts. */
static bool kept_before(struct store *s, struct checkpoint *c)
{
	char text[VERIFIED_SIZE];
	const struct note_key *key = tape_key(s);
	return key && side_note_get(s, kept, text, sizeof text) == 0 && verified_read(text, key, c);
}

int64_t verifying_upto(struct store *s)
{
	struct checkpoint c;
	if (!s->maintenance)
		return kept_before(s, &c) ? c.size : 0;
	int64_t upto = atomic_load(&s->verifying->upto), bad = damage_first(&s->damage);
	return bad < upto ? bad : upto;
}

static int begin(struct store *s, struct verifying *v)
{
	int err = walk_init(&v->walk, tape_origin(s), &s->damage);
	v->began = true;
	tape_newest(s, &v->signed_then);
	if (!kept_before(s, &v->verified) || v->verified.size > tape_entries(s))
		v->verified.size = 0;
	v->saved = v->verified.size;
	return err;
}

/* The tree at the size of `c` must have its root; then `c` has done its work. */
static int compare_root(struct walk *w, struct checkpoint *c, const char *who)
{
	uint8_t root[HASH_SIZE];
	if (c->size == 0 || w->tree.size != c->size)
		return 0;
	merkle_top(&w->tree, &w->hasher, root);
	int err = memcmp(root, c->root, HASH_SIZE) == 0 ? 0 : STORE_EFORMAT;
	if (err)
		(void)snprintf(w->wrong, sizeof w->wrong,
		               "FORK: the first %lld entries are not those that were %s",
		               (long long)c->size, who);
	c->size = 0;
	return err;
}

static int walk_some(struct store *s, struct verifying *v, sqlite3 *db, int64_t us)
{
	struct walk *w = &v->walk;
	int64_t until = clock_since_boot() + us, entries = tape_entries(s);
	int err = v->began ? 0 : begin(s, v);
	err = err ? err : walk_begin(w, db);
	if (!err && v->signed_then.size <= v->verified.size)
		v->signed_then.size = 0; /* the larger one says it all */
	if (!err && v->verified.size) {
		err = walk_leaves(w, v->verified.size, until);
		err = err ? err : compare_root(w, &v->verified, "verified");
	} else if (!err) {
		err = walk_on(w, v->signed_then.size ? v->signed_then.size : entries, until);
		err = err ? err : compare_root(w, &v->signed_then, "signed");
	}
	walk_end(w);
	return err;
}

/* A row that an earlier walk has seen was changed since. */
static void forget_kept(struct store *s, struct verifying *v)
{
	if (v->saved > 0 && damage_first(&s->damage) < v->saved && side_note_set(s, kept, "") == 0)
		v->saved = 0;
}

void verifying_end(struct store *s)
{
	struct verifying *v = s->verifying;
	struct checkpoint c;
	if (!v->began && kept_before(s, &c))
		v->saved = c.size;
	forget_kept(s, v);
}

/* Rows are good up to the first bad one; all of them: kept, so that nobody walks them again. */
static void note(struct store *s, struct verifying *v)
{
	char text[VERIFIED_SIZE];
	struct checkpoint c = { .size = v->walk.tree.size };
	int64_t good = v->walk.bad >= 0 ? v->walk.bad : c.size;
	bool proved = v->verified.size == 0 && v->signed_then.size == 0;
	atomic_store(&v->upto, v->verified.size ? 0 : good);
	if (!proved || good < c.size || c.size < tape_entries(s) || c.size == v->saved)
		return;
	tape_checked(s, c.size);
	(void)snprintf(c.origin, sizeof c.origin, "%s", tape_origin(s));
	merkle_top(&v->walk.tree, &v->walk.hasher, c.root);
	if (tape_verified(s, &c, text) == 0 && side_note_set(s, kept, text) == 0)
		v->saved = c.size;
}

bool verifying_tick(struct store *s, bool busy)
{
	struct verifying *v = s->verifying;
	sqlite3 *db = NULL;
	forget_kept(s, v);
	if (v->over || (v->began && v->walk.tree.size >= tape_entries(s)))
		return false;
	/* At the head, new rows wait until they are about to be signed; those that were do not. */
	if (v->saved > 0 && v->saved == v->walk.tree.size && v->signed_then.size == 0 &&
	    !tape_sign_due(s))
		return false;
	int err = db_open(s->path, DB_READ, &db, NULL);
	err = err ? err : walk_some(s, v, db, busy ? BUSY_US : TURN_US);
	sqlite3_close(db);
	if (err == STORE_EFORMAT) {
		v->over = true;
		tape_distrust(s, v->walk.wrong[0] ? v->walk.wrong : "the database is damaged");
	}
	if (!err)
		note(s, v);
	return err == STORE_EFORMAT;
}

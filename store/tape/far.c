/* SPDX-License-Identifier: MIT */
/*
 * Appending where the tape lives at an engine, and following it (far.h).
 *
 * The engine is asked with no lock of the store held but far.lock, so readers, views and signing go
 * on while a server thinks; the commit lock is taken when its rows have come.
 *
 * Invariants
 *   1. Who holds far.lock alone asks the engine, and nobody else puts rows into the file but other
 *      processes, which do the same: so what the file ends with is a prefix of the tape.
 *   2. A request is answered 0 only when the engine has stored it and the file has its rows.
 *   3. What was sent and not answered is settled before anything else is sent.
 */
#include "store/tape/far.h"

#include <stdlib.h>
#include <string.h>

#include "store/tape/far_state.h"

#define NOTES_US INT64_C(10000000) /* between looks for others' notes */
#define NEWS_US INT64_C(1000000)   /* between two of ours */

/* ---- what is known of the engine ---------------------------------------------- */

bool far_has(const struct store *s)
{
	return s->tape->far != NULL;
}

const char *far_name(const struct store *s)
{
	return s->tape->far ? s->tape->far->engine->name : "";
}

int64_t far_away_since(const struct store *s)
{
	return s->tape->far ? atomic_load(&s->tape->far->away_since) : 0;
}

int64_t far_behind_since(const struct store *s)
{
	int64_t away = far_away_since(s);
	return away || !s->tape->far ? away : atomic_load(&s->tape->far->blind_since);
}

void far_split(const struct store *s, char *text, size_t size)
{
	struct far *f = s->tape ? s->tape->far : NULL;
	text[0] = '\0';
	if (!f || !atomic_load(&f->is_split))
		return;
	lock_take(&f->away_lock);
	(void)snprintf(text, size, "%s", f->split);
	lock_give(&f->away_lock);
}

void far_trouble(const struct store *s, char *text, size_t size)
{
	struct far *f = s->tape ? s->tape->far : NULL;
	bool away = f && atomic_load(&f->away_since);
	text[0] = '\0';
	if (!away && !(f && atomic_load(&f->blind_since)))
		return;
	lock_take(&f->away_lock);
	if (away)
		(void)snprintf(text, size, "server: %.80s cannot be asked: reading goes on with what is"
		               " here, writing fails: %.120s", f->engine->name, f->away);
	else
		(void)snprintf(text, size, "server: %.80s does not say how much it has: reading goes on"
		               " with what is here (fresh=open): %.110s", f->engine->name, f->blind);
	lock_give(&f->away_lock);
}

static void split(struct store *s)
{
	struct far *f = s->tape->far;
	char text[256];
	if (atomic_load(&f->is_split))
		return;
	lock_take(&f->away_lock);
	(void)snprintf(f->split, sizeof f->split, "%s", f->engine->why.text);
	memcpy(text, f->split, sizeof text);
	lock_give(&f->away_lock);
	atomic_store(&f->is_split, true);
	if (f->opened)
		atomic_store(&s->read_only, true);
	if (s->tape->signer)
		signer_stop(s->tape->signer, text);
	tape_tell(s, "EROFS", "follow", "/", text, f->engine->why.todo);
}

/* far.lock held: what came of asking. */
void far_note(struct store *s, int err)
{
	struct far *f = s->tape->far;
	if (err == STORE_EFORMAT)
		split(s);
	if (err == STORE_EFORMAT || err == STORE_ENOSPC || err == STORE_ENOMEM)
		return;
	if (err && !atomic_load(&f->away_since)) {
		lock_take(&f->away_lock);
		const char *said = f->engine->why.text;
		(void)snprintf(f->away, sizeof f->away, "%s", *said ? said : store_strerror(err));
		lock_give(&f->away_lock);
		atomic_store(&f->away_since, store_time(s));
	} else if (!err) {
		atomic_store(&f->away_since, 0);
	}
}

/* ---- rows ----------------------------------------------------------------------- */

int far_tip(struct store *s, struct engine_tip *tip)
{
	memset(tip, 0, sizeof *tip);
	(void)tape_lock(s);
	sqlite3_stmt *q = s->tape->end_of_tape;
	int rc = sqlite3_step(q);
	const void *leaf = rc == SQLITE_ROW ? sqlite3_column_blob(q, 1) : NULL;
	if (leaf && sqlite3_column_bytes(q, 1) == HASH_SIZE) {
		tip->next = sqlite3_column_int64(q, 0);
		memcpy(tip->leaf, leaf, HASH_SIZE);
	}
	sqlite3_reset(q);
	(void)tape_refresh(s);
	tape_unlock(s);
	return db_error(rc);
}

int far_arrive(void *ctx, const struct entry *rows, size_t count)
{
	const struct arriving *a = ctx;
	struct tape *t = a->s->tape;
	struct engine *e = t->far->engine;
	if (!t->origin[0])
		(void)snprintf(t->origin, sizeof t->origin, "%s", e->origin);
	const struct taking k = { rows, count, a->call ? a->call->first : 0,
		a->call ? (int64_t)a->call->stored : 0, a->views, !t->far->opened };
	int err = tape_take(a->s, &k);
	if (err == STORE_EFORMAT)
		why_set(&e->why, ENGINE_TODO_FORK, "FORK: among entries %lld to %lld of the server"
		        " one is not what its hashes say, or does not follow the one before it",
		        (long long)rows[0].seq, (long long)rows[count - 1].seq);
	return err;
}

static void tell_settled(struct store *s, int64_t first)
{
	char text[160];
	if (first >= 0)
		(void)snprintf(text, sizeof text, "the write whose answer did not come was stored after"
		               " all, as entry %lld", (long long)first);
	else
		(void)snprintf(text, sizeof text, "the write whose answer did not come was not stored, and"
		               " never will be");
	tape_tell(s, "SETTLED", "write", "/", text,
	          first >= 0 ? "do not write it again" : "write it again: rejected/ has it");
}

/* far.lock held.  Invariant 3; then all rows there are. */
int far_settle(struct store *s)
{
	struct far *f = s->tape->far;
	struct engine_tip tip;
	int64_t first;
	int err = far_tip(s, &tip);
	err = err ? err : f->engine->ops->settle(f->engine, &tip, &first);
	if (!err)
		tell_settled(s, first);
	return err == STORE_ENOENT ? 0 : err;
}

int far_pull(struct store *s, const struct engine_call *call, bool views)
{
	struct far *f = s->tape->far;
	struct arriving a = { s, call, views };
	struct engine_tip tip;
	int err = atomic_load(&f->is_split) ? STORE_EFORMAT : far_tip(s, &tip);
	return err ? err : f->engine->ops->pull(f->engine, &tip, far_arrive, &a);
}

/* ---- notes ------------------------------------------------------------------------ */

/*
 * Commit lock held.  A note that came from another machine: it proves what is here only if it is
 * signed by the tape's key and these are the entries it is over.
 */
static int keep_note(struct tape *t, const char *note, struct checkpoint *c)
{
	uint8_t root[HASH_SIZE];
	const struct note_key *key = signer_trusts(t->signer);
	if (!key || note_checkpoint(note, strlen(note), key, c) != NOTE_OK || c->size > t->next_seq)
		return STORE_ENOENT; /* any writer can send one */
	int err = db_begin(t->db);
	err = err ? err : merkle_extend(t->db, &t->hasher, c->size);
	err = err ? err : merkle_root(t->db, &t->hasher, c->size, root);
	if (!err && memcmp(root, c->root, HASH_SIZE) != 0)
		err = STORE_EFORMAT;
	sqlite3_stmt *q = err ? NULL :
		db_prepare(t->db, "INSERT OR IGNORE INTO tape_checkpoint (size, note) VALUES (?1, ?2)");
	if (q) {
		sqlite3_bind_int64(q, 1, c->size);
		sqlite3_bind_text(q, 2, note, -1, SQLITE_STATIC);
		err = put_run(q);
	}
	sqlite3_finalize(q);
	err = err ? err : db_commit(t->db);
	if (err)
		db_rollback(t->db);
	return err;
}

static int take_note(struct store *s, const char *note)
{
	struct tape *t = s->tape;
	struct engine *e = t->far->engine;
	struct checkpoint c;
	(void)tape_lock(s);
	int err = keep_note(t, note, &c);
	tape_unlock(s);
	if (!err)
		signer_learn(t->signer, &c, note);
	else if (err == STORE_EFORMAT)
		why_set(&e->why, ENGINE_TODO_FORK, "FORK: the first %lld entries are not those that"
		        " the note on the server is over", (long long)c.size);
	return err == STORE_ENOENT ? 0 : err;
}

static bool news_wait(const struct far *f, int64_t size)
{
	bool news = size != f->noted || atomic_load(&f->clean) != f->noted_clean;
	return clock_since_boot() - f->note_at >= (news ? NEWS_US : NOTES_US);
}

/* far.lock held.  One of those with the key signs; all others get what it signed. */
static int exchange_notes(struct store *s)
{
	struct far *f = s->tape->far;
	char mine[NOTE_OWN_SIZE];
	struct engine_tip tip;
	struct engine_news n = { .size = s->tape->signer ? signer_size(s->tape->signer) : 0,
		.clean = atomic_load(&f->clean) };
	if (!s->tape->signer || !news_wait(f, n.size))
		return 0;
	int err = far_tip(s, &tip);
	n.can_sign = signer_key(s->tape->signer) && !s->read_only &&
		(s->config.flags & STORE_OWNER);
	(void)tape_lock(s);
	if (!err && n.size > 0 && signer_note(s->tape->db, mine, sizeof mine) == 0)
		n.note = mine;
	tape_unlock(s);
	err = err ? err : f->engine->ops->exchange(f->engine, &tip, &n);
	if (!err && n.newer[0])
		err = take_note(s, n.newer);
	if (!err) {
		atomic_store(&f->signs, n.signs);
		f->noted = n.size;
		f->noted_clean = n.clean;
		f->note_at = clock_since_boot();
	}
	return err;
}

bool far_signs(const struct store *s)
{
	return !s->tape->far || atomic_load(&s->tape->far->signs);
}

void far_set_clean(struct store *s, int64_t below)
{
	if (s->tape->far)
		atomic_store(&s->tape->far->clean, below);
}

/* ---- following --------------------------------------------------------------------- */

int far_catch_up(struct store *s)
{
	struct far *f = s->tape->far;
	if (!f)
		return 0;
	lock_take(&f->lock);
	int err = far_settle(s);
	err = err ? err : far_pull(s, NULL, false);
	err = err ? err : exchange_notes(s);
	far_note(s, err);
	lock_give(&f->lock);
	if (s->tape->signer)
		(void)signer_publish(s->tape->signer); /* a note that has come */
	return err == STORE_EFORMAT || err == STORE_ENOSPC || err == STORE_ENOMEM || !err ? err :
		STORE_EAWAY;
}

void far_end(struct store *s)
{
	struct far *f = s->tape ? s->tape->far : NULL;
	if (f)
		f->engine->ops->end(f->engine);
}

int far_open(struct store *s, struct engine *engine)
{
	if (!engine)
		return 0;
	struct far *f = calloc(1, sizeof *f);
	if (!f) {
		engine->ops->free(engine);
		return STORE_ENOMEM;
	}
	f->engine = engine;
	f->noted = -1;
	atomic_store(&f->clean, -1);
	size_t len = strlen(s->path), most = sizeof engine->place - 1; /* its end tells more */
	memcpy(engine->place, s->path + (len > most ? len - most : 0), len > most ? most : len);
	lock_init(&f->lock, RANK_FAR);
	lock_init(&f->look_lock, RANK_LOOK);
	lock_init(&f->away_lock, RANK_AWAY);
	s->tape->far = f;
	return 0;
}

int far_begin(struct store *s, struct why *why)
{
	struct far *f = s->tape->far;
	if (!f)
		return 0;
	(void)snprintf(f->engine->origin, sizeof f->engine->origin, "%s", s->tape->origin);
	(void)db_roomy(s->tape->db, true); /* until views_fill() */
	int err = far_catch_up(s);
	if (!err || tape_entries(s) > 0) /* what is here can be read, whatever it was */
		return 0;
	*why = f->engine->why;
	return err;
}

void far_opened(struct store *s)
{
	struct far *f = s->tape->far;
	if (!f)
		return;
	lock_take(&f->lock);
	f->opened = true;
	f->fresh_told = tape_entries(s);
	if (atomic_load(&f->is_split))
		atomic_store(&s->read_only, true);
	lock_give(&f->lock);
}

void far_close(struct store *s)
{
	struct far *f = s->tape->far;
	if (!f)
		return;
	f->engine->ops->free(f->engine);
	lock_destroy(&f->lock);
	lock_destroy(&f->look_lock);
	lock_destroy(&f->away_lock);
	free(f);
	s->tape->far = NULL;
}

int store_catch_up_far(struct store *s, struct sync_state *out)
{
	struct engine_tip tip;
	int err = s->tape->far ? far_catch_up(s) : 0, failed = far_tip(s, &tip);
	out->entries = tip.next;
	memcpy(out->leaf, tip.leaf, HASH_SIZE);
	out->away_us = far_away_since(s);
	return err ? err : failed;
}

int far_tables(struct store *s, int64_t version, int64_t seen, int64_t at[2])
{
	struct far *f = s->tape->far;
	struct engine_tip tip;
	lock_take(&f->lock);
	int err = far_tip(s, &tip);
	err = err ? err : f->engine->ops->tables(f->engine, &tip, version, seen, at);
	lock_give(&f->lock);
	return err;
}

int far_fill(struct store *s, const char *what, int64_t seen, int64_t known, const char *rows)
{
	struct far *f = s->tape->far;
	struct engine_tip tip;
	lock_take(&f->lock);
	int err = atomic_load(&f->is_split) ? STORE_EMOVED : far_tip(s, &tip);
	err = err ? err : f->engine->ops->fill(f->engine, &tip, what, seen, known, rows);
	lock_give(&f->lock);
	return err == STORE_EFORMAT ? STORE_EMOVED : err; /* another tape: no row is at fault */
}

int store_machines(struct store *s, machine_fn *fn, void *ctx)
{
	struct far *f = s->tape->far;
	struct engine_tip tip;
	if (!f)
		return 0;
	lock_take(&f->lock);
	f->note_at = 0; /* at once: this machine is one of them */
	int err = exchange_notes(s);
	err = err ? err : far_tip(s, &tip);
	err = err ? err : f->engine->ops->machines(f->engine, &tip, fn, ctx);
	lock_give(&f->lock);
	return err;
}

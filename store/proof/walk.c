/* SPDX-License-Identifier: MIT */
/* A walk over the tape.  See walk.h. */
#include "store/proof/walk.h"

#include <stdlib.h>
#include <string.h>

#include "store/base/hash.h"
#include "store/db/db.h"
#include "store/store.h"

enum { LOOK_EVERY = 64 /* rows between two looks at the clock */ };

int walk_init(struct walk *w, const char *origin, struct damage *damage)
{
	*w = (struct walk){ .origin = origin, .damage = damage, .bad = -1 };
	w->heads = calloc(WALK_HEADS, sizeof *w->heads);
	return w->heads ? hasher_init(&w->hasher) : STORE_ENOMEM;
}

void walk_release(struct walk *w)
{
	hasher_release(&w->hasher);
	free(w->heads);
}

int walk_begin(struct walk *w, sqlite3 *db)
{
	w->rows = db_prepare(db, "SELECT " TAPE_COLUMNS " FROM tape t WHERE t.seq >= ?1 AND t.seq < ?2"
	                         " ORDER BY t.seq");
	w->leaves = db_prepare(db, "SELECT seq, leaf_hash FROM tape WHERE seq >= ?1 AND seq < ?2"
	                           " ORDER BY seq");
	w->before = db_prepare(db, "SELECT leaf_hash FROM tape WHERE stream = ?1 AND stream_seq = ?2");
	return w->rows && w->leaves && w->before ? 0 : STORE_EIO;
}

void walk_end(struct walk *w)
{
	sqlite3_finalize(w->rows);
	sqlite3_finalize(w->leaves);
	sqlite3_finalize(w->before);
	w->rows = w->leaves = w->before = NULL;
}

static int wrong(struct walk *w, const struct entry *e, const char *what)
{
	(void)snprintf(w->wrong, sizeof w->wrong, "entry %lld %s", (long long)e->seq, what);
	return STORE_EFORMAT;
}

static struct walk_head *head_of(struct walk *w, const char *stream)
{
	uint32_t hash = hash32_bytes(HASH32_NONE, stream, strlen(stream));
	return &w->heads[(hash ^ hash >> 16) % WALK_HEADS];
}

/* The stream's head was pushed out, or belongs to rows before this walk. */
static int load_head(struct walk *w, struct walk_head *head, const struct entry *e)
{
	(void)snprintf(head->stream, sizeof head->stream, "%s", e->stream);
	head->next = e->stream_seq;
	memset(head->last, 0, HASH_SIZE);
	sqlite3_bind_text(w->before, 1, e->stream, -1, SQLITE_TRANSIENT);
	sqlite3_bind_int64(w->before, 2, e->stream_seq - 1);
	int rc = sqlite3_step(w->before);
	bool there = rc == SQLITE_ROW && sqlite3_column_bytes(w->before, 0) == HASH_SIZE;
	if (there)
		memcpy(head->last, sqlite3_column_blob(w->before, 0), HASH_SIZE);
	sqlite3_reset(w->before);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return db_error(rc);
	return there == (e->stream_seq > 0) ? 0 : wrong(w, e, "does not follow its stream");
}

static int check_link(struct walk *w, const struct entry *e)
{
	struct walk_head *head = head_of(w, e->stream);
	int err = strcmp(head->stream, e->stream) == 0 ? 0 : load_head(w, head, e);
	if (!err && (e->stream_seq != head->next || memcmp(e->prev, head->last, HASH_SIZE) != 0))
		err = wrong(w, e, "does not name the hash of its stream before it");
	head->next = e->stream_seq + 1;
	memcpy(head->last, e->leaf_hash, HASH_SIZE);
	if (err)
		head->stream[0] = '\0';
	return err;
}

static int step(struct walk *w)
{
	struct entry e = { .seq = w->tree.size };
	size_t stored = 0;
	if (!row_strict(w->rows, &e, &stored))
		return wrong(w, &e, "breaks the format");
	if (e.seq != w->tree.size) {
		e.seq = w->tree.size;
		return wrong(w, &e, "is not there");
	}
	if (row_fault(&w->hasher, w->origin, &e, stored) != ROW_GOOD) {
		w->bad = w->bad < 0 ? e.seq : w->bad;
		if (w->damage)
			damage_add(w->damage, e.seq);
	}
	int err = check_link(w, &e);
	merkle_push(&w->tree, &w->hasher, 0, e.leaf_hash);
	return err;
}

static int step_leaf(struct walk *w)
{
	struct entry e = { .seq = w->tree.size };
	if (sqlite3_column_int64(w->leaves, 0) != e.seq ||
	    sqlite3_column_bytes(w->leaves, 1) != HASH_SIZE)
		return wrong(w, &e, "is not there");
	merkle_push(&w->tree, &w->hasher, 0, sqlite3_column_blob(w->leaves, 1));
	return 0;
}

static int go(struct walk *w, sqlite3_stmt *q, int (*one)(struct walk *w), int64_t limit,
              int64_t until_us)
{
	int err = 0, rc = SQLITE_DONE;
	sqlite3_bind_int64(q, 1, w->tree.size);
	sqlite3_bind_int64(q, 2, limit);
	while (!err && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		err = one(w);
		if (w->tree.size % LOOK_EVERY == 0 && clock_since_boot() >= until_us)
			break;
	}
	sqlite3_reset(q);
	return err ? err : db_error(rc);
}

int walk_on(struct walk *w, int64_t limit, int64_t until_us)
{
	return go(w, w->rows, step, limit, until_us);
}

int walk_leaves(struct walk *w, int64_t limit, int64_t until_us)
{
	return go(w, w->leaves, step_leaf, limit, until_us);
}

int walk_holds(sqlite3 *db, const char *origin, int64_t from, int64_t to, char wrong[160])
{
	struct walk w;
	int err = walk_init(&w, origin, NULL);
	w.tree.size = from;
	err = err ? err : walk_begin(&w, db);
	err = err ? err : walk_on(&w, to, INT64_MAX);
	if (!err && w.bad >= 0)
		err = STORE_EFORMAT;
	if (w.bad >= 0)
		(void)snprintf(wrong, sizeof w.wrong, "entry %lld is not the one that was hashed",
		               (long long)w.bad);
	else if (err == STORE_EFORMAT)
		memcpy(wrong, w.wrong, sizeof w.wrong);
	walk_end(&w);
	walk_release(&w);
	return err;
}

/* SPDX-License-Identifier: MIT */
/*
 * Entries that a server gives are taken into the file: each is hashed anew and must go on where the
 * file ends, or none of them is taken.  Called by far.c.
 */
#include <string.h>

#include "store/tape/tape_state.h"

static bool holds(struct tape *t, const struct entry *e)
{
	struct entry as_hashed = *e;
	as_hashed.body_len = e->hashed_len;
	return e->time_us >= 0 && e->stream_seq >= 0 && (e->salt == NULL) == (e->body == NULL) &&
	       field_ok(e->stream, strlen(e->stream), FIELD_MAX) &&
	       field_ok(e->kind, strlen(e->kind), KIND_MAX) &&
	       field_ok(e->author, strlen(e->author), FIELD_MAX) &&
	       row_fault(&t->hasher, t->origin, &as_hashed, e->body_len) == ROW_GOOD;
}

static int take_one(struct store *s, const struct entry *e)
{
	struct tape *t = s->tape;
	struct head *head;
	if (e->seq != t->next_seq || !holds(t, e))
		return STORE_EFORMAT;
	int err = put_head(s, e->stream, &head);
	if (!err && (e->stream_seq != head->next_count ||
	             memcmp(e->prev, head->last, HASH_SIZE) != 0))
		err = STORE_EFORMAT;
	return err ? err : put_entry(s, head, e);
}

/* How much a line shows of a body that is gone is told by another entry. */
static bool are_whole(const struct entry *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!rows[i].salt || strcmp(rows[i].stream, REDACTION_STREAM) == 0)
			return false;
	return true;
}

static int take_all(struct store *s, const struct taking *k, bool views)
{
	struct tape *t = s->tape;
	int err = put_run(t->begin);
	if (err)
		return err;
	if ((err = tape_refresh(s)) > 0)
		err = 0;
	int64_t first = t->next_seq;
	size_t away = 0;
	for (size_t i = 0; !err && i < k->count; i++) {
		if (k->rows[i].seq < t->next_seq)
			continue;
		err = take_one(s, &k->rows[i]);
		away += strcmp(k->rows[i].kind, REDACTION_KIND) == 0;
	}
	if (!err && away > 0) /* what it takes goes here, too, if the owner has signed that */
		err = put_proved_away(s, &away);
	return put_finish(s, views, first, err);
}

static bool is_ours(const struct taking *k, int64_t seq)
{
	return seq >= k->first && seq < k->first + k->ours;
}

/* Before they count as here. */
static void note_end(struct tape *t, const struct taking *k, int64_t before)
{
	for (int64_t seq = t->next_seq; seq > before; seq--) {
		if (is_ours(k, seq - 1))
			continue;
		atomic_store(&t->foreign_end, seq);
		return;
	}
}

/* As tape_refresh() notes what other processes of this machine have written. */
static void note_foreign(struct tape *t, const struct taking *k, int64_t before)
{
	for (int64_t seq = before; seq < t->next_seq; seq++) {
		if (is_ours(k, seq))
			continue;
		if (atomic_load(&t->foreign) < 0)
			atomic_store(&t->foreign, seq);
		atomic_fetch_add(&t->others, 1);
		atomic_store(&t->others_last, seq);
		if (!atomic_load(&t->mine))
			atomic_store(&t->current, 0);
	}
}

int tape_take(struct store *s, const struct taking *k)
{
	struct tape *t = s->tape;
	(void)tape_lock(s);
	int64_t before = t->next_seq;
	int err = take_all(s, k, k->views);
	if (err && err != STORE_EFORMAT && k->views) /* the server has them: views can wait */
		err = take_all(s, k, false);
	if (!err) {
		heads_publish(&t->heads);
		if (!are_whole(k->rows, k->count))
			heads_forget(&t->heads);
		note_end(t, k, before);
		atomic_store(&t->entries, t->next_seq);
		note_foreign(t, k, before);
		/* Of a longer log each page takes longer to find.  Beside an owner none is long. */
		if (k->begins || s->config.flags & STORE_OWNER)
			put_wal_back(s, 4 * WAL_LIMIT);
	}
	tape_unlock(s);
	return err;
}

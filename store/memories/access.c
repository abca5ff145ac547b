/* SPDX-License-Identifier: MIT */
/*
 * Uses of memories (memories.h): added up in the store, written to PATH.side in batches.  A row
 * there may be missing at any time: then the memory was never used.
 */
#include "store/memories/memories.h"

#include <stdlib.h>

#include "store/internal.h"

enum { WAITING_MOST = 4096 }; /* documents; then they are written at once */
#define USES_MOST INT64_C(1000000000000000)

/* Not written yet: one of each document. */
struct accesses {
	struct access *items;
	size_t count, room;
	uint64_t counted; /* for access_stamp() */
	bool copied; /* v_access holds what was written here */
};

int access_new(struct store *s)
{
	s->accesses = calloc(1, sizeof *s->accesses);
	return s->accesses ? 0 : STORE_ENOMEM;
}

void access_close(struct store *s)
{
	if (s->accesses)
		free(s->accesses->items);
	free(s->accesses);
}

int64_t access_last(int64_t last_us, int64_t now)
{
	return last_us > 0 && last_us - now <= CLOCK_SLACK_US ? last_us : 0;
}

/* Uses after others, which are not the last because their clock was ahead. */
static void use_again(struct access *a, int64_t uses, int64_t last_us)
{
	a->uses = a->uses + uses < USES_MOST ? a->uses + uses : USES_MOST;
	if (last_us > a->last_us || a->last_us - last_us > CLOCK_SLACK_US)
		a->last_us = last_us;
}

/* The lock of PATH.side is held; the same as use_again(). */
static int write_all(struct store *s)
{
	const struct accesses *a = s->accesses;
	sqlite3 *db = a->count ? side_open(s) : NULL;
	if (a->count == 0)
		return 0;
	int err = db ? db_begin(db) : STORE_EIO;
	if (err)
		return err;
	sqlite3_stmt *q = db_prepare(db, "INSERT INTO access(doc, uses, last_us) VALUES(?1, ?2, ?3)"
		" ON CONFLICT(doc) DO UPDATE SET last_us ="
		" iif(last_us > excluded.last_us + ?4, excluded.last_us, max(last_us, excluded.last_us)),"
		" uses = min(uses + excluded.uses, 1000000000000000)");
	err = q ? 0 : STORE_EIO;
	for (size_t i = 0; !err && i < a->count; i++) {
		sqlite3_bind_int64(q, 1, a->items[i].doc);
		sqlite3_bind_int64(q, 2, a->items[i].uses);
		sqlite3_bind_int64(q, 3, a->items[i].last_us);
		sqlite3_bind_int64(q, 4, CLOCK_SLACK_US);
		err = db_error(sqlite3_step(q));
		sqlite3_reset(q);
	}
	sqlite3_finalize(q);
	if (!err)
		err = db_commit(db);
	else
		db_rollback(db);
	if (!err)
		s->accesses->count = 0;
	return err;
}

/* The owner also copies what others have written, or lost, before it came. */
int access_flush(struct store *s)
{
	struct access *of = NULL;
	size_t count = 0;
	side_lock(s);
	bool due = s->accesses->count > 0 ||
		(!s->accesses->copied && s->config.flags & STORE_OWNER);
	int err = write_all(s);
	side_unlock(s);
	if (!due || err)
		return err;
	err = access_load(s, &of, &count);
	if (!err)
		err = access_copy(s, of, count);
	free(of);
	side_lock(s);
	s->accesses->copied = !err;
	side_unlock(s);
	return err;
}

/* The lock of PATH.side is held. */
static int add(struct store *s, int64_t doc, int64_t time_us)
{
	struct accesses *a = s->accesses;
	for (size_t i = 0; i < a->count; i++) {
		if (a->items[i].doc != doc)
			continue;
		use_again(&a->items[i], 1, time_us);
		return 0;
	}
	if (a->count == WAITING_MOST) {
		int err = write_all(s);
		if (err)
			return err;
	}
	if (!ARRAY_ROOM(a->items, a->room, a->count))
		return STORE_ENOMEM;
	a->items[a->count++] = (struct access){ doc, 1, time_us };
	return 0;
}

int store_memory_accessed(struct store *s, const int64_t *ids, size_t n, int64_t time_us)
{
	int err = 0;
	if (s->read_only)
		return 0;
	side_lock(s);
	s->accesses->counted++;
	for (size_t i = 0; !err && i < n; i++)
		err = add(s, ids[i], time_us);
	side_unlock(s);
	return err;
}

/* What this store writes itself is what was counted: SQLite tells of others' commits alone. */
struct access_stamp access_stamp(struct store *s)
{
	side_lock(s);
	sqlite3 *db = side_open(s);
	const struct access_stamp now = { s->accesses->counted,
		db ? db_int(db, "PRAGMA data_version", -1) : -2 };
	side_unlock(s);
	return now;
}

static int by_doc(const void *a, const void *b)
{
	const struct access *x = a, *y = b;
	return (x->doc > y->doc) - (x->doc < y->doc);
}

/* Appends a row; the file is anybody's, so no number of it is believed. */
static int take_row(sqlite3_stmt *q, struct access **of, size_t *count, size_t *room)
{
	if (!ARRAY_ROOM(*of, *room, *count))
		return STORE_ENOMEM;
	int64_t uses = sqlite3_column_int64(q, 1);
	(*of)[(*count)++] = (struct access){ sqlite3_column_int64(q, 0),
		uses < 0 ? 0 : uses > USES_MOST ? USES_MOST : uses, sqlite3_column_int64(q, 2) };
	return 0;
}

/* Appends the rows, as long as they rise: others came round and round.  Without a file: none. */
static int take_rows(sqlite3 *side, struct access **of, size_t *count)
{
	size_t room = *count;
	int err = 0, rc = SQLITE_DONE;
	size_t before = *count;
	sqlite3_stmt *q = side ? db_prepare(side, "SELECT doc, uses, last_us FROM access"
	                                          " ORDER BY doc") : NULL;
	while (!err && q && (rc = sqlite3_step(q)) == SQLITE_ROW &&
	       (*count == before || sqlite3_column_int64(q, 0) > (*of)[*count - 1].doc))
		err = take_row(q, of, count, &room);
	sqlite3_finalize(q);
	return err;
}

/* What is written: `side` is PATH.side. */
static int access_read(sqlite3 *side, struct access **out, size_t *count)
{
	*out = NULL;
	*count = 0;
	int err = take_rows(side, out, count);
	if (!err)
		return 0;
	free(*out);
	*out = NULL;
	return err;
}

/* And what waits, with room for it: by document. */
static void add_waiting(const struct accesses *a, struct access *of, size_t *count)
{
	size_t written = *count;
	for (size_t i = 0; i < a->count; i++) {
		struct access *at = written == 0 ? NULL :
			bsearch(&a->items[i], of, written, sizeof *of, by_doc);
		if (at)
			use_again(at, a->items[i].uses, a->items[i].last_us);
		else
			of[(*count)++] = a->items[i];
	}
	if (*count > written)
		qsort(of, *count, sizeof *of, by_doc);
}

int access_load(struct store *s, struct access **out, size_t *count)
{
	side_lock(s);
	int err = access_read(side_open(s), out, count); /* without it: only what waits */
	if (!err && s->accesses->count > 0) {
		struct access *grown = realloc(*out, (*count + s->accesses->count) * sizeof *grown);
		err = grown ? 0 : STORE_ENOMEM;
		if (grown) {
			*out = grown;
			add_waiting(s->accesses, grown, count);
		} else {
			free(*out);
			*out = NULL;
		}
	}
	side_unlock(s);
	return err;
}

/* The counts are no reason to fail: without them there are none. */
int access_copy_file(sqlite3 *db, const char *path)
{
	char name[PATH_MAX + 8];
	struct access *of = NULL;
	size_t count = 0;
	sqlite3 *side = NULL;
	(void)snprintf(name, sizeof name, "%s.side", path);
	int rc = db_open_file(name, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, &side);
	if (rc == SQLITE_OK)
		rc = db_harden(side);
	int err = access_read(rc == SQLITE_OK ? side : NULL, &of, &count);
	sqlite3_close(side);
	err = err ? err : access_copy_to(db, of, count);
	free(of);
	return err;
}

/* SPDX-License-Identifier: MIT */
/* A few connections for reading, each with its statements, lent to one thread at a time. */
#include <stdlib.h>

#include "store/internal.h"

struct readers {
	const char *path;
	const struct sql *const *sql; /* by sub-room */
	struct lock lock;
	pthread_cond_t free;
	struct reader reader[READERS]; /* guarded by lock: `busy`; the rest is the holder's */
};

int readers_open(const char *path, const struct sql *const *sql, struct readers **out)
{
	struct readers *all = calloc(1, sizeof *all);
	if (!all)
		return STORE_ENOMEM;
	all->path = path;
	all->sql = sql;
	lock_init(&all->lock, RANK_READERS);
	pthread_cond_init(&all->free, NULL);
	*out = all;
	return 0;
}

static void close_reader(struct readers *all, struct reader *r)
{
	for (int i = 0; i < SQL_ROOMS; i++) {
		for (int n = 0; r->stmt[i] && n < all->sql[i]->count; n++)
			sqlite3_finalize(r->stmt[i][n]);
		free(r->stmt[i]);
	}
	row_check_release(&r->check);
	sqlite3_finalize(r->fails);
	sqlite3_close(r->db);
}

/* False while somebody has it. */
static bool renew(struct readers *all, struct reader *r)
{
	lock_take(&all->lock);
	bool mine = !r->busy;
	if (mine) {
		close_reader(all, r);
		*r = (struct reader){ .db = NULL };
	}
	lock_give(&all->lock);
	return mine;
}

int readers_renew(struct readers *all, int seconds)
{
	const struct timespec pause = { 0, 2000000 };
	int64_t until = clock_since_boot() + seconds * INT64_C(1000000);
	for (int i = 0; i < READERS; i++)
		while (!renew(all, &all->reader[i])) {
			if (clock_since_boot() >= until)
				return STORE_EBUSY;
			(void)nanosleep(&pause, NULL);
		}
	return 0;
}

void readers_close(struct readers *all)
{
	for (int i = 0; all && i < READERS; i++)
		close_reader(all, &all->reader[i]);
	free(all);
}

sqlite3_stmt *reader_stmt(struct reader *r, int which)
{
	const struct sql *sql = r->sql[SQL_ROOM(which)];
	sqlite3_stmt ***stmt = &r->stmt[SQL_ROOM(which)];
	if (!*stmt)
		*stmt = calloc((size_t)sql->count, sizeof **stmt);
	if (!*stmt)
		return r->fails;
	sqlite3_stmt **q = &(*stmt)[SQL_N(which)];
	if (!*q)
		*q = db_prepare(r->db, sql->text[SQL_N(which)]);
	return *q || (sqlite3_errcode(r->db) & 0xff) == SQLITE_ERROR ? *q : r->fails;
}

/* NULL: none, if a closed one will not do an open one; *may_come: somebody has one yet. */
static struct reader *free_one(struct readers *all, bool closed, bool *may_come)
{
	struct reader *fresh = NULL;
	*may_come = false;
	for (int i = 0; i < READERS; i++) {
		struct reader *r = &all->reader[i];
		*may_come |= r->busy;
		if (!r->busy && r->db)
			return r; /* warm caches first */
		if (closed && !r->busy && !fresh)
			fresh = r;
	}
	return fresh;
}

/* NULL: none is open, and a closed one will not do. */
static struct reader *reader_take(struct readers *all, bool closed)
{
	struct reader *r;
	bool may_come;
	lock_check_wait(RANK_READER); /* a thread that holds one waits for no second one */
	lock_take(&all->lock);
	while (!(r = free_one(all, closed, &may_come)) && may_come)
		lock_wait(&all->lock, &all->free);
	if (r)
		r->busy = true;
	lock_give(&all->lock);
	if (r)
		lock_check_got(RANK_READER);
	return r;
}

static bool open_reader(struct store *s, struct readers *all, struct reader *r)
{
	if (db_open(all->path, DB_READ, &r->db, NULL))
		return false;
	r->fails = db_prepare(r->db, "SELECT abs(-9223372036854775808)");
	if (r->fails && row_check_open(&r->check, r->db, &s->damage) == 0)
		return true;
	sqlite3_finalize(r->fails);
	r->fails = NULL;
	row_check_release(&r->check);
	sqlite3_close(r->db);
	r->db = NULL;
	return false;
}

struct reader *reader_get(struct store *s)
{
	struct readers *all = s->readers;
	struct reader *r = reader_take(all, true);
	r->sql = all->sql;
	if (r->db || open_reader(s, all, r))
		return r;
	reader_put(s, r);
	r = reader_take(all, false); /* the file has moved: those that have it open see it yet */
	if (r)
		r->sql = all->sql;
	return r;
}

static void give_back(struct store *s, struct reader *r)
{
	lock_take(&s->readers->lock);
	r->busy = false;
	if (r->db)
		pthread_cond_signal(&s->readers->free);
	else /* to some who wait a closed one is of no use */
		pthread_cond_broadcast(&s->readers->free);
	lock_give(&s->readers->lock);
	lock_check_gave(RANK_READER);
}

void reader_put(struct store *s, struct reader *r)
{
	for (int i = 0; i < SQL_ROOMS; i++) /* also after SQLITE_DONE: else the next bind is refused */
		for (int n = 0; r->stmt[i] && n < r->sql[i]->count; n++)
			sqlite3_reset(r->stmt[i][n]);
	if (r->db && !sqlite3_get_autocommit(r->db))
		(void)db_exec(r->db, "COMMIT");
	give_back(s, r);
}

void reader_put_one(struct store *s, struct reader *r, sqlite3_stmt *used)
{
	sqlite3_reset(used);
	give_back(s, r);
}

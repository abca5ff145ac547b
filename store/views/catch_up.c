/* SPDX-License-Identifier: MIT */
/*
 * The store's views catch up: when somebody reads, when the maintenance thread has time, and in
 * the transaction of what cannot wait (struct tape_hooks).
 */
#include "store/internal.h"
#include "store/tape/tape.h"
#include "store/views/views.h"

static const char *const texts[] = {
	[SQL_N(READ_MARK)] = "SELECT start FROM v_mark WHERE k = ?1",
	[SQL_N(READ_STATE)] = "SELECT upto, tape_bytes FROM v_state",
	[SQL_N(READ_TIME)] = "SELECT time_us FROM tape WHERE seq = ?1",
	[SQL_N(READ_TIME_LAST)] = "SELECT time_us FROM tape ORDER BY seq DESC LIMIT 1",
};
const struct sql view_queries = SQL_OF(texts);

enum { BATCH = 500 /* entries a transaction: an append waits no longer than that */ };

/* Commit lock held: the views see at most `rows` entries. */
static int catch_up(struct store *s, int64_t rows)
{
	int64_t upto = atomic_load(&s->viewed);
	int err = s->read_only ? STORE_EROFS : view_catch_up(s->view, rows, s->next_seq, &upto);
	if (!err)
		atomic_store(&s->viewed, upto);
	return err;
}

int store_catch_up(struct store *s)
{
	const int64_t until = atomic_load(&s->entries); /* who writes on does not keep us waiting */
	int err = 0;
	while (!err && atomic_load(&s->viewed) < until) {
		lock_take(&s->commit_lock);
		if (atomic_load(&s->viewed) < s->next_seq)
			err = catch_up(s, BATCH);
		lock_give(&s->commit_lock);
	}
	/* A disk that takes no view still shows what the views have. */
	return err == STORE_ENOSPC || err == STORE_EROFS ? 0 : err;
}

int views_see_all(struct store *s)
{
	if (!(s->config.flags & STORE_OWNER)) { /* no keeper tells of what other processes append */
		tape_see_others(s);
	}
	return store_catch_up(s);
}

int views_reader(struct store *s, struct reader **r)
{
	int err = views_see_all(s);
	*r = err ? NULL : reader_get(s);
	return *r ? 0 : err ? err : STORE_EIO;
}

int views_before(struct store *s)
{
	int err = 0;
	while (!err && atomic_load(&s->viewed) < s->next_seq)
		err = catch_up(s, BATCH);
	return err;
}

int views_within(struct store *s, int64_t limit)
{
	return view_see(s->view, limit);
}

void views_seen(struct store *s, int64_t limit)
{
	atomic_store(&s->viewed, limit);
}

void views_undo(struct store *s)
{
	view_forget(s->view);
}

int views_snapshot(struct store *s, struct reader **r)
{
	int err = views_reader(s, r);
	if (err)
		return err;
	err = db_exec((*r)->db, "BEGIN");
	if (err)
		reader_put(s, *r);
	return err;
}

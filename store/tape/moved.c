/* SPDX-License-Identifier: MIT */
/* The database's file under an open memory (moved.h). */
#include "store/tape/moved.h"

#include <errno.h>

#include "store/tape/tape_state.h"

void moved_open(struct store *s)
{
	struct moved *m = &s->tape->moved;
	file_pin_set(&m->db, s->path, "");
	file_pin_set(&m->log, s->path, "-wal");
	file_pin_set(&m->index, s->path, "-shm");
}

void moved_close(struct store *s)
{
	file_pin_clear(&s->tape->moved.db);
	file_pin_clear(&s->tape->moved.log);
	file_pin_clear(&s->tape->moved.index);
}

static enum moved_how look(struct store *s)
{
	struct moved *m = &s->tape->moved;
	int error;
	if (file_id_left(s->path, &m->db.id, &error))
		return error ? MOVED_GONE : MOVED_REPLACED;
	if (m->db.id.ino != 0 && file_names(s->path) > 1)
		return MOVED_LINKED;
	return file_pin_left(&m->log) ? MOVED_LOG : file_pin_left(&m->index) ? MOVED_INDEX : MOVED_NOT;
}

static bool set_moved(struct store *s, enum moved_how how)
{
	int none = MOVED_NOT;
	(void)atomic_compare_exchange_strong(&s->tape->moved.how, &none, (int)how);
	atomic_store(&s->read_only, true);
	return true;
}

bool moved_look(struct store *s)
{
	enum moved_how how = MOVED_NOT;
	return atomic_load(&s->tape->moved.how) != MOVED_NOT ||
	       ((how = look(s)) != MOVED_NOT && set_moved(s, how));
}

/* True if the file or its log was cut short; where a commit goes on, with the next tick. */
static bool look_at_sizes(struct store *s)
{
	struct moved *m = &s->tape->moved;
	if (m->db.id.ino == 0 || s->read_only || !lock_try(&s->tape->commit_lock))
		return false;
	bool cut = db_is_cut(s->tape->db, s->path, &m->size);
	lock_give(&s->tape->commit_lock);
	return cut && set_moved(s, MOVED_CUT);
}

/* At the end SQLite would copy back, and remove by name, a log that may be another's by now. */
void moved_settle(struct store *s)
{
	lock_assert(&s->tape->commit_lock);
	(void)sqlite3_db_config(s->tape->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)NULL);
}

bool moved_takes_views(const struct store *s)
{
	lock_assert(&s->tape->commit_lock);
	return atomic_load(&s->tape->moved.how) != MOVED_NOT && !s->tape->moved.emptied;
}

static bool copy_back(struct store *s)
{
	int how = atomic_load(&s->tape->moved.how);
	if (atomic_load(&s->tape->durable.lost) || how == MOVED_CUT || how == MOVED_INDEX)
		return true; /* it cannot be trusted (durable.h), or is another's, too: it stays */
	return db_empty_wal(s->tape->db) == 0;
}

/* Invariant 2.  A reader may be in the way: then at a later tick. */
static void empty_log(struct store *s)
{
	struct moved *m = &s->tape->moved;
	if (m->emptied || !lock_try(&s->tape->commit_lock))
		return;
	m->emptied = copy_back(s);
	moved_settle(s);
	lock_give(&s->tape->commit_lock);
	int how = atomic_load(&m->how);
	if (m->emptied && (how == MOVED_GONE || how == MOVED_REPLACED)) {
		file_pin_unname(&m->log);
		file_pin_unname(&m->index);
	}
}

void moved_tick(struct store *s)
{
	char text[256];
	if (!moved_look(s) && !look_at_sizes(s))
		return;
	empty_log(s);
	if (s->tape->moved.told)
		return;
	s->tape->moved.told = true;
	moved_trouble(s, text, sizeof text);
	tape_tell(s, "DATABASE", "write", "/", text,
	          "`cinta rescue DIR NEW.db` writes all that is held here to a new file");
}

void moved_trouble(const struct store *s, char *text, size_t size)
{
#define SAVES " read-only now; `cinta rescue DIR NEW.db` saves what is still held"
	static const char *const says[] = {
		[MOVED_GONE] = "DATABASE GONE: its file was deleted or moved away:" SAVES,
		[MOVED_REPLACED] = "DATABASE GONE: another file was put in its place:" SAVES
			"; unmount before you restore",
		[MOVED_LINKED] = "DATABASE LINKED: its file has a second name, which does not know of its"
			" log: read-only now; remove that name, then unmount and mount",
		[MOVED_CUT] = "DATABASE CUT: its file, or DB-wal, was cut short:" SAVES
			"; then unmount and put a backup in its place",
		[MOVED_LOG] = "DATABASE GONE: its log, DB-wal, was deleted or replaced:" SAVES
			"; then unmount and mount",
		[MOVED_INDEX] = "DATABASE GONE: DB-shm, the index of its log, was deleted or replaced:"
			" read-only now; unmount and mount",
	};
	int how = s->tape ? atomic_load(&s->tape->moved.how) : MOVED_NOT;
	(void)snprintf(text, size, "%s", how == MOVED_NOT ? "" : says[how]);
}

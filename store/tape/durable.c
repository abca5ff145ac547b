/* SPDX-License-Identifier: MIT */
/* Syncing the WAL, and writing it anew when that has failed (durable.h). */
#include "store/tape/durable.h"

#include <stdlib.h>

#include "store/tape/tape_state.h"

enum { CHUNK = 1 << 16 };
#define TOLD_US INT64_C(3600000000)

void durable_failed(struct store *s)
{
	atomic_store(&s->tape->durable.failed_at, clock_since_boot());
	atomic_fetch_add(&s->tape->durable.failures, 1);
	atomic_store(&s->tape->durable.lost, true);
}

static int sync_wal(struct store *s, int flags)
{
	sqlite3_file *wal = s->tape->wal;
	return wal && wal->pMethods ? wal->pMethods->xSync(wal, flags) : SQLITE_IOERR;
}

/* The same bytes to the same places: readers of the WAL see no difference. */
static int write_anew(struct store *s)
{
	sqlite3_file *wal = s->tape->wal;
	sqlite3_int64 size = 0;
	if (!wal || !wal->pMethods)
		return SQLITE_IOERR;
	char *chunk = malloc(CHUNK);
	int rc = chunk ? wal->pMethods->xFileSize(wal, &size) : SQLITE_NOMEM;
	for (sqlite3_int64 at = 0; rc == SQLITE_OK && at < size; at += CHUNK) {
		int n = size - at < CHUNK ? (int)(size - at) : CHUNK;
		rc = wal->pMethods->xRead(wal, chunk, n, at);
		if (rc == SQLITE_OK)
			rc = wal->pMethods->xWrite(wal, chunk, n, at);
	}
	free(chunk);
	return rc == SQLITE_OK ? sync_wal(s, SQLITE_SYNC_NORMAL) : rc;
}

int durable_mend(struct store *s)
{
	lock_assert(&s->tape->commit_lock);
	if (!atomic_load(&s->tape->durable.lost))
		return 0;
	/* So that no other process writes to it or begins it anew. */
	if (db_exec(s->tape->db, "BEGIN IMMEDIATE"))
		return STORE_EROFS;
	lock_take(&s->tape->sync_lock);
	int rc = write_anew(s);
	if (rc == SQLITE_OK) {
		atomic_store(&s->tape->durable.lost, false);
		atomic_store(&s->tape->synced, s->tape->next_seq);
	}
	lock_give(&s->tape->sync_lock);
	db_rollback(s->tape->db);
	return rc == SQLITE_OK ? 0 : STORE_EROFS;
}

static int mend_now(struct store *s)
{
	lock_take(&s->tape->commit_lock);
	int err = durable_mend(s);
	lock_give(&s->tape->commit_lock);
	return err ? STORE_EIO : 0;
}

/* What FULL does after a commit, for all commits so far at once. */
int store_sync(struct store *s)
{
	int64_t entries = atomic_load(&s->tape->entries);
	int err = 0;
	if (moved_look(s))
		return STORE_EIO; /* nobody would find it again */
	if (atomic_load(&s->tape->durable.lost))
		return mend_now(s);
	if (atomic_load(&s->tape->synced) >= entries)
		return 0;
	lock_take(&s->tape->sync_lock);
	entries = atomic_load(&s->tape->entries);
	/* Another thread's sync may have failed just now: then ours would say what is not so. */
	if (!atomic_load(&s->tape->durable.lost) && atomic_load(&s->tape->synced) < entries) {
		err = db_error(sync_wal(s, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY));
		if (!err)
			atomic_store(&s->tape->synced, entries);
		else if (!s->read_only)
			durable_failed(s);
	}
	lock_give(&s->tape->sync_lock);
	return atomic_load(&s->tape->durable.lost) ? mend_now(s) : err;
}

static void durable_tell(struct store *s, bool mended)
{
	tape_tell(s, "SYNC", "fsync", "/", mended ?
	          "the disk did not take what was written; written anew, it is there" :
	          "the disk does not take what is written: the memory is read-only until it does",
	          mended ? "look at the disk (dmesg), and make a backup" :
	          "look at the disk (dmesg), and copy the database away while the daemon runs");
}

void durable_turn(struct store *s)
{
	int64_t failures = atomic_load(&s->tape->durable.failures);
	bool mended = !atomic_load(&s->tape->durable.lost) || mend_now(s) == 0;
	if (failures == s->tape->durable.told)
		return;
	s->tape->durable.told = failures;
	durable_tell(s, mended);
}

void durable_trouble(const struct store *s, char *text, size_t size)
{
	bool lost = atomic_load(&s->tape->durable.lost);
	text[0] = '\0';
	if (!lost && (atomic_load(&s->tape->durable.failures) == 0 ||
	              clock_since_boot() - atomic_load(&s->tape->durable.failed_at) > TOLD_US))
		return;
	(void)snprintf(text, size, "%s", lost ?
		"sync: the disk does not take what is written: read-only until it does (see errors.log)" :
		"sync: the disk failed once; what it had not taken was written anew (see errors.log)");
}

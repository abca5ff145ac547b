/* SPDX-License-Identifier: MIT */
/*
 * A transaction's frames, gathered and written by one call.  See wal.h.
 *
 *            ┌── a frame's header at the end ──┐
 *            │                                 ▼
 *       nothing held                    bytes [from, from + len) held ◄─┐ more pages and headers
 *            ▲                                 │                  └─────┘ behind them
 *            ├──── all written: the page of a commit frame; a read of them; a write elsewhere
 *            └──── dropped: the lock on writing comes or goes, or a header lies before their end
 *
 * Invariants
 *   1. The write that completes a commit frame returns when the system has taken all frames of its
 *      transaction, or returns the error and nothing is held.  SQLite tells others of a commit
 *      after that; so what is held is of no commit, and no other connection can want it.
 *   2. What is held lies where the transaction appends: without a gap, behind all of it.
 *   3. What is held belongs to who holds SQLite's lock on writing (slot 0 of the index), and goes
 *      with it: what was rolled back never gets over frames that others have written since.  Where
 *      no lock is taken, in exclusive mode, nobody else writes, and the next header lies at `from`
 *      or before.
 *   4. A write that failed before the commit leaves held what was held: nobody commits past it.
 *   5. The connection that writes reads what it has written.
 *   6. What was written or dropped is not kept: texts are in it, and may be redacted.
 *   7. A sync needs nothing that is held (1): it may come from any thread, by db_wal().
 *
 * All else goes straight through: other files (not even their methods are ours), the log's own
 * header, frames that are written over (a page twice in a transaction; their checksums then), and
 * what has no room.  But for 7 a file is used by one thread at a time, as SQLite's connections are.
 */
#include "store/wal/wal.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/base.h"

enum {
	LOG_HEADER = 32,   /* of the log; its page size stands at 8, big endian (fileformat2.html) */
	FRAME_HEADER = 24, /* at 4 the size of the database: a commit; 0: none */
	WRITING = 0,       /* the slot of the index that who writes has locked */
	ROOM = 1 << 14,    /* bytes held, at first … */
	MOST = 0x1ffff     /* … and at most: SQLite's own VFS writes no more at once */
};

/* A log, and the system's file behind this struct in the same block. */
struct log {
	sqlite3_file base;
	sqlite3_file *real;
	struct main_file *of;
	unsigned char *held;
	sqlite3_int64 from; /* where that goes */
	sqlite3_int64 end;  /* behind all that the transaction wrote or holds; 0: not known */
	int len, room;
	int page;           /* bytes of a frame's page, 0: not known */
	bool commits;       /* the newest header is a commit's */
};

/* A database, likewise: for its lock on writing. */
struct main_file {
	sqlite3_file base;
	sqlite3_file *real;
	struct log *log; /* NULL: not open */
};

static struct {
	sqlite3_vfs vfs;
	sqlite3_vfs *real;
	bool good;
	pthread_once_t once;
} shim = { .once = PTHREAD_ONCE_INIT };

/* A file that may not grow (`ulimit -f`) is to its memory what a full disk is. */
static int write_real(sqlite3_file *f, const void *bytes, int size, sqlite3_int64 at)
{
	int rc = f->pMethods->xWrite(f, bytes, size, at), err = 0;
	if (rc == SQLITE_IOERR_WRITE &&
	    f->pMethods->xFileControl(f, SQLITE_FCNTL_LAST_ERRNO, &err) == SQLITE_OK && err == EFBIG)
		return SQLITE_FULL;
	return rc;
}

/* ---- what is held ------------------------------------------------------ */

/* The first `len` bytes stay. */
static void keep_only(struct log *l, int len)
{
	if (len >= l->len)
		return;
	memset(l->held + len, 0, (size_t)(l->len - len));
	l->len = len;
}

static int write_held(struct log *l)
{
	if (l->len == 0)
		return SQLITE_OK;
	int rc = write_real(l->real, l->held, l->len, l->from);
	if (rc == SQLITE_OK || l->commits)
		keep_only(l, 0);
	return rc;
}

static bool make_room(struct log *l, int len)
{
	int room = l->room ? l->room : ROOM;
	while (room < len)
		room *= 2;
	if (room == l->room)
		return true;
	unsigned char *bytes = malloc((size_t)room);
	if (!bytes)
		return false;
	if (l->len > 0)
		memcpy(bytes, l->held, (size_t)l->len);
	free(l->held); /* which clears it (wipe.c) */
	l->held = bytes;
	l->room = room;
	return true;
}

/* False: it is not to be held. */
static bool hold(struct log *l, const void *bytes, int size, sqlite3_int64 at)
{
	if ((l->len > 0 && at != l->from + l->len) || size > MOST - l->len ||
	    !make_room(l, l->len + size))
		return false;
	if (l->len == 0)
		l->from = at;
	memcpy(l->held + l->len, bytes, (size_t)size);
	l->len += size;
	return true;
}

static int write_through(struct log *l, const void *bytes, int size, sqlite3_int64 at)
{
	int rc = write_held(l);
	return rc == SQLITE_OK ? write_real(l->real, bytes, size, at) : rc;
}

/* ---- frames ------------------------------------------------------------ */

static int number_at(const unsigned char *bytes)
{
	return (int)((unsigned)bytes[0] << 24 | (unsigned)bytes[1] << 16 | (unsigned)bytes[2] << 8 |
	             (unsigned)bytes[3]);
}

static bool knows_page(struct log *l)
{
	unsigned char header[LOG_HEADER];
	if (l->page == 0 && l->real->pMethods->xRead(l->real, header, LOG_HEADER, 0) == SQLITE_OK)
		l->page = number_at(header + 8);
	return l->page > 0;
}

static bool is_frame_header(struct log *l, int size, sqlite3_int64 at)
{
	return size == FRAME_HEADER && at >= LOG_HEADER && knows_page(l) &&
	       (at - LOG_HEADER) % (FRAME_HEADER + l->page) == 0;
}

static int write_frame_header(struct log *l, const void *bytes, sqlite3_int64 at)
{
	bool over = l->len == 0 && at < l->end; /* a frame that was written */
	if (l->len > 0 && at < l->end) { /* the transaction, or the next one, begins again here */
		keep_only(l, at > l->from ? (int)(at - l->from) : 0);
		l->end = at;
	}
	l->commits = number_at((const unsigned char *)bytes + 4) != 0;
	if (!over && hold(l, bytes, FRAME_HEADER, at))
		return SQLITE_OK;
	return write_through(l, bytes, FRAME_HEADER, at);
}

static int write_frame(struct log *l, const void *bytes, int size, sqlite3_int64 at)
{
	if (is_frame_header(l, size, at))
		return write_frame_header(l, bytes, at);
	if (l->len == 0 || !hold(l, bytes, size, at))
		return write_through(l, bytes, size, at);
	return l->commits ? write_held(l) : SQLITE_OK;
}

/* ---- a log's methods --------------------------------------------------- */

static struct log *log_of(sqlite3_file *f)
{
	return (struct log *)f;
}

static int log_close(sqlite3_file *f)
{
	struct log *l = log_of(f);
	if (l->of)
		l->of->log = NULL;
	free(l->held);
	l->held = NULL;
	return l->real->pMethods->xClose(l->real);
}

static int log_read(sqlite3_file *f, void *dst, int size, sqlite3_int64 at)
{
	struct log *l = log_of(f);
	int rc = l->len > 0 && at < l->from + l->len && at + size > l->from ? write_held(l) : SQLITE_OK;
	return rc == SQLITE_OK ? l->real->pMethods->xRead(l->real, dst, size, at) : rc;
}

static int log_write(sqlite3_file *f, const void *bytes, int size, sqlite3_int64 at)
{
	struct log *l = log_of(f);
	if (at < LOG_HEADER) { /* it begins anew */
		l->page = 0;
		l->end = LOG_HEADER;
		return write_through(l, bytes, size, at);
	}
	int rc = write_frame(l, bytes, size, at);
	if (rc == SQLITE_OK && at + size > l->end)
		l->end = at + size;
	return rc;
}

static int log_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	struct log *l = log_of(f);
	int rc = write_held(l);
	return rc == SQLITE_OK ? l->real->pMethods->xTruncate(l->real, size) : rc;
}

static int log_sync(sqlite3_file *f, int flags)
{
	return log_of(f)->real->pMethods->xSync(log_of(f)->real, flags);
}

static int log_size(sqlite3_file *f, sqlite3_int64 *size)
{
	struct log *l = log_of(f);
	int rc = write_held(l);
	return rc == SQLITE_OK ? l->real->pMethods->xFileSize(l->real, size) : rc;
}

static int log_lock(sqlite3_file *f, int level)
{
	return log_of(f)->real->pMethods->xLock(log_of(f)->real, level);
}

static int log_unlock(sqlite3_file *f, int level)
{
	return log_of(f)->real->pMethods->xUnlock(log_of(f)->real, level);
}

static int log_reserved(sqlite3_file *f, int *out)
{
	return log_of(f)->real->pMethods->xCheckReservedLock(log_of(f)->real, out);
}

static int log_control(sqlite3_file *f, int op, void *arg)
{
	return log_of(f)->real->pMethods->xFileControl(log_of(f)->real, op, arg);
}

static int log_sector(sqlite3_file *f)
{
	return log_of(f)->real->pMethods->xSectorSize(log_of(f)->real);
}

static int log_traits(sqlite3_file *f)
{
	return log_of(f)->real->pMethods->xDeviceCharacteristics(log_of(f)->real);
}

static const sqlite3_io_methods log_methods = {
	.iVersion = 1,
	.xClose = log_close,
	.xRead = log_read,
	.xWrite = log_write,
	.xTruncate = log_truncate,
	.xSync = log_sync,
	.xFileSize = log_size,
	.xLock = log_lock,
	.xUnlock = log_unlock,
	.xCheckReservedLock = log_reserved,
	.xFileControl = log_control,
	.xSectorSize = log_sector,
	.xDeviceCharacteristics = log_traits,
};

/* ---- a database's methods: all but one go straight through -------------- */

static struct main_file *main_of(sqlite3_file *f)
{
	return (struct main_file *)f;
}

static int main_close(sqlite3_file *f)
{
	return main_of(f)->real->pMethods->xClose(main_of(f)->real);
}

static int main_read(sqlite3_file *f, void *dst, int size, sqlite3_int64 at)
{
	return main_of(f)->real->pMethods->xRead(main_of(f)->real, dst, size, at);
}

static int main_write(sqlite3_file *f, const void *bytes, int size, sqlite3_int64 at)
{
	return write_real(main_of(f)->real, bytes, size, at);
}

static int main_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	return main_of(f)->real->pMethods->xTruncate(main_of(f)->real, size);
}

static int main_sync(sqlite3_file *f, int flags)
{
	return main_of(f)->real->pMethods->xSync(main_of(f)->real, flags);
}

static int main_size(sqlite3_file *f, sqlite3_int64 *size)
{
	return main_of(f)->real->pMethods->xFileSize(main_of(f)->real, size);
}

static int main_lock(sqlite3_file *f, int level)
{
	return main_of(f)->real->pMethods->xLock(main_of(f)->real, level);
}

static int main_unlock(sqlite3_file *f, int level)
{
	return main_of(f)->real->pMethods->xUnlock(main_of(f)->real, level);
}

static int main_reserved(sqlite3_file *f, int *out)
{
	return main_of(f)->real->pMethods->xCheckReservedLock(main_of(f)->real, out);
}

static int main_control(sqlite3_file *f, int op, void *arg)
{
	return main_of(f)->real->pMethods->xFileControl(main_of(f)->real, op, arg);
}

static int main_sector(sqlite3_file *f)
{
	return main_of(f)->real->pMethods->xSectorSize(main_of(f)->real);
}

static int main_traits(sqlite3_file *f)
{
	return main_of(f)->real->pMethods->xDeviceCharacteristics(main_of(f)->real);
}

static int main_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
	return main_of(f)->real->pMethods->xShmMap(main_of(f)->real, page, size, extend, out);
}

static int main_shm_lock(sqlite3_file *f, int at, int n, int flags)
{
	struct log *l = main_of(f)->log;
	if (l && at <= WRITING && (flags & SQLITE_SHM_EXCLUSIVE)) {
		keep_only(l, 0);
		l->end = 0;
	}
	return main_of(f)->real->pMethods->xShmLock(main_of(f)->real, at, n, flags);
}

static void main_shm_barrier(sqlite3_file *f)
{
	main_of(f)->real->pMethods->xShmBarrier(main_of(f)->real);
}

static int main_shm_unmap(sqlite3_file *f, int remove)
{
	return main_of(f)->real->pMethods->xShmUnmap(main_of(f)->real, remove);
}

/* Version 2: no pages by mmap, which db_harden() forbids too. */
static const sqlite3_io_methods main_methods = {
	.iVersion = 2,
	.xClose = main_close,
	.xRead = main_read,
	.xWrite = main_write,
	.xTruncate = main_truncate,
	.xSync = main_sync,
	.xFileSize = main_size,
	.xLock = main_lock,
	.xUnlock = main_unlock,
	.xCheckReservedLock = main_reserved,
	.xFileControl = main_control,
	.xSectorSize = main_sector,
	.xDeviceCharacteristics = main_traits,
	.xShmMap = main_shm_map,
	.xShmLock = main_shm_lock,
	.xShmBarrier = main_shm_barrier,
	.xShmUnmap = main_shm_unmap,
};

/* ---- opening ----------------------------------------------------------- */

static int open_main(const char *name, sqlite3_file *f, int flags, int *out)
{
	struct main_file *m = main_of(f);
	*m = (struct main_file){ .real = (sqlite3_file *)(m + 1) };
	int rc = shim.real->xOpen(shim.real, name, m->real, flags, out);
	f->pMethods = m->real->pMethods ? &main_methods : NULL;
	return rc;
}

static int open_log(struct main_file *m, const char *name, sqlite3_file *f, int flags, int *out)
{
	struct log *l = log_of(f);
	f->pMethods = NULL;
	if (!file_pin_holds(name)) /* it would be made anew, empty, or is another database's */
		return SQLITE_CANTOPEN;
	*l = (struct log){ .real = (sqlite3_file *)(l + 1), .of = m };
	int rc = shim.real->xOpen(shim.real, name, l->real, flags, out);
	f->pMethods = l->real->pMethods ? &log_methods : NULL;
	m->log = f->pMethods ? l : NULL;
	return rc;
}

static int shim_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out)
{
	(void)vfs;
	if (name && (flags & SQLITE_OPEN_MAIN_DB))
		return open_main(name, f, flags, out);
	if (name && (flags & SQLITE_OPEN_WAL)) {
		sqlite3_file *of = sqlite3_database_file_object(name);
		if (of->pMethods == &main_methods)
			return open_log(main_of(of), name, f, flags, out);
	}
	return shim.real->xOpen(shim.real, name, f, flags, out);
}

static void set_up(void)
{
	_Static_assert(sizeof(struct log) % _Alignof(sqlite3_int64) == 0 &&
	               sizeof(struct main_file) % _Alignof(sqlite3_int64) == 0,
	               "the system's file follows");
	/* Nobody asks how much memory SQLite has, and counting it is one lock for all connections. */
	(void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	shim.real = sqlite3_vfs_find(NULL);
	if (!shim.real)
		return;
	shim.vfs = *shim.real; /* what does not open a file stays as it is */
	shim.vfs.zName = "cinta";
	shim.vfs.szOsFile = (int)sizeof(struct log) + shim.real->szOsFile;
	shim.vfs.xOpen = shim_open;
	shim.vfs.pNext = NULL;
	shim.good = sqlite3_vfs_register(&shim.vfs, 0) == SQLITE_OK;
}

const char *wal_vfs(void)
{
	(void)pthread_once(&shim.once, set_up);
	return shim.good ? shim.vfs.zName : NULL;
}

bool wal_vfs_is_open(sqlite3 *db)
{
	sqlite3_file *file = NULL;
	(void)sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
	return file && file->pMethods == &log_methods;
}

sqlite3_file *db_wal(sqlite3 *db)
{
	sqlite3_file *file = NULL;
	(void)sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
	return file && file->pMethods == &log_methods ? log_of(file)->real : file;
}

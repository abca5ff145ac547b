/* SPDX-License-Identifier: MIT */
/* The failing disk; see fault_vfs.h.  All but three methods go straight through. */
#include "tests/fault/fault_vfs.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file {
	sqlite3_file base;
	sqlite3_file *real; /* behind this struct, in the same block */
	bool watched;
};

/* The watched file: its bytes on the disk, and which of the newer ones are still to go there. */
enum { WATCHED_MOST = 8 << 20 };
static struct {
	const char *ending;
	char *on_disk;
	bool *waits; /* a byte a byte */
	size_t size; /* on the disk */
} watch;

static struct {
	sqlite3_vfs vfs;
	sqlite3_vfs *real;
	_Atomic unsigned ops;
	_Atomic int64_t left; /* operations until it fails; 0: never */
	_Atomic int rc;
	_Atomic bool stays, struck;
} disk;

void fault_arm(unsigned ops, int64_t n, int rc, bool stays)
{
	atomic_store(&disk.left, 0);
	atomic_store(&disk.ops, ops);
	atomic_store(&disk.rc, rc);
	atomic_store(&disk.stays, stays);
	atomic_store(&disk.struck, false);
	atomic_store(&disk.left, n);
}

bool fault_struck(void)
{
	return atomic_load(&disk.struck);
}

static bool fails(unsigned op)
{
	if (!(atomic_load(&disk.ops) & op) || atomic_load(&disk.left) <= 0)
		return false;
	int64_t left = atomic_fetch_sub(&disk.left, 1);
	if (left > 1)
		return false;
	atomic_store(&disk.left, atomic_load(&disk.stays) ? 1 : 0);
	atomic_store(&disk.struck, true);
	return true;
}

static sqlite3_file *real_of(sqlite3_file *f)
{
	return ((struct file *)f)->real;
}

static int do_close(sqlite3_file *f)
{
	return real_of(f)->pMethods->xClose(real_of(f));
}

static int do_read(sqlite3_file *f, void *dst, int size, sqlite3_int64 at)
{
	return real_of(f)->pMethods->xRead(real_of(f), dst, size, at);
}

void fault_watch(const char *ending)
{
	free(watch.on_disk);
	free(watch.waits);
	memset(&watch, 0, sizeof watch);
	watch.ending = ending;
	if (!ending)
		return;
	watch.on_disk = calloc(WATCHED_MOST, 1);
	watch.waits = calloc(WATCHED_MOST, sizeof *watch.waits);
}

bool fault_cut(const char *path)
{
	FILE *f = fopen(path, "w");
	bool ok = f && fwrite(watch.on_disk, 1, watch.size, f) == watch.size;
	return f && fclose(f) == 0 && ok;
}

static void note_written(const sqlite3_file *f, size_t at, size_t size)
{
	if (((const struct file *)f)->watched && at + size <= WATCHED_MOST)
		memset(watch.waits + at, true, size);
}

/* A sync that failed leaves nothing to be written: the kernel takes the pages for clean. */
static void note_synced(sqlite3_file *f, bool worked)
{
	if (!((struct file *)f)->watched)
		return;
	for (size_t i = 0; i < WATCHED_MOST; i++) {
		if (!watch.waits[i])
			continue;
		size_t n = 0;
		while (i + n < WATCHED_MOST && watch.waits[i + n])
			n++;
		memset(watch.waits + i, false, n);
		if (worked && real_of(f)->pMethods->xRead(real_of(f), watch.on_disk + i, (int)n,
		                                          (sqlite3_int64)i) == SQLITE_OK &&
		    i + n > watch.size)
			watch.size = i + n;
		i += n;
	}
}

static int do_write(sqlite3_file *f, const void *src, int size, sqlite3_int64 at)
{
	if (fails(FAULT_WRITE))
		return atomic_load(&disk.rc);
	if (fails(FAULT_TORN)) {
		(void)real_of(f)->pMethods->xWrite(real_of(f), src, size / 2, at);
		return atomic_load(&disk.rc);
	}
	int rc = real_of(f)->pMethods->xWrite(real_of(f), src, size, at);
	if (rc == SQLITE_OK)
		note_written(f, (size_t)at, (size_t)size);
	return rc;
}

static int do_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	if (fails(FAULT_TRUNCATE))
		return atomic_load(&disk.rc);
	return real_of(f)->pMethods->xTruncate(real_of(f), size);
}

static int do_sync(sqlite3_file *f, int flags)
{
	if (fails(FAULT_SYNC)) {
		note_synced(f, false);
		return atomic_load(&disk.rc);
	}
	int rc = real_of(f)->pMethods->xSync(real_of(f), flags);
	note_synced(f, rc == SQLITE_OK);
	return rc;
}

static int do_size(sqlite3_file *f, sqlite3_int64 *size)
{
	return real_of(f)->pMethods->xFileSize(real_of(f), size);
}

static int do_lock(sqlite3_file *f, int level)
{
	return real_of(f)->pMethods->xLock(real_of(f), level);
}

static int do_unlock(sqlite3_file *f, int level)
{
	return real_of(f)->pMethods->xUnlock(real_of(f), level);
}

static int do_check(sqlite3_file *f, int *out)
{
	return real_of(f)->pMethods->xCheckReservedLock(real_of(f), out);
}

static int do_control(sqlite3_file *f, int op, void *arg)
{
	return real_of(f)->pMethods->xFileControl(real_of(f), op, arg);
}

static int do_sector(sqlite3_file *f)
{
	return real_of(f)->pMethods->xSectorSize(real_of(f));
}

static int do_traits(sqlite3_file *f)
{
	return real_of(f)->pMethods->xDeviceCharacteristics(real_of(f));
}

static int do_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
	return real_of(f)->pMethods->xShmMap(real_of(f), page, size, extend, out);
}

static int do_shm_lock(sqlite3_file *f, int at, int n, int flags)
{
	return real_of(f)->pMethods->xShmLock(real_of(f), at, n, flags);
}

static void do_shm_barrier(sqlite3_file *f)
{
	real_of(f)->pMethods->xShmBarrier(real_of(f));
}

static int do_shm_unmap(sqlite3_file *f, int remove)
{
	return real_of(f)->pMethods->xShmUnmap(real_of(f), remove);
}

static const sqlite3_io_methods methods = {
	.iVersion = 2,
	.xClose = do_close,
	.xRead = do_read,
	.xWrite = do_write,
	.xTruncate = do_truncate,
	.xSync = do_sync,
	.xFileSize = do_size,
	.xLock = do_lock,
	.xUnlock = do_unlock,
	.xCheckReservedLock = do_check,
	.xFileControl = do_control,
	.xSectorSize = do_sector,
	.xDeviceCharacteristics = do_traits,
	.xShmMap = do_shm_map,
	.xShmLock = do_shm_lock,
	.xShmBarrier = do_shm_barrier,
	.xShmUnmap = do_shm_unmap,
};

static int do_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out)
{
	struct file *file = (struct file *)f;
	(void)vfs;
	memset(file, 0, sizeof *file);
	file->real = (sqlite3_file *)(file + 1);
	int rc = disk.real->xOpen(disk.real, name, file->real, flags, out);
	file->base.pMethods = file->real->pMethods ? &methods : NULL;
	size_t len = name ? strlen(name) : 0, tail = watch.ending ? strlen(watch.ending) : 0;
	file->watched = tail && len >= tail && strcmp(name + len - tail, watch.ending) == 0;
	return rc;
}

void fault_vfs_install(void)
{
	disk.real = sqlite3_vfs_find(NULL);
	disk.vfs = *disk.real; /* what does not touch an open file stays as it is */
	disk.vfs.zName = "fault";
	disk.vfs.szOsFile = (int)sizeof(struct file) + disk.real->szOsFile;
	disk.vfs.xOpen = do_open;
	disk.vfs.pNext = NULL;
	sqlite3_vfs_register(&disk.vfs, 1);
}

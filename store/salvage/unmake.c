/* SPDX-License-Identifier: MIT */
/*
 * A memory that was made a moment ago, for a mount that then failed: taken back, with its key.
 * Called by who made it and holds its lock; takes away nothing that holds a second entry.
 */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "store/db/db.h"
#include "store/proof/proof.h"
#include "store/store.h"

int store_key_file(const char *key_dir, const char *origin, char *dst, size_t size)
{
	char dir[PATH_MAX];
	int err = key_dir ? 0 : key_dir_default(dir, sizeof dir);
	return err ? err : key_path(key_dir ? key_dir : dir, origin, dst, size);
}

/* Whose key it is; STORE_EBUSY: somebody has written already. */
static int read_made(const char *path, char origin[FIELD_MAX + 1])
{
	sqlite3 *db = NULL;
	origin[0] = '\0';
	int err = db_error(db_open_file(path, SQLITE_OPEN_READONLY, &db));
	/* Failed before its tables were there: then it holds nothing at all. */
	bool tables = !err && db_int(db, "SELECT count(*) FROM sqlite_schema", -1) > 0;
	if (tables && db_int(db, "SELECT count(*) FROM tape", 2) > 1)
		err = STORE_EBUSY;
	sqlite3_stmt *q = tables && !err ? db_prepare(db, "SELECT CASE WHEN json_valid(body) THEN"
		" json_extract(body, '$.origin') END FROM tape WHERE seq = 0") : NULL;
	if (q && sqlite3_step(q) == SQLITE_ROW)
		(void)snprintf(origin, FIELD_MAX + 1, "%s", db_text(q, 0));
	sqlite3_finalize(q);
	sqlite3_close(db);
	return err;
}

int store_unmake(const char *path, const char *key_dir)
{
	static const char *const parts[] = { "-wal", "-shm", ".checkpoint", ".side", ".side-wal",
		".side-shm", ".side-journal", ".search", ".search-wal", ".search-shm", ".vectors",
		".vectors-wal", ".vectors-shm", ".server", ".log" };
	char origin[FIELD_MAX + 1], told[FIELD_MAX + 1], file[PATH_MAX + 64];
	int err = read_made(path, origin);
	if (err)
		return err;
	if (origin[0] && mine_get(key_dir, path, told, file, sizeof file) == 0 &&
	    strcmp(told, origin) == 0)
		(void)unlink(file);
	if (origin[0] && store_key_file(key_dir, origin, file, PATH_MAX) == 0)
		(void)unlink(file);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if ((size_t)snprintf(file, sizeof file, "%s%s", path, parts[i]) < sizeof file)
			(void)unlink(file);
	return unlink(path) == 0 ? 0 : STORE_EROFS;
}

/* SPDX-License-Identifier: MIT */
/*
 * records/: two logs of fixed names, and beside them what tools make in order to rename it onto
 * one (rsync).  A listing has the logs at even places, as a document would have, then scratch.
 */
#include "fs/logs/logs.h"

#include <errno.h>

#include "fs/internal.h"

int find_record(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	int err = find_fixed(fs, dir, name, ino);
	return err == -ENOENT ? find_document(fs, dir, name, ino) : err;
}

int next_record(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
                uint64_t *ino)
{
	int64_t at = *cursor / 2;
	if (*cursor % 2 == 0 && next_fixed(fs, dir, &at, name, ino) == 1) {
		*cursor += 2;
		return 1;
	}
	return next_document(fs, dir, cursor, name, ino);
}

int find_record_at(struct fs *fs, uint64_t dir, int64_t time_us, const char *name, uint64_t *ino)
{
	(void)time_us;
	return find_fixed(fs, dir, name, ino);
}

int next_record_at(struct fs *fs, uint64_t dir, int64_t time_us, int64_t *after,
                   char name[NAME_LIMIT + 1], uint64_t *ino)
{
	(void)time_us;
	return next_fixed(fs, dir, after, name, ino);
}

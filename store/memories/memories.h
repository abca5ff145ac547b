/* SPDX-License-Identifier: MIT */
/*
 * How often memories were used, and when last: counts in PATH.side and, until they are written
 * there, in the store.  store/memories.h counts; the maintenance thread and store_close() write.
 * v_access in the memory's file is a copy for the SQL view cto_memory: nothing here reads it.
 */
#ifndef CINTA_ACCESS_H
#define CINTA_ACCESS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;
struct reader;

struct access {
	int64_t doc, uses, last_us;
};
/* When it was used last, 0: not known, as of a use by a clock that is ahead of `now`. */
int64_t access_last(int64_t last_us, int64_t now);

/* What is counted and not written yet, guarded by the lock of PATH.side. */
int access_new(struct store *s);
void access_close(struct store *s);
/*
 * Writes what waits, and the copy; what fails is tried again the next time.  Takes the lock of
 * PATH.side.
 */
int access_flush(struct store *s);
/* All that is counted, by document, malloc'ed for the caller.  Takes the lock of PATH.side. */
int access_load(struct store *s, struct access **out, size_t *count);

/*
 * Two stamps are equal if no count changed between them, here or in the file by another program.
 * Takes the lock of PATH.side.
 */
struct access_stamp {
	uint64_t counted;
	int64_t file;
};
struct access_stamp access_stamp(struct store *s);

/* access_copy.c: v_access becomes these counts, sorted by document.  Takes the commit lock. */
int access_copy(struct store *s, const struct access *of, size_t count);
/* The same in a file that nobody else writes; and there from the counts beside it. */
int access_copy_to(sqlite3 *db, const struct access *of, size_t count);
int access_copy_file(sqlite3 *db, const char *path);

/* ranking.c; its struct is guarded by the lock of what is kept of memories (store/life/kept.h). */
int ranking_new(struct store *s);
void ranking_free(struct store *s);
struct scoring;
struct best {
	int64_t id, uses, used_us;
	double total; /* its score when nothing is asked */
};
/*
 * The best `limit` (1 or more) memories of any owner that can be chosen at a time, best first, as
 * the reader's transaction has them: those that all scores together would put first.  *most: uses
 * of the one most used.  `out` has room for `limit`; *count of them are set.
 */
int ranking_best(struct store *s, struct reader *r, const struct scoring *by, int64_t now,
                 size_t limit, struct best *out, size_t *count, int64_t *most);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Whether the pages of a file are sound: SQLite's own check, and the list of free pages
 * (sqlite.org/fileformat2.html, 1.5), in the file or in its log's frames.  SQLite 3.40 leaves that
 * out where a view comes first in its table of names; and a page that the list names wrongly is
 * overwritten by what is written next.
 */
#include <stdlib.h>
#include <string.h>

#include "store/array.h"
#include "store/db/db.h"
#include "store/db/still.h"
#include "store/store.h"

enum {
	LOG_HEAD = 32, FRAME_HEAD = 24,
	LOG_MAGIC = 0x377f0682, /* + 1: its sums are of big-endian words */
	LIST_AT = 32,           /* in the first page: the first trunk, then how many pages are free */
	TRIES = 5,
	PAGE_LEAST = 512, PAGE_MOST = 65536
};

struct frame {
	uint32_t page;
	int64_t at;
};

struct look {
	sqlite3_file *file, *log; /* log: NULL, there is none */
	uint32_t size;            /* bytes of a page */
	uint8_t *page;            /* one page */
	uint8_t *seen;            /* a bit a page */
	uint32_t pages;           /* how many the file has */
	struct frame *frames;     /* of committed transactions, in the log's order */
	size_t count, room;
	uint8_t head[LOG_HEAD];   /* the log's: other salts, another log */
};

static uint32_t big(const uint8_t *b)
{
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static bool read_bytes(sqlite3_file *f, void *dst, uint32_t len, int64_t at)
{
	return f && f->pMethods && f->pMethods->xRead(f, dst, (int)len, at) == SQLITE_OK;
}

/* ---- the log -------------------------------------------------------------------- */

/* Goes on with a sum over `len` bytes, a multiple of 8. */
static void add_sum(uint32_t sum[2], bool big_words, const uint8_t *b, size_t len)
{
	for (size_t i = 0; i + 8 <= len; i += 8) {
		uint32_t word[2];
		memcpy(word, b + i, sizeof word);
		for (int k = 0; k < 2; k++)
			if (big_words)
				word[k] = big(b + i + 4 * k);
		sum[0] += word[0] + sum[1];
		sum[1] += word[1] + sum[0];
	}
}

static bool is_sum(const uint32_t sum[2], const uint8_t *b)
{
	return sum[0] == big(b) && sum[1] == big(b + 4);
}

/* Frames up to the last commit, as SQLite itself takes them.  False: no memory. */
static bool read_log(struct look *l)
{
	uint8_t head[FRAME_HEAD];
	uint32_t sum[2] = { 0, 0 };
	size_t committed = 0;
	l->count = 0;
	memset(l->head, 0, sizeof l->head);
	if (!read_bytes(l->log, l->head, LOG_HEAD, 0))
		return true;
	bool big_words = big(l->head) & 1;
	add_sum(sum, big_words, l->head, LOG_HEAD - 8);
	if ((big(l->head) & ~1U) != LOG_MAGIC || big(l->head + 8) != l->size ||
	    !is_sum(sum, l->head + LOG_HEAD - 8))
		return true;
	for (int64_t at = LOG_HEAD;; at += FRAME_HEAD + (int64_t)l->size) {
		if (!read_bytes(l->log, head, FRAME_HEAD, at) ||
		    !read_bytes(l->log, l->page, l->size, at + FRAME_HEAD) ||
		    memcmp(head + 8, l->head + 16, 8) != 0)
			break;
		add_sum(sum, big_words, head, 8);
		add_sum(sum, big_words, l->page, l->size);
		if (!is_sum(sum, head + 16))
			break;
		if (!ARRAY_ROOM(l->frames, l->room, l->count))
			return false;
		l->frames[l->count++] = (struct frame){ big(head), at + FRAME_HEAD };
		if (big(head + 4) != 0)
			committed = l->count;
	}
	l->count = committed;
	return true;
}

/* ---- pages ---------------------------------------------------------------------- */

static bool read_page(struct look *l, uint32_t page)
{
	for (size_t i = l->count; i > 0; i--)
		if (l->frames[i - 1].page == page)
			return read_bytes(l->log, l->page, l->size, l->frames[i - 1].at);
	return read_bytes(l->file, l->page, l->size, ((int64_t)page - 1) * l->size);
}

/* True if it can be free, and was not listed before. */
static bool page_take(struct look *l, uint32_t page)
{
	if (page < 2 || page > l->pages || l->seen[page / 8] & 1 << page % 8)
		return false;
	l->seen[page / 8] |= (uint8_t)(1 << page % 8);
	return true;
}

/* False: damaged. */
static bool follow(struct look *l, char *said, size_t size)
{
	uint32_t next = big(l->page + LIST_AT), count = big(l->page + LIST_AT + 4), found = 0;
	for (uint32_t trunk; (trunk = next) != 0; found++) {
		bool good = page_take(l, trunk) && read_page(l, trunk);
		uint32_t leaves = good ? big(l->page + 4) : 0;
		next = good ? big(l->page) : 0;
		good = good && leaves <= l->size / 4 - 2;
		for (uint32_t i = 0; good && i < leaves; i++)
			good = page_take(l, big(l->page + 8 + 4 * (size_t)i));
		if (!good) {
			(void)snprintf(said, size, "the list of free pages is damaged at page %u", trunk);
			return false;
		}
		found += leaves;
	}
	if (found != count)
		(void)snprintf(said, size, "the list of free pages has %u, the file's header says %u",
		               found, count);
	return found == count;
}

static int64_t pages_of(struct look *l)
{
	sqlite3_int64 bytes = 0;
	if (l->file->pMethods->xFileSize(l->file, &bytes) != SQLITE_OK)
		return 0;
	int64_t pages = bytes / l->size;
	for (size_t i = 0; i < l->count; i++)
		pages = l->frames[i].page > pages ? l->frames[i].page : pages;
	return pages;
}

/* One look.  *settled: nobody has written meanwhile, so what it says holds. */
static bool look_once(struct look *l, bool *settled, char *said, size_t size)
{
	uint8_t head[LOG_HEAD];
	*settled = true;
	if (!read_log(l))
		return true;
	size_t frames = l->count;
	memcpy(head, l->head, sizeof head);
	int64_t pages = pages_of(l);
	l->pages = pages < UINT32_MAX - 8 ? (uint32_t)pages : 0;
	free(l->seen);
	l->seen = calloc(l->pages / 8 + 1, 1);
	bool sound = !l->seen || !read_page(l, 1) || follow(l, said, size);
	*settled = sound || (read_log(l) && l->count == frames && memcmp(head, l->head, LOG_HEAD) == 0);
	return sound;
}

/*
 * Follows the list as it is now, through SQLite's own files and without a lock: while others write
 * it looks again some times, and then lets it be.  False: it is damaged, `said` says how.
 */
static bool free_list_sound(sqlite3 *db, char *said, size_t size)
{
	struct look l = { .size = (uint32_t)db_int(db, "PRAGMA page_size", 0) };
	bool sound = true, settled = false;
	(void)sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &l.file);
	(void)sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &l.log);
	if (!l.file || !l.file->pMethods || l.size < PAGE_LEAST || l.size > PAGE_MOST)
		return true;
	l.page = malloc(l.size);
	for (int i = 0; l.page && !settled && i < TRIES; i++)
		sound = look_once(&l, &settled, said, size);
	free(l.page);
	free(l.seen);
	free(l.frames);
	return sound || !settled;
}

int db_look_at_pages(sqlite3 *db, const char *check, bool *sound, char *said, size_t size)
{
	sqlite3_stmt *q = db_prepare(db, check);
	int rc = q ? sqlite3_step(q) : sqlite3_errcode(db);
	*sound = rc == SQLITE_ROW && strcmp(db_text(q, 0), "ok") == 0;
	const char *text = rc == SQLITE_ROW ? db_text(q, 0) : sqlite3_errmsg(db);
	const char *below = strncmp(text, "***", 3) == 0 ? strchr(text, '\n') : NULL; /* a heading */
	(void)snprintf(said, size, "%s", below ? below + 1 : text);
	sqlite3_finalize(q);
	if (*sound)
		*sound = free_list_sound(db, said, size);
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

int store_look_at_pages(const char *path, char *detail, size_t size)
{
	sqlite3 *db = NULL;
	bool sound = false;
	int err = db_error(db_open_file(path, SQLITE_OPEN_READWRITE, &db));
	if (!err) /* who looks copies no log back */
		(void)sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)NULL);
	err = err ? err : db_harden(db);
	err = err ? err : db_exec(db, "PRAGMA query_only=ON");
	if (!err)
		err = db_error(db_look_at_pages(db, "PRAGMA quick_check(1)", &sound, detail, size));
	else
		(void)snprintf(detail, size, "%s", db ? sqlite3_errmsg(db) : store_strerror(err));
	detail[strcspn(detail, "\n")] = '\0';
	sqlite3_close(db);
	return err == STORE_EFORMAT || (!err && !sound) ? 1 : err;
}

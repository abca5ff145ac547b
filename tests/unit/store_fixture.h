/* SPDX-License-Identifier: MIT */
/* A store in a directory of its own, driven through its door alone, with a clock tests can set. */
#ifndef CINTA_STORE_FIXTURE_H
#define CINTA_STORE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/store.h"

struct memory {
	char dir[128], path[192], keys[192];
	struct store *s;
};

/* cmocka's setup and teardown: *state is the memory, its store open without the maintenance thread. */
int memory_open(void **state);
int memory_close(void **state);
/* Another store on the same file. */
struct store *memory_store(const struct memory *m, unsigned flags);
void memory_reopen(struct memory *m, unsigned flags);
/* store_remake() without options, for who needs no report. */
int remake(const char *path, const struct store_config *config, struct why *why);

/* The transcript's part of an entry in these tests: the body's length, at least 1. */
size_t body_text_size(const struct entry *e);
/* The clock of all stores made here: the real one until it is set. */
void clock_set(int64_t us);
int64_t clock_now(void);

/* Runs statements on a file past the store; it knows the search index's tokenizer. */
void sql_in(const char *path, const char *sql);

/* Appends one body to a stream; the STORE_ code. */
int put(struct store *s, const char *stream, const char *kind, const char *body);
/* A message with this content to session 1; `more` are further members, with a comma first. */
void say(struct store *s, const char *content, const char *more);
/* Message `n` of a session, by its number. */
int read_message(struct store *s, int64_t session, int64_t n, entry_fn *fn, void *ctx);
int64_t make_session(struct store *s, const char *name);
int64_t entries_of(struct store *s);
/* A whole log by one big read; for the caller to free. */
char *log_of(struct store *s, struct log_id log, size_t *len);

static inline uint32_t dice(uint64_t *seed, uint32_t sides)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33) % sides;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Budgets of statements (spending.h).  SQLite calls after so many steps of its machine: a statement
 * that ends before costs nothing but a mark when it begins.
 */
#include "store/db/spending.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "store/store.h"

enum { STEPS = 10000 /* some 0.1 to 0.5 ms */ };

struct budget {
	sqlite3 *db;
	bool fresh;       /* a statement began since the last call */
	pthread_t thread; /* whose clock `began` is of */
	int64_t began;
};

static int64_t cpu_us(void)
{
	struct timespec t;
	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0)
		return 0;
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Of the file, and of one that is attached as `file`.  -1: there is none, all in it is ours. */
static int64_t bytes(sqlite3 *db)
{
	static const char *const names[] = { "main", "file" };
	int64_t sum = -1;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *path = sqlite3_db_filename(db, names[i]);
		struct stat st;
		if (path && path[0])
			sum = (sum < 0 ? 0 : sum) + (stat(path, &st) == 0 ? (int64_t)st.st_size : 0);
	}
	return sum;
}

static int began(unsigned what, void *ctx, void *statement, void *text)
{
	struct budget *b = ctx;
	(void)what, (void)statement, (void)text;
	b->fresh = true;
	return 0;
}

static int is_spent(void *ctx)
{
	struct budget *b = ctx;
	int64_t now = cpu_us();
	if (b->fresh || !pthread_equal(b->thread, pthread_self())) {
		b->fresh = false;
		b->thread = pthread_self();
		b->began = now;
	}
	int64_t took = (now - b->began) / 1000000;
	int64_t of = took >= BUDGET_SECONDS ? bytes(b->db) : -1;
	return of >= 0 && took >= BUDGET_SECONDS + of / BUDGET_BYTES;
}

/* What SQLite frees with the connection is what belongs to a function: this one is never called. */
static void never(sqlite3_context *out, int count, sqlite3_value **args)
{
	(void)count, (void)args;
	sqlite3_result_null(out);
}

int budget_set(sqlite3 *db)
{
	struct budget *b = calloc(1, sizeof *b);
	if (!b)
		return STORE_ENOMEM;
	*b = (struct budget){ .db = db, .fresh = true };
	/* On failure SQLite frees it, too. */
	if (sqlite3_create_function_v2(db, "cinta_budget", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY, b, never,
	                               NULL, NULL, free) != SQLITE_OK)
		return STORE_ENOMEM;
	(void)sqlite3_trace_v2(db, SQLITE_TRACE_STMT, began, b);
	sqlite3_progress_handler(db, STEPS, is_spent, b);
	return 0;
}

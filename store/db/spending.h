/* SPDX-License-Identifier: MIT */
/* How long a statement may run on a file that somebody else may have made.  Part of db_harden(). */
#ifndef CINTA_SPENDING_H
#define CINTA_SPENDING_H

#include <sqlite3.h>

/*
 * From now on a statement of this connection ends with SQLITE_INTERRUPT when it has taken
 * BUDGET_SECONDS of its thread's CPU time, and one more for each BUDGET_BYTES of the file.  One
 * that other statements of the connection are run within counts from the last of them: who runs
 * them sees rows come, and must itself see that they end.  Of a database without a file, in memory
 * or for the connection's time alone, we made every row: its statements have no budget.  0 or
 * STORE_ENOMEM.
 */
enum { BUDGET_SECONDS = 5, BUDGET_BYTES = 5 << 20 };
int budget_set(sqlite3 *db);

#endif

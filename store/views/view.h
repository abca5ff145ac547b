/* SPDX-License-Identifier: MIT */
/*
 * The views: tables derived from the tape.  A `struct view` reads rows of
 * `tape` and writes v_… tables through one connection; it belongs to whoever
 * holds that connection (in the store: the commit lock).
 *
 * A view is a function of the tape alone: the same rows give the same tables,
 * whatever the batches (docs/design.md; `cinta rebuild`, `cinta verify --all`).
 */
#ifndef CINTA_VIEW_H
#define CINTA_VIEW_H

#include "store/db/db.h"
#include "store/store.h"

struct view;
struct view_table;

/* Replaces the views by fresh empty ones, in one transaction. */
int views_reset(sqlite3 *db);
/*
 * The same if another version of cinta made those in the file, or if they have seen more entries
 * than there are.  Others may append meanwhile.
 */
int views_renew(sqlite3 *db);
/* The version of the views in the file (VIEWS_VERSION), -1: there are none. */
int64_t views_version(sqlite3 *db);
/* How many entries they have seen, as the file says. */
int64_t views_upto(sqlite3 *db);

/* `text_size` as in store_config. */
int view_open(sqlite3 *db, const struct view_table *table,
              size_t (*text_size)(const struct entry *e), struct view **out);
void view_close(struct view *v);

/*
 * Sees at most `most` further entries below seq `limit` (more only to the end of a
 * save of facts), in its own transaction; *upto receives the next seq the views want.
 */
int view_catch_up(struct view *v, int64_t most, int64_t limit, int64_t *upto);

/*
 * Views that have seen nothing see all entries below `limit`, in one transaction: an index whose
 * keys come in no order is made at its end, which writes each of its pages once.  For who has
 * the file alone.
 */
int view_fill(struct view *v, int64_t limit, int64_t *upto);

/*
 * Sees all entries below `limit` in the transaction of the caller, which may hold
 * them itself; if that is rolled back: view_forget().
 */
int view_see(struct view *v, int64_t limit);
/* Redactions from there on are not looked for in advance; before: all of the tape are. */
void view_know_redactions(struct view *v, int64_t below);
void view_forget(struct view *v);

/*
 * Makes the views anew in memory from the tape of `db` and compares: 0 equal,
 * 1 different (`detail` names the table), negative on error.
 */
int view_compare(sqlite3 *db, const struct view_table *table,
                 size_t (*text_size)(const struct entry *e), char *detail, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/* The views' own part of the views: its statements, and the view of redactions. */
#ifndef CINTA_VIEW_OWN_H
#define CINTA_VIEW_OWN_H

#include "store/views/views.h"

enum {
	VIEW_STATE = SQL_FIRST(SQL_VIEWS), VIEW_SET_STATE, VIEW_TAPE, VIEW_MARK, VIEW_NAME,
	VIEW_ADD_NAME, VIEW_REDACTIONS, VIEW_REDACTED, VIEW_ADD_REDACTED, VIEW_GENESIS,
	VIEW_HASH, VIEW_DAY
};

/* ---- view_day.c ---------------------------------------------------------- */

int view_days_save(struct view *v);
void view_days_forget(struct view *v);

/* ---- view_redacted.c ----------------------------------------------------- */

/*
 * A redaction was seen.  VIEW_ANEW: the views do not know it yet, and what they say of the entry
 * it names is wrong.
 */
enum { VIEW_ANEW = 1 };
int view_redaction(struct view *v, const struct entry *e, int64_t number);
/* Empties all views, then reads all redactions of the tape; the first of them proves. */
int view_start(struct view *v);

#endif

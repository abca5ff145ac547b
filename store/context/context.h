/* SPDX-License-Identifier: MIT */
/* The door of windows: their view, and the marks of a message. */
#ifndef CINTA_CONTEXT_DOOR_H
#define CINTA_CONTEXT_DOOR_H

#include "store/facts/facts.h"

/* Beside MARK_PRUNED, MARK_PINNED of store/context.h; KEPT: it was a person who pinned it. */
enum { MARK_SHOWN = 4, MARK_KEPT = 8 };
/* The marks as SQL has them. */
#define PRUNED_SQL "1"
#define PINNED_SQL "2"
#define SHOWN_SQL "4"
/* `until` of what holds still: INT64_MAX. */
#define FOR_EVER "9223372036854775807"
#define STILL " until = " FOR_EVER

extern const struct view_room context_views;
extern const struct sql context_queries;
/* For struct view_table. */
int context_pinned(struct view *v, const struct entry *e, int64_t session, int64_t n);

#endif

/* SPDX-License-Identifier: MIT */
/* The door of facts: their view. */
#ifndef CINTA_FACTS_H
#define CINTA_FACTS_H

#include "store/documents/documents.h"

/* For the search, on a connection of its own: not 0 when fact ?1 was retracted. */
#define FACT_GONE_SQL "SELECT retracted_seq FROM v_fact WHERE id = ?1"

extern const struct view_room fact_views;
extern const struct sql fact_queries;

#endif

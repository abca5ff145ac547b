/* SPDX-License-Identifier: MIT */
/* The door of facts: their view. */
#ifndef CINTA_FACTS_H
#define CINTA_FACTS_H

#include "store/documents/documents.h"

/* For the search, on its own connection: not 0 when fact ?1 was retracted; when it was said. */
#define FACT_GONE_SQL "SELECT retracted_seq, added_us FROM v_fact WHERE id = ?1"

extern const struct view_room fact_views;
extern const struct sql fact_queries;

#endif

/* SPDX-License-Identifier: MIT */
/* The door of facts: their view. */
#ifndef CINTA_FACTS_H
#define CINTA_FACTS_H

#include "store/documents/documents.h"

extern const struct view_room fact_views;
extern const struct sql fact_queries;

#endif

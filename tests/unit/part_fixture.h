/* SPDX-License-Identifier: MIT */
/* Parts of a context, and what is printed of them. */
#ifndef CINTA_PART_FIXTURE_H
#define CINTA_PART_FIXTURE_H

#include "render/context/context.h"

#define NOON INT64_C(1795168800000000) /* 2026-11-20T10:00Z */

/* The part with this text is printed so; other strings it lacks are "". */
void part_is(struct context_part p, const char *text, const char *expected);

#endif

/* SPDX-License-Identifier: MIT */
/* Arrays that grow, for fs/ as well (so a door, as lock.h is). */
#ifndef CINTA_ARRAY_H
#define CINTA_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * True if the malloc'ed array `of`, which has `room` elements (both lvalues, NULL and 0 at first),
 * has room for one more than `count`.  False: no memory, and all is as it was.
 */
#define ARRAY_ROOM(of, room, count) array_room(&(of), &(room), count, sizeof *(of))
bool array_room(void *of, size_t *room, size_t count, size_t size);

#endif

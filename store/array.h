/* SPDX-License-Identifier: MIT */
/* Arrays that grow, for fs/ as well (so a door, as lock.h is). */
#ifndef CINTA_ARRAY_H
#define CINTA_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * True if the malloc'ed array `of`, which has `room` elements (both lvalues, NULL and 0 at first),
 * has room for one more than `count`.  False: no memory, and all is as it was.
 */
#define ARRAY_ROOM(of, room, count) array_room(&(of), &(room), count, sizeof *(of))
bool array_room(void *of, size_t *room, size_t count, size_t size);

/*
 * Where a key is or would be: the first of `count` elements of `size` bytes that is not below it.
 * Each begins with its key, an int64_t or a uint64_t below 2^63, by which they are in order.
 */
size_t array_place(const void *of, size_t count, size_t size, int64_t key);

/* A malloc'ed copy of `len` bytes, of any kind, and a NUL; NULL: no memory. */
char *bytes_copy(const char *bytes, size_t len);

#endif

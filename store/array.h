/* SPDX-License-Identifier: MIT */
/* Arrays that grow, for fs/ as well (so a door, as lock.h is). */
#ifndef CINTA_ARRAY_H
#define CINTA_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * True if the malloc'ed array `of`, which has `room` elements (both lvalues, NULL and 0 at first),
 * has room for one more than `count`.  False: no memory, and all is as it was.
 */
#define ARRAY_ROOM(of, room, count) array_room(&(of), &(room), count, sizeof *(of))
bool array_room(void *of, size_t *room, size_t count, size_t size);

/* A malloc'ed copy of `len` bytes, of any kind, and a NUL; NULL: no memory. */
static inline char *bytes_copy(const char *bytes, size_t len)
{
	char *own = malloc(len + 1);
	if (own) {
		memcpy(own, bytes, len);
		own[len] = '\0';
	}
	return own;
}

#endif

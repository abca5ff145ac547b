/* SPDX-License-Identifier: MIT */
/* Arrays that grow, or are sorted. */
#include "store/array.h"

#include <stdlib.h>
#include <string.h>

bool array_room(void *of, size_t *room, size_t count, size_t size)
{
	void *old, *grown;
	if (count < *room)
		return true;
	size_t more = *room ? 2 * *room : 8;
	memcpy(&old, of, sizeof old);
	if (!(grown = realloc(old, more * size)))
		return false;
	memcpy(of, &grown, sizeof grown);
	*room = more;
	return true;
}

size_t array_place(const void *of, size_t count, size_t size, int64_t key)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int64_t at;
		memcpy(&at, (const char *)of + middle * size, sizeof at);
		if (at < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

char *bytes_copy(const char *bytes, size_t len)
{
	char *own = malloc(len + 1);
	if (own) {
		memcpy(own, bytes, len);
		own[len] = '\0';
	}
	return own;
}

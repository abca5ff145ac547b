/* SPDX-License-Identifier: MIT */
/* Arrays that grow. */
#include "store/array.h"

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

/* SPDX-License-Identifier: MIT */
/*
 * Memory that is given back is cleared, in this program and all its libraries: what was
 * redacted must not be found in the daemon, in a core of it, or on a swap disk, and nobody
 * can say which freed block a text has passed through.  These stand before the C library's
 * own (glibc allows that); not with a sanitizer, which has its own.
 *
 * It costs about as much as the copy that filled the block (docs/design.md).
 */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

extern void __libc_free(void *block);

void free(void *block)
{
	int saved = errno; /* free() keeps it */
	if (block)
		explicit_bzero(block, malloc_usable_size(block));
	__libc_free(block);
	errno = saved;
}

/* The library's own would move a block and leave the old one as it was. */
void *realloc(void *block, size_t size)
{
	size_t have = block ? malloc_usable_size(block) : 0;
	if (block && size > 0 && size <= have && size > have / 2)
		return block;
	void *other = malloc(size > 0 ? size : 1);
	if (!other)
		return NULL;
	if (block)
		memcpy(other, block, have < size ? have : size);
	free(block);
	return other;
}

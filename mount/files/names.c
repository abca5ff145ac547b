/* SPDX-License-Identifier: MIT */
/* The names in a directory of the memory, gathered and sorted (files.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mount/files/files.h"
#include "store/array.h"

static int take_name(void *ctx, const char *name, mode_t type)
{
	struct names *n = ctx;
	(void)type;
	char *copy = ARRAY_ROOM(n->name, n->room, n->count) ? strdup(name) : NULL;
	if (!copy)
		return -ENOMEM;
	n->name[n->count++] = copy;
	return 0;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int files_names(struct files *f, const char *path, struct names *out)
{
	*out = (struct names){ .count = 0 };
	int err = files_list(f, path, take_name, out);
	if (err)
		names_release(out);
	else if (out->count)
		qsort(out->name, out->count, sizeof *out->name, by_bytes);
	return err;
}

void names_release(struct names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->name[i]);
	free(n->name);
	*n = (struct names){ .count = 0 };
}

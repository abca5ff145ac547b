/* SPDX-License-Identifier: MIT */
/* What pressure.c finds that an agent holds, and advice.c tells of it.  Private to fs/context. */
#ifndef CINTA_HELD_H
#define CINTA_HELD_H

#include "fs/context/page.h"

/* What can be put elsewhere: sections, and the largest file of the workspace. */
struct held_file {
	char where[PATH_LIMIT + 1];
	const char *section; /* its name below smma/; NULL: it stands in the workspace */
};
enum { HELD_FILES = CONTEXT_SECTIONS + 1 };

/* All that is held, with what policy_held borrows. */
struct held {
	const struct context *c;
	struct policy_held of;
	struct policy_message *message;
	char (*tool)[64];
	struct held_file file[HELD_FILES];
	int64_t tokens[HELD_FILES];
};

/* An advice as alert, action and command; `first`: it is the one to follow. */
void advice_tell(const struct held *h, struct dashboard *d, const struct advice *a, bool first);

#endif

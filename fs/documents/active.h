/* SPDX-License-Identifier: MIT */
/*
 * The active blocks as one page, for whoever asks: everybody, a server, an agent.
 *
 *   blocks/.active.md   blocks/.active/server=X.md   blocks/.active/agent=Y.md
 *   blocks/.active/server=X/agent=Y.md
 *
 * Codes come by name, so each asked for gets a number, until ACTIVE_MOST others were asked for
 * since: then it is ESTALE, and the kernel looks the name up again.
 */
#ifndef CINTA_ACTIVE_H
#define CINTA_ACTIVE_H

#include <pthread.h>

#include "fs/tree/tree.h"
#include "store/lock.h"

enum { ACTIVE_MOST = 1024, ACTIVE_CODE = 50 };

struct active_blocks {
	struct lock lock;
	struct active {
		char server[ACTIVE_CODE + 1], agent[ACTIVE_CODE + 1]; /* "": none */
	} *items; /* guarded by lock, ACTIVE_MOST or NULL; number n is items[n % ACTIVE_MOST] */
	int64_t last; /* guarded by lock: the newest number, 0: none */
};

struct job;

void active_blocks_init(struct active_blocks *a);
void active_blocks_release(struct active_blocks *a);

node_page_fn page_active;
node_find_fn find_active;
node_changed_fn changed_active;
node_name_fn active_name;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A thread of the owner that follows the tape of a server: it waits until that tells of entries,
 * takes them into the file, and has maintenance tell who shows them.  It asks by itself every
 * second, for what is told can be lost.
 */
#include <stdlib.h>

#include "store/internal.h"
#include "store/tape/tape.h"

enum { HEARTBEAT_MS = 1000 };

struct following {
	pthread_t thread;
	_Atomic bool stop;
	bool runs; /* of who opens and closes */
};

static void *follow(void *arg)
{
	struct store *s = arg;
	while (!atomic_load(&s->following->stop)) {
		far_follow(s, HEARTBEAT_MS);
		if (tape_others_wait(s))
			maintenance_hurry(s);
	}
	return NULL;
}

int following_start(struct store *s)
{
	if (!far_has(s))
		return 0;
	s->following = calloc(1, sizeof *s->following);
	if (!s->following || pthread_create(&s->following->thread, NULL, follow, s))
		return STORE_ENOMEM;
	s->following->runs = true;
	return 0;
}

void following_stop(struct store *s)
{
	far_leave(s);
	far_end(s);
	if (!s->following || !s->following->runs)
		return;
	atomic_store(&s->following->stop, true);
	pthread_join(s->following->thread, NULL);
	s->following->runs = false;
}

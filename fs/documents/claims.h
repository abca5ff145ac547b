/* SPDX-License-Identifier: MIT */
/*
 * Who is whom.  A document of components/ply may claim a user or a program: what that user or
 * program writes is its player's.
 */
#ifndef CINTA_FS_CLAIMS_H
#define CINTA_FS_CLAIMS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "store/entry.h"
#include "store/lock.h"

struct fs;

struct claim {
	int64_t uid; /* -1: none */
	char program[64];
	char code[NAME_LIMIT + 1];
};

struct claims {
	struct lock lock;
	struct claim *claim; /* guarded by lock */
	size_t count;        /* guarded by lock */
	struct claim_user {  /* guarded by lock: who wrote last; the system is asked for each name */
		uid_t uid;
		int64_t until_ms;
		char name[FIELD_MAX + 1];
	} user;
	_Atomic bool stale;  /* a claim was saved since they were read */
};

void claims_init(struct claims *c);
void claims_release(struct claims *c);
/* The code of the player who claims this program, or else this user; "" if nobody does. */
void claims_player(struct fs *fs, uid_t uid, const char *program, char code[NAME_LIMIT + 1]);
/* True if an author, as entries name him, is the user who mounted, whatever the program. */
bool claims_is_owner(struct fs *fs, const char *author);
/* The system's name of a user, "" if it has none. */
void claims_user(struct fs *fs, uid_t uid, char name[FIELD_MAX + 1]);

#endif

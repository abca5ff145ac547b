/* SPDX-License-Identifier: MIT */
/*
 * Users and groups of the system by name or number.  Called by access.c, which cannot include
 * <grp.h>: the store has a struct group, too.
 */
#ifndef CINTA_USERS_H
#define CINTA_USERS_H

#include <stdbool.h>
#include <sys/types.h>

/* False: neither a name that the system knows nor a number. */
bool user_by_name(const char *name, uid_t *out);
bool group_by_name(const char *name, gid_t *out);

#endif

/* SPDX-License-Identifier: MIT */
/* Which names a new file may have in a place: what is accepted under a name stays. */
#ifndef CINTA_NAMING_H
#define CINTA_NAMING_H

#include "fs/tree/place.h"

/*
 * 0 if something new may have that name there: a file, a directory or a link, made or renamed.
 * -EPERM: `why` says what the name is, and which names have a place.
 */
int name_check(const struct place *p, const char *name, struct why *why);
/* As place_is_memory(), and true of the name of a document that looks like none. */
bool name_is_memory(struct fs *fs, const struct place *p, const char *name);

#endif

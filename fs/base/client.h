/* SPDX-License-Identifier: MIT */
/*
 * Who asks: what each mount was given for itself.  Several mounts of one memory are several agents,
 * each with a session, a name and blocks of its own.  What the tree's functions show may depend on
 * it; the kernel of each mount holds what that mount was told.
 */
#ifndef CINTA_CLIENT_H
#define CINTA_CLIENT_H

#include "fs/base/bounds.h"
#include "store/entry.h"

struct fs;
struct node;
struct fs_options;
struct fs_mount_options;

enum { CLIENT_SERVER = 20, CLIENT_AGENT = 50 }; /* most bytes of a code */

/* "": as for everybody. */
struct client {
	int64_t number; /* 0: without anything of its own */
	char session[NAME_LIMIT + 1]; /* sessions/current leads to it; "": to the one last written to */
	char owner[FIELD_MAX + 1];    /* author of what is written, instead of the user's name */
	char as[FIELD_MAX + 1]; /* the same, instead of everybody's; "": it says nothing */
	struct bounds *bounds;  /* what the mount shows; NULL: all */
	char server[CLIENT_SERVER + 1], agent[CLIENT_AGENT + 1]; /* their blocks are shown, too */
};

int client_start(struct fs *fs, const struct fs_options *o);
void client_stop(struct fs *fs);
/* What a mount was given; -EINVAL with `why`.  Release in every case. */
int client_init(struct fs *fs, struct client *a, const struct fs_mount_options *o, struct why *why);
/* What only=, ro= and hide= of a mount say (NULL: nothing); to be freed in every case. */
int client_bounds(const struct node *tree, const struct fs_mount_options *o, struct bounds **out,
                  struct why *why);
void client_release(struct client *a);
/* This thread works for that mount from now on; it outlives the thread. */
void client_is(struct fs *fs, const struct client *a);
/* Whom this thread works for: never NULL. */
const struct client *client_of(struct fs *fs);
/* True if all of the memory is shown to it; else, whether what stands at this path is. */
bool client_sees_all(struct fs *fs);
bool client_sees(struct fs *fs, const char *path);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Files that go on growing: says which have changed, by inotify(7), until it is ended.  What is not
 * there yet is waited for; what the kernel has lost count of is all said again.
 */
#ifndef CINTA_FOLLOW_H
#define CINTA_FOLLOW_H

/* Files, or roots with all in them, that have changed: 0, or an error that ends it. */
typedef int follow_fn(void *ctx, char *const *changed, int count);
/* What a file of that name is: of no concern, said by itself, or said by its root. */
enum followed { FOLLOW_NOT, FOLLOW_FILE, FOLLOW_ROOT };
typedef enum followed follow_takes_fn(const char *name);

/*
 * `count` files or directories, which need not be there yet; first all that is there is said.
 * Never returns 0; -errno: they cannot be watched, or what `fn` said.
 */
int follow(char *const *root, int count, follow_takes_fn *takes, follow_fn *fn, void *ctx);

#endif

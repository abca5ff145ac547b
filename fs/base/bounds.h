/* SPDX-License-Identifier: MIT */
/*
 * What of the memory a mount shows, and what of that can be written: -o only=, ro= and hide=
 * (cinta.1, "ONE MOUNT PER AGENT").  Rules are paths from the root; of those that a path lies at or
 * below, the longest holds.  Which inode may be seen at all is decided above, in request/reach.c,
 * and search asks for the paths of its hits; nobody else needs to know.
 */
#ifndef CINTA_BOUNDS_H
#define CINTA_BOUNDS_H

#include "store/entry.h"

struct refusal;
struct bounds;

/* In this order: what is more is also all that is less. */
enum reach {
	REACH_NONE,  /* it is not there */
	REACH_WAY,   /* a directory that leads to something that is */
	REACH_READ,
	REACH_WRITE
};

/*
 * Each list (NULL: not given) has paths with `:` between; `\:` is a colon in one.  Without all
 * three *out is NULL: then everything is shown.  -EINVAL with `why`, -ENOMEM.
 */
int bounds_make(const char *only, const char *ro, const char *hide, struct bounds **out,
                struct why *why);
void bounds_free(struct bounds *b);
/* How many rules were given, and the path of each. */
size_t bounds_rules(const struct bounds *b);
const char *bounds_rule(const struct bounds *b, size_t i);

/* All of these take NULL for a mount that shows everything.  "." and "" are the root. */
enum reach bounds_path(const struct bounds *b, const char *path);
/* True if all that is at or below the path is shown; of the root: if nothing is hidden. */
bool bounds_whole(const struct bounds *b, const char *path);
/* True if the path or something below it cannot be written: it must not move. */
bool bounds_holds_still(const struct bounds *b, const char *path);
/* True if a rule hides a name that stands in this very directory. */
bool bounds_hides_in(const struct bounds *b, const char *dir);

/*
 * What was refused through this mount since it is mounted, the lines of its errors.log: what others
 * did is not told here.  Any thread.
 */
struct bounds_line {
	int64_t time_us;
	char *text; /* NULL: no line yet */
};
enum { BOUNDS_LINES = 200 };
/* Takes `text`, malloc'ed. */
void bounds_note(struct bounds *b, int64_t time_us, char *text);
/* The newest, oldest first, while a lock is held. */
typedef void bounds_line_fn(void *ctx, const struct bounds_line *line);
void bounds_each_note(struct bounds *b, bounds_line_fn *fn, void *ctx);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What stands in a redacted body's place wherever the memory is shown: the reason, and
 * what else of the body its owner kept, so that no other line, version or summary moves
 * (docs/format.md §4 and §9).  Pure functions; any thread.
 */
#ifndef CINTA_STAND_IN_H
#define CINTA_STAND_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

/*
 * The members of a body of this kind that say where it stands and not what it says, as a JSON
 * object of at most REDACTION_KEEP bytes; strings that are secret are left out.  malloc'ed;
 * NULL: there are none, or no memory.  `secret` may be NULL.
 */
char *stand_in_keep(const char *kind, const char *body, size_t len, secret_fn *secret, void *ctx);

/*
 * The body in place of entry `stream_seq` of `stream`, made of that of its redaction; malloc'ed,
 * NUL-terminated JSON.  NULL: no memory.
 */
char *stand_in_body(const char *kind, const char *stream, int64_t stream_seq, const char *redaction,
                    size_t len);

#endif

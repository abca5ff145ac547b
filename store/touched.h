/* SPDX-License-Identifier: MIT */
/*
 * Part of the store's door (store.h): what the newest entries were about, for who keeps copies of
 * what the memory showed before them.
 */
#ifndef CINTA_STORE_TOUCHED_H
#define CINTA_STORE_TOUCHED_H

#include <stdbool.h>
#include <stdint.h>

struct store;

/* Entries of one stream; strings live for the call. */
struct touched_stream {
	const char *stream;
	int64_t first, last; /* stream_seq of the first and the last of them */
	bool threads;        /* some of them may be lines of a thread, too */
};
typedef void touched_stream_fn(void *ctx, const struct touched_stream *t);
/*
 * The streams that have entries at `seq` or later, at most so many.  Reads the tape alone: the
 * views may not have seen them.
 */
int store_touched(struct store *s, int64_t seq, int most, touched_stream_fn *fn, void *ctx);

/* The threads that have lines at `seq` or later; the views see all first, as in the next one. */
typedef void touched_thread_fn(void *ctx, int64_t thread);
int store_touched_threads(struct store *s, int64_t seq, touched_thread_fn *fn, void *ctx);

/*
 * Where a document stood before `seq` and where it has stood since, if it moved, came or went:
 * else there is no call.
 */
typedef void touched_place_fn(void *ctx, const char *parent, const char *name);
int store_touched_places(struct store *s, int64_t doc, int64_t seq, touched_place_fn *fn,
                         void *ctx);

/* Each entry whose body its owner has signed away. */
typedef void touched_entry_fn(void *ctx, int64_t seq);
int store_redacted(struct store *s, touched_entry_fn *fn, void *ctx);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Part of the store's door (store.h): how much there was on each day, kept as the tape grows, so
 * that who shows it reads days and not entries.
 *
 * A day is one of UTC, and its number the days since 1970.  A message counts on the day when it was
 * said, as its line tells; a fact when it was; all else on the day of its entry.
 */
#ifndef CINTA_STORE_DAYS_H
#define CINTA_STORE_DAYS_H

#include <stdint.h>

struct store;

#define US_OF_DAY INT64_C(86400000000)

struct day {
	int64_t day;
	int64_t entries, bytes;   /* of the tape; of tape.jsonl */
	int64_t messages, tokens; /* tokens: as their lines count them */
	int64_t versions;         /* of documents that were saved */
	int64_t facts, retracted; /* facts that were added; that were taken back */
};
typedef void day_fn(void *ctx, const struct day *d);
/*
 * The days from `from` to `to`, both included, in order; those without anything are left out.  Sees
 * every committed entry.  0 or a STORE_ code.
 */
int store_days(struct store *s, int64_t from, int64_t to, day_fn *fn, void *ctx);

/*
 * The sessions and documents that `most` entries of a day wrote to, from the entry `skip` on, in
 * the order of their first one there.  *entries: how many the day has in all.  Costs `most`.
 */
struct day_stream {
	int64_t session, doc; /* one of them; the other is 0 */
	int64_t entries;      /* of these: messages, versions */
	int64_t first;        /* the first of them, in its session, from 1 */
};
typedef void stream_fn(void *ctx, const struct day_stream *d);
int store_day_streams(struct store *s, int64_t day, int64_t skip, int64_t most, stream_fn *fn,
                      void *ctx, int64_t *entries);

#endif

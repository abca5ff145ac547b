/* SPDX-License-Identifier: MIT */
/* Entries that could not be read: ranges of them, and what the index of streams says of each. */
#include <stdlib.h>
#include <string.h>

#include "store/salvage/salvage.h"

enum { NAMED_MOST = 100000 }; /* entries that are told one by one */

struct named {
	int64_t seq, stream_seq;
	char stream[FIELD_MAX + 1];
};
struct names {
	struct named *items;
	size_t count, room;
};

int missing_add(struct missing *m, int64_t first, int64_t last)
{
	if (first > last)
		return 0;
	m->entries += last - first + 1;
	if (m->count > 0 && m->items[m->count - 1].last + 1 == first) {
		m->items[m->count - 1].last = last;
		return 0;
	}
	if (!ARRAY_ROOM(m->items, m->room, m->count))
		return STORE_ENOMEM;
	m->items[m->count++] = (struct range){ first, last };
	return 0;
}

void missing_release(struct missing *m)
{
	free(m->items);
	*m = (struct missing){ 0 };
}

static bool is_missing(const struct missing *m, int64_t seq)
{
	size_t low = 0, high = m->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (m->items[middle].last < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low < m->count && m->items[low].first <= seq;
}

/*
 * The index of (stream, stream_seq) holds the seq of each entry, too, and stands in pages of its
 * own.  As far as it can be read; what it says is no proof.
 */
static int read_names(const struct missing *m, sqlite3 *db, struct names *n)
{
	static const char sql[] = "SELECT seq, stream_seq, stream FROM tape"
		" INDEXED BY sqlite_autoindex_tape_1 ORDER BY stream, stream_seq";
	sqlite3_stmt *q = db_prepare(db, sql);
	int err = 0;
	while (!err && q && n->count < NAMED_MOST && sqlite3_step(q) == SQLITE_ROW) {
		int64_t seq = sqlite3_column_int64(q, 0);
		const char *stream = db_text(q, 2);
		if (!is_missing(m, seq) || !field_ok(stream, strlen(stream), FIELD_MAX))
			continue;
		if (!ARRAY_ROOM(n->items, n->room, n->count)) {
			err = STORE_ENOMEM;
			break;
		}
		struct named *one = &n->items[n->count++];
		*one = (struct named){ .seq = seq, .stream_seq = sqlite3_column_int64(q, 1) };
		(void)snprintf(one->stream, sizeof one->stream, "%s", stream);
	}
	sqlite3_finalize(q);
	return err;
}

static int by_seq(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

/* One range: what has a name by itself, the rest together. */
static void tell_range(const struct range *r, const struct names *n, size_t *at,
                       const struct rebuild_options *o)
{
	int64_t next = r->first;
	for (; *at < n->count && n->items[*at].seq <= r->last; (*at)++) {
		const struct named *one = &n->items[*at];
		if (one->seq < next) /* the index says it twice */
			continue;
		if (one->seq > next)
			o->missing(o->ctx, next, one->seq - 1, NULL, 0);
		o->missing(o->ctx, one->seq, one->seq, one->stream, one->stream_seq);
		next = one->seq + 1;
	}
	if (next <= r->last)
		o->missing(o->ctx, next, r->last, NULL, 0);
}

int missing_tell(const struct missing *m, sqlite3 *db, const struct rebuild_options *o)
{
	struct names names = { .count = 0 };
	size_t at = 0;
	if (!o->missing || m->count == 0)
		return 0;
	int err = read_names(m, db, &names);
	if (!err && names.count > 0)
		qsort(names.items, names.count, sizeof *names.items, by_seq);
	for (size_t i = 0; !err && i < m->count; i++)
		tell_range(&m->items[i], &names, &at, o);
	free(names.items);
	return err;
}

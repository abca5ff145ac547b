/* SPDX-License-Identifier: MIT */
/*
 * summaries/FIRST-LAST.md: saving one makes the summary of that range, once.  A name
 * may have leading zeros, as those of messages/ have; it is listed without.
 */
#include <errno.h>
#include <string.h>

#include "fs/documents/documents.h"
#include "fs/internal.h"

static void print_name(const struct summary *y, char *dst, size_t size)
{
	(void)snprintf(dst, size, "%lld-%lld.md", (long long)y->first, (long long)y->last);
}

/* ---- saving -------------------------------------------------------------- */

static int range_of(const char *name, struct context_range *r, struct why *why)
{
	if (render_summary_name(name, r) && r->first > 0)
		return 0;
	why_set(why, "name it FIRST-LAST.md, as in 3-9.md", "this is no range of messages");
	return -EINVAL;
}

bool summary_is_name(const char *name)
{
	struct context_range r;
	return render_summary_name(name, &r);
}

int summary_check(struct fs *fs, uint64_t dir, const char *name, struct why *why)
{
	struct context_range r;
	int err = range_of(name, &r, why);
	struct context_op op = { .verb = CONTEXT_SUMMARIZE, .range = &r, .count = 1, .text = "-",
		.len = 1 };
	return err ? err : errno_of_store(store_context_check(fs->store, ino_id(dir), &op, 1, why));
}

struct wanted {
	struct context_range range;
	const char *bytes; /* NULL: any */
	size_t len;
	int64_t seq;       /* 0: there is none */
};

static int see_wanted(void *ctx, const struct summary *y)
{
	struct wanted *w = ctx;
	if (y->first == w->range.first && y->last == w->range.last &&
	    (!w->bytes || (w->len == y->len && memcmp(w->bytes, y->text, y->len) == 0)))
		w->seq = y->seq;
	return 1;
}

int summary_save(struct fs *fs, const struct save *s, struct saved *out, struct why *why)
{
	struct wanted w = { .bytes = s->bytes ? s->bytes : "", .len = s->len };
	int64_t session = ino_id(s->dir);
	memset(out, 0, sizeof *out);
	int err = range_of(s->name, &w.range, why);
	if (!err)
		err = errno_of_render(render_summary_in(w.bytes, w.len, why));
	if (!err) /* saved again as it is: fsync and close do so */
		err = errno_of_store(store_summaries(fs->store, session, w.range.first, see_wanted, &w));
	struct context_op op = { .verb = CONTEXT_SUMMARIZE, .range = &w.range, .count = 1,
		.text = w.bytes, .len = w.len };
	if (!err && !w.seq)
		err = errno_of_store(store_context_commit(fs->store, session, &op, 1, s->author, &w.seq,
		                                          why));
	if (err)
		why_not_stored(err, "save again", why);
	if (!err)
		*out = (struct saved){ .dir = s->dir, .version = 1,
			.ino = ino_make(KIND_SUMMARY, w.seq) };
	return err;
}

/* ---- as files ------------------------------------------------------------ */

int find_summary(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	struct wanted w = { .bytes = NULL };
	int err = 0;
	if (render_summary_name(name, &w.range) && w.range.first > 0)
		err = errno_of_store(store_summaries(fs->store, ino_id(dir), w.range.first, see_wanted,
		                                     &w));
	if (err || !w.seq)
		return err ? err : find_document(fs, dir, name, ino);
	*ino = ino_make(KIND_SUMMARY, w.seq);
	return 0;
}

int find_summary_at(struct fs *fs, uint64_t dir, int64_t time_us, const char *name, uint64_t *ino)
{
	struct wanted w = { .bytes = NULL };
	if (!render_summary_name(name, &w.range) || w.range.first == 0)
		return -ENOENT;
	int err = errno_of_store(store_summaries_at_time(fs->store, ino_id(dir), time_us, w.range.first,
	                                                 see_wanted, &w));
	*ino = ino_make(KIND_SUMMARY, w.seq);
	return err ? err : w.seq ? 0 : -ENOENT;
}

struct next {
	int64_t after;
	char *name;
	uint64_t ino; /* 0: there is no more */
};

static int see_next(void *ctx, const struct summary *y)
{
	struct next *n = ctx;
	if (y->first <= n->after)
		return 0;
	n->after = y->first;
	n->ino = ino_make(KIND_SUMMARY, y->seq);
	print_name(y, n->name, NAME_LIMIT + 1);
	return 1;
}

/* The cursor: 2·first of a summary, then 2·id + 1 of a scratch file. */
int next_summary(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
                 uint64_t *ino)
{
	struct next n = { *cursor / 2, name, 0 };
	if (*cursor % 2 == 0) {
		int err = errno_of_store(store_summaries(fs->store, ino_id(dir), n.after + 1, see_next,
		                                         &n));
		if (err)
			return err;
		*cursor = n.ino ? n.after * 2 : 1;
	}
	while (!n.ino) {
		uint64_t there;
		int got = next_document(fs, dir, cursor, name, ino);
		if (got != 1)
			return got;
		/* One that is being written while ctl made the summary is found no more. */
		if (find_summary(fs, dir, name, &there) == 0 && there == *ino)
			return 1;
	}
	*ino = n.ino;
	return 1;
}

int next_summary_at(struct fs *fs, uint64_t dir, int64_t time_us, int64_t *after,
                    char name[NAME_LIMIT + 1], uint64_t *ino)
{
	struct next n = { *after, name, 0 };
	int err = errno_of_store(store_summaries_at_time(fs->store, ino_id(dir), time_us, n.after + 1,
	                                                 see_next, &n));
	*after = n.after;
	*ino = n.ino;
	return err ? err : n.ino != 0;
}

static int add_text(void *ctx, const struct summary *y)
{
	buf_add(ctx, y->text, y->len);
	return 1;
}

int page_summary(struct fs *fs, int64_t seq, struct buf *out)
{
	return errno_of_store(store_summary(fs->store, seq, NULL, add_text, out));
}

static int take_time(void *ctx, const struct summary *y)
{
	*(int64_t *)ctx = y->time_us;
	return 1;
}

int changed_summary(struct fs *fs, int64_t seq, int64_t *time_us)
{
	return errno_of_store(store_summary(fs->store, seq, NULL, take_time, time_us));
}

static int take_name(void *ctx, const struct summary *y)
{
	print_name(y, ctx, NAME_LIMIT + 1);
	return 1;
}

void summary_file_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	char name[NAME_LIMIT + 1] = "?";
	(void)store_summary(fs->store, ino_id(ino), NULL, take_name, name);
	(void)snprintf(dst, size, "%s", name);
}

uint64_t summary_parent(struct fs *fs, uint64_t ino)
{
	int64_t session = 0;
	(void)store_summary(fs->store, ino_id(ino), &session, NULL, NULL);
	return ino_make(KIND_SUMMARIES, session);
}

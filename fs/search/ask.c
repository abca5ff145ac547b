/* SPDX-License-Identifier: MIT */
/*
 * search/query: a question and its answer through one descriptor.
 *
 *        ┌── write: more of it ──┐       ┌── read: more of it ──┐
 *        ▼                       │       ▼                      │
 *     asking ────────────────────┴─ read ─► answered ───────────┘
 *        ▲                                     │
 *        └───────── write: another one ────────┘
 *
 * The kernel moves one offset for both.  So the first read after a question stands for
 * the answer's first byte, wherever it is, and the next ones follow from there; one that
 * went back before that counts from 0.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"
#include "fs/search/search.h"
#include "store/lock.h"

struct ask {
	int64_t within;       /* a session, or 0 */
	_Atomic bool stale;   /* the answer is to go */
	struct lock lock;
	/* All below is guarded by lock. */
	struct buf question, answer;
	bool answered;
	int64_t base; /* the offset of the answer's first byte */
};

bool is_ask(uint64_t ino)
{
	return ino_kind(ino) == KIND_SEARCH_QUERY || ino_kind(ino) == KIND_SESSION_QUERY;
}

struct ask *ask_new(uint64_t ino)
{
	struct ask *a = calloc(1, sizeof *a);
	if (!a)
		return NULL;
	a->within = ino_kind(ino) == KIND_SESSION_QUERY ? ino_id(ino) : 0;
	lock_init(&a->lock, RANK_ASK);
	return a;
}

void ask_free(struct ask *a)
{
	if (!a)
		return;
	buf_release(&a->question);
	buf_release(&a->answer);
	lock_destroy(&a->lock);
	free(a);
}

int ask_write(struct ask *a, const char *data, size_t size, struct why *why)
{
	int err = 0;
	lock_take(&a->lock);
	if (a->answered) {
		buf_clear(&a->question);
		a->answered = false;
	}
	if (size > QUERY_LIMIT - a->question.len) {
		why_set(why, "ask with fewer words", "a query is at most %d bytes long", QUERY_LIMIT);
		err = -EFBIG;
	} else {
		buf_add(&a->question, data, size);
		err = a->question.failed ? -ENOMEM : 0;
	}
	lock_give(&a->lock);
	return err;
}

/* A question that is none has an answer, too: what is wrong with it. */
static int answer(struct fs *fs, struct ask *a, int64_t off)
{
	struct found found;
	struct why why = { 0 };
	int err = found_make(fs, a->within, a->question.data, a->question.len, NULL, NULL, &found,
	                 &why);
	if (err == -EINVAL && found.page.len > 0)
		err = 0;
	if (!err) {
		buf_release(&a->answer);
		a->answer = found.page;
		buf_init(&found.page);
		a->answered = true;
		a->base = off;
	}
	found_release(&found);
	return err;
}

static void drop_stale(struct ask *a)
{
	if (!atomic_exchange(&a->stale, false))
		return;
	buf_release(&a->answer);
	a->answered = false;
}

void ask_forget(struct ask *a)
{
	atomic_store(&a->stale, true);
	if (lock_try(&a->lock)) { /* else who has it drops the answer at the end of a read */
		drop_stale(a);
		lock_give(&a->lock);
	}
}

int ask_read(struct fs *fs, struct ask *a, size_t size, int64_t off, struct buf *out)
{
	lock_take(&a->lock);
	drop_stale(a);
	int err = !a->answered && a->question.len > 0 ? answer(fs, a, off) : 0;
	if (!err && a->answered) {
		if (off < a->base)
			a->base = 0;
		size_t at = (size_t)(off - a->base), len = a->answer.len;
		if (at < len)
			buf_add(out, a->answer.data + at, len - at < size ? len - at : size);
	}
	drop_stale(a);
	lock_give(&a->lock);
	return err ? err : out->failed ? -ENOMEM : 0;
}

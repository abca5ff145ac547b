/* SPDX-License-Identifier: MIT */
/* A table of atomics: no lock, for it is looked at by every open and every size. */
#include "fs/kernel/growing.h"

#include "fs/internal.h"

_Static_assert((int)LOG_RECORD < (int)GROWING_LOGS, "each kind of log has its slots");

/* NULL: neither a log nor a transcript nor a document. */
static struct growing_slot *slot(struct fs *fs, uint64_t ino)
{
	int kind = ino_doc(ino) ? GROWING_DOCUMENTS : fs->kernel_asks->file(fs, ino).log;
	return kind < 0 ? NULL : &fs->kernel->growing.items[kind][ino_id(ino) % GROWING_SLOTS];
}

void growing_note(struct fs *fs, uint64_t ino)
{
	struct growing_slot *s = slot(fs, ino);
	if (s)
		atomic_store(&s->grew, now_ms());
}

static bool is_recent(int64_t ms)
{
	return ms > 0 && now_ms() - ms < GROWING_MS;
}

bool growing_is(struct fs *fs, uint64_t ino)
{
	const struct growing_slot *s = slot(fs, ino);
	return s && is_recent(atomic_load(&s->grew));
}

bool growing_is_direct(struct fs *fs, uint64_t ino)
{
	const struct growing_slot *s = slot(fs, ino);
	return s && (is_recent(atomic_load(&s->grew)) || is_recent(atomic_load(&s->opened)));
}

void growing_opened(struct fs *fs, uint64_t ino)
{
	struct growing_slot *s = slot(fs, ino);
	if (!s)
		return;
	atomic_fetch_add(&s->writers, 1);
	atomic_store(&s->opened, now_ms()); /* who reads from here on may meet its first line */
}

void growing_closed(struct fs *fs, uint64_t ino)
{
	struct growing_slot *s = slot(fs, ino);
	if (s)
		atomic_fetch_sub(&s->writers, 1);
}

void growing_touched(struct fs *fs, uint64_t ino)
{
	struct growing_slot *s = slot(fs, ino);
	if (s)
		atomic_store(&s->opened, now_ms());
}

bool growing_is_open(struct fs *fs, uint64_t ino)
{
	const struct growing_slot *s = slot(fs, ino);
	return s && atomic_load(&s->writers) > 0;
}

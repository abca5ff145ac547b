/* SPDX-License-Identifier: MIT */
/* What each process had of a list last (facts.h). */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "fs/facts/facts.h"
#include "fs/internal.h"

enum { READS = 128, LOOKS = 8 };

struct fact_reads { /* guarded by fs->docs */
	struct known {
		pid_t pid; /* 0: nobody's */
		uint64_t began;
		int domain;
		struct fact_read read;
	} items[READS];
	unsigned next;
};

int reads_start(struct fs *fs)
{
	fs->fact_reads = calloc(1, sizeof *fs->fact_reads);
	return fs->fact_reads ? 0 : -ENOMEM;
}

void reads_stop(struct fs *fs)
{
	for (int i = 0; fs->fact_reads && i < READS; i++)
		free(fs->fact_reads->items[i].read.ids);
	free(fs->fact_reads);
}

static struct known *known_by(struct fs *fs, int domain, const struct process *p)
{
	for (struct known *k = fs->fact_reads->items; p && k < fs->fact_reads->items + READS; k++)
		if (k->pid > 0 && k->pid == p->pid && k->began == p->began && k->domain == domain)
			return k;
	return NULL;
}

/* By its number alone: who is closing files by an exec waits for us, and its stat for it. */
static bool is_gone(const struct known *k)
{
	char path[48];
	(void)snprintf(path, sizeof path, "/proc/%d", (int)k->pid);
	return k->pid <= 0 || access(path, F_OK) != 0;
}

/* One that is used no more: the oldest, but who runs for long may save what it read long ago. */
static struct known *known_new(struct fs *fs, int domain, const struct process *p)
{
	struct fact_reads *r = fs->fact_reads;
	struct known *k = &r->items[r->next++ % READS];
	for (int i = 1; i < LOOKS && !is_gone(k); i++)
		k = &r->items[r->next++ % READS];
	free(k->read.ids);
	*k = (struct known){ p->pid, p->began, domain, { .save = -1, .time_us = INT64_MAX } };
	return k;
}

const struct fact_read *facts_read_by(struct fs *fs, int domain, const struct process *p)
{
	struct known *k = known_by(fs, domain, p);
	return k ? &k->read : NULL;
}

void facts_note_read(struct fs *fs, int domain, const struct process *p, int64_t save,
                     int64_t time_us)
{
	struct known *k = p->pid > 0 ? known_by(fs, domain, p) : NULL;
	if (p->pid <= 0) /* of another container */
		return;
	k = k ? k : known_new(fs, domain, p);
	free(k->read.ids);
	k->read = (struct fact_read){ .save = save, .time_us = time_us };
}

void facts_note_saved(struct fs *fs, int domain, const struct process *p, int64_t save,
                      struct fact_read *had)
{
	struct known *k = known_by(fs, domain, p);
	if (!k || k->read.save < 0)
		return;
	free(k->read.ids);
	k->read = *had;
	k->read.save = save;
	had->ids = NULL;
}

/* Who puts an old version back confirms nothing that was not stale on its page. */
static void note_page(struct fs *fs, int domain, const struct process *p, int64_t time_us)
{
	struct known *k = p->pid > 0 ? known_by(fs, domain, p) : NULL;
	if (p->pid > 0 && !k)
		k = known_new(fs, domain, p);
	if (k && time_us < k->read.time_us)
		k->read.time_us = time_us;
}

void facts_opened(struct fs *fs, uint64_t ino, pid_t thread)
{
	struct process p;
	int64_t n = -1, time_us = 0;
	if (ino_kind(ino) == KIND_SCRATCH)
		ino = scratch_ino_now(fs, ino);
	int domain = (int)ino_id(ino);
	if (ino_kind(ino) == KIND_FACT_VERSION) {
		domain = (int)(ino_id(ino) >> VERSION_BITS);
		n = ino_id(ino) & ((INT64_C(1) << VERSION_BITS) - 1);
		if (facts_when_saved(fs, domain, n, &time_us))
			return;
	} else if (ino_kind(ino) != KIND_FACT_LIST) {
		return;
	}
	process_look(thread, &p);
	lock_take(&fs->docs);
	if (n >= 0)
		note_page(fs, domain, &p, time_us);
	else
		facts_note_read(fs, domain, &p, facts_version(fs, domain), store_time(fs->store));
	lock_give(&fs->docs);
}

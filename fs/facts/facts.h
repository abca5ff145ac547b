/* SPDX-License-Identifier: MIT */
/*
 * facts/DOMAIN.md: a list that anybody edits.  A page rendered from the live facts;
 * what is saved is read back, compared with what its editor had read, and becomes
 * one entry for each change, all in one transaction:
 *
 *   saved text ─► render_facts_in ─► items ─┐
 *   what the editor had (version `base`) ───┴─► changes ─► merged into the live facts
 *
 *   an item that was not there     add                      was there, in "## Stale"   confirm
 *   a missing one                  retract                  twice                      confirm
 *   one much like a missing one    retract + add, linked    other confidence           weigh
 *
 * Two who edit one list at once change different facts: both win.  Nobody's item is
 * retracted that its editor had not read.
 */
#ifndef CINTA_FACTS_H
#define CINTA_FACTS_H

#include "fs/documents/documents.h"

/* "work.md": the number of its domain, 0: none. */
int facts_domain(const char *name);
bool facts_is_name(const char *name);
int facts_start(struct fs *fs, const struct fs_options *o);
void facts_stop(struct fs *fs);
/* That thread's process has read the list as it is now.  fs->docs held, as for facts_save(). */
void facts_note_read(struct fs *fs, int domain, pid_t pid);
/* Saves a list.  `base`: the version the bytes were made from; -1: unknown (see facts.c). */
int facts_save(struct fs *fs, const struct save *save, struct saved *out, struct why *why);
/* How many versions it has. */
int64_t facts_version(struct fs *fs, int domain);

int find_facts(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino);
int next_facts(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
               uint64_t *ino);
void facts_name(struct fs *fs, uint64_t ino, char *dst, size_t size);
int page_facts(struct fs *fs, int64_t domain, struct buf *out);
int page_facts_version(struct fs *fs, int64_t id, struct buf *out);
int page_facts_log(struct fs *fs, int64_t domain, struct buf *out);
int page_facts_all(struct fs *fs, int64_t id, struct buf *out);
int page_facts_stale(struct fs *fs, int64_t id, struct buf *out);
/* The table's columns of the past; changed: domain 0 is the newest of all. */
int find_facts_at(struct fs *fs, uint64_t dir, int64_t time_us, const char *name, uint64_t *ino);
int next_facts_at(struct fs *fs, uint64_t dir, int64_t time_us, int64_t *after,
                  char name[NAME_LIMIT + 1], uint64_t *ino);
int page_facts_at(struct fs *fs, int64_t domain, int64_t time_us, struct buf *out);
int page_facts_all_at(struct fs *fs, int64_t id, int64_t time_us, struct buf *out);
int page_facts_stale_at(struct fs *fs, int64_t id, int64_t time_us, struct buf *out);
int changed_facts_at(struct fs *fs, int64_t domain, int64_t time_us, int64_t *us);
int changed_facts(struct fs *fs, int64_t domain, int64_t *time_us);
int changed_all_facts(struct fs *fs, int64_t id, int64_t *time_us);
/* The pages that a change of any fact, or the passing of days, may change. */
struct job;
void job_facts(struct job *job, int64_t domain);
on_saved_fn facts_on_saved;

/*
 * signals.c: what users say for good ("remember that …", "prefiero …") becomes facts, a moment
 * after the message is stored, never in the way of a write.  Reads on from where it was, some
 * entries at a time; adds notices of the lists that changed to `job`.  Called by one thread.
 */
void signals_read(struct fs *fs, struct job *job);

#endif

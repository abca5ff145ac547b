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
/* Saves a list (struct save).  fs->docs held. */
int facts_save(struct fs *fs, const struct save *save, struct saved *out, struct why *why);
/* How many versions it has; and when one was saved. */
int64_t facts_version(struct fs *fs, int domain);
int facts_when_saved(struct fs *fs, int domain, int64_t n, int64_t *us);

/*
 * reads.c: what each process had of a list last, for who saves it in a file of another name or
 * descriptor than the one it had read.
 */
struct fact_read {
	int64_t save;    /* the version it read, or saved itself; -1: none but as NAME@N */
	int64_t time_us; /* the earliest of which it read a page since: what was stale then */
	int64_t *ids;    /* its facts are others than that version's: */
	size_t unseen;   /* the first of these others have added: it has not read them */
	size_t gone;     /* the rest others have taken away: it has them yet */
};
/* Somebody opens an inode, perhaps a list or an old version, to read it.  fs->docs not held. */
void facts_opened(struct fs *fs, uint64_t ino, pid_t thread);
/* fs->docs held, as for those below. */
void facts_note_read(struct fs *fs, int domain, const struct process *p, int64_t save,
                     int64_t time_us);
/* It saved the list, made from what it `had`, as version `save`.  Takes the ids. */
void facts_note_saved(struct fs *fs, int domain, const struct process *p, int64_t save,
                      struct fact_read *had);
/* NULL: it read none that we know of, or nobody knows who it is. */
const struct fact_read *facts_read_by(struct fs *fs, int domain, const struct process *p);
int reads_start(struct fs *fs);
void reads_stop(struct fs *fs);

/* The message of a session that a fact's entry is; false: it is none. */
struct fact_source {
	int64_t session, n; /* n: from 1 */
};
bool facts_source(struct fs *fs, int64_t entry, struct fact_source *out);

/* A list as after a save (0: now), with what is stale at a time. */
int facts_as_saved(struct fs *fs, int domain, int64_t save, int64_t time_us, struct buf *out);

/* For the tree's table; of the past, what changed in domain 0 is the newest of all. */
node_page_fn page_facts, page_facts_version, page_facts_log, page_facts_all, page_facts_stale;
node_find_fn find_facts;
node_next_fn next_facts;
node_changed_fn changed_facts, changed_all_facts;
node_name_fn facts_name;
node_page_at_fn page_facts_at, page_facts_all_at, page_facts_stale_at;
node_changed_at_fn changed_facts_at;
node_find_at_fn find_facts_at;
node_next_at_fn next_facts_at;
/* The pages that a change of any fact, or the passing of days, may change. */
struct job;
void job_facts(struct job *job, int64_t domain);
on_saved_fn facts_on_saved;

/*
 * kept.c: what is made of all facts of a list is kept until one of them changes or has passed a day
 * that matters, so that who asks again does not read them: its page (page_facts), and these.
 */
#define FACTS_EXPIRING_US (INT64_C(7 * 86400) * 1000000)
struct fact_counts {
	int64_t live, stale;
	int64_t expiring; /* will be stale within FACTS_EXPIRING_US */
};
int facts_count(struct fs *fs, int domain, struct fact_counts *out);
/* One more live fact, as it is at a time. */
void fact_counts_add(struct fact_counts *n, const struct fact *f, int64_t now_us);
int facts_kept_start(struct fs *fs);
void facts_kept_stop(struct fs *fs);
/* Lets go of the texts, after a redaction. */
void facts_forget(struct fs *fs);
/* facts_pages.c: the page of a list as it is, and `fn` for each of its facts. */
int facts_page(struct fs *fs, int domain, int64_t now_us, fact_fn *fn, void *ctx, struct buf *out);

/*
 * undecided.c, for the dashboard and contexts: two live facts that may contradict each other, and a
 * command for each answer; adds nothing if there are none.  0 or a negative errno.
 */
int facts_undecided(struct fs *fs, struct buf *out);
int undecided_start(struct fs *fs);
void undecided_stop(struct fs *fs);

/*
 * signals.c: what users say for good ("remember that …", "prefiero …") becomes facts, a moment
 * after the message is stored, never in the way of a write.  Reads on from where it was, for some
 * hundredths of a second; adds notices of the lists that changed to `job`.  Called by one thread.
 * True: there is more to read.
 */
bool signals_read(struct fs *fs, struct job *job);

#endif

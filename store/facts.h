/* SPDX-License-Identifier: MIT */
/*
 * Part of the store's door (store.h): facts, in one list for each domain.
 *
 * A list is the stream "fD" of its domain's number D; each change is an entry, and
 * the entries of one save are committed together and carry its number, from 1:
 *
 *   kind          body
 *   fact.add      {"save":N,"text":…,"confidence":"high","source":"explicit",
 *                  "entry":SEQ,"supersedes":ID}          the last two may be absent
 *   fact.retract  {"save":N,"fact":ID,"by":ID}           `by` may be absent
 *   fact.confirm  {"save":N,"fact":ID,"entry":SEQ}       `entry` may be absent
 *   fact.weigh    {"save":N,"fact":ID,"confidence":"low"}
 *   fact.text     {"save":N,"text":…}                    the list's free text
 *
 * and each "from":{"agent":…,"session":…}, as a version of a document has it, if that is known.
 *
 * A fact's ID is the seq of the entry that added it.  What is retracted never comes
 * back: it is added anew.  All functions see every committed entry; a `save` of 0 is
 * the newest, and one that there never was is STORE_ENOENT.
 */
#ifndef CINTA_STORE_FACT_H
#define CINTA_STORE_FACT_H

#include "store/entry.h"

struct store;

/* Numbers of the lists: they are in the streams' names and never change. */
enum fact_domain {
	FACT_WORK = 1, FACT_PREFERENCES, FACT_DECISIONS, FACT_PERSONAL, FACT_PROJECTS,
	FACT_DOMAINS /* one more than the last */
};
/* "work"; NULL: no such domain.  And back: 0. */
const char *store_fact_domain_name(int domain);
int store_fact_domain(const char *name);

typedef void fact_fn(void *ctx, const struct fact *f);

/* The live facts of a list: one that stands for another has its place, the others follow by id. */
int store_fact_live(struct store *s, int domain, fact_fn *fn, void *ctx);
/* The same as after a save, with all that was known of them then. */
int store_fact_at(struct store *s, int domain, int64_t save, fact_fn *fn, void *ctx);
/* Every fact of all domains that ever was, in order of their ids; and as known at a time. */
int store_fact_all(struct store *s, fact_fn *fn, void *ctx);
int store_fact_all_at_time(struct store *s, int64_t time_us, fact_fn *fn, void *ctx);
/*
 * Some of them, at the cost of these and of passing over `skip` rows of an index: those that hold,
 * by list and place, or those that ended, the last first.
 */
int store_fact_page(struct store *s, bool ended, int64_t skip, int64_t most, fact_fn *fn,
                    void *ctx);
/* How many hold and how many ended. */
int store_fact_count(struct store *s, int64_t *held, int64_t *ended);
/* The same of those that were said, or that ended, within [time_us[0], time_us[1]), in order. */
int store_fact_between(struct store *s, bool ended, const int64_t time_us[2], int64_t skip,
                       int64_t most, fact_fn *fn, void *ctx);
/* At most so many that hold and were confirmed last within [from, to), the longest ago first. */
int store_fact_oldest(struct store *s, int64_t from_us, int64_t to_us, int64_t most, fact_fn *fn,
                      void *ctx);
/* How many hold and were confirmed last within [from, to), by their confidence. */
int store_fact_confirmed(struct store *s, int64_t from_us, int64_t to_us,
                         int64_t count[CONFIDENCE_HIGH + 1]);
/* A fact, live or not. */
int store_fact_by_id(struct store *s, int64_t id, fact_fn *fn, void *ctx);
/* The list's free text after a save, malloc'ed, NUL-terminated; the caller frees.  "": none. */
int store_fact_frame(struct store *s, int domain, int64_t save, char **text, size_t *len);

/* How many saves a list has, and when the last was (0: never). */
int store_fact_saves(struct store *s, int domain, int64_t *count, int64_t *last_us);
/* How many saves and how many entries it has: if both are the same, so is all of it. */
int store_fact_list(struct store *s, int domain, int64_t *saves, int64_t *entries);
/* The newest save not later than that; STORE_ENOENT: there was none yet. */
int store_fact_save_at(struct store *s, int domain, int64_t time_us, int64_t *save);

typedef void fact_save_fn(void *ctx, const struct fact_save *v);
/* All saves of a list, oldest first. */
int store_fact_history(struct store *s, int domain, fact_save_fn *fn, void *ctx);
/* Those of all lists that were made in an agent's conversation, oldest first. */
int store_fact_talk(struct store *s, const char *talk, fact_save_fn *fn, void *ctx);

enum fact_verb { FACT_ADD, FACT_RETRACT, FACT_CONFIRM, FACT_WEIGH, FACT_TEXT };
struct fact_change {
	enum fact_verb verb;
	int64_t fact;               /* RETRACT, CONFIRM, WEIGH: a live fact of this list */
	const char *text;           /* ADD: not empty; TEXT; UTF-8 without NUL */
	size_t len;
	enum confidence confidence; /* ADD, WEIGH */
	bool inferred;              /* ADD: not said by anybody */
	int64_t entry;              /* ADD, CONFIRM: the message it came from, or 0 */
	int64_t supersedes;         /* ADD: the fact it stands for now, or 0; retract that too */
	int64_t by;                 /* RETRACT: an older fact that stands for it, or 0 */
};
/*
 * One save: all changes or none.  STORE_EMOVED when expect_saves >= 0 and the list
 * has another number of saves; STORE_ENOENT: a change names no live fact of the list;
 * STORE_EINVAL: a text that is none.  *save (may be NULL) is its number; without
 * changes nothing is written and it is the newest's.  `talk`: the conversation of an agent in which
 * it is done; NULL: none is known.
 */
int store_fact_commit(struct store *s, int domain, const struct fact_change *changes, size_t count,
                      const char *author, const struct talk *talk, int64_t expect_saves,
                      int64_t *save);

/* What becomes of a fact when nobody confirms it; pure. */
enum fact_state {
	FACT_INJECTED,  /* goes into the context by itself */
	FACT_RETRIEVAL, /* kept, but only for those who ask */
	FACT_STALE      /* never injected; to be confirmed when somebody comes upon it */
};
/* policy_life() of a fact. */
enum life store_fact_life(const struct fact *f, int64_t now_us);
/* The same in these words: live is injected, aged for retrieval, all else stale. */
enum fact_state store_fact_state(const struct fact *f, int64_t now_us);

#endif

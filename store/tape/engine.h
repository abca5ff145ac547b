/* SPDX-License-Identifier: MIT */
/*
 * Where the tape lives.  Without an engine it is the file itself, and nothing here is paid for.
 * With one it is on a server, which gives each entry its number, chain and time; the file is then
 * a replica: the same entries, taken from the server in their order and checked like any.
 *
 *   leader     append ──► stored or refused, and all rows up to there ──┐
 *   follower   wait ··· pull ──► rows ──────────────────────────────────┴─► tape_take(): the file
 *
 * Invariants
 *   1. A row reaches the file only after the server has committed it, durably.
 *   2. The file is a prefix of the server's tape; where it is not (ROLLBACK, FORK) it says so, and
 *      takes nothing any more.
 *   3. Each call has a number, and a number counts once: sent twice it is stored once.
 *
 * An engine is used by one thread at a time (far.c: its lock), but for head(), wait() and end().
 */
#ifndef CINTA_ENGINE_H
#define CINTA_ENGINE_H

#include "store/proof/proof.h"
#include "store/store.h"

/* What a call may carry; of more the leader makes several. */
enum { CALL_REQUESTS = 200, CALL_DRAFTS = 500, CALL_BYTES = 4 << 20 };

/* Where the file ends. */
struct engine_tip {
	int64_t next;             /* entries it has */
	uint8_t leaf[HASH_SIZE];  /* of the last one; zeros: there is none */
};

/*
 * Rows in the order of the tape, of which the first may be known already; they live for the call.
 * Salt and body NULL: it was redacted.  Nonzero ends the reading with that code.
 */
typedef int engine_rows_fn(void *ctx, const struct entry *rows, size_t count);

struct engine_draft {
	const struct draft *draft;
	size_t request;           /* its place in `requests` */
	uint8_t salt[SALT_SIZE];
};

struct engine_request {
	int64_t expect, seen;     /* as in struct append */
	int64_t said;             /* not 0: refused if a message of an agent's came since */
	bool refused;             /* out: STORE_EMOVED; nothing of it was stored */
};

struct engine_call {
	struct engine_request *requests;
	size_t request_count;
	struct engine_draft *drafts; /* in the order of their requests */
	size_t draft_count;
	int64_t time_us;             /* the server takes it if its own clock has come so far */
	int64_t first;               /* out: seq of the first entry; what was not refused follows it */
	size_t stored;               /* out: entries */
	bool sent;                   /* out: the server may have stored it, whatever append() returns */
};

struct engine_news {
	const char *note;          /* this machine's newest, NULL: it has none */
	int64_t size;              /* over so many entries */
	int64_t clean;             /* below, nothing is left of what was redacted; -1: not known */
	bool can_sign;
	char newer[NOTE_OWN_SIZE]; /* out: one over more entries, or another over as many; "": none */
	bool signs;                /* out: this machine is to sign */
};

/* What to do where machine and engine differ. */
#define ENGINE_TODO_FORK \
	"keep a copy of both, and find out which of them was changed: cinta.1, SERVERS"

struct engine;
struct engine_ops {
	/*
	 * Gives all rows that the server has and the file has not.  STORE_EAWAY: it cannot be reached;
	 * STORE_EFORMAT: ROLLBACK or FORK, engine->why says which; or what `rows` returned.
	 */
	int (*pull)(struct engine *e, const struct engine_tip *have, engine_rows_fn *rows, void *ctx);
	/*
	 * Stores what is not refused, durably.  Then gives rows, not all if they are many: then pull.
	 * Waits for a server that does not answer, as long as patience lasts.  STORE_EAWAY: nothing was
	 * sent; STORE_EUNKNOWN: it was sent and not answered, and settle() is to be asked before
	 * the next call; STORE_EFORMAT as above; another code: it answered, and nothing was stored.
	 */
	int (*append)(struct engine *e, const struct engine_tip *have, struct engine_call *c,
	              engine_rows_fn *rows, void *ctx);
	/*
	 * What became of the call that had no answer: it is never stored later.  0: *first is the seq
	 * of its first entry, -1 if nothing was stored.  STORE_ENOENT: nothing waits.  Else a code as
	 * above.
	 */
	int (*settle)(struct engine *e, const struct engine_tip *have, int64_t *first);
	/* Tells how this machine stands, and gets the newest note of all. */
	int (*exchange)(struct engine *e, const struct engine_tip *have, struct engine_news *n);
	/*
	 * The memory as tables: how many entries are in them if this machine, whose views of that
	 * version have seen so many, is to fill them (-1: no), and what number their last change by
	 * others has.  Then rows for one as tape.fill() has them, of views with `seen` entries;
	 * STORE_EMOVED: it is not to, or there is a redaction or change that it has not known.
	 */
	int (*tables)(struct engine *e, const struct engine_tip *have, int64_t version, int64_t seen,
	              int64_t at[2]);
	int (*fill)(struct engine *e, const struct engine_tip *have, const char *what, int64_t seen,
	            int64_t known, const char *rows);
	/* The machines that keep a replica. */
	int (*machines)(struct engine *e, const struct engine_tip *have, machine_fn *fn, void *ctx);
	/*
	 * How many entries there are now, beside what others do, by one thread at a time.  0 within
	 * `ms`; else a STORE_ code with `why`.
	 */
	int (*head)(struct engine *e, int ms, int64_t *next, struct why *why);
	/*
	 * From now on this opening shows that many entries unasked (-1: no more), and how many others
	 * may be showing less than so many: as head().
	 */
	int (*show)(struct engine *e, int ms, int64_t upto, struct why *why);
	int (*unseen)(struct engine *e, int ms, int64_t upto, int64_t *count, struct why *why);
	/*
	 * Waits until the server tells of entries or `ms` are over: how many it has then, 0 if it did
	 * not say.  Of the follower alone, beside what others do.
	 */
	int64_t (*wait)(struct engine *e, int ms);
	/* Any thread: all waiting ends, now and from now on. */
	void (*end)(struct engine *e);
	void (*free)(struct engine *e);
};

struct engine {
	const struct engine_ops *ops;
	char name[256];           /* its URL as it may be shown: no password */
	char origin[FIELD_MAX + 1]; /* of its tape; "" until it was reached once */
	char place[256];          /* the file, as others are told of it */
	int patience_ms;
	struct why why;           /* of the last failure */
};

#endif

/* SPDX-License-Identifier: MIT */
/*
 * sessions/NAME/context.md: what a model should read now.
 *
 *   gather    blocks, sections, facts, summaries, the window, results that wait: pieces
 *   search    what the whole memory has for the newest message, in what these leave
 *   fit       each kind to its share, then all to the total (store/policy/policy.h)
 *   render    in the order of their kinds, and what was left out
 *
 * Beside the search nothing here costs more in a longer session: it looks at the newest
 * POLICY_LOOK_BACK active messages, the pinned ones and the last summaries.
 *
 * Who opens it is shown it: that becomes the `context` references of the session's
 * next assistant message (exposure_take()).
 * Private to fs/context.
 */
#ifndef CINTA_FS_CONTEXT_PAGE_H
#define CINTA_FS_CONTEXT_PAGE_H

#include <string.h>

#include "fs/context/context.h"
#include "fs/facts/facts.h"
#include "fs/internal.h"
#include "fs/window/window.h"

/* A part with what it owns. */
struct piece {
	struct context_part part;
	char *text, *title, *where;
	char role[16], said[64], author[FIELD_MAX + 1];
	enum part_kind cut_as;
	int64_t tokens;      /* as it is printed */
	int64_t seq;         /* entry that holds it, 0: of a document */
	int64_t doc;         /* document, 0: none */
	bool out;            /* it does not fit */
};

/* A message looked at. */
struct looked {
	int64_t n, seq, time_us, tokens;
	char role[16], tool[64], author[FIELD_MAX + 1];
	char by[64];  /* who said it, if the line tells */
	bool pinned, error;
	bool waits;   /* a tool's result that nobody has answered */
	bool shown;   /* in the window */
	char *text;   /* cut at POLICY_TURN_BYTES */
	size_t len;
	bool whole;
};

static inline bool looked_by_user(const struct looked *t)
{
	return strcmp(t->role, "user") == 0;
}

struct context {
	struct fs *fs;
	struct policy policy;
	const char *of;                /* what its heading says */
	bool of_thread;                /* `of` is a thread */
	int64_t session;               /* 0: for a question */
	struct group group;
	struct context_state state;
	struct looked turn[POLICY_LOOK_BACK]; /* oldest first */
	size_t turns, results, passed; /* of the turns, results of tools; passed over */
	size_t bytes;                  /* of all of them */
	bool more;                     /* there are older ones that were not looked at */
	int64_t pinned_seen, pinned_last, pinned_added; /* by context_window() */
	bool eager;                    /* the least window: the context is large */
	char writer[FIELD_MAX + 1];    /* who wrote the newest message, without the program */
	int64_t oldest_shown;          /* number of the first message of the window */
	struct piece *piece;
	size_t count, room;
	struct context_left left;
	struct buf memory;             /* the last part, as printed; empty: none */
	struct fact_counts facts;
	bool failed;
};

/* Copies `p` and its strings.  Tokens are counted. */
struct piece *context_add(struct context *c, const struct context_part *p, enum part_kind cut_as,
                          int64_t seq, int64_t doc);
/* The same where part_tokens() has counted already. */
struct piece *context_add_counted(struct context *c, const struct context_part *p, int64_t tokens,
                                  enum part_kind cut_as, int64_t seq, int64_t doc);
/* Tokens by which a text is longer once what could be the page's own lines is quoted. */
int64_t context_quoted(const struct context *c, const char *text, size_t len);
/* As context_add(), at most `most` tokens of its quoted text; `all`: of the whole, 0: unknown. */
struct piece *context_add_fit(struct context *c, const struct context_part *p, int64_t most,
                              int64_t all, enum part_kind cut_as, int64_t seq, int64_t doc);

/* All zeros but for `fs`; NULL: no memory. */
struct context *context_new(struct fs *fs);
void context_free(struct context *c);
/* As it was when it was new. */
void context_clear(struct context *c);
void piece_print(struct buf *out, const struct piece *p);
int64_t piece_tokens(const struct context *c, const struct piece *p);
/* The same of a part that is no piece yet. */
int64_t part_tokens(const struct context *c, const struct context_part *p);

/* The sections an agent writes, 3 to 6. */
enum { CONTEXT_SECTIONS = 4 };
struct context_section {
	const char *name, *title; /* below smma/ */
};
extern const struct context_section context_section[CONTEXT_SECTIONS];

/*
 * context_turns.c: the newest message of the user, and as long as that has fewer than `few` telling
 * words the turns before it, until there are ASKED_ENOUGH.  Adds them to `words`; `newest` is that
 * message's place among the turns, c->turns if there is none.  Returns how many words tell.
 */
enum { ASKED_FEW = 3, ASKED_ENOUGH = 12 };
int context_asked(const struct context *c, int few, struct buf *words, size_t *newest);

/* context_gather.c */
int context_blocks(struct context *c);
int context_sections(struct context *c);
int context_refusal(struct context *c);
/*
 * context_facts.c: what is believed that belongs to what is talked about, by its words (and the
 * vectors of an embedding model that are here), and a few other facts.  After context_window().
 */
int context_facts(struct context *c);
/* Only how many there are, are stale, will be: what the dashboard tells. */
int context_facts_count(struct context *c);
/* context_turns.c: looks at the turns; then what of them is shown. */
int context_look(struct context *c);
int context_window(struct context *c);
/* A message, at most `most` tokens of it. */
void context_add_message(struct context *c, const struct looked *t, int64_t most);
/* The turns that can be in the window: neither tools' results nor what is only pinned. */
size_t context_candidates(const struct context *c, size_t at[POLICY_LOOK_BACK]);
/* context_segments.c: what stands for the turns before the window. */
int context_summaries(struct context *c);
/* The segments before the window, newest first, at most `most`; after context_window(). */
int context_segments(struct context *c, struct context_segment *out, size_t most, size_t *count);
/*
 * context_found.c: what a search for the newest message of the user finds, and for what is talked
 * about where that message is short; as much as the other pieces leave of the total, `most` tokens
 * at most, best first.  After all other pieces.  Nothing that the page shows already, nothing
 * retired.
 */
int context_found(struct context *c, int64_t most);
/*
 * context_memories.c: long-term memories for the same words, by their score, in remembered_tokens;
 * live ones alone.  After context_window().
 */
int context_memories(struct context *c);
/*
 * pressure.c: what the session's agent holds and should do, into a `d` that is all zeros or has
 * alerts already; after context_facts() or context_facts_count().
 */
int context_pressure(const struct context *c, struct dashboard *d);
void __attribute__((format(printf, 2, 3)))
dashboard_alert(struct dashboard *d, const char *fmt, ...);
/*
 * advice.c: adds to `out` which two facts nobody has decided between, and to `d` the alert, which
 * ends with `where`, and the action if it has none.  After context_pressure().  0 or a negative
 * errno.
 */
int context_undecided(struct fs *fs, struct dashboard *d, const char *where, struct buf *out);
/* piece.c: the page of all pieces that are not out, in place of what is in `out`; its tokens. */
void context_print(const struct context *c, struct buf *out);
int64_t context_tokens(const struct context *c);

/* Which documents were put before a model for what is asked: memories, when they are some. */
void context_used(const struct context *c, struct context_used *out);
/* Fits the pieces into the total and prints them.  -ENOMEM if anything could not be made. */
int context_fit(struct context *c, struct buf *out);
/* The parameters: the active algorithm's, with the threshold the mount was given. */
int fs_policy(struct fs *fs, struct policy *out);
/* Begins a new one with what the session is, and its turns. */
int context_start(struct context *c, int64_t session);
/* Begins a new one of no session, for this text. */
int context_start_for(struct context *c, const char *of);

#endif

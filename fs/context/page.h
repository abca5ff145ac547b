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
 * next assistant message (shown_take()).
 * Private to fs/context.
 */
#ifndef CINTA_FS_CONTEXT_PAGE_H
#define CINTA_FS_CONTEXT_PAGE_H

#include <string.h>

#include "fs/context/context.h"
#include "fs/internal.h"

/* A part with what it owns. */
struct piece {
	struct context_part part;
	char *text, *title, *where;
	char role[64];
	enum part_kind cut_as;
	int64_t tokens;      /* as it is printed */
	int64_t seq;         /* entry that holds it, 0: of a document */
	int64_t doc;         /* document, 0: none */
	bool out;            /* it does not fit */
};

/* A message looked at. */
struct looked {
	int64_t n, seq, time_us, tokens;
	char role[16], tool[64];
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
	int64_t session;               /* 0: for a question */
	struct group group;
	struct context_state state;
	struct looked turn[POLICY_LOOK_BACK]; /* oldest first */
	size_t turns, results, passed; /* of the turns, results of tools; passed over */
	size_t bytes;                  /* of all of them */
	int64_t pinned_seen, pinned_last, pinned_added; /* by context_window() */
	bool eager;                    /* the least window: the context is large */
	char writer[FIELD_MAX + 1];    /* who wrote the newest message, without the program */
	int64_t oldest_shown;          /* number of the first message of the window */
	struct piece *piece;
	size_t count, room;
	struct context_left left;
	int64_t facts_live, facts_stale, facts_expiring;
	bool failed;
};

/* Copies `p` and its strings.  Tokens are counted. */
struct piece *context_add(struct context *c, const struct context_part *p, enum part_kind cut_as,
                          int64_t seq, int64_t doc);
/* The same, at most `most` tokens of its text; `all`: tokens of the whole, 0: to be counted. */
struct piece *context_add_fit(struct context *c, const struct context_part *p, int64_t most,
                              int64_t all, enum part_kind cut_as, int64_t seq, int64_t doc);

void context_release(struct context *c);
void piece_print(struct buf *out, const struct piece *p);
int64_t piece_tokens(const struct context *c, const struct piece *p);

/* The sections an agent writes, 3 to 6. */
enum { CONTEXT_SECTIONS = 4 };
struct context_section {
	const char *name, *title; /* below smma/ */
};
extern const struct context_section context_section[CONTEXT_SECTIONS];

/* context_gather.c */
int context_blocks(struct context *c);
int context_sections(struct context *c);
int context_facts(struct context *c);
int context_refusal(struct context *c);
/* context_turns.c: looks at the turns; then what of them is shown. */
int context_look(struct context *c);
int context_window(struct context *c);
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
/* piece.c: the page of all pieces that are not out, in place of what is in `out`; its tokens. */
void context_print(const struct context *c, struct buf *out);
int64_t context_tokens(const struct context *c);
/* context_digest.c: what a command said of these messages, for free(); NULL: nothing that holds. */
char *context_digest(const struct context *c, struct context_range r, int64_t *seq);

/* Fits the pieces into the total and prints them. */
void context_fit(struct context *c, struct buf *out);
/* The parameters: the active algorithm's, with the threshold the mount was given. */
int fs_policy(struct fs *fs, struct policy *out);
/* Begins one, with what the session is and its turns; release in every case. */
int context_start(struct context *c, struct fs *fs, int64_t session);

#endif

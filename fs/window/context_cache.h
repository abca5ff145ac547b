/* SPDX-License-Identifier: MIT */
/*
 * The context made last, which is asked for by size and then read; and what is hidden in a
 * session since its last operation.
 */
#ifndef CINTA_CONTEXT_CACHE_H
#define CINTA_CONTEXT_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "render/format/plain.h"
#include "store/lock.h"

struct fs;
struct fs_options;
struct dashboard;
struct policy_message;

/* What a page depends on: the tape, the clock (facts age), refusals, what the workspace holds. */
struct cache_key {
	int64_t tape_bytes, minute, refusals, scratch;
	int64_t known; /* entries: one of another process's is in tape_bytes before pages show it */
	int64_t client; /* each mount may have blocks of its own */
	bool refuses;   /* it takes no writes, and the page says why */
};

/* What is hidden in a session since its last operation. */
struct hidden_size {
	int64_t session, last_seq; /* session 0: not known */
	int64_t tokens, summaries; /* of messages that are not active; of the summaries */
};

/* Documents that a page remembers or has found: to be shown it is a use of these memories. */
struct context_used {
	int64_t doc[64];
	size_t count;
};

/* Since the daemon started. */
struct context_counts {
	int64_t made;           /* pages */
	int64_t opened, tokens; /* by readers, and the tokens these were given */
	int64_t last;           /* of these, the newest page's */
};
void context_counts_get(struct fs *fs, struct context_counts *out);
/* A page of so many tokens was opened. */
void context_counts_open(struct fs *fs, int64_t tokens);

int context_cache_start(struct fs *fs, const struct fs_options *o);
void context_cache_stop(struct fs *fs);
/* Lets go of the page that was made last, and of what it depended on. */
void context_cache_forget(struct fs *fs);

/* Appends the page of a session, if nothing has changed since it was kept. */
bool context_cache_get(struct fs *fs, int64_t session, struct buf *page, struct buf *refs);
/* `now`: as it was before the page was made. */
void context_cache_keep(struct fs *fs, int64_t session, const struct cache_key *now,
                     const struct buf *page, const struct buf *refs,
                     const struct context_used *used);
/* What the page used, if it is the one that is kept: told once, so a page counts once. */
void context_cache_used(struct fs *fs, int64_t session, struct context_used *out);
/* Tokens hidden in a session, if they are known for its last operation. */
bool context_cache_hidden(struct fs *fs, int64_t session, int64_t last_seq,
                          struct hidden_size *out);
void context_cache_keep_hidden(struct fs *fs, const struct hidden_size *hidden);
void context_cache_key(struct fs *fs, struct cache_key *out);

/* All of a session's dashboard as it was for that key; its `session` is for the caller to set. */
bool context_cache_measured(struct fs *fs, int64_t session, const struct cache_key *now,
                            struct dashboard *out);
void context_cache_keep_measured(struct fs *fs, int64_t session, const struct cache_key *now,
                                 const struct dashboard *d);

/*
 * What an advice is about (pressure.c): a session's messages from the first on, up to number
 * `seen`.  More messages do not change these; an operation does.
 */
struct held_messages {
	int64_t session, last_seq, seen; /* session 0: none */
	size_t count;
	struct policy_message *message;
	char (*tool)[64]; /* of each */
};
/* Copies them, with room for `most`; 0 messages: they are not known.  seen: 0 then. */
void context_cache_held(struct fs *fs, int64_t session, int64_t last_seq, size_t most,
                        struct held_messages *into);
void context_cache_keep_held(struct fs *fs, const struct held_messages *held);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * context.md and dashboard.md: what a model is given to read now, and how full its
 * memory is.  Part of the renderer's door (render.h): pure.  What is chosen, and how
 * much of it, is decided elsewhere (store/policy/policy.h, fs/context/context.c).
 */
#ifndef CINTA_RENDER_CONTEXT_H
#define CINTA_RENDER_CONTEXT_H

#include "render/context/summary.h"
#include "render/format/plain.h"
#include "render/vectors/vectors.h"
#include "store/entry.h"

/* In the order in which they stand: what changes least comes first, so that a provider's
 * cache of the beginning holds longest. */
enum context_kind {
	CONTEXT_BLOCK,   /* identity and active blocks */
	CONTEXT_SECTION, /* what is known of user, project, task; the agent's notes */
	CONTEXT_FACTS,   /* one fact */
	CONTEXT_MEMORY,  /* a long-term memory: a line of its own */
	CONTEXT_SUMMARY, /* of turns that left the window */
	CONTEXT_HIT,     /* found for a question: a line of its own */
	CONTEXT_TURN,    /* a message in the window */
	CONTEXT_RESULT,  /* of a tool, not answered yet */
	CONTEXT_REFUSAL, /* what the writer tried last, and may try again */
	CONTEXT_KINDS
};

/* One piece.  Strings are the caller's; "" for what does not apply. */
struct context_part {
	enum context_kind kind;
	const char *title; /* of a block or section, a fact's domain, a tool's name; of a message that
	                      was found, and of a summary of another session, the session; of a memory
	                      and of all else that was found its path */
	const char *where; /* the whole of it, below the mount point */
	const char *text;
	size_t len;        /* what is shown */
	bool within;       /* of a hit or memory: the text before it is not shown */
	int64_t left;      /* tokens that are not */
	int64_t first, last; /* messages: of a summary; of a turn, result or hit `first` alone; 0: of
	                        a hit that is no message */
	int64_t time_us;
	const char *role;
	const char *said;   /* of a turn, result or hit: for whom its writer says he speaks; "" or NULL:
	                       he does not */
	const char *author; /* who wrote a message, as its entry names him; "" or NULL: not told */
	bool claimed;      /* the author is not one who may speak in that role */
	bool pinned;
	bool inferred;     /* a fact nobody said; a summary by rule */
	bool by_command;   /* a summary the mount's command made */
	enum confidence confidence;
};

/* What was left out: how many, and their tokens where they are known. */
struct context_left {
	const char *session; /* "" : none */
	int64_t messages, summaries;
	int64_t facts, repeated, stale; /* facts: all; of these said lately; of these stale */
	int64_t blocks, sections, results, pinned;
	bool unsearched; /* what is found: there could be no search */
	int64_t known; /* blocks that describe what the session has shown it knows */
};

/* `of`: the question; "" for a session's page, whose beginning is the same for all sessions. */
void render_context_head(struct buf *out, const char *of);
/* Whose page it is, behind what is the same for all. */
void render_context_of(struct buf *out, const char *group, bool thread);
/*
 * At the end of a context without a session: how one begins, or that the newest one is `hidden`.
 * `can`: what it tells to do, this mount lets.
 */
void render_context_begin(struct buf *out, bool hidden, bool can);
/* The heading before the first part of a kind. */
void render_context_heading(struct buf *out, enum context_kind kind);
void render_context_part(struct buf *out, const struct context_part *p);
/* True if two hits stand under one heading: messages of one session and day, or no messages. */
bool render_context_together(const struct context_part *a, const struct context_part *b);
/* What stands above the hits of a group: its session and day, or a blank line. */
void render_context_group(struct buf *out, const struct context_part *first);
/* The last line. */
void render_context_left(struct buf *out, const struct context_left *left);

/* A text as a context's part shows it: what could look like the page is escaped. */
void render_quoted(struct buf *out, const char *text, size_t len);
/*
 * How much of `text` has at most `most` tokens: whole lines if that is more than half of
 * it, else whole words, else whole characters.
 */
size_t render_fit(const char *text, size_t len, int64_t most,
                  int64_t (*count)(const char *text, size_t len));
struct terms;
/*
 * The passage of `text` around the cluster of terms, of at most `most` tokens: bytes
 * [*from, *from + *fit).  RENDER_ENOMEM.
 */
int render_passage(const char *text, size_t len, const struct terms *terms, int64_t most,
                   int64_t (*count)(const char *text, size_t len), size_t *from, size_t *fit);

/* Adds a turn to what was said. */
void render_said(struct buf *said, const char *text, size_t len);
/* True if this text, case, accents and punctuation apart, is part of what was said. */
bool render_says(const struct buf *said, const char *text, size_t len);

/* ---- dashboard.md ------------------------------------------------------------ */

enum { DASHBOARD_ALERTS = 8, DASHBOARD_SESSIONS = 10 };

struct dashboard {
	const char *session;      /* "" : none yet */
	int64_t used, safe;       /* tokens */
	double percent;
	const char *level;
	int threshold;            /* per cent */
	struct context_state window;
	int sections, sections_most; /* of smma/, that have text */
	int64_t subtasks_done, subtasks; /* of smma/current_task.md */
	int64_t workspace;        /* tokens of smma/workspace, about; `used` has them */
	int64_t context_most;     /* tokens of context.md */
	int64_t everything;       /* tokens of all messages of the session */
	int64_t facts, stale, expiring; /* live ones */
	/* Pages of context.md since the daemon started, and the tokens readers were
	   given, by all and by the newest. */
	int64_t pages_made, pages_opened, tokens_given, tokens_last;
	char alert[DASHBOARD_ALERTS][256];
	int alerts;
	char action[256];         /* "" : none */
	char command[256 + 4 * NAME_LIMIT]; /* how to do it, "" : none; may be pasted as it is */
	struct dashboard_session {
		char name[NAME_LIMIT + 1];
		int64_t messages, tokens;
	} items[DASHBOARD_SESSIONS]; /* the newest first */
	int sessions;
};
void render_dashboard(struct buf *out, const struct dashboard *d);
/* The lines of it that end a context: usage, pressure, alerts, action. */
void render_memory(struct buf *out, const struct dashboard *d);

/* .cinta/metrics, in the Prometheus text format 0.0.4; `e` NULL: no embedding endpoint. */
void render_metrics(struct buf *out, const struct status *s, const struct dashboard *d,
                    const struct embedding_status *e);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The door of render/logs: lines offered and shown, and the control file of a session.
 * Part of the room's door.
 */
#ifndef CINTA_RENDER_LOGS_H
#define CINTA_RENDER_LOGS_H

#include "render/format/plain.h"

/*
 * One offered line of a message log (without its newline) to the body of a
 * tape entry: the client's members byte for byte, the members the system owns
 * moved under "source", what `defaults` (a JSON object, or NULL) has and the line
 * has not, then "token_count".  A message of the assistant that names no `refs` gets those
 * `shown` (a JSON array, NULL or empty: none), which is then emptied.  A line copied from a log (it
 * has `hash` and `prev_hash`) gets none of these: it has what it got then.  `thread` receives
 * the message's thread name, "" if it names none.  Rules: docs/format.md, "Messages".
 */
int render_message_in(const char *line, size_t len, const struct buf *defaults,
                      struct buf *shown, count_tokens_fn *count, struct buf *body,
                      char thread[NAME_LIMIT + 1], struct why *why);

/*
 * The same for a line of records: any JSON object, its members byte for byte,
 * the system's under "source".  Rules: docs/format.md, "Records".
 */
int render_record_in(const char *line, size_t len, struct buf *body, struct why *why);

/* {"name":…}: the body of a `session` entry. */
void render_session_body(struct buf *out, const char *name);
/* The same of a session that holds a conversation of an agent. */
void render_taken_session_body(struct buf *out, const char *name, const struct talk *t);

struct json;
/* When and by whom a message was said, as store_said(); `j`: its body, NULL if it has none. */
void saying_read(const struct json *j, const struct entry *e, struct saying *out);

/* A message's part of transcript.md.  A pure function of the entry. */
void render_transcript(struct buf *out, const struct entry *e);
/* The content of a message whose role is user; false: it is none. */
bool render_user_content(struct buf *out, const struct entry *e);

enum { CTL_LINE_LIMIT = 16 << 10 }; /* most bytes of a command */

/* The commands of a write to ctl.  Their ranges and texts live in the buffers. */
struct ctl {
	struct context_op *op;
	size_t count;
	struct buf ranges, texts;
};
/*
 * Reads commands, one a line; blank lines and lines that begin with # are passed over.
 * RENDER_EINVAL, RENDER_EFBIG with `why` and its line.  `out` is to be released in
 * every case.
 */
int render_ctl_in(const char *bytes, size_t len, struct ctl *out, struct why *why);
void ctl_release(struct ctl *c);

/* Some ranges in words; false: no more of them will be shown. */
struct ctl_ranges {
	struct buf text;
	size_t count;
};
bool ctl_ranges_add(struct ctl_ranges *r, struct context_range range);
/* sessions/<name>/ctl */
struct ctl_page {
	const char *session;
	struct context_state state;
	struct ctl_ranges pruned, pinned, summaries;
};
void render_ctl_page(struct buf *out, const struct ctl_page *p);
/*
 * smma/action_log.md: a head, then turns and summaries.  session NULL: there is none;
 * `before`: what is older than this message is left out, 0: nothing is.
 */
void render_action_head(struct buf *out, const char *session, const struct context_state *s,
                        int64_t before);
void render_action_turn(struct buf *out, const struct turn *t);
void render_action_summary(struct buf *out, const struct summary *y);

/*
 * Lines of active.jsonl.  `continuity`: how near it is to the active message before it, 0 to 1;
 * below 0: not known.  A summary's tokens are those of its text.
 */
void render_working_message(struct buf *out, const struct turn *t, double continuity);
void render_working_summary(struct buf *out, const struct summary *y, int64_t tokens);

/* 0 if these bytes may be a summary; RENDER_EINVAL, RENDER_EFBIG with `why`. */
int render_summary_in(const char *bytes, size_t len, struct why *why);
/*
 * True if `name` is that of a summary, "3-9.md", perhaps with leading zeros.  *out is its range;
 * 0 to 0 when it looks like one and is none ("9-3.md").
 */
bool render_summary_name(const char *name, struct context_range *out);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The door of the renderer: records to pages and offered lines to records.
 * Everything here is pure: bytes in, bytes out; no I/O, no clock, no store.
 *
 * Outputs are appended to a caller-owned `struct buf`; check `failed` once.
 * Functions that read what a user offered return 0 or a negative RENDER_ code
 * and then fill `why`.
 */
#ifndef CINTA_RENDER_H
#define CINTA_RENDER_H

#include "render/buf.h"
#include "store/entry.h"

enum {
	RENDER_EINVAL = -1, /* the text is not what belongs there */
	RENDER_EFBIG = -2,  /* too long */
	RENDER_ENOMEM = -3
};

enum {
	LINE_LIMIT = 1 << 20, /* longest line of a log, bytes without the newline */
	DEPTH_LIMIT = 64      /* deepest nesting of arrays and objects in a line */
};

typedef int64_t count_tokens_fn(const char *text, size_t len);

/*
 * One offered line of a message log (without its newline) to the body of a
 * tape entry: the client's members byte for byte, the members the system owns
 * moved under "source", then "token_count".  `thread` receives the message's
 * thread name, "" if it names none.  Rules: docs/format.md, "Messages".
 */
int render_message_in(const char *line, size_t len, count_tokens_fn *count, struct buf *body,
                      char thread[NAME_LIMIT + 1], struct why *why);

/* Checks the name of a session or thread; `what` is "session" or "thread". */
int render_check_name(const char *name, size_t len, const char *what, struct why *why);

/* {"name":…}: the body of a `session` entry. */
void render_session_body(struct buf *out, const char *name);

/* A message's part of transcript.md.  A pure function of the entry. */
void render_transcript(struct buf *out, const struct entry *e);
/* messages/NNNNNN.md: one message, all its members as front matter. */
void render_message_page(struct buf *out, const struct entry *e, const char *session);
/* sessions/<name>/session.md */
void render_session_page(struct buf *out, const struct group *session);
/* A line of refs.jsonl, with its newline. */
void render_ref(struct buf *out, const struct ref *ref);
/* A line of errors.log, with its newline. */
void render_refusal(struct buf *out, const struct refusal *r);
/* README.md of the mount: what this is and how to use it, under 60 lines. */
void render_readme(struct buf *out);
/* .cinta/status.json */
void render_status(struct buf *out, const struct status *s);
/* .cinta/verify.sh: checks the tape with sqlite3, sha256sum and openssl alone. */
void render_verify_script(struct buf *out);

#endif

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

#include "render/format/buf.h"
#include "render/pages/compare.h"
#include "render/context/context.h"
#include "render/pages/embedding.h"
#include "render/pages/memory.h"
#include "render/search/query.h"
#include "render/context/summary.h"
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

/* Tokens of a text; -1: no memory. */
typedef int64_t count_tokens_fn(const char *text, size_t len);

/*
 * One offered line of a message log (without its newline) to the body of a
 * tape entry: the client's members byte for byte, the members the system owns
 * moved under "source", what `defaults` (a JSON object, or NULL) has and the line
 * has not, then "token_count".  A message of the assistant that names no `refs` gets those
 * `shown` (a JSON array, NULL or empty: none), which is then emptied.  `thread` receives
 * the message's thread name, "" if it names none.  Rules: docs/format.md, "Messages".
 */
int render_message_in(const char *line, size_t len, const struct buf *defaults,
                      struct buf *shown, count_tokens_fn *count, struct buf *body,
                      char thread[NAME_LIMIT + 1], struct why *why);
/* The members that session.md gives to messages without them, as a JSON object; "" for none. */
void render_session_defaults(struct buf *out, const char *bytes, size_t len);

/*
 * The same for a line of records: any JSON object, its members byte for byte,
 * the system's under "source".  Rules: docs/format.md, "Records".
 */
int render_record_in(const char *line, size_t len, struct buf *body, struct why *why);

/* Checks the name of a session or thread; `what` is "session" or "thread". */
int render_check_name(const char *name, size_t len, const char *what, struct why *why);

/* {"name":…}: the body of a `session` entry. */
void render_session_body(struct buf *out, const char *name);

/* A message's part of transcript.md.  A pure function of the entry. */
void render_transcript(struct buf *out, const struct entry *e);
/* The content of a message whose role is user; false: it is none. */
bool render_user_content(struct buf *out, const struct entry *e);
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
/* .cinta/status.json; `e` NULL: there is no embedding endpoint. */
void render_status(struct buf *out, const struct status *s, const struct embedding_status *e);
/* ---- documents (cinta.5, "Documents") --------------------------------- */

enum family {
	FAMILY_SECTION,   /* smma/NAME.md: user_profile project_context current_task agent_notes */
	FAMILY_IDENTITY,  /* smma/identity.md */
	FAMILY_BLOCK,     /* blocks/CATEGORY/CODE.md */
	FAMILY_MEMORY,    /* memories/TYPE/KEY.md */
	FAMILY_COMPONENT, /* components/TABLE/CODE.md */
	FAMILY_ALGORITHM, /* algorithms/CODE/VERSION.json */
	FAMILY_SESSION,   /* sessions/NAME/session.md */
	FAMILY_NOTE,      /* notes/…/NAME */
	FAMILY_FACTS,     /* facts/DOMAIN.md: a list, no document of its own */
	FAMILY_ANSWER     /* answers/QUESTION.md, answers/tools/CALL.md */
};

enum { DOCUMENT_LIMIT = 1 << 20 }; /* most bytes of any document */

struct document {
	enum family family;
	const char *dir;  /* the last part of its directory: category, type, table, code, session; "" */
	const char *name; /* its file name */
};

/* Is `name` a memory's in this family?  Everything else there is scratch (cinta.5). */
bool render_is_document(enum family family, const char *name);
/* May a folder below notes/ (FAMILY_NOTE) or algorithms/ (FAMILY_ALGORITHM) have this name? */
bool render_is_folder(enum family family, const char *name);
/*
 * Checks a document's bytes and appends its typed fields to `fields` as a JSON
 * object.  RENDER_EINVAL, RENDER_EFBIG with `why`.
 */
int render_document_in(const struct document *d, const char *bytes, size_t len,
                       count_tokens_fn *count, struct buf *fields, struct why *why);

/* The body of a `document` entry; `sha256` is hex of `bytes`. */
struct version_text {
	const char *fields; /* a JSON object */
	const char *bytes;
	size_t len;
	int64_t tokens, added, removed;
	const char *sha256;
};
void render_version_body(struct buf *out, const struct version_text *v);
/* The bodies of `document.make`, `rename` and `retire` entries. */
void render_make_body(struct buf *out, const char *parent, const char *name, const char *path,
                      bool folder);
void render_rename_body(struct buf *out, const char *parent, const char *name, const char *path);
void render_retire_body(struct buf *out, int64_t into);
/* Lines in `b` that are not in `a`, and the reverse. */
void render_line_changes(const char *a, size_t a_len, const char *b, size_t b_len, int64_t *added,
                         int64_t *removed);
/*
 * Whom a player (components/ply/NAME) claims to be: a user's number (-1: none), a
 * program's name ("": none).  False: nobody, or these bytes are no component's.
 */
bool render_claim(const char *name, const char *bytes, size_t len, int64_t *uid,
                  char program[64]);
/* One block of blocks/.active.md: a heading, then its text (without front matter). */
void render_block(struct buf *out, const char *category, const char *code, const char *name,
                  const char *text, size_t len);
/* Has this version of an algorithm the status `active`?  The same with `deprecated` instead. */
bool render_algorithm_active(const char *bytes, size_t len);
void render_algorithm_retire(struct buf *out, const char *bytes, size_t len);
/* A line of facts/facts.jsonl, and of facts/DOMAIN.md@log, with its newline. */
void render_fact_line(struct buf *out, const struct fact *f, const char *domain);
void render_fact_save(struct buf *out, const struct fact_save *s);
/* An answer found by another wording of its question: a line that says so, then its bytes. */
void render_retrieved(struct buf *out, const char *bytes, size_t len);
/* A line of NAME@log, with its newline. */
void render_version(struct buf *out, const struct doc_version *v);

/* ---- a session's window (cinta.5, "The window") ------------------------- */

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
/* May these bytes be a summary?  RENDER_EINVAL, RENDER_EFBIG with `why`. */
int render_summary_in(const char *bytes, size_t len, struct why *why);
/*
 * Is `name` that of a summary, "3-9.md", perhaps with leading zeros?  *out is its range;
 * 0 to 0 when it looks like one and is none ("9-3.md").
 */
bool render_summary_name(const char *name, struct context_range *out);

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

/* .cinta/verify.sh: checks the tape with sqlite3, sha256sum and openssl alone. */
void render_verify_script(struct buf *out);

/* ---- facts (cinta.5, "Facts") ------------------------------------------ */

enum {
	FACTS_LIMIT = 1 << 20,       /* most bytes of a list as offered */
	FACTS_COUNT_LIMIT = 20000,   /* most facts of a list */
	FACT_LIMIT = 8 << 10         /* most bytes of a fact */
};

/* What a list of facts says.  The items' texts live in `bytes`. */
struct fact_list {
	struct fact_item *items; /* in the order of the file */
	size_t count;
	struct buf frame; /* the free text, as render_facts takes it; "" for none */
	struct buf bytes;
};

/*
 * Reads facts/DOMAIN.md, any markdown: each item of a list is a fact.  RENDER_EINVAL
 * (not UTF-8, or a NUL), RENDER_EFBIG, RENDER_ENOMEM with `why`.  `out` is to be
 * released in every case.
 */
int render_facts_in(const char *bytes, size_t len, struct fact_list *out, struct why *why);
void fact_list_release(struct fact_list *list);
/*
 * facts/DOMAIN.md in canonical form.  `frame` is what render_facts_in gave, or NULL;
 * stale items go below "## Stale".  Texts must come from render_facts_in: any other
 * text becomes one by being read as the line "- text".
 */
void render_facts(struct buf *out, const char *domain, const char *frame,
                  const struct fact_item *items, size_t count);
/*
 * Are these two wordings of one fact?  Very similar, and with the same numbers,
 * negations and names.
 */
bool render_same_fact(const char *a, size_t a_len, const char *b, size_t b_len);
/* Same facts have the same key, other facts rarely: to look for candidates by. */
uint64_t render_fact_key(const char *text, size_t len);
/* Cosine of the texts' hashed character 3- to 5-grams, 0..1: case, accents, blanks apart. */
double render_similarity(const char *a, size_t a_len, const char *b, size_t b_len);

/* ---- search ------------------------------------------------------------- */

/* A document's text without its markup; the front matter must be off already. */
void render_plain(struct buf *out, const char *text, size_t len);

/* ---- signals (cinta.5, "Facts") ---------------------------------------- */

enum { FACT_SIGNAL_LIMIT = 300 }; /* most bytes of a fact from a message */

/* A fact that a user stated in a message.  Points into the message. */
struct signal {
	const char *domain; /* a constant: "work", "preferences", … */
	const char *text;   /* not NUL-terminated */
	size_t len;         /* 1..FACT_SIGNAL_LIMIT */
	enum confidence confidence; /* always high: it was said in so many words */
	bool negates;       /* "ya no …", "no longer …": it contradicts an earlier fact */
};

typedef void signal_fn(void *ctx, const struct signal *s);

/*
 * Calls `fn` for each explicit signal in one user's message, in its order: "recordá
 * que …", "from now on …".  Never for questions, quotations, code, conditions, what
 * others said.  Time is bounded for any input.  RENDER_EINVAL (not UTF-8; nothing was
 * called), RENDER_ENOMEM.
 */
int render_signals(const char *content, size_t len, signal_fn *fn, void *ctx);

#endif

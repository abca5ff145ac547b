/* SPDX-License-Identifier: MIT */
/* What view.c and view_message.c, view_doc.c, view_fact.c, view_context.c share. */
#ifndef CINTA_VIEW_INTERNAL_H
#define CINTA_VIEW_INTERNAL_H

#include "store/note.h"
#include "store/view.h"

enum { KIND_SESSION = 1, KIND_THREAD = 2, KIND_RECORD = 3 }; /* as store_kind_number() */
enum { TAG_PLAYER = 1, TAG_HASHTAG = 2, TAG_ITEM = 3 };

/* A session, thread or log of records while a batch changes it. */
struct view_group {
	int64_t kind, id, hash;
	char name[NAME_LIMIT + 1];
	int64_t made_us, messages, tokens, bytes, text_bytes, first_us, last_us, last_seq;
	char author[FIELD_MAX + 1];
	bool dirty;
	struct view_group *chain;
};

enum view_stmt {
	VIEW_STATE, VIEW_SET_STATE, VIEW_TAPE, VIEW_MARK, VIEW_LINE, VIEW_MESSAGE, VIEW_TAG, VIEW_REF,
	VIEW_NAME, VIEW_ADD_NAME, VIEW_GROUP, VIEW_GROUP_BY_NAME, VIEW_NEXT_GROUP, VIEW_PUT_GROUP,
	VIEW_LEAF,
	VIEW_DOC, VIEW_PUT_DOC, VIEW_SAVE_DOC, VIEW_DOC_TAKEN, VIEW_VERSION, VIEW_PLACE, VIEW_DIR,
	VIEW_DOC_MAKER,
	VIEW_FACT_LIST, VIEW_PUT_FACT_LIST, VIEW_PUT_FACT_SAVE, VIEW_ADD_FACT, VIEW_FACT_LIVE,
	VIEW_FACT_HEIR, VIEW_FACT_RETRACT, VIEW_FACT_CONFIRM, VIEW_FACT_WEIGH, VIEW_FACT_EVENT,
	VIEW_FACT_TEXT,
	VIEW_CONTEXT, VIEW_PUT_CONTEXT, VIEW_CONTEXT_MESSAGE, VIEW_CONTEXT_HELD, VIEW_CONTEXT_MARK,
	VIEW_CONTEXT_UNMARK, VIEW_CONTEXT_UNMARK_RANGE, VIEW_CONTEXT_UNMARK_ALL, VIEW_CONTEXT_OVER,
	VIEW_CONTEXT_SUMMARY, VIEW_CONTEXT_DISSOLVE, VIEW_CONTEXT_WINDOW, VIEW_CONTEXT_UNFIX,
	VIEW_CONTEXT_DIGEST,
	VIEW_REDACTIONS, VIEW_REDACTED, VIEW_ADD_REDACTED, VIEW_GENESIS,
	VIEW_STMTS
};

enum { GROUP_BUCKETS = 1024, MOST_GROUPS = 4096, NAME_BUCKETS = 4096, CODE_BUCKETS = 512 };

struct view_name { /* one-way cache of v_name: hash to id */
	char hash[HEX_SIZE];
	int64_t id;
};

struct view_code { /* what view_component_id() said, true while `turn` is the view's */
	char text[48];
	const char *field;
	int64_t turn, id;
};

struct view {
	sqlite3 *db;
	size_t (*text_size)(const struct entry *e);
	struct doc_lately *lately; /* or NULL */
	struct hasher hasher;
	int64_t upto, tape_bytes;
	sqlite3_stmt *stmt[VIEW_STMTS];
	struct view_group *groups[GROUP_BUCKETS];
	size_t group_count;
	struct view_name *names; /* NAME_BUCKETS */
	struct view_code codes[CODE_BUCKETS];
	struct note_key key; /* of the tape; name "": there is none, or it was not read yet */
	int64_t redactions_below; /* view_know_redactions() */
	int64_t turn; /* how many entries may have changed what a code means */
};

/* Runs a bound statement to its end and resets it. */
int view_run(struct view *v, enum view_stmt which);
/* The number of the identity with this path or hash: made when new. */
int view_name_id(struct view *v, const char *label, int64_t *id);
/* As above, but `hash` is already the SHA-256 in hex of what `label` names. */
int view_hash_id(struct view *v, const char *hash, const char *label, int64_t *id);
/* A group by id, or by name; STORE_ENOENT. */
int view_group_get(struct view *v, int64_t kind, int64_t id, struct view_group **out);
int view_group_named(struct view *v, int64_t kind, const char *name, struct view_group **out);
/* A new group; id 0: the next free one. */
int view_group_add(struct view *v, int64_t kind, int64_t id, const char *name,
                   const struct entry *e, struct view_group **out);
/*
 * view_message.c.  The identity a member names: 64 hex are a hash; "plu:bob"
 * (or "plu/bob") names table and code; a bare code is that of the first component
 * there is now in the tables of `field` (its system table: ply hst flg itm loc),
 * else the system table's.  *id: 0 when `text` names nothing.
 */
int view_component_id(struct view *v, const char *field, const char *text, int64_t *id);
/* The same for an owner; without one it is the author: the part before the colon. */
int view_owner_id(struct view *v, const char *owner, const char *author, int64_t *id);
int view_message(struct view *v, const struct entry *e, int64_t session);
/* The same for a record: only its line. */
int view_record(struct view *v, const struct entry *e, int64_t id);
/* view_doc.c: a `document.make`; an entry of document `id` */
int view_doc_make(struct view *v, const struct entry *e);
int view_doc_entry(struct view *v, const struct entry *e, int64_t id);
/* view_fact.c: an entry of a domain's list */
int view_fact_entry(struct view *v, const struct entry *e, int domain);
/*
 * view_redacted.c.  A redaction was seen.  VIEW_ANEW: the views do not know it yet, and what they
 * say of the entry it names is wrong.
 */
enum { VIEW_ANEW = 1 };
int view_redaction(struct view *v, const struct entry *e);
/* Empties all views, then reads all redactions of the tape; the first of them proves. */
int view_start(struct view *v);
/* view_context.c: an entry of a session's window; message `n` was pinned as it was written */
int view_context_entry(struct view *v, const struct entry *e, int64_t session);
int view_context_pinned(struct view *v, const struct entry *e, int64_t session, int64_t n);

#endif

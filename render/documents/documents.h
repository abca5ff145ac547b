/* SPDX-License-Identifier: MIT */
/*
 * The door of render/documents: files saved whole, checked and described (cinta.5, "Documents").
 * Part of the room's door.
 */
#ifndef CINTA_RENDER_DOCUMENTS_H
#define CINTA_RENDER_DOCUMENTS_H

#include "render/format/plain.h"

enum family {
	FAMILY_SECTION,   /* smma/NAME.md */
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
	int64_t tokens_most; /* of a section, 0: what is said in cinta.5 */
};

/* True if `name` is a memory's in this family; everything else there is scratch (cinta.5). */
bool render_is_document(enum family family, const char *name);
/* True if editors and tools give such a name to what they soon remove or rename. */
bool render_is_temporary(const char *name);
/* True if somebody means the name: a text's (.md .txt .json .jsonl), and no temporary one. */
bool render_is_meant(const char *name);
/*
 * True if it can be a note's name, though it looks like none (My plan, 2026, v1.2).  Programs make
 * such files, too, and rename or remove them at once: the name is a memory's when the file has
 * rested.
 */
bool render_may_rest(const char *name);
/* True if a folder of notes/ (FAMILY_NOTE) or algorithms/ (FAMILY_ALGORITHM) may have this name. */
bool render_is_folder(enum family family, const char *name);
/*
 * Checks a document's bytes and appends its typed fields to `fields` as a JSON
 * object.  RENDER_EINVAL, RENDER_EFBIG with `why`.
 */
int render_document_in(const struct document *d, const char *bytes, size_t len,
                       count_tokens_fn *count, struct buf *fields, struct why *why);

/* The text of a document: without byte order mark, front matter and blank lines around it. */
void render_body_of(const char *bytes, size_t len, const char **text, size_t *text_len);

/* The body of a `document` entry; `sha256` is hex of `bytes`. */
struct version_text {
	const char *fields; /* a JSON object */
	const char *bytes;
	size_t len;
	int64_t tokens; /* from where render_body_of() says that the text begins */
	int64_t added, removed;
	const char *sha256;
	const struct talk *talk; /* NULL or "": of none */
};
void render_version_body(struct buf *out, const struct version_text *v);
/* "from":{…}: the agent's conversation in which an entry was written. */
void render_talk(struct buf *out, const struct talk *t);
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
/* True if these fields of a block, a JSON object, say that it is active. */
bool render_block_active(const struct buf *fields);
/* True if this version of an algorithm is `active`; the same version with `deprecated` instead. */
bool render_algorithm_active(const char *bytes, size_t len);
void render_algorithm_retire(struct buf *out, const char *bytes, size_t len);
/*
 * A line of NAME@log, with its newline; `where` is the conversation in which it was saved, as a
 * path or as its agent calls it, "": of none.
 */
void render_version(struct buf *out, const struct doc_version *v, const char *where);
/* The end of such a line, of any history: the agent, the conversation, the newline. */
void render_whose(struct buf *out, const char *agent, const char *where);
/* A line of saves.jsonl, with its newline: a version of the document that stands at `path`. */
void render_save(struct buf *out, const struct doc_version *v, const char *path);

/* The members that session.md gives to messages without them, as a JSON object; "" for none. */
void render_session_defaults(struct buf *out, const char *bytes, size_t len);

/* The same with the conversation in which they are written; "" is of none. */
void render_session_talk(struct buf *defaults, const struct talk *t);

/*
 * A version of an algorithm with this value as the member `comparison` of its `metrics`; all
 * other bytes stay.  RENDER_EINVAL: the file is no object, or `metrics` is none.
 */
int render_algorithm_metrics(struct buf *out, const char *bytes, size_t len, const char *value,
                             struct why *why);

/* Subtasks of current_task.md: `- [x]` items and the line `Subtareas: [x] A [ ] B`. */
void render_subtasks(const char *text, size_t len, int64_t *done, int64_t *total);

#endif

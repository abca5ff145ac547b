/* SPDX-License-Identifier: MIT */
/*
 * Part of the store's door (store.h): documents and folders.
 *
 * A document is a file whose content is the newest version of its stream "dN".
 * It stands in a directory, named by a key the store does not look into
 * ("blocks/rules", "session:17"), or "#N" for folder N.  Numbers N come from the
 * order of `document.make` entries on the tape, from 1, and never change.
 *
 *   stream     kind           body
 *   documents  document.make  {"parent":KEY,"name":NAME,"path":PATH,"folder":BOOL}
 *   dN         document       {"fields":{…},"size":N,"tokens":N,"sha256":HEX,
 *                              "lines":[ADDED,REMOVED],"text":… or "base64":…}
 *   dN         rename         {"parent":KEY,"name":NAME,"path":PATH}
 *   dN         retire         {"into":N}     its name now belongs to document N;
 *                             0: nobody has it: it was retired, or a folder removed
 *
 * Bodies are made by render/; this room reads them when the views catch up.
 * A document without a version is not there: it is made with its first.  One that is retired in
 * favour of nobody is back with its next version, a folder with a rename; a note whose version has
 * `status: retired` among its fields is retired by it.
 */
#ifndef CINTA_STORE_DOC_H
#define CINTA_STORE_DOC_H

#include "store/entry.h"

struct store;

enum { DOC_KEY_MAX = 160 };

struct doc {
	int64_t id;
	bool folder;
	int64_t into;      /* retired in favour of this one, of itself: of nobody; 0: alive */
	char parent[DOC_KEY_MAX + 1];
	char name[NAME_LIMIT + 1];
	int64_t versions;  /* how many; the newest has this number */
	int64_t entries;   /* of its stream: what `expect` is compared with */
	int64_t size;      /* of the newest version, bytes */
	int64_t made_us, saved_us;
};

/* The living document or folder of that name.  All look-ups see every committed entry. */
int store_doc_at(struct store *s, const char *parent, const char *name, struct doc *out);
/* Who had that name last, also if it was renamed or retired since: for its history. */
int store_doc_last_at(struct store *s, const char *parent, const char *name, struct doc *out);
int store_doc_by_id(struct store *s, int64_t id, struct doc *out);
/* The living child of `parent` with the smallest id above `after`; STORE_ENOENT at the end. */
int store_doc_next(struct store *s, const char *parent, int64_t after, struct doc *out);
/* Whether anything has ever stood in folder `id` but folders that were removed. */
int store_folder_held(struct store *s, int64_t id, bool *held);
/* When the names in a directory changed last; 0 if it never had any. */
int store_doc_dir_changed(struct store *s, const char *parent, int64_t *time_us);
/* How many there are in directories from `from` up to (not at) `below`: up to `most` is counted. */
int store_doc_count(struct store *s, const char *from, const char *below, int64_t most, int64_t *n);
int store_docs_made(struct store *s, int64_t *count); /* of all ever: their ids are 1 up to that */

struct doc_text {
	const char *body; /* of a tape entry */
	size_t len;
};

/*
 * Makes a document with its first version, or a folder (`version` NULL), in one
 * transaction.  STORE_EEXIST when the name is taken (by a living one).
 */
int store_doc_make(struct store *s, const char *parent, const char *name, struct doc_text make,
                   const struct doc_text *version, const char *author, int64_t *id);
/*
 * One more entry of kind `document`, `rename` or `retire` in the stream of `id`.
 * With expect >= 0: STORE_EMOVED unless its stream has that many entries.
 */
int store_doc_append(struct store *s, int64_t id, const char *kind, struct doc_text body,
                     const char *author, int64_t expect);

/*
 * Several entries of documents that stand already, in one transaction; with `make`
 * also a new document with its first version, whose number is put into *id.
 */
struct doc_entry {
	int64_t id;
	const char *kind;
	struct doc_text body;
	/* Not NULL: STORE_EMOVED unless it still stands there, by the document's parent and name. */
	const struct doc *at;
	bool back; /* of one that is retired: unless it still is, and nobody has its name */
};
struct doc_new {
	const char *parent, *name;
	struct doc_text make, version;
	int64_t id; /* out */
};
int store_doc_append_all(struct store *s, struct doc_new *make, const struct doc_entry *entries,
                         size_t count, const char *author);
/*
 * In one transaction: a version of `target`, and `source` retires in its favour.  STORE_EMOVED
 * unless both still stand where they were found.
 */
int store_doc_replace(struct store *s, const struct doc *source, struct doc_text retire,
                      const struct doc *target, struct doc_text version, const char *author);

/* Bytes of version n (0: the newest), malloc'ed, NUL-terminated; the caller frees. */
int store_doc_content(struct store *s, int64_t id, int64_t n, char **bytes, size_t *len);
int store_doc_version(struct store *s, int64_t id, int64_t n, struct doc_version *out);
/* The newest version not later than that; STORE_ENOENT: there was none yet. */
int store_doc_version_at(struct store *s, int64_t id, int64_t time_us, struct doc_version *out);
typedef void doc_version_fn(void *ctx, const struct doc_version *v);
/* All versions, oldest first; reads no content. */
int store_doc_history(struct store *s, int64_t id, doc_version_fn *fn, void *ctx);

/* The versions of all documents that were saved in an agent's conversation, by its own name. */
int store_doc_saves(struct store *s, const char *talk, doc_version_fn *fn, void *ctx);

/* As a directory was at a time: the child of that name / the next child, as they were then
 * (name, versions, size).  STORE_ENOENT. */
int store_doc_at_time(struct store *s, int64_t time_us, const char *parent, const char *name,
                      struct doc *out);
int store_doc_next_at_time(struct store *s, int64_t time_us, const char *parent, int64_t after,
                           struct doc *out);

/* A document that answers a question; strings live for the call. */
struct doc_answer {
	int64_t id, versions, saved_us;
	const char *question; /* as it was asked; else the name without its ending */
};
typedef int doc_answer_fn(void *ctx, const struct doc_answer *a); /* nonzero stops */
/* Those of a directory that were saved after `since_us`, at most so many, newest first. */
int store_answers(struct store *s, const char *parent, int64_t since_us, int most,
                  doc_answer_fn *fn, void *ctx);
/* As store_doc_next(), of those that were saved at `since_us` or later. */
int store_doc_next_since(struct store *s, const char *parent, int64_t since_us, int64_t after,
                         struct doc *out);
/* The question of the newest version, as it was asked; STORE_ENOENT: it says none. */
int store_answer_question(struct store *s, int64_t id, char question[NAME_LIMIT + 1]);

/* Hex of SHA-256, 64 digits and a NUL. */
void store_sha256(const char *bytes, size_t len, char hex[2 * HASH_SIZE + 1]);

/* Scratch: editors' files, kept in PATH.side; `id` is stable, `dir` its directory's inode. */
struct scratch_row {
	int64_t id;         /* 0: not stored yet; set by store_scratch_put() */
	uint64_t dir;
	const char *name;
	uint32_t mode;      /* S_IFREG, S_IFLNK or S_IFDIR with permissions */
	int64_t changed_us; /* as a client may have set it */
	int64_t touched_us; /* when it was really written last; 0: not known */
	const char *bytes;  /* content, or a link's target */
	size_t len;
};
/* All of them, or none; then store_trouble() says so, until: */
int store_scratch_put(struct store *s, struct scratch_row *row, size_t count);
/* None is left that could not be put: what was is put by now, or gone. */
void store_scratch_kept(struct store *s);
/* True once after PATH.side was removed or replaced: what was put is gone. */
bool store_scratch_lost(struct store *s);
int store_scratch_drop(struct store *s, int64_t id);
/* Why they could not be put last, and what to do about it; never empty. */
void store_scratch_why(const struct store *s, char *text, size_t size);
typedef void scratch_fn(void *ctx, const struct scratch_row *row);
/* By id; `fn` must not call the store, and what `row` points at lives for the call. */
int store_scratch_each(struct store *s, scratch_fn *fn, void *ctx);

/* A context block; strings live for the call, "" for none. */
struct doc_block {
	int64_t id;          /* of its document */
	const char *code, *name, *category, *scope;
	int64_t priority, tokens;
	const char *content; /* without front matter */
	size_t len;
	/* When it need not be said again: "" for never. */
	const char *for_tool;   /* after that tool was used */
	const char *for_format; /* after an output that had the format: text markdown json */
	bool examples;          /* after a first answer that was right */
};
typedef void doc_block_fn(void *ctx, const struct doc_block *b);
/*
 * The active blocks that are global, of that server, or of that agent (NULL: of
 * none); with `scope` only those of that scope.  Highest priority first, then by code.
 */
int store_active_blocks(struct store *s, const char *scope, const char *server, const char *agent,
                        doc_block_fn *fn, void *ctx);
/* The same, with those of a session (its name) besides. */
int store_session_blocks(struct store *s, const char *session, const char *server,
                         const char *agent, doc_block_fn *fn, void *ctx);
/*
 * Active blocks of whatever scope that have this name (CODE.md) or, most likely, the text of a
 * document of these bytes: who must be sure compares.
 */
int store_blocks_like(struct store *s, const char *name, const char *bytes, size_t len,
                      doc_block_fn *fn, void *ctx);

#endif

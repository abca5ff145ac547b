/* SPDX-License-Identifier: MIT */
/*
 * The door of fs/documents: documents, their versions and history as the tree shows them, and what
 * is kept about them beside the tape.
 */
#ifndef CINTA_FS_DOCUMENTS_H
#define CINTA_FS_DOCUMENTS_H

#include "fs/documents/active.h"
#include "fs/documents/claims.h"
#include "fs/documents/client_view.h"
#include "fs/documents/summaries.h"
#include "fs/kernel/kernel.h"
#include "fs/scratch/scratch.h"

struct documents {
	struct claims claims;
	struct active_blocks active_blocks;
	struct client_view client_view;
};

int documents_start(struct fs *fs, const struct fs_options *o);
void documents_stop(struct fs *fs);

/* Who writes, as author.c tells. */
struct writer {
	char author[FIELD_MAX + 1];
	struct talk talk;
	struct process process;
	uid_t uid;
};

/* Bytes to be saved under a name of a place. */
struct save {
	uint64_t dir;
	const char *name;
	const char *bytes;
	size_t len;
	const char *author;
	const struct talk *talk; /* NULL: of no agent's conversation */
	uid_t uid;
	int64_t base;     /* version the bytes were made from; 0: of none; -1: does not matter */
	const struct process *process; /* who saves; NULL: nobody */
	bool appends;     /* what follows the bytes of `base` is all that is new */
	bool shown;       /* the file that is saved gave its reader the bytes of `base` */
	int64_t made_us;  /* when that was opened, or the file made that is renamed */
	int64_t made_seq; /* of one made beside its document: how many entries there were; 0: of none */
};

/* What a commit did: of it the kernel has to be told. */
struct saved {
	uint64_t ino;     /* a document, list of facts, summary, log or ctl; 0: nothing was stored */
	bool made;        /* it is new: the directory's listing changed, and its time */
	bool listed;      /* the name leads to it again, or from now on: only the listing changed */
	uint64_t dir;
	int64_t version;
	bool others;      /* its neighbours have new versions too */
	bool merged;      /* a list of facts: others had changed it since its base */
	bool gone;        /* a document: it is retired, and its name leads nowhere */
	bool noted;       /* errors.log tells of a conflict */
	bool elsewhere;   /* by another process: it moves nothing that is this one's own */
};

/* The newest version of a document; -1: it gave its name to another, or there is none. */
int64_t document_version(struct fs *fs, int64_t id);

/*
 * The folder of that name that was removed after it had held memories: it is back, and so is what
 * one can ask of these.  -ENOENT: there is none.
 */
int folder_bring_back(struct fs *fs, const struct place *p, const char *name, const char *path,
                      const char *author, int64_t *id);

/*
 * Told of each save after its commit: adds to `job` what the kernel may hold of it, and lets go of
 * what it keeps in memory itself.  An append is one, too: `ino` is the log, and there is no `dir`.
 * NULL: another process has written, so all that is kept may be old; the kernel is told of all.
 */
on_saved_fn documents_on_saved, active_blocks_on_saved, claims_on_saved;

/* For the tree's table: names in places. */
node_page_fn page_document, page_version;
node_page_fn page_history, page_saves; /* saves.c */
/*
 * The session that holds an agent's conversation, as a path; what the agent calls it if none does,
 * and "" if the mount that asks does not show that session.  0 or a negative errno.
 */
enum { TALK_PATH = NAME_LIMIT + 16 };
int talk_path(struct fs *fs, const char *talk, char where[TALK_PATH]);
node_find_fn find_document;
node_next_fn next_document;
node_changed_fn changed_document, changed_version;
node_name_fn document_name;
node_parent_fn document_parent;
node_stat_fn document_stat;
node_find_at_fn find_document_at;
node_next_at_fn next_document_at;
/* sections.c: smma/, with its sections before anybody has saved them. */
node_find_fn find_section;
node_next_fn next_section;
node_page_fn page_section;
node_changed_fn changed_section;
node_name_fn section_name;
node_find_at_fn find_section_at;
node_next_at_fn next_section_at;
node_page_at_fn page_section_at;
node_changed_at_fn changed_section_at;
/* NAME@3, NAME@2026-11-20, NAME@log */
int document_find_history(struct fs *fs, const struct place *p, const char *name, uint64_t *ino);
/* A listing of a place, its documents by `next`: the one with the lowest id above `after`. */
typedef int document_next_fn(struct fs *fs, const struct place *p, int64_t after, struct doc *d);
int document_next_by(struct fs *fs, uint64_t dir, document_next_fn *next, int64_t *cursor,
                     char name[NAME_LIMIT + 1], uint64_t *ino);
/* The document that had a name at a time that is over. */
int document_find_at(struct fs *fs, uint64_t dir, int64_t time_us, const char *name,
                     struct place *p, struct doc *d);
/* A document by id; of one that gave its name to another, that other. */
/* Which document an inode is of; true if it is its history or an old version. */
int64_t document_of(uint64_t ino);
bool document_is_past(uint64_t ino);
int document_living(struct fs *fs, int64_t id, struct doc *d);

#endif

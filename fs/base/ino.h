/* SPDX-License-Identifier: MIT */
/*
 * Inode numbers by arithmetic: kind and id, nothing remembered.
 *
 *   ino = kind << 46 | id          the root is kind 0, id 1: FUSE_ROOT_ID
 *
 * You CAN get kind and id from an inode, and from these the path, the attributes
 * and the content.  You CANNOT get a parent from them without asking the tree.
 * Numbers stay below 2^53, because JavaScript programs compare them as doubles.
 * Ids come from the tape's order, so they survive rebuilds and remounts.
 *
 * The node id by which a mount's kernel knows an inode has some bits more, above these: the edition
 * (kernel/kcache.h).  Kind and id are got from either.
 */
#ifndef CINTA_INO_H
#define CINTA_INO_H

#include <stdint.h>

enum kind {
	KIND_ROOT,
	KIND_README, KIND_AGENTS, KIND_ERRORS,
	KIND_SMMA, KIND_SMMA_LOG, KIND_WORKSPACE,
	KIND_SESSIONS, KIND_CURRENT, KIND_SESSION,        /* id: session */
	KIND_LOG, KIND_TRANSCRIPT, KIND_PAGE, KIND_REFS,  /* id: session */
	KIND_MESSAGES, KIND_MESSAGE,                      /* id: session; seq of the entry */
	KIND_THREADS, KIND_THREAD, KIND_THREAD_LOG, KIND_THREAD_TRANSCRIPT, /* id: thread */
	KIND_REJECTED, KIND_REJECTED_FILE, KIND_REJECTED_WHY, /* id: of the rejected file */
	KIND_BLOCKS, KIND_BLOCK_DIR,                      /* id: which of the fixed names, from 1 */
	KIND_ACTIVE, KIND_ACTIVE_DIR, KIND_ACTIVE_SERVER, KIND_ACTIVE_FOR, /* id: see active.h */
	KIND_MEMORIES, KIND_MEMORY_DIR, KIND_COMPONENTS, KIND_COMPONENT_DIR,
	KIND_ALGORITHMS, KIND_NOTES, KIND_FOLDER,         /* id: of the document or folder */
	KIND_DOC, KIND_HISTORY, KIND_VERSION,             /* id: document; document and version */
	KIND_SCRATCH,                                     /* id: of the scratch file */
	KIND_RECORDS, KIND_RECORD,                        /* id: RECORD_… of store.h */
	KIND_CINTA, KIND_TAPE, KIND_STATUS, KIND_CHECKPOINT, KIND_PUBKEY, KIND_VERIFY,
	KIND_AT, KIND_PAST_DIR, KIND_PAST_LINK, KIND_PAST_FILE, /* id: see past.h */
	KIND_PAST_KEPT, KIND_PAST_NOW,
	KIND_FACTS, KIND_FACT_LIST, KIND_FACT_LOG,        /* id: domain */
	KIND_FACT_VERSION,                                /* id: domain and number of a save */
	KIND_FACTS_ALL, KIND_FACTS_STALE,
	KIND_CTL, KIND_SUMMARIES,                         /* id: session */
	KIND_SUMMARY,                                     /* id: seq of the entry */
	KIND_ACTION_LOG,
	KIND_LOGS,
	KIND_ANSWERS, KIND_ANSWER_TOOLS, KIND_RETRIEVED,  /* id: see answers.h */
	KIND_SEARCH, KIND_SEARCH_QUERY,
	KIND_SESSION_SEARCH, KIND_SESSION_QUERY,          /* id: session */
	KIND_SEARCH_PAGE, KIND_SEARCH_DIR, KIND_SEARCH_HIT, /* id: see search.h */
	KIND_CONTEXT, KIND_CONTEXT_NOW,                  /* id: session */
	KIND_DASHBOARD, KIND_DASHBOARD_LINK, KIND_METRICS, KIND_QUESTIONS,
	KIND_MEMORY_TOP,
	KIND_FIRST, KIND_FIRST_LOG, KIND_FIRST_TEXT, KIND_FIRST_CONTEXT,
	KIND_IDENTITY, KIND_SECTION,                      /* id: see documents/sections.c */
	KIND_SESSION_DASHBOARD,                           /* id: session */
	KIND_MEMORY_SEARCH,
	KIND_THREAD_CONTEXT,                              /* id: thread */
	KIND_SCORE,                                       /* id: document */
	KIND_BY_HASH, KIND_HASH,                          /* id: seq of the entry */
	KIND_SAVES,                                       /* id: session */
	KIND_WORKING,                                     /* id: session */
	KIND_HTML, KIND_HTML_PAGE, KIND_HTML_SUB,         /* id: see site/site_shared.h */
	KIND_HTML_GROUP_DIR, KIND_HTML_GROUP,
	KIND_HTML_DOC_DIR, KIND_HTML_DOC, KIND_HTML_VERSION, KIND_HTML_DAY,
	KIND_HTML_FACT,                                   /* id: of the fact */
	KIND_SYNC,
	KIND_COUNT
};

enum { INO_ID_BITS = 46, INO_KIND_BITS = 7 };
_Static_assert(INO_ID_BITS + INO_KIND_BITS <= 53, "inodes must be exact as doubles");
_Static_assert(KIND_COUNT <= 1 << INO_KIND_BITS, "kinds must fit");
_Static_assert(KIND_ROOT == 0, "kind 0, id 1 is FUSE_ROOT_ID");

/* A version's id: document and number. */
enum { VERSION_BITS = 23 };
_Static_assert(2 * VERSION_BITS <= INO_ID_BITS, "a version's id must fit");

enum { EDITION_AT = INO_ID_BITS + INO_KIND_BITS, EDITION_BITS = 8, EDITIONS = 1 << EDITION_BITS };

static inline uint64_t ino_make(enum kind kind, int64_t id)
{
	return (uint64_t)kind << INO_ID_BITS | (uint64_t)id;
}

/* KIND_COUNT for an inode that is nothing of ours. */
static inline enum kind ino_kind(uint64_t ino)
{
	uint64_t kind = ino >> INO_ID_BITS;
	if ((kind & ((1 << INO_KIND_BITS) - 1)) == KIND_DOC) /* only documents have editions */
		return ino >> (EDITION_AT + EDITION_BITS) ? KIND_COUNT : KIND_DOC;
	return kind < KIND_COUNT ? (enum kind)kind : KIND_COUNT;
}

static inline int64_t ino_id(uint64_t ino)
{
	return (int64_t)(ino & ((UINT64_C(1) << INO_ID_BITS) - 1));
}

/* The node id of an inode in this edition, of EDITIONS. */
static inline uint64_t ino_node(uint64_t ino, unsigned edition)
{
	return (uint64_t)edition << EDITION_AT | ino;
}

/* What is no node id of ours stays what it is. */
static inline uint64_t ino_of_node(uint64_t node)
{
	return ino_kind(node) == KIND_DOC ? node & ((UINT64_C(1) << EDITION_AT) - 1) : node;
}

static inline unsigned ino_edition(uint64_t node)
{
	return (unsigned)(node >> EDITION_AT) & (EDITIONS - 1);
}

/* The document of this inode; 0 of any other kind. */
static inline int64_t ino_doc(uint64_t ino)
{
	return ino_kind(ino) == KIND_DOC ? ino_id(ino) : 0;
}

#endif

/* SPDX-License-Identifier: MIT */
/* What the pages of the site share.  Private to fs/site. */
#ifndef CINTA_SITE_SHARED_H
#define CINTA_SITE_SHARED_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"
#include "fs/site/site.h"

/* Pages at the top: their order is the listing's. */
enum site_page {
	SITE_INDEX, SITE_SESSIONS, SITE_THREADS, SITE_FACTS, SITE_MEMORIES, SITE_BLOCKS,
	SITE_DOCUMENTS, SITE_CONTEXT, SITE_ALGORITHMS, SITE_PROOF, SITE_WORDS, SITE_PAGES
};
extern const char *const site_page_name[SITE_PAGES]; /* "index" */
/* Directories at the top. */
enum site_dir {
	SITE_OF_SESSIONS = 1, SITE_OF_THREADS, SITE_DOC, SITE_SEARCH, SITE_DAY, SITE_FACT,
	SITE_DIRS
};

enum {
	SITE_MESSAGES = 100,          /* of a page */
	SITE_ROWS = 100,              /* of a list */
	SITE_MESSAGE_MOST = 16 << 10, /* bytes of a message, while a page has less than … */
	SITE_PAGE_SOFT = 160 << 10,   /* … so many bytes; then a message has … */
	SITE_MESSAGE_LEAST = 512,     /* … so many, and none when the page has … */
	SITE_PAGE_HARD = 224 << 10,   /* … so many */
	SITE_MESSAGE_HTML = 64 << 10, /* bytes of HTML: what is more is shown like the least */
	SITE_TEXT_MOST = 256 << 10    /* bytes of a document */
};
enum { SITE_PATH = 4 * NAME_LIMIT };

/* An inode's id in parts: a page at the top, a day or a group, and its page's number (from 1). */
enum { PAGE_NUMBER_BITS = 32, DAY_BITS = 24, GROUP_BITS = 24, GROUP_PAGE_BITS = 20 };
struct site_group {
	enum log_kind kind;
	int64_t id, page; /* page: from 1 */
};
static inline int64_t site_group_id(struct site_group g)
{
	return (int64_t)(g.kind == LOG_THREAD) << (GROUP_BITS + GROUP_PAGE_BITS) |
		g.id << GROUP_PAGE_BITS | g.page;
}
static inline struct site_group site_group_of(int64_t id)
{
	return (struct site_group){
		id >> (GROUP_BITS + GROUP_PAGE_BITS) ? LOG_THREAD : LOG_SESSION,
		id >> GROUP_PAGE_BITS & ((1 << GROUP_BITS) - 1), id & ((1 << GROUP_PAGE_BITS) - 1) };
}

/* A page while it is made. */
struct site {
	struct fs *fs;
	struct html h;
};

/* The address of a group's page that holds its message `n`; false: its name is too long for one. */
bool site_group_path(char dst[SITE_PATH], enum log_kind kind, const char *name, int64_t n);
/* As tree_lookup(), but session.md is the document it was saved as; -ENOENT where it is none. */
int site_find_document(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino);
/* The address of a document; false: as above. */
bool site_doc_path(struct fs *fs, int64_t doc, char *path, size_t size, char dst[SITE_PATH]);
/* The same of one of its versions, its path given. */
bool site_version_path(const char *doc_path, int64_t n, char dst[SITE_PATH]);
/* The address of a fact's page. */
void site_fact_path(char dst[SITE_PATH], int64_t id);
/* The address of a day's page, the first or a further one. */
void site_day_path(char dst[SITE_PATH], int64_t day, int64_t page);
/* A cell with a fact's text, which leads to its page. */
void site_fact_cell(struct site *s, int64_t id, const char *text);
/* A cell with the message that it came from. */
void site_source_cell(struct site *s, const struct fact *f);
/* Links to the first, previous, next and last page of so many; `path` says the address of one. */
typedef void site_path_fn(const void *ctx, int64_t page, char dst[SITE_PATH]);
void site_pager(struct site *s, const char *label, int64_t page, int64_t pages, site_path_fn *path,
                const void *ctx);
/* The same of a list at the top, of which nobody knows how many pages it has. */
void site_list_pager(struct site *s, enum site_page which, int64_t page, bool more);

/* References of messages (site_refs.c): at most SITE_MESSAGES from `first` on. */
struct site_message_refs {
	int from, back;         /* how many there are, up to more than are shown */
	bool others;            /* not all that it refers to is context */
	size_t at[2], end[2];   /* where its items stand in html: what it refers to, and what to it */
};
struct site_refs {
	int64_t session, first;
	struct site_message_refs items[SITE_MESSAGES];
	struct buf html;
};
/* Those of messages `first` to `last` of a session.  The caller releases out->html. */
int site_refs_make(struct site *s, int64_t session, int64_t first, int64_t last,
                   struct site_refs *out);
/* Those of message `n`, which may be an answer of a model. */
void site_refs_show(const struct site_refs *refs, struct html *h, int64_t n, bool answer);

/* The pages: `page` is their number, -ENOENT one too many. */
int site_index(struct site *s);
int site_sessions(struct site *s, int64_t page);
int site_threads(struct site *s, int64_t page);
int site_facts(struct site *s, int64_t page);
int site_memories(struct site *s);
int site_blocks(struct site *s);
int site_documents(struct site *s, int64_t page);
int site_context(struct site *s);
int site_algorithms(struct site *s);
int site_proof(struct site *s);
int site_words(struct site *s);
/* The best memories as a plot: of those made last, so many, or (0) of all. */
int site_best_memories(struct site *s, int most, int64_t newest);
/* Pairs of the newest signed note: its root, and who has signed it besides this memory. */
void site_signed(struct site *s);
/* QUERY.html: the inode of its answer. */
int find_html_search(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What the search index holds of an entry, and how scopes are named in it.  Private to the store.
 * A function of the entry and, for a document, of where it stands: the same entry gives the same
 * text, so that it can be taken out of the index again.
 */
#ifndef CINTA_SEARCH_TEXT_H
#define CINTA_SEARCH_TEXT_H

#include "store/db/db.h"
#include "store/search.h"

typedef int plain_text_fn(const char *text, size_t len, char **plain, size_t *plain_len);

enum { ROLE_NONE, ROLE_USER, ROLE_ASSISTANT, ROLE_SYSTEM, ROLE_TOOL, ROLES };
/* ROLE_NONE for any other word. */
int search_role(const char *word);
const char *search_role_name(int role);

enum { SCOPE_SIZE = 20, SCOPES_MOST = 1000 /* of a text */ };
/*
 * One word for "is of this session" and the like, which no stemmer changes.  `what` is 's' session,
 * 't' thread, 'b' author or owner, 'r' role, 'y' type, 'k' kind, or of search_named; letters count
 * as small ones.
 */
extern const char search_named[SEARCH_NAMED];
void search_scope(char what, const char *value, size_t len, char out[SCOPE_SIZE]);

struct search_text {
	enum hit_kind kind;
	int64_t seq;
	int64_t time_us;    /* when it was said */
	bool told;          /* earlier than it was written, as it tells */
	int64_t session, n; /* a message's; `session` is also that of a session's document */
	int64_t doc;        /* a document's number */
	int role;
	char owner[FIELD_MAX + 1]; /* a message's; "": none was said */
	char by[FIELD_MAX + 1];    /* who said it, as it tells; "": it does not */
	bool timed;         /* it holds a word of time */
	bool asks;          /* it ends with a question */
	size_t words;
	char *body;         /* release frees; NULL: there is nothing to find */
	size_t len;
	int64_t day;        /* since 1970, UTC */
	char *scope;        /* words of search_scope() with blanks between; release frees; NULL: none */
	size_t scopes, scope_room;
	bool failed;        /* no memory for one of them */
};
void search_text_release(struct search_text *t);

/* 0 with a NULL body: nothing of it is searched. */
int search_text_message(const struct entry *e, int64_t session, struct search_text *out);
int search_text_fact(const struct entry *e, int domain, struct search_text *out);
/* `root` is the key of the directory at the top, `name` the file's. */
int search_text_document(const struct entry *e, int64_t doc, const char *root, const char *name,
                         plain_text_fn *plain, struct search_text *out);

/* It was said then, before it was written. */
void search_text_said(struct search_text *t, int64_t time_us);
/* An author as people write it: %XX decoded. */
void search_author(const char *field, char out[FIELD_MAX + 1]);
/* True if there is a word of time among the words of a text. */
bool search_timed(const char *text, size_t len);
/* True if the text ends with a question mark, whatever quote or bracket closes behind it. */
bool search_asks(const char *text, size_t len);

#endif

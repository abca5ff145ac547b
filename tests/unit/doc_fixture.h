/* SPDX-License-Identifier: MIT */
/* Documents for tests of the store, which knows no renderer: bodies are written by hand. */
#ifndef CINTA_DOC_FIXTURE_H
#define CINTA_DOC_FIXTURE_H

#include "tests/unit/store_fixture.h"

/* Times of these tests: after any that the first entry can have. */
#define T(us) (INT64_C(4102444800000000) + (us))

struct doc_text doc_text_of(const char *body);
/* The body of a make or rename. */
const char *doc_place(char dst[1024], const char *parent, const char *name, bool folder);
/* The body of a version; the caller frees. */
char *doc_version_of(const char *content, const char *fields);

/* The STORE_ code of each. */
int doc_make(struct store *s, const char *parent, const char *name, const char *content, int64_t *id);
int doc_make_folder(struct store *s, const char *parent, const char *name, int64_t *id);
int doc_save(struct store *s, int64_t id, const char *content, int64_t expect);
int doc_move(struct store *s, int64_t id, const char *parent, const char *name);

/* Fails unless version n is this. */
void doc_reads(struct store *s, int64_t id, int64_t n, const char *content);
/* The id of who stands there, or the STORE_ code. */
int64_t doc_id_at(struct store *s, const char *parent, const char *name);
/* Names below `parent` in order of id, with a space after each; `dst` has 1024 bytes. */
const char *doc_list(struct store *s, const char *parent, char *dst);
/* The same as it was then, "name:versions ". */
const char *doc_list_at(struct store *s, int64_t time_us, const char *parent, char *dst);
/* Fails unless the views in the file are those made anew from its tape. */
void views_hold(const struct memory *m);

#endif

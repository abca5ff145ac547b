/* SPDX-License-Identifier: MIT */
/* Facts for tests of the store: changes to save, and lists as one line of text. */
#ifndef CINTA_FACT_FIXTURE_H
#define CINTA_FACT_FIXTURE_H

#include "tests/unit/doc_fixture.h"

struct fact_change fact_add(const char *text);
struct fact_change fact_about(enum fact_verb verb, int64_t fact);
/* One change, without asking what came before; the STORE_ code. */
int fact_save_one(struct store *s, int domain, struct fact_change c);

/* A fact_fn that adds to a line of 1024 bytes: "a b~ c?+ d- ": medium; low, confirmed once; retracted. */
void fact_tell(void *ctx, const struct fact *f);
const char *fact_live(struct store *s, int domain, char dst[1024]);
const char *fact_list_at(struct store *s, int domain, int64_t save, char dst[1024]);
const char *fact_all_at(struct store *s, int64_t time_us, char dst[1024]);
/* Fails unless the free text after that save is this. */
void fact_frame_is(struct store *s, int domain, int64_t save, const char *expected);
/* A fact_fn that copies, without the text. */
void fact_keep(void *ctx, const struct fact *f);
struct fact fact_get(struct store *s, int64_t id);
int64_t fact_saves(struct store *s, int domain);

#endif

/* SPDX-License-Identifier: MIT */
/* A model that needs no network: words of like meaning, by a table, share a direction. */
#ifndef CINTA_VECTOR_FIXTURE_H
#define CINTA_VECTOR_FIXTURE_H

#include "tests/unit/fact_fixture.h"

enum { FAKE_DIMS = 24 };
extern const struct vector_model fake_model;

/* Deterministic; a text without a word is a vector of zeros. */
void fake_vector(const char *text, float out[FAKE_DIMS]);
/* Gives every searchable text its vector; how many there were. */
size_t fake_embed(struct store *s);
/* Texts that lack one, "text|" each, at most `most`; *left as the store says. */
const char *fake_missing(struct store *s, size_t most, int64_t *left, char dst[1024]);
/* The vector of this text, 0 or the STORE_ code. */
int fake_get(struct store *s, const struct vector_model *m, const char *text, float *out);
int fake_put(struct store *s, const struct vector_model *m, const char *text, const float *values);

/* What a database says, by a connection of its own; fails on an error. */
int64_t sql_number(const char *path, const char *sql);

/* A message as another program writes it. */
void tell(struct store *s, int session, const char *author, const char *role, const char *text);
/* Takes the body of entry `seq`, as a redaction does. */
void redact(const struct memory *m, int64_t seq);

#endif

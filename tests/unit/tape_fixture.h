/* SPDX-License-Identifier: MIT */
/*
 * A small tape in a temporary directory, made by SQL and chain.c alone, so that
 * the proof part is tested without the writer it has to check.
 */
#ifndef CINTA_TAPE_FIXTURE_H
#define CINTA_TAPE_FIXTURE_H

#include <limits.h>

#include "store/base/chain.h"
#include "store/db/db.h"
#include "store/proof/note.h"
#include "store/signing/signer.h"
#include "store/store.h"

struct fixture {
	char dir[64], path[128], keys[128];
	char origin[FIELD_MAX + 1], vkey[VKEY_SIZE];
	sqlite3 *db; /* no authorizer: tests play the attacker */
	struct hasher h;
	int64_t rows;
};

/* A tape with its key and its genesis entry. */
void fixture_make(struct fixture *f);
void fixture_free(struct fixture *f);
void fixture_exec(struct fixture *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void fixture_append(struct fixture *f, const char *stream, const char *kind, const char *body);
/* `count` rows over five streams, bodies of about `len` bytes; one transaction. */
void fixture_fill(struct fixture *f, int64_t count, size_t len);
/* Signs what is there; `publish`: also the sidecar. */
void fixture_sign(struct fixture *f, bool publish);
/* The owner's redaction of entry `seq`, signed with the fixture's key; malloc'ed. */
char *fixture_redaction(struct fixture *f, int64_t seq, const char *reason);
/* Takes the body of entry `seq` away, and nothing else. */
void fixture_take(struct fixture *f, int64_t seq);
/* Both, as `cinta redact` does. */
void fixture_redact(struct fixture *f, int64_t seq, const char *reason);
/* Drops all triggers of the tape, as an attacker would. */
void fixture_disarm(struct fixture *f);
/* What an attacker without the key can do: all links, hashes and tiles made consistent again. */
void fixture_rehash(struct fixture *f);
/* store_verify with the fixture's key. */
void fixture_verify(struct fixture *f, struct verify_report *out);

#endif

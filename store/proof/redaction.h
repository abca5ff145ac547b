/* SPDX-License-Identifier: MIT */
/*
 * What makes a redaction true: the body of a `tape.redact` entry and the owner's
 * signature in it (docs/format.md §4).  verify, the signer, the views and
 * `cinta redact` all ask here, so that they cannot disagree.
 *
 * Bytes alone decide: which entry a body names and what was signed is read from
 * fixed places of the text, because two JSON readers may differ over a hostile one.
 * Pure functions; any thread.
 */
#ifndef CINTA_REDACTION_H
#define CINTA_REDACTION_H

#include "store/proof/note.h"

#define REDACTION_KIND "tape.redact"
#define REDACTION_STREAM "tape" /* where it counts, and whose own entries keep their bodies */

enum {
	REDACTION_REASON = 200, /* longest reason, in bytes */
	REDACTION_KEEP = 4096   /* longest `keep`, in bytes */
};

/* The entry that a body of this kind names; -1: none. */
int64_t redaction_names(const char *body, size_t len);

/*
 * True if `body` (of an entry of kind tape.redact in stream tape, behind entry `seq`) proves
 * that the owner of `key` took out the body of entry `seq`, whose leaf hash is `leaf`, of the
 * tape `origin`.  The caller has checked kind, stream and order.
 */
bool redaction_proves(const struct note_key *key, const char *origin, const char *body, size_t len,
                      int64_t seq, const uint8_t leaf[HASH_SIZE]);

/* True if this is one line of 1 to REDACTION_REASON bytes of UTF-8 without control characters. */
bool redaction_reason_ok(const char *reason);

/* What a redaction says; `keep` is NULL or a JSON object without LF: what views may still know. */
struct redaction {
	int64_t seq;
	uint8_t leaf[HASH_SIZE];
	int64_t time_us;
	const char *reason;
	const char *keep;
};
/*
 * The signed body, malloc'ed and NUL-terminated.  STORE_EINVAL: reason or keep cannot be;
 * STORE_ENOMEM; STORE_EIO: OpenSSL cannot sign.
 */
int redaction_make(const struct redaction *r, const char *origin, EVP_PKEY *pkey, char **body);

#endif

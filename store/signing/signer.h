/* SPDX-License-Identifier: MIT */
/*
 * Signed checkpoints: makes them, keeps the newest inside the database and
 * beside it (PATH.checkpoint), and refuses to sign a tree that does not extend
 * the last one signed.
 *
 * One signer a store, used by the owner's maintenance thread and at open and close.  sign
 * and publish may run on different threads.
 */
#ifndef CINTA_SIGNER_H
#define CINTA_SIGNER_H

#include <sqlite3.h>

#include <openssl/evp.h>

#include "store/proof/proof.h"

struct signer;

/*
 * Loads the key (it may be absent: then nothing is signed and `trouble` says
 * so), the newest note of the database and the sidecar, and checks that both
 * carry a signature of this tape's key and are prefixes of the rows.
 * *read_only is set, with trouble "ROLLBACK: …" or "FORK: …", when they are not.
 * `key_dir` NULL: the default.  Reads only.
 */
int signer_open(sqlite3 *db, const char *path, const char *origin, const char *vkey,
                const char *key_dir, struct signer **out, bool *read_only, char *trouble,
                size_t trouble_size);
void signer_close(struct signer *s);

/* The newest size known to be signed, 0: none; any thread. */
int64_t signer_size(const struct signer *s);
/* The key that signs, the signer's own; NULL: there is none. */
EVP_PKEY *signer_key(const struct signer *s);
/* The newest checkpoint known to be signed; size 0: none.  Any thread. */
void signer_newest(const struct signer *s, struct checkpoint *out);
/* The tape's public key; NULL: none that means something. */
const struct note_key *signer_trusts(const struct signer *s);
/* The tape is not what was signed: nothing is signed any more, and `text` says why.  Any thread. */
void signer_stop(struct signer *s, const char *text);
/* Why nothing is signed just now, "": no reason; any thread. */
void signer_trouble(const struct signer *s, char *dst, size_t size);
/* When this process signed it, 0: it did not; any thread. */
int64_t signer_time(const struct signer *s);

/*
 * Signs all rows there are, if there are more than were signed and each of the new ones holds;
 * those below `checked` are known to.  The caller holds the store's commit lock and no transaction
 * is open; the transaction is made durable (synchronous=FULL), and with it all commits before it.
 * STORE_ENOENT: no key; STORE_EROFS: the tape is read-only; STORE_EFORMAT: the
 * rows no longer reproduce the last signed root, or a new one does not hold — nothing was signed,
 * and nothing will be until the store is opened again; STORE_EUNPROVED: a body is gone
 * and the owner did not sign that.
 */
int signer_sign(struct signer *s, sqlite3 *db, int64_t time_us, int64_t checked);
/*
 * A checkpoint whose note is in the database and was found to be of these rows: another machine
 * with the key has signed it.
 */
void signer_learn(struct signer *s, const struct checkpoint *c, const char *note);
/* Writes the newest note to the sidecar, durably, if that is not done.  No lock needed. */
int signer_publish(struct signer *s);
/* Why the newest note could not be written beside the database: an errno; 0: it was. */
int signer_unpublished(const struct signer *s);
/* The newest note in the database, NUL-terminated; STORE_ENOENT: none. */
int signer_note(sqlite3 *db, char *note, size_t size);

#endif

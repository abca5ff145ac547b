/* SPDX-License-Identifier: MIT */
/*
 * Signed checkpoints: makes them, keeps the newest inside the database and
 * beside it (PATH.checkpoint), and refuses to sign a tree that does not extend
 * the last one signed.
 *
 * One signer a store, used by the owner's keeper and at open and close.  sign
 * and publish may run on different threads.
 */
#ifndef CINTA_SIGNER_H
#define CINTA_SIGNER_H

#include <sqlite3.h>

#include <openssl/evp.h>

#include "store/entry.h"

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
/* Why nothing is signed just now, "": no reason; any thread. */
void signer_trouble(const struct signer *s, char *dst, size_t size);
/* When this process signed it, 0: it did not; any thread. */
int64_t signer_time(const struct signer *s);

/*
 * Signs all rows there are, if there are more than were signed.  The caller
 * holds the store's commit lock and no transaction is open; the transaction is
 * made durable (synchronous=FULL), and with it all commits before it.
 * STORE_ENOENT: no key; STORE_EROFS: the tape is read-only; STORE_EFORMAT: the
 * rows no longer reproduce the last signed root — nothing was signed, and
 * nothing will be until the store is opened again; STORE_EUNPROVED: a body is gone
 * and the owner did not sign that.
 */
int signer_sign(struct signer *s, sqlite3 *db, int64_t time_us);
/* Writes the newest note to the sidecar, durably, if that is not done.  No lock needed. */
int signer_publish(struct signer *s);
/* The newest note in the database, NUL-terminated; STORE_ENOENT: none. */
int signer_note(sqlite3 *db, char *note, size_t size);

/* The sidecar of a database: PATH.checkpoint.  False if that is too long. */
bool signer_sidecar(const char *path, char *dst, size_t size);
/* A note's file whole, NUL-terminated, for the caller to free; STORE_ENOENT: no file. */
int signer_read_note(const char *path, char **note, size_t *len);
/* The same for a file a person named, which may be a pipe. */
int signer_read_given(const char *path, char **note, size_t *len);

#endif

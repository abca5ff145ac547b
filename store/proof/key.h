/* SPDX-License-Identifier: MIT */
/*
 * Key files: one Ed25519 private key a tape, PEM (PKCS #8), mode 0600, in a
 * directory of mode 0700 that is never the database's.  The file is named after
 * the tape's origin.
 *
 * Used when a tape is made, by the signer, and by verify (public half only).
 * Must never overwrite a key, ask for a passphrase, or write a key elsewhere.
 */
#ifndef CINTA_KEY_H
#define CINTA_KEY_H

#include <openssl/evp.h>

#include "store/proof/note.h"

/*
 * $XDG_CONFIG_HOME/cinta/keys or ~/.config/cinta/keys; STORE_ENOENT without a
 * home, STORE_EINVAL if too long.
 */
int key_dir_default(char *dst, size_t size);
/* DIR/ORIGIN.pem, bytes of the origin outside [A-Za-z0-9._-] as %XX; STORE_EINVAL if too long. */
int key_path(const char *dir, const char *origin, char *dst, size_t size);
/*
 * Makes the key of a new tape, on disk before it returns, and writes its vkey
 * (VKEY_SIZE bytes).  STORE_EEXIST when that origin has a key already.
 */
int key_create(const char *dir, const char *origin, char *vkey, size_t vkey_size,
               struct why *why);
/*
 * Loads a private key and fills `key` with its public half under the origin's
 * name.  `pkey` may be NULL; else the caller frees it.  STORE_ENOENT: no file;
 * STORE_EFORMAT: not an Ed25519 key without a passphrase; STORE_EINVAL: others may read it, or it
 * is another user's.
 */
int key_load(const char *dir, const char *origin, EVP_PKEY **pkey, struct note_key *key);

#endif

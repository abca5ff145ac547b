/* SPDX-License-Identifier: MIT */
/*
 * Signed notes, verifier keys and checkpoints as C2SP writes them
 * (c2sp.org/signed-note v1.0, c2sp.org/tlog-checkpoint v1.0), with Ed25519.
 *
 * A note: text, an empty line, then lines "— NAME base64(keyid[4] || sig)".
 * A verifier key: NAME+hex(keyid)+base64(0x01 || public key).
 * A checkpoint is a note whose text is exactly: origin, size, base64(root).
 *
 * Everything here takes bytes from outside and must survive any of them.
 * Pure functions over bytes; any thread.
 */
#ifndef CINTA_NOTE_H
#define CINTA_NOTE_H

#include <openssl/evp.h>

#include "store/entry.h"

enum {
	NOTE_KEY_SIZE = 32,      /* Ed25519 public key */
	NOTE_SIG_SIZE = 64,      /* Ed25519 signature */
	NOTE_SIG_TEXT = 88,      /* the same in base64, without NUL */
	NOTE_ID_SIZE = 4,
	NOTE_SIGNATURES = 16,    /* more are refused, as the standard allows */
	NOTE_LIMIT = 128 * 1024, /* longest note read, in bytes */
	/* Our own notes: three lines and one signature line. */
	NOTE_OWN_SIZE = 2 * FIELD_MAX + 256,
	/* origin + 8 hex + base64 of 33 bytes, two plus signs, NUL */
	VKEY_SIZE = FIELD_MAX + 8 + 44 + 3
};

/* A verifier key: who (name), which (id), and the public key. */
struct note_key {
	char name[FIELD_MAX + 1];
	uint8_t id[NOTE_ID_SIZE];
	uint8_t pub[NOTE_KEY_SIZE];
};

/* What a checkpoint says. */
struct checkpoint {
	char origin[FIELD_MAX + 1];
	int64_t size;
	uint8_t root[HASH_SIZE];
};

enum note_error {
	NOTE_OK = 0,
	NOTE_MALFORMED = -1, /* not a note, or not a checkpoint */
	NOTE_UNSIGNED = -2,  /* no signature by this key */
	NOTE_FORGED = -3,    /* a signature that claims this key and does not verify */
	NOTE_FAILED = -4     /* OpenSSL could not do it */
};

/* Fills name and id from the public key; false if `name` is no key name. */
bool note_key_make(struct note_key *key, const char *name, const uint8_t pub[NOTE_KEY_SIZE]);
/* Reads a vkey; false unless it is Ed25519 and its id is that of its key. */
bool note_key_parse(struct note_key *key, const char *vkey);
/* Writes the vkey, NUL-terminated. */
void note_key_print(const struct note_key *key, char vkey[VKEY_SIZE]);

/* True if it has a signed note's form, whoever signed it. */
bool note_has_form(const char *note, size_t len);
/*
 * Checks a note against one key: NOTE_OK only when a signature by that key
 * verifies.  Signatures by others are ignored; one false signature by this key
 * refuses the note.  *text_len: the length of the signed text.
 */
enum note_error note_open(const char *note, size_t len, const struct note_key *key,
                          size_t *text_len);
/* note_open(), then the text as a checkpoint of the key's own origin. */
enum note_error note_checkpoint(const char *note, size_t len, const struct note_key *key,
                                struct checkpoint *out);
/* The text of a checkpoint without looking at signatures. */
enum note_error checkpoint_parse(const char *text, size_t len, struct checkpoint *out);
/* What a note says it is of, whoever signed it. */
enum note_error note_claims(const char *note, size_t len, struct checkpoint *out);
/* Signs a checkpoint with the private key of `key`; NUL-terminated. */
enum note_error note_sign(const struct checkpoint *c, const struct note_key *key, EVP_PKEY *pkey,
                          char note[NOTE_OWN_SIZE]);
/* A signature alone, over any text: base64, NUL-terminated.  NOTE_OK or NOTE_FAILED. */
enum note_error note_sign_text(EVP_PKEY *pkey, const char *text, size_t len,
                               char sig[NOTE_SIG_TEXT + 1]);
/* NOTE_OK, NOTE_FORGED (also when the NOTE_SIG_TEXT bytes are no base64), or NOTE_FAILED. */
enum note_error note_check_text(const struct note_key *key, const char *text, size_t len,
                                const char *sig);

#endif

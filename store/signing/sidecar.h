/* SPDX-License-Identifier: MIT */
/*
 * The sidecar that cannot be written: it is tried again every second, and people are told, for
 * without it the notes stand only in the file that they prove.
 */
#ifndef CINTA_STORE_SIDECAR_H
#define CINTA_STORE_SIDECAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct signer;

struct sidecar {
	int64_t tried_at; /* since boot */
	int told;         /* the errno that errors.log tells of, 0: none */
};

/* Maintenance's: tries again.  True, once for each error: it is to be told.  No signer: never. */
bool sidecar_turn(struct sidecar *c, struct signer *signer);
/* "sidecar: …" with what to do, or "". */
void sidecar_trouble(const struct signer *signer, char *text, size_t size);

#endif

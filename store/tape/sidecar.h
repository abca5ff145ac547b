/* SPDX-License-Identifier: MIT */
/*
 * The sidecar that cannot be written: it is tried again every second, and people are told, for
 * without it the notes stand only in the file that they prove.
 */
#ifndef CINTA_STORE_SIDECAR_H
#define CINTA_STORE_SIDECAR_H

#include <stddef.h>
#include <stdint.h>

struct store;

struct sidecar {
	int64_t tried_at; /* since boot */
	int told;         /* the errno that errors.log tells of, 0: none */
};

/* Maintenance's: tries again, tells once of each error. */
void sidecar_turn(struct store *s);
/* "sidecar: …" with what to do, or "". */
void sidecar_trouble(const struct store *s, char *text, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Vectors of texts, for search by meaning: part of the store's door, included by store.h.
 *
 * An embedding model outside makes them (fs/meaning/embedder.h); the store keeps them, in a file
 * of their own beside the memory, PATH.vectors.  A vector belongs to a model and to the SHA-256
 * of the text it was made of, so that no text is paid for twice; losing the file costs the
 * making.  It cannot be made again from the tape, and so `cinta rebuild` leaves it alone.
 *
 * Vectors are float32, made unit length when they are added.  Functions return 0 or a negative
 * STORE_ code and may be called by any thread.  The file is made by the first call of
 * store_vectors_add() or store_vectors_missing(), STORE_EROFS where it cannot be written.  What is
 * redacted loses its vectors, too.
 */
#ifndef CINTA_STORE_VECTOR_H
#define CINTA_STORE_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

enum {
	VECTOR_HASH = 32,
	VECTOR_DIMS_MOST = 8192,
	VECTOR_TEXT_MOST = 8000, /* bytes of a text that count; cut between characters */
	VECTOR_MODEL_MOST = 128
};

struct vector_model {
	const char *name; /* as the endpoint calls it, 1..VECTOR_MODEL_MOST bytes */
	int dims;         /* 1..VECTOR_DIMS_MOST; another number of dimensions is another model */
};

/* What a vector of `text` is kept under, and *len cut to what counts. */
void store_vector_hash(const char *text, size_t *len, unsigned char hash[VECTOR_HASH]);

/* The model's vector of that text: model->dims floats.  STORE_ENOENT: it has none (yet). */
int store_vector(struct store *s, const struct vector_model *m,
                 const unsigned char hash[VECTOR_HASH], float *out);

/* `values` NULL: the model will have none of this text (the endpoint refuses it). */
struct vector_add {
	unsigned char hash[VECTOR_HASH];
	const float *values;
};
/*
 * In one transaction; what was there is replaced.  A vector of zeros, or with a number that is
 * none, counts as NULL.  Any hash is taken, also a question's; but not that of a text which
 * store_vectors_missing() handed out and a redaction took meanwhile.
 */
int store_vectors_add(struct store *s, const struct vector_model *m, const struct vector_add *add,
                      size_t count);

/*
 * Searchable texts (messages, documents, facts, as store_search() finds them) that have no vector
 * of this model, oldest first, at most `most` and 1,024, cut to VECTOR_TEXT_MOST; equal texts once.
 * `fn` is called without a lock and returns nonzero to stop.  *left: how many there are in all,
 * those handed out included.  The first call in a large memory takes its time.
 */
typedef int vector_text_fn(void *ctx, const unsigned char hash[VECTOR_HASH], const char *text,
                           size_t len);
int store_vectors_missing(struct store *s, const struct vector_model *m, size_t most,
                          vector_text_fn *fn, void *ctx, int64_t *left);

#endif

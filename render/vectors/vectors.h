/* SPDX-License-Identifier: MIT */
/*
 * What an embedding endpoint is sent and what it answers, as bytes: part of render's door,
 * included by render.h.  Pure; who sends it is fs/meaning/embedder.c.
 *
 * Sent is the JSON of OpenAI's POST /v1/embeddings, which llama.cpp, Ollama and others take.
 */
#ifndef CINTA_RENDER_VECTORS_H
#define CINTA_RENDER_VECTORS_H

#include "render/format/plain.h"
#include "store/entry.h"

enum { EMBEDDING_DIMS_MOST = 8192, EMBEDDING_NUMBER = 24 /* bytes one may take */ };

/* One text; bytes that are not UTF-8 are sent as U+FFFD. */
struct embedding_text {
	const char *text;
	size_t len;
};
/* `dims` 0: the model's own number is not asked to be another. */
void render_embedding_request(struct buf *out, const char *model, int dims,
                              const struct embedding_text *texts, size_t count);

/* values[i * dims ...]: the vector of text i. */
struct embeddings {
	float *values;
	size_t count;
	int dims;
};
/*
 * An answer with `count` vectors, all finite and of one size, in the order of the texts:
 * {"data":[{"index":0,"embedding":[…]},…]} or that array alone, as llama.cpp's own path has it,
 * with the numbers in an array, in one array within (a pooled vector), or as base64 of
 * little-endian float32.  Each index once, or none at all.  RENDER_EINVAL with `why`,
 * RENDER_ENOMEM.  Release `out` in every case.
 */
int render_embeddings_in(const char *bytes, size_t len, size_t count, struct embeddings *out,
                         struct why *why);
void embeddings_release(struct embeddings *e);

/*
 * What an endpoint says of its refusal, one line without control characters; "" if it says
 * nothing that can be read.  `secret` (NULL: none) is not shown, whoever repeats it.
 */
void render_embedding_error(char *dst, size_t size, const char *bytes, size_t len,
                            const char *secret);

/* ---- what monitors and people are told --------------------------------------- */

struct embedding_status {
	char model[NAME_LIMIT + 1], where[128]; /* where: scheme, host and port */
	int dims;                  /* 0: not known yet */
	int64_t texts;             /* given a vector since the process started */
	int64_t missing;           /* that have none yet, at least */
	int64_t failures;          /* requests without a usable answer, since the start */
	bool up;                   /* the last one that told had one, or there was none yet */
	char trouble[256];         /* why it is not up */
};

#endif

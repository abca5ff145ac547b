/* SPDX-License-Identifier: MIT */
/*
 * What the files of the embedder share: its state, and one request with all that can come
 * of it.  Private to embedding.c and embedder*.c.
 *
 *            failed                 failed: the wait doubles, 1 s to 5 min
 *      up ───────────► down ──┐
 *       ▲                ▲    │ the wait is over, or somebody asked
 *       └── answered ────┴─ probe
 *
 *   1. While it is down nothing but probes is sent; a question fails at once.
 *   2. A probe is one word, so that a text that the model cannot take is told from an
 *      endpoint that does not work.
 *   3. Only the thread probes; where there is none, a question after the wait does.
 */
#ifndef CINTA_FS_EMBEDDING_H
#define CINTA_FS_EMBEDDING_H

#include <pthread.h>

#include "fs/meaning/embedder.h"
#include "fs/meaning/endpoint.h"
#include "fs/internal.h"
#include "store/lock.h"

enum {
	BATCH_MOST = 64,
	BATCH_BYTES = 256 << 10, /* of texts in one request; fewer if it is slow */
	BATCH_MS = 60000,
	PROBE_MS = 10000,
	QUESTION_MS = 1500,
	QUIET_MS = 5000,         /* no questions after one was given up */
	NUDGE_MS = 10000,        /* between probes that questions ask for */
	BACKOFF_MOST_MS = 300000
};
_Static_assert((int)EMBEDDING_DIMS_MOST == (int)VECTOR_DIMS_MOST, "render and store agree");

/* Why there is no answer; in errors.log each once an hour. */
enum embedding_reason {
	REASON_AWAY, REASON_LATE, REASON_SHUT, REASON_LATER, REASON_FAILED, REASON_NO_FORM,
	REASON_REFUSED, REASON_NOT_STORED, EMBEDDING_REASONS
};

enum sent_how {
	SENT_DONE,
	SENT_REFUSED, /* it does not take these texts, or does not take so much */
	SENT_TROUBLE, /* it may be the texts' fault, or not: 5xx, late, a bad answer */
	SENT_DOWN,    /* nothing is to be sent for a while */
	SENT_STOPPED
};
struct sent {
	enum sent_how how;
	enum embedding_reason reason;
	int64_t retry_ms; /* when the endpoint wants to be asked again, 0: it does not say */
	char detail[240]; /* for people: one line */
};

struct embedder {
	struct fs *fs;
	char *url, *key, *model;
	char where[128];
	int dims_given, rest_ms;
	int stop;          /* an eventfd */
	bool works;        /* has its thread */
	pthread_t thread;

	struct lock lock;
	/* All below is guarded by lock. */
	pthread_cond_t answered;
	int dims;          /* 0: not known yet */
	bool down, nudged;
	int64_t failed_ms, again_ms, backoff_ms, quiet_ms; /* of now_ms() */
	int64_t texts, missing, failures;
	char trouble[256];
	int64_t told_ms[EMBEDDING_REASONS]; /* 0: never */
	int asking;
	struct asker {
		struct endpoint *endpoint;
		bool busy;
		unsigned char hash[VECTOR_HASH];
	} asker[ASKERS];
};

/*
 * Sends texts and takes their vectors.  *dims is what they must have; 0: any.  The connection
 * is made when there is none.  Release `out` in every case.
 */
struct sent embedding_send(struct embedder *e, struct endpoint **endpoint,
                           const struct embedding_text *texts, size_t count, int limit_ms,
                           struct embeddings *out);

/* The same with one word, to see whether it works at all: *dims are its dimensions. */
struct sent embedding_probe(struct embedder *e, struct endpoint **endpoint, int *dims);
/* True if such dimensions were asked for, or none; else `s` is a failure that says so. */
bool embedding_fits(struct embedder *e, int dims, struct sent *s);

/* The thread: embedder_work.c. */
void *embedder_work(void *embedder);

/* It works, with so many dimensions; false: they do not fit, and so it does not. */
bool embedding_worked(struct embedder *e, int dims, struct sent *s);
/* It does not: nothing is sent for a while. */
void embedding_went(struct embedder *e, const struct sent *s);
/* A line in errors.log, unless there was one of that reason within the hour. */
void embedding_tell(struct embedder *e, const struct sent *s);

#endif

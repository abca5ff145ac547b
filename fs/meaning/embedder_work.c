/* SPDX-License-Identifier: MIT */
/* The thread that has vectors made of what is on the tape. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "fs/meaning/embedding.h"
#include "store/array.h"
#include "store/thread.h"

enum { TRIES = 3, SLOW_MS = 4000, QUICK_MS = 1000, BYTES_LEAST = 8 << 10 };

/* What the thread knows and nobody else. */
struct work {
	struct embedder *e;
	struct endpoint *endpoint;
	int64_t tape_bytes;        /* of the tape whose texts all have been looked at; -1: none */
	int dims;                  /* of the model they were looked at for */
	int64_t counted_bytes;     /* when those without a vector were counted last */
	size_t most, bytes_most;   /* of a batch: halved when one fails or is slow */
	int64_t hold_ms, hold_until; /* the store failed: how long nothing is sent */
	struct {                   /* one text that fails by itself */
		bool is;
		unsigned char hash[VECTOR_HASH];
		size_t len;            /* so much of it is sent now */
		int tries;
	} patient;
	struct vector_add add[BATCH_MOST];
	struct embedding_text text[BATCH_MOST];
	size_t count, bytes;
};

static void batch_release(struct work *w)
{
	for (size_t i = 0; i < w->count; i++)
		free((char *)(uintptr_t)w->text[i].text);
	w->count = w->bytes = 0;
}

static int64_t tape_size(struct embedder *e)
{
	struct log_stat tape;
	int err = store_log_stat(e->fs->store, (struct log_id){ LOG_TAPE, 0 }, &tape);
	return err ? -1 : tape.bytes;
}

static void set_missing(struct embedder *e, int64_t left)
{
	lock_take(&e->lock);
	e->missing = left > 0 ? left : 0;
	lock_give(&e->lock);
}

/* The store cannot do its part; to go on would be to send the same again and again. */
static int hold(struct work *w, const char *what, int err)
{
	struct sent s = { .reason = REASON_NOT_STORED };
	w->hold_ms = w->hold_ms ? w->hold_ms * 2 : w->e->rest_ms;
	if (w->hold_ms > BACKOFF_MOST_MS)
		w->hold_ms = BACKOFF_MOST_MS;
	w->hold_until = now_ms() + w->hold_ms;
	(void)snprintf(s.detail, sizeof s.detail, "%s: %.100s", what, store_strerror(err));
	embedding_tell(w->e, &s);
	return w->e->rest_ms;
}

/* ---- a batch ------------------------------------------------------------------------ */

static int add_text(void *ctx, const unsigned char hash[VECTOR_HASH], const char *text, size_t len)
{
	struct work *w = ctx;
	if (w->count == w->most || (w->count > 0 && w->bytes + len > w->bytes_most))
		return 1;
	char *copy = bytes_copy(text, len);
	if (!copy)
		return 1;
	bool ill = w->patient.is && memcmp(w->patient.hash, hash, VECTOR_HASH) == 0;
	memcpy(w->add[w->count].hash, hash, VECTOR_HASH);
	w->text[w->count++] = (struct embedding_text){ copy, ill && w->patient.len < len ?
		w->patient.len : len };
	w->bytes += len;
	return 0;
}

static int embedder_keep(struct work *w, const struct embeddings *got, int dims)
{
	struct embedder *e = w->e;
	const struct vector_model m = { e->model, dims };
	for (size_t i = 0; i < w->count; i++)
		w->add[i].values = got ? got->values + i * (size_t)dims : NULL;
	int err = store_vectors_add(e->fs->store, &m, w->add, w->count);
	if (err)
		return hold(w, "vectors cannot be stored", err);
	w->hold_ms = 0;
	w->patient.is = false;
	lock_take(&e->lock);
	e->texts += got ? (int64_t)w->count : 0;
	e->missing -= (int64_t)w->count < e->missing ? (int64_t)w->count : e->missing;
	lock_give(&e->lock);
	return 0;
}

/* One word, to see whether it works at all.  Milliseconds to rest, -1: it is to stop. */
static int probe(struct work *w)
{
	int dims;
	struct sent s = embedding_probe(w->e, &w->endpoint, &dims);
	bool good = s.how == SENT_DONE && embedding_worked(w->e, dims, &s);
	if (s.how == SENT_STOPPED)
		return -1;
	if (!good)
		embedding_went(w->e, &s);
	return good ? 0 : w->e->rest_ms;
}

/* Whole characters of the beginning. */
static size_t cut(const char *text, size_t len)
{
	while (len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80)
		len--;
	return len;
}

/*
 * A text that fails alone while others do not: again if it may be chance, then less of it,
 * as many models take no more than 512 tokens, and in the end without a vector.
 */
static int nurse(struct work *w, const struct sent *s)
{
	static const size_t lengths[] = { 1600, 800, 400 };
	const struct embedding_text *t = &w->text[0];
	if (!w->patient.is || memcmp(w->patient.hash, w->add[0].hash, VECTOR_HASH) != 0) {
		w->patient.is = true;
		memcpy(w->patient.hash, w->add[0].hash, VECTOR_HASH);
		w->patient.len = t->len;
		w->patient.tries = 0;
	}
	if (s->how == SENT_TROUBLE && ++w->patient.tries < TRIES)
		return w->e->rest_ms;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		if (lengths[i] < w->patient.len) {
			w->patient.len = cut(t->text, lengths[i]);
			w->patient.tries = 0;
			return 0;
		}
	}
	struct sent none = { .reason = REASON_REFUSED };
	(void)snprintf(none.detail, sizeof none.detail, "a text gets no vector: %.170s", s->detail);
	embedding_tell(w->e, &none);
	struct vector_model m;
	return embedder_model(w->e->fs, &m) ? embedder_keep(w, NULL, m.dims) : w->e->rest_ms;
}

static int after_failure(struct work *w, const struct sent *s)
{
	if (s->how == SENT_STOPPED)
		return -1;
	if (w->count > 1)
		w->most = w->count / 2;
	if (s->reason == REASON_LATE && w->bytes_most > BYTES_LEAST)
		w->bytes_most /= 2;
	if (s->how == SENT_DOWN) {
		embedding_went(w->e, s);
		return w->e->rest_ms;
	}
	int rest = probe(w);
	if (rest)
		return rest;
	if (s->how == SENT_TROUBLE)
		embedding_tell(w->e, s);
	return w->count > 1 ? 0 : nurse(w, s);
}

/* A request that takes long makes questions wait at endpoints that do one at a time. */
static void pace(struct work *w, int64_t took_ms)
{
	w->most = w->most * 2 < BATCH_MOST ? w->most * 2 : BATCH_MOST;
	if (took_ms > SLOW_MS && w->bytes_most > BYTES_LEAST)
		w->bytes_most /= 2;
	else if (took_ms < QUICK_MS && w->bytes_most < BATCH_BYTES)
		w->bytes_most *= 2;
}

static int send_batch(struct work *w)
{
	struct embedder *e = w->e;
	struct embeddings got;
	int64_t start = now_ms();
	struct sent s = embedding_send(e, &w->endpoint, w->text, w->count, BATCH_MS, &got);
	int rest;
	if (s.how == SENT_DONE && embedding_worked(e, got.dims, &s)) {
		pace(w, now_ms() - start);
		rest = embedder_keep(w, &got, got.dims);
	} else {
		rest = after_failure(w, &s);
	}
	embeddings_release(&got);
	return rest;
}

/* ---- what is to be done next ---------------------------------------------------------- */

/* The next texts, or none: *left is how many there are. */
static int look(struct work *w, size_t most, int64_t *left)
{
	struct vector_model m;
	*left = 0;
	if (!embedder_model(w->e->fs, &m))
		return 0;
	w->most = most;
	int err = store_vectors_missing(w->e->fs->store, &m, most, add_text, w, left);
	set_missing(w->e, *left);
	return err;
}

/* So that people see what is waiting, too. */
static int while_down(struct work *w)
{
	struct embedder *e = w->e;
	int64_t now = now_ms(), size = tape_size(e), left;
	size_t most = w->most;
	lock_take(&e->lock);
	bool again = now >= e->again_ms || (e->nudged && now - e->failed_ms >= NUDGE_MS);
	lock_give(&e->lock);
	if (again)
		return probe(w);
	if (size != w->counted_bytes) {
		(void)look(w, 1, &left);
		batch_release(w);
		w->most = most;
		w->counted_bytes = size;
	}
	return e->rest_ms;
}

/* Milliseconds until the next step, -1: it is to stop. */
static int step(struct work *w)
{
	struct embedder *e = w->e;
	int64_t size = tape_size(e), left;
	struct vector_model m;
	lock_take(&e->lock);
	bool down = e->down;
	lock_give(&e->lock);
	if (down)
		return while_down(w);
	bool known = embedder_model(e->fs, &m);
	if (known && m.dims != w->dims) { /* a question has found another model there */
		w->dims = m.dims;
		w->tape_bytes = -1;
	}
	if (size == w->tape_bytes || now_ms() < w->hold_until)
		return e->rest_ms;
	if (!known)
		return probe(w);
	int err = look(w, w->most, &left), rest = 0;
	if (err)
		rest = hold(w, "texts without a vector cannot be looked up", err);
	else if (w->count > 0)
		rest = send_batch(w);
	else if (left > 0) /* no memory for one */
		rest = e->rest_ms;
	else
		w->tape_bytes = size;
	batch_release(w);
	return rest;
}

/* False: it is to stop. */
static bool has_rested(const struct embedder *e, int ms)
{
	struct pollfd fd = { e->stop, POLLIN, 0 };
	thread_clear();
	return poll(&fd, 1, ms) == 0;
}

void *embedder_work(void *arg)
{
	struct embedder *e = arg;
	struct work *w = calloc(1, sizeof *w);
	int rest = 0;
	if (!w)
		return NULL;
	w->e = e;
	w->tape_bytes = -1;
	w->most = BATCH_MOST;
	w->bytes_most = BATCH_BYTES / 4;
	while (rest >= 0 && has_rested(e, rest))
		rest = step(w);
	endpoint_free(w->endpoint);
	free(w);
	return NULL;
}

/* SPDX-License-Identifier: MIT */
/* One request to the endpoint, and how the endpoint stands. */
#include "fs/meaning/embedding.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { HOUR_MS = 3600000, ANSWER_EXTRA = 64 << 10 };
#define AUTHOR "cinta:embedder"

/* ---- what is told ---------------------------------------------------------------- */

static bool may_tell(struct embedder *e, enum embedding_reason reason)
{
	int64_t now = now_ms();
	lock_take(&e->lock);
	bool may = !e->told_ms[reason] || now - e->told_ms[reason] >= HOUR_MS;
	if (may)
		e->told_ms[reason] = now;
	lock_give(&e->lock);
	return may;
}

void embedding_tell(struct embedder *e, const struct sent *s)
{
	static const char *const code[EMBEDDING_REASONS] = { "ECONNREFUSED", "ETIMEDOUT", "EACCES",
		"EAGAIN", "EREMOTEIO", "EPROTO", "EINVAL", "EIO" };
	static const char *const todo[EMBEDDING_REASONS] = {
		"start it; until then searches go by words alone",
		"make it faster; until then searches go by words alone",
		"see -o embedding, -o embedding_model and CINTA_EMBEDDING_KEY in cinta(1)",
		"it is asked again later; until then searches go by words alone",
		"see what it says by itself; until then searches go by words alone",
		"it must be OpenAI-compatible: POST /v1/embeddings",
		"a text is found by its words alone; a model that takes longer ones may help",
		"see cinta status DB and cinta doctor DB" };
	struct refusal r = { .time_us = now_us(), .code = code[s->reason], .op = "embed",
		.path = "search", .author = AUTHOR, .reason = s->detail, .todo = todo[s->reason] };
	struct job job;
	if (!may_tell(e, s->reason))
		return;
	told_line(e->fs, &r);
	job_init(&job, e->fs);
	job_errors(&job);
	job_finish(&job, NULL, NULL, NULL);
}

/* ---- how it stands ----------------------------------------------------------------- */

bool embedder_model(struct fs *fs, struct vector_model *m)
{
	struct embedder *e = fs->embedder;
	if (!e)
		return false;
	lock_take(&e->lock);
	*m = (struct vector_model){ e->model, e->dims };
	lock_give(&e->lock);
	return m->dims > 0;
}

bool embedder_status(struct fs *fs, struct embedding_status *out)
{
	struct embedder *e = fs->embedder;
	*out = (struct embedding_status){ .up = true };
	if (!e)
		return false;
	lock_take(&e->lock);
	(void)snprintf(out->model, sizeof out->model, "%s", e->model);
	(void)snprintf(out->where, sizeof out->where, "%s", e->where);
	(void)snprintf(out->trouble, sizeof out->trouble, "%s", e->trouble);
	out->dims = e->dims;
	out->texts = e->texts;
	out->missing = e->missing;
	out->failures = e->failures;
	out->up = !e->down;
	lock_give(&e->lock);
	return true;
}

void embedding_went(struct embedder *e, const struct sent *s)
{
	int64_t now = now_ms();
	lock_take(&e->lock);
	e->backoff_ms = !e->down ? e->rest_ms : e->backoff_ms * 2;
	if (e->backoff_ms > BACKOFF_MOST_MS)
		e->backoff_ms = BACKOFF_MOST_MS;
	int64_t wait = s->retry_ms > e->backoff_ms ? s->retry_ms : e->backoff_ms;
	e->again_ms = now + (wait < BACKOFF_MOST_MS ? wait : BACKOFF_MOST_MS);
	e->down = true;
	e->nudged = false;
	e->failed_ms = now;
	(void)snprintf(e->trouble, sizeof e->trouble, "%s", s->detail);
	lock_give(&e->lock);
	embedding_tell(e, s);
}

/* The number is known to the next process, too: it finds the vectors without asking. */
static void keep_dims(struct embedder *e, int dims)
{
	char mark[VECTOR_MODEL_MOST + 32];
	(void)snprintf(mark, sizeof mark, "embedding_dims:%s", e->model);
	(void)store_mark_set(e->fs->store, mark, dims);
}

bool embedding_fits(struct embedder *e, int dims, struct sent *s)
{
	if (!e->dims_given || dims == e->dims_given)
		return true;
	s->how = SENT_DOWN;
	s->reason = REASON_SHUT;
	(void)snprintf(s->detail, sizeof s->detail, "the embedding endpoint %.100s gives vectors of "
	               "%d dimensions, and not of %d as asked", e->where, dims, e->dims_given);
	return false;
}

bool embedding_worked(struct embedder *e, int dims, struct sent *s)
{
	if (!embedding_fits(e, dims, s))
		return false;
	lock_take(&e->lock);
	bool other = e->dims != dims;
	e->dims = dims;
	e->down = false;
	e->quiet_ms = 0;
	*e->trouble = '\0';
	lock_give(&e->lock);
	if (other && !e->dims_given)
		keep_dims(e, dims);
	return true;
}

/* ---- one request -------------------------------------------------------------------- */

static const struct {
	enum sent_how how;
	enum embedding_reason reason;
	const char *text; /* after "the embedding endpoint WHERE" */
} meaning[ENDPOINT_ENDS] = {
	[ENDPOINT_DONE] = { SENT_TROUBLE, REASON_NO_FORM, "is not understood" },
	[ENDPOINT_REFUSED] = { SENT_REFUSED, REASON_REFUSED, "answers" },
	[ENDPOINT_SHUT] = { SENT_DOWN, REASON_SHUT, "answers" },
	[ENDPOINT_LATER] = { SENT_DOWN, REASON_LATER, "answers" },
	[ENDPOINT_FAILED] = { SENT_TROUBLE, REASON_FAILED, "answers" },
	[ENDPOINT_LATE] = { SENT_TROUBLE, REASON_LATE, "gave no answer in time" },
	[ENDPOINT_AWAY] = { SENT_DOWN, REASON_AWAY, "cannot be reached" },
	[ENDPOINT_LARGE] = { SENT_TROUBLE, REASON_NO_FORM, "answers with far too much" },
	[ENDPOINT_STOPPED] = { SENT_STOPPED, REASON_AWAY, "was given up" },
};

static void describe(struct embedder *e, struct sent *s, enum endpoint_end end,
                     const struct endpoint_answer *a, const char *why)
{
	char said[80] = "", status[16] = "";
	if (!why && a->status && a->body.data)
		render_embedding_error(said, sizeof said, a->body.data, a->body.len, e->key);
	else
		(void)snprintf(said, sizeof said, "%.79s", why ? why : a->detail);
	if (!why && a->status)
		(void)snprintf(status, sizeof status, " %ld", a->status);
	s->how = meaning[end].how;
	s->reason = meaning[end].reason;
	s->retry_ms = a->retry_ms;
	(void)snprintf(s->detail, sizeof s->detail, "the embedding endpoint %.80s %s%s%s%s", e->where,
	               meaning[end].text, status, *said ? ": " : "", said);
}

static int connect_to(struct embedder *e, struct endpoint **endpoint)
{
	return *endpoint ? 0 : endpoint_new(e->url, e->key, e->stop, endpoint);
}

static void count_failure(struct embedder *e)
{
	lock_take(&e->lock);
	e->failures++;
	lock_give(&e->lock);
}

struct sent embedding_send(struct embedder *e, struct endpoint **endpoint,
                           const struct embedding_text *texts, size_t count, int limit_ms,
                           struct embeddings *out)
{
	struct sent s = { .how = SENT_DONE };
	struct endpoint_answer a = { .body = BUF_INIT };
	struct buf json = BUF_INIT;
	struct why why = { 0 };
	enum endpoint_end end = ENDPOINT_AWAY;
	size_t most = count * EMBEDDING_DIMS_MOST * EMBEDDING_NUMBER + ANSWER_EXTRA;
	*out = (struct embeddings){ .values = NULL };
	render_embedding_request(&json, e->model, e->dims_given, texts, count);
	if (json.failed || connect_to(e, endpoint))
		(void)snprintf(a.detail, sizeof a.detail, "%s", strerror(ENOMEM));
	else
		end = endpoint_post(*endpoint, json.data, json.len, limit_ms, most, &a);
	bool good = end == ENDPOINT_DONE && !a.body.failed &&
		render_embeddings_in(a.body.data ? a.body.data : "", a.body.len, count, out, &why) == 0;
	if (!good) {
		describe(e, &s, end, &a, end == ENDPOINT_DONE ? why.text : NULL);
		if (s.how != SENT_STOPPED)
			count_failure(e);
	}
	buf_release(&json);
	buf_release(&a.body);
	return s;
}

struct sent embedding_probe(struct embedder *e, struct endpoint **endpoint, int *dims)
{
	static const struct embedding_text word = { "cinta", 5 };
	struct embeddings got;
	struct sent s = embedding_send(e, endpoint, &word, 1, PROBE_MS, &got);
	*dims = got.dims;
	embeddings_release(&got);
	if (s.how == SENT_REFUSED) /* that cannot be the word's fault */
		s.reason = REASON_SHUT;
	return s;
}

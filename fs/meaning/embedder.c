/* SPDX-License-Identifier: MIT */
/* The embedder's life, and what it tells of itself. */
#include "fs/meaning/embedder.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "fs/meaning/embedding.h"

enum { REST_MS = 1000 };

static void take_dims(struct embedder *e)
{
	char mark[VECTOR_MODEL_MOST + 32];
	int64_t dims = 0;
	e->dims = e->dims_given;
	(void)snprintf(mark, sizeof mark, "embedding_dims:%s", e->model);
	if (!e->dims && store_mark_get(e->fs->store, mark, &dims) == 0 && dims > 0 &&
	    dims <= VECTOR_DIMS_MOST)
		e->dims = (int)dims;
}

static int take_options(struct embedder *e, const struct fs_options *o, struct why *why)
{
	struct buf url = BUF_INIT;
	size_t len = o->embedding_model ? strlen(o->embedding_model) : 0;
	int err = len < 1 || len > VECTOR_MODEL_MOST || o->embedding_dims < 0 ||
		o->embedding_dims > VECTOR_DIMS_MOST ? -EINVAL :
		endpoint_url(o->embedding, &url, e->where, sizeof e->where, why);
	if (err) {
		buf_release(&url);
		return err;
	}
	e->url = url.data; /* malloc'ed, as a buf's bytes are */
	e->key = o->embedding_key && *o->embedding_key ? strdup(o->embedding_key) : NULL;
	e->model = strdup(o->embedding_model);
	e->dims_given = o->embedding_dims;
	e->rest_ms = o->embedding_rest_ms ? o->embedding_rest_ms : REST_MS;
	return e->model ? 0 : -ENOMEM;
}

static void embedder_free(struct embedder *e)
{
	for (int i = 0; i < ASKERS; i++)
		endpoint_free(e->asker[i].endpoint);
	if (e->stop >= 0)
		close(e->stop);
	if (e->key)
		explicit_bzero(e->key, strlen(e->key));
	free(e->key);
	free(e->url);
	free(e->model);
	lock_destroy(&e->lock);
	pthread_cond_destroy(&e->answered);
	free(e);
}

/* What `o` says, without a thread or a store. */
static int embedder_new(const struct fs_options *o, struct embedder **out, struct why *why)
{
	struct embedder *e = calloc(1, sizeof *e);
	pthread_condattr_t clock;
	if (!e)
		return -ENOMEM;
	lock_init(&e->lock, RANK_EMBEDDER);
	pthread_condattr_init(&clock);
	(void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&e->answered, &clock);
	pthread_condattr_destroy(&clock);
	e->stop = eventfd(0, EFD_CLOEXEC);
	int err = e->stop < 0 ? -EAGAIN : take_options(e, o, why);
	if (err)
		embedder_free(e);
	else
		*out = e;
	return err;
}

static int start_thread(struct embedder *e)
{
	sigset_t all, before;
	sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &before))
		return -EAGAIN;
	e->works = pthread_create(&e->thread, NULL, embedder_work, e) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return e->works ? 0 : -EAGAIN;
}

int embedder_start(struct fs *fs, const struct fs_options *o)
{
	struct why why = { 0 };
	if (!o->embedding)
		return 0;
	int err = embedder_new(o, &fs->embedder, &why);
	if (err)
		return err;
	fs->embedder->fs = fs;
	take_dims(fs->embedder);
	bool none = store_frozen(fs->store) || fs->unmounted || o->embedding_ask;
	return none ? 0 : start_thread(fs->embedder);
}

void embedder_interrupt(struct fs *fs)
{
	if (fs->embedder)
		(void)eventfd_write(fs->embedder->stop, 1);
}

void embedder_stop(struct fs *fs)
{
	struct embedder *e = fs->embedder;
	if (!e)
		return;
	embedder_interrupt(fs);
	if (e->works)
		pthread_join(e->thread, NULL);
	embedder_free(e);
	fs->embedder = NULL;
}

/* ---- for the command line --------------------------------------------------------- */

int fs_embedding_check(const char *url, struct why *why)
{
	struct buf full = BUF_INIT;
	char where[128];
	int err = endpoint_url(url, &full, where, sizeof where, why);
	buf_release(&full);
	return err;
}

int fs_embedding_try(const struct fs_options *o, struct why *why)
{
	struct embedder *e = NULL;
	struct endpoint *endpoint = NULL;
	int dims = 0, err = embedder_new(o, &e, why);
	if (err)
		return err;
	struct sent s = embedding_probe(e, &endpoint, &dims);
	if (s.how == SENT_DONE)
		(void)embedding_fits(e, dims, &s);
	if (s.how != SENT_DONE) {
		why_set(why, "start it, or see -o embedding in cinta(1)", "%s", s.detail);
		err = -EAGAIN;
	}
	endpoint_free(endpoint);
	embedder_free(e);
	return err ? err : dims;
}

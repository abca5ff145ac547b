/* SPDX-License-Identifier: MIT */
/*
 * The vector of a question, for who asks it now.
 *
 * One who asks what another is just asking waits for that answer.  No more than ASKERS wait
 * at the same time, so that a mount always has threads for other requests (serve.c); who
 * comes then is answered by words alone.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "fs/meaning/embedding.h"

/* True if a question may be sent now.  The lock is held. */
static bool may_ask(struct embedder *e)
{
	int64_t now = now_ms();
	if (e->down && e->works) {
		e->nudged = true;
		return false;
	}
	return now >= e->quiet_ms && (!e->down || now >= e->again_ms) && e->asking < ASKERS;
}

static struct asker *who_asks(struct embedder *e, const unsigned char hash[VECTOR_HASH])
{
	for (int i = 0; i < ASKERS; i++)
		if (e->asker[i].busy && memcmp(e->asker[i].hash, hash, VECTOR_HASH) == 0)
			return &e->asker[i];
	return NULL;
}

/* Until the other one has got it, or not.  The lock is held. */
static void wait_for(struct embedder *e, const unsigned char hash[VECTOR_HASH])
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += QUESTION_MS / 1000;
	until.tv_nsec += QUESTION_MS % 1000 * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	while (who_asks(e, hash) &&
	       lock_wait_until(&e->lock, &e->answered, &until))
		continue;
}

/* A slot of one's own; NULL: the answer has been waited for, or is not to be had now. */
static struct asker *begin(struct embedder *e, const unsigned char hash[VECTOR_HASH])
{
	struct asker *mine = NULL;
	lock_take(&e->lock);
	if (may_ask(e)) {
		e->asking++;
		e->fs->wait_begins(e->fs);
		if (who_asks(e, hash)) {
			wait_for(e, hash);
			e->asking--;
			e->fs->wait_ends(e->fs);
		} else {
			for (mine = e->asker; mine->busy; mine++)
				continue;
			mine->busy = true;
			memcpy(mine->hash, hash, VECTOR_HASH);
		}
	}
	lock_give(&e->lock);
	return mine;
}

static void end(struct embedder *e, struct asker *mine)
{
	lock_take(&e->lock);
	mine->busy = false;
	e->asking--;
	e->fs->wait_ends(e->fs);
	pthread_cond_broadcast(&e->answered);
	lock_give(&e->lock);
}

static void note_failure(struct embedder *e, const struct sent *s)
{
	if (s->how == SENT_STOPPED)
		return;
	if (s->how == SENT_DOWN) {
		embedding_went(e, s);
		return;
	}
	lock_take(&e->lock);
	if (s->how == SENT_TROUBLE)
		e->quiet_ms = now_ms() + QUIET_MS;
	lock_give(&e->lock);
	embedding_tell(e, s);
}

static int send_question(struct embedder *e, struct asker *mine, const char *text, size_t len,
                         float *out, struct vector_model *m)
{
	const struct embedding_text question = { text, len };
	struct embeddings got;
	struct vector_add add;
	struct sent s = embedding_send(e, &mine->endpoint, &question, 1, QUESTION_MS, &got);
	bool good = s.how == SENT_DONE && embedding_worked(e, got.dims, &s);
	if (good) {
		*m = (struct vector_model){ e->model, got.dims };
		memcpy(out, got.values, (size_t)got.dims * sizeof *out);
		memcpy(add.hash, mine->hash, VECTOR_HASH);
		add.values = got.values;
		/* What is not kept is asked again. */
		(void)store_vectors_add(e->fs->store, m, &add, 1);
	} else {
		note_failure(e, &s);
	}
	embeddings_release(&got);
	return good ? 0 : -EAGAIN;
}

int embedder_question(struct fs *fs, const char *text, size_t len, float *out,
                      struct vector_model *m)
{
	struct embedder *e = fs->embedder;
	unsigned char hash[VECTOR_HASH];
	if (!e || len == 0)
		return -ENOENT;
	store_vector_hash(text, &len, hash);
	if (embedder_model(fs, m) && store_vector(fs->store, m, hash, out) == 0)
		return 0;
	struct asker *mine = begin(e, hash);
	if (!mine)
		return embedder_model(fs, m) && store_vector(fs->store, m, hash, out) == 0 ? 0 : -EAGAIN;
	int err = send_question(e, mine, text, len, out, m);
	end(e, mine);
	return err;
}

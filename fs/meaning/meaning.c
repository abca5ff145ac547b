/* SPDX-License-Identifier: MIT */
/* The model's vectors of turns, and the scale of its cosines (meaning.h). */
#include "fs/meaning/meaning.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/meaning/embedder.h"
#include "fs/internal.h"

enum { AGAIN_MS = 1000, TURNS_SEEN = 2 * SCALE_MOST };

struct meanings {
	pthread_mutex_t lock;
	bool known;         /* guarded by lock, as all below */
	int64_t asked_ms;   /* when it was measured in vain */
	struct scale scale;
};

int meanings_start(struct fs *fs, const struct fs_options *o)
{
	(void)o;
	fs->meanings = calloc(1, sizeof *fs->meanings);
	if (!fs->meanings)
		return -ENOMEM;
	pthread_mutex_init(&fs->meanings->lock, NULL);
	return 0;
}

void meanings_stop(struct fs *fs)
{
	if (!fs->meanings)
		return;
	pthread_mutex_destroy(&fs->meanings->lock);
	free(fs->meanings);
}

/* The first turns of the memory: what they are found by. */
struct first_turns {
	struct first_turn {
		unsigned char hash[VECTOR_HASH];
		int64_t run;
	} of[TURNS_SEEN];
	size_t count;
	int64_t run;
};

static int take_turn(void *ctx, const struct turn *t)
{
	struct first_turns *f = ctx;
	size_t len = t->len;
	if (strcmp(t->role, "tool") == 0 || len == 0) {
		f->run++;
		return 0;
	}
	store_vector_hash(t->content, &len, f->of[f->count].hash);
	f->of[f->count].run = f->run;
	return ++f->count == TURNS_SEEN;
}

static int find_turns(struct fs *fs, struct first_turns *f)
{
	struct group g = { .id = 0 };
	int err = 0;
	while (!err && f->count < TURNS_SEEN &&
	       (err = store_group_next(fs->store, LOG_SESSION, g.id, &g)) == 0) {
		f->run++;
		err = store_turns(fs->store, g.id, 1, TURNS_SEEN, take_turn, f);
	}
	return err == STORE_ENOENT ? 0 : err;
}

/* Those that have a vector; a turn without one ends a run. */
static int measure_turns(struct fs *fs, const struct vector_model *model,
                         const struct first_turns *f, struct scale *out)
{
	struct scale_turn *turn = calloc(SCALE_MOST, sizeof *turn);
	float *all = calloc(SCALE_MOST, (size_t)model->dims * sizeof *all);
	size_t count = 0, missing = 0;
	int err = turn && all ? 0 : STORE_ENOMEM;
	for (size_t i = 0; !err && i < f->count && count < SCALE_MOST; i++) {
		float *vector = all + count * (size_t)model->dims;
		err = store_vector(fs->store, model, f->of[i].hash, vector);
		if (err == STORE_ENOENT) {
			err = 0;
			missing++;
			continue;
		}
		turn[count++] = (struct scale_turn){ vector,
			f->of[i].run * (TURNS_SEEN + 1) + (int64_t)missing };
	}
	if (!err)
		err = policy_scale(out, &policy_default, turn, count, model->dims);
	free(turn);
	free(all);
	return err;
}

static bool measure(struct fs *fs, const struct vector_model *model, struct scale *out)
{
	struct first_turns *f = calloc(1, sizeof *f);
	bool done = f && find_turns(fs, f) == 0 && f->count >= SCALE_LEAST &&
		measure_turns(fs, model, f, out) == 0;
	free(f);
	return done;
}

bool meaning_scale(struct fs *fs, struct vector_model *model, struct scale *out)
{
	struct meanings *m = fs->meanings;
	if (!embedder_model(fs, model))
		return false;
	pthread_mutex_lock(&m->lock);
	bool known = m->known, again = !known && now_ms() - m->asked_ms >= AGAIN_MS;
	*out = m->scale;
	if (again)
		m->asked_ms = now_ms(); /* others need not wait for this one */
	pthread_mutex_unlock(&m->lock);
	if (!again || !measure(fs, model, out))
		return known;
	pthread_mutex_lock(&m->lock);
	m->scale = *out;
	m->known = true;
	pthread_mutex_unlock(&m->lock);
	return true;
}

float *meaning_of(struct fs *fs, const struct vector_model *model, const char *text, size_t len)
{
	unsigned char hash[VECTOR_HASH];
	float *vector = calloc((size_t)model->dims, sizeof *vector);
	store_vector_hash(text, &len, hash);
	if (vector && store_vector(fs->store, model, hash, vector) == 0)
		return vector;
	free(vector);
	return NULL;
}

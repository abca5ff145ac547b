/* SPDX-License-Identifier: MIT */
/* The model's vectors of turns, and what its cosines mean (meaning.h). */
#include "fs/meaning/meaning.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/meaning/embedder.h"
#include "fs/internal.h"

enum { AGAIN_MS = 1000, TURNS_SEEN = 2 * CALIBRATION_TURNS_MOST };

struct meanings {
	struct lock lock;
	bool known;         /* guarded by lock, as all below */
	int64_t asked_ms;   /* when it was measured in vain */
	struct model_calibration calibration;
};

int meanings_start(struct fs *fs, const struct fs_options *o)
{
	(void)o;
	fs->meanings = calloc(1, sizeof *fs->meanings);
	if (!fs->meanings)
		return -ENOMEM;
	lock_init(&fs->meanings->lock, RANK_MEANINGS);
	return 0;
}

void meanings_stop(struct fs *fs)
{
	if (!fs->meanings)
		return;
	lock_destroy(&fs->meanings->lock);
	free(fs->meanings);
}

/* The first turns of the memory: what they are found by. */
struct first_turns {
	struct first_turn {
		unsigned char hash[VECTOR_HASH];
		int64_t run;
	} items[TURNS_SEEN];
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
	store_vector_hash(t->content, &len, f->items[f->count].hash);
	f->items[f->count].run = f->run;
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
                         const struct first_turns *f, struct model_calibration *out)
{
	struct turn_vector *turn = calloc(CALIBRATION_TURNS_MOST, sizeof *turn);
	float *all = calloc(CALIBRATION_TURNS_MOST, (size_t)model->dims * sizeof *all);
	size_t count = 0, missing = 0;
	int err = turn && all ? 0 : STORE_ENOMEM;
	for (size_t i = 0; !err && i < f->count && count < CALIBRATION_TURNS_MOST; i++) {
		float *vector = all + count * (size_t)model->dims;
		err = store_vector(fs->store, model, f->items[i].hash, vector);
		if (err == STORE_ENOENT) {
			err = 0;
			missing++;
			continue;
		}
		turn[count++] = (struct turn_vector){ vector,
			f->items[i].run * (TURNS_SEEN + 1) + (int64_t)missing };
	}
	if (!err)
		err = policy_calibrate_model(out, &policy_default, turn, count, model->dims);
	free(turn);
	free(all);
	return err;
}

static bool measure(struct fs *fs, const struct vector_model *model, struct model_calibration *out)
{
	struct first_turns *f = calloc(1, sizeof *f);
	bool done = f && find_turns(fs, f) == 0 && f->count >= CALIBRATION_TURNS_LEAST &&
		measure_turns(fs, model, f, out) == 0;
	free(f);
	return done;
}

bool meaning_calibration(struct fs *fs, struct vector_model *model, struct model_calibration *out)
{
	struct meanings *m = fs->meanings;
	if (!embedder_model(fs, model))
		return false;
	lock_take(&m->lock);
	bool known = m->known, again = !known && now_ms() - m->asked_ms >= AGAIN_MS;
	*out = m->calibration;
	if (again)
		m->asked_ms = now_ms(); /* others need not wait for this one */
	lock_give(&m->lock);
	if (!again || !measure(fs, model, out))
		return known;
	lock_take(&m->lock);
	m->calibration = *out;
	m->known = true;
	lock_give(&m->lock);
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

/* SPDX-License-Identifier: MIT */
/*
 * Questions to answers (answers.h).  What may be kept, and how long, is policy
 * (store/policy/policy.h).
 */
#include "fs/answers/answers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"
#include "fs/meaning/meaning.h"

struct retrieved {
	int64_t id; /* 0: none yet */
	int64_t doc, version;
	int64_t saved; /* the document it was saved as through this inode, 0: not */
	char name[NAME_LIMIT + 1];
};

struct answers { /* guarded by fs->docs, but for due_us */
	struct retrieved *items; /* RETRIEVED_MOST, made when first used */
	int64_t last;         /* number given last */
	int64_t from_us;      /* what a listing begun last shows was saved since */
	_Atomic int64_t due_us; /* when the oldest is over; 0: look */
};

static bool of_tools(const struct place *p)
{
	return p->dir[0] != '\0';
}

static int64_t life(const struct place *p)
{
	return of_tools(p) ? policy_default.tool_answer_us : policy_default.answer_us;
}

/* The tape's clock does not go back, so neither does this one. */
static int64_t clock_of(struct fs *fs)
{
	int64_t newest = 0, now = store_time(fs->store);
	(void)store_newest_time(fs->store, &newest);
	return newest > now ? newest : now;
}

/* True if one saved at that time still holds, or did then.  now_us 0: now. */
static bool answers_hold(struct fs *fs, const struct place *p, int64_t saved_us, int64_t now_us)
{
	return policy_answer_holds(&policy_default, saved_us, now_us ? now_us : clock_of(fs),
	                           of_tools(p));
}

int answers_check(const struct place *p, const char *name, struct why *why)
{
	char key[NAME_LIMIT + 1];
	int err = place_name(p, name, key);
	if (err == -ENAMETOOLONG) {
		why_set(why, "ask in fewer words", "the question is too long for a name");
	} else if (err) {
		why_set(why, "name the file by the question, in words", "no question is left of the name");
	} else if (strlen(name) < strlen(".md") ||
	           !render_question_cacheable(name, strlen(name) - strlen(".md"))) {
		why_set(why, "keep it elsewhere (notes/), or ask without time and mood",
		        "the answer depends on the moment: it would be wrong when it is read");
		err = -EINVAL;
	}
	return err;
}

/* ---- much the same question ---------------------------------------------- */

struct asked {
	const char *question;
	size_t len;
	int64_t doc, version;
	struct fs *fs;
	/* With an embedding model: */
	struct vector_model model;
	struct model_calibration calibration;
	float *vector; /* the question's; NULL: by words alone */
	/* Those not the same by words and perhaps by meaning, the newest first. */
	struct maybe {
		int64_t doc, version;
		char *question;
	} maybe[ANSWERS_COMPARED];
	size_t maybes;
};

/* The model's vectors are asked for afterwards: not while the store shows answers. */
static int compare(void *ctx, const struct doc_answer *a)
{
	struct asked *q = ctx;
	size_t len = strlen(a->question);
	if (is_hidden(q->fs, a->id))
		return 0;
	if (render_same_question(q->question, q->len, a->question, len, policy_default.same)) {
		q->doc = a->id;
		q->version = a->versions;
		return 1;
	}
	if (q->vector && q->maybes < ANSWERS_COMPARED &&
	    render_question_agrees(q->question, q->len, a->question, len)) {
		char *question = strdup(a->question);
		if (question)
			q->maybe[q->maybes++] = (struct maybe){ a->id, a->versions, question };
	}
	return 0;
}

/* True if the model holds the two questions for one. */
static bool means_same(const struct asked *q, const char *question)
{
	float *vector = meaning_of(q->fs, &q->model, question, strlen(question));
	bool same = vector && vector_cosine(vector, q->vector, q->model.dims) > q->calibration.same;
	free(vector);
	return same;
}

/* The newest that means the same stands before one that has the same words, for it is newer. */
static void compare_meanings(struct asked *q)
{
	bool found = false;
	for (size_t i = 0; i < q->maybes; i++) {
		found = !found && means_same(q, q->maybe[i].question);
		if (found) {
			q->doc = q->maybe[i].doc;
			q->version = q->maybe[i].version;
		}
		free(q->maybe[i].question);
	}
}

/* The inode of what is retrieved for a name: the same while it is the same. */
static int number(struct fs *fs, const char *name, const struct asked *q, uint64_t *ino)
{
	struct answers *a = fs->answers;
	if (!a->items)
		a->items = calloc(RETRIEVED_MOST, sizeof *a->items);
	if (!a->items)
		return -ENOMEM;
	for (int i = 0; i < RETRIEVED_MOST && a->items[i].id; i++) {
		const struct retrieved *r = &a->items[i];
		if (r->doc == q->doc && r->version == q->version && !r->saved &&
		    strcmp(r->name, name) == 0) {
			*ino = ino_make(KIND_RETRIEVED, r->id);
			return 0;
		}
	}
	struct retrieved *r = &a->items[a->last % RETRIEVED_MOST];
	*r = (struct retrieved){ .id = ++a->last, .doc = q->doc, .version = q->version };
	(void)snprintf(r->name, sizeof r->name, "%s", name);
	*ino = ino_make(KIND_RETRIEVED, r->id);
	return 0;
}

static const struct retrieved *by_number(struct fs *fs, int64_t id)
{
	const struct retrieved *r = fs->answers->items && id > 0 ?
		&fs->answers->items[(id - 1) % RETRIEVED_MOST] : NULL;
	return r && r->id == id ? r : NULL;
}

static int find_similar(struct fs *fs, const struct place *p, const char *name, uint64_t *ino)
{
	struct asked q = { .question = name, .len = strlen(name) - strlen(".md"), .fs = fs };
	if (of_tools(p) || !render_question_cacheable(q.question, q.len))
		return -ENOENT;
	if (meaning_calibration(fs, &q.model, &q.calibration))
		q.vector = meaning_of(fs, &q.model, q.question, q.len);
	int err = errno_of_store(store_answers(fs->store, p->key, clock_of(fs) - life(p),
	                                       ANSWERS_COMPARED, compare, &q));
	compare_meanings(&q);
	free(q.vector);
	return err ? err : q.doc ? number(fs, name, &q, ino) : -ENOENT;
}

void answers_prepare(struct fs *fs, uint64_t dir, const char *name)
{
	struct vector_model model;
	struct model_calibration calibration;
	size_t len = strlen(name);
	if (ino_kind(dir) != KIND_ANSWERS || !render_is_document(FAMILY_ANSWER, name) ||
	    !render_question_cacheable(name, len - strlen(".md")) ||
	    !meaning_calibration(fs, &model, &calibration))
		return;
	float *vector = calloc(VECTOR_DIMS_MOST, sizeof *vector);
	if (vector) /* it is kept, and found there when questions are compared */
		(void)embedder_question(fs, name, len - strlen(".md"), vector, &model);
	free(vector);
}

/* The child of that name; -ENOENT: no answer that is current. */
static int find_current(struct fs *fs, const struct place *p, const char *name, uint64_t *ino)
{
	struct doc d;
	int err = place_doc(fs, p, name, &d);
	if (err && err != -ENOENT)
		return err == -EINVAL || err == -ENAMETOOLONG ? -ENOENT : err;
	if (!err && is_hidden(fs, d.id))
		return -ENOENT;
	if (!err && answers_hold(fs, p, d.saved_us, 0)) {
		*ino = ino_make(KIND_DOC, d.id);
		return 0;
	}
	return find_similar(fs, p, name, ino);
}

int find_answer(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	struct place p;
	lock_take(&fs->docs);
	int err = place_of(fs, dir, &p);
	if (err || place_is_past(&p, name) || scratch_lookup(fs, dir, name, ino) != 0) {
		if (!err)
			err = render_is_document(FAMILY_ANSWER, name) ? find_current(fs, &p, name, ino) :
				document_find_history(fs, &p, name, ino);
	}
	lock_give(&fs->docs);
	return err;
}

int find_answer_at(struct fs *fs, uint64_t dir, int64_t time_us, const char *name, uint64_t *ino)
{
	struct place p;
	struct doc d;
	int err = document_find_at(fs, dir, time_us, name, &p, &d);
	*ino = err ? 0 : ino_make(KIND_DOC, d.id);
	return err ? err : answers_hold(fs, &p, d.saved_us, time_us) ? 0 : -ENOENT;
}

int next_answer_at(struct fs *fs, uint64_t dir, int64_t time_us, int64_t *after,
                   char name[NAME_LIMIT + 1], uint64_t *ino)
{
	struct place p;
	struct doc d;
	int got, err = place_of(fs, dir, &p);
	while (!err && (got = next_document_at(fs, dir, time_us, after, name, ino)) == 1) {
		err = errno_of_store(store_doc_at_time(fs->store, time_us, p.key, name, &d));
		if (!err && answers_hold(fs, &p, d.saved_us, time_us))
			return 1;
	}
	return err ? err : got;
}

/* ---- listing -------------------------------------------------------------- */

static int note_oldest(void *ctx, const struct doc_answer *a)
{
	*(int64_t *)ctx = a->saved_us;
	return 0;
}

/* When the oldest that a listing shows was saved; 0: there is none. */
static int64_t oldest_listed(struct fs *fs, const struct place *p)
{
	int64_t oldest = 0;
	(void)store_answers(fs->store, p->key, clock_of(fs) - life(p), ANSWERS_LISTED, note_oldest,
	                    &oldest);
	return oldest;
}

/* The next that is current with an id above `after`. */
static int next_current(struct fs *fs, const struct place *p, int64_t after, struct doc *d)
{
	if (after == 0) {
		int64_t oldest = oldest_listed(fs, p);
		fs->answers->from_us = oldest ? oldest : INT64_MAX;
	}
	return errno_of_store(store_doc_next_since(fs->store, p->key, fs->answers->from_us, after, d));
}

int next_answer(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
                uint64_t *ino)
{
	return document_next_by(fs, dir, next_current, cursor, name, ino);
}

void answers_tick(struct fs *fs, struct job *job)
{
	static const enum kind dir[] = { KIND_ANSWERS, KIND_ANSWER_TOOLS };
	struct answers *a = fs->answers;
	int64_t due = INT64_MAX, none = INT64_MAX;
	/* The machine's clock will do: to look at the tape's would make the views catch up. */
	if (store_time(fs->store) < atomic_load(&a->due_us))
		return;
	atomic_store(&a->due_us, none);
	for (int i = 0; i < 2; i++) {
		struct place p;
		int64_t oldest = place_of(fs, ino_make(dir[i], 0), &p) ? 0 : oldest_listed(fs, &p);
		if (oldest && oldest + life(&p) < due)
			due = oldest + life(&p);
		job_inode(job, ino_make(dir[i], 0));
	}
	(void)atomic_compare_exchange_strong(&a->due_us, &none, due); /* unless one was saved */
}

void answers_on_saved(struct job *job, const struct saved *saved)
{
	if (!saved || is_answers(saved->dir))
		atomic_store(&job->fs->answers->due_us, 0);
}

/* ---- what is retrieved ------------------------------------------------------ */

void answers_asked(struct fs *fs, const struct doc *d, char name[NAME_LIMIT + 1])
{
	char question[NAME_LIMIT + 1];
	if (store_answer_question(fs->store, d->id, question) == 0 &&
	    strlen(question) + strlen(".md") <= NAME_LIMIT && question[0])
		(void)snprintf(name, NAME_LIMIT + 1, "%.252s.md", question);
	else
		memcpy(name, d->name, sizeof d->name);
}

void answers_saved(struct fs *fs, uint64_t ino, int64_t doc)
{
	const struct retrieved *r = by_number(fs, ino_id(ino));
	if (r)
		fs->answers->items[(r->id - 1) % RETRIEVED_MOST].saved = doc;
}

int page_retrieved(struct fs *fs, int64_t id, struct buf *out)
{
	char *bytes = NULL;
	size_t len = 0;
	lock_take(&fs->docs);
	const struct retrieved *r = by_number(fs, id);
	int err = !r ? -ESTALE :
		errno_of_store(store_doc_content(fs->store, r->saved ? r->saved : r->doc,
		                                 r->saved ? 0 : r->version, &bytes, &len));
	if (!err && !r->saved)
		render_retrieved(out, bytes, len);
	else if (!err)
		buf_add(out, bytes, len);
	lock_give(&fs->docs);
	free(bytes);
	return err;
}

int changed_retrieved(struct fs *fs, int64_t id, int64_t *time_us)
{
	struct doc_version v = { 0 };
	lock_take(&fs->docs);
	const struct retrieved *r = by_number(fs, id);
	int err = !r ? -ESTALE :
		errno_of_store(store_doc_version(fs->store, r->saved ? r->saved : r->doc,
		                                 r->saved ? 0 : r->version, &v));
	lock_give(&fs->docs);
	*time_us = v.time_us;
	return err;
}

void retrieved_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	lock_take(&fs->docs);
	const struct retrieved *r = by_number(fs, ino_id(ino));
	(void)snprintf(dst, size, "%s", r ? r->name : "?");
	lock_give(&fs->docs);
}

int answers_start(struct fs *fs, const struct fs_options *o)
{
	(void)o;
	fs->answers = calloc(1, sizeof *fs->answers);
	return fs->answers ? 0 : -ENOMEM;
}

void answers_stop(struct fs *fs)
{
	if (fs->answers)
		free(fs->answers->items);
	free(fs->answers);
}

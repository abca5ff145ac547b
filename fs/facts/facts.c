/* SPDX-License-Identifier: MIT */
/* What an edit of a list means, and its merge into the live facts. */
#include "fs/facts/facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"

enum { PAIRS_MOST = 250000, TRIES = 100 };
#define ALIKE 0.5 /* from here on an item is another wording, not another fact */

/* Facts by text: copies, sorted, so that each is found in log n. */
struct known_fact {
	int64_t id;
	char *text;
	size_t len;
	enum confidence confidence;
	bool stale, inferred;
	bool used;   /* an item of the saved text stands for it */
	bool unseen; /* its editor has not read it */
};

struct facts {
	struct known_fact *fact;
	size_t *by_id;   /* indexes, in order of ids */
	size_t count, room;
	int64_t now_us;
	bool failed;
};

static void facts_release(struct facts *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->fact[i].text);
	free(f->fact);
	free(f->by_id);
	memset(f, 0, sizeof *f);
}

static void take_fact(void *ctx, const struct fact *f)
{
	struct facts *all = ctx;
	char *text = ARRAY_ROOM(all->fact, all->room, all->count) ? malloc(f->len + 1) : NULL;
	if (!text) {
		all->failed = true;
		return;
	}
	memcpy(text, f->text, f->len + 1);
	all->fact[all->count++] = (struct known_fact){ f->id, text, f->len, f->confidence,
		store_fact_state(f, all->now_us) == FACT_STALE, !f->explicit_, false, false };
}

static int compare_text(const char *a, size_t a_len, const char *b, size_t b_len)
{
	int order = memcmp(a, b, a_len < b_len ? a_len : b_len);
	return order ? order : a_len < b_len ? -1 : a_len > b_len;
}

static int by_text(const void *a, const void *b)
{
	const struct known_fact *x = a, *y = b;
	int order = compare_text(x->text, x->len, y->text, y->len);
	return order ? order : x->id < y->id ? -1 : x->id > y->id;
}

static int compare_ids(const void *a, const void *b, void *facts)
{
	const struct facts *f = facts;
	int64_t x = f->fact[*(const size_t *)a].id, y = f->fact[*(const size_t *)b].id;
	return x < y ? -1 : x > y;
}

static bool sort(struct facts *f)
{
	f->by_id = calloc(f->count + 1, sizeof *f->by_id);
	if (!f->by_id)
		return false;
	if (f->count)
		qsort(f->fact, f->count, sizeof *f->fact, by_text);
	for (size_t i = 0; i < f->count; i++)
		f->by_id[i] = i;
	qsort_r(f->by_id, f->count, sizeof *f->by_id, compare_ids, f);
	return true;
}

/* The facts of a version, sorted by text, as its editor had them.  save 0: the live ones. */
static int facts_load(struct fs *fs, int domain, int64_t save, const struct fact_read *had,
                      struct facts *out)
{
	memset(out, 0, sizeof *out);
	out->now_us = had->time_us;
	int err = save ? store_fact_at(fs->store, domain, save, take_fact, out) :
		store_fact_live(fs->store, domain, take_fact, out);
	for (size_t i = 0; !err && save && i < had->gone; i++)
		err = store_fact_by_id(fs->store, had->ids[had->unseen + i], take_fact, out);
	if (!err && (out->failed || !sort(out)))
		err = STORE_ENOMEM;
	if (err)
		facts_release(out);
	return errno_of_store(err);
}

/* A fact of that text that is not used yet; any of that text if all are; NULL: none. */
static struct known_fact *facts_find(struct facts *f, const char *text, size_t len)
{
	size_t low = 0, high = f->count;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (compare_text(f->fact[mid].text, f->fact[mid].len, text, len) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	struct known_fact *first = NULL;
	for (; low < f->count && compare_text(f->fact[low].text, f->fact[low].len, text, len) == 0;
	     low++) {
		first = first ? first : &f->fact[low];
		if (!f->fact[low].used)
			return &f->fact[low];
	}
	return first;
}

static struct known_fact *facts_by_id(const struct facts *f, int64_t id)
{
	size_t low = 0, high = f->count;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (f->fact[f->by_id[mid]].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	struct known_fact *found = low < f->count ? &f->fact[f->by_id[low]] : NULL;
	return found && found->id == id ? found : NULL;
}

/* An edit under way. */
struct merge {
	struct fact_list saved;
	struct facts live, then;
	struct facts *base; /* what the editor had: `then`, or the live ones */
	struct fact_read read;
	struct fact_change *change;
	size_t count, room;
	bool failed;
};

static void merge_release(struct merge *m)
{
	fact_list_release(&m->saved);
	facts_release(&m->then);
	facts_release(&m->live);
	free(m->change);
}

static void add_change(struct merge *m, struct fact_change c)
{
	if (!ARRAY_ROOM(m->change, m->room, m->count))
		m->failed = true;
	else
		m->change[m->count++] = c;
}

/* The fact if one that its editor read is still live: others may have been faster.  Else NULL. */
static struct known_fact *still_live(struct merge *m, const struct known_fact *f)
{
	return facts_by_id(&m->live, f->id);
}

/* Others' facts that the editor has not read are not missing where it has not written them. */
static void mark_unseen(struct facts *base, const struct fact_read *read)
{
	for (size_t i = 0; i < read->unseen; i++) {
		struct known_fact *f = facts_by_id(base, read->ids[i]);
		if (f)
			f->used = f->unseen = true;
	}
}

/* The item stands for a fact that was there. */
static void keep(struct merge *m, struct known_fact *f, const struct fact_item *item)
{
	bool again = f->used;
	const struct known_fact *now = still_live(m, f);
	f->used = true;
	f->unseen = false;
	if (!now)
		return;
	if (!again && item->inferred != f->inferred) { /* said now, or never was: another fact */
		add_change(m, (struct fact_change){ .verb = FACT_RETRACT, .fact = f->id });
		add_change(m, (struct fact_change){ .verb = FACT_ADD, .text = item->text,
			.len = item->len, .confidence = item->confidence, .inferred = item->inferred,
			.supersedes = f->id });
		return;
	}
	if (again || (f->stale && !item->stale))
		add_change(m, (struct fact_change){ .verb = FACT_CONFIRM, .fact = f->id });
	if (!again && item->confidence != f->confidence && item->confidence != now->confidence)
		add_change(m, (struct fact_change){ .verb = FACT_WEIGH, .fact = f->id,
			.confidence = item->confidence });
}

/* A new item, perhaps instead of a fact that is missing. */
static void add(struct merge *m, const struct fact_item *item, struct known_fact *instead)
{
	struct known_fact *same = facts_find(&m->live, item->text, item->len);
	bool replaces = instead && still_live(m, instead);
	if (instead)
		instead->used = true;
	if (same) { /* somebody else has added it meanwhile */
		same->used = true;
		add_change(m, (struct fact_change){ .verb = FACT_CONFIRM, .fact = same->id });
		if (replaces)
			add_change(m, (struct fact_change){ .verb = FACT_RETRACT, .fact = instead->id,
				.by = same->id });
		return;
	}
	if (replaces)
		add_change(m, (struct fact_change){ .verb = FACT_RETRACT, .fact = instead->id });
	add_change(m, (struct fact_change){ .verb = FACT_ADD, .text = item->text, .len = item->len,
		.confidence = item->confidence, .inferred = item->inferred,
		.supersedes = replaces ? instead->id : 0 });
}

/* How alike each new item is to each fact that is missing. */
struct likeness {
	struct known_fact **missing;
	size_t count;
	double *alike; /* NULL: they are too many to be compared */
};

static void likeness_release(struct likeness *l)
{
	free(l->missing);
	free(l->alike);
}

static int likeness_find(struct likeness *l, struct merge *m, const struct fact_item **new,
                         size_t news)
{
	l->missing = calloc(m->base->count + 1, sizeof *l->missing);
	for (size_t i = 0; l->missing && i < m->base->count; i++)
		if (!m->base->fact[i].used)
			l->missing[l->count++] = &m->base->fact[i];
	if (l->missing && l->count * news > PAIRS_MOST)
		return 0;
	struct fact_text *text = calloc(news + l->count + 1, sizeof *text);
	l->alike = malloc((l->count * news + 1) * sizeof *l->alike);
	int err = l->missing && text && l->alike ? 0 : -ENOMEM;
	for (size_t i = 0; !err && i < news; i++)
		text[i] = (struct fact_text){ new[i]->text, new[i]->len };
	for (size_t i = 0; !err && i < l->count; i++)
		text[news + i] = (struct fact_text){ l->missing[i]->text, l->missing[i]->len };
	if (!err)
		err = errno_of_render(render_facts_alike(text, news, text + news, l->count, l->alike));
	free(text);
	return err;
}

/* The missing fact that new item `i` is most like; NULL: like none. */
static struct known_fact *alike(const struct likeness *l, size_t i)
{
	struct known_fact *best = NULL;
	double most = ALIKE;
	for (size_t k = 0; l->alike && k < l->count; k++) {
		double like = l->alike[i * l->count + k];
		if (!l->missing[k]->used && like >= most) {
			most = like;
			best = l->missing[k];
		}
	}
	return best;
}

/* By text, and of one text in the order of the list. */
static int by_item_text(const void *a, const void *b)
{
	const struct fact_item *x = *(const struct fact_item *const *)a;
	const struct fact_item *y = *(const struct fact_item *const *)b;
	int order = compare_text(x->text, x->len, y->text, y->len);
	return order ? order : x < y ? -1 : x > y;
}

static int by_place(const void *a, const void *b)
{
	const struct fact_item *x = *(const struct fact_item *const *)a;
	const struct fact_item *y = *(const struct fact_item *const *)b;
	return x < y ? -1 : x > y;
}

/* A new item that stands there twice is one fact, as it stands first.  How many there are then. */
static size_t drop_twins(const struct fact_item **new, size_t news)
{
	size_t kept = 0;
	if (news)
		qsort(new, news, sizeof *new, by_item_text);
	for (size_t i = 0; i < news; i++)
		if (i == 0 || compare_text(new[i]->text, new[i]->len, new[kept - 1]->text,
		                           new[kept - 1]->len) != 0)
			new[kept++] = new[i];
	if (kept)
		qsort(new, kept, sizeof *new, by_place);
	return kept;
}

static void compare(struct merge *m)
{
	const struct fact_item **new = calloc(m->saved.count + 1, sizeof *new);
	struct likeness likeness = { .count = 0 };
	size_t news = 0;
	if (!new) {
		m->failed = true;
		return;
	}
	for (size_t i = 0; i < m->saved.count; i++) {
		const struct fact_item *item = &m->saved.items[i];
		struct known_fact *f = facts_find(m->base, item->text, item->len);
		if (f)
			keep(m, f, item);
		else
			new[news++] = item;
	}
	news = drop_twins(new, news);
	m->failed |= likeness_find(&likeness, m, new, news) != 0;
	for (size_t i = 0; i < news && !m->failed; i++)
		add(m, new[i], alike(&likeness, i));
	for (size_t i = 0; i < m->base->count; i++)
		if (!m->base->fact[i].used && still_live(m, &m->base->fact[i]))
			add_change(m, (struct fact_change){ .verb = FACT_RETRACT,
				.fact = m->base->fact[i].id });
	likeness_release(&likeness);
	free(new);
}

int facts_start(struct fs *fs, const struct fs_options *o)
{
	(void)o;
	int err = reads_start(fs);
	err = err ? err : undecided_start(fs);
	return err ? err : facts_kept_start(fs);
}

void facts_stop(struct fs *fs)
{
	facts_kept_stop(fs);
	undecided_stop(fs);
	reads_stop(fs);
}

/*
 * What a save is compared with: what its file gave or was appended to; else what its process read
 * or saved last; else what stood when its file was opened for writing, or made.
 */
static int find_base(struct fs *fs, int domain, const struct save *s, struct fact_read *out)
{
	const struct fact_read *known = s->shown || s->appends ? NULL :
		facts_read_by(fs, domain, s->process);
	*out = (struct fact_read){ .save = s->base,
		.time_us = s->made_us ? s->made_us : store_time(fs->store) };
	if (known && known->save >= 0)
		*out = *known;
	else if (known && known->time_us < out->time_us)
		out->time_us = known->time_us;
	if (out->save >= 0)
		return 0;
	int err = errno_of_store(store_fact_save_at(fs->store, domain, s->made_us, &out->save));
	if (err == -ENOENT)
		out->save = 0;
	return err == -ENOENT ? 0 : err;
}

/* The free text, if this save changes it. */
static int compare_frame(struct fs *fs, int domain, int64_t base, struct merge *m)
{
	char *text = NULL;
	size_t len = 0;
	int err = base ? errno_of_store(store_fact_frame(fs->store, domain, base, &text, &len)) : 0;
	const struct buf *now = &m->saved.frame;
	if (!err && (now->len != len || (len && memcmp(now->data, text, len) != 0)))
		add_change(m, (struct fact_change){ .verb = FACT_TEXT, .text = now->data ? now->data : "",
			.len = now->len });
	free(text);
	return err;
}

static int merge_once(struct fs *fs, int domain, const struct save *s, struct merge *m,
                      int64_t *saves)
{
	struct fact_read *base = &m->read;
	int64_t last_us;
	int err = errno_of_store(store_fact_saves(fs->store, domain, saves, &last_us));
	if (!err)
		err = find_base(fs, domain, s, base);
	if (base->save > *saves)
		base->save = *saves;
	m->base = base->save == *saves && !base->gone ? &m->live : &m->then;
	if (!err)
		err = facts_load(fs, domain, 0, base, &m->live);
	if (!err && base->save > 0 && m->base == &m->then) /* before the first there was nothing */
		err = facts_load(fs, domain, base->save, base, &m->then);
	if (err)
		return err;
	mark_unseen(m->base, base);
	compare(m);
	err = compare_frame(fs, domain, base->save, m);
	return err ? err : m->failed ? -ENOMEM : 0;
}

/* Its process knows what it has written: what is live now but for what others have done. */
static void note_saved(struct fs *fs, int domain, const struct save *s, struct merge *m,
                       int64_t version)
{
	struct fact_read had = { .time_us = m->read.time_us };
	had.ids = malloc((m->live.count + m->base->count + 1) * sizeof *had.ids);
	if (!had.ids)
		return; /* what it had counts on: others' facts stay */
	for (size_t i = 0; i < m->live.count; i++) {
		const struct known_fact *f = &m->live.fact[i], *read = facts_by_id(m->base, f->id);
		if (read ? read->unseen : !f->used)
			had.ids[had.unseen++] = f->id;
	}
	for (size_t i = 0; i < m->base->count; i++)
		if (m->base->fact[i].used && !still_live(m, &m->base->fact[i]))
			had.ids[had.unseen + had.gone++] = m->base->fact[i].id;
	facts_note_saved(fs, domain, s->process, version, &had);
	free(had.ids);
}

int facts_save(struct fs *fs, const struct save *s, struct saved *out, struct why *why)
{
	int domain = facts_domain(s->name), err = -EAGAIN;
	int64_t saves = 0;
	memset(out, 0, sizeof *out);
	if (!domain)
		return -ENOENT;
	out->dir = s->dir;
	out->ino = ino_make(KIND_FACT_LIST, domain);
	for (int i = 0; err == -EAGAIN && i < TRIES; i++) {
		struct merge m = { .room = 0 };
		err = errno_of_render(render_facts_in(s->bytes ? s->bytes : "", s->len, &m.saved, why));
		if (!err)
			err = merge_once(fs, domain, s, &m, &saves);
		out->version = saves;
		out->merged = m.read.save < saves || m.read.unseen + m.read.gone > 0;
		if (!err && m.count > 0) {
			int code = store_fact_commit(fs->store, domain, m.change, m.count, s->author,
			                             s->talk, saves, &out->version);
			err = code == STORE_EMOVED ? -EAGAIN : errno_of_store(code);
		}
		if (!err && !s->appends)
			note_saved(fs, domain, s, &m, out->version);
		merge_release(&m);
	}
	why_no_answer(err, "save again", why);
	if (err && !why->text[0])
		why_set(why, "save it again", "not stored: %s", strerror(-err));
	return err;
}

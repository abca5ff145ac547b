/* SPDX-License-Identifier: MIT */
/* The table of answers, and what the tree shows of them.  They are made in found.c. */
#include "fs/search/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"
#include "store/lock.h"

enum { LISTED_MS = 10000 };

/* What a search can depend on. */
struct state {
	int64_t entries, newest_us;
	int64_t client; /* number of who asks */
};

struct search {
	int64_t id;
	int64_t dir;    /* id of the directory in which it can be listed */
	int64_t bounded; /* number of the client, if what it is shown is not what others are; or 0 */
	int64_t within; /* a session, 0, or SEARCH_FOR_CONTEXT: it is a context that is asked for */
	char text[NAME_LIMIT + 1];
	struct state state;
	int64_t asked_ms; /* when it was answered so last */
	int64_t asked_us; /* the same, for people */
	int64_t time_us;  /* when it was answered so first */
	int64_t listed_ms; /* when its directory was listed last, 0: never */
	struct found found;
	size_t bytes;
	struct search *older;
};

struct searches {
	struct lock lock;
	/* All below is guarded by lock. */
	struct search *newest;
	int64_t last;
};

int searches_start(struct fs *fs, const struct fs_options *o)
{
	(void)o;
	fs->searches = calloc(1, sizeof *fs->searches);
	if (!fs->searches)
		return -ENOMEM;
	lock_init(&fs->searches->lock, RANK_SEARCHES);
	return 0;
}

static void drop(struct search **at)
{
	while (*at) {
		struct search *s = *at;
		*at = s->older;
		found_release(&s->found);
		free(s);
	}
}

void searches_stop(struct fs *fs)
{
	struct searches *s = fs->searches;
	if (!s)
		return;
	drop(&s->newest);
	lock_destroy(&s->lock);
	free(s);
}

void searches_forget(struct fs *fs)
{
	struct searches *s = fs->searches;
	lock_take(&s->lock);
	drop(&s->newest);
	lock_give(&s->lock);
}

static struct search *by_id(struct searches *all, int64_t id)
{
	struct search *s = all->newest;
	while (s && s->id != id)
		s = s->older;
	return s;
}

/* The newest answer of a directory. */
static struct search *by_dir(struct searches *all, int64_t dir)
{
	struct search *s = all->newest;
	while (s && s->dir != dir)
		s = s->older;
	return s;
}

/* Whose answers these are: 0, or the number of a client who is shown less than others. */
static int64_t bounded(struct fs *fs)
{
	return client_sees_all(fs) ? 0 : client_of(fs)->number;
}

/* The newest answer to a query. */
static struct search *by_text(struct searches *all, int64_t whose, int64_t within,
                              const char *text)
{
	struct search *s = all->newest;
	while (s && (s->bounded != whose || s->within != within || strcmp(s->text, text) != 0))
		s = s->older;
	return s;
}

static void make_room(struct searches *all)
{
	size_t count = 0, bytes = 0;
	struct search **at = &all->newest;
	while (*at && count < SEARCHES_MOST && (count == 0 || bytes + (*at)->bytes <= SEARCHES_BYTES)) {
		bytes += (*at)->bytes;
		count++;
		at = &(*at)->older;
	}
	drop(at);
}

static size_t bytes_of(const struct found *f)
{
	size_t bytes = f->page.len;
	for (size_t i = 0; i < f->count; i++)
		bytes += strlen(f->path[i]) + strlen(f->name[i]) + 64;
	return bytes;
}

static int state_of(struct fs *fs, struct state *out)
{
	struct status status;
	store_status(fs->store, &status);
	out->entries = status.entries;
	out->client = client_of(fs)->number;
	return errno_of_store(store_newest_time(fs->store, &out->newest_us));
}

static bool is_fresh(const struct search *s, const struct state *now)
{
	return s && s->state.entries == now->entries && s->state.newest_us == now->newest_us &&
	       s->state.client == now->client && now_ms() - s->asked_ms < SEARCH_AGE_MS;
}

static bool is_listed(const struct search *s)
{
	return s && s->listed_ms > 0 && now_ms() - s->listed_ms < LISTED_MS;
}

/* Keeps the answer, or learns that it is the one there was. */
static int answer_keep(struct searches *all, int64_t whose, int64_t within, const char *text,
                       const struct state *state, struct found *found, int64_t *id)
{
	struct search *s = by_text(all, whose, within, text);
	bool partly = found->partly;
	bool same = s && s->found.page.len == found->page.len &&
		memcmp(s->found.page.data, found->page.data, found->page.len) == 0;
	if (!same) {
		const struct search *before = s;
		s = calloc(1, sizeof *s);
		if (!s)
			return -ENOMEM;
		s->id = s->dir = ++all->last;
		if (is_listed(before)) {
			s->dir = before->dir;
			s->listed_ms = before->listed_ms;
		}
		s->bounded = whose;
		s->within = within;
		(void)snprintf(s->text, sizeof s->text, "%s", text);
		s->time_us = now_us();
		s->bytes = bytes_of(found);
		s->found = *found;
		*found = (struct found){ .count = 0 };
		s->older = all->newest;
		all->newest = s;
		make_room(all);
	}
	s->state = *state;
	if (partly)
		s->state.entries = -1; /* never fresh */
	s->asked_ms = now_ms();
	s->asked_us = now_us();
	*id = s->id;
	return 0;
}

/* The number of the answer to a query, asked now unless nothing can have changed. */
static int number_of(struct fs *fs, int64_t within, const char *text, search_make_fn *make,
                     int64_t *id)
{
	struct searches *all = fs->searches;
	struct found found;
	struct state state;
	int err = state_of(fs, &state);
	if (err)
		return err;
	lock_take(&all->lock);
	const struct search *s = by_text(all, bounded(fs), within, text);
	bool fresh = is_fresh(s, &state);
	*id = fresh ? s->id : 0;
	lock_give(&all->lock);
	if (fresh)
		return 0;
	found = (struct found){ .count = 0 };
	err = make(fs, within, text, &found);
	if (err == -EINVAL && found.page.len > 0)
		err = 0; /* its page says what is wrong */
	if (!err) {
		lock_take(&all->lock);
		err = answer_keep(all, bounded(fs), within, text, &state, &found, id);
		lock_give(&all->lock);
	}
	found_release(&found);
	return err;
}

static int make_found(struct fs *fs, int64_t within, const char *text, struct found *out)
{
	struct why why = { 0 };
	return found_make(fs, within, text, strlen(text), NULL, NULL, out, &why);
}

/* ---- for the tree ---------------------------------------------------------- */

/*
 * The directory of a query.  Who has listed it asks for each link by its path, so it stays the
 * same for a while, whatever is written meanwhile, and costs nothing; its time says whether it
 * would be listed otherwise.
 */
static int directory_of(struct fs *fs, int64_t within, const char *text, int64_t *id)
{
	struct searches *all = fs->searches;
	lock_take(&all->lock);
	const struct search *s = by_text(all, bounded(fs), within, text);
	bool listed = is_listed(s);
	*id = listed ? s->dir : 0;
	lock_give(&all->lock);
	int err = listed ? 0 : number_of(fs, within, text, make_found, id);
	if (listed || err)
		return err;
	lock_take(&all->lock);
	s = by_id(all, *id);
	*id = s ? s->dir : *id;
	lock_give(&all->lock);
	return 0;
}

int search_find_page(struct fs *fs, int64_t within, const char *name, search_make_fn *make,
                     uint64_t *ino)
{
	char text[NAME_LIMIT + 1];
	size_t len = strlen(name);
	int64_t id = 0;
	if (len < 3 || strcmp(name + len - 3, ".md") != 0)
		return -ENOENT;
	(void)snprintf(text, sizeof text, "%.*s", (int)(len - 3), name);
	int err = number_of(fs, within, text, make, &id);
	*ino = ino_make(KIND_SEARCH_PAGE, id);
	return err;
}

int find_search(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	int64_t within = ino_kind(dir) == KIND_SESSION_SEARCH ? ino_id(dir) : 0, id = 0;
	int err = search_find_page(fs, within, name, make_found, ino);
	if (err != -ENOENT || name[0] == '.')
		return err; /* .git, .foo.md.swp: programs look for these by themselves */
	err = directory_of(fs, within, name, &id);
	*ino = ino_make(KIND_SEARCH_DIR, id);
	return err;
}

int page_search(struct fs *fs, int64_t id, struct buf *out)
{
	lock_take(&fs->searches->lock);
	const struct search *s = by_id(fs->searches, id);
	if (s)
		buf_add(out, s->found.page.data, s->found.page.len);
	lock_give(&fs->searches->lock);
	return s ? 0 : -ESTALE;
}

/* Nothing was asked yet. */
int page_unasked(struct fs *fs, int64_t id, struct buf *out)
{
	(void)fs, (void)id;
	buf_adds(out, "");
	return 0;
}

int changed_search(struct fs *fs, int64_t id, int64_t *time_us)
{
	lock_take(&fs->searches->lock);
	const struct search *s = by_id(fs->searches, id);
	*time_us = s ? s->time_us : 0;
	lock_give(&fs->searches->lock);
	return s ? 0 : -ESTALE;
}

/* When it was asked last; now, if it has to be asked again: the kernel then lists it anew. */
int changed_hits(struct fs *fs, int64_t dir, int64_t *time_us)
{
	struct state state;
	int err = state_of(fs, &state);
	if (err)
		return err;
	lock_take(&fs->searches->lock);
	const struct search *s = by_dir(fs->searches, dir);
	*time_us = is_fresh(s, &state) ? s->asked_us : now_us();
	lock_give(&fs->searches->lock);
	return s ? 0 : -ESTALE;
}

int changed_hit(struct fs *fs, int64_t id, int64_t *time_us)
{
	return changed_search(fs, id >> RANK_BITS, time_us);
}

/* 01-NAME: as many digits as the last rank has, but two at least. */
static void hit_name(const struct found *f, size_t i, char name[NAME_LIMIT + 1])
{
	int digits = f->count < 100 ? 2 : f->count < 1000 ? 3 : 4;
	const char *of = f->name[i];
	size_t len = utf8_fit(of, strlen(of), (size_t)(NAME_LIMIT - digits - 1));
	(void)snprintf(name, NAME_LIMIT + 1, "%0*zu-%.*s", digits, i + 1, (int)len, of);
}

static uint64_t hit_ino(int64_t id, size_t rank)
{
	return ino_make(KIND_SEARCH_HIT, id << RANK_BITS | (int64_t)rank);
}

static bool has_hit(const struct search *s, const char *name, size_t rank)
{
	char there[NAME_LIMIT + 1];
	if (name[0] < '0' || name[0] > '9' || rank < 1 || rank > s->found.count)
		return false;
	hit_name(&s->found, rank - 1, there);
	return strcmp(there, name) == 0;
}

/* A link of the directory's newest answer, or of another that was right a short while ago. */
static int find_listed(struct searches *all, int64_t dir, const char *name, size_t rank,
                       uint64_t *ino)
{
	lock_take(&all->lock);
	const struct search *newest = by_dir(all, dir), *s = newest;
	while (s && !(s->bounded == newest->bounded && s->within == newest->within &&
	              strcmp(s->text, newest->text) == 0 &&
	              (s == newest || now_ms() - s->asked_ms < LISTED_MS) && has_hit(s, name, rank)))
		s = s->older;
	*ino = s ? hit_ino(s->id, rank) : 0;
	lock_give(&all->lock);
	return s ? 0 : newest ? -ENOENT : -ESTALE;
}

/* The newest answer to a directory's query, asked again unless nothing can have changed. */
static int answer_of(struct fs *fs, int64_t dir, int64_t *id)
{
	char text[NAME_LIMIT + 1];
	lock_take(&fs->searches->lock);
	const struct search *s = by_dir(fs->searches, dir);
	int64_t within = s ? s->within : 0;
	(void)snprintf(text, sizeof text, "%s", s ? s->text : "");
	lock_give(&fs->searches->lock);
	return s ? number_of(fs, within, text, make_found, id) : -ESTALE;
}

int find_hit(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	size_t rank = strtoul(name, NULL, 10);
	int64_t id;
	int err = find_listed(fs->searches, ino_id(dir), name, rank, ino);
	if (err != -ENOENT || name[0] < '0' || name[0] > '9')
		return err;
	err = answer_of(fs, ino_id(dir), &id); /* perhaps the page has just told of it */
	if (err)
		return err;
	lock_take(&fs->searches->lock);
	const struct search *s = by_id(fs->searches, id);
	bool there = s && has_hit(s, name, rank);
	*ino = there ? hit_ino(id, rank) : 0;
	lock_give(&fs->searches->lock);
	return there ? 0 : -ENOENT;
}

/* From its beginning, a listing is the answer of now; its places say of which it goes on. */
int next_hit(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1], uint64_t *ino)
{
	int64_t id = *cursor >> RANK_BITS, rank = *cursor & ((1 << RANK_BITS) - 1);
	int err = *cursor == 0 ? answer_of(fs, ino_id(dir), &id) : 0;
	if (err)
		return err;
	lock_take(&fs->searches->lock);
	struct search *s = by_id(fs->searches, id);
	int got = !s ? -ESTALE : rank < (int64_t)s->found.count;
	if (s && *cursor == 0)
		s->listed_ms = now_ms();
	if (got == 1) {
		hit_name(&s->found, (size_t)rank, name);
		*ino = hit_ino(id, (size_t)++rank);
		*cursor = id << RANK_BITS | rank;
	}
	lock_give(&fs->searches->lock);
	return got;
}

int link_hit(struct fs *fs, int64_t id, struct buf *out)
{
	int64_t rank = id & ((1 << RANK_BITS) - 1);
	lock_take(&fs->searches->lock);
	const struct search *s = by_id(fs->searches, id >> RANK_BITS);
	if (s && rank >= 1 && rank <= (int64_t)s->found.count) {
		buf_adds(out, s->within ? "../../../../" : "../../");
		buf_adds(out, s->found.path[rank - 1]);
	} else {
		s = NULL;
	}
	lock_give(&fs->searches->lock);
	return s ? 0 : -ESTALE;
}

void searches_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	bool hit = ino_kind(ino) == KIND_SEARCH_HIT;
	int64_t id = hit ? ino_id(ino) >> RANK_BITS : ino_id(ino);
	size_t rank = (size_t)ino_id(ino) & ((1 << RANK_BITS) - 1);
	char name[NAME_LIMIT + 1] = "?";
	lock_take(&fs->searches->lock);
	bool dir = ino_kind(ino) == KIND_SEARCH_DIR;
	const struct search *s = dir ? by_dir(fs->searches, id) : by_id(fs->searches, id);
	if (s && hit && rank >= 1 && rank <= s->found.count)
		hit_name(&s->found, rank - 1, name);
	else if (s && !hit)
		(void)snprintf(name, sizeof name, "%.*s%s", NAME_LIMIT - 5, s->text,
		               ino_kind(ino) != KIND_SEARCH_PAGE ? "" :
		               s->within == SEARCH_FOR_SITE ? ".html" : ".md");
	lock_give(&fs->searches->lock);
	(void)snprintf(dst, size, "%s", name);
}

uint64_t searches_parent(struct fs *fs, uint64_t ino)
{
	enum kind kind = ino_kind(ino);
	int64_t id = kind == KIND_SEARCH_HIT ? ino_id(ino) >> RANK_BITS : ino_id(ino);
	lock_take(&fs->searches->lock);
	const struct search *s = kind == KIND_SEARCH_DIR ? by_dir(fs->searches, id) :
		by_id(fs->searches, id);
	int64_t within = s ? s->within : 0, dir = s ? s->dir : id;
	lock_give(&fs->searches->lock);
	if (kind == KIND_SEARCH_HIT)
		return ino_make(KIND_SEARCH_DIR, dir);
	if (within == SEARCH_FOR_CONTEXT)
		return ino_make(KIND_QUESTIONS, 0);
	if (within == SEARCH_FOR_MEMORIES)
		return ino_make(KIND_MEMORY_SEARCH, 0);
	if (within == SEARCH_FOR_SITE)
		return ino_make(KIND_HTML_SUB, 4);
	return within ? ino_make(KIND_SESSION_SEARCH, within) : ino_make(KIND_SEARCH, 0);
}

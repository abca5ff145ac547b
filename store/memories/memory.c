/* SPDX-License-Identifier: MIT */
/*
 * Choosing memories (memories.h): all are read, each finds who stands for it, and those that can be
 * chosen are ordered by score, or as a search finds them.
 *
 *   1. An heir is a row that exists, and the heir of its own heir is itself.
 *   2. Only heirs are handed out, each at most once.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "store/documents/documents.h"
#include "store/internal.h"
#include "store/memories/memories.h"
#include "store/memories.h"

#define DAY_US 86400e6

struct row {
	int64_t id, heir_id, made_us, saved_us, tokens, uses, used_us;
	enum memory_type type;
	enum { ACTIVE, SUPERSEDED, GONE } state;
	bool mine, chosen;
	double importance;
	char *name, *summary;
	size_t heir; /* index; NO_ROW: not known yet, ON_PATH: being looked for */
	struct memory_score score;
};
#define NO_ROW SIZE_MAX
#define ON_PATH (SIZE_MAX - 1)

struct memories {
	struct row *row; /* by id */
	size_t count, room;
	const char *owner;
	int64_t now, most; /* most uses of one that can be chosen */
	struct scoring by;
	/* What is chosen, in the order in which it is handed out. */
	size_t *pick;
	size_t picks, enough;
	double best, least; /* of the search's scores; relevance needed */
};

static void release(struct memories *m)
{
	for (size_t i = 0; i < m->count; i++) {
		free(m->row[i].name);
		free(m->row[i].summary);
	}
	free(m->row);
	free(m->pick);
}

/* ---- reading ------------------------------------------------------------ */

static bool type_of(const char *name, enum memory_type *type)
{
	static const char *const names[] = { "preference", "decision", "fact", "entity", "temporal" };
	for (int i = 0; name && i < MEMORY_TYPES; i++) {
		if (strcmp(name, names[i]) == 0) {
			*type = (enum memory_type)i;
			return true;
		}
	}
	return false;
}

/* By its hash, or by the code in its path "components/ply/CODE.md". */
static bool is_owner(const char *owner, const char *hash, const char *label)
{
	if (!owner || !*owner || strcmp(owner, hash) == 0)
		return true;
	const char *code = strrchr(label, '/');
	code = code ? code + 1 : label;
	size_t len = strlen(code), ending = len > 3 && strcmp(code + len - 3, ".md") == 0 ? 3 : 0;
	return strlen(owner) == len - ending && memcmp(owner, code, len - ending) == 0;
}

/* A row of doc_memories(). */
static int take(struct memories *m, sqlite3_stmt *q)
{
	enum memory_type type;
	if (!type_of(db_text(q, 1), &type))
		return 0;
	if (!ARRAY_ROOM(m->row, m->room, m->count))
		return STORE_ENOMEM;
	const char *status = db_text(q, 5);
	int64_t expires = sqlite3_column_int64(q, 6);
	struct row *r = &m->row[m->count++];
	*r = (struct row){ .id = sqlite3_column_int64(q, 0), .heir_id = sqlite3_column_int64(q, 7),
		.made_us = sqlite3_column_int64(q, 8), .saved_us = sqlite3_column_int64(q, 9),
		.tokens = sqlite3_column_int64(q, 10), .type = type, .heir = NO_ROW,
		.importance = sqlite3_column_double(q, 4),
		.mine = is_owner(m->owner, db_text(q, 11), db_text(q, 12)),
		.name = strdup(db_text(q, 2)), .summary = strdup(db_text(q, 3)) };
	r->state = expires > 0 && expires <= m->now ? GONE :
		strcmp(status, "active") == 0 ? ACTIVE :
		strcmp(status, "superseded") == 0 ? SUPERSEDED : GONE;
	return r->name && r->summary ? 0 : STORE_ENOMEM;
}

static int read_all(struct store *s, struct memories *m)
{
	struct reader *r;
	int err = views_reader(s, &r);
	if (err)
		return err;
	sqlite3_stmt *q = doc_memories(r);
	int rc = SQLITE_DONE;
	while (!err && q && (rc = sqlite3_step(q)) == SQLITE_ROW)
		err = take(m, q);
	reader_put(s, r);
	return err ? err : db_error(rc);
}

static size_t find(const struct memories *m, int64_t id)
{
	size_t low = 0, high = m->count;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (m->row[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low < m->count && m->row[low].id == id ? low : NO_ROW;
}

static int read_uses(struct store *s, struct memories *m)
{
	struct access *of;
	size_t count;
	int err = access_load(s, &of, &count);
	for (size_t i = 0; !err && i < count; i++) {
		size_t at = find(m, of[i].doc);
		if (at == NO_ROW)
			continue;
		m->row[at].uses = of[i].uses;
		m->row[at].used_us = of[i].last_us;
	}
	free(of);
	return err;
}

/* ---- who stands for whom ------------------------------------------------- */

/* Of a circle through `at`: who was saved last, of these the one made last. */
static size_t last_of_circle(const struct memories *m, size_t at)
{
	size_t best = at;
	for (size_t i = find(m, m->row[at].heir_id); i != at; i = find(m, m->row[i].heir_id)) {
		const struct row *r = &m->row[i], *b = &m->row[best];
		if (r->saved_us > b->saved_us || (r->saved_us == b->saved_us && r->id > b->id))
			best = i;
	}
	return best;
}

/* Walks on from a row to where its chain ends, or is known; then all of the way know it. */
static void follow(struct memories *m, size_t from)
{
	size_t at = from, heir = NO_ROW;
	while (heir == NO_ROW) {
		struct row *r = &m->row[at];
		size_t next = r->heir_id ? find(m, r->heir_id) : NO_ROW;
		if (r->heir == ON_PATH)
			heir = last_of_circle(m, at);
		else if (r->heir != NO_ROW)
			heir = r->heir;
		else if (next == NO_ROW || next == at)
			heir = at;
		else
			r->heir = ON_PATH;
		at = heir == NO_ROW ? next : at;
	}
	if (m->row[heir].heir != ON_PATH) /* else it is on the way */
		m->row[heir].heir = heir;
	for (at = from; m->row[at].heir == ON_PATH; at = find(m, m->row[at].heir_id))
		m->row[at].heir = heir;
}

static bool can_be_chosen(const struct memories *m, size_t i)
{
	const struct row *r = &m->row[i];
	return r->heir == i && r->state == ACTIVE && r->mine;
}

static void follow_all(struct memories *m)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->row[i].heir == NO_ROW)
			follow(m, i);
	for (size_t i = 0; i < m->count; i++)
		if (can_be_chosen(m, i) && m->row[i].uses > m->most)
			m->most = m->row[i].uses;
}

/* ---- choosing ------------------------------------------------------------ */

static void choose(struct memories *m, size_t i, double relevance)
{
	struct row *r = &m->row[i];
	const struct memory_state state = { .type = r->type, .importance = r->importance,
		.days = (double)(m->now - (r->used_us ? r->used_us : r->made_us)) / DAY_US,
		.relevance = relevance, .uses = r->uses, .most = m->most };
	r->score = memory_score(&m->by, &state);
	r->chosen = true;
	m->pick[m->picks++] = i;
}

static int take_hit(void *ctx, const struct search_hit *h)
{
	struct memories *m = ctx;
	size_t at = find(m, h->id);
	if (at == NO_ROW || m->row[at].state == GONE)
		return 0;
	size_t heir = m->row[at].heir;
	assert(heir < m->count);
	if (!can_be_chosen(m, heir) || m->row[heir].chosen)
		return 0;
	if (m->picks == 0)
		m->best = h->score;
	double relevance = m->best > 0 ? h->score / m->best : 0;
	if (relevance < m->least)
		return 1;
	choose(m, heir, relevance);
	return m->picks == m->enough;
}

static int by_score(const void *a, const void *b, void *ctx)
{
	const struct memories *m = ctx;
	const struct row *x = &m->row[*(const size_t *)a], *y = &m->row[*(const size_t *)b];
	if (x->score.total < y->score.total || x->score.total > y->score.total)
		return x->score.total < y->score.total ? 1 : -1;
	return (x->id > y->id) - (x->id < y->id);
}

static int rank(struct store *s, struct memories *m, const char *query, size_t limit)
{
	const struct search_query q = { .words = query, .in = SEARCH_DOCUMENTS, .type = "memory",
		.limit = SEARCH_LIMIT_MOST };
	size_t sorted;
	int err = 0;
	if (query) {
		/* Also for a smaller limit: the best five are the best of the twenty. */
		m->enough = limit > MEMORIES_REORDERED ? limit : MEMORIES_REORDERED;
		err = store_search(s, &q, take_hit, m);
		sorted = m->picks < MEMORIES_REORDERED ? m->picks : MEMORIES_REORDERED;
	} else {
		for (size_t i = 0; i < m->count; i++)
			if (can_be_chosen(m, i))
				choose(m, i, 0);
		sorted = m->picks;
	}
	if (sorted > 1)
		qsort_r(m->pick, sorted, sizeof *m->pick, by_score, m);
	return err;
}

static void hand_out(const struct memories *m, size_t limit, memory_fn *fn, void *ctx)
{
	for (size_t i = 0; i < m->picks && i < limit; i++) {
		const struct row *r = &m->row[m->pick[i]];
		const struct memory_hit hit = { .id = r->id, .type = r->type, .name = r->name,
			.summary = r->summary, .score = r->score, .by = &m->by, .uses = r->uses,
			.used_us = r->used_us, .made_us = r->made_us, .tokens = r->tokens };
		if (fn(ctx, &hit))
			return;
	}
}

/* `m` says who asks, when, and by which numbers. */
static int search_memories(struct store *s, struct memories *m, const char *query, size_t limit,
                           memory_fn *fn, void *ctx)
{
	if (query && query[strspn(query, " \t\r\n")] == '\0')
		query = NULL;
	int err = read_all(s, m);
	if (!err)
		err = read_uses(s, m);
	if (!err) {
		follow_all(m);
		m->pick = calloc(m->count + 1, sizeof *m->pick);
		err = m->pick ? rank(s, m, query, limit) : STORE_ENOMEM;
	}
	if (!err)
		hand_out(m, limit, fn, ctx);
	release(m);
	return err;
}

int store_search_memories(struct store *s, const char *query, const char *owner, int limit,
                          double min_similarity, int64_t now, memory_fn *fn, void *ctx)
{
	struct memories m = { .owner = owner, .now = now, .least = min_similarity };
	if (limit < 0 || limit > SEARCH_LIMIT_MOST || !(min_similarity >= 0 && min_similarity <= 1))
		return STORE_EINVAL;
	int err = store_scoring(s, &m.by);
	return err ? err : search_memories(s, &m, query, (size_t)(limit ? limit : SEARCH_LIMIT), fn,
	                                   ctx);
}

int store_rank_memories(struct store *s, const struct scoring *by, const char *query, int64_t now,
                        memory_fn *fn, void *ctx)
{
	struct memories m = { .by = *by, .now = now };
	return search_memories(s, &m, query, MEMORIES_REORDERED, fn, ctx);
}

int store_memory_heirs(struct store *s, int64_t *ids, size_t n, int64_t now)
{
	struct memories m = { .now = now };
	int err = read_all(s, &m);
	if (!err)
		follow_all(&m);
	for (size_t i = 0; !err && i < n; i++) {
		size_t at = find(&m, ids[i]);
		ids[i] = at == NO_ROW || !can_be_chosen(&m, m.row[at].heir) ? 0 :
			m.row[m.row[at].heir].id;
	}
	release(&m);
	return err;
}

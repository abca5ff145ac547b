/* SPDX-License-Identifier: MIT */
/*
 * Merging: a piece starts as its bytes; the pair of neighbours whose joined bytes
 * have the lowest rank, the leftmost of equals, becomes one, until no pair has a
 * rank.  Most pieces are a token as they are and are only looked up.  Short pieces
 * look at all pairs for each merge; long ones keep them in a heap, so that a line
 * of a million letters takes a fraction of a second.
 */
#include "store/tokens/token_bpe.h"

#include <stdlib.h>

#include "store/tokens/token_split.h"

enum { SHORT = 96, AHEAD = 32 };

struct encoding {
	enum vocabulary vocabulary;
	uint32_t *ids;
	size_t room;
	int64_t count;
};

static inline void emit(struct encoding *e, uint32_t rank)
{
	if ((size_t)e->count < e->room)
		e->ids[e->count] = rank;
	e->count++;
}

/* Part i is s[at[i]] to s[at[i + 1]], and pair[i] the rank of it with the next. */
static void merge_short(struct encoding *e, const uint8_t *s, size_t n)
{
	uint8_t at[SHORT + 1];
	uint32_t pair[SHORT + 1];
	size_t parts = n;
	for (size_t i = 0; i <= n; i++) {
		at[i] = (uint8_t)i;
		pair[i] = i + 2 <= n ? rank_of(e->vocabulary, s + i, 2) : RANK_NONE;
	}
	for (;;) {
		size_t best = 0;
		for (size_t i = 1; i + 1 < parts; i++)
			best = pair[i] < pair[best] ? i : best;
		if (pair[best] == RANK_NONE)
			break;
		memmove(at + best + 1, at + best + 2, parts - best - 1);
		memmove(pair + best + 1, pair + best + 2, (parts - best - 2) * sizeof *pair);
		parts--;
		pair[best] = best + 1 < parts ?
			rank_of(e->vocabulary, s + at[best], (size_t)(at[best + 2] - at[best])) : RANK_NONE;
		if (best > 0)
			pair[best - 1] = rank_of(e->vocabulary, s + at[best - 1],
			                         (size_t)(at[best + 1] - at[best - 1]));
	}
	for (size_t i = 0; i < parts; i++)
		emit(e, rank_of(e->vocabulary, s + at[i], (size_t)(at[i + 1] - at[i])));
}

/* A part of a long piece; it stands at its first byte's index and ends where `next` stands. */
struct part {
	uint32_t before, next;
	uint32_t pair; /* rank of it with the next; RANK_NONE also when it is merged away */
};

/*
 * The pairs that were seen, as rank << 32 | index, the least on top.  Those whose
 * part has another rank by now are old and are skipped when they come up.
 */
struct heap {
	uint64_t *item;
	size_t count;
};

static void heap_sink(struct heap *h, size_t at)
{
	uint64_t item = h->item[at];
	for (size_t child; (child = 2 * at + 1) < h->count; at = child) {
		child += child + 1 < h->count && h->item[child + 1] < h->item[child];
		if (item <= h->item[child])
			break;
		h->item[at] = h->item[child];
	}
	h->item[at] = item;
}

static void heap_push(struct heap *h, uint64_t item)
{
	size_t at = h->count++;
	for (; at > 0 && item < h->item[(at - 1) / 2]; at = (at - 1) / 2)
		h->item[at] = h->item[(at - 1) / 2];
	h->item[at] = item;
}

static uint64_t heap_pop(struct heap *h)
{
	uint64_t top = h->item[0];
	h->item[0] = h->item[--h->count];
	heap_sink(h, 0);
	return top;
}

struct piece {
	enum vocabulary vocabulary;
	const uint8_t *s;
	size_t n;
	struct part *part;
	struct heap heap;
};

/* Looks up the pair that begins at `at`, and pushes it. */
static void piece_pair(struct piece *p, uint32_t at)
{
	struct part *part = &p->part[at];
	part->pair = part->next >= p->n ? RANK_NONE :
		rank_of(p->vocabulary, p->s + at, p->part[part->next].next - at);
	if (part->pair != RANK_NONE)
		heap_push(&p->heap, (uint64_t)part->pair << 32 | at);
}

static void piece_start(struct piece *p)
{
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t pair = i + 2 <= p->n ? rank_of(p->vocabulary, p->s + i, 2) : RANK_NONE;
		p->part[i] = (struct part){ i - 1, i + 1, pair };
		if (pair != RANK_NONE)
			p->heap.item[p->heap.count++] = (uint64_t)pair << 32 | i;
	}
	for (size_t i = p->heap.count / 2; i-- > 0;)
		heap_sink(&p->heap, i);
}

static void piece_merge(struct piece *p)
{
	while (p->heap.count > 0) {
		uint64_t top = heap_pop(&p->heap);
		uint32_t at = (uint32_t)top;
		struct part *part = &p->part[at];
		if (part->pair != top >> 32)
			continue;
		p->part[part->next].pair = RANK_NONE;
		part->next = p->part[part->next].next;
		if (part->next < p->n)
			p->part[part->next].before = at;
		piece_pair(p, at);
		if (at > 0)
			piece_pair(p, part->before);
	}
}

/* false: no memory.  At most one item more a merge than the n - 1 of the start: 2 n. */
static bool merge_long(struct encoding *e, const uint8_t *s, size_t n)
{
	struct piece p = { .vocabulary = e->vocabulary, .s = s, .n = n };
	bool fits = n < UINT32_MAX;
	p.part = fits ? malloc(n * sizeof *p.part) : NULL;
	p.heap.item = fits ? malloc(2 * n * sizeof *p.heap.item) : NULL;
	bool ok = p.part && p.heap.item;
	if (ok) {
		piece_start(&p);
		piece_merge(&p);
		for (uint32_t at = 0; at < n; at = p.part[at].next)
			emit(e, rank_of(e->vocabulary, s + at, p.part[at].next - at));
	}
	free(p.part);
	free(p.heap.item);
	return ok;
}

static bool encode_piece(struct encoding *e, const uint8_t *s, size_t n, uint64_t hash)
{
	uint32_t rank = rank_of_hashed(e->vocabulary, s, n, hash);
	if (rank != RANK_NONE)
		emit(e, rank);
	else if (n <= SHORT)
		merge_short(e, s, n);
	else
		return merge_long(e, s, n);
	return true;
}

/*
 * An append finds the caches cold, and a lookup then costs two waits for memory.  So
 * pieces are cut ahead, and what they will need is fetched for all of them at once.
 */
int64_t bpe_encode(enum vocabulary v, const char *text, size_t len, uint32_t *ids, size_t room)
{
	const uint8_t *at = (const uint8_t *)text, *end = at + len, *from[AHEAD + 1];
	struct encoding e = { .vocabulary = v, .ids = ids, .room = ids ? room : 0 };
	uint64_t hash[AHEAD];
	const size_t longest = longest_of(v);
	while (at < end) {
		size_t pieces = 0;
		for (; pieces < AHEAD && at < end; pieces++) {
			size_t n = token_split(v, at, end);
			from[pieces] = at;
			hash[pieces] = n > longest ? 0 : hash_of(at, n);
			__builtin_prefetch(slot_of(hash[pieces]));
			at += n;
		}
		from[pieces] = at;
		for (size_t i = 0; i < pieces; i++)
			__builtin_prefetch(entry_of(hash[i]));
		for (size_t i = 0; i < pieces; i++)
			if (!encode_piece(&e, from[i], (size_t)(from[i + 1] - from[i]), hash[i]))
				return -1;
	}
	return e.count;
}

/* SPDX-License-Identifier: MIT */
/*
 * A document's history: how many lines two versions differ by, and a line of
 * NAME@log.
 *
 * Lines are compared with their newline.  Equal lines at both ends are set
 * aside, lines that the other side has not at all are counted at once, and what
 * remains goes to the greedy algorithm of Myers (1986, "An O(ND) Difference
 * Algorithm", figure 2), which needs only the length of the shortest edit.
 * It gives up after WORK steps; then lines are counted as a bag, which takes a
 * moved line for an unchanged one.
 */
#include <stdlib.h>
#include <string.h>

#include "render/documents/documents.h"
#include "render/format/format.h"
#include "store/base/hash.h"

enum { WORK = 4000000 };

struct line {
	const char *at;
	size_t len;
	uint32_t hash;
};

/* The lines of one side that remain, as numbers that are equal when the lines are. */
struct side {
	uint32_t *lines;
	size_t count;
};

static size_t line_size(const char *at, size_t len)
{
	const char *newline = memchr(at, '\n', len);
	return newline ? (size_t)(newline - at) + 1 : len;
}

static size_t count_lines(const char *at, size_t len)
{
	size_t n = 0;
	for (size_t size; len > 0; at += size, len -= size, n++)
		size = line_size(at, len);
	return n;
}

/* Cuts what both begin with and what both end with, in whole lines. */
static void trim(const char **a, size_t *a_len, const char **b, size_t *b_len)
{
	size_t least = *a_len < *b_len ? *a_len : *b_len, same = 0, whole = 0;
	while (same < least && (*a)[same] == (*b)[same])
		if ((*a)[same++] == '\n')
			whole = same;
	if (same == *a_len && same == *b_len)
		whole = same;
	*a += whole;
	*b += whole;
	*a_len -= whole;
	*b_len -= whole;

	least = *a_len < *b_len ? *a_len : *b_len;
	for (same = 0, whole = 0; same < least; same++) {
		const char *x = *a + *a_len - same - 1, *y = *b + *b_len - same - 1;
		if (*x == '\n' && *y == '\n')
			whole = same; /* what follows is whole lines on both sides */
		if (*x != *y)
			break;
	}
	if ((same == *a_len || (*a)[*a_len - same - 1] == '\n') &&
	    (same == *b_len || (*b)[*b_len - same - 1] == '\n'))
		whole = same;
	*a_len -= whole;
	*b_len -= whole;
}

static void split(struct line *lines, const char *at, size_t len)
{
	for (size_t size; len > 0; at += size, len -= size, lines++) {
		size = line_size(at, len);
		*lines = (struct line){ at, size, hash32_bytes(HASH32_NONE, at, size) };
	}
}

static int compare_text(const struct line *x, const struct line *y)
{
	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return memcmp(x->at, y->at, x->len);
}

static int compare_indices(const void *a, const void *b, void *lines)
{
	const struct line *all = lines;
	return compare_text(&all[*(const uint32_t *)a], &all[*(const uint32_t *)b]);
}

/* Sorts the indices by their lines' hashes, a byte a round; `spare` is as long. */
static void sort_by_hash(const struct line *all, uint32_t *index, uint32_t *spare, size_t count)
{
	for (unsigned shift = 0; shift < 32; shift += 8) {
		size_t from[257] = { 0 };
		for (size_t i = 0; i < count; i++)
			from[(all[index[i]].hash >> shift & 255) + 1]++;
		for (size_t i = 0; i < 256; i++)
			from[i + 1] += from[i];
		for (size_t i = 0; i < count; i++)
			spare[from[all[index[i]].hash >> shift & 255]++] = index[i];
		uint32_t *sorted = spare;
		spare = index;
		index = sorted;
	}
}

/* Where the run of lines with the hash of the first ends; in it equal lines stand together. */
static size_t hash_run(struct line *all, uint32_t *index, size_t i, size_t count)
{
	size_t end = i + 1;
	bool same = true;
	for (; end < count && all[index[end]].hash == all[index[i]].hash; end++)
		same = same && compare_text(&all[index[end]], &all[index[i]]) == 0;
	if (!same) /* two texts, one hash */
		qsort_r(index + i, end - i, sizeof *index, compare_indices, all);
	return end;
}

/*
 * Gives equal lines of both sides one number, from 1; lines without a partner
 * get 0.  The first `a_count` lines are one side's.  Returns how many lines are
 * common, counted as a bag.
 */
static size_t number(struct line *all, size_t a_count, size_t count, uint32_t *index,
                     uint32_t *numbers)
{
	size_t common = 0, run = 0;
	uint32_t next = 1;
	for (size_t i = 0; i < count; i++)
		index[i] = (uint32_t)i;
	sort_by_hash(all, index, numbers, count);
	for (size_t i = 0, end; i < count; i = end) {
		size_t in_a = 0;
		if (i == run)
			run = hash_run(all, index, i, count);
		for (end = i; end < run && compare_text(&all[index[i]], &all[index[end]]) == 0; end++)
			in_a += index[end] < a_count;
		size_t in_b = end - i - in_a;
		common += in_a < in_b ? in_a : in_b;
		bool both = in_a > 0 && in_b > 0;
		for (size_t k = i; k < end; k++)
			numbers[index[k]] = both ? next : 0;
		next += both;
	}
	return common;
}

/* Leaves only lines with a partner. */
static void keep_common(struct side *s)
{
	size_t kept = 0;
	for (size_t i = 0; i < s->count; i++)
		if (s->lines[i] != 0)
			s->lines[kept++] = s->lines[i];
	s->count = kept;
}

/* One round: how far `d` edits reach on each diagonal.  True: to the end. */
static bool advance(const struct side *a, const struct side *b, int64_t *reach, int64_t d,
                    int64_t *work)
{
	int64_t m = (int64_t)a->count, n = (int64_t)b->count;
	for (int64_t k = -d; k <= d; k += 2) {
		int64_t x = k == -d || (k != d && reach[k - 1] < reach[k + 1]) ? reach[k + 1]
		                                                               : reach[k - 1] + 1;
		int64_t from = x, y = x - k;
		while (x < m && y < n && y >= 0 && a->lines[x] == b->lines[y]) {
			x++;
			y++;
		}
		reach[k] = x;
		*work += x - from + 1;
		if (x >= m && y >= n)
			return true;
		if (*work > WORK)
			return false;
	}
	return false;
}

/* Length of the shortest edit, -1: too much work. */
static int64_t distance(const struct side *a, const struct side *b)
{
	/* d rounds cost at least d²/2 steps: no more than that many are ever begun. */
	int64_t most = (int64_t)(a->count + b->count), work = 0, found = -1;
	if (most > 2 * 1500)
		most = 2 * 1500;
	int64_t *reach = calloc((size_t)(2 * most + 3), sizeof *reach);
	if (!reach)
		return -1;
	for (int64_t d = 0; d <= most && work <= WORK && found < 0; d++)
		if (advance(a, b, reach + most + 1, d, &work))
			found = d;
	free(reach);
	return found;
}

/* The longest common subsequence of both, or if that is too much `bag`. */
static size_t count_common(struct side *a, struct side *b, size_t bag)
{
	keep_common(a);
	keep_common(b);
	int64_t edits = distance(a, b);
	return edits < 0 ? bag : (a->count + b->count - (size_t)edits) / 2;
}

void render_line_changes(const char *a, size_t a_len, const char *b, size_t b_len, int64_t *added,
                         int64_t *removed)
{
	a = a ? a : "";
	b = b ? b : "";
	trim(&a, &a_len, &b, &b_len);
	size_t a_count = count_lines(a, a_len), b_count = count_lines(b, b_len);
	size_t count = a_count + b_count, common = 0;
	if (a_count > 0 && b_count > 0) {
		struct line *all = malloc(count * sizeof *all);
		uint32_t *index = malloc(count * sizeof *index);
		uint32_t *numbers = malloc(count * sizeof *numbers);
		if (all && index && numbers) { /* else all lines count as changed */
			struct side x = { numbers, a_count }, y = { numbers + a_count, b_count };
			split(all, a, a_len);
			split(all + a_count, b, b_len);
			common = number(all, a_count, count, index, numbers);
			common = count_common(&x, &y, common);
		}
		free(all);
		free(index);
		free(numbers);
	}
	*added = (int64_t)(b_count - common);
	*removed = (int64_t)(a_count - common);
}

/* A word of a line that is parted by tabs: the names of agents are others' words. */
static void add_word(struct buf *out, const char *word)
{
	buf_addc(out, '\t');
	if (!*word)
		buf_addc(out, '-');
	for (; *word; word++)
		buf_addc(out, (unsigned char)*word < 0x20 || *word == 0x7F ? ' ' : *word);
}

void render_whose(struct buf *out, const char *agent, const char *where)
{
	add_word(out, agent);
	add_word(out, where);
	buf_addc(out, '\n');
}

void render_version(struct buf *out, const struct doc_version *v, const char *where)
{
	buf_addf(out, "%lld\t", (long long)v->n);
	buf_add_time(out, v->time_us);
	buf_addf(out, "\t%s\t+%lld -%lld\t%lld\t%s\t%s", v->author, (long long)v->added,
	         (long long)v->removed, (long long)v->size, v->sha256, v->hash);
	render_whose(out, v->talk.agent, where);
}

void render_save(struct buf *out, const struct doc_version *v, const char *path)
{
	buf_adds(out, "{\"path\":");
	buf_add_json(out, path, strlen(path));
	buf_addf(out, ",\"version\":%lld,\"timestamp\":\"", (long long)v->n);
	buf_add_time(out, v->time_us);
	buf_adds(out, "\",\"author\":");
	buf_add_json(out, v->author, strlen(v->author));
	buf_addf(out, ",\"added\":%lld,\"removed\":%lld,", (long long)v->added,
	         (long long)v->removed);
	render_talk(out, &v->talk);
	buf_addf(out, ",\"hash\":\"%s\"}\n", v->hash);
}

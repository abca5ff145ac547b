/* SPDX-License-Identifier: MIT */
/*
 * How a new claim stands to an earlier one.  Never by guess: an earlier fact ends only where the
 * new one denies it, names it ("instead of X"), or takes the place of which there is one.  What is
 * merely alike is left to people (render_statements_near).
 */
#include <string.h>

#include "render/text/statement.h"
#include "render/text/text.h"

#define ALIKE 0.5 /* likeness of the letters from which on two facts may mean one thing */

static bool has(const struct statement_words *set, uint64_t word)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->items[i] == word)
			return true;
	return false;
}

/* All words of `part` are in `whole`. */
static bool is_within(const struct statement_words *part, const struct statement_words *whole)
{
	for (size_t i = 0; i < part->count; i++)
		if (!has(whole, part->items[i]))
			return false;
	return part->count > 0;
}

static bool is_equal(const struct statement_words *a, const struct statement_words *b)
{
	return a->count == b->count && is_within(a, b) && is_within(b, a);
}

/* The same words in the same order, as far as `part` goes. */
static bool begins_with(const struct statement_words *whole, const struct statement_words *part)
{
	return part->count > 0 && part->count <= whole->count &&
	       memcmp(whole->items, part->items, part->count * sizeof *part->items) == 0;
}

/* True if they are for the same, or one does not say what for. */
static bool for_the_same(const struct statement *a, const struct statement *b)
{
	return a->purpose.count == 0 || b->purpose.count == 0 || is_equal(&a->purpose, &b->purpose);
}

/* Employer, home, name, age, birthday: there is one. */
static enum fact_relation of_single(const struct statement *new, const struct statement *old)
{
	bool less = is_within(&new->value, &old->value), more = is_within(&old->value, &new->value);
	if (new->value.count == 0 || old->value.count == 0)
		return RELATION_APART;
	if (new->denied != old->denied)
		return less || more ? RELATION_ENDS : RELATION_APART;
	if (less)
		return RELATION_SAME;
	if (new->denied || new->adds)
		return RELATION_APART;
	return RELATION_ENDS;
}

/* "SQLite, one file, on the server": what was decided stands before the comma. */
static bool is_headed(const struct statement *old, const struct statement_words *by)
{
	return old->head == by->count && begins_with(&old->value, by);
}

/* "X instead of Y": Y was used, or is what a decision begins with. */
static bool takes_its_place(const struct statement *new, const struct statement *old)
{
	return new->slot == SLOT_USE && (old->slot == SLOT_USE || old->slot == SLOT_NONE) &&
	       !new->denied && !old->denied && for_the_same(new, old) &&
	       (is_equal(&new->instead, &old->value) || is_headed(old, &new->instead));
}

/*
 * "We deploy on A instead of B": it was said of B, in the same words.  One word
 * more may say when or where alone it is so.
 */
static bool is_told_of_another(const struct statement *new, const struct statement *old)
{
	const struct statement_words *of = &new->instead;
	size_t before = old->value.count - of->count; /* words, if B comes last */
	return new->slot == SLOT_NONE && old->slot == SLOT_NONE && !new->denied && !old->denied &&
	       !new->adds && of->count > 0 && old->value.count > of->count &&
	       new->value.count == old->value.count &&
	       memcmp(old->value.items + before, of->items, of->count * sizeof *of->items) == 0 &&
	       memcmp(old->value.items, new->value.items, before * sizeof *of->items) == 0;
}

static enum fact_relation of_use(const struct statement *new, const struct statement *old)
{
	if (new->value.count == 0 || old->value.count == 0)
		return RELATION_APART;
	bool same = is_equal(&new->value, &old->value);
	bool of_a_part = new->denied && new->purpose.count > 0 && old->purpose.count == 0;
	if (same && new->denied != old->denied)
		return for_the_same(new, old) && !of_a_part ? RELATION_ENDS : RELATION_APART;
	if (same)
		return new->purpose.count == old->purpose.count && for_the_same(new, old) ?
			RELATION_SAME : RELATION_APART;
	if (new->denied || old->denied)
		return RELATION_APART;
	/* "Go back to A", where B was chosen instead of it. */
	if (!new->adds && is_equal(&new->value, &old->instead) &&
	    new->purpose.count == old->purpose.count && for_the_same(new, old))
		return RELATION_ENDS;
	if (!new->adds && new->purpose.count > 0 && is_equal(&new->purpose, &old->purpose) &&
	    !is_within(&new->value, &old->value) && !is_within(&old->value, &new->value))
		return RELATION_ENDS;
	return RELATION_APART;
}

static enum fact_relation of_liking(const struct statement *new, const struct statement *old)
{
	bool beside = new->instead.count + old->instead.count == 0 ||
	              is_equal(&new->instead, &old->instead);
	if (beside && is_equal(&new->value, &old->value))
		return new->denied == old->denied ? RELATION_SAME : RELATION_ENDS;
	if (new->slot == SLOT_PREFER && is_equal(&new->value, &old->instead) &&
	    is_equal(&new->instead, &old->value) && new->denied == old->denied)
		return RELATION_ENDS;
	return RELATION_APART;
}

/* Denied, or said again, in the same words. */
static enum fact_relation of_words(const struct statement *new, const struct statement *old)
{
	if (is_equal(&new->value, &old->value) && begins_with(&new->value, &old->value))
		return new->denied == old->denied ? RELATION_SAME : RELATION_ENDS;
	if (new->ended && !old->denied && begins_with(&old->value, &new->value))
		return RELATION_ENDS;
	return RELATION_APART;
}

static bool is_liking(enum statement_slot slot)
{
	return slot == SLOT_LIKE || slot == SLOT_PREFER;
}

static enum fact_relation relation_of(const struct statement *new, const struct statement *old)
{
	if (new->slot != SLOT_NONE && new->slot <= SLOT_LAST_SINGLE && new->slot == old->slot)
		return of_single(new, old);
	if (takes_its_place(new, old) || is_told_of_another(new, old))
		return RELATION_ENDS;
	if (new->slot == SLOT_USE && old->slot == SLOT_USE)
		return of_use(new, old);
	if (is_liking(new->slot) && is_liking(old->slot))
		return of_liking(new, old);
	/* A fact of an earlier version, or of a list, may lack the verb. */
	if (new->slot == old->slot || old->slot == SLOT_NONE)
		return of_words(new, old);
	return RELATION_APART;
}

/* "Ya no uso Vim, ahora uso Helix" ends what "ya no uso Vim" does. */
static bool ends_by_its_head(const struct statement *new, const struct statement *old)
{
	struct statement head = *new;
	head.value.count = new->head;
	return new->parted && !old->denied && relation_of(&head, old) == RELATION_ENDS;
}

enum fact_relation render_statement_relation(const struct statement *new,
                                             const struct statement *old)
{
	return ends_by_its_head(new, old) ? RELATION_ENDS : relation_of(new, old);
}

/* Counts what only `a` has, numbers and other words apart. */
static void count_own(const struct statement *a, const struct statement *b, size_t *numbers,
                      size_t *words)
{
	for (size_t i = 0; i < a->value.count; i++) {
		uint64_t word = a->value.items[i];
		if (has(&b->value, word) || has(&b->instead, word))
			continue;
		*numbers += word & STATEMENT_NUMBER;
		*words += !(word & STATEMENT_NUMBER);
	}
}

bool render_statements_near(const struct statement *a, const struct statement *b, double alike)
{
	size_t a_numbers = 0, b_numbers = 0, a_words = 0, b_words = 0;
	count_own(a, b, &a_numbers, &a_words);
	count_own(b, a, &b_numbers, &b_words);
	if (a_numbers + b_numbers > 0 && a_words + b_words > 0)
		return false;
	return alike > ALIKE && render_statement_relation(a, b) != RELATION_SAME;
}

/* SPDX-License-Identifier: MIT */
/*
 * The splitter of token_bpe.c, on the road of every append.  By hand, because the
 * same expressions in PCRE2 took twice the time.  What is matched:
 *
 *   cl100k_base                              o200k_base
 *   (?i:'s|'t|'re|'ve|'m|'ll|'d)             P?U*L+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
 *   P?\p{L}+                                 P?U+L*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
 *   \p{N}{1,3}                               \p{N}{1,3}
 *   ` ?[^\s\p{L}\p{N}]+[\r\n]*`              ` ?[^\s\p{L}\p{N}]+[\r\n/]*`
 *   \s*[\r\n]+                               the same
 *   \s+(?!\S)                                the same
 *   \s+                                      the same
 *
 * where P is [^\r\n\p{L}\p{N}], U [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}] and L
 * [\p{Ll}\p{Lm}\p{Lo}\p{M}].  The first alternative that matches wins, and each
 * repetition takes what it can, giving back only what the rest needs.
 */
#include "store/tokens/token_split.h"

enum { WORD = CLASS_LETTER | CLASS_NUMBER, NOT_PREFIX = WORD | CLASS_NEWLINE,
       NOT_MARKS = WORD | CLASS_SPACE };

/* Bytes of the code point at s (1 for what is not UTF-8), and its class. */
static inline size_t take_wide(const uint8_t *s, const uint8_t *end, unsigned *class)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : s[0] >= 0xC0 ? 2 : 1;
	uint32_t cp = s[0] & (0x7Fu >> n);
	*class = 0; /* as of U+FFFD */
	if (n == 1 || s[0] > 0xF4 || (size_t)(end - s) < n)
		return 1;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xC0) != 0x80)
			return 1;
		cp = cp << 6 | (s[i] & 0x3F);
	}
	if (cp < least[n] || cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF))
		return 1;
	*class = class_of(cp);
	return n;
}

static inline size_t class_take(const uint8_t *s, const uint8_t *end, unsigned *class)
{
	if (s[0] >= 0x80)
		return take_wide(s, end, class);
	*class = token_ranks.class[0][s[0]];
	return 1;
}

/* The class of what begins at s; at the end it is like nothing else. */
static inline unsigned peek(const uint8_t *s, const uint8_t *end)
{
	unsigned class = CLASS_NEWLINE;
	if (s < end)
		(void)class_take(s, end, &class);
	return class;
}

/* Past the code points from s on that have one of the bits `any`. */
static inline const uint8_t *class_run(const uint8_t *s, const uint8_t *end, unsigned any)
{
	unsigned class;
	while (s < end) {
		size_t n = class_take(s, end, &class);
		if (!(class & any))
			break;
		s += n;
	}
	return s;
}

/* Bytes of 's 't 're 've 'm 'll 'd at s in any case (U+017F is an s, too), or 0. */
static size_t contraction(const uint8_t *s, const uint8_t *end)
{
	size_t left = (size_t)(end - s);
	if (left < 2 || s[0] != '\'')
		return 0;
	uint8_t a = s[1] | 0x20, b = left > 2 ? s[2] | 0x20 : 0;
	if (a == 's' || a == 't' || a == 'm' || a == 'd')
		return 2;
	if ((a == 'r' && b == 'e') || (a == 'v' && b == 'e') || (a == 'l' && b == 'l'))
		return 3;
	return left > 2 && s[1] == 0xC5 && s[2] == 0xBF ? 3 : 0;
}

static const uint8_t *number(const uint8_t *s, const uint8_t *end)
{
	unsigned class;
	for (int i = 0; i < 3 && s < end; i++) {
		size_t n = class_take(s, end, &class);
		if (!(class & CLASS_NUMBER))
			break;
		s += n;
	}
	return s;
}

/* ` ?[^\s\p{L}\p{N}]+[\r\n]*`, or NULL; `slash`: with slashes among the newlines. */
static const uint8_t *marks(const uint8_t *s, const uint8_t *end, bool slash)
{
	const uint8_t *from = s + (*s == ' '), *at = from;
	unsigned class;
	while (at < end) {
		size_t n = class_take(at, end, &class);
		if (class & NOT_MARKS)
			break;
		at += n;
	}
	if (at == from)
		return NULL;
	while (at < end && (*at == '\r' || *at == '\n' || (slash && *at == '/')))
		at++;
	return at;
}

/* The three kinds of white space; s begins with some. */
static const uint8_t *space(const uint8_t *s, const uint8_t *end)
{
	const uint8_t *at = s, *line = NULL, *last = s;
	unsigned class;
	while (at < end) {
		size_t n = class_take(at, end, &class);
		if (!(class & CLASS_SPACE))
			break;
		last = at;
		at += n;
		if (class & CLASS_NEWLINE)
			line = at;
	}
	if (line)
		return line;
	/* What follows takes the last one along, unless it is the only one. */
	return at < end && last > s ? last : at;
}

static const uint8_t *split_cl100k(const uint8_t *s, const uint8_t *end)
{
	unsigned class;
	size_t n = contraction(s, end);
	if (n)
		return s + n;
	n = class_take(s, end, &class);
	if (class & CLASS_LETTER || (!(class & NOT_PREFIX) && peek(s + n, end) & CLASS_LETTER))
		return class_run(s + n, end, CLASS_LETTER);
	if (class & CLASS_NUMBER)
		return number(s, end);
	const uint8_t *to = marks(s, end, false);
	return to ? to : space(s, end);
}

/* U*L+ from s on, or NULL; *upper is then where U* ends. */
static const uint8_t *lower_word(const uint8_t *s, const uint8_t *end, const uint8_t **upper)
{
	const uint8_t *at = s, *back = NULL; /* after the last that is also in L */
	unsigned class = 0;
	while (at < end) {
		size_t n = class_take(at, end, &class);
		if (!(class & CLASS_UPPER))
			break;
		at += n;
		if (class & CLASS_LOWER)
			back = at;
	}
	*upper = at;
	return at < end && class & CLASS_LOWER ? class_run(at, end, CLASS_LOWER) : back;
}

/* The first two alternatives; `inner` is after the prefix, or NULL. */
static const uint8_t *word(const uint8_t *s, const uint8_t *inner, const uint8_t *end)
{
	const uint8_t *to = NULL, *after = inner, *upper = s;
	if (inner)
		to = lower_word(inner, end, &after);
	if (!to)
		to = lower_word(s, end, &upper);
	if (!to && after > inner)
		to = after;
	if (!to && upper > s)
		to = upper;
	return to;
}

static const uint8_t *split_o200k(const uint8_t *s, const uint8_t *end)
{
	unsigned class;
	size_t n = class_take(s, end, &class);
	bool prefix = !(class & NOT_PREFIX);
	const uint8_t *to = NULL;
	if (class & (CLASS_UPPER | CLASS_LOWER) ||
	    (prefix && peek(s + n, end) & (CLASS_UPPER | CLASS_LOWER)))
		to = word(s, prefix ? s + n : NULL, end);
	if (to)
		return to + contraction(to, end);
	if (class & CLASS_NUMBER)
		return number(s, end);
	to = marks(s, end, true);
	return to ? to : space(s, end);
}

size_t token_split(enum vocabulary v, const uint8_t *s, const uint8_t *end)
{
	return (size_t)((v == CL100K ? split_cl100k(s, end) : split_o200k(s, end)) - s);
}

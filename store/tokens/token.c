/* SPDX-License-Identifier: MIT */
/*
 * An estimate of how many tokens a text is to a language model, for models
 * without a public tokenizer.  On the road of an append: one pass, integers only,
 * the same answer everywhere.  It counts hundredths of a token: a word 100,
 * and 14 for each letter past the sixth, and 45 for each letter outside ASCII; a
 * run of punctuation 100 and 35 for each further mark; three digits 100; a run of
 * newlines 100; an ideograph, syllable or emoji 115.
 */
#include "store/tokens/tokens.h"

enum class { SPACE, LETTER, DIGIT, MARK, NEWLINE, WIDE };
enum { WORD = 100, LONG = 14, FOREIGN = 45, FURTHER = 35, IDEOGRAPH = 115, WORD_LETTERS = 6 };

static inline enum class class_of_ascii(unsigned char c)
{
	if ((c | 32) >= 'a' && (c | 32) <= 'z')
		return LETTER;
	if (c >= '0' && c <= '9')
		return DIGIT;
	if (c == '\n')
		return NEWLINE;
	return c <= ' ' ? SPACE : MARK;
}

static enum class class_of(uint32_t cp)
{
	static const struct {
		uint32_t last; /* of a run of code points of one class */
		enum class class;
	} runs[] = {
		{ 0x9F, SPACE },    { 0xA0, SPACE },    { 0xA9, MARK },     { 0xAA, LETTER },
		{ 0xB4, MARK },     { 0xB5, LETTER },   { 0xB9, MARK },     { 0xBA, LETTER },
		{ 0xBF, MARK },     { 0xD6, LETTER },   { 0xD7, MARK },     { 0xF6, LETTER },
		{ 0xF7, MARK },     { 0x1FFF, LETTER }, { 0x200F, SPACE },  { 0x2027, MARK },
		{ 0x202F, SPACE },  { 0x20FF, MARK },   { 0x218F, LETTER }, { 0x2BFF, MARK },
		{ 0x2DFF, LETTER }, { 0x2E7F, MARK },   { 0x2FFF, WIDE },   { 0x3000, SPACE },
		{ 0x303F, MARK },   { 0xA4CF, WIDE },   { 0xABFF, LETTER }, { 0xD7FF, WIDE },
		{ 0xF8FF, MARK },   { 0xFAFF, WIDE },   { 0xFE0F, LETTER }, { 0xFE6F, MARK },
		{ 0xFEFE, LETTER }, { 0xFEFF, SPACE },  { 0xFFEF, WIDE },   { 0xFFFF, MARK },
		{ 0x1AFFF, LETTER }, { 0x1CFFF, WIDE }, { 0x1EFFF, LETTER }, { 0x3FFFF, WIDE },
	};
	for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++)
		if (cp <= runs[i].last)
			return runs[i].class;
	return MARK;
}

/* The code point at s; bytes that are not UTF-8 count as themselves. */
static size_t code_point_take(const unsigned char *s, size_t len, uint32_t *cp)
{
	size_t n = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : s[0] >= 0xC0 ? 2 : 1;
	*cp = s[0];
	if (n == 1 || n > len)
		return 1;
	*cp = s[0] & (0x7Fu >> n);
	for (size_t i = 1; i < n; i++)
		*cp = *cp << 6 | (s[i] & 0x3F);
	return n;
}

int64_t store_token_count(const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text;
	enum class before = SPACE;
	int64_t sum = 0;
	size_t run = 0; /* how many of `before` stand in a row */

	for (size_t i = 0; i < len;) {
		enum class now;
		bool foreign = s[i] >= 0x80;
		if (!foreign) {
			now = class_of_ascii(s[i++]);
		} else {
			uint32_t cp;
			i += code_point_take(s + i, len - i, &cp);
			now = class_of(cp);
		}
		run = now == before ? run + 1 : 1;
		before = now;
		if (now == LETTER)
			sum += (run == 1 ? WORD : run > WORD_LETTERS ? LONG : 0) +
			       (foreign ? FOREIGN : 0);
		else if (now == MARK)
			sum += run == 1 ? WORD : FURTHER;
		else if (now == DIGIT)
			sum += run % 3 == 1 ? WORD : 0;
		else if (now == NEWLINE)
			sum += run == 1 ? WORD : 0;
		else if (now == WIDE)
			sum += IDEOGRAPH;
	}
	if (len > 0 && sum == 0)
		return 1;
	return (sum + 99) / 100;
}

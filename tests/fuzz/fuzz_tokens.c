/* SPDX-License-Identifier: MIT */
/*
 * Counts the tokens of any bytes.  They are never more than the bytes, and the ids are as many;
 * where the text is UTF-8, it is cut where PCRE2 cuts it with the published expressions.
 * Options: -max_len=600
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "store/tokens/tokens.h"
#include "store/tokens/token_bpe.h"
#include "store/tokens/token_split.h"
#include "tests/fuzz/fuzz.h"

/* \s as in tiktoken: PCRE2's own has other members. */
#define S "\\x{9}-\\x{d} \\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}"
#define SHORT_WORD "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define UPPER "\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}"
#define LOWER "\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}"
#define REST "[\\r\\n]+|[" S "]+(?![^" S "])|[" S "]+"

static const char *const expression[] = {
	[O200K] = "[^\\r\\n\\p{L}\\p{N}]?[" UPPER "]*[" LOWER "]+" SHORT_WORD "?|"
		  "[^\\r\\n\\p{L}\\p{N}]?[" UPPER "]+[" LOWER "]*" SHORT_WORD "?|"
		  "\\p{N}{1,3}| ?[^" S "\\p{L}\\p{N}]+[\\r\\n/]*|[" S "]*" REST,
	[CL100K] = SHORT_WORD "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|"
		   "\\p{N}{1,3}| ?[^" S "\\p{L}\\p{N}]+[\\r\\n]*|[" S "]*" REST,
};

static pcre2_code *compiled(const char *pattern)
{
	int error;
	size_t at;
	pcre2_code *re = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, PCRE2_UTF | PCRE2_UCP,
	                               &error, &at, NULL);
	MUST(re);
	return re;
}

/* True if it is UTF-8, without code points that are new since PCRE2's Unicode. */
static bool comparable(const pcre2_code *unknown, pcre2_match_data *m, const uint8_t *s, size_t len)
{
	return pcre2_match(unknown, s, len, 0, 0, m, NULL) == PCRE2_ERROR_NOMATCH;
}

static void compare(enum vocabulary v, const pcre2_code *re, pcre2_match_data *m, const uint8_t *s, size_t len)
{
	for (size_t at = 0; at < len;) {
		MUST(pcre2_match(re, s, len, at, 0, m, NULL) > 0);
		const size_t *found = pcre2_get_ovector_pointer(m);
		MUST(found[0] == at && found[1] == at + token_split(v, s + at, s + len));
		at = found[1];
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static pcre2_code *re[2], *unknown;
	static pcre2_match_data *m;
	if (!m) {
		for (enum vocabulary v = O200K; v <= CL100K; v++)
			re[v] = compiled(expression[v]);
		unknown = compiled("\\p{Cn}");
		m = pcre2_match_data_create(8, NULL);
	}
	uint8_t *exact = malloc(size ? size : 1);
	uint32_t *ids = malloc((size + 1) * sizeof *ids);
	MUST(exact && ids);
	memcpy(exact, data, size);
	for (enum vocabulary v = O200K; v <= CL100K; v++) {
		int64_t n = bpe_encode(v, (const char *)exact, size, ids, size);
		MUST(n >= (size > 0) && n <= (int64_t)size);
		MUST(n == bpe_encode(v, (const char *)exact, size, NULL, 0));
		if (comparable(unknown, m, exact, size))
			compare(v, re[v], m, exact, size);
	}
	MUST(store_token_count((const char *)exact, size) >= 0);
	free(exact);
	free(ids);
	return 0;
}

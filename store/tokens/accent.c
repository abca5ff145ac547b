/* SPDX-License-Identifier: MIT */
/* Accents of the letters of Latin-1: kept, guessed, and taken off (tokens.h). */
#include <string.h>

#include "store/tokens/tokens.h"

size_t token_accented(const char *word, size_t len, char out[ACCENTED_MOST])
{
	size_t accents = 0;
	if (len > ACCENTED_MOST)
		return 0;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)word[i];
		out[i] = (char)(c >= 'A' && c <= 'Z' ? c | 32 : c);
		if (c < 0x80)
			continue;
		unsigned char next = i + 1 < len ? (unsigned char)word[i + 1] : 0;
		if (c != 0xC3 || next < 0x80 || next > 0xBF)
			return 0;
		out[++i] = (char)(next < 0x9F && next != 0x97 ? next + 0x20 : next);
		accents++;
	}
	return accents ? len : 0;
}

size_t token_with_accent(const char *word, size_t len, char out[ACCENTED_MOST])
{
	static const struct {
		const char *ending, *accented;
	} endings[] = { { "io", "i\xC3\xB3" }, { "ia", "\xC3\xAD" "a" }, { "ian", "\xC3\xAD" "an" },
		{ "ias", "\xC3\xAD" "as" }, { "iamos", "\xC3\xAD" "amos" } };
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t n = strlen(endings[i].ending), more = strlen(endings[i].accented);
		if (len <= n + 1 || len - n + more > ACCENTED_MOST ||
		    memcmp(word + len - n, endings[i].ending, n) != 0)
			continue;
		memcpy(out, word, len - n);
		memcpy(out + len - n, endings[i].accented, more);
		return len - n + more;
	}
	return 0;
}

size_t token_without_accents(const char *stem, size_t len, char out[ACCENTED_MOST])
{
	/* From C3 A0 on; what unicode61 leaves as it is has none here. */
	static const char base[] = "aaaaaa" "\0" "ceeeeiiii" "\0" "nooooo" "\0" "\0" "uuuuy" "\0" "y";
	size_t n = 0;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)stem[i];
		unsigned char next = c == 0xC3 && i + 1 < len ? (unsigned char)stem[i + 1] : 0;
		char plain = next >= 0xA0 && next <= 0xBF ? base[next - 0xA0] : '\0';
		out[n++] = plain ? plain : (char)c;
		i += plain != '\0';
	}
	return n;
}

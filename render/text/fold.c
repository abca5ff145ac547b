/* SPDX-License-Identifier: MIT */
/* Folding of letters: only what Spanish and its neighbours write is made plain, see fold.h. */
#include "render/text/fold.h"
#include "render/text/meaning.h"

#include <string.h>

#include "render/format/format.h"
#include "render/text/text.h"

/* U+00C0..U+017F, each as its plain letter; '.': no letter, '*': stays as it is. */
static const char latin[] = "aaaaaa*ceeeeiiii*nooooo.ouuuuy**"
                            "aaaaaa*ceeeeiiii*nooooo.ouuuuy*y"
                            "aaaaaaccccccccddddeeeeeeeeeegggggggghhhh"
                            "iiiiiiiiii**jjkk*llllllllllnnnnnnn**"
                            "oooooo**rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

static uint32_t decode(const char *s, size_t n)
{
	static const unsigned char mask[] = { 0, 0x7F, 0x1F, 0x0F, 0x07 };
	uint32_t cp = (unsigned char)s[0] & mask[n];
	for (size_t i = 1; i < n; i++)
		cp = cp << 6 | ((unsigned char)s[i] & 0x3F);
	return cp;
}

static int plain(char c, char dst[4])
{
	dst[0] = c;
	return 1;
}

int fold_point(const char *s, size_t n, char dst[4])
{
	_Static_assert(sizeof latin == 0x180 - 0xC0 + 1, "one letter a code point");
	uint32_t cp = decode(s, n);
	if (cp < 0x80) {
		char c = (char)cp;
		if (c >= 'A' && c <= 'Z')
			return plain((char)(c - 'A' + 'a'), dst);
		return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? plain(c, dst) : 0;
	}
	if (cp >= 0x300 && cp < 0x370)
		return FOLD_NOTHING; /* an accent that stands apart */
	if (cp >= 0xC0 && cp < 0x180 && latin[cp - 0xC0] != '*')
		return latin[cp - 0xC0] == '.' ? 0 : plain(latin[cp - 0xC0], dst);
	if (cp < 0xC0 || (cp >= 0x2000 && cp < 0x2070) || (cp >= 0x3000 && cp < 0x3040) ||
	    cp == 0xFEFF)
		return 0;
	memcpy(dst, s, n);
	return (int)n;
}

void fold_text(struct buf *out, const char *text, size_t len)
{
	char dst[4];
	buf_addc(out, ' ');
	for (size_t i = 0, n; i < len; i += n) {
		n = utf8_size(text + i, len - i);
		int size = n ? fold_point(text + i, n, dst) : 0;
		n = n ? n : 1;
		if (size > 0)
			buf_add(out, dst, (size_t)size);
		else if (size == 0 && !out->failed && out->data[out->len - 1] != ' ')
			buf_addc(out, ' ');
	}
	if (!out->failed && out->data[out->len - 1] != ' ')
		buf_addc(out, ' ');
}

int render_words(const char *text, size_t len, text_word_fn *fn, void *ctx)
{
	struct buf folded = BUF_INIT;
	int err;
	fold_text(&folded, text, len);
	err = folded.failed ? RENDER_ENOMEM : 0;
	for (size_t at = 0; !err && at < folded.len;) {
		const char *word = folded.data + at, *end = memchr(word, ' ', folded.len - at);
		size_t size = end ? (size_t)(end - word) : folded.len - at;
		if (size > 0)
			fn(ctx, word, size);
		at += size + 1;
	}
	buf_release(&folded);
	return err;
}

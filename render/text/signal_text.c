/* SPDX-License-Identifier: MIT */
/*
 * The text side of signals: masking what the user did not say themselves, and
 * cutting the rest into sentences.  Bytes keep their places throughout.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "render/format/format.h"
#include "render/text/signal_text.h"
#include "render/text/text.h"

bool signal_is_text(const char *text, size_t len)
{
	for (size_t i = 0, n; i < len; i += n) {
		n = utf8_size(text + i, len - i);
		if (n == 0)
			return false;
	}
	return true;
}

static size_t line_end(const char *text, size_t len, size_t at)
{
	const char *end = memchr(text + at, '\n', len - at);
	return end ? (size_t)(end - text) : len;
}

static size_t run_of(const char *text, size_t len, size_t at, char c)
{
	size_t n = 0;
	while (at + n < len && text[at + n] == c)
		n++;
	return n;
}

/* True if `quote` stands at `at`. */
static bool starts(const char *text, size_t len, size_t at, const char *quote)
{
	size_t n = strlen(quote);
	return at + n <= len && memcmp(text + at, quote, n) == 0;
}

/* ---- lines: fences, indented code, quoted lines ----------------------- */

struct line_state {
	char fence;     /* '`' or '~' while in a fence, 0 outside */
	size_t ticks;   /* its length */
	bool after_gap; /* the line before was empty, or indented code */
};

/* True if the line must go.  Keeps track of fences. */
static bool is_masked_line(struct line_state *state, const char *line, size_t len)
{
	size_t blanks = run_of(line, len, 0, ' ');
	char c = blanks < len ? line[blanks] : '\n';
	size_t ticks = c == '`' || c == '~' ? run_of(line, len, blanks, c) : 0;
	if (state->fence) {
		if (c == state->fence && ticks >= state->ticks && blanks < 4)
			state->fence = 0;
		return true;
	}
	if (ticks >= 3 && blanks < 4 && !(c == '`' && memchr(line + blanks + ticks, '`',
	                                                       len - blanks - ticks))) {
		state->fence = c;
		state->ticks = ticks;
		return true;
	}
	bool code = state->after_gap && (blanks >= 4 || c == '\t') && c != '\n';
	state->after_gap = code || c == '\n' || c == '\r';
	return code || (c == '>' && blanks < 4);
}

static void mask_lines(char *text, size_t len)
{
	struct line_state state = { .after_gap = true };
	for (size_t at = 0; at < len;) {
		size_t end = line_end(text, len, at);
		if (is_masked_line(&state, text + at, end - at))
			memset(text + at, '\n', end - at);
		at = end + 1;
	}
}

/* ---- within lines: code spans, quotations ----------------------------- */

/*
 * Where the code span opened at `at` by `ticks` ends, 0: it is none.  `failed` remembers,
 * a bit a length, which closing runs are not to be found any more.
 */
static size_t span_end(const char *text, size_t len, size_t at, size_t ticks, uint64_t *failed)
{
	if (ticks > 63 || (*failed >> ticks & 1))
		return 0;
	for (size_t i = at + ticks; i < len;) {
		const char *next = memchr(text + i, '`', len - i);
		if (!next)
			break;
		i = (size_t)(next - text);
		size_t n = run_of(text, len, i, '`');
		if (n == ticks)
			return i + n;
		i += n;
	}
	*failed |= UINT64_C(1) << ticks;
	return 0;
}

struct quote {
	const char *open, *close;
};

static const struct quote quotes[] = {
	{ "\"", "\"" }, { "\xC2\xAB", "\xC2\xBB" }, { "\xE2\x80\x9C", "\xE2\x80\x9D" },
	{ "\xE2\x80\x98", "\xE2\x80\x99" }, { "\xE2\x80\x9E", "\xE2\x80\x9C" }, { "'", "'" },
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       ((unsigned char)c & 0x80);
}

/* Where the quotation that opens at `at` ends, on its own line; 0: there is none. */
static size_t quote_end(const char *text, size_t stop, size_t at)
{
	for (size_t q = 0; q < sizeof quotes / sizeof quotes[0]; q++) {
		if (!starts(text, stop, at, quotes[q].open))
			continue;
		size_t size = strlen(quotes[q].close);
		bool plain = *quotes[q].open == '\'' || quotes[q].close[size - 1] == '\x99';
		if (plain && at > 0 && is_word(text[at - 1]))
			return 0; /* an apostrophe */
		for (size_t i = at + strlen(quotes[q].open); i < stop; i++)
			if (starts(text, stop, i, quotes[q].close) &&
			    !(plain && i + size < stop && is_word(text[i + size])))
				return i + size;
		return 0;
	}
	return 0;
}

static void mask_spans(char *text, size_t len)
{
	uint64_t failed = 0;
	size_t stop = line_end(text, len, 0), misses = 0;
	for (size_t at = 0; at < len;) {
		size_t end = 0, step = 1;
		if (at > stop) {
			stop = line_end(text, len, at);
			misses = 0;
		}
		if (text[at] == '`') {
			step = run_of(text, len, at, '`');
			end = span_end(text, len, at, step, &failed);
		} else if (text[at] == '"' || text[at] == '\'' || (unsigned char)text[at] == 0xC2 ||
		           (unsigned char)text[at] == 0xE2) {
			/* A line of opening marks without closing ones is not searched for ever. */
			end = misses < 32 ? quote_end(text, stop, at) : 0;
			misses += end == 0;
		}
		if (end) {
			memset(text + at, MASK, end - at);
			step = end - at;
		}
		at += step;
	}
}

char *signal_mask(const char *text, size_t len)
{
	char *copy = malloc(len + 1);
	if (!copy)
		return NULL;
	if (len)
		memcpy(copy, text, len);
	copy[len] = '\0';
	mask_lines(copy, len);
	mask_spans(copy, len);
	return copy;
}

/* ---- sentences -------------------------------------------------------- */

/* A full stop ends a sentence before a blank, and not after "Dr", "tel" or one letter. */
static bool is_stop(const char *text, size_t len, size_t from, size_t at)
{
	static const char *const short_words[] = { "dr", "dra", "sr", "sra", "mr", "mrs", "ms", "vs",
		"etc", "ej", "eg", "ie", "nro", "art", "st", "sta", "sto", "av", "avda", "ud", "uds", "tel",
		"tfno", "ext", "prof", "num", "n\xC3\xBAm", "aprox", "approx", "dpto", "dept" };
	if (at + 1 < len && text[at + 1] != ' ' && text[at + 1] != '\n' && text[at + 1] != '\r')
		return false;
	size_t word = at;
	while (word > from && is_word(text[word - 1]))
		word--;
	for (size_t i = 0; i < sizeof short_words / sizeof short_words[0]; i++)
		if (at - word == strlen(short_words[i]) &&
		    strncasecmp(text + word, short_words[i], at - word) == 0)
			return false;
	return at - word != 1 || (text[word] >= '0' && text[word] <= '9');
}

/* Bytes of the mark that ends a sentence at `at`, 0: none. */
static size_t mark_at(const char *text, size_t len, size_t from, size_t at)
{
	switch (text[at]) {
	case '\0':
	case '\n':
	case ';':
	case '!':
	case '?':
		return 1;
	case '.':
		return is_stop(text, len, from, at) ? 1 : 0;
	case '\xC2':
		return starts(text, len, at, "\xC2\xBF") || starts(text, len, at, "\xC2\xA1") ? 2 : 0;
	case '\xE2':
		return starts(text, len, at, "\xE2\x80\xA6") ? 3 : 0;
	default:
		return 0;
	}
}

/* True if the sentence that ends at `at` asks after all, by a short tag: "…, ¿no?". */
static bool has_tag(const char *text, size_t len, size_t from, size_t at)
{
	enum { TAG_MOST = 16 };
	size_t comma = at;
	while (comma > from && text[comma - 1] == ' ')
		comma--;
	if (comma == from || text[comma - 1] != ',')
		return false;
	size_t most = len - at < TAG_MOST + 3 ? len - at : TAG_MOST + 3;
	return memchr(text + at, '?', most) != NULL;
}

/* True if an address goes on behind `at`: "https://host/path?a=b;c". */
static bool goes_on(const char *text, size_t len, size_t at)
{
	char next = at + 1 < len ? text[at + 1] : '\0';
	return is_word(next) || (next && strchr("/&=%-_~+", next));
}

/* Where the sentence from `from` on ends, or `len`.  *mark: bytes of the mark that ends it. */
static size_t sentence_end(const char *masked, size_t len, size_t from, size_t *mark)
{
	bool address = false;
	for (size_t at = from; at < len; at++) {
		address = starts(masked, len, at, "://") ||
		          (address && !strchr(" \t\r\n", masked[at]));
		*mark = address && goes_on(masked, len, at) ? 0 : mark_at(masked, len, from, at);
		if (*mark)
			return at;
	}
	return len;
}

bool signal_next(const char *masked, size_t len, struct signal_sentence *it)
{
	if (it->next >= len)
		return false;
	size_t from = it->next, mark = 0, at = sentence_end(masked, len, from, &mark);
	bool asked = mark && masked[at] == '?';
	bool opens = mark == 2 && masked[at + 1] == '\xBF';
	/* "!?" and "?!" ask as well. */
	if (mark == 1 && masked[at] == '!' && at + 1 < len && masked[at + 1] == '?')
		asked = true;
	it->from = from;
	it->to = at;
	it->question = asked || it->opened || (opens && has_tag(masked, len, from, at));
	it->opened = opens;
	it->next = at + mark;
	while (it->to > it->from && (masked[it->to - 1] == ' ' || masked[it->to - 1] == '\r'))
		it->to--;
	return true;
}

/* ---- stems ------------------------------------------------------------- */

/* Five bits of each of two letters: ASCII's cases are one, and some other bytes, too. */
static size_t pair_of(const char *text)
{
	return (size_t)(text[0] & 31) << 5 | (size_t)(text[1] & 31);
}

void stems_add(struct stems *s, const char *list)
{
	while (*list) {
		size_t len = strcspn(list, "|"), pair = pair_of(list);
		assert(len >= 2 && s->count < STEMS_MOST && s->lists < STEMS_MOST);
		s->items[s->count] = (struct stem){ list, (uint8_t)len, s->first[pair], (uint8_t)s->lists };
		s->first[pair] = (uint8_t)++s->count;
		list += len + (list[len] == '|');
	}
	s->lists++;
}

static bool begins_with(const char *text, size_t len, const struct stem *stem)
{
	return stem->len <= len && strncasecmp(text, stem->text, stem->len) == 0;
}

bool stems_in(const struct stems *s, const char *text, size_t len)
{
	for (size_t i = 0; i + 1 < len; i++)
		for (unsigned n = s->first[pair_of(text + i)]; n > 0; n = s->items[n - 1].next)
			if (begins_with(text + i, len - i, &s->items[n - 1]))
				return true;
	return false;
}

bool stems_of(const struct stems *s, const char *text, size_t len, bool *has)
{
	bool any = false;
	memset(has, 0, s->lists * sizeof *has);
	for (size_t i = 0; i + 1 < len; i++)
		for (unsigned n = s->first[pair_of(text + i)]; n > 0; n = s->items[n - 1].next) {
			const struct stem *stem = &s->items[n - 1];
			if (!has[stem->list] && begins_with(text + i, len - i, stem))
				any = has[stem->list] = true;
		}
	return any;
}

/* ---- facts ------------------------------------------------------------ */

bool signal_trim(const char *text, size_t *from, size_t *to)
{
	size_t a = *from, b = *to;
	while (a < b && strchr(" \t\r,:-*_", text[a]))
		a++;
	if (b - a > FACT_SIGNAL_LIMIT) {
		b = a + utf8_fit(text + a, b - a, FACT_SIGNAL_LIMIT);
		size_t word = b;
		while (word > a && text[word - 1] != ' ')
			word--;
		b = word > a + FACT_SIGNAL_LIMIT / 2 ? word : b;
	}
	while (b > a && strchr(" \t\r,:.-*_", text[b - 1]))
		b--;
	if (b > a && text[b - 1] == ')' && !memchr(text + a, '(', b - a))
		b--;
	*from = a;
	*to = b;
	for (size_t i = a; i < b; i++)
		if (is_word(text[i]))
			return true;
	return false;
}

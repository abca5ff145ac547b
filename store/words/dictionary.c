/* SPDX-License-Identifier: MIT */
/*
 * Dictionaries are read whole when they are opened: two words a pair, one after the other in one
 * text.  When a word is first looked up, each word of a pair gets its stems, as a question's words
 * have them, and all stems are sorted: so any form of a word finds it.
 */
#include "store/words/dictionary.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "store/array.h"
#include "store/store.h"

enum {
	INDEX_MOST = 4 << 20, TEXT_MOST = 64 << 20, /* bytes of the two files, unpacked */
	WORD_MOST = 40, NAME_MOST = 64
};

/* A stem, and the other word of its pair: places in `text`. */
struct meaning {
	uint32_t stem, word;
};

struct dictionary {
	char *text; /* words and stems, each with its NUL */
	size_t len, room;
	size_t words; /* bytes of `text` that are the pairs */
	struct meaning *all; /* sorted once `sorted` */
	size_t count, all_room;
	bool sorted, failed;
};

/* ---- files ------------------------------------------------------------------- */

struct zlib {
	gzFile (*open)(const char *path, const char *mode);
	int (*read)(gzFile file, void *buf, unsigned len);
	int (*close)(gzFile file);
};
static const struct library_symbol symbols[] = {
	LIBRARY_SYMBOL(zlib, open, gzopen), LIBRARY_SYMBOL(zlib, read, gzread),
	LIBRARY_SYMBOL(zlib, close, gzclose),
};

/* All of a file, unpacked, with a NUL after it; NULL: it is not here, cannot be read, is larger. */
static char *read_file(const struct zlib *z, const char *path, size_t most, size_t *len)
{
	size_t room = 1 << 16, got = 0;
	char *text = NULL;
	gzFile f = z->open(path, "rbe");
	int n = f ? 1 : -1;
	while (n > 0 && got <= most) {
		char *more = realloc(text, room *= 2);
		if (!more)
			n = -1;
		text = more ? more : text;
		while (more && got + 1 < room &&
		       (n = z->read(f, text + got, (unsigned)(room - 1 - got))) > 0)
			got += (size_t)n;
	}
	if (f)
		(void)z->close(f);
	if (n != 0 || got > most) {
		free(text);
		return NULL;
	}
	text[got] = '\0';
	*len = got;
	return text;
}

/* ---- texts ------------------------------------------------------------------- */

/* Where it begins in d->text. */
static uint32_t keep_text(struct dictionary *d, const char *text, size_t len)
{
	size_t at = d->len;
	if (d->len + len + 1 > d->room) {
		size_t room = 2 * d->room + len + 4096;
		char *more = room < UINT32_MAX ? realloc(d->text, room) : NULL;
		if (!more) {
			d->failed = true;
			return 0;
		}
		d->text = more;
		d->room = room;
	}
	memcpy(d->text + at, text, len);
	d->text[at + len] = '\0';
	d->len += len + 1;
	return (uint32_t)at;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void trim(const char **word, size_t *len)
{
	while (*len > 0 && is_blank(**word))
		(*word)++, (*len)--;
	while (*len > 0 && is_blank((*word)[*len - 1]))
		(*len)--;
}

/* Of a translation: [*word, *len) without blanks, "1. " and "to "; false: it is no single word. */
static bool single_word(const char **word, size_t *len)
{
	size_t digits = 0;
	trim(word, len);
	while (digits < *len && (*word)[digits] >= '0' && (*word)[digits] <= '9')
		digits++;
	if (digits > 0 && digits + 2 < *len && memcmp(*word + digits, ". ", 2) == 0) {
		*word += digits + 2, *len -= digits + 2;
		trim(word, len);
	}
	if (*len > 3 && memcmp(*word, "to ", 3) == 0) {
		*word += 3, *len -= 3;
		trim(word, len);
	}
	for (size_t i = 0; i < *len; i++)
		if ((unsigned char)(*word)[i] <= ' ' || strchr("\"*:{}()<>[]/", (*word)[i]))
			return false;
	return *len > 1 && *len <= WORD_MOST;
}

static void keep_pair(struct dictionary *d, const char *head, size_t head_len, const char *word,
                      size_t len)
{
	if (!single_word(&head, &head_len) || !single_word(&word, &len))
		return;
	(void)keep_text(d, head, head_len);
	(void)keep_text(d, word, len);
}

/* The closing bracket for an opening one, else 0. */
static char closes(char c)
{
	return c == '(' ? ')' : c == '[' ? ']' : c == '<' ? '>' : c == '{' ? '}' : '\0';
}

/* A line of translations; what stands in brackets is left out. */
static void keep_line(struct dictionary *d, const char *head, size_t head_len, const char *line,
                      size_t len)
{
	char part[256];
	size_t n = 0;
	char until = '\0';
	for (size_t i = 0; i <= len; i++) {
		char c = i < len ? line[i] : ',';
		if (until && i < len) {
			until = c == until ? '\0' : until;
		} else if (c == ',' || c == ';') {
			keep_pair(d, head, head_len, part, n);
			n = 0;
		} else if (closes(c)) {
			until = closes(c);
		} else if (n < sizeof part) {
			part[n++] = c;
		}
	}
}

/* What is said of a headword: examples and cross-references are indented or name what they are. */
static void keep_entry(struct dictionary *d, const char *head, size_t head_len, const char *text,
                       size_t len)
{
	const char *end = text + len, *line = memchr(text, '\n', len);
	while (line && ++line < end) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		size_t n = (size_t)((next ? next : end) - line);
		if (n > 2 && !(is_blank(line[0]) && is_blank(line[1])) && !memmem(line, n, "see:", 4))
			keep_line(d, head, head_len, line, n);
		line = next;
	}
}

/* dictd's numbers have 64 digits, the first the highest; SIZE_MAX: it is none. */
static size_t number_of(const char *text, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t n = 0;
	for (size_t i = 0; i < len; i++) {
		const char *at = strchr(digits, text[i]);
		if (!at || !*at || n > INT_MAX)
			return SIZE_MAX;
		n = 64 * n + (size_t)(at - digits);
	}
	return len > 0 ? n : SIZE_MAX;
}

/* HEADWORD TAB PLACE TAB LENGTH; false: it is no line of an index. */
static bool keep_index_line(struct dictionary *d, const char *line, size_t len, const char *text,
                            size_t text_len)
{
	const char *tab = memchr(line, '\t', len);
	const char *two = tab ? memchr(tab + 1, '\t', len - (size_t)(tab + 1 - line)) : NULL;
	if (!two)
		return false;
	size_t at = number_of(tab + 1, (size_t)(two - tab - 1));
	size_t n = number_of(two + 1, len - (size_t)(two + 1 - line));
	if (at > text_len || n > text_len - at)
		return false;
	if (len < 2 || memcmp(line, "00", 2) != 0) /* it begins with words on itself */
		keep_entry(d, line, (size_t)(tab - line), text + at, n);
	return true;
}

/* ---- opening ----------------------------------------------------------------- */

static int read_pair(struct dictionary *d, const struct zlib *z, const char *base, struct why *why)
{
	char path[PATH_MAX];
	size_t len = 0, text_len = 0;
	bool fine = true;
	(void)snprintf(path, sizeof path, "%.4000s.index", base);
	char *index = read_file(z, path, INDEX_MOST, &len);
	(void)snprintf(path, sizeof path, "%.4000s.dict.dz", base);
	char *text = index ? read_file(z, path, TEXT_MOST, &text_len) : NULL;
	for (char *line = index, *end; text && fine && *line; line = end + 1) {
		end = strchr(line, '\n');
		if (!end)
			end = line + strlen(line);
		fine = keep_index_line(d, line, (size_t)(end - line), text, text_len);
		if (!*end)
			break;
	}
	if (!text)
		why_set(why, "install it (Debian: dict-freedict-NAME); its index has 4 MiB at most",
		        "there is no dictionary %.120s that can be read", base);
	else if (!fine)
		why_set(why, "take one of dictd's form", "%.120s is no dictionary", base);
	free(index);
	free(text);
	return !text || !fine ? STORE_EINVAL : d->failed ? STORE_ENOMEM : 0;
}

/* The path of a name, without what the two files add to it. */
static int open_one(struct dictionary *d, const struct zlib *z, const char *name, size_t len,
                    struct why *why)
{
	static const char *const endings[] = { ".index", ".dict.dz" };
	char base[PATH_MAX];
	bool path = memchr(name, '/', len) != NULL;
	for (int i = 0; i < 2; i++) { /* one of the two files stands for both */
		size_t n = strlen(endings[i]);
		if (len > n && memcmp(name + len - n, endings[i], n) == 0)
			len -= n;
	}
	if (len == 0 || len > (path ? 4000 : NAME_MOST)) {
		why_set(why, "write dictionary=spa-eng, as in dict-freedict-spa-eng",
		        "a dictionary's name is missing or too long");
		return STORE_EINVAL;
	}
	if (path)
		(void)snprintf(base, sizeof base, "%.*s", (int)len, name);
	else
		(void)snprintf(base, sizeof base, DICTIONARY_DIR "/freedict-%.*s", (int)len, name);
	return read_pair(d, z, base, why);
}

int dictionary_open(const char *names, struct dictionary **out, struct why *why)
{
	struct zlib z;
	if (!library_load("libz.so.1", symbols, sizeof symbols / sizeof *symbols, &z)) {
		why_set(why, "install zlib1g, or leave dictionary= out", "libz is not here");
		return STORE_EINVAL;
	}
	struct dictionary *d = calloc(1, sizeof *d);
	int err = d ? 0 : STORE_ENOMEM;
	for (const char *name = names; !err && name;) {
		const char *colon = strchr(name, ':');
		err = open_one(d, &z, name, colon ? (size_t)(colon - name) : strlen(name), why);
		name = colon ? colon + 1 : NULL;
	}
	if (err) {
		dictionary_close(d);
		return err;
	}
	d->words = d->len;
	*out = d;
	return 0;
}

void dictionary_close(struct dictionary *d)
{
	if (!d)
		return;
	free(d->text);
	free(d->all);
	free(d);
}

/* ---- looking up ---------------------------------------------------------------- */

struct stems {
	struct dictionary *d;
	uint32_t word; /* that its meaning is */
};

static void keep_stem(void *ctx, const char *term, size_t len, size_t start, size_t end)
{
	struct stems *s = ctx;
	struct dictionary *d = s->d;
	(void)start, (void)end;
	if (d->failed || !ARRAY_ROOM(d->all, d->all_room, d->count)) {
		d->failed = true;
		return;
	}
	uint32_t stem = keep_text(d, term, len);
	d->all[d->count++] = (struct meaning){ stem, s->word };
}

static int by_stem(const void *a, const void *b, void *text)
{
	const struct meaning *x = a, *y = b;
	int order = strcmp((char *)text + x->stem, (char *)text + y->stem);
	return order ? order : (x->word > y->word) - (x->word < y->word);
}

/* The stems of each word lead to the other of its pair. */
static void sort(struct dictionary *d, struct search_tokens *t)
{
	char word[WORD_MOST + 1];
	for (size_t at = 0; at < d->words && !d->failed;) {
		size_t first = at, second = at + strlen(d->text + at) + 1;
		at = second + strlen(d->text + second) + 1;
		for (int turn = 0; turn < 2; turn++) {
			struct stems s = { d, (uint32_t)(turn ? first : second) };
			/* Texts move while stems come behind them. */
			(void)snprintf(word, sizeof word, "%s", d->text + (turn ? second : first));
			(void)search_tokens_asked(t, word, strlen(word), keep_stem, &s);
		}
	}
	if (d->failed)
		d->count = 0; /* no memory: then there are no meanings */
	if (d->count > 0)
		qsort_r(d->all, d->count, sizeof *d->all, by_stem, d->text);
	d->sorted = true;
}

struct look {
	const struct dictionary *d;
	const char *word; /* that is asked for */
	size_t len;
	const char **out;
	size_t count;
};

static void add_meaning(struct look *l, const char *word)
{
	if (strlen(word) == l->len && memcmp(word, l->word, l->len) == 0)
		return;
	for (size_t i = 0; i < l->count; i++)
		if (strcmp(l->out[i], word) == 0)
			return;
	if (l->count < TRANSLATIONS_MOST)
		l->out[l->count++] = word;
}

static void look_up(void *ctx, const char *term, size_t len, size_t start, size_t end)
{
	struct look *l = ctx;
	const struct dictionary *d = l->d;
	size_t low = 0, high = d->count;
	(void)start, (void)end;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const char *stem = d->text + d->all[mid].stem;
		int order = strncmp(stem, term, len);
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < d->count && strncmp(d->text + d->all[low].stem, term, len) == 0; low++)
		if (!d->text[d->all[low].stem + len])
			add_meaning(l, d->text + d->all[low].word);
}

size_t dictionary_look(struct dictionary *d, struct search_tokens *t, const char *word, size_t len,
                       const char *out[TRANSLATIONS_MOST])
{
	struct look l = { d, word, len, out, 0 };
	if (!d->sorted)
		sort(d, t);
	(void)search_tokens_asked(t, word, len, look_up, &l);
	return l.count;
}

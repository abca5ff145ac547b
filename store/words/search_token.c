/* SPDX-License-Identifier: MIT */
/*
 * What a word is to the index.  unicode61 takes a run of ideographs for one word, so that nothing
 * in it is found; here each is a token.  The rest is stemmed by the language of its text: by FTS5's
 * own porter, or by libstemmer, and then its last byte says which language.  So no stem of one
 * language is taken for a word of another, and in English texts all is as if there were no others.
 * A word that is asked for has the stems of all languages, at one place: it does not say which it
 * is in.  Stems are made of words with their accents, and stand without them.  What ends in a digit
 * has one form.  Any bytes are taken: what is not UTF-8 parts words or stands for itself, as
 * unicode61 has it.
 */
#include "store/words/search_token.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "store/db/db.h"
#include "store/words/search_language.h"
#include "store/store.h"
#include "store/tokens/tokens.h"

fts5_api *search_fts5(sqlite3 *db)
{
	fts5_api *api = NULL;
	sqlite3_stmt *q = db_prepare(db, "SELECT fts5(?1)");
	if (!q)
		return NULL;
	sqlite3_bind_pointer(q, 1, (void *)&api, "fts5_api_ptr", NULL);
	(void)sqlite3_step(q);
	sqlite3_finalize(q);
	return api;
}

/* ---- single characters -------------------------------------------------- */

/* True if this code point is a token of its own. */
static bool stands_alone(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0x2600, 0x27BF },   /* symbols, dingbats */
		{ 0x3040, 0x30FF },   /* kana */
		{ 0x3400, 0x4DBF },   { 0x4E00, 0x9FFF },   /* ideographs */
		{ 0xAC00, 0xD7A3 },   /* Hangul */
		{ 0xF900, 0xFAFF },   { 0xFF66, 0xFF9D },   /* compatibility, halfwidth kana */
		{ 0x1F300, 0x1FAFF }, /* emoji */
		{ 0x20000, 0x3FFFF }, /* further ideographs */
	};
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

/* Length of the character at `s` if it is a token of its own, else 0. */
static size_t single_at(const unsigned char *s, size_t len)
{
	if (*s < 0xE2)
		return 0;
	size_t n = *s >= 0xF0 ? 4 : 3;
	if (n > len || *s > 0xF4)
		return 0;
	uint32_t c = *s & (n == 4 ? 0x07u : 0x0Fu);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xC0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3Fu);
	}
	return stands_alone(c) ? n : 0;
}

size_t search_word_count(const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t count = 0;
	bool inside = false;
	for (size_t i = 0; i < len;) {
		size_t single = single_at(s + i, len - i);
		bool word = s[i] >= 0x80 || (s[i] >= '0' && s[i] <= '9') ||
			((s[i] | 32) >= 'a' && (s[i] | 32) <= 'z');
		if (single || (word && !inside))
			count++;
		inside = !single && word;
		i += single ? single : 1;
	}
	return count;
}

/* ---- the tokenizer as FTS5 calls it ----------------------------------------- */

typedef int fts_token_fn(void *ctx, int flags, const char *token, int len, int start, int end);

enum { TOKEN_MOST = 64 }; /* bytes of a word that is stemmed; the stemmers leave longer ones */

struct word_reader {
	fts5_tokenizer porter, plain;
	Fts5Tokenizer *inner, *words; /* stemmed, and as they are */
	struct stemmers stemmers;
	struct common_words common;
};

static void tokenizer_delete(Fts5Tokenizer *self)
{
	struct word_reader *t = (struct word_reader *)self;
	if (!t)
		return;
	if (t->inner)
		t->porter.xDelete(t->inner);
	if (t->words)
		t->plain.xDelete(t->words);
	stemmers_release(&t->stemmers);
	free(t);
}

static int tokenizer_create(void *ctx, const char **args, int count, Fts5Tokenizer **out)
{
	fts5_api *api = ctx;
	const char *inner_args[] = { "unicode61", "remove_diacritics", "2" };
	void *inner_ctx = NULL, *plain_ctx = NULL;
	(void)args, (void)count;
	struct word_reader *t = calloc(1, sizeof *t);
	if (!t)
		return SQLITE_NOMEM;
	common_words_fill(&t->common);
	int rc = api->xFindTokenizer(api, "porter", &inner_ctx, &t->porter);
	if (rc == SQLITE_OK)
		rc = t->porter.xCreate(inner_ctx, inner_args, 3, &t->inner);
	if (rc == SQLITE_OK)
		rc = api->xFindTokenizer(api, "unicode61", &plain_ctx, &t->plain);
	if (rc == SQLITE_OK)
		rc = t->plain.xCreate(plain_ctx, inner_args + 1, 2, &t->words);
	if (rc != SQLITE_OK) {
		tokenizer_delete((Fts5Tokenizer *)t);
		return rc;
	}
	*out = (Fts5Tokenizer *)t;
	return SQLITE_OK;
}

/* Moves what a tokenizer reports of a part to where the part stands. */
struct part {
	void *ctx;
	fts_token_fn *fn;
	int base;
	struct word_reader *t;
	enum language language;
	const char *text; /* where it begins */
};

static int move(void *ctx, int flags, const char *token, int len, int start, int end)
{
	struct part *p = ctx;
	return p->fn(p->ctx, flags, token, len, p->base + start, p->base + end);
}

static bool has_one_form(const char *token, int len)
{
	return token[len - 1] >= '0' && token[len - 1] <= '9';
}

/* Hands on the stem of a word in the part's language, with its mark. */
static int hand_stem(struct part *p, int flags, const char *word, size_t len, int start, int end)
{
	char marked[ACCENTED_MOST + 1];
	size_t n;
	const char *s = stemmers_stem(&p->t->stemmers, p->language, word, len, &n);
	n = token_without_accents(s, n < ACCENTED_MOST ? n : ACCENTED_MOST, marked);
	marked[n] = (char)p->language;
	return p->fn(p->ctx, flags, marked, (int)n + 1, p->base + start, p->base + end);
}

/* As it is written: endings are known by their accents ("perdiÃ³", "perdimos"). */
static int stem(void *ctx, int flags, const char *token, int len, int start, int end)
{
	struct part *p = ctx;
	char accented[ACCENTED_MOST];
	if (has_one_form(token, len) || len > TOKEN_MOST)
		return move(ctx, flags, token, len, start, end);
	size_t n = token_accented(p->text + start, (size_t)(end - start), accented);
	return n ? hand_stem(p, flags, accented, n, start, end) :
		hand_stem(p, flags, token, (size_t)len, start, end);
}

/*
 * The stems of one word that was asked for, in the other languages: as it is written, and without
 * accents, which whoever wrote the text may have left out; and with the one that Spanish would
 * have, which whoever asks may have.
 */
static int stem_in_all(void *ctx, int flags, const char *token, int len, int start, int end)
{
	struct part *p = ctx;
	char accented[ACCENTED_MOST];
	size_t n = token_accented(p->text + start, (size_t)(end - start), accented);
	int rc = SQLITE_OK;
	(void)flags;
	for (int l = LANGUAGE_ENGLISH + 1; rc == SQLITE_OK && l < LANGUAGES; l++) {
		p->language = (enum language)l;
		rc = stem(p, FTS5_TOKEN_COLOCATED, token, len, start, end);
		if (rc == SQLITE_OK && n && len <= TOKEN_MOST)
			rc = hand_stem(p, FTS5_TOKEN_COLOCATED, token, (size_t)len, start, end);
	}
	p->language = LANGUAGE_SPANISH;
	if (rc == SQLITE_OK && !n && (n = token_with_accent(token, (size_t)len, accented)) > 0)
		rc = hand_stem(p, FTS5_TOKEN_COLOCATED, accented, n, start, end);
	return rc;
}

static int ask(void *ctx, int flags, const char *token, int len, int start, int end)
{
	struct part *a = ctx;
	struct part word = *a;
	int rc = move(a, flags, token, len, start, end);
	word.base += start;
	word.text += start;
	return rc != SQLITE_OK || has_one_form(token, len) ? rc :
		word.t->plain.xTokenize(word.t->words, &word, 0, word.text, end - start, stem_in_all);
}

/* One run of text without ideographs. */
static int tokenize_part(struct word_reader *t, struct part *p, int flags, int len)
{
	if (flags & FTS5_TOKENIZE_PREFIX) /* of stems in any language */
		return t->plain.xTokenize(t->words, p, flags, p->text, len, move);
	if (flags & FTS5_TOKENIZE_QUERY)
		return t->porter.xTokenize(t->inner, p, flags, p->text, len, ask);
	if (p->language == LANGUAGE_ENGLISH)
		return t->porter.xTokenize(t->inner, p, flags, p->text, len, move);
	return t->plain.xTokenize(t->words, p, flags, p->text, len, stem);
}

static int tokenize(Fts5Tokenizer *self, void *ctx, int flags, const char *text, int size,
                    fts_token_fn *fn)
{
	struct word_reader *t = (struct word_reader *)self;
	const unsigned char *s = (const unsigned char *)text;
	int from = 0, rc = SQLITE_OK;
	enum language language = flags & FTS5_TOKENIZE_QUERY ? LANGUAGE_ENGLISH :
		search_language(&t->common, text, (size_t)size);
	for (int i = 0; rc == SQLITE_OK && i <= size;) {
		int n = i < size ? (int)single_at(s + i, (size_t)(size - i)) : 0;
		if (i < size && n == 0) {
			i++;
			continue;
		}
		struct part part = { ctx, fn, from, t, language, text + from };
		if (i > from)
			rc = tokenize_part(t, &part, flags, i - from);
		if (rc == SQLITE_OK && n > 0)
			rc = fn(ctx, 0, text + i, n, i, i + n);
		i += n > 0 ? n : 1;
		from = i;
	}
	return rc;
}

int search_tokenizer_add(sqlite3 *db)
{
	fts5_tokenizer ours = { tokenizer_create, tokenizer_delete, tokenize };
	fts5_api *api = search_fts5(db);
	if (!api)
		return STORE_EIO;
	return db_error(api->xCreateTokenizer(api, "cinta", api, &ours, NULL));
}

/* ---- by itself --------------------------------------------------------------- */

int search_tokens_open(sqlite3 *db, struct search_tokens *out)
{
	void *ctx = NULL;
	fts5_api *api = search_fts5(db);
	*out = (struct search_tokens){ .db = db };
	if (!api)
		return STORE_EIO;
	int rc = api->xFindTokenizer(api, "cinta", &ctx, &out->how);
	if (rc == SQLITE_OK)
		rc = out->how.xCreate(ctx, NULL, 0, &out->it);
	return db_error(rc);
}

void search_tokens_close(struct search_tokens *t)
{
	if (t->it)
		t->how.xDelete(t->it);
	t->it = NULL;
}

struct each {
	token_fn *fn;
	void *ctx;
};

static int hand_on(void *ctx, int flags, const char *token, int len, int start, int end)
{
	struct each *e = ctx;
	(void)flags;
	e->fn(e->ctx, token, (size_t)len, (size_t)start, (size_t)end);
	return SQLITE_OK;
}

static int each_token(struct search_tokens *t, int flags, const char *text, size_t len,
                      token_fn *fn, void *ctx)
{
	struct each e = { fn, ctx };
	if (len > INT_MAX - 1)
		return STORE_EINVAL;
	return db_error(t->how.xTokenize(t->it, &e, flags, text, (int)len, hand_on));
}

int search_tokens_each(struct search_tokens *t, const char *text, size_t len, token_fn *fn,
                       void *ctx)
{
	return each_token(t, FTS5_TOKENIZE_DOCUMENT, text, len, fn, ctx);
}

int search_tokens_asked(struct search_tokens *t, const char *text, size_t len, token_fn *fn,
                        void *ctx)
{
	return each_token(t, FTS5_TOKENIZE_QUERY, text, len, fn, ctx);
}

static int tokens_of(int flags, const char *text, size_t len, token_fn *fn, void *ctx)
{
	sqlite3 *db = NULL;
	struct search_tokens t = { 0 };
	int err = db_error(db_connect(":memory:", SQLITE_OPEN_READWRITE, &db));
	if (!err)
		err = search_tokenizer_add(db);
	if (!err)
		err = search_tokens_open(db, &t);
	if (!err)
		err = each_token(&t, flags, text, len, fn, ctx);
	search_tokens_close(&t);
	sqlite3_close(db);
	return err;
}

int store_search_tokens(const char *text, size_t len, token_fn *fn, void *ctx)
{
	return tokens_of(FTS5_TOKENIZE_DOCUMENT, text, len, fn, ctx);
}

int store_search_asked(const char *text, size_t len, token_fn *fn, void *ctx)
{
	return tokens_of(FTS5_TOKENIZE_QUERY, text, len, fn, ctx);
}

/* SPDX-License-Identifier: MIT */
/*
 * search.html: words that find something, for who cannot type into the box; in a copy of the pages
 * (cinta export --site) they are all that can be asked.
 */
#include <stdio.h>

#include "fs/site/site_shared.h"

enum { WORD_LEAST = 3, WORD_MOST = 32, WORDS_SHOWN = 120, WORDS_KEPT = 4096, NAMES_LOOKED_AT = 100,
       FACTS_LOOKED_AT = 400 };

struct word {
	char text[WORD_MOST + 1];
	int64_t count;
};
struct words {
	struct word *at; /* WORDS_KEPT, by hash */
	size_t count;
};

/* Where a word is, or could be. */
static struct word *slot_of(struct words *all, const char *word, size_t len)
{
	size_t i = 0;
	for (size_t n = 0; n < len; n++)
		i = i * 31 + (unsigned char)word[n];
	for (i %= WORDS_KEPT; *all->at[i].text; i = (i + 1) % WORDS_KEPT)
		if (strlen(all->at[i].text) == len && memcmp(all->at[i].text, word, len) == 0)
			break;
	return &all->at[i];
}

static void take_word(void *ctx, const char *word, size_t len)
{
	struct words *all = ctx;
	if (len < WORD_LEAST || len > WORD_MOST || policy_stop_word(word, len) ||
	    strspn(word, "0123456789") >= len)
		return;
	struct word *w = slot_of(all, word, len);
	if (!*w->text && all->count >= WORDS_KEPT / 2)
		return;
	if (!*w->text) {
		memcpy(w->text, word, len);
		all->count++;
	}
	w->count++;
}

static void take_fact(void *ctx, const struct fact *f)
{
	(void)render_words(f->text, f->len, take_word, ctx);
}

/* What the newest sessions, threads and documents are called. */
static int take_names(struct site *s, struct words *all)
{
	struct group g;
	struct doc d;
	int err = 0;
	for (int kind = 0; !err && kind < 2; kind++) {
		enum log_kind of = kind ? LOG_THREAD : LOG_SESSION;
		err = store_group_newest(s->fs->store, of, &g);
		int64_t id = !err && g.id > NAMES_LOOKED_AT ? g.id - NAMES_LOOKED_AT : 0;
		while (!err && (err = store_group_next(s->fs->store, of, id, &g)) == 0) {
			id = g.id;
			err = render_words(g.name, strlen(g.name), take_word, all) ? STORE_ENOMEM : 0;
		}
		err = err == STORE_ENOENT ? 0 : err;
	}
	int64_t made = 0;
	err = err ? err : store_docs_made(s->fs->store, &made);
	for (int64_t n = 0; !err && n < NAMES_LOOKED_AT && n < made; n++) {
		err = store_doc_by_id(s->fs->store, made - n, &d);
		size_t len = err ? 0 : strcspn(d.name, ".");
		if (!err && !d.into && d.versions > 0)
			err = render_words(d.name, len, take_word, all) ? STORE_ENOMEM : 0;
		err = err == STORE_ENOENT ? 0 : err; /* it has no version that can be read */
	}
	return errno_of_store(err);
}

static int by_count(const void *a, const void *b)
{
	const struct word *x = a, *y = b;
	return x->count != y->count ? (x->count < y->count ? 1 : -1) : strcmp(x->text, y->text);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct word *)a)->text, ((const struct word *)b)->text);
}

static void show(struct site *s, struct words *all)
{
	size_t shown = all->count < WORDS_SHOWN ? all->count : WORDS_SHOWN;
	qsort(all->at, WORDS_KEPT, sizeof *all->at, by_count); /* free places last: they count 0 */
	qsort(all->at, shown, sizeof *all->at, by_text);
	html_words(&s->h);
	for (size_t i = 0; i < shown; i++)
		html_word(&s->h, all->at[i].text, all->at[i].count);
	html_list_end(&s->h);
}

int site_words(struct site *s)
{
	struct words all = { .at = calloc(WORDS_KEPT, sizeof *all.at) };
	int err = all.at ? take_names(s, &all) : -ENOMEM;
	if (!err)
		err = errno_of_store(store_fact_page(s->fs->store, false, 0, FACTS_LOOKED_AT, take_fact,
		                                     &all));
	html_say(&s->h, "A mounted memory finds any words that are written into the box above. These "
	         "are the words of its facts, and of the names of sessions, threads and documents; "
	         "a copy of its pages has the answers to them.");
	html_section(&s->h, "words", "Words");
	if (!err && all.count)
		show(s, &all);
	else if (!err)
		html_say(&s->h, "There are none yet.");
	free(all.at);
	return err;
}

/* SPDX-License-Identifier: MIT */
/*
 * Words that mean the same in another language, as the dictionaries of FreeDict tell that Debian
 * has (dict-freedict-spa-eng and others): pairs of single words, used in both directions.  Private
 * to the store.
 *
 * A dictionary is two files of dictd's form below DICTIONARY_DIR: freedict-NAME.index has a line a
 * headword, with the place of its text in freedict-NAME.dict.dz, which is gzip.  The text's first
 * line is the headword again; then come translations, parted by commas, with remarks in brackets.
 */
#ifndef CINTA_DICTIONARY_H
#define CINTA_DICTIONARY_H

#include <stddef.h>

#include "store/words/search_token.h"

struct why;

#define DICTIONARY_DIR "/usr/share/dictd"
enum { TRANSLATIONS_MOST = 8 }; /* of a word */

struct dictionary;
/*
 * `names`, as spa-eng, parted by colons; one that has a slash is a path without its .index.
 * STORE_EINVAL with `why` where one is no name, is not here, is no dictionary or is too large (its
 * index may have 4 MiB); STORE_ENOMEM.  To be closed.
 */
int dictionary_open(const char *names, struct dictionary **out, struct why *why);
void dictionary_close(struct dictionary *d); /* may be NULL */

/*
 * The words that mean the same as this one, in any of its forms: at most TRANSLATIONS_MOST, which
 * live as long as the dictionary, into `out`; returns how many.  The first call takes some tens of
 * milliseconds, for the stems of all words.  One thread at a time.
 */
size_t dictionary_look(struct dictionary *d, struct search_tokens *t, const char *word, size_t len,
                       const char *out[TRANSLATIONS_MOST]);

#endif

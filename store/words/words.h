/* SPDX-License-Identifier: MIT */
/* The door of words: how texts are cut into them and stemmed, and which say nothing. */
#ifndef CINTA_STORE_WORDS_H
#define CINTA_STORE_WORDS_H

#include "store/words/dictionary.h"
#include "store/words/search_stop_words.h"
#include "store/words/search_token.h"

#endif

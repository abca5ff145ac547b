/* SPDX-License-Identifier: MIT */
/* The table behind policy_stop_word (policy.h).  Private to store/. */
#ifndef CINTA_STORE_STOP_WORDS_H
#define CINTA_STORE_STOP_WORDS_H

#include <stdbool.h>

/* True if the table is fit to be searched by halves.  For its test. */
bool stop_words_sorted(void);

#endif

/* SPDX-License-Identifier: MIT */
/* What json.c needs besides its grammar: keys, escapes and the size of numbers.  Private. */
#ifndef CINTA_JSON_KEY_H
#define CINTA_JSON_KEY_H

#include "render/format/json.h"

/* 0..15, or -1. */
static inline int json_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Refuses an object (its `members` values are read) that names a member twice. */
int json_check_keys(const struct json *j, uint32_t object, uint32_t members, struct why *why);
/* True if a number of correct form stays within a double's range. */
bool json_number_fits(const char *s, size_t len);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The text of a JSON string, for long ones: jansson reads a byte at a time and copies each
 * twice, which for a document of 4 KB is a good part of what a save costs.
 */
#ifndef CINTA_JSON_TEXT_H
#define CINTA_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What stands between the quotes, `len` bytes, decoded into `dst` (`len` bytes of room).  Never
 * takes what jansson would not, or otherwise; false: ask jansson (\u escapes of surrogates and
 * of U+0000, or no string at all).
 */
bool json_text(const char *quoted, size_t len, char *dst, size_t *dst_len);

/*
 * The same of a text that ends at the first quote or after `len` bytes: how many bytes of it there
 * are without that quote, or JSON_TEXT_NONE.  `dst` NULL: it is only looked at.
 */
#define JSON_TEXT_NONE SIZE_MAX
size_t json_text_take(const char *quoted, size_t len, char *dst, size_t *dst_len);

#endif

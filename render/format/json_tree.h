/* SPDX-License-Identifier: MIT */
/* Texts of JSON as trees of jansson's, for whoever looks for members here and there. */
#ifndef CINTA_JSON_TREE_H
#define CINTA_JSON_TREE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What json_loadb() makes of it with JSON_DECODE_ANY; NULL with `error` set.  The caller's.  An
 * integer of more than 64 bits is a string of its digits, but in texts of a mebibyte and more.
 */
json_t *json_tree(const char *text, size_t len, json_error_t *error);

/*
 * FNV-1a of 64 bits of what json_dumps() makes of it with JSON_COMPACT | JSON_SORT_KEYS.  *failed
 * is set where there is no memory.
 */
uint64_t json_tree_hash(const json_t *item, bool *failed);

#endif

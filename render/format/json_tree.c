/* SPDX-License-Identifier: MIT */
/*
 * Trees of jansson's (json_tree.h), read by our reader, which takes runs of bytes where jansson
 * takes each.  What it refuses jansson reads, and says what is wrong.
 */
#include "render/format/json_tree.h"

#include <stdlib.h>
#include <string.h>

#include "render/format/buf.h"
#include "render/format/json.h"
#include "store/base/ascii.h"
#include "store/base/hash.h"

/* A tree costs memory beside its nodes: of long texts jansson's alone is made. */
enum { LENGTH_MOST = 1 << 20, DEPTH_MOST = 100, KEY_MOST = 128 };

static json_t *tree_of(const struct json *j, uint32_t at);

static json_t *string_of(const struct json *j, struct json_span s)
{
	struct buf text = BUF_INIT;
	if (!s.escaped)
		return json_stringn_nocheck(json_at(j, s), s.len);
	if (buf_reserve(&text, s.len))
		json_unescape(j, s, &text);
	json_t *string = text.failed ? NULL : json_stringn_nocheck(text.data, text.len);
	buf_release(&text);
	return string;
}

static json_t *array_of(const struct json *j, uint32_t at)
{
	json_t *array = json_array();
	for (uint32_t n = at + 1; array && n < j->nodes[at].next; n = j->nodes[n].next)
		if (json_array_append_new(array, tree_of(j, n))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

/* False: no memory, or a key of a kind that is left to jansson. */
static bool set_member(const struct json *j, uint32_t n, json_t *object)
{
	char key[KEY_MOST + 1];
	struct json_span s = j->nodes[n].key;
	if (s.escaped || s.len > KEY_MOST)
		return false;
	memcpy(key, json_at(j, s), s.len);
	key[s.len] = '\0';
	return json_object_set_new_nocheck(object, key, tree_of(j, n)) == 0;
}

static json_t *object_of(const struct json *j, uint32_t at)
{
	json_t *object = json_object();
	for (uint32_t n = at + 1; object && n < j->nodes[at].next; n = j->nodes[n].next)
		if (!set_member(j, n, object)) {
			json_decref(object);
			return NULL;
		}
	return object;
}

static json_t *tree_of(const struct json *j, uint32_t at)
{
	const struct json_node *node = &j->nodes[at];
	switch (node->type) {
	case VALUE_NULL:
		return json_null();
	case VALUE_FALSE:
		return json_false();
	case VALUE_TRUE:
		return json_true();
	case VALUE_STRING:
		return string_of(j, node->value);
	case VALUE_ARRAY:
		return array_of(j, at);
	case VALUE_OBJECT:
		return object_of(j, at);
	case VALUE_INTEGER:
	case VALUE_REAL:
		break;
	}
	const char *number = json_at(j, node->value);
	json_t *tree = json_loadb(number, node->value.len, JSON_DECODE_ANY, NULL);
	return tree || node->type == VALUE_REAL ? tree : json_stringn(number, node->value.len);
}

json_t *json_tree(const char *text, size_t len, json_error_t *error)
{
	struct json j;
	struct why why;
	json_t *tree = NULL;
	if (len <= LENGTH_MOST) {
		tree = json_read(&j, text, len, DEPTH_MOST, &why) ? NULL : tree_of(&j, 0);
		json_release(&j);
	}
	return tree ? tree : json_loadb(text, len, JSON_DECODE_ANY, error);
}

/* ---- hashes --------------------------------------------------------------------- */

enum { FEW_MEMBERS = 8 };

static int compare_keys(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* True if buf_add_json() writes it as jansson does, whose \uXXXX are of other letters. */
static bool dumps_alike(const char *text, size_t len)
{
	for (size_t at = ascii_in_json(text, len); at < len;) {
		unsigned char c = (unsigned char)text[at++];
		if (c < 0x20 && !strchr("\b\t\n\f\r", c))
			return false;
		at += ascii_in_json(text + at, len - at);
	}
	return true;
}

/* Of an object of few texts, as most are, what json_dumps() makes; false: it is another. */
static bool dump_texts(struct buf *out, const json_t *item)
{
	json_t *object = (json_t *)item; /* is only looked at */
	const char *keys[FEW_MEMBERS], *key;
	json_t *value;
	size_t count = 0;
	if (!json_is_object(item) || json_object_size(item) > FEW_MEMBERS)
		return false;
	json_object_foreach(object, key, value) {
		if (!json_is_string(value) || !dumps_alike(key, strlen(key)) ||
		    !dumps_alike(json_string_value(value), json_string_length(value)))
			return false;
		keys[count++] = key;
	}
	qsort(keys, count, sizeof *keys, compare_keys);
	buf_addc(out, '{');
	for (size_t i = 0; i < count; i++) {
		value = json_object_get(item, keys[i]);
		buf_adds(out, i ? "," : "");
		buf_add_json(out, keys[i], strlen(keys[i]));
		buf_addc(out, ':');
		(void)buf_reserve(out, json_string_length(value) + 64);
		buf_add_json(out, json_string_value(value), json_string_length(value));
	}
	buf_addc(out, '}');
	return true;
}

uint64_t json_tree_hash(const json_t *item, bool *failed)
{
	struct buf text = BUF_INIT;
	char *dumped = dump_texts(&text, item) ? NULL : json_dumps(item, JSON_COMPACT | JSON_SORT_KEYS);
	const char *hashed = dumped ? dumped : text.data;
	uint64_t hash = hash_text(HASH_NONE, hashed ? hashed : "");
	*failed |= text.failed;
	free(dumped);
	buf_release(&text);
	return hash;
}

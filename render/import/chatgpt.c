/* SPDX-License-Identifier: MIT */
/*
 * ChatGPT's export: conversations.json, an array of trees of messages.  What is shown of a tree is
 * the way from its root to `current_node`.  Regenerated answers and edited questions are beside it:
 * they were said at their time, and given up.
 */
#include <stdlib.h>
#include <string.h>

#include "render/import/parts.h"

static bool chatgpt_knows(const json_t *item)
{
	return json_is_object(json_object_get(item, "mapping"));
}

/* Parts are strings, and objects: images, recordings with what was understood of them. */
static void add_parts(struct buf *out, const json_t *content)
{
	const json_t *parts = json_object_get(content, "parts");
	size_t n;
	json_t *part;
	json_array_foreach(parts, n, part) {
		const char *type = import_text(part, "content_type");
		const char *text = json_is_string(part) ? json_string_value(part) :
			import_text(part, "text");
		if (out->len > 0)
			buf_addc(out, '\n');
		buf_adds(out, text);
		if (!*text && strstr(type, "image"))
			buf_addf(out, "[image, %lld bytes]",
			         (long long)json_integer_value(json_object_get(part, "size_bytes")));
	}
	for (const char *const *name = (const char *const[]){ "text", "result", NULL };
	     !parts && *name; name++)
		buf_adds(out, import_text(content, *name));
	buf_adds(out, "");
}

/* What is the program's own, or was thought and not said. */
static bool is_hidden(const json_t *message)
{
	static const char *const types[] = { "thoughts", "reasoning_recap", "user_editable_context",
		"model_editable_context" };
	const char *type = import_text(json_object_get(message, "content"), "content_type");
	for (size_t n = 0; n < sizeof types / sizeof *types; n++)
		if (strcmp(type, types[n]) == 0)
			return true;
	return json_is_true(json_object_get(json_object_get(message, "metadata"),
	                                    "is_visually_hidden_from_conversation"));
}

static void say(struct import *i, const json_t *message, const char *id)
{
	const json_t *author = json_object_get(message, "author");
	const json_t *content = json_object_get(message, "content");
	const char *role = import_text(author, "role"), *to = import_text(message, "recipient");
	const char *model = import_text(json_object_get(message, "metadata"), "model_slug");
	const char *tool = import_text(author, "name");
	struct buf text = BUF_INIT;
	struct import_said s = { .role = role, .id = *import_text(message, "id") ?
		import_text(message, "id") : id, .model = *model ? model : NULL,
		.at_us = import_time(json_object_get(message, "create_time")) };
	if (is_hidden(message))
		return;
	add_parts(&text, content);
	i->failed |= text.failed;
	if (text.failed)
		return;
	if (strcmp(role, "tool") == 0) {
		s.tool = *tool ? tool : NULL;
		import_result(i, &s, "", text.data, false);
	} else if (*to && strcmp(to, "all") != 0) {
		json_t *given = json_string(text.data);
		import_call(i, &s, to, "", given);
		json_decref(given);
	} else if (strcmp(role, "user") == 0 || strcmp(role, "assistant") == 0 ||
	           strcmp(role, "system") == 0) {
		import_say(i, &s, text.data);
	}
	buf_release(&text);
}

/* The nodes from the root to the current one; a circle ends after as many as there are. */
static const char **way(const json_t *item, const json_t *mapping, size_t *count)
{
	size_t most = json_object_size(mapping);
	const char **node = calloc(most + 1, sizeof *node);
	const char *at = import_text(item, "current_node");
	*count = 0;
	for (; node && *at && *count < most && json_object_get(mapping, at); (*count)++) {
		node[most - *count] = at;
		at = import_text(json_object_get(mapping, at), "parent");
	}
	if (node)
		memmove(node, node + most - *count + 1, *count * sizeof *node);
	return node;
}

/* Some have no time of their own: then that of the first message that has one. */
static int64_t began(const json_t *item, const json_t *mapping, const char **node, size_t count)
{
	int64_t us = import_time(json_object_get(item, "create_time"));
	for (size_t n = 0; us == 0 && n < count; n++)
		us = import_time(json_object_get(json_object_get(json_object_get(mapping, node[n]),
		                                                 "message"), "create_time"));
	return us ? us : import_time(json_object_get(item, "update_time"));
}

/* A node, and its place among all by time, then as the file has them. */
struct timed_node {
	const char *node;
	const json_t *message;
	int64_t at_us; /* the greatest there is: not known */
	size_t n;
};

static int compare(const void *a, const void *b)
{
	const struct timed_node *const *x = a, *const *y = b;
	return strcmp((*x)->node, (*y)->node);
}

static int compare_times(const void *a, const void *b)
{
	const struct timed_node *x = a, *y = b;
	if (x->at_us != y->at_us)
		return x->at_us < y->at_us ? -1 : 1;
	return x->n < y->n ? -1 : x->n > y->n;
}

/* Places of the way are filled in, the messages beside it listed in order: how many. */
static size_t place_all(const json_t *mapping, struct timed_node *way, size_t count,
                        struct timed_node **sorted, struct timed_node *beside)
{
	size_t n = 0, found = 0;
	json_t *one;
	const char *key;
	for (size_t k = 0; k < count; k++)
		sorted[k] = &way[k];
	qsort(sorted, count, sizeof *sorted, compare);
	json_object_foreach((json_t *)mapping, key, one) {
		const json_t *message = json_object_get(one, "message");
		int64_t at = import_time(json_object_get(message, "create_time"));
		struct timed_node p = { key, message, at ? at : INT64_MAX, n++ };
		const struct timed_node *wanted = &p;
		struct timed_node **on = bsearch(&wanted, sorted, count, sizeof *sorted, compare);
		if (on)
			**on = p;
		else if (json_is_object(message))
			beside[found++] = p;
	}
	for (size_t k = 0; k < count; k++)
		if (way[k].at_us == INT64_MAX)
			way[k].at_us = k > 0 ? way[k - 1].at_us : 0;
	qsort(beside, found, sizeof *beside, compare_times);
	return found;
}

/*
 * The way as it goes, and what is beside it by its time in between.  That is given up then; an
 * older export knows nothing of newer, and one that lost its way gives nothing up.
 */
static void say_all(struct import *i, const json_t *mapping, const char *const *node, size_t count)
{
	size_t most = json_object_size(mapping), found = 0, next = 0;
	struct timed_node *way = calloc(count + most + 1, sizeof *way);
	struct timed_node *beside = way ? way + count : NULL;
	struct timed_node **sorted = calloc(count + 1, sizeof *sorted);
	i->failed |= !way || !sorted;
	for (size_t n = 0; way && n < count; n++)
		way[n].node = node[n];
	if (way && sorted)
		found = place_all(mapping, way, count, sorted, beside);
	for (size_t n = 0; way && sorted && n < count; n++) {
		for (; next < found && compare_times(&beside[next], &way[n]) < 0; next++)
			say(i, beside[next].message, beside[next].node);
		if (json_is_object(way[n].message))
			say(i, way[n].message, node[n]);
	}
	for (; next < found; next++)
		say(i, beside[next].message, beside[next].node);
	for (size_t n = 0; count > 0 && n < found; n++) {
		const char *id = import_text(beside[n].message, "id");
		i->sink->gone(i->sink->ctx, *id ? id : beside[n].node);
	}
	free(way);
	free(sorted);
}

static void chatgpt_item(struct import *i, const json_t *item)
{
	const json_t *mapping = json_object_get(item, "mapping");
	const char *id = import_text(item, "conversation_id");
	size_t count;
	const char **node = way(item, mapping, &count);
	id = *id ? id : import_text(item, "id");
	if (!node || !*id) {
		i->failed |= !node;
		if (node)
			i->sink->skipped(i->sink->ctx, i->at, "a conversation without an id");
		free(node);
		return;
	}
	import_copy(i->title, sizeof i->title, import_text(item, "title"));
	i->began_us = began(item, mapping, node, count);
	i->told = false;
	import_begin(i, "chatgpt", id);
	say_all(i, mapping, node, count);
	free(node);
}

const struct import_format import_chatgpt = { chatgpt_knows, chatgpt_item, NULL };

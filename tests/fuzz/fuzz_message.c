/* SPDX-License-Identifier: MIT */
/*
 * Offers any bytes as a line.  What is taken must be JSON to another reader, keep
 * the client's members, make lines of the announced size, and render; what
 * jansson takes as a message's JSON must not be called broken.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "render/format/json.h"
#include "render/render.h"
#include "store/tape/line.h"
#include "store/store.h"
#include "tests/fuzz/fuzz.h"

static const uint8_t salt[SALT_SIZE];

static struct entry entry_of(const char *body, size_t len)
{
	struct entry e = { .stream = "s1", .kind = "message", .author = "a", .body = body,
			   .body_len = len, .salt = salt };
	return e;
}

static json_t *load(const char *text, size_t len)
{
	return json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY |
	                  JSON_DECODE_INT_AS_REAL, NULL);
}

/* jansson may swallow a NUL byte and knows another limit of depth: both are ours to refuse. */
static void compare_readers(const char *text, size_t len)
{
	struct json j;
	struct why why = { 0 };
	int rc = json_read(&j, text, len, DEPTH_LIMIT, &why);
	json_release(&j);
	if (memchr(text, 0, len) || strstr(why.text, "deeper"))
		return;
	json_t *oracle = load(text, len);
	MUST((rc == 0) == (oracle != NULL));
	json_decref(oracle);
}

static void render_all(const char *body, size_t len)
{
	struct entry e = entry_of(body, len);
	struct buf out = BUF_INIT;
	render_transcript(&out, &e);
	render_message_page(&out, &e, "s");
	MUST(!out.failed);
	buf_release(&out);
}

static void check_taken(const char *text, size_t len, const struct buf *body)
{
	struct entry e = entry_of(body->data, body->len);
	size_t size = line_size(&e);
	char *line = malloc(size);
	MUST(line);
	MUST(size >= len + 1);
	line_write(&e, line);
	json_t *offered = load(text, len), *shown = load(line, size);
	MUST(offered && shown);
	static const char *const owned[] = { "id", "timestamp", "author", "token_count", "source",
					     "prev_hash", "hash" };
	for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) {
		json_t *mine = json_object_get(offered, owned[i]);
		if (mine)
			MUST(json_equal(mine, json_object_get(json_object_get(shown, "source"),
			                                      owned[i])));
		json_object_del(offered, owned[i]);
	}
	const char *key;
	json_t *value;
	json_object_foreach(offered, key, value)
		MUST(json_equal(value, json_object_get(shown, key)));
	json_decref(offered);
	json_decref(shown);
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1); /* exact, so that reading past the end is seen */
	char thread[NAME_LIMIT + 1];
	struct buf body = BUF_INIT;
	struct why why = { 0 };
	MUST(text);
	memcpy(text, data, size);
	text = realloc(text, size ? size : 1);
	MUST(text);
	compare_readers(text, size);
	int rc = render_message_in(text, size, NULL, NULL, store_token_count, &body, thread, &why);
	MUST(rc == 0 || (why.text[0] && why.todo[0] && body.len == 0));
	if (rc == 0)
		check_taken(text, size, &body);
	render_all(text, size);
	buf_release(&body);
	free(text);
	return 0;
}

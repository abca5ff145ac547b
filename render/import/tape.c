/* SPDX-License-Identifier: MIT */
/*
 * cinta's own tape as lines (docs/format.md §8), into a memory that has more already: messages with
 * all they have, said when and by whom they were; documents and facts as notes.  A message that was
 * taken from an agent is that agent's still; any other is known by tape, session and hash.  Of an
 * older copy of that memory itself, only what is not on its tape.
 *
 * i->kept: {"s17": name of the session, "d3": the document as it was made, with its place and text
 * as they are now, "facts": {SEQ: {list, text}}}; i->count: 1 if both tapes begin with one entry
 */
#include <stdlib.h>
#include <string.h>

#include "render/import/parts.h"
#include "render/logs/logs.h"

enum { FOLDERS_DEEP = 256 }; /* as deep as the tree goes */

/* Of the streams f1 to f5. */
static const char *const lists[] = { "work", "preferences", "decisions", "personal", "projects" };

static bool tape_knows(const json_t *item)
{
	return json_is_integer(json_object_get(item, "seq")) && *import_text(item, "stream") &&
	       *import_text(item, "body_hash");
}

static void keep(struct import *i, const char *key, const char *text)
{
	i->failed |= !i->kept || json_object_set_new(i->kept, key, json_string(text)) < 0;
}

/* "s17" for the stream sessions and the 17th entry. */
static void number(char key[32], char letter, const json_t *item)
{
	json_int_t n = json_integer_value(json_object_get(item, "stream_seq")) + 1;
	(void)snprintf(key, 32, "%c%" JSON_INTEGER_FORMAT, letter, n);
}

/* `item`: an entry, or what else has its seq and hash. */
static bool is_here(const struct import *i, const json_t *item)
{
	return i->count && i->sink->here(i->sink->ctx, json_integer_value(json_object_get(item, "seq")),
	                                 import_text(item, "hash"));
}

static void genesis(struct import *i, const json_t *item, const json_t *body)
{
	keep(i, "origin", import_text(body, "origin"));
	i->count = i->sink->here && json_integer_value(json_object_get(item, "seq")) == 0 &&
		i->sink->here(i->sink->ctx, 0, import_text(item, "hash"));
}

/* ---- messages -------------------------------------------------------------- */

static bool is_known(const struct json *j, struct json_span key)
{
	static const char *const known[] = { "role", "content", "tool", "call", "thread", "from",
		"refs", "source", "token_count" };
	for (size_t k = 0; k < sizeof known / sizeof *known; k++)
		if (json_is(j, key, known[k]))
			return true;
	return false;
}

/* What of a body is no member of its own in a message, byte for byte: ,"players":[…] */
static void add_members(struct buf *out, const struct json *j)
{
	for (uint32_t n = 1; n < j->nodes[0].next; n = j->nodes[n].next) {
		const struct json_node *m = &j->nodes[n];
		const char *quote = m->type == VALUE_STRING ? "\"" : "";
		if (is_known(j, m->key))
			continue;
		buf_adds(out, ",\"");
		buf_add(out, json_at(j, m->key), m->key.len);
		buf_addf(out, "\":%s", quote);
		buf_add(out, json_at(j, m->value), m->value.len);
		buf_adds(out, quote);
	}
	buf_adds(out, "");
}

static void begin(struct import *i, const json_t *item, const json_t *from)
{
	const char *agent = import_text(from, "agent"), *session = import_text(from, "session");
	const char *stream = import_text(item, "stream");
	char own[TALK_SESSION + 1];
	i->title[0] = i->cwd[0] = '\0';
	i->began_us = 0;
	if (*agent && *session && *import_text(from, "id")) {
		import_begin(i, agent, session);
		return;
	}
	(void)snprintf(own, sizeof own, "%.100s/%.20s", import_text(i->kept, "origin"), stream);
	import_copy(i->title, sizeof i->title, import_text(i->kept, stream));
	import_begin(i, "cinta", own);
}

/* As the store's views number it, whatever stands there. */
static int64_t part_of(const json_t *from)
{
	double part = json_number_value(json_object_get(from, "part"));
	return part >= 0 && part < 1e9 ? (int64_t)part : 0;
}

static void say(struct import *i, const json_t *item, const json_t *body,
                const struct saying *told, const char *members)
{
	const json_t *from = json_object_get(body, "from");
	const char *id = import_text(from, "id"), *thread = import_text(body, "thread");
	const char *model = import_text(from, "model"), *role = import_text(body, "role");
	const char *tool = import_text(body, "tool"), *call = import_text(body, "call");
	bool taken = *id && *import_text(from, "agent") && *import_text(from, "session");
	struct import_said s = { .role = *role ? role : "user", .tool = *tool ? tool : NULL,
		.call = *call ? call : NULL, .model = *model ? model : NULL,
		.author = *told->by ? told->by : taken ? NULL : import_text(item, "author"),
		.at_us = told->told || !taken ? told->time_us : 0,
		.id = taken ? id : import_text(item, "hash"), .members = members,
		.part = taken ? part_of(from) : 0,
		.thread = *thread ? thread : NULL };
	begin(i, item, from);
	if (!*import_text(body, "content"))
		i->sink->skipped(i->sink->ctx, i->at, "a message without a text");
	else if (*s.id)
		import_say(i, &s, import_text(body, "content"));
}

static void message(struct import *i, const json_t *item, const json_t *body)
{
	const json_t *text = json_object_get(item, "body");
	const struct entry e = { .time_us = json_integer_value(json_object_get(item, "time_us")),
		.body = json_string_value(text), .body_len = json_string_length(text) };
	struct buf members = BUF_INIT;
	struct saying told;
	struct json read;
	const struct json *j = json_read_body(&read, &e, &members);
	saying_read(j, &e, &told);
	if (j)
		add_members(&members, j);
	i->failed |= members.failed;
	if (!members.failed)
		say(i, item, body, &told, members.data);
	json_release(&read);
	buf_release(&members);
}

/* ---- documents and facts ------------------------------------------------------ */

/*
 * What stands at the end is a note; not each version: a document that is retired later, or renamed,
 * would stay under all the names it had.
 */
static void document(struct import *i, const json_t *item, const json_t *body)
{
	const char *kind = import_text(item, "kind");
	json_t *doc = json_object_get(i->kept, import_text(item, "stream"));
	json_t *text = json_object_get(body, "text");
	if (!json_is_object(doc))
		return;
	if (strcmp(kind, "rename") == 0 && body) {
		i->failed |= json_object_update_existing(doc, (json_t *)body) < 0;
		return;
	}
	if (strcmp(kind, "document") != 0 && strcmp(kind, "retire") != 0)
		return;
	(void)json_object_del(doc, "text");
	if (strcmp(kind, "retire") == 0 ||
	    strcmp(import_text(json_object_get(body, "fields"), "status"), "retired") == 0)
		return;
	if (json_is_string(text))
		i->failed |= json_object_set(doc, "text", text) < 0 ||
			json_object_update_new(doc, json_pack("{s:I, s:s}", "seq",
				json_integer_value(json_object_get(item, "seq")), "hash",
				import_text(item, "hash"))) < 0;
	else if (body)
		i->sink->skipped(i->sink->ctx, i->at, "a document that is no text");
}

/* Its path: as it says, or below that of the folder it is in, which may have been renamed since. */
static void put_path(struct buf *b, const struct import *i, const json_t *doc, int depth)
{
	const char *parent = import_text(doc, "parent");
	char key[TALK_SESSION + 1];
	(void)snprintf(key, sizeof key, "d%.20s", parent[0] == '#' ? parent + 1 : "");
	const json_t *folder = depth > 0 && key[1] ? json_object_get(i->kept, key) : NULL;
	if (folder) {
		put_path(b, i, folder, depth - 1);
		buf_addf(b, "/%s", import_text(doc, "name"));
	} else {
		buf_addf(b, "%s", import_text(doc, "path"));
	}
}

static void live_documents(struct import *i)
{
	const char *key;
	json_t *doc;
	json_object_foreach(i->kept, key, doc) {
		const json_t *text = json_object_get(doc, "text");
		struct buf path = BUF_INIT;
		if (key[0] != 'd' || !text)
			continue;
		if (is_here(i, doc)) { /* asked once, not of each version */
			i->sink->known(i->sink->ctx);
			continue;
		}
		put_path(&path, i, doc, FOLDERS_DEEP);
		if (!path.failed && path.len > 0 && strncmp(path.data, "sessions/", 9) != 0)
			i->sink->note(i->sink->ctx, path.data, json_string_value(text),
			              json_string_length(text));
		i->failed |= path.failed;
		buf_release(&path);
	}
}

static void fact(struct import *i, const json_t *item, const json_t *body)
{
	json_t *facts = json_object_get(i->kept, "facts");
	const char *stream = import_text(item, "stream"), *kind = import_text(item, "kind");
	char id[32];
	bool adds = strcmp(kind, "fact.add") == 0;
	(void)snprintf(id, sizeof id, "%" JSON_INTEGER_FORMAT,
	               json_integer_value(json_object_get(adds ? item : body, adds ? "seq" : "fact")));
	if (adds && stream[1] >= '1' && stream[1] <= '5' && !stream[2] && !is_here(i, item))
		i->failed |= json_object_set_new(facts, id, json_pack("{s:s, s:s}", "list",
			lists[stream[1] - '1'], "text", import_text(body, "text"))) < 0;
	else if (strcmp(kind, "fact.retract") == 0)
		(void)json_object_del(facts, id);
}

/* Live facts, a note a list. */
static void live_facts(struct import *i)
{
	const json_t *facts = json_object_get(i->kept, "facts");
	for (size_t n = 0; n < sizeof lists / sizeof *lists; n++) {
		struct buf text = BUF_INIT;
		char path[64];
		const char *key;
		json_t *one;
		json_object_foreach((json_t *)facts, key, one)
			if (strcmp(import_text(one, "list"), lists[n]) == 0 && *import_text(one, "text"))
				buf_addf(&text, "- %s\n", import_text(one, "text"));
		(void)snprintf(path, sizeof path, "facts/%s.md", lists[n]);
		if (text.len > 0 && !text.failed)
			i->sink->note(i->sink->ctx, path, text.data, text.len);
		i->failed |= text.failed;
		buf_release(&text);
	}
}

static void tape_end(struct import *i)
{
	live_documents(i);
	live_facts(i);
}

/* ---- lines ---------------------------------------------------------------------- */

/* NULL: it was redacted, or cannot be read, which is told. */
static json_t *read_body(struct import *i, const json_t *text)
{
	const char *bytes = json_string_value(text);
	size_t len = json_string_length(text);
	if (!bytes)
		return NULL;
	bool crowded = cut_is_crowded(bytes, len);
	json_t *body = crowded ? NULL : json_loadb(bytes, len, 0, NULL);
	if (!body && !crowded) /* jansson refuses integers of more than 64 bits */
		body = json_loadb(bytes, len, JSON_DECODE_INT_AS_REAL, NULL);
	if (!body)
		i->sink->skipped(i->sink->ctx, i->at, "an entry whose body cannot be read");
	return body;
}

static void tape_item(struct import *i, const json_t *item)
{
	const char *kind = import_text(item, "kind"), *stream = import_text(item, "stream");
	json_t *body = read_body(i, json_object_get(item, "body"));
	char key[32];
	if (!i->kept)
		i->kept = json_pack("{s:{}}", "facts");
	if (strcmp(kind, "tape.genesis") == 0)
		genesis(i, item, body);
	if (strcmp(kind, "session") == 0) {
		number(key, 's', item);
		keep(i, key, import_text(body, "name"));
	} else if (strcmp(kind, "document.make") == 0 && body) {
		number(key, 'd', item);
		i->failed |= json_object_set(i->kept, key, body) < 0;
	} else if (*stream == 'd') {
		document(i, item, body);
	} else if (!body) {
		/* redacted, or told */
	} else if (strcmp(kind, "message") == 0 && is_here(i, item)) {
		i->sink->known(i->sink->ctx);
	} else if (strcmp(kind, "message") == 0) {
		message(i, item, body);
	} else if (strncmp(kind, "fact.", 5) == 0) {
		fact(i, item, body);
	}
	json_decref(body);
}

const struct import_format import_tape = { tape_knows, tape_item, tape_end };

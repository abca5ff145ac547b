/* SPDX-License-Identifier: MIT */
/* Tables of what is kept of which kind, and bodies made of it.  See stand_in.h. */
#include "store/views/stand_in.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/tape/tape.h"

/* Members that place a body among others.  A word of them may still be a secret: thread, parent. */
static const struct {
	const char *kind, *members[7];
	const char *text; /* the member that shows the reason … */
	const char *end;  /* … and what ends it */
} kinds[] = {
	{ "message", { "role", "thread", "pinned" }, "content", "" },
	{ "record", { NULL }, "content", "" },
	{ "document", { NULL }, "text", "\n" },
	{ "document.make", { "parent", "folder" }, NULL, "" },
	{ "rename", { "parent" }, NULL, "" },
	{ "retire", { "into" }, NULL, "" },
	{ "session", { NULL }, NULL, "" },
	{ "fact.add", { "save", "confidence", "source", "entry", "supersedes" }, "text", "" },
	{ "fact.retract", { "save", "fact", "by" }, NULL, "" },
	{ "fact.confirm", { "save", "fact", "entry" }, NULL, "" },
	{ "fact.weigh", { "save", "fact", "confidence" }, NULL, "" },
	{ "fact.text", { "save" }, "text", "\n" },
	{ "context", { "op", "from", "to", "ids", "n" }, "text", "" },
};
enum { KINDS = sizeof kinds / sizeof *kinds, OTHER = 1 };

static size_t row_of(const char *kind)
{
	for (size_t i = 0; i < KINDS; i++)
		if (strcmp(kinds[i].kind, kind) == 0)
			return i;
	return OTHER;
}

/* Which message of an agent's it was, or whose conversation a session holds: it is not taken in
 * again. */
static void keep_from(json_t *keep, const json_t *body, secret_fn *secret, void *ctx)
{
	static const char *const members[] = { "agent", "session", "id", "part" };
	json_t *from = json_object_get(body, "from"), *kept = json_object();
	if (!json_is_string(json_object_get(from, "session")))
		from = NULL;
	for (int i = 0; from && kept && i < 4; i++) {
		json_t *value = json_object_get(from, members[i]);
		if (json_is_string(value) ? !secret || !secret(ctx, json_string_value(value),
		                                               json_string_length(value)) :
		    json_is_integer(value))
			(void)json_object_set(kept, members[i], value);
	}
	if (json_object_size(kept) > 0)
		(void)json_object_set(keep, "from", kept);
	json_decref(kept);
}

/* Also a message with an integer of more than 64 bits, among what its writer put there. */
static json_t *read_body(const char *body, size_t len)
{
	json_t *json = json_loadb(body, len, JSON_ALLOW_NUL, NULL);
	if (json)
		return json;
	json = json_loadb(body, len, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, NULL);
	json_t *from = json_object_get(json, "from"), *part = json_object_get(from, "part");
	double number = json_real_value(part); /* 0: none */
	if (number >= 1 && number < INT32_MAX)
		(void)json_object_set_new(from, "part", json_integer((json_int_t)number));
	return json;
}

char *stand_in_keep(const char *kind, const char *body, size_t len, secret_fn *secret, void *ctx)
{
	size_t row = row_of(kind);
	json_t *from = read_body(body, len), *keep = json_object();
	for (int i = 0; keep && i < 7 && kinds[row].members[i]; i++) {
		const char *name = kinds[row].members[i];
		json_t *value = json_object_get(from, name);
		bool mine = value && !json_is_object(value) && !json_is_real(value);
		if (mine && json_is_string(value) && secret)
			mine = !secret(ctx, json_string_value(value), json_string_length(value));
		if (mine)
			(void)json_object_set(keep, name, value);
	}
	if (keep && (strcmp(kind, "message") == 0 || strcmp(kind, "session") == 0))
		keep_from(keep, from, secret, ctx);
	char *text = json_object_size(keep) > 0 ? json_dumps(keep, JSON_COMPACT) : NULL;
	json_decref(from);
	json_decref(keep);
	if (text && strlen(text) > REDACTION_KEEP) {
		free(text);
		text = NULL;
	}
	return text;
}

/* A name for what has none any more; an ending, so that it stays what it was for tools. */
static int give_name(json_t *out, const char *kind, const char *stream, int64_t stream_seq)
{
	char name[64];
	if (json_object_get(out, "name"))
		return 0;
	if (strcmp(kind, "session") == 0)
		(void)snprintf(name, sizeof name, "redacted-s%lld", (long long)stream_seq + 1);
	else if (strcmp(kind, "rename") == 0)
		(void)snprintf(name, sizeof name, "redacted-%.24s.md", stream);
	else if (strcmp(kind, "document.make") == 0)
		(void)snprintf(name, sizeof name, "redacted-d%lld%s", (long long)stream_seq + 1,
		               json_is_true(json_object_get(out, "folder")) ? "" : ".md");
	else
		return 0;
	return json_object_set_new(out, "name", json_string(name));
}

static int show_reason(json_t *out, size_t row, const char *reason)
{
	char text[REDACTION_REASON + 32];
	const char *op = json_string_value(json_object_get(out, "op"));
	bool texts = !op || strcmp(op, "summarize") == 0 || strcmp(op, "digest") == 0;
	(void)snprintf(text, sizeof text, "[redacted: %s]%s", reason, kinds[row].end);
	if (!kinds[row].text || !texts)
		return 0;
	return json_object_set_new(out, kinds[row].text, json_string(text));
}

char *stand_in_body(const char *kind, const char *stream, int64_t stream_seq, const char *redaction,
                    size_t len)
{
	size_t row = row_of(kind);
	json_t *said = json_loadb(redaction, len, 0, NULL);
	const char *reason = json_string_value(json_object_get(said, "reason"));
	const json_t *keep = json_object_get(said, "keep");
	json_t *out = json_is_object(keep) ? json_copy(json_object_get(said, "keep")) : json_object();
	int bad = !out || show_reason(out, row, reason ? reason : "") ||
		give_name(out, kind, stream, stream_seq);
	if (!bad && row <= OTHER)
		bad = json_object_set_new(out, "redacted", json_true());
	char *text = bad ? NULL : json_dumps(out, JSON_COMPACT);
	json_decref(out);
	json_decref(said);
	return text;
}

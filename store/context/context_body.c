/* SPDX-License-Identifier: MIT */
/* Operations as JSON.  What other programs write is read as strictly as our own is written. */
#include "store/context/context_body.h"

#include <jansson.h>
#include <string.h>

#include "store/documents/documents.h"

static const char *const names[] = { [CONTEXT_PRUNE] = "prune", [CONTEXT_RESTORE] = "restore",
	[CONTEXT_PIN] = "pin", [CONTEXT_UNPIN] = "unpin", [CONTEXT_SUMMARIZE] = "summarize",
	[CONTEXT_RESET] = "reset", [CONTEXT_WINDOW] = "window", [CONTEXT_DIGEST] = "digest",
	[CONTEXT_REFER] = "refer" };
enum { NAMES = sizeof names / sizeof *names };

static bool has_text(enum context_verb verb)
{
	return verb == CONTEXT_SUMMARIZE || verb == CONTEXT_DIGEST;
}

static bool is_pin(enum context_verb verb)
{
	return verb == CONTEXT_PIN || verb == CONTEXT_UNPIN;
}

static bool is_blank(const char *text, size_t len)
{
	size_t i = 0;
	while (i < len && strchr(" \t\r\n", text[i]))
		i++;
	return i == len;
}

/* As in a message: a name, or a number above 0, of one of three types. */
static bool is_ref(const json_t *ref)
{
	const char *type = json_string_value(json_object_get(ref, "type"));
	const json_t *to = json_object_get(ref, "ref");
	if (!type || (strcmp(type, "context") != 0 && strcmp(type, "accountant") != 0 &&
	              strcmp(type, "secretary") != 0))
		return false;
	if (json_is_number(to))
		return doc_body_number(to) > 0;
	return json_string_length(to) > 0 && json_string_length(to) < CONTEXT_REF_MOST;
}

static bool are_refs(const json_t *refs)
{
	size_t count = json_array_size(refs);
	for (size_t i = 0; i < count; i++)
		if (!is_ref(json_array_get(refs, i)))
			return false;
	return count > 0 && count <= CONTEXT_REFS_MOST;
}

/* The references of an operation that is to be written; NULL: it has none in due form. */
static json_t *refs_of(const struct context_op *op)
{
	json_t *refs = op->text ? json_loadb(op->text, op->len, 0, NULL) : NULL;
	if (refs && are_refs(refs))
		return refs;
	json_decref(refs);
	return NULL;
}

static bool is_sound_refer(const struct context_op *op)
{
	json_t *refs = refs_of(op);
	bool sound = refs && op->count == 1 && op->range[0].first > 0 &&
		op->range[0].first == op->range[0].last;
	json_decref(refs);
	return sound;
}

bool context_op_is_sound(const struct context_op *op)
{
	if (op->verb == CONTEXT_REFER)
		return is_sound_refer(op);
	if (op->verb == CONTEXT_RESET)
		return true;
	if (op->verb == CONTEXT_WINDOW)
		return op->window >= 0 && op->window <= CONTEXT_WINDOW_MOST;
	if (op->count == 0 || op->count > CONTEXT_RANGES_MOST)
		return false;
	int64_t end = 0;
	for (size_t i = 0; i < op->count; i++) {
		if (op->range[i].first <= end || op->range[i].last < op->range[i].first)
			return false;
		end = op->range[i].last;
	}
	if (!has_text(op->verb))
		return true;
	return op->count == 1 && op->text && op->len <= CONTEXT_TEXT_MOST &&
	       !memchr(op->text, '\0', op->len) && !is_blank(op->text, op->len);
}

char *context_body_make(const struct context_op *op)
{
	json_t *body = json_pack("{s:s}", "op", names[op->verb]);
	bool bad = !body;
	if (op->verb == CONTEXT_WINDOW && op->window > 0) {
		bad |= json_object_set_new(body, "n", json_integer(op->window)) != 0;
	} else if (op->verb == CONTEXT_REFER) {
		bad |= json_object_set_new(body, "message", json_integer(op->range[0].first)) != 0;
		bad |= json_object_set_new(body, "refs", refs_of(op)) != 0;
	} else if (has_text(op->verb)) {
		bad |= json_object_set_new(body, "from", json_integer(op->range[0].first)) != 0;
		bad |= json_object_set_new(body, "to", json_integer(op->range[0].last)) != 0;
		bad |= json_object_set_new(body, "text", json_stringn(op->text, op->len)) != 0;
	} else if (op->verb != CONTEXT_RESET && op->verb != CONTEXT_WINDOW) {
		json_t *ids = json_array();
		for (size_t i = 0; i < op->count; i++)
			bad |= json_array_append_new(ids, json_pack("[II]", (json_int_t)op->range[i].first,
			                                            (json_int_t)op->range[i].last)) != 0;
		bad |= json_object_set_new(body, "ids", ids) != 0;
		if (is_pin(op->verb) && op->agent && *op->agent)
			bad |= json_object_set_new(body, "agent", json_string(op->agent)) != 0;
	}
	char *text = bad ? NULL : json_dumps(body, JSON_COMPACT);
	json_decref(body);
	return text;
}

/* A whole number above 0; else 0. */
static int64_t whole(const json_t *value)
{
	int64_t n = doc_body_number(value);
	return (double)n == json_number_value(value) ? n : 0;
}

static bool read_ids(const json_t *ids, struct context_body *out)
{
	size_t count = json_array_size(ids);
	if (count > CONTEXT_RANGES_MOST)
		return false;
	for (size_t i = 0; i < count; i++) {
		const json_t *pair = json_array_get(ids, i);
		if (json_array_size(pair) != 2)
			return false;
		out->range[i] = (struct context_range){ whole(json_array_get(pair, 0)),
			whole(json_array_get(pair, 1)) };
	}
	out->op.count = count;
	return true;
}

static bool read_window(const json_t *n, struct context_body *out)
{
	int64_t window = whole(n);
	if (n && (window < 1 || window > CONTEXT_WINDOW_MOST))
		return false;
	out->op.window = (int)window;
	return true;
}

static bool read_op(const json_t *json, struct context_body *out)
{
	const char *name = json_string_value(json_object_get(json, "op"));
	const json_t *text = json_object_get(json, "text");
	int verb = 0;
	while (name && verb < NAMES && strcmp(names[verb], name) != 0)
		verb++;
	if (!name || verb == NAMES)
		return false;
	out->op = (struct context_op){ .verb = (enum context_verb)verb, .range = out->range };
	switch (out->op.verb) {
	case CONTEXT_RESET:
		return true;
	case CONTEXT_WINDOW:
		return read_window(json_object_get(json, "n"), out);
	case CONTEXT_SUMMARIZE:
	case CONTEXT_DIGEST:
		out->range[0] = (struct context_range){ whole(json_object_get(json, "from")),
			whole(json_object_get(json, "to")) };
		out->op.count = 1;
		out->op.text = json_string_value(text);
		out->op.len = json_string_length(text);
		return true;
	case CONTEXT_REFER:
		out->range[0].first = out->range[0].last = whole(json_object_get(json, "message"));
		out->op.count = 1;
		out->refs = json_object_get(json, "refs");
		return out->range[0].first > 0 && are_refs(out->refs);
	case CONTEXT_PIN:
	case CONTEXT_UNPIN:
		out->op.agent = json_string_value(json_object_get(json, "agent"));
		return read_ids(json_object_get(json, "ids"), out);
	default:
		return read_ids(json_object_get(json, "ids"), out);
	}
}

bool context_body_read(const char *body, size_t len, struct context_body *out)
{
	json_t *json = body ? json_loadb(body, len, JSON_DECODE_INT_AS_REAL, NULL) : NULL;
	*out = (struct context_body){ .json = json };
	if (json && read_op(json, out) && (out->refs || context_op_is_sound(&out->op)))
		return true;
	json_decref(json);
	return false;
}

void context_body_release(struct context_body *b)
{
	json_decref(b->json);
}

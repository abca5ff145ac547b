/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a write to ctl.  What is taken must keep the rules that the store
 * relies on, and mean the same when it is written in canonical form; a refusal must
 * say on which line, why, and what to do.
 */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "render/render.h"
#include "tests/fuzz/fuzz.h"

/* The references of one command: an array of types and what they refer to, as in a message. */
static json_t *refs_of(const struct context_op *op)
{
	json_t *refs = json_loadb(op->text, op->len, JSON_ALLOW_NUL, NULL);
	MUST(json_is_array(refs) && json_array_size(refs) > 0 && json_array_size(refs) <= CONTEXT_REFS_MOST);
	return refs;
}

static void check_refs(const struct context_op *op)
{
	json_t *refs = refs_of(op), *ref;
	size_t i;
	json_array_foreach (refs, i, ref) {
		const json_t *to = json_object_get(ref, "ref");
		MUST(json_object_size(ref) == 2 && json_string_length(json_object_get(ref, "type")) > 0);
		MUST(json_is_integer(to) ? json_integer_value(to) > 0 : json_string_length(to) > 0);
		MUST(json_string_length(to) < CONTEXT_REF_MOST);
	}
	json_decref(refs);
}

static void tell_refs(const struct context_op *op, struct buf *out)
{
	json_t *refs = refs_of(op), *ref;
	size_t i;
	json_array_foreach (refs, i, ref) {
		const json_t *to = json_object_get(ref, "ref");
		buf_addf(out, " %s:", json_string_value(json_object_get(ref, "type")));
		if (json_is_integer(to))
			buf_addf(out, "%lld", (long long)json_integer_value(to));
		else
			buf_add(out, json_string_value(to), json_string_length(to));
	}
	json_decref(refs);
	buf_addc(out, '\n');
}

static void check_op(const struct context_op *op)
{
	struct why why = { 0 };
	int64_t end = -1;
	MUST(op->line > 0 && op->count <= CONTEXT_RANGES_MOST);
	for (size_t i = 0; i < op->count; i++) {
		MUST(op->range[i].first > end + 1 && op->range[i].first > 0 && op->range[i].last >= op->range[i].first);
		end = op->range[i].last;
	}
	MUST((op->count > 0) == (op->verb != CONTEXT_RESET && op->verb != CONTEXT_WINDOW));
	MUST(op->window >= 0 && op->window <= CONTEXT_WINDOW_MOST && (op->window == 0 || op->verb == CONTEXT_WINDOW));
	MUST((op->len > 0) == (op->verb == CONTEXT_SUMMARIZE || op->verb == CONTEXT_REFER));
	if (op->verb == CONTEXT_REFER) {
		MUST(op->count == 1 && op->range->first == op->range->last);
		check_refs(op);
	} else if (op->len) {
		MUST(op->count == 1 && op->text[op->len - 1] == '\n' && !memchr(op->text, '\n', op->len - 1));
		MUST(render_summary_in(op->text, op->len, &why) == 0);
	}
}

/* The same commands as one would write them. */
static void tell(const struct ctl *c, struct buf *out)
{
	static const char *const names[] = { [CONTEXT_PRUNE] = "prune", [CONTEXT_RESTORE] = "restore",
		[CONTEXT_PIN] = "pin", [CONTEXT_UNPIN] = "unpin", [CONTEXT_SUMMARIZE] = "summarize",
		[CONTEXT_RESET] = "reset", [CONTEXT_WINDOW] = "window", [CONTEXT_REFER] = "refer" };
	for (size_t i = 0; i < c->count; i++) {
		const struct context_op *op = &c->op[i];
		buf_adds(out, names[op->verb]);
		if (op->verb == CONTEXT_REFER) {
			buf_addf(out, " %lld", (long long)op->range->first);
			tell_refs(op, out);
			continue;
		}
		for (size_t k = 0; k < op->count; k++)
			buf_addf(out, " %lld-%lld", (long long)op->range[k].first, (long long)op->range[k].last);
		if (op->verb == CONTEXT_WINDOW && op->window)
			buf_addf(out, " %d", op->window);
		else if (op->verb == CONTEXT_WINDOW)
			buf_adds(out, " auto");
		buf_addc(out, op->len ? ' ' : '\n');
		buf_add(out, op->text, op->len);
	}
}

static void check_back(const struct ctl *c)
{
	struct buf text = BUF_INIT;
	struct ctl back;
	struct why why = { 0 };
	tell(c, &text);
	if (text.len > 0) {
		int rc = render_ctl_in(text.data, text.len, &back, &why);
		MUST(rc == 0 || rc == RENDER_EFBIG); /* 3 has become 3-3 */
		MUST(rc || back.count == c->count);
		for (size_t i = 0; !rc && i < c->count; i++) {
			const struct context_op *a = &c->op[i], *b = &back.op[i];
			MUST(a->verb == b->verb && a->count == b->count && a->window == b->window && a->len == b->len);
			MUST(!a->count || memcmp(a->range, b->range, a->count * sizeof *a->range) == 0);
			MUST(!a->len || memcmp(a->text, b->text, a->len) == 0);
		}
		ctl_release(&back);
	}
	buf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ctl c;
	struct why why = { 0 };
	char *bytes = malloc(size + !size); /* exact, so that reading past the end is seen */
	MUST(bytes);
	memcpy(bytes, data, size);
	int rc = render_ctl_in(bytes, size, &c, &why);
	free(bytes); /* nothing that is kept may point into it */
	MUST(rc == 0 || (why.line > 0 && why.text[0] && why.todo[0]));
	for (size_t i = 0; rc == 0 && i < c.count; i++)
		check_op(&c.op[i]);
	if (rc == 0)
		check_back(&c);
	ctl_release(&c);
	return 0;
}

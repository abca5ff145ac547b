/* SPDX-License-Identifier: MIT */
/* Where things stand in a JSON text that jansson has read (settings.h), and changes there. */
#include "mount/agents/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 4 };

/* A member or element: the text is valid JSON, so nothing is asked twice. */
struct child {
	size_t from, value, to; /* the key or the element, its value, behind it */
	size_t comma;           /* before it; 0: it is the first */
};

static size_t blanks(const char *text, size_t at)
{
	return at + strspn(text + at, " \t\r\n");
}

/* Behind the string that begins at `at`. */
static size_t string_end(const char *text, size_t at)
{
	for (at++; text[at] && text[at] != '"'; at++)
		at += text[at] == '\\';
	return at + 1;
}

/* Behind the value that begins at `at`. */
static size_t value_end(const char *text, size_t at)
{
	int open = 0;
	if (text[at] == '"')
		return string_end(text, at);
	if (text[at] != '{' && text[at] != '[')
		return at + strcspn(text + at, ",]} \t\r\n");
	do {
		if (text[at] == '"') {
			at = string_end(text, at);
			continue;
		}
		open += (text[at] == '{' || text[at] == '[') - (text[at] == '}' || text[at] == ']');
		at++;
	} while (open > 0 && text[at]);
	return at;
}

/* The next child of the container that opens at `open`; all zeros before the first. */
static bool next_child(const char *text, size_t open, struct child *c)
{
	size_t at = blanks(text, c->to ? c->to : open + 1);
	size_t comma = text[at] == ',' ? at : 0;
	if (comma)
		at = blanks(text, at + 1);
	if (text[at] == '}' || text[at] == ']' || !text[at])
		return false;
	*c = (struct child){ .from = at, .value = at, .comma = comma };
	if (text[open] == '{')
		c->value = blanks(text, blanks(text, string_end(text, at)) + 1);
	c->to = value_end(text, c->value);
	return true;
}

static bool find_member(const char *text, size_t open, const char *name, struct child *out)
{
	size_t len = strlen(name);
	*out = (struct child){ 0 };
	while (next_child(text, open, out))
		if (string_end(text, out->from) - out->from == len + 2 &&
		    memcmp(text + out->from + 1, name, len) == 0)
			return true;
	return false;
}

static bool has_child(const char *text, size_t open, struct child *last)
{
	struct child c = { 0 };
	*last = c;
	while (next_child(text, open, &c))
		*last = c;
	return last->to > 0;
}

/* Puts `with` in the place of what stands from..to. */
static int splice(struct settings *s, size_t from, size_t to, const char *with)
{
	size_t len = strlen(with);
	char *text = malloc(s->len - (to - from) + len + 1);
	if (!text)
		return -ENOMEM;
	memcpy(text, s->bytes, from);
	memcpy(text + from, with, len);
	memcpy(text + from + len, s->bytes + to, s->len - to + 1);
	free(s->bytes);
	s->bytes = text;
	s->len += len - (to - from);
	return 0;
}

bool settings_valid(const struct settings *s, struct why *why)
{
	json_error_t e = { .line = 0 };
	if (!s->bytes)
		return true;
	json_t *root = json_loadb(s->bytes, s->len, JSON_REJECT_DUPLICATES, &e);
	bool object = json_is_object(root) && strlen(s->bytes) == s->len;
	if (!object && root)
		why_set(why, "put it there yourself", "not a JSON object");
	else if (!object)
		why_set(why, "put it there yourself", "line %d: %s", e.line, e.text);
	json_decref(root);
	return object;
}

/* ---- in -------------------------------------------------------------------- */

static void indent(FILE *f, int depth)
{
	(void)fprintf(f, "\n%*s", 2 * depth, "");
}

/* The members of path from `at` on, the array with the element in the last. */
static void print_path(FILE *f, const char *const *path, int depth, int at, const char *element)
{
	for (int i = at; i < depth; i++) {
		(void)fprintf(f, "\"%s\": %c", path[i], i + 1 < depth ? '{' : '[');
		indent(f, i + 2);
	}
	(void)fputs(element, f);
	for (int i = depth - 1; i >= at; i--) {
		indent(f, i + 1);
		(void)fputc(i + 1 < depth ? '}' : ']', f);
	}
}

/* Behind the last child of the container that opens there. */
static int append(struct settings *s, size_t open, const char *const *path, int depth, int at,
                  const char *element)
{
	struct child last;
	char *block = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&block, &len);
	if (!f)
		return -ENOMEM;
	bool behind = has_child(s->bytes, open, &last);
	if (behind) {
		(void)fputc(',', f);
		indent(f, at + 1);
	}
	print_path(f, path, depth, at, element);
	int err = fclose(f) ? -ENOMEM : 0;
	size_t where = behind ? last.to : open + 1;
	if (!err)
		err = splice(s, where, where, block);
	free(block);
	return err;
}

static int make(struct settings *s, const char *const *path, int depth, const char *element)
{
	FILE *f = open_memstream(&s->bytes, &s->len);
	if (!f)
		return -ENOMEM;
	(void)fputc('{', f);
	indent(f, 1);
	print_path(f, path, depth, 0, element);
	(void)fputs("\n}\n", f);
	return fclose(f) ? -ENOMEM : 0;
}

int settings_add(struct settings *s, const char *const *path, int depth, const char *element,
                 struct why *why)
{
	struct child c;
	int at = 0;
	if (!s->bytes)
		return make(s, path, depth, element);
	size_t open = blanks(s->bytes, 0);
	for (; at < depth && find_member(s->bytes, open, path[at], &c); at++) {
		open = c.value;
		if (s->bytes[open] == (at + 1 < depth ? '{' : '['))
			continue;
		why_set(why, "put it there yourself", "\"%s\" is %s", path[at],
		        at + 1 < depth ? "no object" : "no array");
		return -EINVAL;
	}
	return append(s, open, path, depth, at, element);
}

/* ---- out ------------------------------------------------------------------- */

/* True if the container goes as well. */
static int take_child(struct settings *s, size_t open, const struct child *c, bool *whole)
{
	struct child next = *c;
	*whole = false;
	if (c->comma)
		return splice(s, c->comma, c->to, "");
	if (next_child(s->bytes, open, &next))
		return splice(s, open + 1, next.comma + 1, "");
	*whole = c->from > open + 1;
	return *whole ? 0 : splice(s, c->from, c->to, "");
}

static bool is_ours(const struct settings *s, const struct child *c, settings_fn *ours, void *ctx)
{
	json_t *element = json_loadb(s->bytes + c->value, c->to - c->value, JSON_DECODE_ANY, NULL);
	bool is = element && ours(element, ctx);
	json_decref(element);
	return is;
}

int settings_take(struct settings *s, const char *const *path, int depth, settings_fn *ours,
                  void *ctx)
{
	size_t open[DEPTH + 1];
	struct child child[DEPTH + 1], c = { 0 };
	bool found = false, whole = true;
	if (!s->bytes || depth > DEPTH)
		return 0;
	open[0] = blanks(s->bytes, 0);
	for (int i = 0; i < depth; i++) {
		if (!find_member(s->bytes, open[i], path[i], &child[i]))
			return 0;
		open[i + 1] = child[i].value;
		if (s->bytes[open[i + 1]] != (i + 1 < depth ? '{' : '['))
			return 0;
	}
	while (next_child(s->bytes, open[depth], &c))
		if (is_ours(s, &c, ours, ctx)) {
			child[depth] = c;
			found = true;
		}
	if (!found)
		return 0;
	int err = 0;
	for (int i = depth; i >= 0 && whole && !err; i--)
		err = take_child(s, open[i], &child[i], &whole);
	if (!err && whole) {
		free(s->bytes);
		*s = (struct settings){ NULL, 0 };
	}
	return err ? err : 1;
}

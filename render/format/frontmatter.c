/* SPDX-License-Identifier: MIT */
/*
 * Reads front matter.  libyaml hands out events; each becomes JSON at once, and
 * the limits are held while it goes, so that hostile text costs no more than
 * its length.
 */
#include "render/format/frontmatter.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "render/format/buf.h"
#include "render/format/codes.h"
#include "render/format/json_key.h"
#include "render/format/utf8.h"
#include "store/base/hash.h"

struct key {
	size_t at, len; /* in the JSON text, with its quotes */
	uint32_t hash;
};

struct frame {
	bool mapping;
	bool value;      /* of a mapping: the key has been read */
	uint32_t members;
	uint32_t keys;   /* where its keys begin in the list of keys */
};

struct maker {
	yaml_parser_t parser;
	struct front *f;
	struct why *why;
	const char *text; /* between the two lines */
	size_t len;
	struct frame stack[FRONT_DEPTH];
	uint32_t depth, values, keys;
	struct key *key; /* FRONT_VALUES of them */
	int key_line;
	bool ended;
};

static int bad(struct why *why, int line, const char *todo, const char *text)
{
	why_set(why, todo, "%s", text);
	if (why)
		why->line = line;
	return RENDER_EINVAL;
}

/* ---- where it is ---- */

size_t front_skip_mark(const char *bytes, size_t len)
{
	return len >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

/* Length of a line `---` with its end, 0 if the line at `at` is another. */
static size_t fence(const char *bytes, size_t len, size_t at)
{
	size_t end = at + 3;
	if (len - at < 3 || memcmp(bytes + at, "---", 3) != 0)
		return 0;
	while (end < len && (bytes[end] == ' ' || bytes[end] == '\t' || bytes[end] == '\r'))
		end++;
	if (end == len)
		return end - at;
	return bytes[end] == '\n' ? end + 1 - at : 0;
}

/* Finds text between the lines; sets where the document's own text begins. */
static int find(struct front *f, const char *bytes, size_t len, const char **text, size_t *size,
                struct why *why)
{
	size_t mark = front_skip_mark(bytes, len);
	size_t open = fence(bytes, len, mark), from = mark + open, at = from;
	int lines = 0;

	f->body = mark;
	*text = NULL;
	if (!open)
		return 0;
	while (at < len) {
		size_t close = fence(bytes, len, at);
		if (close) {
			f->body = at + close;
			*text = bytes + from;
			*size = at - from;
			break;
		}
		const char *newline = memchr(bytes + at, '\n', len - at);
		at = newline ? (size_t)(newline - bytes) + 1 : len;
		lines++;
	}
	if (!*text)
		return bad(why, 1, "end it with a line `---`; for a rule as the first line write ***",
		           "the front matter is not closed");
	if (*size > FRONT_BYTES || lines > FRONT_LINES)
		return bad(why, 1, "move what is long into the text below it",
		           "the front matter is too long: at most 64 KiB and 1,000 lines");
	return 0;
}

/* ---- from events to JSON ---- */

static int line_of(const yaml_event_t *e)
{
	return (int)e->start_mark.line + 2;
}

static int count_value(struct maker *m, int line)
{
	if (m->values == FRONT_VALUES)
		return bad(m->why, line, "move data into the text, or into a file of its own",
		           "the front matter holds more than 4,096 values");
	m->f->lines[m->values++] = line;
	return 0;
}

/* What stands before a value: a comma, or nothing.  Its line is the key's, if it has one. */
static int begin_value(struct maker *m, const yaml_event_t *e)
{
	struct frame *top = m->depth ? &m->stack[m->depth - 1] : NULL;
	int line = line_of(e);
	if (top && top->mapping) {
		line = m->key_line;
		top->value = false;
	} else if (top && top->members++ > 0) {
		buf_addc(&m->f->json, ',');
	}
	return count_value(m, line);
}

static bool same_key(const struct maker *m, const struct key *a, const struct key *b)
{
	return a->hash == b->hash && a->len == b->len &&
	       memcmp(m->f->json.data + a->at, m->f->json.data + b->at, a->len) == 0;
}

static int add_key(struct maker *m, const yaml_event_t *e)
{
	struct frame *top = &m->stack[m->depth - 1];
	struct buf *json = &m->f->json;
	struct key *key = &m->key[m->keys];

	if (m->keys == FRONT_VALUES)
		return count_value(m, line_of(e)); /* a key without room has no value either */
	if (top->members++ > 0)
		buf_addc(json, ',');
	key->at = json->len;
	buf_add_json(json, (const char *)e->data.scalar.value, e->data.scalar.length);
	if (json->failed)
		return RENDER_ENOMEM;
	key->len = json->len - key->at;
	key->hash = hash32_bytes(HASH32_NONE, json->data + key->at, key->len);
	for (uint32_t i = top->keys; i < m->keys; i++) {
		if (!same_key(m, key, &m->key[i]))
			continue;
		why_set(m->why, "name each key once; give several values as a list",
		        "the front matter names the key %.*s twice",
		        key->len > 60 ? 60 : (int)key->len, json->data + key->at);
		if (m->why)
			m->why->line = line_of(e);
		return RENDER_EINVAL;
	}
	m->keys++;
	m->key_line = line_of(e);
	top->value = true;
	buf_addc(json, ':');
	return 0;
}

static int add_scalar(struct maker *m, const yaml_event_t *e)
{
	const char *text = (const char *)e->data.scalar.value;
	size_t len = e->data.scalar.length;
	if (memchr(text, 0, len))
		return bad(m->why, line_of(e), "leave NUL out; text cannot hold it",
		           "a NUL in the front matter");
	if (m->depth == 0)
		return bad(m->why, line_of(e), "write one `key: value` a line, or begin the document "
		           "with a blank line if there is no front matter",
		           "the front matter is not a mapping");
	const struct frame *top = &m->stack[m->depth - 1];
	if (top->mapping && !top->value)
		return add_key(m, e);
	int rc = begin_value(m, e);
	if (!rc)
		front_add_scalar(&m->f->json, text, len,
		                 e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE);
	return rc;
}

static int open_container(struct maker *m, const yaml_event_t *e)
{
	bool mapping = e->type == YAML_MAPPING_START_EVENT;
	if (m->depth == 0 && !mapping)
		return bad(m->why, line_of(e), "write one `key: value` a line",
		           "the front matter is a list, not a mapping");
	if (m->depth > 0 && m->stack[m->depth - 1].mapping && !m->stack[m->depth - 1].value)
		return bad(m->why, line_of(e), "put the key into quotes if it is meant as text",
		           "a list or mapping as a key in the front matter");
	if (m->depth == FRONT_DEPTH)
		return bad(m->why, line_of(e), "flatten it, or give the inner part as text",
		           "the front matter is nested deeper than 8");
	int rc = begin_value(m, e);
	buf_addc(&m->f->json, mapping ? '{' : '[');
	m->stack[m->depth++] = (struct frame){ mapping, false, 0, m->keys };
	return rc;
}

static int close_container(struct maker *m)
{
	const struct frame *top = &m->stack[--m->depth];
	m->keys = top->keys;
	buf_addc(&m->f->json, top->mapping ? '}' : ']');
	return 0;
}

/* Anchors and tags make text mean what it does not say. */
static int check_plain(struct maker *m, const yaml_event_t *e)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;
	if (e->type == YAML_SCALAR_EVENT) {
		anchor = e->data.scalar.anchor;
		tag = e->data.scalar.tag;
	} else if (e->type == YAML_SEQUENCE_START_EVENT) {
		anchor = e->data.sequence_start.anchor;
		tag = e->data.sequence_start.tag;
	} else if (e->type == YAML_MAPPING_START_EVENT) {
		anchor = e->data.mapping_start.anchor;
		tag = e->data.mapping_start.tag;
	}
	if (anchor || e->type == YAML_ALIAS_EVENT)
		return bad(m->why, line_of(e), "write the value out; put text with & or * into quotes",
		           "an anchor or alias (& or *) in the front matter");
	if (tag)
		return bad(m->why, line_of(e), "leave the tag out; put text with ! into quotes",
		           "a tag (!) in the front matter");
	return 0;
}

static int event_take(struct maker *m, const yaml_event_t *e)
{
	int rc = check_plain(m, e);
	if (rc)
		return rc;
	switch (e->type) {
	case YAML_DOCUMENT_START_EVENT:
		return m->ended ? bad(m->why, line_of(e), "leave the line `...` out",
		                      "a second document in the front matter") : 0;
	case YAML_DOCUMENT_END_EVENT:
		m->ended = true;
		return 0;
	case YAML_SCALAR_EVENT:
		return add_scalar(m, e);
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		return open_container(m, e);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		return close_container(m);
	default:
		return 0;
	}
}

/* ---- what libyaml refuses ---- */

static const char *advice(const struct maker *m, size_t line)
{
	const char *at = m->text, *end = m->text + m->len;
	while (line > 0 && at && at < end) {
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? at + 1 : NULL;
		line--;
	}
	while (at && at < end && *at == ' ')
		at++;
	if (at && at < end && *at == '\t')
		return "indent with spaces; YAML takes no tabs";
	return "put text with `: `, ` #` or a leading sign into quotes; write one `key: value` a line";
}

static int broken(struct maker *m)
{
	const yaml_parser_t *p = &m->parser;
	size_t line = p->problem_mark.line;
	if (p->error == YAML_MEMORY_ERROR)
		return RENDER_ENOMEM;
	if (p->error == YAML_READER_ERROR) {
		line = 0;
		for (size_t i = 0; i < m->len && i < p->problem_offset; i++)
			line += m->text[i] == '\n';
	}
	why_set(m->why, advice(m, line), "the front matter is no YAML: %s",
	        p->problem ? p->problem : "it cannot be read");
	if (m->why)
		m->why->line = (int)line + 2;
	return RENDER_EINVAL;
}

static int read_events(struct maker *m)
{
	for (;;) {
		yaml_event_t e;
		if (!yaml_parser_parse(&m->parser, &e))
			return broken(m);
		bool last = e.type == YAML_STREAM_END_EVENT;
		int rc = event_take(m, &e);
		yaml_event_delete(&e);
		if (rc || last)
			return rc;
	}
}

static int read_yaml(struct front *f, const char *text, size_t len, struct why *why)
{
	struct maker m = { .f = f, .why = why, .text = text, .len = len };
	int rc = RENDER_ENOMEM;
	m.key = malloc(FRONT_VALUES * sizeof *m.key);
	f->lines = malloc(FRONT_VALUES * sizeof *f->lines);
	if (m.key && f->lines && yaml_parser_initialize(&m.parser)) {
		yaml_parser_set_encoding(&m.parser, YAML_UTF8_ENCODING);
		yaml_parser_set_input_string(&m.parser, (const unsigned char *)text, len);
		rc = read_events(&m);
		yaml_parser_delete(&m.parser);
	}
	free(m.key);
	return rc;
}

/* The line of a character at which libyaml, by YAML 1.1, ends one, and no editor does; 0: none. */
static int odd_break(const char *text, size_t len)
{
	static const char *const breaks[] = { "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9" };
	const char *first = NULL;
	int line = 2;
	for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
		const char *p = memmem(text, len, breaks[i], strlen(breaks[i]));
		first = p && (!first || p < first) ? p : first;
	}
	for (const char *p = text; first && p < first; p++)
		line += *p == '\n';
	return first ? line : 0;
}

int front_read(struct front *f, const char *bytes, size_t len, struct why *why)
{
	const char *text;
	size_t size = 0;
	*f = (struct front){ BUF_INIT, NULL, 0 };
	int rc = find(f, bytes, len, &text, &size, why);
	int odd = !rc && text ? odd_break(text, size) : 0;
	if (odd)
		rc = bad(why, odd, "put a blank in its place, or write \\u2028 within double quotes",
		         "a line of the front matter holds U+0085, U+2028 or U+2029: YAML ends it there");
	else if (!rc && text)
		rc = read_yaml(f, text, size, why);
	if (!rc && f->json.len == 0) /* nothing, or only comments */
		buf_adds(&f->json, "{}");
	return !rc && f->json.failed ? RENDER_ENOMEM : rc;
}

void front_release(struct front *f)
{
	buf_release(&f->json);
	free(f->lines);
	f->lines = NULL;
}

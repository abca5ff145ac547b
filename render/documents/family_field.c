/* SPDX-License-Identifier: MIT */
/*
 * Typed fields: reads the members a table names, in the table's order, checks
 * each and writes it as the views will read it.  What no table names is kept.
 */
#include <stdlib.h>
#include <string.h>

#include "render/documents/family.h"
#include "render/format/format.h"
#include "render/text/text.h"

enum { SHOWN = 40 }; /* most bytes of an offered value in a refusal */

static int line_of(const struct source *s, uint32_t node)
{
	if (s->lines)
		return s->lines[node];
	int line = 1;
	for (uint32_t i = 0; i < s->j->nodes[node].value.at; i++)
		line += s->j->text[i] == '\n';
	return line;
}

int fields_bad(const struct source *s, uint32_t node, const char *key, const char *todo,
               const char *reason)
{
	why_set(s->why, todo, "%s `%s`: %s", s->yaml ? "key" : "member", key, reason);
	if (s->why)
		s->why->line = node ? line_of(s, node) : 0;
	return RENDER_EINVAL;
}

void fields_key(struct buf *out, const char *key)
{
	if (out->len > 0 && out->data[out->len - 1] != '{')
		buf_addc(out, ',');
	buf_add_json(out, key, strlen(key));
	buf_addc(out, ':');
}

uint32_t fields_member(const struct source *s, const char *key)
{
	uint32_t node = json_member(s->j, 0, key);
	return node && s->j->nodes[node].type == VALUE_NULL ? 0 : node;
}

bool fields_text(const struct source *s, uint32_t node, struct buf *text)
{
	const struct json_node *n = &s->j->nodes[node];
	if (n->type == VALUE_STRING) {
		json_unescape(s->j, n->value, text);
		return true;
	}
	if (!s->yaml || (n->type != VALUE_INTEGER && n->type != VALUE_REAL))
		return false;
	buf_add(text, json_at(s->j, n->value), n->value.len);
	return true;
}

void fields_value(const struct source *s, uint32_t node)
{
	const struct json_node *n = &s->j->nodes[node];
	bool string = n->type == VALUE_STRING, quoted = false;
	const char *at = json_at(s->j, n->value) - string, *end = at + n->value.len + 2 * string;
	const char *from = at;

	for (; at < end; at++) {
		if (*at == '\\' && quoted)
			at++;
		else if (*at == '"')
			quoted = !quoted;
		else if (!quoted && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) {
			buf_add(s->out, from, (size_t)(at - from));
			from = at + 1;
		}
	}
	buf_add(s->out, from, (size_t)(end - from));
}

/* ---- refusals ---- */

static void add_wanted(struct buf *b, const struct field *f)
{
	static const char *const plain[] = {
		[SHAPE_HASH] = "64 hex digits",
		[SHAPE_NAME] = "a name",
		[SHAPE_UNIT] = "a number from 0 to 1",
		[SHAPE_YESNO] = "true or false",
		[SHAPE_TIME] = "a time like 2026-11-20 or 2026-11-20T10:00:00Z",
		[SHAPE_RECORD] = "a mapping",
		[SHAPE_HANDLED] = "text",
	};
	switch (f->shape) {
	case SHAPE_TEXT:
		buf_addf(b, "text of at most %d characters", (int)f->max);
		break;
	case SHAPE_TEXTS:
		buf_addf(b, "a list of texts of at most %d characters", (int)f->max);
		break;
	case SHAPE_CODE:
		buf_addf(b, "letters, digits, '.', '_', '-', at most %d", (int)f->max);
		break;
	case SHAPE_INTEGER:
		buf_addf(b, "an integer from %lld to %lld", (long long)f->min, (long long)f->max);
		break;
	case SHAPE_LINK:
		buf_addf(b, "a number from 1 or text of at most %d characters", (int)f->max);
		break;
	case SHAPE_LINKS:
		buf_addf(b, "a list of numbers from 1 or texts of at most %d characters",
		         (int)f->max);
		break;
	case SHAPE_WORD:
		buf_adds(b, "one of ");
		for (const char *p = f->words; *p; p++)
			buf_adds(b, *p == ' ' ? ", " : (char[]){ *p, 0 });
		break;
	default:
		buf_adds(b, plain[f->shape]);
	}
}

static void add_found(const struct source *s, uint32_t node, struct buf *b)
{
	static const char *const types[] = {
		[VALUE_NULL] = "nothing", [VALUE_FALSE] = "false", [VALUE_TRUE] = "true",
		[VALUE_INTEGER] = "a long number", [VALUE_REAL] = "a long number",
		[VALUE_STRING] = "a long text", [VALUE_ARRAY] = "a list",
		[VALUE_OBJECT] = "a mapping",
	};
	const struct json_node *n = &s->j->nodes[node];
	bool shown = n->value.len <= SHOWN && n->type >= VALUE_INTEGER && n->type <= VALUE_STRING;
	if (!shown) {
		buf_adds(b, types[n->type]);
		return;
	}
	buf_adds(b, n->type == VALUE_STRING ? "\"" : "");
	buf_add(b, json_at(s->j, n->value), n->value.len);
	buf_adds(b, n->type == VALUE_STRING ? "\"" : "");
}

static int wrong(const struct source *s, const struct field *f, uint32_t node)
{
	struct buf reason = BUF_INIT;
	char todo[96];
	buf_adds(&reason, "expected ");
	add_wanted(&reason, f);
	buf_adds(&reason, ", found ");
	add_found(s, node, &reason);
	(void)snprintf(todo, sizeof todo, "correct `%s`, or leave it out", f->key);
	int rc = reason.failed ? RENDER_ENOMEM : fields_bad(s, node, f->key, todo, reason.data);
	buf_release(&reason);
	return rc;
}

/* ---- checks that the value is what the field wants; those of text get the text ---- */

static size_t characters(const struct buf *text)
{
	size_t n = 0;
	for (size_t i = 0; i < text->len; i++)
		n += (text->data[i] & 0xC0) != 0x80;
	return n;
}

static bool is_word(const char *words, const struct buf *text)
{
	size_t len = text->len;
	if (len == 0 || memchr(text->data, ' ', len))
		return false;
	for (const char *at = words; (at = strstr(at, text->data)); at++)
		if ((at == words || at[-1] == ' ') && (at[len] == 0 || at[len] == ' '))
			return true;
	return false;
}

static bool is_hash(const struct buf *text)
{
	return text->len == 64 && strspn(text->data, "0123456789abcdefABCDEF") == 64;
}

static bool is_fine(const struct field *f, const struct buf *text)
{
	switch (f->shape) {
	case SHAPE_WORD:
		return is_word(f->words, text);
	case SHAPE_CODE:
		return code_check(text->data, text->len, (size_t)f->max);
	case SHAPE_HASH:
		return is_hash(text);
	case SHAPE_NAME:
		return render_check_name(text->data, text->len, "session", NULL) == 0;
	case SHAPE_LINK:
	case SHAPE_LINKS:
		return text->len > 0 && characters(text) <= (size_t)f->max;
	default:
		return characters(text) <= (size_t)f->max;
	}
}

/* Adds a text, or for links also a number. */
static int add_text(const struct source *s, const struct field *f, uint32_t node)
{
	const struct json_node *n = &s->j->nodes[node];
	struct buf text = BUF_INIT;
	int rc = 0;
	if ((f->shape == SHAPE_LINK || f->shape == SHAPE_LINKS) && n->type == VALUE_INTEGER) {
		const char *digit = json_at(s->j, n->value);
		if (*digit == '-' || *digit == '0' || n->value.len > 18)
			return wrong(s, f, node);
		fields_value(s, node);
		return 0;
	}
	bool is_text = fields_text(s, node, &text);
	buf_addc(&text, 0); /* so that there is data also for "" */
	text.len -= !text.failed;
	if (text.failed)
		rc = RENDER_ENOMEM;
	else if (!is_text || !is_fine(f, &text))
		rc = wrong(s, f, node);
	else
		buf_add_json(s->out, text.data, text.len);
	buf_release(&text);
	return rc;
}

static int add_list(const struct source *s, const struct field *f, uint32_t node)
{
	if (s->j->nodes[node].type != VALUE_ARRAY)
		return wrong(s, f, node);
	buf_addc(s->out, '[');
	for (uint32_t n = node + 1; n < s->j->nodes[node].next; n = s->j->nodes[n].next) {
		if (n > node + 1)
			buf_addc(s->out, ',');
		int rc = add_text(s, f, n);
		if (rc)
			return rc;
	}
	buf_addc(s->out, ']');
	return 0;
}

static int add_number(const struct source *s, const struct field *f, uint32_t node)
{
	const struct json_node *n = &s->j->nodes[node];
	bool fine = false;
	if (f->shape == SHAPE_INTEGER && n->type == VALUE_INTEGER && n->value.len <= 18) {
		long long v = strtoll(json_at(s->j, n->value), NULL, 10);
		fine = v >= f->min && v <= f->max;
	} else if (f->shape == SHAPE_UNIT &&
	           (n->type == VALUE_INTEGER || n->type == VALUE_REAL)) {
		double v = strtod(json_at(s->j, n->value), NULL);
		fine = v >= 0 && v <= 1;
	}
	if (!fine)
		return wrong(s, f, node);
	fields_value(s, node);
	return 0;
}

static int add_time(const struct source *s, const struct field *f, uint32_t node)
{
	const struct json_node *n = &s->j->nodes[node];
	int64_t time_us;
	if (n->type != VALUE_STRING || !time_read(json_at(s->j, n->value), n->value.len, &time_us))
		return wrong(s, f, node);
	buf_addc(s->out, '"');
	buf_add_time(s->out, time_us);
	buf_addc(s->out, '"');
	return 0;
}

static int add_typed(const struct source *s, const struct field *f, uint32_t node)
{
	enum json_type type = s->j->nodes[node].type;
	switch (f->shape) {
	case SHAPE_TEXTS:
	case SHAPE_LINKS:
		return add_list(s, f, node);
	case SHAPE_INTEGER:
	case SHAPE_UNIT:
		return add_number(s, f, node);
	case SHAPE_TIME:
		return add_time(s, f, node);
	case SHAPE_YESNO:
	case SHAPE_RECORD:
		if (f->shape == SHAPE_RECORD ? type != VALUE_OBJECT
		                             : type != VALUE_TRUE && type != VALUE_FALSE)
			return wrong(s, f, node);
		fields_value(s, node);
		return 0;
	default:
		return add_text(s, f, node);
	}
}

/* ---- the walk ---- */

/* What the path says; the document may repeat it. */
static int add_path(const struct source *s, const struct field *f)
{
	const char *said = f->shape == SHAPE_DIR ? s->d->dir : s->stem;
	uint32_t node = fields_member(s, f->key);
	if (node) {
		struct buf text = BUF_INIT;
		bool same = fields_text(s, node, &text) && text.len == strlen(said) &&
		            (text.len == 0 || memcmp(text.data, said, text.len) == 0);
		bool failed = text.failed;
		buf_release(&text);
		if (failed)
			return RENDER_ENOMEM;
		char reason[NAME_LIMIT + 32];
		(void)snprintf(reason, sizeof reason, "the path says \"%s\"", said);
		if (!same)
			return fields_bad(s, node, f->key, "leave it out, or rename the file", reason);
	}
	fields_key(s->out, f->key);
	buf_add_json(s->out, said, strlen(said));
	return 0;
}

static int add_fallback(const struct source *s, const struct field *f)
{
	const char *value = f->fallback;
	if (!value)
		return 0;
	fields_key(s->out, f->key);
	if (*value == '@') {
		value = strcmp(value, "@dir") == 0 ? s->d->dir : s->stem;
		buf_add_json(s->out, value, strlen(value));
	} else {
		buf_adds(s->out, value);
	}
	return 0;
}

static int add_field(const struct source *s, const struct field *f)
{
	if (f->shape == SHAPE_HANDLED)
		return 0;
	if (f->shape == SHAPE_DIR || f->shape == SHAPE_STEM)
		return add_path(s, f);
	uint32_t node = fields_member(s, f->key), other = f->also ? fields_member(s, f->also) : 0;
	if (node && other)
		return fields_bad(s, other, f->also, "keep one of them",
		                  "it says the same as another key that is there");
	if (!node)
		node = other;
	if (!node)
		return add_fallback(s, f);
	if (f->only && strcmp(f->only, s->d->dir) != 0)
		return fields_bad(s, node, f->key, "leave it out", "it belongs to players (ply)");
	fields_key(s->out, f->key);
	return add_typed(s, f, node);
}

int fields_add(const struct source *s, const struct field *fields, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int rc = add_field(s, &fields[i]);
		if (rc)
			return rc;
	}
	return 0;
}

static bool is_known(const struct source *s, struct json_span key, const struct field *fields,
                     size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (json_is(s->j, key, fields[i].key) ||
		    (fields[i].also && json_is(s->j, key, fields[i].also)))
			return true;
	return false;
}

void fields_add_rest(const struct source *s, const struct field *fields, size_t count,
                     const char *name)
{
	const struct json *j = s->j;
	bool any = false;
	for (uint32_t n = 1; n < j->nodes[0].next; n = j->nodes[n].next) {
		struct json_span key = j->nodes[n].key;
		if (is_known(s, key, fields, count))
			continue;
		if (!any) {
			fields_key(s->out, name);
			buf_addc(s->out, '{');
		}
		buf_adds(s->out, any ? ",\"" : "\"");
		buf_add(s->out, json_at(j, key), key.len);
		buf_adds(s->out, "\":");
		fields_value(s, n);
		any = true;
	}
	buf_adds(s->out, any ? "}" : "");
}

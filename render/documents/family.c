/* SPDX-License-Identifier: MIT */
/*
 * The families of documents: which typed fields each has, and the road from a
 * saved document's bytes to them.  The bytes themselves are kept elsewhere, as
 * they are; here they are only judged.
 */
#include "render/documents/family.h"

#include <stdlib.h>
#include <string.h>

#include "render/documents/documents.h"
#include "render/format/format.h"

enum { CODE_MOST = 50, NAME_MOST = 200, TEXT_MOST = 2000, WHO_MOST = 128 };

#define STATUS "active inactive deprecated"

static const struct field section_fields[] = {
	{ .key = "section", .shape = SHAPE_STEM },
};

static const struct field block_fields[] = {
	{ .key = "category", .shape = SHAPE_DIR },
	{ .key = "code", .shape = SHAPE_STEM },
	{ .key = "name", .shape = SHAPE_TEXT, .max = NAME_MOST, .fallback = "@stem" },
	{ .key = "block_type", .shape = SHAPE_TEXT, .max = 50 },
	{ .key = "priority", .shape = SHAPE_INTEGER, .min = INT32_MIN, .max = INT32_MAX,
	  .fallback = "50" },
	{ .key = "status", .shape = SHAPE_WORD, .words = STATUS, .fallback = "\"active\"" },
	{ .key = "owner_id", .also = "owner", .shape = SHAPE_TEXT, .max = WHO_MOST },
	{ .key = "session_hash", .shape = SHAPE_HASH },
	/* When context.md leaves it out: the tool was used, the last output had the format, the
	   session's first answer was right. */
	{ .key = "for_tool", .shape = SHAPE_TEXT, .max = WHO_MOST },
	{ .key = "for_format", .shape = SHAPE_WORD, .words = "text markdown json" },
	{ .key = "examples", .shape = SHAPE_YESNO },
	{ .key = "scope", .shape = SHAPE_HANDLED },
	{ .key = "server_code", .shape = SHAPE_HANDLED },
	{ .key = "agent_code", .shape = SHAPE_HANDLED },
	{ .key = "session", .shape = SHAPE_HANDLED },
};

static const struct field memory_fields[] = {
	{ .key = "type", .shape = SHAPE_DIR },
	{ .key = "key", .shape = SHAPE_STEM },
	{ .key = "summary", .shape = SHAPE_TEXT, .max = 500 },
	{ .key = "importance", .shape = SHAPE_UNIT, .fallback = "0.5" },
	{ .key = "confidence", .shape = SHAPE_UNIT, .fallback = "1.0" },
	{ .key = "tags", .shape = SHAPE_TEXTS, .max = 100 },
	{ .key = "expires_at", .shape = SHAPE_TIME },
	{ .key = "status", .shape = SHAPE_WORD, .words = "active superseded expired deleted",
	  .fallback = "\"active\"" },
	{ .key = "superseded_by", .shape = SHAPE_LINK, .max = 255 },
	{ .key = "related_to", .shape = SHAPE_LINKS, .max = 255 },
	{ .key = "source", .shape = SHAPE_TEXT, .max = 255 },
	{ .key = "source_hash", .shape = SHAPE_HASH },
	{ .key = "session", .shape = SHAPE_NAME },
	{ .key = "session_hash", .shape = SHAPE_HASH },
	{ .key = "block_hash", .shape = SHAPE_HASH },
	{ .key = "owner_type", .shape = SHAPE_WORD, .words = "user agent system" },
	{ .key = "owner_id", .also = "owner", .shape = SHAPE_TEXT, .max = WHO_MOST },
	{ .key = "embedding_model", .shape = SHAPE_TEXT, .max = 50 },
	{ .key = "metadata", .shape = SHAPE_RECORD },
};

static const struct field component_fields[] = {
	{ .key = "table", .shape = SHAPE_DIR },
	{ .key = "code", .shape = SHAPE_STEM },
	{ .key = "name", .shape = SHAPE_TEXT, .max = NAME_MOST, .fallback = "@stem" },
	{ .key = "description", .shape = SHAPE_TEXT, .max = TEXT_MOST },
	{ .key = "parent", .shape = SHAPE_CODE, .max = CODE_MOST },
	{ .key = "status", .shape = SHAPE_WORD, .words = STATUS, .fallback = "\"active\"" },
	{ .key = "tags", .shape = SHAPE_TEXTS, .max = 100 },
	{ .key = "claims_uid", .shape = SHAPE_INTEGER, .max = UINT32_MAX - 1, .only = "ply" },
	{ .key = "claims_program", .shape = SHAPE_TEXT, .max = 255, .only = "ply" },
};

static const struct field algorithm_fields[] = {
	{ .key = "code", .shape = SHAPE_DIR },
	{ .key = "version", .shape = SHAPE_STEM },
	{ .key = "name", .shape = SHAPE_TEXT, .max = 100, .fallback = "@dir" },
	{ .key = "description", .shape = SHAPE_TEXT, .max = TEXT_MOST },
	{ .key = "status", .shape = SHAPE_WORD, .words = "draft active experiment deprecated",
	  .fallback = "\"draft\"" },
	{ .key = "parent_version", .shape = SHAPE_CODE, .max = 64 },
	{ .key = "enabled", .shape = SHAPE_YESNO },
	{ .key = "activated_at", .shape = SHAPE_TIME },
	{ .key = "deprecated_at", .shape = SHAPE_TIME },
	{ .key = "metrics", .shape = SHAPE_RECORD },
	{ .key = "config", .shape = SHAPE_RECORD },
};

/* What follows `ambient` are defaults for the session's messages, named as there. */
static const struct field session_fields[] = {
	{ .key = "session", .shape = SHAPE_DIR },
	{ .key = "title", .shape = SHAPE_TEXT, .max = NAME_MOST },
	{ .key = "purpose", .shape = SHAPE_TEXT, .max = TEXT_MOST },
	{ .key = "ambient", .shape = SHAPE_RECORD },
	{ .key = "role", .shape = SHAPE_WORD, .words = "user assistant system tool" },
	{ .key = "thread", .shape = SHAPE_NAME },
	{ .key = "owner", .shape = SHAPE_TEXT, .max = 255 },
	{ .key = "players", .shape = SHAPE_TEXTS, .max = 255 },
	{ .key = "master_player", .shape = SHAPE_TEXT, .max = 255 },
	{ .key = "hashtags", .shape = SHAPE_TEXTS, .max = 255 },
	{ .key = "flag", .shape = SHAPE_TEXT, .max = 255 },
	{ .key = "master_item", .shape = SHAPE_TEXT, .max = 255 },
	{ .key = "items", .shape = SHAPE_TEXTS, .max = 255 },
	{ .key = "location", .shape = SHAPE_TEXT, .max = 255 },
};

static const struct field answer_fields[] = {
	{ .key = "asked", .shape = SHAPE_STEM },
	{ .key = "source", .shape = SHAPE_TEXT, .max = 255 },
};

#define TABLE(fields) { fields, sizeof(fields) / sizeof(fields)[0] }

static const struct table {
	const struct field *fields;
	size_t count;
} tables[] = {
	[FAMILY_SECTION] = TABLE(section_fields),     [FAMILY_IDENTITY] = TABLE(section_fields),
	[FAMILY_BLOCK] = TABLE(block_fields),         [FAMILY_MEMORY] = TABLE(memory_fields),
	[FAMILY_COMPONENT] = TABLE(component_fields), [FAMILY_ALGORITHM] = TABLE(algorithm_fields),
	[FAMILY_SESSION] = TABLE(session_fields),     [FAMILY_NOTE] = { NULL, 0 },
	[FAMILY_ANSWER] = TABLE(answer_fields),
};

enum { OTHER_SECTION_MOST = 2000 };

/* Most tokens of such a document; 0: only DOCUMENT_LIMIT holds. */
static int64_t tokens_most(const struct document *d)
{
	static const struct {
		const char *name;
		int64_t most;
	} limits[] = {
		{ "identity.md", 2000 },     { "user_profile.md", 1500 },
		{ "project_context.md", 5000 }, { "current_task.md", 3000 },
		{ "agent_notes.md", 2000 },
	};
	if (d->family != FAMILY_SECTION && d->family != FAMILY_IDENTITY)
		return 0;
	if (d->tokens_most > 0)
		return d->tokens_most;
	for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
		if (strcmp(d->name, limits[i].name) == 0)
			return limits[i].most;
	return OTHER_SECTION_MOST;
}

static int check_size(size_t len, struct why *why)
{
	if (len <= DOCUMENT_LIMIT)
		return 0;
	why_set(why, "split it, or keep the data elsewhere and name the file",
	        "the document has %zu bytes, at most %d are taken", len, DOCUMENT_LIMIT);
	return RENDER_EFBIG;
}

static int check_text(const char *bytes, size_t len, struct why *why)
{
	int line = 1;
	for (size_t i = 0; i < len;) {
		unsigned char c = (unsigned char)bytes[i];
		size_t n = c == 0 ? 0 : utf8_size(bytes + i, len - i);
		line += c == '\n';
		i += n;
		if (n > 0)
			continue;
		why_set(why, c ? "save the text as UTF-8 (`iconv -t UTF-8`); other bytes may go to "
		                 "notes/" : "leave NUL bytes out; other bytes may go to notes/",
		        c ? "invalid UTF-8 at byte %zu (0x%02x)" : "a NUL byte at byte %zu",
		        i + 1, c);
		if (why)
			why->line = line;
		return RENDER_EINVAL;
	}
	return 0;
}

static int check_tokens(const struct document *d, int64_t tokens, struct why *why)
{
	int64_t most = tokens_most(d);
	if (most == 0 || tokens <= most)
		return 0;
	why_set(why, "shorten it, or move parts to notes/ or memories/",
	        "%s has %lld tokens, at most %lld", d->name, (long long)tokens, (long long)most);
	return RENDER_EFBIG;
}

/* What only this family has, besides the fields of its table. */
static int add_own(const struct source *s, const char *text, size_t len, int64_t tokens)
{
	switch (s->d->family) {
	case FAMILY_SECTION:
	case FAMILY_IDENTITY:
		buf_addf(s->out, ",\"tokens\":%lld", (long long)tokens);
		if (strcmp(s->d->name, "current_task.md") == 0) {
			int64_t done, total;
			render_subtasks(text, len, &done, &total);
			buf_addf(s->out, ",\"subtasks\":{\"done\":%lld,\"total\":%lld}",
			         (long long)done, (long long)total);
		}
		return 0;
	case FAMILY_BLOCK:
		return scope_add(s);
	case FAMILY_ALGORITHM:
		/* Without `config` the file itself is it, but for the members known here. */
		return config_check(s, fields_member(s, "config"));
	default:
		return 0;
	}
}

static int add_all(const struct source *s, const char *text, size_t len, int64_t tokens)
{
	const struct table *t = &tables[s->d->family];
	buf_addc(s->out, '{');
	int rc = fields_add(s, t->fields, t->count);
	if (!rc)
		rc = add_own(s, text, len, tokens);
	if (rc)
		return rc;
	bool is_config = s->d->family == FAMILY_ALGORITHM && !fields_member(s, "config");
	fields_add_rest(s, t->fields, t->count, is_config ? "config" : "extra");
	buf_addc(s->out, '}');
	return 0;
}

static void set_stem(struct source *s)
{
	const char *dot = strrchr(s->d->name, '.');
	size_t len = dot ? (size_t)(dot - s->d->name) : strlen(s->d->name);
	if (len > NAME_LIMIT)
		len = NAME_LIMIT;
	memcpy(s->stem, s->d->name, len);
	s->stem[len] = '\0';
}

static int read_markdown(struct source *s, const char *bytes, size_t len, int64_t tokens)
{
	struct front f;
	struct json j;
	int rc = front_read(&f, bytes, len, s->why);
	if (!rc) {
		rc = json_read(&j, f.json.data, f.json.len, FRONT_DEPTH, s->why);
		s->j = &j;
		s->lines = f.lines;
		s->yaml = true;
		if (!rc)
			rc = add_all(s, bytes + f.body, len - f.body, tokens);
		json_release(&j);
	}
	front_release(&f);
	return rc;
}

/* The JSON reader knows bytes, people know lines. */
static void set_line(struct why *why, const char *text, size_t len)
{
	const char *at = strstr(why->text, "at byte ");
	size_t byte = at ? strtoul(at + strlen("at byte "), NULL, 10) : 0;
	if (byte == 0)
		return;
	why->line = 1;
	for (size_t i = 0; i < len && i + 1 < byte; i++)
		why->line += text[i] == '\n';
}

static int read_json(struct source *s, const char *bytes, size_t len)
{
	static const char todo[] = "write one JSON object; `jq .` shows where it is broken";
	size_t mark = front_skip_mark(bytes, len);
	struct json j;
	int rc = json_read(&j, bytes + mark, len - mark, DEPTH_LIMIT, s->why);
	if (rc == RENDER_EINVAL && s->why) {
		(void)snprintf(s->why->todo, sizeof s->why->todo, "%s", todo);
		set_line(s->why, bytes + mark, len - mark);
	}
	s->j = &j;
	if (!rc && j.nodes[0].type != VALUE_OBJECT) {
		why_set(s->why, todo, "the file is not a JSON object");
		rc = RENDER_EINVAL;
	}
	if (!rc)
		rc = add_all(s, NULL, 0, 0);
	json_release(&j);
	return rc;
}

/* All that is read of a note, which may be anything: whether its front matter retires it. */
static bool note_is_retired(const char *bytes, size_t len)
{
	struct why why;
	struct front f;
	struct json j;
	bool retired = false;
	if (len < 4 || strncmp(bytes + front_skip_mark(bytes, len), "---", 3) != 0 ||
	    !memmem(bytes, len < FRONT_BYTES ? len : FRONT_BYTES, "retired", strlen("retired")))
		return false;
	if (check_text(bytes, len, &why))
		return false;
	if (front_read(&f, bytes, len, &why) == 0) {
		if (json_read(&j, f.json.data, f.json.len, FRONT_DEPTH, &why) == 0) {
			uint32_t status = json_member(&j, 0, "status");
			retired = status && j.nodes[status].type == VALUE_STRING &&
			          json_is(&j, j.nodes[status].value, "retired");
		}
		json_release(&j);
	}
	front_release(&f);
	return retired;
}

int render_document_in(const struct document *d, const char *bytes, size_t len,
                       count_tokens_fn *count, struct buf *fields, struct why *why)
{
	struct source s = { .d = d, .out = fields, .why = why };
	size_t from = fields->len;
	int64_t tokens = 0;
	int rc = check_size(len, why);
	if (rc)
		return rc;
	if (!bytes)
		bytes = ""; /* an empty document's */
	if (d->family == FAMILY_NOTE) {
		buf_adds(fields, note_is_retired(bytes, len) ? "{\"status\":\"retired\"}" : "{}");
		return fields->failed ? RENDER_ENOMEM : 0;
	}
	rc = check_text(bytes, len, why);
	if (!rc && tokens_most(d) > 0) {
		tokens = count(bytes, len);
		rc = tokens < 0 ? RENDER_ENOMEM : check_tokens(d, tokens, why);
	}
	set_stem(&s);
	if (!rc)
		rc = d->family == FAMILY_ALGORITHM ? read_json(&s, bytes, len)
		                                   : read_markdown(&s, bytes, len, tokens);
	if (!rc && fields->failed)
		rc = RENDER_ENOMEM;
	if (rc == RENDER_ENOMEM)
		why_set(why, "try again", "out of memory");
	if (rc && !fields->failed)
		(void)buf_resize(fields, from);
	return rc;
}

/* SPDX-License-Identifier: MIT */
/*
 * Saves any bytes as a document of any family.  The first byte chooses the
 * family, all else is the document.  What is taken must give fields that
 * another reader takes for JSON and name no thing twice; a version's entry must
 * give the bytes back; a refusal must say why and leave nothing behind.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "render/format/frontmatter.h"
#include "render/render.h"
#include "store/store.h"
#include "tests/fuzz/fuzz.h"

static const struct document documents[] = {
	{ FAMILY_BLOCK, "rules", "house.md", 0 },      { FAMILY_MEMORY, "preference", "coffee.md", 0 },
	{ FAMILY_COMPONENT, "itm", "cup.md", 0 },      { FAMILY_COMPONENT, "ply", "ana.md", 0 },
	{ FAMILY_SECTION, "", "current_task.md", 0 },  { FAMILY_SESSION, "monday", "session.md", 0 },
	{ FAMILY_ALGORITHM, "score", "1.0.json", 0 },  { FAMILY_NOTE, "", "foo.md", 0 },
};

static json_t *load(const char *text, size_t len)
{
	return json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
}

static void check_body(const char *fields, const char *bytes, size_t len)
{
	struct buf body = BUF_INIT;
	struct version_text v = { fields, bytes, len, 1, 2, 3, "ab", NULL };
	render_version_body(&body, &v);
	MUST(!body.failed && !memchr(body.data, '\n', body.len));
	json_t *read = load(body.data, body.len);
	MUST(read);
	json_t *text = json_object_get(read, "text");
	if (text) {
		MUST(json_string_length(text) == len);
		MUST(memcmp(json_string_value(text), bytes, len) == 0);
	} else {
		MUST(json_string_length(json_object_get(read, "base64")) == (len + 2) / 3 * 4);
	}
	json_decref(read);
	buf_release(&body);
}

static void check_changes(const char *bytes, size_t len)
{
	int64_t plus, minus, plus_back, minus_back;
	size_t half = len / 2;
	render_line_changes(bytes, half, bytes + half, len - half, &plus, &minus);
	render_line_changes(bytes + half, len - half, bytes, half, &plus_back, &minus_back);
	MUST(plus >= 0 && minus >= 0 && plus == minus_back && minus == plus_back);
	render_line_changes(bytes, len, bytes, len, &plus, &minus);
	MUST(plus == 0 && minus == 0);
}

/* Any bytes may be asked for as a name; what is memory is free of what ends a line or a path. */
static void check_names(const char *bytes, size_t len)
{
	char *name = strndup(bytes, len);
	MUST(name);
	for (int f = FAMILY_SECTION; f <= FAMILY_NOTE; f++)
		if (render_is_document((enum family)f, name) || render_is_folder((enum family)f, name))
			MUST(*name && *name != '.' && *name != '#' && strlen(name) <= NAME_LIMIT &&
			     !strpbrk(name, "/\n\r\t\x1B\x7F"));
	free(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	const struct document *d = &documents[data[0] % (sizeof documents / sizeof documents[0])];
	size_t len = size - 1;
	char *bytes = malloc(len + !len); /* exact, so that reading past the end is seen */
	struct buf fields = BUF_INIT;
	struct why why = { 0 };
	MUST(bytes);
	memcpy(bytes, data + 1, len);
	int rc = render_document_in(d, bytes, len, store_token_count, &fields, &why);
	MUST(rc == 0 || (why.text[0] && why.todo[0] && fields.len == 0));
	if (rc == 0) {
		json_t *read = load(fields.data, fields.len);
		MUST(read);
		json_decref(read);
		check_body(fields.data, bytes, len);
	}
	check_changes(bytes, len);
	check_names(bytes, len);
	buf_release(&fields);
	free(bytes);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* What session.md says of every message of its session that does not say it itself. */
#include <string.h>

#include "render/documents/documents.h"
#include "render/format/format.h"

static int64_t no_tokens(const char *text, size_t len)
{
	(void)text, (void)len;
	return 0;
}

/* The typed fields of session.md that are members of messages too. */
static void pick(struct buf *out, const struct json *j)
{
	static const char *const members[] = { "role", "thread", "owner", "players", "master_player",
		"hashtags", "flag", "master_item", "items", "location", "ambient" };
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		uint32_t at = json_member(j, 0, members[i]);
		if (!at)
			continue;
		bool text = j->nodes[at].type == VALUE_STRING;
		buf_addf(out, "%s\"%s\":%s", out->len ? "," : "{", members[i], text ? "\"" : "");
		buf_add(out, json_at(j, j->nodes[at].value), j->nodes[at].value.len);
		buf_adds(out, text ? "\"" : "");
	}
	if (out->len)
		buf_addc(out, '}');
}

void render_session_defaults(struct buf *out, const char *bytes, size_t len)
{
	const struct document d = { FAMILY_SESSION, "", "session.md", 0 };
	struct buf fields = BUF_INIT;
	struct why why;
	struct json j;
	if (render_document_in(&d, bytes, len, no_tokens, &fields, &why) == 0 && !fields.failed) {
		if (json_read(&j, fields.data, fields.len, DEPTH_LIMIT, &why) == 0)
			pick(out, &j);
		json_release(&j);
	}
	buf_release(&fields);
}

void render_session_talk(struct buf *defaults, const struct talk *t)
{
	if (!*t->agent && !*t->session)
		return;
	if (defaults->len > 0)
		defaults->data[--defaults->len] = '\0'; /* the brace: more follows */
	buf_adds(defaults, defaults->len > 0 ? "," : "{");
	render_talk(defaults, t);
	buf_addc(defaults, '}');
}

/* SPDX-License-Identifier: MIT */
/* What the document of a player claims: a user, a program. */
#include <stdlib.h>
#include <string.h>

#include "render/documents/documents.h"
#include "render/format/format.h"

static int64_t no_tokens(const char *text, size_t len)
{
	(void)text, (void)len;
	return 0;
}

static void read_claim(const struct json *j, int64_t *uid, char program[64])
{
	uint32_t number = json_member(j, 0, "claims_uid"), text = json_member(j, 0, "claims_program");
	if (number && j->nodes[number].type == VALUE_INTEGER)
		*uid = strtoll(json_at(j, j->nodes[number].value), NULL, 10);
	if (text && j->nodes[text].type == VALUE_STRING) {
		struct buf name = BUF_INIT;
		json_unescape(j, j->nodes[text].value, &name);
		if (!name.failed && name.data)
			(void)snprintf(program, 64, "%s", name.data);
		buf_release(&name);
	}
}

bool render_claim(const char *name, const char *bytes, size_t len, int64_t *uid,
                  char program[64])
{
	const struct document d = { FAMILY_COMPONENT, "ply", name, 0 };
	struct buf fields = BUF_INIT;
	struct why why;
	struct json j;
	*uid = -1;
	program[0] = '\0';
	if (render_document_in(&d, bytes, len, no_tokens, &fields, &why) == 0 && !fields.failed) {
		if (json_read(&j, fields.data, fields.len, DEPTH_LIMIT, &why) == 0)
			read_claim(&j, uid, program);
		json_release(&j);
	}
	buf_release(&fields);
	return *uid >= 0 || *program;
}

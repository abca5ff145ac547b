/* SPDX-License-Identifier: MIT */
/* What a user said in a message. */
#include "render/format/format.h"
#include "render/logs/logs.h"

bool render_user_content(struct buf *out, const struct entry *e)
{
	struct json j;
	const struct json *body = json_read_body(&j, e, out);
	bool user = false;
	if (body) {
		uint32_t role = json_member(body, 0, "role"), text = json_member(body, 0, "content");
		user = role && body->nodes[role].type == VALUE_STRING &&
		       json_is(body, body->nodes[role].value, "user") && text &&
		       body->nodes[text].type == VALUE_STRING;
		if (user)
			json_unescape(body, body->nodes[text].value, out);
	}
	if (e->body)
		json_release(&j);
	return user && !out->failed;
}

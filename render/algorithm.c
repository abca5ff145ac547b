/* SPDX-License-Identifier: MIT */
/* The status of an algorithm's version: read it, and retire it when another is activated. */
#include <string.h>

#include "render/json.h"
#include "render/render.h"

/* The value of the member "status"; 0: none, or no JSON object. */
static uint32_t status_of(struct json *j, const char *bytes, size_t len)
{
	struct why why;
	if (json_read(j, bytes, len, DEPTH_LIMIT, &why) || j->nodes[0].type != VALUE_OBJECT)
		return 0;
	uint32_t at = json_member(j, 0, "status");
	return at && j->nodes[at].type == VALUE_STRING ? at : 0;
}

bool render_algorithm_active(const char *bytes, size_t len)
{
	struct json j;
	uint32_t at = status_of(&j, bytes, len);
	bool active = at && json_is(&j, j.nodes[at].value, "active");
	json_release(&j);
	return active;
}

void render_algorithm_retire(struct buf *out, const char *bytes, size_t len)
{
	struct json j;
	uint32_t at = status_of(&j, bytes, len);
	struct json_span s = at ? j.nodes[at].value : (struct json_span){ (uint32_t)len, 0, false };
	buf_add(out, bytes, s.at);
	if (at)
		buf_adds(out, "deprecated");
	buf_add(out, bytes + s.at + s.len, len - s.at - s.len);
	json_release(&j);
}

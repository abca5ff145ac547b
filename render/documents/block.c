/* SPDX-License-Identifier: MIT */
/* A block: as a part of the page of all active ones, and if it is one of these. */
#include <string.h>

#include "render/documents/documents.h"
#include "render/format/format.h"

void render_block(struct buf *out, const char *category, const char *code, const char *name,
                  const char *text, size_t len)
{
	while (len > 0 && (*text == '\n' || *text == '\r')) {
		text++;
		len--;
	}
	while (len > 0 && strchr(" \t\r\n", text[len - 1]))
		len--;
	buf_addf(out, "%s## %s/%s%s%s\n\n", out->len ? "\n" : "", category, code, *name ? ": " : "",
	         name);
	buf_add(out, text, len);
	buf_addc(out, '\n');
}

bool render_block_active(const struct buf *fields)
{
	struct json j;
	if (!fields->data)
		return false;
	bool active = false;
	if (json_read(&j, fields->data, fields->len, DEPTH_LIMIT, NULL) == 0) {
		uint32_t n = json_member(&j, 0, "status");
		active = n && json_is(&j, j.nodes[n].value, "active");
	}
	json_release(&j);
	return active;
}

/* SPDX-License-Identifier: MIT */
/* A line of refs.jsonl: what a message stood on. */
#include <string.h>

#include "render/format/format.h"
#include "render/logs/logs.h"

static void add_text(struct buf *out, const char *member, const char *value)
{
	buf_addf(out, ",\"%s\":", member);
	if (*value)
		buf_add_json(out, value, strlen(value));
	else
		buf_adds(out, "null");
}

void render_ref(struct buf *out, const struct ref *ref)
{
	buf_addf(out, "{\"id\":%lld,\"message\":%lld", (long long)ref->id,
	         (long long)ref->message);
	add_text(out, "message_hash", ref->message_hash);
	add_text(out, "ref_hash", ref->ref_hash);
	add_text(out, "ref_type", ref->ref_type);
	buf_addf(out, ",\"position\":%lld", (long long)ref->position);
	add_text(out, "thread_hash", ref->thread_hash);
	buf_adds(out, "}\n");
}

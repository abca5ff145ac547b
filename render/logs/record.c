/* SPDX-License-Identifier: MIT */
/*
 * An offered line of records/accountant.jsonl or secretary.jsonl to the body of
 * a tape entry.  Any object will do: what a ledger's line says is its keeper's.
 */
#include <string.h>

#include "render/format/format.h"
#include "render/logs/logs.h"
#include "render/logs/offered.h"

/* What the system adds around the members of any line (docs/format.md, "Records"). */
enum { FRAME_LEAST = 150 };

static bool is_owned(const struct json *j, struct json_span key)
{
	static const char *const names[] = { "id", "timestamp", "author", "source", "prev_hash",
		"hash" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if ((key.escaped || key.len == strlen(names[i])) && json_is(j, key, names[i]))
			return true;
	return false;
}

static void make_body(struct buf *out, const struct json *j)
{
	size_t start = out->len;
	uint32_t owned = 0, others = 0;
	for (uint32_t n = 1; n < j->nodes[0].next; n = j->nodes[n].next) {
		if (is_owned(j, j->nodes[n].key))
			owned++;
		else
			others++;
	}
	/* An object of a million blanks would shrink: then there is a member to pad after. */
	bool source = owned > 0 || (others == 0 && j->len > FRAME_LEAST);
	buf_addc(out, '{');
	if (source) {
		offered_members(out, j, is_owned, false);
		buf_adds(out, others ? ",\"source\":{" : "\"source\":{");
		offered_members(out, j, is_owned, true);
		buf_addc(out, '}');
	} else {
		offered_inner(out, j);
	}
	/* A line never shrinks (docs/format.md): whitespace left out above is made up for. */
	if (j->len > FRAME_LEAST)
		offered_pad(out, start + j->len - FRAME_LEAST);
	buf_addc(out, '}');
}

int render_record_in(const char *line, size_t len, struct buf *body, struct why *why)
{
	struct json j;
	int rc = offered_check(line, len, "append one JSON object a line, as jq -c . writes it", why);
	if (rc)
		return rc;
	rc = json_read(&j, line, len, DEPTH_LIMIT, why);
	if (!rc)
		make_body(body, &j);
	json_release(&j);
	if (!rc && body->failed)
		rc = RENDER_ENOMEM;
	if (rc == RENDER_ENOMEM)
		why_set(why, "try again", "out of memory");
	return rc;
}

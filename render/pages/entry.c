/* SPDX-License-Identifier: MIT */
/* .cinta/by-hash/HASH: an entry, and where its text stands. */
#include "render/format/format.h"
#include "render/pages/pages.h"

void render_entry_page(struct buf *out, const struct entry *e, const struct entry_place *at)
{
	char name[NAME_LIMIT * 4 + 1];
	buf_addf(out, "entry: %lld\n", (long long)e->seq);
	render_name(name, sizeof name, at->file);
	buf_addf(out, "file: %s\n", name);
	if (at->line > 0) {
		render_name(name, sizeof name, at->log);
		buf_addf(out, "line: %lld of %s\n", (long long)at->line, name);
	}
	buf_addf(out, "kind: %s\ntime: ", e->kind);
	buf_add_time(out, e->time_us);
	buf_addf(out, "\nauthor: %s\nhash: ", e->author);
	buf_add_hex(out, e->leaf_hash, HASH_SIZE);
	buf_adds(out, "\n\n");
	if (e->body)
		buf_add(out, e->body, e->body_len);
	else
		buf_adds(out, DAMAGED_TEXT);
	buf_addc(out, '\n');
}

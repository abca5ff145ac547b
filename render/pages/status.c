/* SPDX-License-Identifier: MIT */
/* .cinta/status.json, for monitors: one member a line, so that grep serves as well. */
#include <string.h>

#include "render/context/context.h"
#include "render/format/format.h"
#include "render/pages/pages.h"
#include "render/vectors/vectors.h"

static void add_text(struct buf *out, const char *member, const char *value)
{
	buf_addf(out, "  \"%s\": ", member);
	buf_add_json(out, value, strlen(value));
	buf_adds(out, ",\n");
}

static void add_number(struct buf *out, const char *member, int64_t value)
{
	buf_addf(out, "  \"%s\": %lld,\n", member, (long long)value);
}

/* null for 0 */
static void add_time(struct buf *out, int64_t time_us)
{
	if (time_us) {
		buf_addc(out, '"');
		buf_add_time(out, time_us);
		buf_addc(out, '"');
	} else {
		buf_adds(out, "null");
	}
	buf_adds(out, ",\n");
}

static void add_embedding(struct buf *out, const struct embedding_status *e)
{
	buf_adds(out, "  \"embedding\": ");
	if (!e) {
		buf_adds(out, "null,\n");
		return;
	}
	buf_adds(out, "{\n  ");
	add_text(out, "model", e->model);
	buf_adds(out, "  ");
	add_text(out, "endpoint", e->where);
	buf_adds(out, "  ");
	add_number(out, "dimensions", e->dims);
	buf_adds(out, "  ");
	add_number(out, "texts", e->texts);
	buf_adds(out, "  ");
	add_number(out, "missing", e->missing);
	buf_adds(out, "  ");
	add_number(out, "failures", e->failures);
	buf_addf(out, "    \"up\": %s\n  },\n", e->up ? "true" : "false");
}

void render_status(struct buf *out, const struct status *s, const struct embedding_status *e)
{
	buf_adds(out, "{\n");
	add_text(out, "version", s->version);
	add_text(out, "origin", s->origin);
	add_text(out, "database", s->database);
	add_number(out, "entries", s->entries);
	add_number(out, "viewed_upto", s->viewed_upto);
	add_number(out, "signed_upto", s->signed_upto);
	buf_adds(out, "  \"signed_at\": ");
	add_time(out, s->signed_us);
	add_number(out, "verified_upto", s->verified_upto);
	add_number(out, "unsigned_at_start", s->unsigned_at_start);
	add_number(out, "foreign_entries", s->foreign_entries);
	if (s->foreign_entries)
		add_number(out, "foreign_last", s->foreign_last);
	add_number(out, "sessions", s->sessions);
	add_number(out, "threads", s->threads);
	add_number(out, "messages", s->messages);
	add_number(out, "database_bytes", s->database_bytes);
	add_number(out, "wal_bytes", s->wal_bytes);
	add_number(out, "refusals", s->refusals);
	add_text(out, "tokenizer", s->tokenizer);
	add_embedding(out, e);
	if (s->server[0])
		add_text(out, "server", s->server);
	if (s->server[0]) {
		buf_adds(out, "  \"behind_since\": ");
		add_time(out, s->away_us);
	}
	buf_addf(out, "  \"read_only\": %s,\n", s->read_only ? "true" : "false");
	buf_adds(out, "  \"trouble\": ");
	if (s->trouble[0])
		buf_add_json(out, s->trouble, strlen(s->trouble));
	else
		buf_adds(out, "null");
	buf_adds(out, "\n}\n");
}

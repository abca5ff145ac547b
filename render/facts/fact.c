/* SPDX-License-Identifier: MIT */
/* Facts as lines: everything about each, and what each save of a list did. */
#include "render/facts/facts.h"

#include <string.h>

#include "render/documents/documents.h"
#include "render/format/format.h"

static void add_number(struct buf *out, const char *name, int64_t n)
{
	buf_addf(out, ",\"%s\":", name);
	if (n)
		buf_addf(out, "%lld", (long long)n);
	else
		buf_adds(out, "null");
}

static void add_moment(struct buf *out, const char *name, int64_t us)
{
	buf_addf(out, ",\"%s\":", name);
	buf_adds(out, us ? "\"" : "null");
	if (us) {
		buf_add_time(out, us);
		buf_addc(out, '"');
	}
}

void render_fact_line(struct buf *out, const struct fact *f, const char *domain,
                      const char *said_in)
{
	static const char *const word[] = { "low", "medium", "high" };
	buf_addf(out, "{\"id\":%lld,\"domain\":\"%s\",\"fact\":", (long long)f->id, domain);
	buf_add_json(out, f->text, f->len);
	buf_addf(out, ",\"confidence\":\"%s\",\"source\":\"%s\"", word[f->confidence],
	         f->explicit_ ? "explicit" : "inferred");
	add_number(out, "source_entry", f->entry);
	buf_adds(out, ",\"said_in\":");
	if (*said_in)
		buf_add_json(out, said_in, strlen(said_in));
	else
		buf_adds(out, "null");
	add_moment(out, "created_at", f->added_us);
	add_moment(out, "last_confirmed_at", f->confirmed_us);
	buf_addf(out, ",\"confirmations\":%lld", (long long)f->confirmations);
	add_moment(out, "known_until", f->retracted_us);
	add_number(out, "supersedes", f->supersedes);
	add_number(out, "superseded_by", f->superseded_by);
	buf_adds(out, ",\"author\":"); /* an entry of others may have quotes in it */
	buf_add_json(out, f->author, strlen(f->author));
	if (*f->talk.agent || *f->talk.session) {
		buf_addc(out, ',');
		render_talk(out, &f->talk);
	}
	buf_adds(out, "}\n");
}

void render_fact_save(struct buf *out, const struct fact_save *s, const char *where)
{
	buf_addf(out, "%lld\t", (long long)s->n);
	buf_add_time(out, s->time_us);
	buf_addf(out, "\t%s\t+%lld -%lld, %lld confirmed, %lld weighed%s\t%s", s->author,
	         (long long)s->added, (long long)s->retracted, (long long)s->confirmed,
	         (long long)s->weighed, s->text ? ", text" : "", s->hash);
	render_whose(out, s->talk.agent, where);
}

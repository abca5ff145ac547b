/* SPDX-License-Identifier: MIT */
/*
 * The walk over the tape.  What was made of a message comes behind it, so one walk is
 * enough: facts that were drawn from it, and what a command said of it.
 */
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mount/redact/redact.h"
#include "store/array.h"

static bool taken(const struct finding *f, int64_t seq)
{
	size_t low = 0, high = f->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (f->seqs[middle] == seq)
			return true;
		if (f->seqs[middle] < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* The seq of message n of the session whose window is this stream; -1: not one of ours. */
static bool over_taken(const struct finding *f, const char *stream, int64_t first, int64_t last)
{
	int64_t session = strtoll(stream + 1, NULL, 10), seq;
	for (int64_t n = first; n <= last && f->count > 0; n++)
		if (store_message_seq(f->store, session, n, &seq) == 0 && taken(f, seq))
			return true;
	return false;
}

/* Why this entry goes, NULL: it stays. */
static const char *drawn_from(const struct finding *f, const struct entry *e, const json_t *body)
{
	const char *op = json_string_value(json_object_get(body, "op"));
	int64_t entry = (int64_t)json_number_value(json_object_get(body, "entry"));
	int64_t from = (int64_t)json_number_value(json_object_get(body, "from"));
	int64_t to = (int64_t)json_number_value(json_object_get(body, "to"));
	if (strcmp(e->kind, "fact.add") == 0 && entry > 0 && taken(f, entry))
		return "a fact drawn from it";
	if (strcmp(e->kind, "context") != 0 || !op || from < 1 || to - from > 100000 ||
	    !over_taken(f, e->stream, from, to))
		return NULL;
	return strcmp(op, "digest") == 0 ? "what a command said of it" : NULL;
}

static bool is_named(const struct finding *f, const struct entry *e, const json_t *body)
{
	const struct named *n = f->named;
	char stream[24];
	struct doc_version v;
	if (e->seq == f->seq)
		return true;
	if (!n)
		return false;
	if (n->first > 0)
		return strcmp(e->stream, n->stream) == 0 &&
			json_number_value(json_object_get(body, "from")) == (double)n->first &&
			json_number_value(json_object_get(body, "to")) == (double)n->last;
	if (!n->doc)
		return strcmp(e->stream, n->stream) == 0 && e->stream_seq == n->n;
	(void)snprintf(stream, sizeof stream, "d%lld", (long long)n->doc);
	if (strcmp(e->stream, stream) != 0 || strcmp(e->kind, "document") != 0)
		return false;
	return n->version == 0 ||
		(store_doc_version(f->store, n->doc, n->version, &v) == 0 && v.seq == e->seq);
}

static bool add_seq(struct finding *f, int64_t seq)
{
	if (!ARRAY_ROOM(f->seqs, f->cap, f->count)) {
		f->failed = true;
		return false;
	}
	f->seqs[f->count++] = seq;
	return true;
}

/* A document's path: a folder is a document, and is named by its number. */
static void tell_document(struct finding *f, const struct doc *d)
{
	struct doc folder;
	char path[PATH_MAX], longer[PATH_MAX];
	(void)snprintf(path, sizeof path, "%s", d->name);
	const char *parent = d->parent;
	for (int depth = 0; parent[0] == '#' && depth < 256; depth++) {
		if (store_doc_by_id(f->store, strtoll(parent + 1, NULL, 10), &folder))
			break;
		int n = snprintf(longer, sizeof longer, "%s/%s", folder.name, path);
		if (n < 0 || (size_t)n >= sizeof longer)
			break;
		memcpy(path, longer, (size_t)n + 1);
		parent = folder.parent;
	}
	fprintf(f->out, "%s/%s", parent, path);
}

/* Where a person would look for it. */
static void finding_tell(struct finding *f, const struct entry *e, const char *why)
{
	struct group g;
	struct doc d;
	long long number = strtoll(e->stream + 1, NULL, 10);
	int64_t session = store_stream_session(e->stream);
	if (f->count == 1)
		fprintf(f->out, "To be taken out of %s:\n", f->path);
	fprintf(f->out, "  entry %lld, %s by %s: ", (long long)e->seq, e->kind, e->author);
	if (session > 0 && store_group_by_id(f->store, LOG_SESSION, session, &g) == 0)
		fprintf(f->out, "sessions/%s/messages/%06lld.md", g.name, (long long)e->stream_seq + 1);
	else if (e->stream[0] == 'd' && number > 0 &&
	         store_doc_by_id(f->store, number, &d) == 0)
		tell_document(f, &d);
	else
		fprintf(f->out, "%s, number %lld", e->stream, (long long)e->stream_seq + 1);
	fprintf(f->out, "%s%s\n", *why ? " \u2014 " : "", why);
}

/* The texts that entries to go hold: rejected lines and editors' copies say them again. */
static void add_texts(struct finding *f, const json_t *body)
{
	static const char *const members[] = { "content", "text" };
	for (int i = 0; i < 2; i++) {
		const json_t *text = json_object_get(body, members[i]);
		if (json_is_string(text))
			match_add_text(f->match, json_string_value(text), json_string_length(text));
	}
}

static int look(void *ctx, const struct entry *e)
{
	struct finding *f = ctx;
	const char *why = "";
	if (strcmp(e->stream, "tape") == 0)
		return 0;
	bool whole = e->salt && e->body;
	json_t *body = whole ? json_loadb(e->body, e->body_len, JSON_ALLOW_NUL |
	                                  JSON_DECODE_INT_AS_REAL, NULL) : NULL;
	bool goes = is_named(f, e, body) && (whole || !e->body);
	bool names = strcmp(e->kind, "document.make") == 0 || strcmp(e->kind, "rename") == 0;
	if (!goes && whole && f->match->pattern)
		goes = match_body(f->match, e->body, e->body_len, names);
	if (!goes && whole && (why = drawn_from(f, e, body)))
		goes = true;
	if (goes && add_seq(f, e->seq)) {
		finding_tell(f, e, why ? why : "");
		if (!f->match->pattern)
			add_texts(f, body);
	}
	if (f->match->pattern && match_holds(f->match, e->author, strlen(e->author)))
		f->headers++;
	json_decref(body);
	return f->failed;
}

int redact_find(struct finding *f)
{
	int err = store_entries_each(f->store, 0, look, f);
	return f->failed ? STORE_ENOMEM : err;
}

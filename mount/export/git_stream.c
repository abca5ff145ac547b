/* SPDX-License-Identifier: MIT */
/* One entry, one commit (git_stream.h). */
#include "mount/export/git_stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

enum { SHARD = 1000 };

/* ---- what fast-import reads ------------------------------------------------ */

static void put_data(struct git_stream *g, const char *bytes, size_t len)
{
	fprintf(g->out, "data %zu\n", len);
	(void)fwrite(bytes, 1, len, g->out);
	fputc('\n', g->out);
}

/* In quotes, as C has them. */
static void put_path(struct git_stream *g, const char *path)
{
	fputc('"', g->out);
	for (; *path; path++) {
		if ((unsigned char)*path < ' ')
			fprintf(g->out, "\\%03o", (unsigned)*path);
		else
			fprintf(g->out, "%s%c", *path == '"' || *path == '\\' ? "\\" : "", *path);
	}
	fputs("\"\n", g->out);
}

static void put_file(struct git_stream *g, const char *path, const char *bytes, size_t len)
{
	fputs("M 100644 inline ", g->out);
	put_path(g, path);
	put_data(g, bytes, len);
}

static void drop_file(struct git_stream *g, const char *path)
{
	fputs("D ", g->out);
	put_path(g, path);
}

/* Who did it and when; of an author's letters git takes no < and >. */
static void put_person(struct git_stream *g, const char *role, const struct entry *e)
{
	fprintf(g->out, "%s ", role);
	for (const char *at = e->author; *at; at++)
		fprintf(g->out, *at == '<' || *at == '>' ? "%%%02X" : "%c", (unsigned)*at);
	fprintf(g->out, " <> %" PRId64 " +0000\n", e->time_us / 1000000);
}

static void put_commit(struct git_stream *g, const struct entry *e, const char *what)
{
	char text[GIT_PATH + 512], hash[2 * HASH_SIZE + 1];
	for (size_t i = 0; i < HASH_SIZE; i++)
		(void)snprintf(hash + 2 * i, 3, "%02x", e->leaf_hash[i]);
	int len = snprintf(text, sizeof text, "%s %s\n\nCinta-Seq: %" PRId64 "\nCinta-Stream: %s\n"
	                   "Cinta-Hash: %s\n", e->kind, what, e->seq, e->stream, hash);
	fputs("commit " GIT_BRANCH "\n", g->out);
	put_person(g, "author", e);
	put_person(g, "committer", e);
	put_data(g, text, (size_t)len);
	if (g->goes_on && g->written == 0)
		fputs("from " GIT_BRANCH "^0\n", g->out);
	g->written++;
}

/* ---- documents --------------------------------------------------------------- */

/* To be looked at: its numbers may be too large for an integer. */
static json_t *body_of(const struct entry *e)
{
	return e->body ? json_loadb(e->body, e->body_len, JSON_DECODE_INT_AS_REAL, NULL) : NULL;
}

/* The document's bytes: allocated, or NULL. */
static char *bytes_of(const json_t *body, size_t *len)
{
	const json_t *text = json_object_get(body, "text");
	const char *coded = json_string_value(json_object_get(body, "base64"));
	*len = json_string_length(text);
	if (text || !coded)
		return text ? strdup(json_string_value(text)) : NULL;
	size_t size = strlen(coded);
	unsigned char *bytes = malloc(size / 4 * 3 + 3);
	int got = bytes ? EVP_DecodeBlock(bytes, (const unsigned char *)coded, (int)size) : -1;
	for (size_t i = size; got > 0 && i > 0 && coded[i - 1] == '='; i--)
		got--;
	*len = got > 0 ? (size_t)got : 0;
	return (char *)bytes;
}

struct version {
	struct git_stream *g;
	const char *path;
};

static void put_version(void *ctx, const struct entry *e)
{
	struct version *v = ctx;
	size_t len = 0;
	json_t *body = body_of(e);
	char *bytes = bytes_of(body, &len);
	if (bytes)
		put_file(v->g, v->path, bytes, len);
	free(bytes);
	json_decref(body);
}

/* A document, or all in a folder, at the place it has now. */
static void put_moved(struct git_stream *g, int64_t number)
{
	char path[GIT_PATH];
	for (int64_t n = 1; n <= (int64_t)g->names.docs; n++) {
		const struct git_doc *d = git_names_get(&g->names, n);
		if (!d || d->version == 0 || !git_names_below(&g->names, n, number) ||
		    !git_names_path(&g->names, n, path))
			continue;
		struct version v = { g, path };
		(void)store_entry(g->store, d->version, put_version, &v);
	}
}

/* Of a note, whether this version retires it. */
static bool retires(const char *path, const json_t *body)
{
	const char *status = json_string_value(json_object_get(json_object_get(body, "fields"),
	                                                       "status"));
	return strncmp(path, "notes/", 6) == 0 && status && strcmp(status, "retired") == 0;
}

static void take_document(struct git_stream *g, const struct entry *e, int64_t number,
                          const json_t *body, bool writes)
{
	struct git_doc *d = git_names_get(&g->names, number);
	char path[GIT_PATH], before[GIT_PATH];
	bool had = git_names_path(&g->names, number, before), moves = strcmp(e->kind, "rename") == 0;
	bool ends = strcmp(e->kind, "retire") == 0;
	if (moves)
		g->failed |= !git_names_move(&g->names, number, body);
	bool has = git_names_path(&g->names, number, path);
	ends |= has && retires(path, body);
	if (d && !moves)
		d->version = ends ? 0 : e->seq;
	if (!writes)
		return;
	put_commit(g, e, has ? path : "");
	if (had && (moves || ends))
		drop_file(g, before);
	if (moves)
		put_moved(g, number);
	else if (has && !ends)
		put_version(&(struct version){ g, path }, e);
}

/* ---- the others --------------------------------------------------------------- */

/* A number's place in folders of a thousand. */
static void shard(char path[GIT_PATH], const char *folder, const char *kind, int64_t n)
{
	(void)snprintf(path, GIT_PATH, "%.600s%s/%03" PRId64 "/%06" PRId64 ".json", folder, kind,
	               n / SHARD, n);
}

/* Where the body of this entry goes; false: nowhere. */
static bool place_of(const struct git_stream *g, const struct entry *e, int64_t number,
                     char path[GIT_PATH])
{
	char folder[GIT_PATH];
	const char *name = git_names_of_session(&g->names, number);
	int64_t n = e->stream_seq + 1;
	(void)snprintf(folder, sizeof folder, "sessions/%.255s", name ? name : "");
	if (strcmp(e->kind, "tape.genesis") == 0)
		(void)snprintf(path, GIT_PATH, "tape.json");
	else if (strcmp(e->kind, "tape.redact") == 0)
		(void)snprintf(path, GIT_PATH, "redactions/%" PRId64 ".json", e->seq);
	else if (strcmp(e->kind, "message") == 0 && name)
		shard(path, folder, "/messages", n);
	else if (strcmp(e->kind, "context") == 0 && name)
		shard(path, folder, "/window", n);
	else if (strcmp(e->kind, "record") == 0)
		shard(path, "records/", number == 1 ? "accountant" : "secretary", n);
	else
		return false;
	return true;
}

static void put_body(struct git_stream *g, const char *path, const struct entry *e)
{
	char *line = malloc(e->body_len + 1);
	g->failed |= !line;
	if (!line)
		return;
	memcpy(line, e->body ? e->body : "", e->body ? e->body_len : 0);
	line[e->body_len] = '\n';
	put_file(g, path, line, e->body_len + 1);
	free(line);
}

static void take_fact(struct git_stream *g, const struct entry *e, int64_t list,
                      const json_t *body)
{
	static const char *const lists[] = { "facts", "work", "preferences", "decisions", "personal",
		"projects" };
	const char *name = lists[list > 0 && list < 6 ? list : 0];
	const char *text = json_string_value(json_object_get(body, "text"));
	double number = json_number_value(json_object_get(body, "fact"));
	int64_t fact = number > 0 && number < 0x1p53 ? (int64_t)number : 0;
	bool adds = strcmp(e->kind, "fact.add") == 0;
	char path[GIT_PATH];
	(void)snprintf(path, sizeof path, "facts/%s/%" PRId64 ".md", name, adds ? e->seq : fact);
	if (strcmp(e->kind, "fact.text") == 0)
		(void)snprintf(path, sizeof path, "facts/%s/text.md", name);
	put_commit(g, e, path);
	if (strcmp(e->kind, "fact.retract") == 0) {
		drop_file(g, path);
	} else if (text && (adds || strcmp(e->kind, "fact.text") == 0)) {
		json_t *line = json_sprintf("%s%s", text, adds ? "\n" : "");
		g->failed |= !line;
		if (line)
			put_file(g, path, json_string_value(line), json_string_length(line));
		json_decref(line);
	}
}

static void take_other(struct git_stream *g, const struct entry *e, int64_t number)
{
	char path[GIT_PATH] = "";
	bool has = place_of(g, e, number, path);
	put_commit(g, e, has ? path : e->stream);
	if (has && e->body)
		put_body(g, path, e);
}

static void put_note(struct git_stream *g, const struct entry *e)
{
	fprintf(g->out, "tag checkpoint-%" PRId64 "\nfrom " GIT_BRANCH "\n", g->noted);
	put_person(g, "tagger", e);
	put_data(g, g->note, strlen(g->note));
}

void git_stream_add(struct git_stream *g, const struct entry *e)
{
	bool writes = e->seq >= g->from, documents = strcmp(e->stream, "documents") == 0;
	bool is_document = e->stream[0] == 'd' && !documents;
	int64_t number = e->stream[0] ? strtoll(e->stream + 1, NULL, 10) : 0;
	bool named = documents || is_document || strcmp(e->stream, "sessions") == 0;
	json_t *body = writes || named ? body_of(e) : NULL;
	if (strcmp(e->kind, "session") == 0)
		g->failed |= !git_names_session(&g->names, e->stream_seq + 1, body);
	if (documents)
		g->failed |= !git_names_doc(&g->names, e->stream_seq + 1, body);
	if (is_document)
		take_document(g, e, number, body, writes);
	else if (writes && strncmp(e->kind, "fact.", 5) == 0)
		take_fact(g, e, number, body);
	else if (writes)
		take_other(g, e, number);
	if (writes && e->seq + 1 == g->noted)
		put_note(g, e);
	json_decref(body);
}

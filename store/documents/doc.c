/* SPDX-License-Identifier: MIT */
/* Documents and folders: finding, listing, appending (store/documents.h). */
#include <assert.h>
#include <jansson.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

#include "store/documents/doc_body.h"
#include "store/documents/doc_read.h"
#include "store/policy/policy.h"

int doc_row(sqlite3_stmt *q, struct doc *out)
{
	int rc = q ? sqlite3_step(q) : SQLITE_DONE;
	if (rc == SQLITE_DONE)
		return STORE_ENOENT;
	if (rc != SQLITE_ROW)
		return db_error(rc);
	if (!out)
		return 0;
	out->id = sqlite3_column_int64(q, 0);
	out->folder = sqlite3_column_int(q, 1) != 0;
	out->into = sqlite3_column_int64(q, 2);
	(void)snprintf(out->parent, sizeof out->parent, "%s", db_text(q, 3));
	(void)snprintf(out->name, sizeof out->name, "%s", db_text(q, 4));
	out->versions = sqlite3_column_int64(q, 5);
	out->entries = sqlite3_column_int64(q, 6);
	out->size = sqlite3_column_int64(q, 7);
	out->made_us = sqlite3_column_int64(q, 8);
	out->saved_us = sqlite3_column_int64(q, 9);
	return 0;
}

/* How many entries the views have seen, if they have seen all: what doc_cache.h wants; else 0. */
static int64_t seen_entries(struct store *s)
{
	int64_t entries = tape_entries(s);
	return views_at(s) >= entries ? entries : 0;
}

static int by_name(struct store *s, int which, const char *parent, const char *name,
                   struct doc *out)
{
	struct reader *r;
	int err = views_reader(s, &r);
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, which);
	sqlite3_bind_text(q, 1, parent, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 2, name, -1, SQLITE_STATIC);
	err = doc_row(q, out);
	reader_put_one(s, r, q);
	return err;
}

int store_doc_at(struct store *s, const char *parent, const char *name, struct doc *out)
{
	struct doc d = { .id = 0 };
	int err = views_see_all(s);
	int64_t entries = seen_entries(s); /* before the look: what comes after it makes it old */
	if (err || doc_cache_by_name(s->doc_cache, entries, parent, name, out, &err))
		return err;
	if (strlen(parent) > DOC_KEY_MAX || strlen(name) > NAME_LIMIT)
		return STORE_ENOENT;
	err = by_name(s, READ_DOC_NAME, parent, name, &d);
	if (err && err != STORE_ENOENT)
		return err;
	(void)snprintf(d.parent, sizeof d.parent, "%s", parent);
	(void)snprintf(d.name, sizeof d.name, "%s", name);
	doc_cache_keep_name(s->doc_cache, entries, &d, err);
	if (!err)
		doc_cache_keep_id(s->doc_cache, entries, &d, 0);
	if (out && !err)
		*out = d;
	return err;
}

int store_doc_last_at(struct store *s, const char *parent, const char *name, struct doc *out)
{
	return by_name(s, READ_DOC_LAST, parent, name, out);
}

int store_doc_by_id(struct store *s, int64_t id, struct doc *out)
{
	struct doc d = { .id = id };
	struct reader *r;
	int err = views_see_all(s);
	int64_t entries = seen_entries(s);
	if (err || doc_cache_by_id(s->doc_cache, entries, id, out, &err))
		return err;
	if ((err = views_reader(s, &r)))
		return err;
	sqlite3_bind_int64(reader_stmt(r, READ_DOC_ID), 1, id);
	err = doc_row(reader_stmt(r, READ_DOC_ID), &d);
	reader_put_one(s, r, reader_stmt(r, READ_DOC_ID));
	if (!err || err == STORE_ENOENT)
		doc_cache_keep_id(s->doc_cache, entries, &d, err);
	if (!err && !d.into) /* nobody else has its name */
		doc_cache_keep_name(s->doc_cache, entries, &d, 0);
	if (out && !err)
		*out = d;
	return err;
}

int store_doc_next(struct store *s, const char *parent, int64_t after, struct doc *out)
{
	struct reader *r;
	int err = views_reader(s, &r);
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_DOC_NEXT);
	sqlite3_bind_text(q, 1, parent, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 2, after);
	err = doc_row(q, out);
	reader_put_one(s, r, q);
	return err;
}

int store_folder_held(struct store *s, int64_t id, bool *held)
{
	struct reader *r;
	int64_t found = 0;
	int err = views_reader(s, &r);
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_DOC_HELD);
	sqlite3_bind_int64(q, 1, id);
	err = db_number(q, &found);
	reader_put_one(s, r, q);
	*held = found != 0;
	return err;
}

int store_doc_dir_changed(struct store *s, const char *parent, int64_t *time_us)
{
	struct reader *r;
	int err = views_see_all(s);
	int64_t entries = seen_entries(s);
	*time_us = 0;
	if (err || doc_cache_dir(s->doc_cache, entries, parent, time_us))
		return err;
	if ((err = views_reader(s, &r)))
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_DOC_DIR);
	sqlite3_bind_text(q, 1, parent, -1, SQLITE_STATIC);
	int rc = q ? sqlite3_step(q) : SQLITE_DONE;
	if (rc == SQLITE_ROW)
		*time_us = sqlite3_column_int64(q, 0);
	reader_put_one(s, r, q);
	if (!db_error(rc) && strlen(parent) <= DOC_KEY_MAX)
		doc_cache_keep_dir(s->doc_cache, entries, parent, *time_us);
	return db_error(rc);
}

int store_doc_count(struct store *s, const char *from, const char *below, int64_t most, int64_t *n)
{
	struct reader *r;
	int err = views_reader(s, &r);
	*n = 0;
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_DOC_WITHIN);
	sqlite3_bind_text(q, 1, from, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 2, below, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 3, most);
	int rc = q ? sqlite3_step(q) : SQLITE_DONE;
	if (rc == SQLITE_ROW)
		*n = sqlite3_column_int64(q, 0);
	reader_put(s, r);
	return db_error(rc);
}

static void doc_stream(int64_t id, char stream[24])
{
	(void)snprintf(stream, 24, "d%lld", (long long)id);
}

/* How many entries the stream of makes has, as committed by any process. */
int store_docs_made(struct store *s, int64_t *count)
{
	struct reader *r = reader_get(s);
	if (!r)
		return STORE_EIO;
	sqlite3_stmt *q = reader_stmt(r, READ_DOC_COUNT);
	int rc = q ? sqlite3_step(q) : SQLITE_ERROR;
	*count = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
	reader_put(s, r);
	return db_error(rc);
}

/* STORE_ENOENT: `parent` is a folder that was removed, though somebody stands in it. */
static int check_parent(struct store *s, const char *parent)
{
	struct doc folder;
	int err = parent[0] == '#' ? store_doc_by_id(s, strtoll(parent + 1, NULL, 10), &folder) : 0;
	return err ? err : parent[0] == '#' && folder.into ? STORE_ENOENT : 0;
}

/* Drafts of which the first one or two make a document; its number is known only now. */
static int append_new(struct store *s, const char *parent, const char *name, struct draft *d,
                      size_t count, int64_t *id)
{
	char stream[24];
	struct append a = { .drafts = d, .count = count };
	int err;
	do {
		/* First the count, then the name: who makes or renames one in between is met. */
		if ((err = store_docs_made(s, &a.expect)))
			return err;
		tape_see_others(s);
		a.seen = tape_entries(s);
		if ((err = check_parent(s, parent)))
			return err;
		err = store_doc_at(s, parent, name, NULL);
		if (err != STORE_ENOENT)
			return err ? err : STORE_EEXIST;
		doc_stream(a.expect + 1, stream);
		if (count > 1)
			d[1].stream = stream;
		err = store_append_wait(s, &a);
	} while (err == STORE_EMOVED);
	if (!err)
		*id = a.expect + 1;
	return err;
}

static struct draft draft_of(const char *stream, const char *kind, struct doc_text body,
                             const char *author)
{
	return (struct draft){ .stream = stream, .kind = kind, .author = author, .body = body.body,
		.body_len = body.len };
}

int store_doc_make(struct store *s, const char *parent, const char *name, struct doc_text make,
                   const struct doc_text *version, const char *author, int64_t *id)
{
	struct draft d[2] = { draft_of("documents", "document.make", make, author) };
	if (version)
		d[1] = draft_of(NULL, "document", *version, author);
	return append_new(s, parent, name, d, version ? 2 : 1, id);
}

/* STORE_EMOVED unless it stands where the caller found it; `back`: is retired from there. */
static int check_standing(struct store *s, const struct doc *at, bool back)
{
	struct doc now;
	int err = store_doc_by_id(s, at->id, &now);
	if (err)
		return err == STORE_ENOENT ? STORE_EMOVED : err;
	return now.into != (back ? now.id : 0) || strcmp(now.parent, at->parent) != 0 ||
		strcmp(now.name, at->name) != 0 ? STORE_EMOVED : 0;
}

/* STORE_EEXIST if another one stands where this rename leads. */
static int check_rename(struct store *s, int64_t id, struct doc_text body)
{
	struct doc other;
	json_t *place = json_loadb(body.body, body.len, 0, NULL);
	const char *parent = json_string_value(json_object_get(place, "parent"));
	const char *name = json_string_value(json_object_get(place, "name"));
	int err = parent && name ? store_doc_at(s, parent, name, &other) : STORE_EINVAL;
	json_decref(place);
	if (err == STORE_ENOENT)
		return 0;
	return err ? err : other.id == id ? 0 : STORE_EEXIST;
}

static int check_entries(struct store *s, const struct doc_entry *entries, size_t count)
{
	int err = 0;
	for (size_t i = 0; !err && i < count; i++) {
		if (entries[i].at)
			err = check_standing(s, entries[i].at, entries[i].back);
		if (!err && entries[i].back) {
			err = store_doc_at(s, entries[i].at->parent, entries[i].at->name, NULL);
			err = err == STORE_ENOENT ? check_parent(s, entries[i].at->parent) :
				err ? err : STORE_EMOVED;
		}
		if (!err && strcmp(entries[i].kind, "rename") == 0)
			err = check_rename(s, entries[i].id, entries[i].body);
	}
	return err;
}

/* Drafts of documents that stand already; what was looked at must still hold as it is appended. */
static int append_standing(struct store *s, const struct doc_entry *entries, size_t count,
                           struct append *a)
{
	int64_t expect = a->expect;
	int err;
	do {
		tape_see_others(s);
		a->seen = tape_entries(s);
		a->expect = expect;
		if ((err = check_entries(s, entries, count)))
			return err;
		err = store_append_wait(s, a);
	} while (err == STORE_EMOVED && expect < 0);
	return err;
}

int store_doc_append_all(struct store *s, struct doc_new *make, const struct doc_entry *entries,
                         size_t count, const char *author)
{
	size_t all = count + (make ? 2 : 0), n = 0;
	struct draft *d = calloc(all, sizeof *d);
	char (*stream)[24] = calloc(count + 1, sizeof *stream);
	int err = d && stream ? 0 : STORE_ENOMEM;
	if (!err && make) {
		d[n++] = draft_of("documents", "document.make", make->make, author);
		d[n++] = draft_of(NULL, "document", make->version, author);
	}
	for (size_t i = 0; !err && i < count; i++) {
		doc_stream(entries[i].id, stream[i]);
		d[n++] = draft_of(stream[i], entries[i].kind, entries[i].body, author);
	}
	if (!err && make) {
		err = append_new(s, make->parent, make->name, d, all, &make->id);
	} else if (!err) {
		struct append a = { .drafts = d, .count = all, .expect = -1 };
		err = append_standing(s, entries, count, &a);
	}
	free(d);
	free(stream);
	return err;
}

int store_doc_append(struct store *s, int64_t id, const char *kind, struct doc_text body,
                     const char *author, int64_t expect)
{
	char stream[24];
	doc_stream(id, stream);
	struct draft d = draft_of(stream, kind, body, author);
	struct append a = { .drafts = &d, .count = 1, .expect = expect };
	const struct doc_entry e = { .id = id, .kind = kind, .body = body };
	assert(id > 0 && (strcmp(kind, "rename") == 0 || strcmp(kind, "document") == 0 ||
	                  strcmp(kind, "retire") == 0));
	return strcmp(kind, "rename") == 0 ? append_standing(s, &e, 1, &a) : store_append_wait(s, &a);
}

int store_doc_replace(struct store *s, const struct doc *source, struct doc_text retire,
                      const struct doc *target, struct doc_text version, const char *author)
{
	const struct doc_entry both[] = { { target->id, "document", version, target, false },
		{ source->id, "retire", retire, source, false } };
	assert(source->id > 0 && target->id > 0 && source->id != target->id);
	return store_doc_append_all(s, NULL, both, 2, author);
}

void store_sha256(const char *bytes, size_t len, char hex[2 * HASH_SIZE + 1])
{
	uint8_t hash[HASH_SIZE];
	SHA256((const unsigned char *)bytes, len, hash);
	hex_of(hash, HASH_SIZE, hex);
}

/* Columns of READ_DOC_BLOCKS and READ_DOC_BLOCKS_LIKE. */
enum {
	BLOCK_ID = ENTRY_COLUMN_COUNT, BLOCK_TEXTS, BLOCK_PRIORITY = BLOCK_TEXTS + 4, BLOCK_TOKENS,
	BLOCK_TOOL, BLOCK_FORMAT, BLOCK_EXAMPLES, BLOCK_STATUS
};

/* A row of them. */
static int hand_out(struct reader *r, sqlite3_stmt *q, doc_block_fn *fn, void *ctx)
{
	const char *text[4];
	struct doc_body content = { .json = NULL };
	struct entry e;
	int err = row_entry(&r->check, q, &e);
	if (!err && !e.damaged)
		err = doc_body_read(e.body, e.body_len, &content);
	if (err)
		return err;
	for (int i = 0; i < 4; i++)
		text[i] = (const char *)sqlite3_column_text(q, BLOCK_TEXTS + i);
	size_t from = e.damaged ? 0 : doc_body_start(content.bytes, content.len);
	struct doc_block b = { .id = sqlite3_column_int64(q, BLOCK_ID), .code = text[0],
		.name = text[1] ? text[1] : text[0], .category = text[2], .scope = text[3],
		.priority = sqlite3_column_int64(q, BLOCK_PRIORITY),
		.tokens = sqlite3_column_int64(q, BLOCK_TOKENS),
		.content = e.damaged ? DAMAGED_TEXT : content.bytes + from,
		.len = e.damaged ? sizeof DAMAGED_TEXT - 1 : content.len - from,
		.for_tool = db_text(q, BLOCK_TOOL), .for_format = db_text(q, BLOCK_FORMAT),
		.examples = sqlite3_column_int(q, BLOCK_EXAMPLES) != 0 };
	fn(ctx, &b);
	doc_body_release(&content);
	return 0;
}

/* Those of `q` that are active. */
static int hand_out_all(struct reader *r, sqlite3_stmt *q, doc_block_fn *fn, void *ctx)
{
	int err = 0, rc = SQLITE_DONE;
	while (!err && q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		const struct policy_thing block = { .status = db_text(q, BLOCK_STATUS) };
		if (policy_life(&block, 0) == LIFE_LIVE)
			err = hand_out(r, q, fn, ctx);
	}
	return err ? err : db_error(rc);
}

/* `given`: scope, server, agent, session. */
static int each_block(struct store *s, const char *const given[4], doc_block_fn *fn, void *ctx)
{
	struct reader *r;
	int err = views_reader(s, &r);
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_DOC_BLOCKS);
	for (int i = 0; i < 4; i++) /* NULL binds NULL */
		sqlite3_bind_text(q, 1 + i, given[i], -1, SQLITE_STATIC);
	err = hand_out_all(r, q, fn, ctx);
	reader_put(s, r);
	return err;
}

int store_active_blocks(struct store *s, const char *scope, const char *server, const char *agent,
                        doc_block_fn *fn, void *ctx)
{
	return each_block(s, (const char *const[]){ scope, server, agent, NULL }, fn, ctx);
}

int store_session_blocks(struct store *s, const char *session, const char *server,
                         const char *agent, doc_block_fn *fn, void *ctx)
{
	return each_block(s, (const char *const[]){ NULL, server, agent, session }, fn, ctx);
}

int store_blocks_like(struct store *s, const char *name, const char *bytes, size_t len,
                      doc_block_fn *fn, void *ctx)
{
	struct reader *r;
	int err = views_reader(s, &r);
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_DOC_BLOCKS_LIKE);
	sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 2, doc_body_text(bytes, len));
	err = hand_out_all(r, q, fn, ctx);
	reader_put(s, r);
	return err;
}

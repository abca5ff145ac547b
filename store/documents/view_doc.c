/* SPDX-License-Identifier: MIT */
/*
 * The view of documents and folders: where each stands and stood, its versions,
 * the fields of the newest.
 *
 *              first version, or a folder's make           retire
 *   made ───────────────────────────────────────► here ◄─────────► retired
 *     │                                           │  ▲ rename,   version; of a folder, rename:
 *     │                                           └──┘ version   unless another has its name
 *     └── first version, a note that says so ──────────────────► retired
 *
 * Invariants
 *   1. Of those that are here, no two have the same parent and name: who comes
 *      later to a name that is taken stands beside it, as "code+d7.md".
 *   2. A place of each change of parent, name or state is kept in v_place.
 *   3. Parents "#N" lead to a folder and from there, without a circle, to a key.
 *   4. An entry that makes no sense changes nothing but the count of entries.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/documents/doc_read.h"
#include "store/documents/documents.h"

enum { MOST_DEPTH = 256 };

enum {
	VIEW_DOC = SQL_FIRST(SQL_DOCUMENTS), VIEW_PUT_DOC, VIEW_SAVE_DOC, VIEW_DOC_TAKEN,
	VIEW_VERSION, VIEW_DOC_MAKER, VIEW_PLACE, VIEW_DIR, VIEW_DOC_CHILD
};

static const char *const view_sql[] = {
	[SQL_N(VIEW_DOC)] =
		"SELECT id, heir, hash, owner, session, versions, entries, size, made_us,"
		" saved_us, newest, text, folder, here, parent, name FROM v_doc WHERE id = ?1",
	[SQL_N(VIEW_PUT_DOC)] =
		"INSERT INTO v_doc(id, heir, hash, owner, session, versions, entries, size, made_us,"
		" saved_us, newest, text, folder, here, parent, name, fields)"
		" VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,"
		" iif(json_valid(?17), ?17, '{}'))"
		" ON CONFLICT (id) DO UPDATE SET heir = ?2, hash = ?3, owner = ?4, session = ?5,"
		" versions = ?6, entries = ?7, size = ?8, saved_us = ?10, newest = ?11, text = ?12,"
		" here = ?14, parent = ?15, name = ?16,"
		" fields = CASE WHEN ?17 IS NULL THEN fields WHEN json_valid(?17) THEN ?17 ELSE '{}' END",
	[SQL_N(VIEW_SAVE_DOC)] =
		"UPDATE v_doc SET owner = ?2, session = ?3, versions = ?4, entries = ?5, size = ?6,"
		" saved_us = ?7, newest = ?8, text = ?9,"
		" fields = CASE WHEN ?10 IS NULL THEN fields WHEN json_valid(?10) THEN ?10 ELSE '{}' END"
		" WHERE id = ?1",
	[SQL_N(VIEW_DOC_TAKEN)] =
		"SELECT 1 FROM v_doc WHERE parent = ?1 AND name = ?2 AND here = 1 AND id <> ?3",
	[SQL_N(VIEW_VERSION)] =
		"INSERT INTO v_version"
		" VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, nullif(?12, ''), nullif(?13, ''),"
		" ?14)",
	[SQL_N(VIEW_DOC_MAKER)] = "SELECT author FROM v_version WHERE doc = ?1 AND n = 1",
	[SQL_N(VIEW_PLACE)] = "INSERT INTO v_place VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
	[SQL_N(VIEW_DIR)] = "INSERT OR IGNORE INTO v_dir VALUES(?1, ?2)",
	[SQL_N(VIEW_DOC_CHILD)] =
		"SELECT EXISTS (SELECT 1 FROM v_doc WHERE parent = '#' || ?1 AND here = 1)",
};

/* A row of v_doc; `fields` is set when they are new. */
struct view_doc {
	int64_t id, heir, hash, owner, session, versions, entries, size, made_us, saved_us, newest;
	int64_t text; /* doc_body_text() of the newest version */
	bool folder, here;
	bool moved; /* else heir, hash, here, parent and name are as the row has them */
	char parent[DOC_KEY_MAX + 1], name[NAME_LIMIT + 1];
	const char *fields;
};

static int get(struct view *v, int64_t id, struct view_doc *d)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_DOC);
	memset(d, 0, sizeof *d);
	sqlite3_bind_int64(q, 1, id);
	int rc = sqlite3_step(q);
	if (rc == SQLITE_ROW) {
		int64_t *const number[] = { &d->id, &d->heir, &d->hash, &d->owner, &d->session,
			&d->versions, &d->entries, &d->size, &d->made_us, &d->saved_us, &d->newest, &d->text };
		for (int i = 0; i < 12; i++)
			*number[i] = sqlite3_column_int64(q, i);
		d->folder = sqlite3_column_int(q, 12) != 0;
		d->here = sqlite3_column_int(q, 13) != 0;
		(void)snprintf(d->parent, sizeof d->parent, "%s", db_text(q, 14));
		(void)snprintf(d->name, sizeof d->name, "%s", db_text(q, 15));
	}
	sqlite3_reset(q);
	return rc == SQLITE_ROW ? 0 : rc == SQLITE_DONE ? STORE_ENOENT : db_error(rc);
}

/* A row that stays where it is: no index of places is touched. */
static int put_again(struct view *v, const struct view_doc *d)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_SAVE_DOC);
	const int64_t number[] = { d->id, d->owner, d->session, d->versions, d->entries, d->size,
		d->saved_us, d->newest, d->text };
	for (int i = 0; i < 9; i++)
		sqlite3_bind_int64(q, 1 + i, number[i]);
	sqlite3_bind_text(q, 10, d->fields, -1, SQLITE_STATIC);
	return view_run(v, VIEW_SAVE_DOC);
}

static int put(struct view *v, const struct view_doc *d)
{
	if (!d->moved)
		return put_again(v, d);
	sqlite3_stmt *q = view_stmt(v, VIEW_PUT_DOC);
	const int64_t number[] = { d->id, d->heir, d->hash, d->owner, d->session, d->versions,
		d->entries, d->size, d->made_us, d->saved_us, d->newest, d->text, d->folder,
		d->here };
	for (int i = 0; i < 14; i++)
		sqlite3_bind_int64(q, 1 + i, number[i]);
	sqlite3_bind_text(q, 15, d->parent, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 16, d->name, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 17, d->fields, -1, SQLITE_STATIC); /* NULL: as they were */
	return view_run(v, VIEW_PUT_DOC);
}

/* What a directory shows has changed. */
static int touch(struct view *v, const char *parent, const struct entry *e)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_DIR);
	sqlite3_bind_text(q, 1, parent, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 2, e->time_us);
	return view_run(v, VIEW_DIR);
}

static int add_place(struct view *v, const struct view_doc *d, const struct entry *e)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_PLACE);
	sqlite3_bind_int64(q, 1, d->id);
	sqlite3_bind_int64(q, 2, e->seq);
	sqlite3_bind_int64(q, 3, e->time_us);
	sqlite3_bind_text(q, 4, d->parent, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 5, d->name, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 6, !d->here);
	int err = view_run(v, VIEW_PLACE);
	return err ? err : touch(v, d->parent, e);
}

/* 1: another one stands there. */
static int taken(struct view *v, const struct view_doc *d)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_DOC_TAKEN);
	sqlite3_bind_text(q, 1, d->parent, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 2, d->name, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 3, d->id);
	int rc = sqlite3_step(q);
	sqlite3_reset(q);
	return rc == SQLITE_ROW ? 1 : db_error(rc);
}

/* Where a program did not look, or two were equally fast: both must be found. */
static int find_room(struct view *v, struct view_doc *d)
{
	char wish[NAME_LIMIT + 1], beside[48] = "";
	memcpy(wish, d->name, sizeof wish);
	const char *ext = strrchr(wish, '.');
	if (!ext || ext == wish || strlen(ext) > 16)
		ext = wish + strlen(wish);
	size_t stem = (size_t)(ext - wish);
	size_t room = NAME_LIMIT - strlen(ext) - sizeof beside;
	while (stem > room || (stem > 0 && ((unsigned char)wish[stem] & 0xC0) == 0x80))
		stem--; /* never within a character */
	int err = taken(v, d);
	for (int i = 1; err == 1; i++) {
		(void)snprintf(beside, sizeof beside, i == 1 ? "+d%lld" : "+d%lld-%d", (long long)d->id, i);
		(void)snprintf(d->name, sizeof d->name, "%.*s%s%s", (int)stem, wish, beside, ext);
		err = taken(v, d);
	}
	return err;
}

/* It stands at its parent and name from this entry on. */
static int settle(struct view *v, struct view_doc *d, const struct entry *e)
{
	char path[DOC_KEY_MAX + NAME_LIMIT + 2];
	int err = find_room(v, d);
	d->here = d->moved = true;
	d->hash = 0;
	if (!err && strncmp(d->parent, "components/", 11) == 0) { /* others refer to it by its path */
		(void)snprintf(path, sizeof path, "%s/%s", d->parent, d->name);
		err = view_name_id(v, path, &d->hash);
	}
	return err ? err : add_place(v, d, e);
}

/* 0 if `id` may stand in `parent`: in keys; in "#N" if N is a folder that is not below `id`. */
static int parent_ok(struct view *v, int64_t id, const char *parent)
{
	struct view_doc folder;
	char key[DOC_KEY_MAX + 1];
	(void)snprintf(key, sizeof key, "%s", parent);
	for (int depth = 0; key[0] == '#'; depth++) {
		int64_t up = store_stream_number(key, '#');
		int err = up > 0 ? get(v, up, &folder) : STORE_ENOENT;
		if (err == STORE_ENOENT || (!err && (!folder.folder || up == id || depth == MOST_DEPTH)))
			return STORE_EINVAL;
		if (err)
			return err;
		memcpy(key, folder.parent, sizeof key);
	}
	return 0;
}

/* Parent and name of a make or rename; STORE_EINVAL: not what we write. */
static int read_place(struct view *v, const json_t *body, struct view_doc *d)
{
	const char *parent = json_string_value(json_object_get(body, "parent"));
	const char *name = json_string_value(json_object_get(body, "name"));
	if (!parent || !*parent || strlen(parent) > DOC_KEY_MAX || !name || !*name ||
	    strlen(name) > NAME_LIMIT || strchr(name, '/') || strcmp(name, ".") == 0 ||
	    strcmp(name, "..") == 0)
		return STORE_EINVAL;
	int err = parent_ok(v, d->id, parent);
	if (err)
		return err;
	(void)snprintf(d->parent, sizeof d->parent, "%s", parent);
	(void)snprintf(d->name, sizeof d->name, "%s", name);
	return 0;
}

static json_t *parse(const struct entry *e)
{
	return e->body ? json_loadb(e->body, e->body_len, JSON_DECODE_INT_AS_REAL, NULL) : NULL;
}

static int see_make(struct view *v, const struct entry *e, int64_t number)
{
	(void)number;
	struct view_doc d = { .id = e->stream_seq + 1, .made_us = e->time_us, .saved_us = e->time_us,
		.moved = true };
	json_t *body = parse(e);
	int err = read_place(v, body, &d);
	d.folder = json_is_true(json_object_get(body, "folder"));
	json_decref(body);
	v->turn++; /* a component may have come */
	if (v->doc_cache)
		doc_cache_forget(v->doc_cache);
	if (err)
		return err == STORE_EINVAL ? 0 : err;
	if (d.folder)
		err = settle(v, &d, e);
	return err ? err : put(v, &d);
}

static int add_version(struct view *v, struct view_doc *d, const struct doc_body *b,
                       const struct entry *e)
{
	uint8_t hash[HASH_SIZE];
	char hex[HEX_SIZE];
	const json_t *lines = json_object_get(b->json, "lines");
	const json_t *fields = json_object_get(b->json, "fields");
	hasher_sha256(&v->hasher, b->bytes, b->len, hash);
	hex_of(hash, HASH_SIZE, hex);
	d->versions++;
	d->size = (int64_t)b->len;
	d->saved_us = e->time_us;
	d->newest = e->seq;
	d->text = doc_body_text(b->bytes, b->len);
	sqlite3_stmt *q = view_stmt(v, VIEW_VERSION);
	const int64_t number[] = { d->id, d->versions, e->seq, e->time_us, d->size,
		doc_body_number(json_object_get(b->json, "tokens")),
		doc_body_number(json_array_get(lines, 0)), doc_body_number(json_array_get(lines, 1)) };
	for (int i = 0; i < 8; i++)
		sqlite3_bind_int64(q, 1 + i, number[i]);
	sqlite3_bind_text(q, 9, hex, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 10, e->author, -1, SQLITE_STATIC);
	sqlite3_bind_blob(q, 11, e->leaf_hash, HASH_SIZE, SQLITE_STATIC);
	struct talk talk;
	(void)log_talk(b->json, &talk);
	sqlite3_bind_text(q, 12, talk.agent, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(q, 13, talk.session, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(q, 14, json_string_value(json_object_get(fields, "status")), -1,
	                  SQLITE_TRANSIENT);
	int err = view_run(v, VIEW_VERSION);
	return err ? err : view_day(v, e->time_us, DAY_VERSIONS, 1);
}

static int owned_by_maker(struct view *v, struct view_doc *d)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_DOC_MAKER);
	sqlite3_bind_int64(q, 1, d->id);
	int rc = sqlite3_step(q);
	int err = rc == SQLITE_ROW ?
		view_owner_id(v, NULL, (const char *)sqlite3_column_text(q, 0), &d->owner) : db_error(rc);
	sqlite3_reset(q);
	return err;
}

/* Identities the fields name: the owner, else who made it; the session, by its name. */
static int name_those(struct view *v, struct view_doc *d, const json_t *fields)
{
	char path[NAME_LIMIT + 16];
	const char *owner = json_string_value(json_object_get(fields, "owner_id"));
	const char *session = json_string_value(json_object_get(fields, "session"));
	int err = owner && *owner ? view_component_id(v, "ply", owner, &d->owner) :
		owned_by_maker(v, d);
	d->session = 0;
	if (!err && session && *session &&
	    snprintf(path, sizeof path, "sessions/%s", session) < (int)sizeof path)
		err = view_name_id(v, path, &d->session);
	return err;
}

/* As doc.c would read it, once this entry is committed. */
static void keep_in_cache(struct view *v, const struct view_doc *d, const struct entry *e)
{
	struct doc row = { .id = d->id, .folder = d->folder, .into = d->heir, .versions = d->versions,
		.entries = d->entries, .size = d->size, .made_us = d->made_us, .saved_us = d->saved_us };
	if (!v->doc_cache || !d->here)
		return;
	memcpy(row.parent, d->parent, sizeof row.parent);
	memcpy(row.name, d->name, sizeof row.name);
	doc_cache_keep_id(v->doc_cache, e->seq + 1, &row, 0);
	doc_cache_keep_name(v->doc_cache, e->seq + 1, &row, 0);
}

/* It stands nowhere from this entry on; its history is found by the name it had. */
static int leave(struct view *v, struct view_doc *d, const struct entry *e)
{
	d->here = false;
	d->moved = true;
	return add_place(v, d, e);
}

/* 1: a version of a note whose front matter says `status: retired`. */
static int says_retired(struct view *v, const struct view_doc *d, const json_t *fields)
{
	const char *status = json_string_value(json_object_get(fields, "status"));
	struct view_doc folder;
	char key[DOC_KEY_MAX + 1];
	if (!status || strcmp(status, "retired") != 0)
		return 0;
	(void)snprintf(key, sizeof key, "%s", d->parent);
	for (int depth = 0; key[0] == '#' && depth < MOST_DEPTH; depth++) {
		int err = get(v, store_stream_number(key, '#'), &folder);
		if (err)
			return err == STORE_ENOENT ? 0 : err;
		memcpy(key, folder.parent, sizeof key);
	}
	return strcmp(key, "notes") == 0;
}

/* Where a document stands once it has this version. */
static int stand(struct view *v, struct view_doc *d, const json_t *fields, const struct entry *e)
{
	int retired = says_retired(v, d, fields);
	if (retired < 0)
		return retired;
	if (retired)
		return d->here || d->versions == 1 ? leave(v, d, e) : 0;
	return !d->here && d->heir == 0 ? settle(v, d, e) : 0;
}

static int see_version(struct view *v, struct view_doc *d, const struct entry *e)
{
	struct doc_body b;
	int err = doc_body_read(e->body, e->body_len, &b);
	if (err)
		return err;
	err = add_version(v, d, &b, e);
	if (!err)
		err = name_those(v, d, json_object_get(b.json, "fields"));
	if (!err)
		err = stand(v, d, json_object_get(b.json, "fields"), e);
	d->fields = b.fields;
	err = err ? err : put(v, d);
	if (!err) {
		keep_in_cache(v, d, e);
		if (v->doc_cache && !d->here)
			doc_cache_forget(v->doc_cache);
		if (v->doc_cache)
			doc_cache_keep_text(v->doc_cache, d->id, d->versions, b.bytes, b.len);
	}
	doc_body_release(&b);
	return err;
}

static int see_rename(struct view *v, struct view_doc *d, const struct entry *e)
{
	char from[DOC_KEY_MAX + 1];
	json_t *body = parse(e);
	memcpy(from, d->parent, sizeof from);
	d->moved = true;
	int err = d->heir ? STORE_EINVAL : read_place(v, body, d);
	json_decref(body);
	if (err == STORE_EINVAL)
		return put(v, d);
	if (!err && (d->here || d->folder) && !(err = touch(v, from, e)))
		err = settle(v, d, e); /* of a removed folder: it is back */
	return err ? err : put(v, d);
}

/* 1: something stands in it. */
static int folder_holds(struct view *v, int64_t id)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_DOC_CHILD);
	int64_t held = 0;
	sqlite3_bind_int64(q, 1, id);
	int err = db_number(q, &held);
	return err ? err : held != 0;
}

static int see_retire(struct view *v, struct view_doc *d, const struct entry *e)
{
	json_t *body = parse(e);
	const json_t *into = json_object_get(body, "into");
	int64_t heir = doc_body_number(into);
	bool was_here = d->here, removed = json_is_number(into) && json_number_value(into) == 0;
	int err = 0;
	json_decref(body);
	if (heir > 0 && heir != d->id && d->heir == 0) {
		d->heir = heir;
		d->here = false;
		d->moved = true;
		err = was_here ? add_place(v, d, e) : 0;
	} else if (removed && was_here && (!d->folder || (err = folder_holds(v, d->id)) == 0)) {
		err = leave(v, d, e);
	}
	if (err > 0)
		err = 0;
	return err ? err : put(v, d);
}

static int see_entry(struct view *v, const struct entry *e, int64_t id)
{
	struct view_doc d;
	v->turn++; /* a component may have come or gone */
	int err = get(v, id, &d);
	if (err)
		return err == STORE_ENOENT ? 0 : err; /* never made: nobody can ask for it */
	d.entries = e->stream_seq + 1;
	bool version = strcmp(e->kind, "document") == 0 && !d.folder;
	if (v->doc_cache && !(version && d.here)) /* of one that is here only its own row changes */
		doc_cache_forget(v->doc_cache);
	if (version)
		return see_version(v, &d, e);
	if (strcmp(e->kind, "rename") == 0)
		return see_rename(v, &d, e);
	if (strcmp(e->kind, "retire") == 0)
		return see_retire(v, &d, e);
	return put(v, &d);
}

int doc_component_here(struct view *v, const char *table, const char *code)
{
	struct view_doc d = { .id = 0 };
	if (snprintf(d.name, sizeof d.name, "%s.md", code) >= (int)sizeof d.name)
		return 0;
	(void)snprintf(d.parent, sizeof d.parent, "components/%s", table);
	return taken(v, &d);
}

static void see_each(struct view *v, const struct entry *e)
{
	if (!v->doc_cache)
		return;
	doc_cache_advance(v->doc_cache, e->seq);
	if (strcmp(e->kind, "tape.redact") == 0)
		doc_cache_forget(v->doc_cache);
}

static void forget(struct view *v)
{
	if (v->doc_cache)
		doc_cache_forget(v->doc_cache);
}

static const struct view_kind kinds[] = {
	{ .letter = 'd', .see = see_entry, .at_once = true },
	{ .stream = "documents", .kind = "document.make", .see = see_make, .at_once = true },
};
const struct view_room doc_views = { .sql = SQL_OF(view_sql), .kinds = kinds, .kind_count = 2,
	.each = see_each, .forget = forget };

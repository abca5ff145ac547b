/* SPDX-License-Identifier: MIT */
/*
 * A tape that comes as lines (carry.h).  Each line is hashed anew before it becomes a row, so a row
 * that is there is one that some tape had; the seal says that it is all of that tape.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/proof/proof.h"
#include "store/salvage/salvage.h"

struct store_carrier {
	struct salvage_file f;
	sqlite3_stmt *put;
	struct hasher hasher;
	struct merkle tree;
	char origin[FIELD_MAX + 1];
	bool begun, sealed, kept;
	int64_t signed_upto;
	char *note;      /* of the seal, or NULL */
};

static int refuse(struct why *why, const char *fmt, const char *of)
{
	why_set(why, "export the tape again", fmt, of);
	return STORE_EFORMAT;
}

/* ---- a new file ----------------------------------------------------------- */

static int make_file(struct store_carrier *c, const char *to, struct why *why)
{
	if (snprintf(c->f.path, sizeof c->f.path, "%s", to) >= (int)sizeof c->f.path)
		return STORE_EINVAL;
	int err = db_make_new(to, why);
	if (err)
		return err;
	c->begun = true;
	err = salvage_create(&c->f);
	err = err ? err : db_begin(c->f.db);
	if (!err)
		c->put = db_prepare(c->f.db, "INSERT INTO tape VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8,"
		                             " ?9, ?10, ?11, ?12)");
	return err ? err : c->put ? 0 : STORE_EIO;
}

int store_carry_new(const char *to, struct store_carrier **out, struct why *why)
{
	struct store_carrier *c = calloc(1, sizeof *c);
	*out = c;
	if (!c)
		return STORE_ENOMEM;
	merkle_init(&c->tree);
	int err = hasher_init(&c->hasher);
	return err || !to ? err : make_file(c, to, why);
}

/* ---- a line ---------------------------------------------------------------- */

static bool take_hex(const json_t *line, const char *member, uint8_t *out, size_t size)
{
	const json_t *value = json_object_get(line, member);
	const char *hex = json_string_value(value);
	if (!hex || json_string_length(value) != 2 * size)
		return false;
	for (size_t i = 0; i < 2 * size; i++) {
		const char *at = memchr("0123456789abcdef", hex[i], 16);
		if (!at)
			return false;
		uint8_t half = (uint8_t)(at - (const char *)"0123456789abcdef");
		out[i / 2] = (uint8_t)(i % 2 ? out[i / 2] | half : half << 4);
	}
	return true;
}

static bool take_int(const json_t *line, const char *member, int64_t *out)
{
	const json_t *value = json_object_get(line, member);
	*out = json_integer_value(value);
	return json_is_integer(value) && *out >= 0;
}

static bool take_field(const json_t *line, const char *member, size_t most, const char **out)
{
	const json_t *value = json_object_get(line, member);
	*out = json_string_value(value);
	return *out && field_ok(*out, json_string_length(value), most);
}

/* The row that a line says; what is in it lives as long as `line`. */
static bool take_entry(const json_t *line, uint8_t salt[SALT_SIZE], struct entry *e)
{
	const json_t *body = json_object_get(line, "body");
	int64_t len = 0;
	*e = (struct entry){ .body = json_string_value(body), .body_len = json_string_length(body) };
	bool good = take_int(line, "seq", &e->seq) &&
		take_field(line, "stream", FIELD_MAX, &e->stream) &&
		take_int(line, "stream_seq", &e->stream_seq) && take_int(line, "time_us", &e->time_us) &&
		take_hex(line, "prev", e->prev, HASH_SIZE) && take_int(line, "body_len", &len) &&
		take_field(line, "kind", KIND_MAX, &e->kind) &&
		take_field(line, "author", FIELD_MAX, &e->author) &&
		take_hex(line, "body_hash", e->body_hash, HASH_SIZE) &&
		take_hex(line, "hash", e->leaf_hash, HASH_SIZE);
	if (good && take_hex(line, "salt", salt, SALT_SIZE))
		e->salt = salt;
	e->hashed_len = (size_t)len;
	return good && !e->salt == !e->body && (!e->salt || e->hashed_len == e->body_len);
}

/* As docs/format.md §2 has it. */
static bool entry_holds(struct store_carrier *c, const struct entry *e)
{
	char text[LEAF_TEXT_MAX];
	uint8_t hash[HASH_SIZE];
	struct entry header = *e;
	header.body_len = e->hashed_len;
	hasher_leaf(&c->hasher, text, leaf_text(text, c->origin, &header), hash);
	if (memcmp(hash, e->leaf_hash, HASH_SIZE) != 0)
		return false;
	if (e->salt)
		hasher_body(&c->hasher, e->salt, e->body, e->body_len, hash);
	return !e->salt || memcmp(hash, e->body_hash, HASH_SIZE) == 0;
}

static int put_entry(struct store_carrier *c, const struct entry *e)
{
	entry_to_row(c->put, e);
	int rc = sqlite3_step(c->put);
	sqlite3_reset(c->put);
	return db_error(rc);
}

/* The first entry says whose tape it is, and every header names that. */
static void take_origin(struct store_carrier *c, const struct entry *e)
{
	json_t *body = e->body ? json_loadb(e->body, e->body_len, 0, NULL) : NULL;
	const char *origin = json_string_value(json_object_get(body, "origin"));
	if (origin && field_ok(origin, strlen(origin), FIELD_MAX))
		(void)snprintf(c->origin, sizeof c->origin, "%s", origin);
	json_decref(body);
}

static int take_row(struct store_carrier *c, const json_t *line, struct why *why)
{
	uint8_t salt[SALT_SIZE];
	struct entry e;
	char at[24];
	(void)snprintf(at, sizeof at, "%lld", (long long)c->tree.size);
	if (!take_entry(line, salt, &e))
		return refuse(why, "where entry %s should stand is no line of a tape", at);
	if (e.seq != c->tree.size)
		return refuse(why, "entry %s is missing", at);
	if (e.seq == 0)
		take_origin(c, &e);
	if (!entry_holds(c, &e))
		return refuse(why, "entry %s is not the one that was hashed", at);
	merkle_push(&c->tree, &c->hasher, 0, e.leaf_hash);
	return c->put ? put_entry(c, &e) : 0;
}

static int take_seal(struct store_carrier *c, const json_t *line, struct why *why)
{
	uint8_t root[HASH_SIZE], said[HASH_SIZE];
	struct checkpoint of = { .size = 0 };
	const char *note = json_string_value(json_object_get(line, "note"));
	int64_t entries = 0;
	char at[24];
	merkle_top(&c->tree, &c->hasher, root);
	(void)snprintf(at, sizeof at, "%lld", (long long)c->tree.size);
	if (!take_int(line, "entries", &entries) || entries != c->tree.size)
		return refuse(why, "its last line is of another number of entries than %s", at);
	if (!take_hex(line, "root", said, HASH_SIZE) || memcmp(root, said, HASH_SIZE) != 0)
		return refuse(why, "its %s entries are not those its last line is of", at);
	if (note && (note_claims(note, strlen(note), &of) != NOTE_OK || of.size > entries ||
	             strcmp(of.origin, c->origin) != 0))
		return refuse(why, "the note in its last line is none of these %s entries", at);
	c->signed_upto = of.size;
	c->note = note ? strdup(note) : NULL;
	c->sealed = true;
	return note && !c->note ? STORE_ENOMEM : 0;
}

int store_carry_line(struct store_carrier *c, const char *text, size_t len, struct why *why)
{
	json_error_t error;
	if (c->sealed)
		return refuse(why, "%s stand behind the line that ends it", "lines");
	json_t *line = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
	int err = !line ? refuse(why, "a line is cut or changed: %s", error.text) :
		json_object_get(line, "entries") ? take_seal(c, line, why) : take_row(c, line, why);
	json_decref(line);
	return err;
}

/* ---- the end ----------------------------------------------------------------- */

static int put_note(struct store_carrier *c)
{
	if (!c->note)
		return 0;
	sqlite3_stmt *q = db_prepare(c->f.db, "INSERT INTO tape_checkpoint VALUES(?1, ?2)");
	sqlite3_bind_int64(q, 1, c->signed_upto);
	sqlite3_bind_text(q, 2, c->note, -1, SQLITE_STATIC);
	int rc = q ? sqlite3_step(q) : SQLITE_ERROR;
	sqlite3_finalize(q);
	return db_error(rc);
}

static int end_file(struct store_carrier *c)
{
	char beside[PATH_MAX + 8];
	sqlite3_finalize(c->put);
	c->put = NULL;
	int err = put_note(c);
	err = err ? err : salvage_tiles(c->f.db, c->tree.size);
	err = err ? err : db_commit(c->f.db);
	err = err ? err : db_exec(c->f.db, "PRAGMA journal_mode=WAL");
	int closed = db_error(sqlite3_close(c->f.db));
	c->f.db = NULL;
	for (int i = 0; i < 2; i++) {
		(void)snprintf(beside, sizeof beside, "%s%s", c->f.path, i ? "-shm" : "-wal");
		(void)unlink(beside);
	}
	err = err ? err : closed;
	return err ? err : salvage_settle(c->f.path, NULL);
}

int store_carry_end(struct store_carrier *c, struct store_carried *out, struct why *why)
{
	*out = (struct store_carried){ .entries = c->tree.size, .signed_upto = c->signed_upto,
		.sealed = c->sealed };
	(void)snprintf(out->origin, sizeof out->origin, "%s", c->origin);
	merkle_top(&c->tree, &c->hasher, out->root);
	if (c->tree.size == 0)
		return refuse(why, "it holds no %s", "entry");
	if (c->begun && !c->sealed)
		return refuse(why, "it is cut: the last line, %s, is missing", "with entries and root");
	int err = c->begun ? end_file(c) : 0;
	c->kept = !err;
	return err;
}

void store_carry_free(struct store_carrier *c)
{
	if (!c)
		return;
	sqlite3_finalize(c->put);
	sqlite3_close(c->f.db);
	if (c->begun && !c->kept)
		salvage_remove(c->f.path);
	hasher_release(&c->hasher);
	free(c->note);
	free(c);
}

/* SPDX-License-Identifier: MIT */
/* Rows of the tape to lines and their seal (store/salvage/carry.h); back again: salvage_lines.c. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/salvage/carry.h"
#include "store/salvage/salvage.h"
#include "store/tape/tape.h"

struct carrying {
	store_carry_fn *fn;
	void *ctx;
	struct hasher hasher;
	struct merkle tree;
	char *line;
	size_t room;
};

static int carry_entry(void *ctx, const struct entry *e)
{
	struct carrying *c = ctx;
	size_t size = tape_line_size(e);
	if (e->seq != c->tree.size)
		return STORE_EFORMAT;
	if (size > c->room) {
		char *more = realloc(c->line, size);
		if (!more)
			return STORE_ENOMEM;
		c->line = more;
		c->room = size;
	}
	tape_line_write(e, c->line);
	merkle_push(&c->tree, &c->hasher, 0, e->leaf_hash);
	return c->fn(c->ctx, c->line, size) ? STORE_EIO : 0;
}

static int carry_seal(struct carrying *c, const struct store_carried *o, const char *note)
{
	char root[HEX_SIZE];
	hex_of(o->root, HASH_SIZE, root);
	json_t *seal = json_pack("{s:I, s:s, s:s?}", "entries", (json_int_t)o->entries, "root", root,
	                         "note", *note ? note : NULL);
	char *text = seal ? json_dumps(seal, JSON_COMPACT) : NULL;
	int err = text ? c->fn(c->ctx, text, strlen(text)) || c->fn(c->ctx, "\n", 1) ?
		STORE_EIO : 0 : STORE_ENOMEM;
	free(text);
	json_decref(seal);
	return err;
}

static int carry_all(struct carrying *c, sqlite3 *db, struct store_carried *out)
{
	struct checkpoint of = { .size = 0 };
	char note[NOTE_OWN_SIZE] = "";
	int err = signer_note(db, note, sizeof note);
	err = err == STORE_ENOENT ? 0 : err;
	if (!err && note_claims(note, strlen(note), &of) == NOTE_OK)
		out->signed_upto = of.size;
	err = err ? err : rows_strict(db, carry_entry, c);
	if (err)
		return err;
	out->entries = c->tree.size;
	merkle_top(&c->tree, &c->hasher, out->root);
	return carry_seal(c, out, note);
}

int store_carry_out(const char *path, store_carry_fn *fn, void *ctx, struct store_carried *out)
{
	struct carrying c = { .fn = fn, .ctx = ctx };
	sqlite3 *db = NULL;
	*out = (struct store_carried){ .sealed = true };
	merkle_init(&c.tree);
	int err = hasher_init(&c.hasher);
	err = err ? err : db_open(path, DB_READ, &db, NULL);
	err = err ? err : db_exec(db, "BEGIN"); /* rows and note of one moment */
	err = err ? err : carry_all(&c, db, out);
	sqlite3_close(db);
	hasher_release(&c.hasher);
	free(c.line);
	return err;
}

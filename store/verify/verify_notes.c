/* SPDX-License-Identifier: MIT */
/*
 * The signed notes of a run: those in the database, the sidecar, the anchors.
 * A note is believed only after its signature; then it must be a prefix of the rows.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "store/db/db.h"
#include "store/tape/tape.h"
#include "store/verify/verify.h"

static struct proof *proof_new(struct verify *v)
{
	if (!ARRAY_ROOM(v->proofs, v->proof_cap, v->proof_count))
		return NULL;
	struct proof *p = &v->proofs[v->proof_count++];
	memset(p, 0, sizeof *p);
	return p;
}

static int read_file(struct verify *v, const char *path, const char *where, bool kept)
{
	char *text = NULL;
	size_t len = 0;
	int err = kept ? note_file_read_given(path, &text, &len) : note_file_read(path, &text, &len);
	if (err == STORE_ENOENT && !kept)
		return 0;
	if (err == STORE_ENOENT || err == STORE_EIO) {
		(void)snprintf(v->unreadable, sizeof v->unreadable, "cannot read %.120s: %s", path,
		               err == STORE_ENOENT ? "no such file" : "no file that can be read");
		return 0;
	}
	if (!err && kept && !note_has_form(text, len)) {
		v->out->no_note = where;
		(void)snprintf(v->out->detail, sizeof v->out->detail, "%.200s is no signed note", path);
		free(text);
		return STORE_EINVAL;
	}
	struct proof *p = err ? NULL : proof_new(v);
	if (!p) {
		free(text);
		return STORE_ENOMEM;
	}
	*p = (struct proof){ .text = text, .len = len, .where = where, .outside = true,
		.kept = kept };
	return 0;
}

int proofs_read_files(struct verify *v, const char *path)
{
	char sidecar[PATH_MAX];
	if (!note_file_name(path, sidecar, sizeof sidecar))
		return STORE_EINVAL;
	int err = read_file(v, sidecar, "the sidecar", false);
	const char *const *notes = v->options->notes;
	for (; !err && notes && *notes; notes++)
		err = read_file(v, *notes, *notes, true);
	return err;
}

int proofs_read_tape(struct verify *v)
{
	int err = 0, rc = SQLITE_ERROR;
	sqlite3_stmt *q = db_prepare(v->db, "SELECT size, note FROM tape_checkpoint ORDER BY size");
	while (!err && q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct proof *p = proof_new(v);
		size_t len = (size_t)sqlite3_column_bytes(q, 1);
		if (p)
			p->text = malloc(len + 1);
		if (!p || !p->text) {
			err = STORE_ENOMEM;
			break;
		}
		if (len > 0)
			memcpy(p->text, sqlite3_column_blob(q, 1), len);
		p->len = len;
		p->row_size = sqlite3_column_int64(q, 0);
		p->where = "the checkpoint";
	}
	if (!err && rc != SQLITE_DONE)
		err = verify_sqlite(v, -1);
	sqlite3_finalize(q);
	return err;
}

static int compare_size(const void *a, const void *b)
{
	const struct proof *x = *(struct proof *const *)a, *y = *(struct proof *const *)b;
	return (x->c.size > y->c.size) - (x->c.size < y->c.size);
}

/* Without memory for the order no proof is reached, which proofs_judge() does not forgive. */
void proofs_open(struct verify *v)
{
	v->order = calloc(v->proof_count + 1, sizeof(struct proof *));
	for (size_t i = 0; v->has_key && i < v->proof_count; i++) {
		struct proof *p = &v->proofs[i];
		p->bad = note_checkpoint(p->text, p->len, &v->key, &p->c);
		if (p->bad == NOTE_OK && !p->outside && p->row_size != p->c.size)
			p->bad = NOTE_MALFORMED;
		if (p->bad != NOTE_OK)
			continue;
		if (!p->outside && p->c.size > v->tile_need)
			v->tile_need = p->c.size;
		if (v->order)
			v->order[v->order_count++] = p;
	}
	if (v->order_count > 0)
		qsort(v->order, v->order_count, sizeof(struct proof *), compare_size);
}

void proofs_at(struct verify *v)
{
	uint8_t root[HASH_SIZE];
	if (v->order_at == v->order_count || v->order[v->order_at]->c.size != v->tree.size)
		return;
	merkle_top(&v->tree, &v->h, root);
	for (; v->order_at < v->order_count; v->order_at++) {
		struct proof *p = v->order[v->order_at];
		if (p->c.size != v->tree.size)
			break;
		p->reached = true;
		p->same = memcmp(root, p->c.root, HASH_SIZE) == 0;
		/* Counted as soon as it is known, so that a fault further on still tells how far. */
		if (p->same && p->c.size > v->out->signed_upto)
			v->out->signed_upto = p->c.size;
		/* What lies beside the file was written by whoever could write the file. */
		if (p->same && p->kept && p->c.size > v->out->anchored_upto)
			v->out->anchored_upto = p->c.size;
		if (p->same && p->kept && (v->out->since < 0 || p->c.size < v->out->since))
			v->out->since = p->c.size;
	}
}

static int judge(struct verify *v, const struct proof *p)
{
	static const char *const reason[] = {
		[-NOTE_MALFORMED] = "it is not a checkpoint of this tape",
		[-NOTE_UNSIGNED] = "it is not signed by this key",
		[-NOTE_FORGED] = "its signature is false",
		[-NOTE_FAILED] = "OpenSSL cannot check it",
	};
	char where[PATH_MAX + 32];
	if (p->outside)
		(void)snprintf(where, sizeof where, "%s", p->where);
	else
		(void)snprintf(where, sizeof where, "%s at %lld", p->where, (long long)p->row_size);
	if (p->bad == NOTE_FAILED)
		return STORE_ENOMEM;
	if (p->bad != NOTE_OK)
		return verify_fault(v, VERDICT_FORK, -1, "%.200s: %s", where, reason[-p->bad]);
	if (p->c.size > v->tree.size)
		return verify_fault(v, VERDICT_ROLLBACK, -1,
		                    "%.200s covers %lld entries, the tape has only %lld", where,
		                    (long long)p->c.size, (long long)v->tree.size);
	if (!p->reached)
		return STORE_ENOMEM;
	if (!p->same)
		return verify_fault(v, VERDICT_FORK, -1,
		                    "%.200s: the first %lld entries are not those that were signed"
		                    " (they were up to %lld)",
		                    where, (long long)p->c.size, (long long)v->out->signed_upto);
	return 0;
}

/* Those of the tape by size, then the sidecar, then the anchors as given. */
int proofs_judge(struct verify *v)
{
	int err = 0;
	for (int outside = 0; v->has_key && outside < 2; outside++)
		for (size_t i = 0; !err && i < v->proof_count; i++)
			if (v->proofs[i].outside == (outside == 1))
				err = judge(v, &v->proofs[i]);
	return err;
}

void proofs_release(struct verify *v)
{
	for (size_t i = 0; i < v->proof_count; i++)
		free(v->proofs[i].text);
	free(v->proofs);
	free(v->order);
}

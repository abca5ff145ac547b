/* SPDX-License-Identifier: MIT */
/*
 * Saving a document: bytes are checked by their family's rules, described, and
 * become one entry on the tape.  Nothing is stored when anything is refused.
 */
#include "fs/save/save.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fs/answers/answers.h"
#include "fs/context/context.h"
#include "fs/facts/facts.h"
#include "fs/internal.h"

static enum family family_of(const struct place *p, const char *name)
{
	bool identity = p->family == FAMILY_SECTION && render_is_document(FAMILY_IDENTITY, name);
	return identity ? FAMILY_IDENTITY : p->family;
}

int save_check(struct fs *fs, const struct place *p, const char *name, const char *bytes,
               size_t len, struct buf *fields, struct why *why)
{
	struct document d = { family_of(p, name), p->dir, name, 0 };
	if (len > DOCUMENT_LIMIT) {
		why_set(why, "split it, or keep it elsewhere and name it here",
		        "%zu bytes, at most %d", len, DOCUMENT_LIMIT);
		return -EFBIG;
	}
	if (d.family == FAMILY_SECTION || d.family == FAMILY_IDENTITY)
		d.tokens_most = context_section_max(fs, name);
	int err = p->family == FAMILY_ANSWER ? answers_check(p, name, why) : 0;
	if (err)
		return err;
	err = errno_of_render(render_document_in(&d, bytes ? bytes : "", len, fs->count_tokens,
	                                         fields, why));
	return !err && fields->failed ? -ENOMEM : err;
}

void save_body(const struct fs *fs, struct buf *body, const struct buf *fields,
               const struct talk *talk, const char *bytes, size_t len, const char *old,
               size_t old_len)
{
	char hex[2 * HASH_SIZE + 1];
	struct version_text v = { .fields = fields->data, .bytes = bytes ? bytes : "", .len = len,
		.sha256 = hex, .talk = talk };
	const char *text;
	size_t text_len;
	render_body_of(v.bytes, len, &text, &text_len);
	v.tokens = fs->count_tokens(text, len - (size_t)(text - v.bytes)); /* with what ends it */
	store_sha256(v.bytes, len, hex);
	render_line_changes(old, old_len, v.bytes, len, &v.added, &v.removed);
	render_version_body(body, &v);
	body->failed |= v.tokens < 0;
}

/*
 * The version these bytes were made from, -1: does not matter.  Who saves by renaming a file has
 * read the document before making it: what was saved since has not been seen.
 */
static int64_t base_of(struct fs *fs, const struct save *s, const struct doc *d)
{
	struct doc_version v;
	int64_t n = d->versions;
	if (s->base >= 0 || s->made_seq == 0)
		return s->base;
	while (n > 0 && store_doc_version(fs->store, d->id, n, &v) == 0 && v.seq >= s->made_seq)
		n--;
	return n;
}

/* Another saved since these bytes were read: both are kept, and somebody should know. */
static void note_conflict(struct fs *fs, const struct save *s, const struct doc *d, int64_t base)
{
	char path[PATH_LIMIT + 1], reason[200];
	tree_path(fs, s->dir, s->name, path, sizeof path);
	(void)snprintf(reason, sizeof reason, "saved over version %lld, made from version %lld",
	               (long long)d->versions, (long long)base);
	struct refusal r = { .time_us = now_us(), .code = "CONFLICT", .op = "save", .path = path,
		.author = s->author, .reason = reason,
		.todo = "both are kept: see NAME@log, and merge by hand if need be" };
	told_line(fs, &r);
}

/* What of an algorithm's config does nothing: it is kept, and somebody should know. */
static void note_unused(struct fs *fs, const struct save *s, const struct place *p,
                        const struct buf *fields, struct saved *out)
{
	char path[PATH_LIMIT + 1], members[400], reason[480];
	if (p->family != FAMILY_ALGORITHM ||
	    !policy_unused(p->dir, fields->data, fields->len, members, sizeof members))
		return;
	tree_path(fs, s->dir, s->name, path, sizeof path);
	(void)snprintf(reason, sizeof reason, "these members of config do nothing: %s", members);
	struct refusal r = { .time_us = now_us(), .code = "UNUSED", .op = "save", .path = path,
		.author = s->author, .reason = reason,
		.todo = "the version is kept; cinta.5, THE CONTEXT, lists what acts" };
	told_of(fs, &r, s->bytes, s->len);
	out->noted = true;
}

enum { LOOKS_MOST = 50 };

/* What one save appends: versions of documents, perhaps a new one; all in one transaction. */
struct batch {
	struct doc_entry *entry;
	size_t count, room;
	struct buf *body; /* as many, the entries' */
};

static int batch_add(struct batch *b, int64_t doc, const struct doc *at, struct buf *body)
{
	if (b->count == b->room) {
		size_t room = b->room * 2 + 2;
		struct doc_entry *entry = realloc(b->entry, room * sizeof *entry);
		b->entry = entry ? entry : b->entry;
		struct buf *bodies = entry ? realloc(b->body, room * sizeof *bodies) : NULL;
		b->body = bodies ? bodies : b->body;
		if (!bodies)
			return -ENOMEM;
		b->room = room;
	}
	b->body[b->count] = *body;
	b->entry[b->count++] = (struct doc_entry){ doc, "document", { body->data, body->len }, at,
		at && at->into };
	buf_init(body);
	return b->entry[b->count - 1].body.body ? 0 : -ENOMEM;
}

static void batch_cut(struct batch *b, size_t count)
{
	while (b->count > count)
		buf_release(&b->body[--b->count]);
}

static void batch_release(struct batch *b)
{
	batch_cut(b, 0);
	free(b->body);
	free(b->entry);
}

/* One active version a code: the others become deprecated, in the same transaction. */
static int retire_others(struct fs *fs, const struct place *p, const struct save *s,
                         struct batch *batch)
{
	struct doc d = { .id = 0 };
	int err = 0;
	if (p->family != FAMILY_ALGORITHM || !render_algorithm_active(s->bytes, s->len))
		return 0;
	while (!err && (err = errno_of_store(store_doc_next(fs->store, p->key, d.id, &d))) == 0) {
		struct buf fields = BUF_INIT, retired = BUF_INIT, body = BUF_INIT;
		char *old = NULL;
		size_t len = 0;
		struct why why;
		if (!d.folder && strcmp(d.name, s->name) != 0)
			err = errno_of_store(store_doc_content(fs->store, d.id, d.versions, &old, &len));
		if (!err && old && render_algorithm_active(old, len)) {
			render_algorithm_retire(&retired, old, len);
			err = save_check(fs, p, d.name, retired.data, retired.len, &fields, &why);
			if (!err)
				save_body(fs, &body, &fields, s->talk, retired.data, retired.len, old, len);
			if (!err)
				err = batch_add(batch, d.id, NULL, &body);
		}
		free(old);
		buf_release(&fields);
		buf_release(&retired);
		buf_release(&body);
	}
	return err == -ENOENT ? 0 : err;
}

static int add_version(struct fs *fs, const struct save *s, const struct doc *d,
                       const struct buf *fields, struct batch *batch, struct saved *out)
{
	struct buf body = BUF_INIT;
	char *old = NULL;
	size_t old_len = 0;
	int err = store_doc_content(fs->store, d->id, d->versions, &old, &old_len);
	bool damaged = err == STORE_EIO; /* whoever saves it anew mends it */
	bool again = is_answers(s->dir) || damaged || d->into; /* it holds from now on, or is back */
	err = damaged ? 0 : errno_of_store(err);
	bool same = !err && !again && old_len == s->len &&
	            (s->len == 0 || memcmp(old, s->bytes, s->len) == 0);
	if (!err && !same) {
		save_body(fs, &body, fields, s->talk, s->bytes, s->len, old ? old : "", old_len);
		err = body.failed ? -ENOMEM : batch_add(batch, d->id, d, &body);
	}
	if (!err && batch->count)
		err = errno_of_store(store_doc_append_all(fs->store, NULL, batch->entry, batch->count,
		                                          s->author));
	int64_t base = err || same || d->into ? -1 : base_of(fs, s, d);
	bool conflict = base >= 0 && base < d->versions;
	if (conflict)
		note_conflict(fs, s, d, base);
	buf_release(&body);
	free(old);
	if (!err)
		*out = (struct saved){ .ino = ino_make(KIND_DOC, d->id), .dir = s->dir,
			.version = d->versions + !same, .others = batch->count > (size_t)!same,
			.noted = conflict, .made = d->into };
	return err;
}

/* A save may retire what it saves. */
static void see_whether_it_stands(struct fs *fs, struct saved *out)
{
	struct doc d;
	if (ino_kind(out->ino) != KIND_DOC || store_doc_by_id(fs->store, ino_id(out->ino), &d) ||
	    d.into != d.id)
		return;
	out->gone = out->made = true;
}

static int make(struct fs *fs, const struct save *s, const struct place *p,
                const struct buf *fields, const struct batch *batch, struct saved *out,
                struct why *why)
{
	struct buf made = BUF_INIT, body = BUF_INIT;
	char path[PATH_LIMIT + 1], name[NAME_LIMIT + 1];
	int err = place_name(p, s->name, name);
	err = err ? err : secrets_refuse_name(fs, p, s->name, why);
	if (err)
		return err;
	tree_path(fs, s->dir, name, path, sizeof path);
	render_make_body(&made, p->key, name, path, false);
	save_body(fs, &body, fields, s->talk, s->bytes, s->len, "", 0);
	struct doc_new new = { .parent = p->key, .name = name, .make = { made.data, made.len },
		.version = { body.data, body.len } };
	err = made.failed || body.failed ? STORE_ENOMEM :
		store_doc_append_all(fs->store, &new, batch->entry, batch->count, s->author);
	buf_release(&made);
	buf_release(&body);
	*out = (struct saved){ .ino = ino_make(KIND_DOC, new.id), .made = true, .dir = s->dir,
		.version = 1, .others = batch->count > 0 };
	if (!err)
		out->noted = secrets_tell_name(fs, "write", s->dir, s->name, s->author);
	return errno_of_store(err);
}

/* Saved under its key, as through an open file, an answer keeps the question as it was asked. */
static int check_answer(struct fs *fs, const struct place *p, const struct save *s,
                        struct buf *fields, struct why *why)
{
	char asked[NAME_LIMIT + 1];
	struct doc d;
	(void)snprintf(asked, sizeof asked, "%s", s->name);
	if (place_doc(fs, p, s->name, &d) == 0 && strcmp(d.name, s->name) == 0)
		answers_asked(fs, &d, asked);
	return save_check(fs, p, asked, s->bytes, s->len, fields, why);
}

/*
 * Into the document of that name, or a new one.  Another process may make, move or retire it after
 * we looked: then what the name means now is looked at again.
 */
static int put_version(struct fs *fs, const struct save *s, const struct place *p,
                       const struct buf *fields, struct batch *batch, struct saved *out,
                       struct why *why)
{
	const size_t others = batch->count;
	struct doc d;
	int err = 0;
	for (int i = 0; i < LOOKS_MOST; i++) {
		batch_cut(batch, others);
		err = place_doc(fs, p, s->name, &d);
		if (err == -ENOENT)
			err = place_retired(fs, p, s->name, false, &d); /* its next version is due */
		if (err == -ENOENT)
			err = make(fs, s, p, fields, batch, out, why);
		else if (!err)
			err = add_version(fs, s, &d, fields, batch, out);
		if (err != -EEXIST && err != -ESTALE)
			break;
	}
	return err;
}

static int store_bytes(struct fs *fs, const struct save *s, struct saved *out, struct why *why)
{
	struct place p;
	struct buf fields = BUF_INIT;
	struct batch batch = { 0 };
	memset(out, 0, sizeof *out);
	int err = place_of(fs, s->dir, &p);
	if (!err && !place_lets(&p, s->name, fs, s->uid, why))
		err = -EPERM;
	if (!err)
		why->text[0] = '\0';
	if (!err && p.summaries)
		return summary_save(fs, s, out, why);
	if (!err && p.family == FAMILY_FACTS)
		return facts_save(fs, s, out, why);
	if (!err)
		err = p.family == FAMILY_ANSWER ? check_answer(fs, &p, s, &fields, why) :
			save_check(fs, &p, s->name, s->bytes, s->len, &fields, why);
	if (!err)
		err = retire_others(fs, &p, s, &batch);
	if (!err && p.family == FAMILY_BLOCK)
		err = block_once(fs, &p, s->name, 0, s->bytes, s->len, &fields, why);
	err = err ? err : put_version(fs, s, &p, &fields, &batch, out, why);
	if (!err)
		note_unused(fs, s, &p, &fields, out);
	buf_release(&fields);
	batch_release(&batch);
	if (err)
		why_not_stored(err, "save again", why);
	if (!err) {
		see_whether_it_stands(fs, out);
		out->listed = is_hidden(fs, ino_id(out->ino));
		hidden_remove(fs, ino_id(out->ino));
		times_forget(fs, ino_id(out->ino));
	}
	return err;
}

int save_document(struct fs *fs, const struct save *s, struct saved *out, struct why *why)
{
	memset(out, 0, sizeof *out);
	int err = secrets_refuse(fs, s->bytes, s->len, why);
	err = err ? err : store_bytes(fs, s, out, why);
	if (!err)
		secrets_tell_saved(fs, s, out);
	return err;
}

void job_saved(struct job *job, const struct saved *saved)
{
	if (!saved->ino)
		return;
	job_inode(job, ino_make(KIND_TAPE, 0));
	for (on_saved_fn *const *told = job->fs->on_saved; *told; told++)
		(*told)(job, saved);
}

/* SPDX-License-Identifier: MIT */
/*
 * Renames in places.  What a name means decides, not what moves:
 *
 *   from        to a memory's name               to a scratch name
 *   scratch     a save of its bytes              an ordinary move
 *   document    recorded; onto another document: in the same directory: out of sight until
 *               a version of that, this retires   its name is saved again, or comes back
 *   folder      recorded (notes/)                refused
 *
 * A document leaves its directory only for a memory's name of its own family:
 * there is no way to delete by moving.
 */
#include "fs/request/request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"
#include "fs/logs/logs.h"

struct move {
	fuse_req_t req;
	uint64_t ino, parent, new_parent;
	const char *name, *new_name;
	struct place from, to;
	bool to_place;   /* new_parent is one */
	bool to_memory;  /* new_name is a memory's */
	bool over_memory; /* a document or folder has it, whatever the name */
	struct writer by;
	struct saved saved;
	struct why why;
	struct buf offered;
	uint64_t log;      /* a log without lines: it takes the file's; or 0 */
	bool forget_old, forget_new; /* what the kernel must look up again */
	bool told;         /* errors.log has a line of it */
};

static int no(struct move *m, const char *todo, const char *text)
{
	why_set(&m->why, todo, "%s", text);
	return -EPERM;
}

/* Part of a text, which becomes no memory by another name. */
static int torn(struct move *m, const struct scratch *s)
{
	torn_why(&m->why);
	buf_add(&m->offered, s->bytes.data ? s->bytes.data : "", s->bytes.len);
	return s->torn.err;
}

static int move_scratch(struct fs *fs, struct move *m)
{
	struct scratch *s = scratch_by_id(fs, ino_id(m->ino));
	if (!s || !s->name[0])
		return -ENOENT;
	if (!m->to_place)
		return no(m, "see README.md for where things go", "this has no place there");
	if (S_ISDIR(s->mode) && m->to.folders && render_is_folder(m->to.family, m->new_name))
		return no(m, "mkdir a folder of that name, and copy into it",
		          "a scratch directory cannot become a memory");
	if (!S_ISREG(s->mode) && m->to_place && place_rests(&m->to, m->new_name))
		return no(m, "use another name", "only a file can become a memory");
	const struct scratch *target = scratch_find(fs, m->new_parent, m->new_name);
	if (target && S_ISDIR(target->mode) && scratch_next(fs, ino_make(KIND_SCRATCH, target->id), 0))
		return -ENOTEMPTY;
	if (!m->to_memory && m->over_memory)
		return no(m, "use another name", "that name belongs to a memory");
	if (!m->to_memory) {
		int err = scratch_may_move(fs, s, m->new_parent);
		if (err && err != -EXDEV)
			scratch_why(true, err, &m->why);
		if (err)
			return err;
		scratch_move(fs, s, m->new_parent, m->new_name);
		return 0;
	}
	if (!S_ISREG(s->mode))
		return no(m, "use another name", "only a file can become a memory");
	if (s->torn.err)
		return torn(m, s);
	struct save save = { .dir = m->new_parent, .name = m->new_name, .bytes = s->bytes.data,
		.len = s->bytes.len, .author = m->by.author, .talk = &m->by.talk,
		.uid = m->by.uid, .base = -1,
		.process = &m->by.process, .made_us = s->made_us,
		.made_seq = m->parent == m->new_parent ? s->made_seq : 0 };
	int err = save_document(fs, &save, &m->saved, &m->why);
	if (err) {
		buf_add(&m->offered, s->bytes.data, s->bytes.len);
		return err;
	}
	struct scratch *there = scratch_find(fs, m->new_parent, m->new_name);
	if (there && there != s) /* one that is being written under that name */
		scratch_join(fs, there, m->saved.ino, m->saved.version);
	if (s->timed && ino_doc(m->saved.ino))
		times_set(fs, ino_doc(m->saved.ino), s->changed_us);
	scratch_promote(fs, s, m->saved.ino, m->saved.version, m->saved.made);
	return 0;
}

/* vim and emacs move the document away before they write it anew. */
static int move_away(struct fs *fs, struct move *m, const struct doc *d)
{
	char *bytes = NULL;
	size_t len = 0;
	if (m->new_parent != m->parent)
		return no(m, "copy it; a save elsewhere under a memory's name is a memory too",
		          "a memory does not leave its directory for a scratch name");
	int err = errno_of_store(store_doc_content(fs->store, d->id, d->versions, &bytes, &len));
	struct scratch *there = err ? NULL : scratch_find(fs, m->new_parent, m->new_name);
	if (there)
		scratch_unlink(fs, there);
	struct scratch *s = err ? NULL : scratch_make(fs, m->new_parent, m->new_name, S_IFREG | 0600);
	if (!err && !s)
		err = -ENOMEM;
	if (!err)
		err = scratch_write(fs, s, bytes, len, 0);
	if (err && s)
		scratch_unlink(fs, s);
	free(bytes);
	if (err)
		return err;
	s->changed_us = times_of(fs, d->id, d->saved_us);
	hidden_add(fs, d->id);
	m->forget_new = true;
	return 0;
}

/* Its newest bytes must also be right under the new name (path fields, rules). */
static int check_content(struct fs *fs, struct move *m, const struct doc *d, char **bytes,
                         size_t *len, struct buf *fields)
{
	int err = errno_of_store(store_doc_content(fs->store, d->id, d->versions, bytes, len));
	err = err ? err : save_check(fs, &m->to, m->new_name, *bytes, *len, fields, &m->why);
	return err || m->to.family != FAMILY_BLOCK ? err :
		block_once(fs, &m->to, m->new_name, d->id, *bytes, *len, fields, &m->why);
}

static int replace(struct fs *fs, struct move *m, const struct doc *d, const struct doc *target,
                   const char *bytes, size_t len, const struct buf *fields)
{
	struct buf retire = BUF_INIT, body = BUF_INIT;
	char *old = NULL;
	size_t old_len = 0;
	int err = store_doc_content(fs->store, target->id, target->versions, &old, &old_len);
	err = err == STORE_EIO ? 0 : err; /* what is damaged may be replaced */
	if (!err) {
		render_retire_body(&retire, target->id);
		save_body(fs, &body, fields, &m->by.talk, bytes, len, old ? old : "", old_len);
		err = retire.failed || body.failed ? STORE_ENOMEM :
			store_doc_replace(fs->store, d, (struct doc_text){ retire.data, retire.len },
			                  target, (struct doc_text){ body.data, body.len }, m->by.author);
	}
	buf_release(&retire);
	buf_release(&body);
	free(old);
	if (err)
		return errno_of_store(err);
	hidden_remove(fs, target->id);
	times_forget(fs, target->id);
	m->saved = (struct saved){ .ino = ino_make(KIND_DOC, target->id), .made = true,
		.dir = m->new_parent, .version = target->versions + 1 };
	m->forget_old = m->forget_new = true;
	return 0;
}

static int record(struct fs *fs, struct move *m, const struct doc *d)
{
	struct buf body = BUF_INIT;
	char path[PATH_LIMIT + 1];
	tree_path(fs, m->new_parent, m->new_name, path, sizeof path);
	render_rename_body(&body, m->to.key, m->new_name, path);
	const struct doc_entry e = { d->id, "rename", { body.data, body.len }, d, false };
	int err = body.failed ? -ENOMEM :
		errno_of_store(store_doc_append_all(fs->store, NULL, &e, 1, m->by.author));
	buf_release(&body);
	m->saved = (struct saved){ .ino = ino_make(KIND_DOC, d->id), .made = true,
		.dir = m->new_parent };
	m->forget_old = true;
	if (!err)
		m->told = secrets_tell_name(fs, "rename", m->new_parent, m->new_name, m->by.author);
	return err;
}

/* A file onto a log: its lines, if that has none yet.  Who puts a copy back saves so (rsync). */
static int fill_log(struct fs *fs, struct move *m, uint64_t log)
{
	struct scratch *s = ino_kind(m->ino) == KIND_SCRATCH ? scratch_by_id(fs, ino_id(m->ino)) : NULL;
	if (!s || !S_ISREG(s->mode) || !is_untouched(fs, log))
		return no(m, "append the new lines: cat FILE >> LOG, rsync --inplace --append",
		          "lines are added to a log, it is never replaced");
	if (s->torn.err)
		return torn(m, s);
	buf_add(&m->offered, s->bytes.data ? s->bytes.data : "", s->bytes.len);
	if (m->offered.failed)
		return -ENOMEM;
	if (s->bytes.len > 0)
		m->log = log;
	else
		scratch_unlink(fs, s);
	return 0;
}

/* The document that moves; -ESTALE: another process took away the name the kernel knows. */
static int standing(struct fs *fs, const struct move *m, struct doc *d)
{
	int err = place_doc(fs, &m->from, m->name, d);
	return err == -ENOENT || (!err && d->id != ino_id(m->ino)) ? -ESTALE : err;
}

static int move_document(struct fs *fs, struct move *m)
{
	struct doc d, target;
	struct buf fields = BUF_INIT;
	char *bytes = NULL;
	size_t len = 0;
	int err = standing(fs, m, &d);
	if (err)
		return err;
	if (!m->to_memory)
		return place_lets(&m->from, m->name, fs, fuse_req_ctx(m->req)->uid, &m->why) ?
			move_away(fs, m, &d) : -EPERM;
	if (m->to.summaries)
		return no(m, "copy it: the copy is the summary", "a memory keeps its directory");
	if (m->to.family != m->from.family || place_is_guarded(&m->from, m->name) ||
	    place_is_guarded(&m->to, m->new_name))
		return no(m, "copy it: the copy is a memory of its own", "a memory keeps its family");
	if (m->to.family == FAMILY_ANSWER)
		return no(m, "save it under the other question", "an answer belongs to its question");
	struct scratch *newborn = scratch_find(fs, m->new_parent, m->new_name);
	err = check_content(fs, m, &d, &bytes, &len, &fields);
	if (!err)
		err = errno_of_store(store_doc_at(fs->store, m->to.key, m->new_name, &target));
	if (err == -ENOENT)
		err = record(fs, m, &d);
	else if (!err && target.folder)
		err = -EISDIR;
	else if (!err && target.id != d.id)
		err = replace(fs, m, &d, &target, bytes, len, &fields);
	if (!err && newborn)
		scratch_join(fs, newborn, m->saved.ino ? m->saved.ino : m->ino,
		             m->saved.version ? m->saved.version : d.versions);
	buf_release(&fields);
	free(bytes);
	return err;
}

static int move_folder(struct fs *fs, struct move *m)
{
	struct doc d, target;
	if (m->from.family != FAMILY_NOTE || m->to.family != FAMILY_NOTE || !m->to.folders ||
	    !render_is_folder(FAMILY_NOTE, m->new_name))
		return no(m, "rename folders within notes/, to names without a leading dot",
		          "a folder is memory and keeps its place");
	if (scratch_find(fs, m->new_parent, m->new_name))
		return -EEXIST;
	int err = errno_of_store(store_doc_at(fs->store, m->to.key, m->new_name, &target));
	if (err == -ENOENT) {
		err = standing(fs, m, &d);
		return err ? err : record(fs, m, &d);
	}
	return err ? err : target.id == ino_id(m->ino) ? 0 : -ENOTEMPTY;
}

/* An editor's backup of what has no document of its own yet: a copy under that name. */
static int copy_page(struct fs *fs, struct move *m)
{
	struct buf page = BUF_INIT;
	if (m->new_parent != m->parent || m->to_memory)
		return no(m, "copy it: the copy is a memory of its own",
		          ino_kind(m->ino) == KIND_SECTION ? "a section keeps its name" :
		          "this name leads to the answer of another question");
	struct scratch *there = scratch_find(fs, m->new_parent, m->new_name);
	int err = tree_page(fs, m->ino, &page);
	if (!err && there)
		scratch_unlink(fs, there);
	struct scratch *s = err ? NULL : scratch_make(fs, m->new_parent, m->new_name, S_IFREG | 0600);
	if (!err)
		err = s ? scratch_write(fs, s, page.data, page.len, 0) : -ENOMEM;
	m->forget_new = true;
	buf_release(&page);
	return err;
}

/* The same of a list of facts, which has no other name. */
static int copy_list(struct fs *fs, struct move *m)
{
	struct why why = { 0 };
	if (m->new_parent == m->parent && !m->to_memory && !name_check(&m->to, m->new_name, &why))
		return copy_page(fs, m);
	why_set(&m->why, "write the facts into the list they belong to: each domain has one",
	        "a list of facts keeps its name (asked for: %.100s)", m->new_name);
	return -EPERM;
}

/* True if it would go into itself: a mount's kernel knows only its own moves. */
static bool is_inside(struct fs *fs, uint64_t dir, uint64_t ino)
{
	struct climb up = { .ino = dir };
	while (ino_kind(up.ino) != KIND_ROOT && up.ino != ino && tree_climb(fs, &up))
		;
	return ino_kind(up.ino) != KIND_ROOT;
}

/* The name that it is to have. */
static int check_name(struct fs *fs, struct move *m)
{
	int err = name_check(&m->to, m->new_name, &m->why);
	bool kept = m->to_memory || place_rests(&m->to, m->new_name) ||
		(ino_kind(m->ino) == KIND_FOLDER && m->to.folders);
	return err || !kept ? err : secrets_refuse_name(fs, &m->to, m->new_name, &m->why);
}

static int move(struct fs *fs, struct move *m, unsigned flags)
{
	uint64_t there;
	if (flags & ~(unsigned)RENAME_NOREPLACE)
		return -EINVAL; /* RENAME_EXCHANGE, RENAME_WHITEOUT: nobody saves by them */
	int err = tree_lookup(fs, m->new_parent, m->new_name, &there);
	if (!err && (flags & RENAME_NOREPLACE))
		return -EEXIST;
	if (!err && there == m->ino)
		return 0;
	if (!err && node_of(fs, there)->flags & NODE_GROWS)
		return fill_log(fs, m, there);
	if (!err && !(node_of(fs, there)->flags & NODE_COVERED))
		return no(m, "use another name", "that name belongs to another file of the memory");
	m->over_memory = !err && ino_kind(there) != KIND_SCRATCH;
	m->to_place = place_of(fs, m->new_parent, &m->to) == 0;
	m->to_memory = m->to_place && (name_is_memory(fs, &m->to, m->new_name) ||
		(ino_kind(m->ino) == KIND_DOC && place_rests(&m->to, m->new_name)));
	(void)place_of(fs, m->parent, &m->from);
	if (ino_kind(m->ino) == KIND_FACT_LIST)
		return copy_list(fs, m);
	if (m->to_place && (err = check_name(fs, m)))
		return err;
	if (is_inside(fs, m->new_parent, m->ino))
		return -EINVAL;
	switch (ino_kind(m->ino)) {
	case KIND_SCRATCH: return move_scratch(fs, m);
	case KIND_FOLDER: return move_folder(fs, m);
	case KIND_RETRIEVED:
	case KIND_SECTION: return copy_page(fs, m);
	default: return move_document(fs, m);
	}
}

void rename_place(fuse_req_t req, uint64_t ino, uint64_t parent, const char *name,
                  uint64_t new_parent, const char *new_name, unsigned flags)
{
	struct fs *fs = fs_of(req);
	struct move m = { .req = req, .ino = ino, .parent = parent, .new_parent = new_parent,
		.name = name, .new_name = new_name };
	int64_t doc = ino_kind(ino) == KIND_DOC ? ino_id(ino) : 0;
	struct job job;
	writer_of(req, &m.by);
	lock_take(&fs->docs);
	int err = move(fs, &m, flags);
	lock_give(&fs->docs);
	if (!err && m.log) {
		log_take_file(req, m.log, m.offered.data, m.offered.len, ino);
		buf_release(&m.offered);
		return;
	}
	if (err == -EINVAL && m.why.text[0])
		err = -EPROTO; /* mv takes EINVAL for something else, and renames again */
	if (err && m.why.text[0]) {
		struct offer offer = { new_name, m.offered.data, m.offered.len };
		refuse(req, -err, "rename", ino, NULL, &m.why, m.offered.len ? &offer : NULL);
	} else if (err) {
		fuse_reply_err(req, -err);
	} else {
		job_init(&job, fs);
		if (m.told)
			job_errors(&job);
		job_saved(&job, &m.saved);
		job_written(&job, parent, req);
		job_written(&job, new_parent, req);
		if (m.forget_old) /* before the answer: who opens it then must find that it is to go */
			dentry_forget(fs, parent, name, doc);
		if (m.forget_new)
			dentry_forget(fs, new_parent, new_name, doc);
		job_finish(&job, req, answer_err, NULL);
	}
	buf_release(&m.offered);
}

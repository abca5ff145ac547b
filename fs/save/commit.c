/* SPDX-License-Identifier: MIT */
/*
 * When staged bytes become a version, and what happens if they cannot (the states
 * are drawn in edit.h).  Called for each FLUSH, FSYNC and RELEASE of a handle that
 * stages; always answers the request.
 */
#include "fs/save/save.h"

#include <errno.h>
#include <string.h>

#include "fs/internal.h"

enum commit {
	COMMIT_FLUSH, COMMIT_FSYNC, COMMIT_RELEASE
};

struct staging *staging_new(fuse_req_t req, const struct handle_ops *ops, bool writes)
{
	struct staging *t = handle_new(mount_of(req), ops, sizeof *t);
	if (t && writes) {
		writer_of(req, &t->by);
		t->writes = true;
		t->opener = fuse_req_ctx(req)->pid;
	}
	return t;
}

void staging_close(struct handle *h)
{
	struct staging *t = (struct staging *)h;
	struct fs *fs = h->mount->fs;
	if (t->edit)
		edit_close(fs, t->edit);
	if (t->scratch) {
		t->scratch->writers -= t->writes && !t->edit;
		scratch_close(fs, t->scratch);
	}
}

/* What nobody has saved under a memory's name has no name any more. */
void staging_drop(struct handle *h)
{
	struct scratch *s = ((struct staging *)h)->scratch;
	if (s && s->newborn && s->opens == 1 && s->name[0])
		scratch_unlink(h->mount->fs, s);
}

void reply_part(fuse_req_t req, const struct buf *bytes, size_t size, off_t off)
{
	size_t at = (size_t)off < bytes->len ? (size_t)off : bytes->len;
	fuse_reply_buf(req, bytes->data ? bytes->data + at : "",
	               bytes->len - at < size ? bytes->len - at : size);
}

/* An editor has moved the document away and could not save it anew: it is seen again at once. */
static void come_back(struct fs *fs, const struct scratch *s)
{
	struct place p;
	struct doc d;
	if (place_of(fs, s->dir, &p) == 0 && place_doc(fs, &p, s->name, &d) == 0)
		hidden_remove(fs, d.id);
}

/* The handle is closed; what was refused under a memory's name has no name any more. */
static void release_last(struct fs *fs, struct staging *h, int err)
{
	lock_take(&fs->docs);
	struct scratch *s = h->edit ? NULL : h->scratch;
	bool refused = s && (err || s->refused || (h->failed && s->written));
	if (refused && s->newborn && s->name[0])
		come_back(fs, s);
	if (refused && h->writes && s->newborn && s->writers == 1 && s->name[0])
		scratch_unlink(fs, s);
	lock_give(&fs->docs);
	handle_free(&h->handle);
}

/*
 * The FLUSH of a child that inherited the descriptor, at its exec or exit, while
 * its parent still writes: not a save.  Once the parent has closed one descriptor
 * of the file nobody knows who will be the last, and every FLUSH is.
 */
static bool is_childs(fuse_req_t req, struct staging *h, enum commit when)
{
	if (when != COMMIT_FLUSH || h->closed)
		return false;
	if (is_child(fuse_req_ctx(req)->pid, h->by.process.pid))
		return true;
	h->closed = true;
	return false;
}

/* True if there is something that this moment must commit (edit.h, invariant 3). */
static bool must_commit(const struct staging *h, enum commit when)
{
	if (h->edit)
		return h->edit->written || (h->edit->truncated && when == COMMIT_RELEASE);
	const struct scratch *s = h->scratch;
	if (!h->writes) /* a reader's close is nobody's save */
		return false;
	if (s->promoted_to)
		return s->written;
	if (!s->newborn || !s->name[0])
		return false;
	return s->written || (when == COMMIT_RELEASE && s->writers == 1 && s->bytes.len == 0);
}

/* A new document that somebody removed while it was being written: its bytes go to rejected/. */
static bool is_orphan(const struct staging *h, enum commit when)
{
	const struct scratch *s = h->edit ? NULL : h->scratch;
	return s && h->writes && when == COMMIT_RELEASE && s->writers == 1 && s->newborn &&
	       !s->name[0] && s->written && !s->promoted_to;
}

/* The error of a WRITE without which the staged bytes are part of a text; 0: there was none. */
static int torn_by(const struct staging *h)
{
	return h->edit ? h->edit->torn.err : h->scratch->torn.err;
}

/* The store could not, for now: while it is open the bytes stay staged, and a close tries again. */
static bool is_passing(int err)
{
	return err == -ENOSPC || err == -EIO || err == -ENOMEM || err == -EROFS || err == -EHOSTDOWN;
}

/* Of what a refusal is told, and by whom. */
struct refused {
	uint64_t ino, dir; /* dir: a name in it has gone with the handle, 0: none */
	char name[NAME_LIMIT + 1], author[FIELD_MAX + 1]; /* author: "": of the request */
};

/* While the handle is there: on RELEASE a newborn loses its name, and no process asks. */
static void refused_note(struct fs *fs, const struct staging *h, uint64_t ino, enum commit when,
                         struct refused *out)
{
	const struct scratch *s = h->edit ? NULL : h->scratch;
	*out = (struct refused){ .ino = ino };
	tree_name(fs, ino, out->name, sizeof out->name);
	if (when != COMMIT_RELEASE)
		return;
	memcpy(out->author, h->by.author, sizeof out->author);
	lock_take(&fs->docs);
	out->dir = s && s->newborn && s->name[0] ? s->dir : 0;
	lock_give(&fs->docs);
}

/* What a refusal keeps: the staged bytes, under the document's name. */
static void refuse_commit(fuse_req_t req, int err, const char *op, const struct refused *of,
                          struct buf *offered, const struct why *why)
{
	struct offer offer = { of->name, offered->data, offered->len };
	refuse_by(req, -err, op, of->dir ? of->dir : of->ino, of->dir ? of->name : NULL, of->author,
	          why, offered->len ? &offer : NULL);
	buf_release(offered);
}

/*
 * True if it is half a text: of a program killed while it wrote a document anew, or one whose WRITE
 * the ending mount refused.  The FLUSH of the dying tells; that another holds the handle still,
 * RELEASE.
 */
static bool is_half(fuse_req_t req, struct staging *h, enum commit when)
{
	const struct edit *e = h->edit;
	const struct scratch *s = h->scratch;
	if (atomic_load(&h->handle.broken))
		return e ? e->written || e->truncated : s->written && (s->newborn || s->promoted_to);
	bool anew = e ? e->truncated || (e->written && !e->appends) :
		h->writes && (scratch_over(s) || s->replaces) &&
		(s->written ? !s->appends : s->newborn && s->bytes.len == 0);
	if (!anew)
		return false;
	if (when != COMMIT_RELEASE)
		h->killed = when == COMMIT_FLUSH && is_killed(fuse_req_ctx(req)->pid);
	return h->killed;
}

static int commit_whole(struct fs *fs, struct staging *h, struct saved *saved, struct why *why)
{
	int err = torn_by(h);
	if (err)
		torn_why(why);
	else if (h->edit)
		err = edit_commit(fs, h->edit, &h->by, saved, why);
	else
		err = scratch_commit(fs, h->scratch, &h->by, saved, why);
	return err;
}

/*
 * Commits what the handle has staged and answers.  A refusal on RELEASE reaches
 * nobody by errno; it is in errors.log all the same.
 */
static void commit(fuse_req_t req, uint64_t ino, struct staging *h, enum commit when)
{
	static const char *const op[] = { "flush", "fsync", "release" };
	struct fs *fs = fs_of(req);
	struct saved saved = { 0 };
	struct why why = { 0 };
	struct buf offered = BUF_INIT;
	struct job job;
	int err = 0;
	lock_take(&fs->docs);
	bool childs = is_childs(req, h, when);
	if (is_half(req, h, when)) {
		bool broken = atomic_load(&h->handle.broken);
		if (broken || when == COMMIT_RELEASE) {
			const struct buf *half = h->edit ? &h->edit->bytes : &h->scratch->bytes;
			why_set(&why, "save again", "its writer was stopped in the middle");
			buf_add(&offered, half->data, half->len);
			err = broken ? -ECONNABORTED : -EINTR;
		}
	} else if (is_orphan(h, when)) {
		why_set(&why, "save it again", "its name was removed before it was saved");
		buf_add(&offered, h->scratch->bytes.data, h->scratch->bytes.len);
		err = -ESTALE;
	} else if (!childs && must_commit(h, when) && !(h->failed && when == COMMIT_RELEASE)) {
		const struct buf *bytes = h->edit ? &h->edit->bytes : &h->scratch->bytes;
		err = commit_whole(fs, h, &saved, &why);
		if (err)
			buf_add(&offered, bytes->data, bytes->len);
		h->failed = err != 0; /* who was told of an error must not find it stored later */
	}
	/* Told once; the bytes are in rejected/. */
	bool refused = err && (torn_by(h) || !is_passing(err));
	if (refused && h->edit)
		h->edit->written = h->edit->truncated = false;
	else if (refused)
		h->scratch->refused = true, h->scratch->written = false;
	lock_give(&fs->docs);
	if (!err && when == COMMIT_FSYNC)
		err = errno_of_store(store_sync(fs->store));
	struct refused of;
	if (err)
		refused_note(fs, h, ino, when, &of);
	if (when == COMMIT_RELEASE)
		release_last(fs, h, err);
	if (err) {
		refuse_commit(req, err, op[when], &of, &offered, &why);
		return;
	}
	job_init(&job, fs);
	job_saved(&job, &saved);
	job_finish(&job, req, answer_err, NULL);
}

void staging_flush(fuse_req_t req, struct handle *h, uint64_t ino)
{
	commit(req, ino, (struct staging *)h, COMMIT_FLUSH);
}

void staging_fsync(fuse_req_t req, struct handle *h, uint64_t ino)
{
	struct staging *t = (struct staging *)h;
	struct fs *fs = fs_of(req);
	struct why why = { 0 };
	lock_take(&fs->docs);
	int err = t->scratch ? scratch_keep(fs, t->scratch) : 0;
	lock_give(&fs->docs);
	if (!err) {
		commit(req, ino, t, COMMIT_FSYNC);
		return;
	}
	why_set(&why, "make room and fsync again: until then it is in the daemon's memory alone",
	        "it could not be kept beside the memory");
	refuse(req, -err, "fsync", ino, NULL, &why, NULL);
}

void staging_release(fuse_req_t req, struct handle *h, uint64_t ino)
{
	commit(req, ino, (struct staging *)h, COMMIT_RELEASE);
}

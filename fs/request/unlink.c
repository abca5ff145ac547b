/* SPDX-License-Identifier: MIT */
/*
 * Deleting names.  Memory is not deleted, and each refusal says what to do instead; what is no
 * memory goes, and a folder of notes/ that never held one.  In a mount with `rm=retire` a document
 * is retired by it: an entry says so, its history stays, and who saves the name again goes on with
 * it; and a folder goes when all in it is retired.
 */
#include "fs/request/request.h"

#include <errno.h>
#include <string.h>

#include "fs/internal.h"
#include "fs/answers/answers.h"

bool is_made(const struct fs *fs, uint64_t ino)
{
	const struct node *row = node_of(fs, ino);
	switch (ino_kind(ino)) {
	case KIND_MESSAGE: case KIND_VERSION: case KIND_FACT_VERSION: case KIND_SUMMARY:
		return false;
	default:
		return !(row->flags & NODE_WRITABLE) && !row->keep_todo && !S_ISDIR(row->mode);
	}
}

static void drop_rejected(fuse_req_t req, uint64_t ino)
{
	struct fs *fs = fs_of(req);
	struct job job;
	int err = errno_of_store(store_rejected_drop(fs->store, ino_id(ino)));
	job_init(&job, fs);
	job_inode(&job, ino_make(KIND_REJECTED, 0));
	job_finish(&job, req, answer_err, (void *)(intptr_t)-err);
}

/* A scratch file or directory goes. */
static void drop_scratch(fuse_req_t req, uint64_t parent, uint64_t ino, bool dir)
{
	struct fs *fs = fs_of(req);
	struct job job;
	int err = 0;
	lock_take(&fs->docs);
	struct scratch *s = scratch_by_id(fs, ino_id(ino));
	if (!s || !s->name[0])
		err = -ENOENT;
	else if (dir && !S_ISDIR(s->mode))
		err = -ENOTDIR;
	else if (!dir && S_ISDIR(s->mode))
		err = -EISDIR;
	else if (dir && scratch_next(fs, ino, 0))
		err = -ENOTEMPTY;
	else
		scratch_unlink(fs, s);
	lock_give(&fs->docs);
	job_init(&job, fs);
	if (!err)
		job_written(&job, parent, req);
	job_finish(&job, req, answer_err, (void *)(intptr_t)-err);
}

static int append_retire(struct fs *fs, const struct doc *d, const char *author)
{
	struct buf body = BUF_INIT;
	render_retire_body(&body, 0);
	const struct doc_entry e = { d->id, "retire", { body.data, body.len }, d, false };
	int err = body.failed ? -ENOMEM :
		errno_of_store(store_doc_append_all(fs->store, NULL, &e, 1, author));
	buf_release(&body);
	return err;
}

/* -ESTALE: another process moved or retired it since the kernel looked. */
static int retire(fuse_req_t req, uint64_t parent, const char *name, uint64_t ino, struct why *why)
{
	struct fs *fs = fs_of(req);
	char author[FIELD_MAX + 1];
	struct place p;
	struct doc d;
	author_of(req, author);
	int err = place_of(fs, parent, &p);
	if (!err && !place_lets(&p, name, fs, fuse_req_ctx(req)->uid, why))
		return -EPERM;
	err = err ? err : place_doc(fs, &p, name, &d);
	if (!err && d.id != ino_id(ino))
		err = -ENOENT;
	return err == -ENOENT ? -ESTALE : err ? err : append_retire(fs, &d, author);
}

static void retire_document(fuse_req_t req, uint64_t parent, const char *name, uint64_t ino)
{
	struct fs *fs = fs_of(req);
	struct why why = { 0 };
	struct job job;
	lock_take(&fs->docs);
	int err = retire(req, parent, name, ino, &why);
	if (!err)
		times_forget(fs, ino_id(ino));
	lock_give(&fs->docs);
	if (err && why.text[0]) {
		refuse(req, -err, "unlink", ino, NULL, &why, NULL);
		return;
	}
	job_init(&job, fs);
	if (!err) {
		job_saved(&job, &(struct saved){ .ino = ino, .dir = parent, .made = true, .gone = true });
		job_written(&job, parent, req);
	}
	job_finish(&job, req, answer_err, (void *)(intptr_t)-err);
}

/* False: it is answered. */
static bool find_name(fuse_req_t req, uint64_t parent, const char *name, uint64_t *ino)
{
	int err = tree_lookup(fs_of(req), parent, name, ino);
	if (err)
		fuse_reply_err(req, -err);
	return !err;
}

void op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct why why = { 0 };
	uint64_t ino;
	if (!find_name(req, parent, name, &ino))
		return;
	if (ino_kind(ino) == KIND_REJECTED_FILE) {
		drop_rejected(req, ino); /* not memory: a secret pasted by mistake can go */
		return;
	}
	if (ino_kind(ino) == KIND_SCRATCH) {
		drop_scratch(req, parent, ino, false);
		return;
	}
	/* Nothing is lost: it is there for all others, and who takes it away may make it anew. */
	if ((node_of(fs_of(req), ino)->flags & NODE_WRITABLE) && is_untouched(fs_of(req), ino)) {
		vacant_add(fs_of(req), parent, name, fuse_req_ctx(req)->pid);
		fuse_reply_err(req, 0);
		return;
	}
	if (mount_of(req)->retires && ino_kind(ino) == KIND_DOC) {
		retire_document(req, parent, name, ino);
		return;
	}
	const char *todo = node_of(fs_of(req), ino)->keep_todo;
	if (is_made(fs_of(req), ino)) {
		why_set(&why, "leave it: it takes no room, and goes on by itself",
		        "this page is made of the memory each time it is read");
		refuse(req, EPERM, "unlink", ino, NULL, &why, NULL);
		return;
	}
	why_set(&why, is_answers(parent) ? "leave it: an answer goes by itself" : todo ? todo :
	        "leave it; what is on the tape stays", "memory is never deleted");
	refuse(req, EPERM, "unlink", ino, NULL, &why, NULL);
}

/*
 * A folder of notes/ that never held a memory, or `retires`: that holds none; an entry says that it
 * went.
 */
static int drop_folder(struct fs *fs, uint64_t ino, const char *author, bool retires,
                       struct why *why)
{
	struct doc child, folder;
	char key[32];
	bool held = false;
	(void)snprintf(key, sizeof key, "#%lld", (long long)ino_id(ino));
	bool any = store_doc_next(fs->store, key, 0, &child) == 0;
	if (any && !child.folder && !retires) {
		why_set(why, "leave it; what is on the tape stays", "memory is never deleted");
		return -EPERM;
	}
	if (any || scratch_next(fs, ino, 0))
		return -ENOTEMPTY;
	int err = errno_of_store(store_folder_held(fs->store, ino_id(ino), &held));
	if (!err && held && !retires) {
		why_set(why, "move it into another folder, as notes/archive/",
		        "this folder held a memory once, whose history names it");
		return -EPERM;
	}
	if (!err)
		err = errno_of_store(store_doc_by_id(fs->store, ino_id(ino), &folder));
	return err ? err : append_retire(fs, &folder, author);
}

static void remove_folder(fuse_req_t req, uint64_t parent, const char *name, uint64_t ino)
{
	struct fs *fs = fs_of(req);
	char author[FIELD_MAX + 1];
	struct why why = { 0 };
	struct job job;
	author_of(req, author);
	lock_take(&fs->docs);
	int err = drop_folder(fs, ino, author, mount_of(req)->retires, &why);
	lock_give(&fs->docs);
	if (err && why.text[0]) {
		refuse(req, -err, "rmdir", ino, NULL, &why, NULL);
		return;
	}
	job_init(&job, fs);
	if (!err) {
		generation_ends(fs, ino);
		job_written(&job, parent, req);
		job_inode(&job, ino_make(KIND_TAPE, 0));
		dentry_forget(fs, parent, name, 0);
	}
	job_finish(&job, req, answer_err, (void *)(intptr_t)-err);
}

void op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct why why = { 0 };
	uint64_t ino;
	if (!find_name(req, parent, name, &ino))
		return;
	if (ino_kind(ino) == KIND_SCRATCH) {
		drop_scratch(req, parent, ino, true);
		return;
	}
	if (ino_kind(ino) == KIND_FOLDER) {
		remove_folder(req, parent, name, ino);
		return;
	}
	why_set(&why, "leave it; what is on the tape stays", "memory is never deleted");
	refuse(req, EPERM, "rmdir", ino, NULL, &why, NULL);
}

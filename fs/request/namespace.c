/* SPDX-License-Identifier: MIT */
/*
 * Making names.  Memory grows: a session is made by mkdir, a document by saving a
 * file, and each refusal says what to do instead.  Beside the documents, scratch files
 * come and go as editors like.  Deleting is in unlink.c.
 */
#include "fs/request/request.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"
#include "fs/answers/answers.h"
#include "fs/logs/logs.h"

/* Names over 255 bytes are refused as every other filesystem does, without a line in a log. */
static bool too_long(fuse_req_t req, const char *name)
{
	if (strlen(name) <= NAME_LIMIT)
		return false;
	fuse_reply_err(req, ENAMETOOLONG);
	return true;
}

enum { FOLDERS_DEEP = 60 };

/* True if no new file may have this name there; the request is answered then. */
static bool is_no_name(fuse_req_t req, uint64_t parent, const struct place *p, const char *name,
                       const char *op)
{
	struct why why = { 0 };
	int err = name_check(p, name, &why);
	if (!err && (place_is_memory(p, name) || place_rests(p, name)))
		err = secrets_refuse_name(fs_of(req), p, name, &why);
	if (err)
		refuse(req, -err, op, parent, name, &why, NULL);
	return err != 0;
}

/* `told`: errors.log has a line of it. */
static void reply_new(fuse_req_t req, uint64_t parent, uint64_t ino, bool told)
{
	struct fuse_entry_param *e = malloc(sizeof *e);
	struct job job;
	int err = e ? fill_entry(req, ino, e) : -ENOMEM;
	job_init(&job, fs_of(req));
	job_written(&job, parent, req);
	if (told)
		job_errors(&job);
	if (ino_kind(ino) == KIND_SESSION) {
		vacant_session(fs_of(req), ino, fuse_req_ctx(req)->pid);
		job_current(&job);
		job_inode(&job, ino_make(KIND_ACTION_LOG, 0));
	}
	if (err) {
		free(e);
		job_finish(&job, req, answer_err, (void *)(intptr_t)-err);
	} else {
		job_finish(&job, req, answer_entry, e);
	}
}

static void make_session(fuse_req_t req, const char *name)
{
	struct fs *fs = fs_of(req);
	uint64_t sessions = ino_make(KIND_SESSIONS, 0);
	char author[FIELD_MAX + 1];
	struct why why = { 0 };
	int64_t id = 0;
	int err = errno_of_render(render_check_name(name, strlen(name), "session", &why));
	if (err) {
		refuse(req, -err, "mkdir", sessions, name, &why, NULL);
		return;
	}
	author_of(req, author);
	err = session_make(fs, name, author, &id, &why);
	if (err && why.text[0])
		refuse(req, -err, "mkdir", sessions, name, &why, NULL);
	else if (err)
		fuse_reply_err(req, -err);
	else
		reply_new(req, sessions, ino_make(KIND_SESSION, id),
		          secrets_tell_name(fs, "mkdir", sessions, name, author));
}

static bool too_deep(struct fs *fs, uint64_t dir)
{
	int depth = 0;
	while (ino_kind(dir) == KIND_FOLDER && depth < FOLDERS_DEEP) {
		dir = tree_parent(fs, dir);
		depth++;
	}
	return depth == FOLDERS_DEEP;
}

/* A folder is memory; its name stays. */
static void make_folder(fuse_req_t req, uint64_t parent, const struct place *p, const char *name)
{
	struct fs *fs = fs_of(req);
	char author[FIELD_MAX + 1], path[PATH_LIMIT + 1];
	struct buf body = BUF_INIT;
	int64_t id = 0;
	struct why why = { 0 };
	if (too_deep(fs, parent)) {
		why_set(&why, "make it higher up", "folders go %d deep", FOLDERS_DEEP);
		refuse(req, EPERM, "mkdir", parent, name, &why, NULL);
		return;
	}
	if (secrets_refuse_name(fs, p, name, &why)) {
		refuse(req, EINVAL, "mkdir", parent, name, &why, NULL);
		return;
	}
	author_of(req, author);
	tree_path(fs, parent, name, path, sizeof path);
	render_make_body(&body, p->key, name, path, true);
	int err = folder_bring_back(fs, p, name, path, author, &id);
	if (err == -ENOENT)
		err = body.failed ? -ENOMEM :
			errno_of_store(store_doc_make(fs->store, p->key, name,
			                              (struct doc_text){ body.data, body.len }, NULL, author,
			                              &id));
	buf_release(&body);
	if (err)
		fuse_reply_err(req, -err);
	else
		reply_new(req, parent, ino_make(KIND_FOLDER, id),
		          secrets_tell_name(fs, "mkdir", parent, name, author));
}

/* A new scratch name, or -EEXIST.  fs->docs held: another mount may ask for the same. */
static int new_scratch(struct fs *fs, uint64_t parent, const char *name, mode_t mode,
                       struct scratch **out)
{
	uint64_t there;
	if (tree_lookup(fs, parent, name, &there) == 0)
		return -EEXIST;
	if (scratch_room(fs, parent))
		return -ENOSPC;
	*out = scratch_make(fs, parent, name, mode);
	return *out ? 0 : -ENOMEM;
}

/* Why it could not be made; of what is full, with words. */
static void refuse_room(fuse_req_t req, int err, uint64_t parent, const char *name)
{
	struct why why = { 0 };
	if (err != -ENOSPC) {
		fuse_reply_err(req, -err);
		return;
	}
	scratch_why(true, err, &why);
	refuse(req, ENOSPC, "create", parent, name, &why, NULL);
}

/* A name that no document and no table has: a scratch directory or link. */
static void make_scratch(fuse_req_t req, uint64_t parent, const char *name, mode_t mode,
                         const char *target)
{
	struct fs *fs = fs_of(req);
	struct scratch *s = NULL;
	lock_take(&fs->docs);
	int err = new_scratch(fs, parent, name, mode, &s);
	if (!err && target)
		err = scratch_write(fs, s, target, strlen(target), 0);
	uint64_t ino = s ? ino_make(KIND_SCRATCH, s->id) : 0;
	lock_give(&fs->docs);
	if (err)
		refuse_room(req, err, parent, name);
	else
		reply_new(req, parent, ino, false);
}

void op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
	struct why why = { 0 };
	struct place p;
	uint64_t there;
	if (too_long(req, name))
		return;
	missing_over(fs_of(req), parent, name);
	if (ino_kind(parent) == KIND_SESSIONS) {
		make_session(req, name);
		return;
	}
	if (vacant_take(fs_of(req), parent, name, fuse_req_ctx(req)->pid) &&
	    tree_lookup(fs_of(req), parent, name, &there) == 0 && tree_is_dir(fs_of(req), there)) {
		reply_new(req, parent, there, false);
		return;
	}
	bool place = place_of(fs_of(req), parent, &p) == 0;
	bool folder = place && p.folders && render_is_folder(p.family, name);
	if (place && (!folder || place_is_past(&p, name)) &&
	    is_no_name(req, parent, &p, name, "mkdir"))
		return;
	if (folder) {
		make_folder(req, parent, &p, name);
		return;
	}
	/* Tools' own (.~tmp~ of rsync, x.md.lock of npm), and all in scratch or in the workspace. */
	bool memory = place && name_is_memory(fs_of(req), &p, name);
	bool any = place && !p.key[0] && !p.lines;
	if (place && !memory && (name[0] == '.' || any || render_is_temporary(name))) {
		make_scratch(req, parent, name, S_IFDIR | (mode & 0777), NULL);
		return;
	}
	if (ino_kind(parent) == KIND_THREADS)
		why_set(&why, "append a message with \"thread\":\"NAME\" to a session's log",
		        "a thread is made by its first message");
	else if (memory)
		why_set(&why, "write a file of that name", "this is the name of a memory, which is a file");
	else
		why_set(&why, "make sessions with mkdir sessions/NAME, free folders below notes/",
		        "this directory is not made here");
	refuse(req, EPERM, "mkdir", parent, name, &why, NULL);
}

static void refuse_new(fuse_req_t req, fuse_ino_t parent, const char *name, const char *op)
{
	struct why why = { 0 };
	if (ino_kind(parent) == KIND_FIRST)
		why_set(&why, "echo '{\"role\":\"user\",\"content\":\"…\"}' >> sessions/current/log.jsonl"
		        " makes one, then try again", "there is no session yet");
	else
		why_set(&why, "see README.md for where things go; free files have their place below notes/",
		        "a new file has no place here");
	refuse(req, EPERM, op, parent, name, &why, NULL);
}

void op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t dev)
{
	struct place p;
	struct why why = { 0 };
	(void)dev;
	if (too_long(req, name))
		return;
	missing_over(fs_of(req), parent, name);
	if (!S_ISREG(mode)) {
		why_set(&why, "make it outside of the mount, in /tmp or $XDG_RUNTIME_DIR",
		        "here are files, directories and links: no FIFO, socket or device");
		refuse(req, EPERM, "mknod", parent, name, &why, NULL);
	} else if (place_of(fs_of(req), parent, &p) || name_is_memory(fs_of(req), &p, name)) {
		refuse_new(req, parent, name, "mknod");
	}
	else if (!is_no_name(req, parent, &p, name, "mknod"))
		make_scratch(req, parent, name, S_IFREG | (mode & 0777), NULL);
}

void op_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
               struct fuse_file_info *fi)
{
	struct fs *fs = fs_of(req);
	struct place p;
	struct scratch *s = NULL;
	struct why why = { 0 };
	uint64_t there;
	if (too_long(req, name))
		return;
	missing_over(fs, parent, name);
	if (vacant_take(fs, parent, name, fuse_req_ctx(req)->pid) &&
	    tree_lookup(fs, parent, name, &there) == 0) {
		reply_made_again(req, there, fi);
		return;
	}
	if (place_of(fs, parent, &p)) {
		refuse_new(req, parent, name, "create");
		return;
	}
	if (is_no_name(req, parent, &p, name, "create"))
		return;
	if (!place_lets(&p, name, fs, fuse_req_ctx(req)->uid, &why)) {
		refuse(req, EPERM, "create", parent, name, &why, NULL);
		return;
	}
	bool memory = name_is_memory(fs, &p, name);
	int err = !memory ? 0 : p.summaries ? summary_check(fs, parent, name, &why) :
		p.family == FAMILY_ANSWER ? answers_check(&p, name, &why) : 0;
	if (err && p.summaries && summary_is_name(name) &&
	    vacant_restores(fs, tree_parent(fs, parent), fuse_req_ctx(req)->pid)) {
		memory = false; /* a copy's summary before its log: it waits for its messages (tidy.c) */
		err = 0;
	}
	if (err) { /* now: shells do not look at the error of close */
		refuse(req, -err, "create", parent, name, &why, NULL);
		return;
	}
	lock_take(&fs->docs);
	err = memory && store_frozen(fs->store) ? -EROFS :
		new_scratch(fs, parent, name, S_IFREG | (mode & 0777), &s);
	if (!err) {
		struct doc d;
		s->newborn = memory;
		s->over = memory && place_doc(fs, &p, name, &d) == 0 ? ino_make(KIND_DOC, d.id) : 0;
		reply_created(req, s, fi);
		return;
	}
	lock_give(&fs->docs);
	if (err == -EEXIST && !(fi->flags & O_EXCL))
		dentry_answer_again(req); /* another mount was faster: he looks again, and opens it */
	else
		refuse_room(req, err, parent, name);
}

void op_symlink(fuse_req_t req, const char *target, fuse_ino_t parent, const char *name)
{
	struct place p;
	struct why why = { 0 };
	if (too_long(req, name))
		return;
	missing_over(fs_of(req), parent, name);
	if (place_of(fs_of(req), parent, &p) || place_is_memory(&p, name) || place_rests(&p, name)) {
		why_set(&why, "copy the file, or write down its path; links can stand in smma/workspace/",
		        "a link is no memory");
		refuse(req, EPERM, "symlink", parent, name, &why, NULL);
	} else if (!is_no_name(req, parent, &p, name, "symlink")) {
		make_scratch(req, parent, name, S_IFLNK | 0777, target);
	}
}

void op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t parent, const char *name)
{
	struct why why = { 0 };
	(void)name;
	/* git tries it for each object, and renames then: no line for each. */
	if (ino_kind(ino) == KIND_SCRATCH && ino_kind(parent) == KIND_SCRATCH) {
		fuse_reply_err(req, EPERM);
		return;
	}
	if (ino_kind(ino) == KIND_SCRATCH)
		why_set(&why, "cp or mv it", "a file off the tape has one name, too");
	else
		why_set(&why, "copy the file out of the mount, or name it by a symbolic link from outside",
		        "a memory has one name");
	refuse(req, EPERM, "link", ino_of_node(ino), NULL, &why, NULL);
}

static const char *rename_todo(const struct fs *fs, uint64_t ino)
{
	const struct node *row = node_of(fs, ino);
	if (row->keep_todo)
		return row->keep_todo;
	if (ino_kind(ino) == KIND_FACT_LIST)
		return "write the facts into the list they belong to: each domain has one";
	if (is_made(fs, ino))
		return "copy it to where the copy shall stand";
	bool session = ino_kind(ino) == KIND_SESSION || row->flags & NODE_GROWS;
	return session ? "make a new session and go on there" :
		"leave it; folders of yours go below notes/";
}

void op_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t new_parent,
               const char *new_name, unsigned flags)
{
	struct why why = { 0 };
	uint64_t ino;
	if (!*new_name) { /* no kernel asks for it */
		fuse_reply_err(req, EINVAL);
		return;
	}
	if (too_long(req, new_name))
		return;
	missing_over(fs_of(req), new_parent, new_name);
	int err = tree_lookup(fs_of(req), parent, name, &ino);
	if (err) {
		fuse_reply_err(req, -err);
		return;
	}
	const struct node *row = node_of(fs_of(req), ino);
	if (row->flags & NODE_RENAMABLE) {
		rename_place(req, ino, parent, name, new_parent, new_name, flags);
		return;
	}
	why_set(&why, rename_todo(fs_of(req), ino), "%s keeps its name (asked for: %.100s)",
	        is_made(fs_of(req), ino) ? "a page that is made" :
	        S_ISDIR(row->mode) ? "this directory" : "a memory", new_name);
	refuse(req, EPERM, "rename", ino, NULL, &why, NULL);
}

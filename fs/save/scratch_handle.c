/* SPDX-License-Identifier: MIT */
/* An open scratch file: all its handles share the file's bytes (scratch.h). */
#include "fs/save/save.h"

#include <errno.h>
#include <string.h>

#include "fs/internal.h"

static struct scratch *scratch_in(struct handle *h)
{
	return ((struct staging *)h)->scratch;
}

static void scratch_give(fuse_req_t req, struct handle *h, uint64_t ino, size_t size, off_t off,
                         const struct fuse_file_info *fi)
{
	struct fs *fs = fs_of(req);
	(void)ino, (void)fi;
	lock_take(&fs->docs);
	reply_part(req, &scratch_in(h)->bytes, size, off);
	lock_give(&fs->docs);
}

/* Too large, or all is full: said once a file, for who writes a log tries again and again. */
static bool is_news(struct scratch *s, int err, struct why *why)
{
	if (err != -EFBIG && err != -ENOSPC)
		return false;
	bool news = !s->told;
	s->told = true;
	scratch_why(s->log, err, why);
	return news;
}

static void scratch_take(fuse_req_t req, struct handle *h, uint64_t ino, const struct write *w)
{
	struct fs *fs = fs_of(req);
	struct scratch *s = scratch_in(h);
	struct why why = { 0 };
	lock_take(&fs->docs);
	off_t at = w->at_end ? (off_t)s->bytes.len : w->off;
	int err = scratch_write(fs, s, w->data, w->size, at);
	torn_note(&s->torn, err, at, w->size);
	if (!err) {
		s->appends = s->appends && w->at_end;
		s->replaces |= s->promoted_to && at < (off_t)s->kept;
	}
	bool news = err && is_news(s, err, &why);
	lock_give(&fs->docs);
	if (news)
		refuse(req, -err, "write", ino, NULL, &why, NULL);
	else if (err)
		fuse_reply_err(req, -err);
	else
		fuse_reply_write(req, w->size);
}

static int scratch_truncate(struct handle *h, int64_t size)
{
	struct fs *fs = h->mount->fs;
	lock_take(&fs->docs);
	int err = scratch_set_size(fs, scratch_in(h), size);
	lock_give(&fs->docs);
	return err;
}

bool newborn_is_of(const struct scratch *s, pid_t pid)
{
	return !scratch_over(s) || is_begun_by(pid, s->maker);
}

bool newborn_size(struct fs *fs, uint64_t ino, pid_t pid, int64_t *size)
{
	lock_take(&fs->docs);
	const struct scratch *s = ino_kind(ino) == KIND_SCRATCH ? scratch_by_id(fs, ino_id(ino)) : NULL;
	bool makes = s && scratch_over(s) && newborn_is_of(s, pid);
	if (makes)
		*size = (int64_t)s->bytes.len;
	lock_give(&fs->docs);
	return makes;
}

const struct handle_ops scratch_ops = {
	.read = scratch_give,
	.write = scratch_take,
	.flush = staging_flush,
	.fsync = staging_fsync,
	.release = staging_release,
	.truncate = scratch_truncate,
	.drop = staging_drop,
	.close = staging_close,
};

int scratch_handle(fuse_req_t req, int64_t id, bool writing, struct handle **out)
{
	struct fs *fs = fs_of(req);
	struct scratch *s = scratch_by_id(fs, id);
	int err = !s ? -ESTALE : S_ISREG(s->mode) ? 0 : -EISDIR;
	if (err)
		return err;
	bool apart = writing && s->newborn && s->writers > 0;
	struct staging *t = staging_new(req, apart ? &edit_ops : &scratch_ops, writing);
	if (!t)
		return -ENOMEM;
	t->scratch = s; /* the inode stays while it is open */
	s->opens++;
	if (writing) {
		memcpy(s->author, t->by.author, sizeof s->author);
		s->talk = t->by.talk;
		s->uid = t->by.uid;
	}
	if (writing && !apart)
		s->maker = t->by.process.pid;
	s->writers += writing && !apart;
	err = apart ? edit_open_newborn(fs, s, t->opener, &t->edit) : 0;
	if (err)
		handle_free(&t->handle);
	else
		*out = &t->handle;
	return err;
}

/* SPDX-License-Identifier: MIT */
/* Scratch files as the tree shows them: names, sizes, bytes; and what is said when all is full. */
#include <errno.h>
#include <string.h>

#include "fs/internal.h"
#include "fs/scratch/scratch.h"

int scratch_lookup(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	const struct scratch *s = scratch_find(fs, dir, name);
	*ino = s ? ino_make(KIND_SCRATCH, s->id) : 0;
	return s ? 0 : -ENOENT;
}

int scratch_stat(struct fs *fs, int64_t id, struct log_stat *out)
{
	lock_take(&fs->docs);
	const struct scratch *s = scratch_by_id(fs, id);
	int err = s ? 0 : -ESTALE; /* then the kernel looks the name up again */
	if (s && s->promoted_to && !s->opens)
		err = tree_measure(fs, s->promoted_to, out);
	else if (s && scratch_over(s))
		err = tree_measure(fs, scratch_over(s), out);
	else if (s)
		*out = (struct log_stat){ (int64_t)s->bytes.len, s->changed_us };
	lock_give(&fs->docs);
	return err;
}

static int changed_fixed(struct fs *fs, enum kind dir, int64_t *time_us)
{
	lock_take(&fs->docs);
	*time_us = *scratch_time_of_dir(fs, dir);
	lock_give(&fs->docs);
	return 0;
}

int changed_workspace(struct fs *fs, int64_t id, int64_t *time_us)
{
	(void)id;
	return changed_fixed(fs, KIND_WORKSPACE, time_us);
}

int changed_logs(struct fs *fs, int64_t id, int64_t *time_us)
{
	(void)id;
	return changed_fixed(fs, KIND_LOGS, time_us);
}

ssize_t scratch_read(struct fs *fs, int64_t id, int64_t offset, char *dst, size_t size)
{
	lock_take(&fs->docs);
	const struct scratch *s = scratch_by_id(fs, id);
	uint64_t target = !s ? 0 : s->opens ? scratch_over(s) : s->promoted_to;
	ssize_t got = !s ? -ENOENT : S_ISDIR(s->mode) ? -EISDIR : 0;
	if (got == 0 && !target && offset >= 0 && offset < (int64_t)s->bytes.len) {
		size_t left = s->bytes.len - (size_t)offset;
		got = (ssize_t)(left < size ? left : size);
		memcpy(dst, s->bytes.data + offset, (size_t)got);
	}
	lock_give(&fs->docs);
	return target ? tree_read(fs, target, offset, dst, size) : got;
}

int scratch_target(struct fs *fs, int64_t id, struct buf *out)
{
	lock_take(&fs->docs);
	const struct scratch *s = scratch_by_id(fs, id);
	int err = !s ? -ENOENT : S_ISLNK(s->mode) ? 0 : -EINVAL;
	if (!err)
		buf_add(out, s->bytes.data, s->bytes.len);
	lock_give(&fs->docs);
	return err;
}

mode_t scratch_mode(struct fs *fs, int64_t id)
{
	lock_take(&fs->docs);
	const struct scratch *s = scratch_by_id(fs, id);
	mode_t mode = s ? s->mode : fs->tree[KIND_SCRATCH].mode;
	lock_give(&fs->docs);
	return mode;
}

uint64_t scratch_ino_now(struct fs *fs, uint64_t ino)
{
	if (ino_kind(ino) != KIND_SCRATCH)
		return ino;
	lock_take(&fs->docs);
	const struct scratch *s = scratch_by_id(fs, ino_id(ino));
	if (s && s->promoted_to)
		ino = s->promoted_to;
	lock_give(&fs->docs);
	return ino;
}

void scratch_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	lock_take(&fs->docs);
	const struct scratch *s = scratch_by_id(fs, ino_id(ino));
	if (s && s->name[0])
		(void)snprintf(dst, size, "%s", s->name);
	else if (s && s->promoted_to)
		tree_name(fs, s->promoted_to, dst, size);
	lock_give(&fs->docs);
}

uint64_t scratch_parent(struct fs *fs, uint64_t ino)
{
	lock_take(&fs->docs);
	const struct scratch *s = scratch_by_id(fs, ino_id(ino));
	uint64_t parent = s ? s->dir : FUSE_ROOT_ID;
	lock_give(&fs->docs);
	return parent;
}

void scratch_why(bool log, int err, struct why *why)
{
	if (err == -EFBIG)
		why_set(why, log ? "go on in another file" : "keep it outside, and name it here",
		        "a file of %s has at most %d MiB", log ? "logs/" : "this kind",
		        (log ? LOG_FILE_MOST : SCRATCH_FILE_MOST) >> 20);
	else
		why_set(why, log ? "remove some of logs/" : "remove some, or save what is memory",
		        "%s is full: %d MiB%s", log ? "logs/" : "the room for files that are not memory",
		        (log ? LOGS_MOST : SCRATCH_MOST) >> 20, log ? ", 4,096 files" : "");
}

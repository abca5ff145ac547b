/* SPDX-License-Identifier: MIT */
/* Names and files (file_id.h). */
#include "store/base/file_id.h"

#include <errno.h>
#include <sys/stat.h>

int file_id_of(const char *path, struct file_id *id)
{
	struct stat st;
	*id = (struct file_id){ .ino = 0 };
	if (stat(path, &st) != 0)
		return -errno;
	*id = (struct file_id){ st.st_dev, st.st_ino };
	return 0;
}

bool file_id_same(const struct file_id *a, const struct file_id *b)
{
	return a->dev == b->dev && a->ino == b->ino;
}

bool file_id_left(const char *path, const struct file_id *was, int *error)
{
	struct file_id now;
	*error = file_id_of(path, &now);
	return was->ino != 0 && (*error == 0 ? !file_id_same(&now, was) :
	                         *error == -ENOENT || *error == -ENOTDIR);
}

nlink_t file_names(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 ? st.st_nlink : 0;
}

int64_t file_bytes(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 ? st.st_size : -1;
}

/* SPDX-License-Identifier: MIT */
/* Names and files (file_id.h). */
#include "store/base/file_id.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/lock.h"

static struct {
	struct lock lock;
	struct file_pin *first; /* guarded by lock */
} pins = { .lock = { PTHREAD_MUTEX_INITIALIZER, RANK_PINS, false } };

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

void file_pin_set(struct file_pin *p, const char *path, const char *ending)
{
	(void)snprintf(p->path, sizeof p->path, "%s%s", path, ending);
	if (file_id_of(p->path, &p->id))
		return;
	lock_take(&pins.lock);
	p->next = pins.first;
	pins.first = p;
	lock_give(&pins.lock);
}

void file_pin_clear(struct file_pin *p)
{
	lock_take(&pins.lock);
	struct file_pin **at = &pins.first;
	while (*at && *at != p)
		at = &(*at)->next;
	if (*at)
		*at = p->next;
	lock_give(&pins.lock);
}

bool file_pin_left(const struct file_pin *p)
{
	int error;
	return file_id_left(p->path, &p->id, &error);
}

void file_pin_unname(const struct file_pin *p)
{
	if (p->id.ino != 0 && !file_pin_left(p))
		(void)unlink(p->path);
}

bool file_pin_holds(const char *path)
{
	struct file_id now = { .ino = 0 };
	bool holds = true;
	lock_take(&pins.lock);
	for (const struct file_pin *p = pins.first; holds && p; p = p->next)
		holds = strcmp(p->path, path) != 0 ||
			(file_id_of(path, &now) == 0 && file_id_same(&now, &p->id));
	lock_give(&pins.lock);
	return holds;
}

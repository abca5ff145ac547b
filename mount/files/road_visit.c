/* SPDX-License-Identifier: MIT */
/* The road without a daemon: store and tree in this process, for as long as the verb takes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount/files/road.h"
#include "store/store.h"

static int by_stat(struct files *f, const char *path, bool follow, struct stat *st)
{
	return fs_visit_stat(f->visit, path, follow, st);
}

static int by_link(struct files *f, const char *path, char *target, size_t size)
{
	return fs_visit_link(f->visit, path, target, size);
}

static int by_list(struct files *f, const char *path, fs_visit_name_fn *fn, void *ctx)
{
	return fs_visit_list(f->visit, path, fn, ctx);
}

static int by_mkdir(struct files *f, const char *path)
{
	return fs_visit_mkdir(f->visit, path);
}

static int by_open(struct files *f, const char *path, int flags, struct file *out)
{
	return fs_visit_open(f->visit, path, flags, &out->visit);
}

static ssize_t by_read(struct files *f, struct file *file, char *dst, size_t size)
{
	return fs_visit_read(f->visit, &file->visit, dst, size);
}

static ssize_t by_write(struct files *f, struct file *file, const char *src, size_t size)
{
	return fs_visit_write(f->visit, &file->visit, src, size);
}

static int by_empty(struct files *f, struct file *file)
{
	return fs_visit_empty(f->visit, &file->visit);
}

static int by_close(struct files *f, struct file *file)
{
	return fs_visit_close(f->visit, &file->visit);
}

/* Who owns the memory is alone. */
static int by_hold(struct files *f, const char *path, struct file *held)
{
	(void)f, (void)path, (void)held;
	return 0;
}

static void by_release(struct file *held)
{
	(void)held;
}

static void by_end(struct files *f)
{
	fs_visit_end(f->visit);
	if (f->fs)
		fs_free(f->fs);
	if (f->store)
		store_close(f->store);
	if (f->lock >= 0)
		close(f->lock);
}

int road_visit(struct files *f, const char *database, const struct options *o, int lock,
               struct why *why)
{
	static const struct road road = { by_stat, by_link, by_list, by_mkdir, by_open, by_read,
		by_write, by_empty, by_close, by_hold, by_release, by_end };
	struct store_config config = { .flags = lock < 0 ? STORE_READONLY : STORE_OWNER,
		.key_dir = o->key_dir, .text_size = fs_text_size, .plain_text = fs_plain_text };
	const struct fs_options plain = { .session = NULL };
	const struct fs_mount_options as = { .owner = o->owner, .read_only = lock < 0 };
	f->road = &road;
	f->lock = lock;
	int err = store_open(database, &config, &f->store, why);
	if (err && lock >= 0 && !f->writes) {
		/* What cannot be trusted to go on, or cannot grow, can be read. */
		struct why second = { 0 };
		config.flags = STORE_READONLY;
		err = store_open(database, &config, &f->store, &second);
	}
	if (err) {
		if (lock >= 0 && store_is_full(database))
			why_set(why, "make room there", "disk full: nothing can be written");
		else if (!*why->text)
			why_set(why, "see `cinta doctor`", "%s", store_strerror(err));
		return -EIO;
	}
	err = fs_new(f->store, &plain, &f->fs);
	if (!err)
		err = fs_visit_begin(f->fs, &as, &f->visit);
	return err == -EAGAIN ? -ENOMEM : err; /* no thread: not a matter of waiting */
}

/* SPDX-License-Identifier: MIT */
/*
 * cinta export --site DIR: the pages of .cinta/html/ as files that need nothing.
 *
 * The pages are read as they are in a mount, from index.html to all that it leads to, so that there
 * is one way in which they come about.  Only the search box is another: a directory of files cannot
 * answer any question, so it leads to the word in search.html.  index.html is written last: where
 * it is missing, the copy is not whole.
 *
 * What a mount does by itself is waited for first (a signature, the walk along the tape), because
 * pages tell of it: two copies of one memory are then the same, byte for byte.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount/export/export.h"
#include "mount/export/links.h"
#include "mount/point/point.h"

static const char root[] = ".cinta/html/", first[] = "index.html";

/* ---- files ----------------------------------------------------------------------- */

/* The directory, made or empty; -1 after complaining. */
static int open_new(const char *to)
{
	bool made = mkdir(to, 0700) == 0;
	int dir = made || errno == EEXIST ? open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (dir < 0)
		complain("%s: %s; %s", to, strerror(errno), errno == ENOENT ?
		         "make its parent with mkdir -p, or choose another place" :
		         errno == ENOTDIR ? "name a directory that is new or empty" :
		         "choose a place that you may write to");
	else if (made || point_is_empty(to) > 0)
		return dir;
	else
		complain("%s holds files already; name a directory that is new or empty", to);
	if (dir >= 0)
		close(dir);
	return -1;
}

static int make_parents(int dir, const char *path)
{
	char part[PAGE_PATH];
	(void)snprintf(part, sizeof part, "%s", path);
	for (char *slash = part; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		if (mkdirat(dir, part, 0700) != 0 && errno != EEXIST)
			return -errno;
	}
	return 0;
}

static int site_put(int dir, const char *path, const char *bytes, size_t len)
{
	int err = make_parents(dir, path);
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = err ? -1 : openat(dir, path, flags, 0600);
	if (!err && fd < 0)
		err = -errno;
	for (size_t at = 0; !err && at < len;) {
		ssize_t put = write(fd, bytes + at, len - at);
		if (put < 0 && errno != EINTR)
			err = -errno;
		at += put > 0 ? (size_t)put : 0;
	}
	if (fd >= 0 && close(fd) != 0 && !err)
		err = -errno;
	return err;
}

/* ---- pages ----------------------------------------------------------------------- */

struct copy {
	struct files *f;
	const char *to;
	int dir;
	struct pages pages;
	char *index; /* written last */
	size_t index_len;
	long long bytes;
};

static int failed(const struct copy *c, const char *path, int err)
{
	if (err == -EEXIST)
		complain("%s: %s has another page of that name in other letters; copy to one that tells "
		         "them apart", path, c->to);
	else if (err == -EINVAL || err == -ENAMETOOLONG)
		complain("%s: %s takes no such name; copy to a file system that does", path, c->to);
	else
		complain("%s/%s: %s", c->to, path, strerror(-err));
	return EXIT_FAULT;
}

/* The page with the search box of a copy: allocated, or NULL. */
static char *as_copy(const char *bytes, size_t len, size_t *out_len)
{
	static const char box[] = "search/\" data-end=\".html\"";
	static const char other[] = "search.html#q-\" data-end=\"\"";
	const char *at = memmem(bytes, len, box, sizeof box - 1);
	char *out = malloc(len + sizeof other);
	if (!out || !at) {
		free(out);
		return NULL;
	}
	size_t head = (size_t)(at - bytes), tail = head + sizeof box - 1;
	memcpy(out, bytes, head);
	memcpy(out + head, other, sizeof other - 1);
	memcpy(out + head + sizeof other - 1, bytes + tail, len - tail);
	*out_len = len - (sizeof box - 1) + sizeof other - 1;
	return out;
}

static int copy_page(struct copy *c, const char *path)
{
	char from[sizeof root + PAGE_PATH], *bytes = NULL;
	size_t len, out_len = 0;
	(void)snprintf(from, sizeof from, "%s%s", root, path);
	int err = files_slurp(c->f, from, &bytes, &len);
	if (err)
		return files_complain(c->f, from, err);
	if (!pages_take_links(&c->pages, path, bytes, len))
		err = -ENOMEM;
	char *out = err ? NULL : as_copy(bytes, len, &out_len);
	free(bytes);
	if (!err && !out) {
		complain("%s is no page with a search box; is the daemon of another version?", from);
		return EXIT_FAULT;
	}
	c->bytes += (long long)out_len;
	if (!err && strcmp(path, first) == 0) {
		c->index = out;
		c->index_len = out_len;
		return EXIT_FINE;
	}
	err = err ? err : site_put(c->dir, path, out, out_len);
	free(out);
	return err ? failed(c, path, err) : EXIT_FINE;
}

static int copy_all(struct copy *c)
{
	int status = pages_add(&c->pages, first) ? EXIT_FINE : failed(c, first, -ENOMEM);
	for (size_t i = 0; status == EXIT_FINE && i < c->pages.count; i++)
		status = copy_page(c, c->pages.at[i]);
	if (status != EXIT_FINE)
		return status;
	int err = site_put(c->dir, first, c->index, c->index_len);
	if (!err && syncfs(c->dir) != 0) /* it may be a stick that is pulled out */
		err = -errno;
	return err ? failed(c, first, err) : EXIT_FINE;
}

int export_site(const struct files_command *c, const struct export_order *o)
{
	const char *to = o->to;
	struct copy copy = { .to = to, .dir = -1 };
	int status = files_start(c, false, &copy.f);
	if (status != EXIT_FINE)
		return status;
	copy.dir = open_new(to);
	if (copy.dir >= 0)
		export_settle(copy.f);
	status = copy.dir >= 0 ? copy_all(&copy) : EXIT_FAULT;
	if (status == EXIT_FINE)
		printf("%s/%s: %zu pages, %lld bytes\n", to, first, copy.pages.count, copy.bytes);
	if (copy.dir >= 0)
		close(copy.dir);
	pages_release(&copy.pages);
	free(copy.index);
	files_end(copy.f);
	return status;
}

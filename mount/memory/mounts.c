/* SPDX-License-Identifier: MIT */
/*
 * Reads /proc/self/mountinfo (proc(5)).  Called by mount, umount, doctor and
 * status.
 */
#include "mount/memory/mounts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Undoes the \ooo escapes of space, tab, newline and backslash. */
static void unescape(char *dst, size_t size, const char *src)
{
	size_t n = 0;
	while (*src && n + 1 < size) {
		if (src[0] == '\\' && src[1] >= '0' && src[1] <= '3' && src[2] && src[3]) {
			dst[n++] = (char)((src[1] - '0') * 64 + (src[2] - '0') * 8 + (src[3] - '0'));
			src += 4;
		} else {
			dst[n++] = *src++;
		}
	}
	dst[n] = '\0';
}

/*
 * id parent major:minor root DIR options [optional…] - TYPE SOURCE superoptions
 */
static bool parse_line(char *line, struct mount_entry *e)
{
	char *dash = strstr(line, " - ");
	if (!dash)
		return false;
	*dash = '\0';
	char *rest = dash + 3, *keep = NULL;
	char *type = strtok_r(rest, " \n", &keep);
	char *source = strtok_r(NULL, " \n", &keep);
	char *super = strtok_r(NULL, " \n", &keep);
	if (!type || !source || !super || strcmp(type, MOUNT_TYPE))
		return false;
	char *dir = strtok_r(line, " ", &keep), *numbers = NULL;
	for (int i = 0; dir && i < 4; i++) {
		dir = strtok_r(NULL, " ", &keep);
		numbers = i == 1 ? dir : numbers;
	}
	char *flags = dir ? strtok_r(NULL, " ", &keep) : NULL;
	if (!flags)
		return false;
	const char *colon = strchr(numbers, ':');
	e->device = colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
	unescape(e->dir, sizeof e->dir, dir);
	unescape(e->source, sizeof e->source, source);
	const char *uid = strstr(super, "user_id=");
	e->uid = uid ? (uid_t)strtoul(uid + 8, NULL, 10) : 0;
	e->read_only = !strncmp(flags, "ro", 2) || !strncmp(super, "ro", 2);
	return true;
}

static int each_in(const char *file, mounts_fn *fn, void *ctx)
{
	FILE *f = fopen(file, "re");
	if (!f)
		return -errno;
	struct mount_entry *e = malloc(sizeof *e);
	char *line = NULL;
	size_t size = 0;
	int found = e ? 0 : -ENOMEM;
	while (found == 0 && getline(&line, &size, f) > 0)
		if (parse_line(line, e))
			found = fn(ctx, e);
	free(line);
	free(e);
	fclose(f);
	return found;
}

int mounts_each(mounts_fn *fn, void *ctx)
{
	return each_in("/proc/self/mountinfo", fn, ctx);
}

int mounts_of_process(pid_t pid, mounts_fn *fn, void *ctx)
{
	char file[64];
	(void)snprintf(file, sizeof file, "/proc/%ld/mountinfo", (long)pid);
	return each_in(file, fn, ctx);
}

bool path_contains(const char *dir, const char *path)
{
	size_t len = strlen(dir);
	if (len == 1)
		return true;
	return !strncmp(dir, path, len) && (path[len] == '/' || path[len] == '\0');
}

struct search {
	const char *path;
	struct mount_entry *out;
	int count;
};

static void hit(struct search *s, const struct mount_entry *e)
{
	s->count++;
	if (s->out)
		*s->out = *e;
}

static int match_at(void *ctx, const struct mount_entry *e)
{
	struct search *s = ctx;
	if (!strcmp(e->dir, s->path))
		hit(s, e);
	return 0;
}

static int match_around(void *ctx, const struct mount_entry *e)
{
	struct search *s = ctx;
	if (path_contains(e->dir, s->path))
		hit(s, e);
	return 0;
}

static int match_source(void *ctx, const struct mount_entry *e)
{
	struct search *s = ctx;
	if (!strcmp(e->source, s->path))
		hit(s, e);
	return 0;
}

static int search(mounts_fn *fn, const char *path, struct mount_entry *out)
{
	struct search s = { path, out, 0 };
	(void)mounts_each(fn, &s);
	return s.count;
}

bool mounts_at(const char *dir, struct mount_entry *out)
{
	return search(match_at, dir, out) > 0;
}

bool mounts_around(const char *path, struct mount_entry *out)
{
	return search(match_around, path, out) > 0;
}

int mounts_of(const char *source)
{
	return search(match_source, source, NULL);
}

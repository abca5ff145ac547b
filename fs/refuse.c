/* SPDX-License-Identifier: MIT */
/*
 * A refusal explains itself: the errno goes to the caller, a line to
 * errors.log, what was offered to rejected/.  The line is there when the
 * caller's error returns.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fs/internal.h"

/* Visible ASCII without what JSON or the author's own syntax would have to escape. */
static bool plain(unsigned char c)
{
	return c > 0x20 && c < 0x7F && !strchr("%\"\\", c);
}

static void add_encoded(char *dst, size_t size, const char *text, const char *also)
{
	size_t len = strlen(dst);
	for (const char *p = text; *p && len + 4 < size; p++) {
		unsigned char c = (unsigned char)*p;
		if (plain(c) && !strchr(also, c))
			dst[len++] = *p;
		else
			len += (size_t)snprintf(dst + len, 4, "%%%02X", c);
	}
	dst[len] = '\0';
}

/* The name of the program that asks, "" if it cannot be known. */
static void program(pid_t pid, char name[64])
{
	char path[48];
	(void)snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
	int fd = pid > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	ssize_t got = fd >= 0 ? read(fd, name, 63) : -1;
	if (fd >= 0)
		close(fd);
	name[got > 0 ? got : 0] = '\0';
	name[strcspn(name, "\n")] = '\0';
}

void author_of(fuse_req_t req, char author[FIELD_MAX + 1])
{
	const struct fuse_ctx *ctx = fuse_req_ctx(req);
	const char *owner = fs_of(req)->owner;
	char name[64], text[1024];
	struct passwd pw, *found = NULL;
	author[0] = '\0';
	if (!*owner && getpwuid_r(ctx->uid, &pw, text, sizeof text, &found) == 0 && found)
		owner = found->pw_name;
	if (!*owner) {
		(void)snprintf(text, sizeof text, "uid%u", (unsigned)ctx->uid);
		owner = text;
	}
	add_encoded(author, FIELD_MAX - 40, owner, ":");
	program(ctx->pid, name);
	if (*name) {
		size_t len = strlen(author); /* at most FIELD_MAX - 40 so far */
		(void)snprintf(author + len, FIELD_MAX + 1 - len, ":");
		add_encoded(author, FIELD_MAX + 1, name, "");
	}
}

static const char *code_name(int err)
{
	const char *name = strerrorname_np(err);
	return name ? name : "EIO";
}

void refuse(fuse_req_t req, int err, const char *op, uint64_t ino, const char *child,
            const struct why *why, const struct offer *offer)
{
	struct fs *fs = fs_of(req);
	char path[2048], author[FIELD_MAX + 1], reason[320], kept[NAME_LIMIT + 1];
	struct timespec now;
	struct job job;
	clock_gettime(CLOCK_REALTIME, &now);
	tree_path(fs, ino, child, path, sizeof path);
	author_of(req, author);
	if (why->line > 0)
		(void)snprintf(reason, sizeof reason, "line %d: %s", why->line, why->text);
	else
		(void)snprintf(reason, sizeof reason, "%s", why->text);
	struct refusal r = {
		.time_us = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000,
		.code = code_name(err), .op = op, .path = path, .author = author, .reason = reason,
		.todo = why->todo, .kept = "",
	};
	/* If even the side database fails, the errno still tells. */
	(void)store_refuse(fs->store, &r, offer ? offer->name : "", offer ? offer->bytes : NULL,
	                   offer ? offer->len : 0, kept);
	job_init(&job, fs);
	job_inode(&job, ino_make(KIND_ERRORS, 0));
	job_inode(&job, ino_make(KIND_REJECTED, 0));
	job_finish(&job, req, answer_err, (void *)(intptr_t)err);
}

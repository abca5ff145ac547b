/* SPDX-License-Identifier: MIT */
/*
 * A refusal explains itself: the errno goes to the caller, a line to
 * errors.log, what was offered to rejected/.  The line is there when the
 * caller's error returns.
 */
#include "fs/save/save.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "fs/internal.h"

static const char *code_name(int err)
{
	const char *name = strerrorname_np(err);
	return name ? name : "EIO";
}

/* The line that a mount which does not show all has for itself, without what was kept: rejected/ is
 * of all mounts. */
static void note(const struct client *who, const struct refusal *r)
{
	struct refusal own = *r;
	struct buf line = BUF_INIT;
	if (bounds_whole(who->bounds, ""))
		return;
	own.kept = "";
	render_refusal(&line, &own);
	char *text = line.failed ? NULL : strdup(line.data);
	if (text)
		bounds_note(who->bounds, r->time_us, text);
	buf_release(&line);
}

void refuse(fuse_req_t req, int err, const char *op, uint64_t ino, const char *child,
            const struct why *why, const struct offer *offer)
{
	refuse_by(req, err, op, ino, child, "", why, offer);
}

void refuse_by(fuse_req_t req, int err, const char *op, uint64_t ino, const char *child,
               const char *by, const struct why *why, const struct offer *offer)
{
	struct fs *fs = fs_of(req);
	char path[PATH_LIMIT + 1], author[FIELD_MAX + 1], reason[320], kept[NAME_LIMIT + 1];
	struct timespec now;
	struct job job;
	clock_gettime(CLOCK_REALTIME, &now);
	tree_path(fs, ino, child, path, sizeof path);
	if (*by)
		(void)snprintf(author, sizeof author, "%s", by);
	else
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
	struct buf bytes = BUF_INIT;
	struct told_text told;
	told_make(fs, &r, offer ? offer->name : NULL, offer ? offer->bytes : NULL,
	          offer ? offer->len : 0, &told);
	if (child)
		missing_over(fs, ino, child);
	if (offer)
		secrets_mask(fs, offer->bytes, offer->len, &bytes);
	/* If even the side database fails, the errno still tells. */
	(void)store_refuse(fs->store, &told.r, told.name, bytes.failed ? NULL : bytes.data, bytes.len,
	                   kept);
	buf_release(&bytes);
	note(&mount_of(req)->client, &told.r);
	job_init(&job, fs);
	job_errors(&job);
	job_finish(&job, req, answer_err, (void *)(intptr_t)err);
}
